//! The invariants of docs/architecture/invariants.md, as far as the text of the workspace can show them.
//!
//! Each rule is a function from source text to what breaks it, so that a small text can show that it would notice.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "only tests")]

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

#[path = "architecture/attacks.rs"]
mod attacks;
#[path = "architecture/book.rs"]
mod book;
#[path = "architecture/circles.rs"]
mod circles;
#[path = "architecture/floors.rs"]
mod floors;
#[path = "architecture/law.rs"]
mod law;
#[path = "architecture/page.rs"]
mod page;
#[path = "architecture/places.rs"]
mod places;
#[path = "architecture/release.rs"]
mod release;
#[path = "architecture/supply.rs"]
mod supply;

/// Which packages may depend on what: the rest may not.
const DEPENDENCIES: &[(&str, &[&str])] = &[
    ("clap", &["mayi"]),
    ("clap_complete", &["mayi"]),
    ("clap_mangen", &["mayi-man"]),
    ("dialoguer", &["mayi"]),
    ("rustyline", &["mayi"]),
    ("zbus", &["mayi", "mayi-tests"]),
    ("jsonrpsee", &["mayi-acp-server", "mayi-tests"]),
    ("agent-client-protocol", &["mayi-acp", "mayi-demo", "mayi-tests"]),
    ("brush-parser", &["mayi-call"]),
    ("rmcp", &["mayi-mcp", "mayi-tests"]),
    ("rusqlite", &["mayi", "mayi-kept", "mayi-tests"]),
    ("fork", &["mayi-hook"]),
    ("axum", &["mayi-mcp", "mayi-responses", "mayi-tests"]),
    ("hyper", &["mayi-acp-server", "mayi-doors", "mayi-egress", "mayi-mcp", "mayi-responses"]),
    ("hyper-util", &["mayi-acp-server", "mayi-doors", "mayi-egress"]),
    ("reqwest", &["mayi-mcp", "mayi-responses", "mayi-tests"]),
    ("rustls", &["mayi-egress", "mayi-mcp", "mayi-responses"]),
    ("if-addrs", &["mayi-egress"]),
    ("landlock", &["mayi-sandbox"]),
    ("seccompiler", &["mayi-sandbox"]),
    (
        "mayi-call",
        &[
            "mayi-config",
            "mayi-core",
            "mayi-egress",
            "mayi-import",
            "mayi-kept",
            "mayi-policy",
            "mayi-sandbox",
            "mayi-snapshot",
        ],
    ),
    ("mayi-policy", &["mayi-config", "mayi-core", "mayi-import", "mayi-kept", "mayi-sandbox"]),
    ("mayi-sandbox", &["mayi"]),
    ("mayi-snapshot", &["mayi"]),
    ("mayi-egress", &["mayi"]),
    ("mayi-kept", &["mayi-config", "mayi-core", "mayi-import"]),
    ("mayi-config", &["mayi-core", "mayi-import"]),
    ("mayi-import", &["mayi-core"]),
    (
        "mayi-core",
        &[
            "mayi",
            "mayi-acp",
            "mayi-acp-proxy",
            "mayi-acp-server",
            "mayi-acp-shared",
            "mayi-check",
            "mayi-doors",
            "mayi-hook",
            "mayi-mcp",
            "mayi-responses",
            "mayi-tests",
        ],
    ),
    (
        "mayi-doors",
        &[
            "mayi",
            "mayi-acp",
            "mayi-acp-proxy",
            "mayi-acp-server",
            "mayi-acp-shared",
            "mayi-hook",
            "mayi-mcp",
            "mayi-responses",
        ],
    ),
    ("mayi-hook", &["mayi"]),
    ("mayi-acp", &["mayi", "mayi-acp-server", "mayi-check", "mayi-tests"]),
    ("mayi-acp-proxy", &["mayi"]),
    ("mayi-acp-shared", &["mayi", "mayi-acp", "mayi-acp-proxy"]),
    ("mayi-mcp", &["mayi", "mayi-acp-server", "mayi-tests"]),
    ("mayi-responses", &["mayi"]),
    ("mayi-check", &["mayi", "mayi-acp-server", "mayi-tests"]),
    ("mayi-demo", &["mayi", "mayi-tests"]),
    ("mayi", &["mayi-man", "mayi-tests"]),
    ("mayi-acp-server", &["mayi"]),
];

/// Which folders may name what in their code.
const MENTIONS: &[(&str, &[&str])] = &[
    ("agent_client_protocol", &["cli/demo/", "core/doors/acp/", "tests/"]),
    ("brush_parser", &["core/call/src/shell/"]),
    ("rmcp", &["core/doors/mcp/", "tests/"]),
    ("axum", &["core/doors/mcp/", "core/doors/responses/", "tests/"]),
    (
        "hyper",
        &[
            "acp-server/",
            "core/doors/egress/",
            "core/doors/mcp/",
            "core/doors/responses/",
            "core/doors/src/listen.rs",
        ],
    ),
    ("hyper_util", &["acp-server/", "core/doors/egress/", "core/doors/src/listen.rs"]),
    ("reqwest", &["core/doors/mcp/", "core/doors/responses/", "tests/"]),
    ("rustls", &["core/doors/egress/", "core/doors/mcp/", "core/doors/responses/"]),
    ("clap", &["cli/"]),
    ("clap_complete", &["cli/"]),
    ("clap_mangen", &["cli/man/"]),
    ("dialoguer", &["cli/"]),
    ("rustyline", &["cli/"]),
    ("zbus", &["cli/src/surface/desktop/", "tests/"]),
    ("jsonrpsee", &["acp-server/", "tests/"]),
    ("rusqlite", &["cli/tests/", "core/kept/src/store/sqlite/", "tests/"]),
];

/// What neither calls nor policy may reach for: files, environment, network, clock, waiting.
const IMPURE: &[&str] = &[
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "tokio",
    "rustix",
    "etcetera",
    "SystemTime",
    "Instant::now",
    "Timestamp::now",
    "Zoned::now",
    "async fn",
    "async move",
    ".await",
    ".exists()",
    ".canonicalize()",
    ".metadata()",
    "symlink_metadata",
    "read_link",
    "read_dir",
    "current_dir",
    "home_dir",
];

/// The files that look things up while a call is built or a pattern compiled: where links lead, the home
/// folder, what a repository's configuration has git or cargo run.
const LOOKS_UP: &[&str] = &[
    "core/call/src/home.rs",
    "core/call/src/path/folder_lookup.rs",
    "core/call/src/path/budget.rs",
    "core/call/src/path/links.rs",
    "core/call/src/path/walk.rs",
    "core/call/src/path/many_paths.rs",
    "core/call/src/shell/program/archives.rs",
    "core/call/src/shell/program/git_files.rs",
    "core/call/src/shell/program/git_objects.rs",
    "core/call/src/shell/program/shown_names.rs",
    "core/call/src/shell/program/user_settings.rs",
    "core/call/src/shell/program/library.rs",
    "core/call/src/shell/program/manifests.rs",
    "core/call/src/shell/program/repository.rs",
    "core/call/src/shell/program/toolchains.rs",
    "core/call/src/shell/program/worktree.rs",
    "core/call/src/shell/scripts.rs",
];

/// The one file of policy that has links followed: while a pattern is compiled.
const COMPILES_PATHS: &str = "core/policy/src/pattern/path/parse.rs";

/// The most lines of a file.
const LONGEST: usize = 500;

/// A file of the workspace: its path from the top, with `/`, and its text.
struct Source {
    path: String,
    text: String,
}

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn read(path: &str) -> String {
    fs::read_to_string(top().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every text file that is the project's own.
fn everything() -> Vec<Source> {
    let mut found = Vec::new();
    collect(top(), &mut found);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(found.len() > 100, "the workspace is not where it should be");
    found
}

fn collect(folder: &Path, found: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !["target", "node_modules", ".git", ".cache"].contains(&name.as_str()) {
                collect(&path, found);
            }
        } else if let Ok(text) = fs::read_to_string(&path) {
            let path = path.strip_prefix(top()).unwrap().to_string_lossy().replace('\\', "/");
            found.push(Source { path, text });
        }
    }
}

fn sources() -> Vec<Source> {
    everything().into_iter().filter(|source| source.path.ends_with(".rs")).collect()
}

fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/") || path.starts_with("tests/")
}

/// The code of a file: without comment lines, and without the tests at its end.
fn code(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let test = line.starts_with("#[cfg(test)]") || line.starts_with("#[cfg(all(test");
        if test && lines.peek().is_some_and(|next| next.starts_with("mod ") && next.ends_with('{')) {
            for inside in lines.by_ref() {
                if inside == "}" {
                    break;
                }
            }
        } else if !line.trim_start().starts_with("//") {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// Whether `code` names the crate `word`, in a `use` or in a path.
fn mentions(code: &str, word: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + word.len()..]);
        let whole = !before.ends_with(is_name) && !after.starts_with(is_name);
        let imported = before.ends_with("use ") || before.ends_with("extern crate ");
        // `crate::clap::x` and `self::clap::x` are modules of the crate's own.
        let own = before.ends_with("crate::") || before.ends_with("self::") || before.ends_with("super::");
        whole && !own && (imported || after.starts_with("::"))
    })
}

fn metadata() -> Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["metadata", "--format-version", "1", "--no-deps", "--offline"];
    let output = Command::new(cargo).args(arguments).current_dir(top()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The dependencies that break the table, as `package: dependency`.
fn stray_dependencies(metadata: &Value) -> Vec<String> {
    let mut stray = Vec::new();
    for package in metadata["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        for dependency in package["dependencies"].as_array().unwrap() {
            let on = dependency["name"].as_str().unwrap();
            let rule = DEPENDENCIES.iter().find(|(word, _)| *word == on);
            if rule.is_some_and(|(_, allowed)| !allowed.contains(&name)) {
                stray.push(format!("{name}: {on}"));
            }
        }
    }
    stray
}

fn stray_mentions(source: &Source) -> Vec<String> {
    // This file names all of them.
    if source.path == "tests/tests/architecture.rs" {
        return Vec::new();
    }
    let code = code(&source.text);
    let stray = |(word, folders): &&(&str, &[&str])| {
        !folders.iter().any(|folder| source.path.starts_with(folder)) && mentions(&code, word)
    };
    MENTIONS.iter().filter(stray).map(|(word, _)| format!("{} names {word}", source.path)).collect()
}

fn impurities(source: &Source) -> Vec<String> {
    let policy = source.path.starts_with("core/policy/src/");
    if !(policy || source.path.starts_with("core/call/src/"))
        || is_test(&source.path)
        || LOOKS_UP.contains(&source.path.as_str())
    {
        return Vec::new();
    }
    let code = code(&source.text);
    let mut words: Vec<&str> = IMPURE.to_vec();
    if policy && source.path != COMPILES_PATHS {
        words.extend(["resolve(", "PathAccess::new"]);
    }
    words
        .into_iter()
        .filter(|word| code.contains(word))
        .map(|word| format!("{}: {word}", source.path))
        .collect()
}

fn makes_authorized(source: &Source) -> bool {
    let code = code(&source.text);
    !source.path.starts_with("core/src/gate/")
        && source.path != "tests/tests/architecture.rs"
        && (code.contains("Authorized::new") || code.contains("Authorized {"))
}

/// A function of the gate that everybody may call and that is told how a question ends.
fn takes_state(source: &Source) -> Option<String> {
    let code = code(&source.text);
    let mut functions = code.split("pub fn ").skip(1);
    let taking = functions.find(|rest| {
        let arguments = rest.split("->").next().unwrap_or_default().split(" {").next().unwrap_or_default();
        arguments.split(|char: char| !char.is_alphanumeric()).any(|word| word == "State")
    })?;
    let name = taking.split(['(', '<']).next().unwrap_or_default();
    Some(format!("{}: pub fn {name}", source.path))
}

/// The lines of a section of a TOML file.
fn section<'t>(toml: &'t str, header: &str) -> Vec<&'t str> {
    let mut lines = toml.lines().map(str::trim).skip_while(|line| *line != header);
    lines.next();
    lines.take_while(|line| !line.starts_with('[')).collect()
}

/// "Only `cli` knows clap and dialoguer, only `acp-server` knows jsonrpsee; the front ends know no protocol's SDK, and
/// the demo agent knows nothing of the gate."
#[test]
fn packages_depend_only_on_what_they_may_know() {
    assert_eq!(stray_dependencies(&metadata()), [""; 0]);
    let bad =
        r#"{"packages": [{"name": "mayi-core", "dependencies": [{"name": "clap"}, {"name": "serde"}]}]}"#;
    assert_eq!(stray_dependencies(&serde_json::from_str(bad).unwrap()), ["mayi-core: clap"]);
}

/// "Only `doors/acp` knows agent-client-protocol, only `doors/mcp` knows rmcp", and so on, by what the code names.
#[test]
fn code_names_only_the_crates_that_its_folder_may_know() {
    let stray: Vec<String> = sources().iter().flat_map(stray_mentions).collect();
    assert_eq!(stray, [""; 0]);
    let bad = |path: &str, text: &str| {
        stray_mentions(&Source { path: path.to_owned(), text: text.to_owned() }).len()
    };
    assert_eq!(bad("core/src/gate/mod.rs", "use agent_client_protocol::Error;\n"), 1);
    assert_eq!(bad("core/src/gate/mod.rs", "fn f() -> rmcp::Error {\n"), 1);
    assert_eq!(
        bad(
            "core/src/gate/mod.rs",
            "// clap::Parser is not known here\nlet clap = 1;\nuse crate::clap::x;\n"
        ),
        0
    );
    assert_eq!(bad("core/doors/acp/src/mod.rs", "use agent_client_protocol::Error;\n"), 0);
}

/// "`decide` is pure", and so is everything that calls and policies are made of.
#[test]
fn calls_and_policy_read_no_file_environment_or_clock() {
    let impure: Vec<String> = sources().iter().flat_map(impurities).collect();
    assert_eq!(impure, [""; 0]);
    let bad =
        |path: &str, text: &str| impurities(&Source { path: path.to_owned(), text: text.to_owned() }).len();
    assert_eq!(bad("core/policy/src/decide.rs", "let now = Timestamp::now();\nif path.exists() {}\n"), 2);
    assert_eq!(bad("core/policy/src/rule.rs", "let path = call::resolve(path);\n"), 1);
    assert_eq!(bad("core/call/src/url.rs", "let home = std::env::var(\"HOME\");\n"), 1);
    let tests = "#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n";
    assert_eq!(bad("core/policy/src/decide.rs", tests), 0);
    assert_eq!(bad("core/policy/src/decide.rs", &format!("{tests}use std::fs;\n")), 1);
}

/// "Execution needs an `Authorized<Call>`, which only the gate can make."
#[test]
fn only_the_gate_makes_an_authorized_call() {
    let makers: Vec<String> =
        sources().into_iter().filter(makes_authorized).map(|source| source.path).collect();
    assert_eq!(makers, [""; 0]);
    let authorized = read("core/src/gate/authorized.rs");
    assert!(authorized.contains("pub(super) fn new("), "the constructor is the gate's alone");
    assert!(!code(&authorized).contains("    pub what:"), "its call can't be exchanged");
    let bad =
        Source { path: "cli/src/main.rs".to_owned(), text: "let a = Authorized::new(call);\n".to_owned() };
    assert!(makes_authorized(&bad));
}

/// "Execution needs an `Authorized<Call>`, which only the gate can make": no door says how a question ends, or it could
/// say that it is approved. Attack 263.
#[test]
fn no_door_ends_a_question_with_an_allow() {
    let gate = |source: &Source| {
        source.path.starts_with("core/src/gate/") && !source.path.starts_with("core/src/gate/tests")
    };
    let found: Vec<String> =
        sources().into_iter().filter(gate).filter_map(|source| takes_state(&source)).collect();
    assert_eq!(found, [""; 0]);
    let bad = "impl Gate {\n    pub fn settle(\n        &self,\n        how: State,\n    ) {\n    }\n}\n";
    let bad = Source { path: "core/src/gate/settle.rs".to_owned(), text: bad.to_owned() };
    assert_eq!(takes_state(&bad).as_deref(), Some("core/src/gate/settle.rs: pub fn settle"));
    let own = Source { path: bad.path, text: bad.text.replace("pub fn", "pub(super) fn") };
    assert_eq!(takes_state(&own), None);
}

/// "A file over 500 lines is split", without exceptions.
#[test]
fn no_file_is_longer_than_it_may_be() {
    let mut lengths: Vec<(usize, String)> =
        sources().into_iter().map(|source| (source.text.lines().count(), source.path)).collect();
    lengths.sort();
    let median = lengths.get(lengths.len() / 2).map_or(0, |(lines, _)| *lines);
    println!("{} files, the median has {median} lines", lengths.len());
    let long: Vec<_> = lengths.into_iter().filter(|(lines, _)| *lines > LONGEST).collect();
    assert_eq!(long, []);
}

/// "The core has no `unsafe`": forbidden for all, and every package takes part.
#[test]
fn unsafe_code_is_forbidden_in_every_package() {
    let workspace = read("Cargo.toml");
    assert!(section(&workspace, "[workspace.lints.rust]").contains(&"unsafe_code = \"forbid\""));
    // Packages that confined tools build are none of the workspace's.
    let own = |path: &str| path.ends_with("/Cargo.toml") && !path.starts_with("tests/tools/projects/");
    let manifests = everything().into_iter().filter(|source| own(&source.path));
    let free: Vec<String> = manifests
        .filter(|source| !section(&source.text, "[lints]").contains(&"workspace = true"))
        .map(|source| source.path)
        .collect();
    assert_eq!(free, [""; 0]);
    assert!(
        !section("[lints]\n# none\n[other]\nworkspace = true\n", "[lints]").contains(&"workspace = true")
    );
}
