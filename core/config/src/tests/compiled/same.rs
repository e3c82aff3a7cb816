//! It decides the same.

use std::os::unix::fs::symlink;

use proptest::prelude::*;

use super::*;

/// Folders, and links between them: in the session's root, above it and in the home.
fn machine() -> Machine {
    let machine = Machine::new();
    let (work, home) = (machine.sources.cwd.clone(), machine.sources.folders.home.clone().unwrap());
    for folder in ["src/a", "other", "../beside/x"] {
        std::fs::create_dir_all(work.join(folder)).unwrap();
    }
    std::fs::write(work.join("src/file"), "").unwrap();
    symlink("../other", work.join("src/link")).unwrap();
    symlink("../../beside", work.join("src/out")).unwrap();
    symlink("gone", work.join("dangling")).unwrap();
    symlink("../beside", work.join("../up")).unwrap();
    symlink(&work, home.join("w")).unwrap();
    machine
}

fn path_glob() -> impl Strategy<Value = String> {
    let start = prop::sample::select(vec![
        "",
        "src/",
        "./",
        "../",
        "~/",
        "~/w/",
        "/srv/",
        "**/",
        "TOP/work/",
        "TOP/",
    ]);
    let name = prop::sample::select(vec![
        "a", "link", "out", "other", "file", "dangling", "up", "beside", "x", "*", "**", "*.rs", "{a,link}",
        ".env",
    ]);
    (start, prop::collection::vec(name, 1..4))
        .prop_map(|(start, names)| format!("{start}{}", names.join("/")))
}

fn pattern() -> impl Strategy<Value = String> {
    let selector = prop::sample::select(vec!["read", "write", "edit", "delete", "move"]);
    let word = prop::sample::select(vec!["git", "push", "make", "/bin/rm", "-f", "*", "A=b", "x*", "cp"]);
    let other = prop::sample::select(vec![
        "*",
        "tool(x)",
        "tool(x*)",
        "mode(*)",
        "fetch(docs.rs)",
        "fetch(*.rs)",
        "fetch(https://docs.rs/a/*)",
        "mcp(files)",
        "mcp(files/read_*)",
        "mcp(*/write)",
        "shell(/git .*/)",
        "shell(make*)",
    ]);
    prop_oneof![
        4 => (selector, path_glob()).prop_map(|(selector, glob)| format!("{selector}({glob})")),
        3 => prop::collection::vec(word, 1..4).prop_map(|words| format!("shell({})", words.join(" "))),
        2 => other.prop_map(str::to_owned),
    ]
}

/// A rule in its long form.
fn long() -> impl Strategy<Value = String> {
    let effect = prop::sample::select(vec!["allow", "ask", "deny"]);
    let unless = prop::option::of(pattern());
    let reason =
        prop::option::of(prop::sample::select(vec!["why not", "with \\u202e and\\n lines", "\u{e9}"]));
    let agents = prop::option::of(prop::sample::select(vec![
        "[\"claude\"]",
        "[\"Claude Code\", \"codex\"]",
        "[\"mcp:my agent\"]",
        "[\"nobody\"]",
    ]));
    let always = prop::option::of(any::<bool>());
    let paths = any::<bool>();
    (effect, pattern(), unless, reason, agents, always, paths).prop_map(
        |(effect, pattern, unless, reason, agents, always, paths)| {
            let mut text = format!("[[rule]] # long\neffect = \"{effect}\"\npattern = \"{pattern}\"\n");
            let mut more = |name: &str, value: Option<String>| {
                if let Some(value) = value {
                    text.push_str(&format!("{name} = {value}\n"));
                }
            };
            more("unless", unless.map(|unless| format!("\"{unless}\"")));
            more("reason", reason.map(|reason| format!("\"{reason}\"")));
            more("agents", agents.map(str::to_owned));
            more("always", always.filter(|_| effect == "ask").map(|always| always.to_string()));
            if pattern.starts_with("mcp(") {
                more("paths", paths.then(|| "{ path = \"src/link/**\" }".to_owned()));
                text.push_str("[rule.args]\nrepo = \"me/*\"\n");
            }
            text + "\n"
        },
    )
}

/// What a file says besides.
fn besides() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "mode = \"auto\"\n",
        "[agents.claude]\nmode = \"plan\"\n[agents.\"my agent\"]\ncommand = [\"mine\"]\n",
        "[servers.files]\ncommand = [\"files\"]\n[servers.files.tools]\nwrite = \"read\"\n",
        "[protection]\nexcept = [\"write(.vscode/settings.json)\"]\nadd = [\"read(/srv/secrets/**)\"]\n",
        "[workspaces.\"TOP/work\"]\nmode = \"plan\"\n[workspaces.\"TOP/work\".rules]\ndeny = [\"shell(make *)\"]\n",
        "[matrix.default]\nexecute = \"allow\"\n",
    ])
    .prop_map(str::to_owned)
}

/// A file, and the commands and paths that are asked about.
fn file() -> impl Strategy<Value = String> {
    let short = prop::collection::vec(pattern(), 0..6);
    (short, prop::collection::vec(long(), 0..10), prop::option::of(besides())).prop_map(
        |(short, long, besides)| {
            let mut top = String::new();
            let mut tables = String::new();
            match besides {
                Some(besides) if besides.starts_with('[') => tables = besides,
                Some(besides) => top = besides,
                None => {}
            }
            let deny: String = short.iter().map(|pattern| format!("  \"{pattern}\",\n")).collect();
            let filler: String =
                (0..500).map(|number| format!("  \"shell(tool{number} check *)\", # a comment\n")).collect();
            // Tables stand between the rules.
            let half = long.len() / 2;
            let (before, after) = long.split_at(half);
            format!(
                "{top}[rules]\ndeny = [\n{deny}]\nallow = [\n{filler}]\n{}{tables}\n# more\n{}",
                before.concat(),
                after.concat()
            )
        },
    )
}

fn accesses(machine: &Machine) -> Vec<Vec<Access>> {
    let work = &machine.sources.cwd;
    let home = machine.sources.folders.home.clone().unwrap();
    let mut all = Vec::new();
    for text in [
        "src/a/x.rs",
        "src/link/x",
        "other/x",
        "src/out/x",
        "../beside/x",
        "dangling",
        "../up",
        "/srv/a",
        "src",
        ".env",
        "src/file",
    ] {
        let path = PathAccess::new(work, text);
        all.push(vec![Access::Read(path.clone())]);
        for kind in [WriteKind::Write, WriteKind::Edit, WriteKind::Delete, WriteKind::Move] {
            all.push(vec![Access::Write(kind, path.clone())]);
        }
    }
    all.push(vec![Access::Read(PathAccess::new(&home, "w/src/link/a"))]);
    for text in [
        "git push -f",
        "make x",
        "git push && rm -f src/link/x",
        "cp src/a/x.rs other/y",
        "rg x",
        "ls src/*",
        "cat .e*",
        "A=b make",
        "git $x",
        "xargs make",
        "curl https://docs.rs/a/b",
        "make > src/out/x",
        "tool17 check y",
        "sh -c 'git push'",
        "git \"push",
        "/bin/rm -r src",
    ] {
        all.push(line(machine, text));
    }
    for url in ["https://docs.rs/a/b", "http://127.0.0.1/", "https://x.rs/"] {
        all.push(vec![Access::Fetch(mayi_call::UrlAccess::parse(url).unwrap())]);
    }
    let arguments = serde_json::json!({ "repo": "me/x", "path": "src/link/y" });
    for (server, tool) in [("files", "read_x"), ("files", "write"), ("other", "write")] {
        all.push(vec![Access::Mcp(McpAccess::new(
            vec![(server.into(), tool.into())],
            arguments.clone(),
            work,
        ))]);
    }
    all.extend([vec![tool("x")], vec![tool("other")], vec![Access::Mode { id: "auto".to_owned() }]]);
    all
}

/// Everything else that was configured.
fn rest(loaded: &LoadedConfig) -> String {
    let LoadedConfig { policy, agents, servers, files, settings, locks, record, on_unasked, .. } = loaded;
    let notices = &policy.notices;
    format!(
        "{notices:?} {:?} {:?} {:?} {:?} {agents:?} {servers:?} {files:?} {settings:?} {locks:?} {record:?} {on_unasked:?}",
        policy.files, policy.agents, policy.servers, policy.mode
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// D5.13: whatever a file says and whatever is asked about: all of the decision is the same.
    #[test]
    fn what_was_compiled_decides_what_the_file_decides(text in file()) {
        let compiling = Compiling::new(machine());
        let top = compiling.machine.sources.cwd.parent().unwrap().display().to_string();
        compiling.user(&text.replace("TOP", &top));
        // What nobody could read is nothing to compare.
        if load(&compiling.machine.sources).is_err() {
            return Ok(());
        }
        compiling.compile();
        prop_assert!(compiling.counts(), "{}", text);
        let (plain, compiled) = (compiling.plain(), compiling.load());
        prop_assert_eq!(rest(&compiled), rest(&plain));
        for accesses in accesses(&compiling.machine) {
            for agent in ["claude", "codex", "mcp:my agent"] {
                let call = asked(&compiling.machine, agent, accesses.clone());
                prop_assert_eq!(decided(&compiled.policy, &call), decided(&plain.policy, &call));
            }
        }
        prop_assert!(!compiled.compiled.iter().any(CompiledFile::is_wanted));
        let rules = |loaded: &LoadedConfig| loaded.policy.rules.iter().map(|rule| format!("{rule:?}")).collect::<Vec<_>>();
        prop_assert_eq!(rules(&compiled).len(), rules(&plain).len());
    }
}

/// D5.13: rules of several layers, and options, stand in their order, compiled or not.
#[test]
fn given_several_layers_then_all_count_in_their_order() {
    let deny = "[[rule]]\neffect = \"deny\"\npattern = \"shell(make *)\"\nreason = \"";
    let compiling = Compiling::new(
        machine()
            .managed(&large(&format!("{deny}managed\"\n")))
            .workspace(&large(&format!("{deny}workspace\"\n"))),
    );
    compiling.user(&large(&format!("{deny}user\"\n"))).compile();
    assert_eq!(compiling.files().len(), 2, "a folder's own file is never compiled");
    assert!(compiling.counts());
    let sources = Sources {
        command_line: crate::CommandLine { deny: vec!["shell(make x)".to_owned()], ..Default::default() },
        ..compiling.machine.sources.clone()
    };
    let (plain, compiled) =
        (load(&Sources { compiled: false, ..sources.clone() }).unwrap(), load(&sources).unwrap());
    let call = asked(&compiling.machine, "claude", line(&compiling.machine, "make x"));
    let said = decided(&compiled.policy, &call);
    assert_eq!(said, decided(&plain.policy, &call));
    let places: Vec<_> = ["managed\"", "user\"", "workspace\"", "on the command line"]
        .map(|why| said.find(why).unwrap())
        .into();
    assert!(places.is_sorted(), "{said}");
    assert_eq!(rest(&compiled), rest(&plain));
}

/// D1.14. Attack 429: a link that is put on the way of a rule after it was compiled counts at once.
#[test]
fn given_a_link_that_comes_later_then_where_it_leads_is_meant_too() {
    let compiling = Compiling::new(machine());
    compiling.user(&large("[[rule]]\neffect = \"deny\"\npattern = \"read(later/secret/**)\"\n")).compile();
    let work = compiling.machine.sources.cwd.clone();
    let read =
        asked(&compiling.machine, "claude", vec![Access::Read(PathAccess::new(&work, "other/secret/x"))]);
    assert!(!decided(&compiling.load().policy, &read).contains("later/secret"));
    symlink("other", work.join("later")).unwrap();
    assert!(compiling.counts());
    let said = decided(&compiling.load().policy, &read);
    assert!(said.contains("effect: Deny") && said.contains("later/secret"), "{said}");
    assert_eq!(said, decided(&compiling.plain().policy, &read));
}

/// D5.13: a file whose rules stand where they can't be taken out is read as ever.
#[test]
fn given_rules_in_another_form_then_they_are_read_and_count() {
    let compiling = Compiling::new(machine());
    let filler: String = (0..900)
        .map(|number| format!("  {{ effect = \"ask\", pattern = \"shell(t{number})\" }},\n"))
        .collect();
    compiling.user(&format!("rule = [\n{filler}]\n")).compile();
    assert!(compiling.files().is_empty() && !compiling.counts());
    let call = asked(&compiling.machine, "claude", line(&compiling.machine, "t899"));
    assert!(decided(&compiling.load().policy, &call).contains("shell(t899)"));
}

/// D5.13: what is small, and what is not asked for, is not compiled.
#[test]
fn given_a_small_file_or_a_process_that_stays_then_nothing_is_compiled() {
    let compiling = Compiling::new(machine());
    compiling.user("[rules]\nallow = [\"shell(make)\"]\n").compile();
    assert!(compiling.load().compiled.is_empty());
    compiling.user(&large(""));
    assert!(compiling.plain().compiled.is_empty());
    assert!(!compiling.folder().exists());
}
