//! What a project's files name: rules for just that, whatever the names are.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::super::{Template, all_languages};
use super::Project;
use crate::{Folders, LoadedConfig, Sources, load};
use mayi_policy::Effect;

fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().canonicalize().unwrap();
    for (name, text) in files {
        let path = top.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    (dir, top)
}

fn patterns(project: &Project) -> Vec<String> {
    project.groups.iter().flat_map(|group| &group.rules).flat_map(|(patterns, _)| patterns.clone()).collect()
}

fn of(files: &[(&str, &str)]) -> Vec<String> {
    let (_dir, top) = folder(files);
    patterns(&Project::from_folder(&top))
}

/// The rules of the project alone, as they are read again from a user's file.
fn loaded(top: &Path, text: &str, cwd: &Path) -> LoadedConfig {
    let user = top.join("user.toml");
    std::fs::write(&user, text).unwrap();
    let folders = Folders { home: Some(top.join("home")), ..Folders::default() };
    let sources = Sources { user: Some(user), cwd: cwd.to_owned(), folders, ..Sources::default() };
    load(&sources).unwrap_or_else(|errors| {
        let lines: Vec<String> = errors.all().iter().map(|error| error.one_line()).collect();
        panic!("{}", lines.join("\n"))
    })
}

/// Each kind of file: its usual tasks get a rule, those that leave the project get none.
#[test]
fn given_files_of_a_project_then_what_they_name_is_allowed_and_what_leaves_it_is_not() {
    let just = "test filter='':\n    x\ndeploy:\n    x\ntest-deploy:\n    x\n";
    assert_eq!(of(&[("justfile", just)]), ["shell(just test *)"]);
    assert_eq!(of(&[("Makefile", "e2e: build\n\tx\ninstall:\n\tx\n")]), ["shell(make e2e *)"]);
    let task = "tasks:\n  lint:\n    cmd: x\n  release:\n    cmd: x\n";
    assert_eq!(of(&[("Taskfile.yml", task)]), ["shell(task lint *)"]);
    let scripts = "{\"scripts\":{\"typecheck\":\"tsc\",\"postinstall\":\"x\",\"publish:all\":\"x\"}}";
    assert_eq!(of(&[("package.json", scripts)]), ["shell(npm run typecheck *)"]);
    let python = "[tool.poe.tasks]\nlint = \"x\"\nship = \"x\"\n[tool.pdm.scripts]\ntest = \"x\"\n[tool.taskipy.tasks]\nfmt = \"x\"\n[tool.hatch.envs.default.scripts]\ncov = \"x\"\n[tool.hatch.envs.docs.scripts]\nbuild = \"x\"\n[tool.hatch.envs.prod.scripts]\nbuild = \"x\"\n";
    assert_eq!(
        of(&[("pyproject.toml", python), ("uv.lock", "")]),
        [
            "shell(poe lint)",
            "shell(uv run poe lint)",
            "shell(pdm run test)",
            "shell(task fmt)",
            "shell(hatch run cov)",
            "shell(hatch run docs:build)"
        ]
    );
}

/// The package manager is the one whose lock file is there.
#[test]
fn given_a_lock_file_then_scripts_are_run_by_its_package_manager() {
    let scripts = ("package.json", "{\"workspaces\":[\"a\"],\"scripts\":{\"lint\":\"x\"}}");
    let with = |lock: &[(&str, &str)]| of(&[&[scripts], lock].concat());
    let npm = ["shell(npm run lint *)", "shell(npm run --workspaces lint *)"];
    assert_eq!(with(&[]), npm);
    assert_eq!(with(&[("package-lock.json", "")]), npm);
    let pnpm = [("pnpm-lock.yaml", ""), ("pnpm-workspace.yaml", "")];
    assert_eq!(with(&pnpm), ["shell(pnpm run lint *)", "shell(pnpm -r run lint *)"]);
    assert_eq!(with(&[("yarn.lock", "")]), ["shell(yarn run lint *)"]);
    assert_eq!(with(&[("bun.lock", "")]), ["shell(bun run lint)"]);
}

/// The programs that cargo makes: of the package, of its further programs, of the workspace's members.
#[test]
fn given_a_workspace_of_cargo_then_its_programs_below_target_are_allowed() {
    let found = of(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"crates/*\", \"cli\", \"../beside\", \"/etc\"]\n"),
        ("crates/one/Cargo.toml", "[package]\nname = \"one\"\n[[bin]]\nname = \"other\"\npath = \"x.rs\"\n"),
        ("crates/one/src/lib.rs", ""),
        ("crates/one/src/bin/tool.rs", ""),
        ("cli/Cargo.toml", "[package]\nname = \"app\"\n"),
        ("cli/src/main.rs", ""),
    ]);
    let debug: Vec<&str> =
        found.iter().map(String::as_str).filter(|of| of.starts_with("shell(./target/debug/")).collect();
    assert_eq!(
        debug,
        ["shell(./target/debug/app *)", "shell(./target/debug/other *)", "shell(./target/debug/tool *)"]
    );
    assert_eq!(found.len(), 12);
}

/// Names that would be more than names: as they could stand in each kind of file.
const HOSTILE: &[&str] = &[
    "test *",
    "*",
    "test*",
    "--all",
    "-f",
    "test) ",
    "test\", \"shell(*)",
    "test\\\", \\\"shell(*)",
    "te\u{202e}st",
    "test;rm -rf .",
    "test\nrules.allow = [\\\"*\\\"]",
    "../test",
    "test|sh",
    "$(touch x)",
    "`touch x`",
    "test deploy",
    "{test,deploy}",
    "te?t",
    "[t]est",
    "test=SHELL",
    "SHELL=x",
    "'test'",
    "test#",
    "bash",
    "sh",
    "exec",
    "dlx",
    "python",
    "test-and-publish",
    "rm",
    "install",
];

/// A template made where every name is hostile allows nothing beside: its file holds the keys that it is meant to
/// hold, and each rule in it is for one usual name. Attack 340.
#[test]
fn given_hostile_names_in_every_file_then_no_rule_is_wider_than_a_usual_name() {
    let lines = |begin: &str, end: &str| {
        HOSTILE.iter().map(|name| format!("{begin}{name}{end}\n")).collect::<String>()
    };
    let keys: Vec<String> =
        HOSTILE.iter().map(|name| format!("{}: \"x\"", serde_json::json!(name))).collect();
    let json = format!("{{\"scripts\":{{{}}},\"workspaces\":[\"*\"]}}", keys.join(","));
    let toml: String =
        HOSTILE.iter().map(|name| format!("{} = \"x\"\n", crate::edit::toml_string(name))).collect();
    let bins: String =
        HOSTILE.iter().map(|name| format!("[[bin]]\nname = {}\n", crate::edit::toml_string(name))).collect();
    let envs: String = HOSTILE
        .iter()
        .map(|name| format!("[tool.hatch.envs.{}.scripts]\ntest = \"x\"\n", crate::edit::toml_string(name)))
        .collect();
    let python = format!(
        "[tool.poe.tasks]\n{toml}[tool.pdm.scripts]\n{toml}[tool.taskipy.tasks]\n{toml}[project.scripts]\n{toml}{envs}"
    );
    let (_dir, top) = folder(&[
        ("w/justfile", &lines("", ":")),
        ("w/Makefile", &lines("", ":")),
        ("w/Taskfile.yml", &format!("tasks:\n{}", lines("  ", ":"))),
        ("w/package.json", &json),
        ("w/pyproject.toml", &python),
        ("w/Cargo.toml", &format!("[package]\nname = \"../x\"\n{bins}")),
        ("w/uv.lock", ""),
        ("w/poetry.lock", ""),
        ("w/pnpm-lock.yaml", ""),
        ("w/yarn.lock", ""),
        ("w/bun.lock", ""),
    ]);
    let work = top.join("w");
    let project = Project::from_folder(&work);
    let section = project.workspace_section(&work, &BTreeSet::new()).unwrap_or_default();
    let table: toml::Table = section.parse().unwrap();
    assert!(table.keys().all(|key| key == "workspaces"), "{section}");
    let policy = loaded(&top, &section, &work).policy;
    for rule in &policy.rules {
        let pattern = rule.pattern.as_str();
        let inner = pattern.strip_prefix("shell(").and_then(|rest| rest.strip_suffix(')')).unwrap();
        let words: Vec<&str> = inner.trim_end_matches(" *").split(' ').collect();
        let runs = [
            "just",
            "make",
            "task",
            "npm run",
            "pnpm run",
            "yarn run",
            "bun run",
            "poe",
            "pdm run",
            "uv run",
            "hatch run",
            "uv run poe",
            "poetry run poe",
        ];
        let (name, before) = words.split_last().unwrap();
        let program = name.strip_prefix("target/").or(name.strip_prefix("./target/"));
        match program.and_then(|rest| rest.split_once('/')) {
            // A program of that name below the build's folder, and no further.
            Some((_, own)) => {
                assert!(super::name::is_plain(own) && !own.contains("..") && before.is_empty(), "{pattern}")
            }
            None => {
                assert!(runs.contains(&before.join(" ").as_str()) && super::name::is_usual(name), "{pattern}")
            }
        }
    }
    // What the text says to people is said in words of one line each.
    let comments = section.lines().filter(|line| line.trim_start().starts_with('#'));
    assert!(comments.into_iter().all(|line| line.is_ascii() && !line.contains(['*', '"'])), "{section}");
    let all = Template::Everyday.render(&all_languages(), &project, Some(&work), None);
    let policy = loaded(&top, &all, &work).policy;
    let roots = [work.clone()];
    let at = mayi_call::shell::Surroundings::new(&work, &roots);
    for line in [
        "just deploy",
        "just --all",
        "npm run install",
        "uv run bash -c x",
        "uv run python x.py",
        "make SHELL=x test",
        "task test deploy",
        "pnpm dlx x",
        "./x",
    ] {
        let allowed = mayi_call::shell::line_accesses(line, &at).iter().all(|access| {
            let mayi_call::Access::Shell(shell) = access else { return true };
            policy.rules.iter().any(|rule| {
                let named = shell.caveats.iter().all(|caveat| rule.pattern.names_caveat(shell, caveat));
                rule.effect == Effect::Allow && rule.matches(access, &roots) && named
            })
        });
        assert!(!allowed, "{line}");
    }
}

/// Files that are no files, or no end of one, are as if they were not there. Attack 340.
#[cfg(unix)]
#[test]
fn given_links_pipes_and_endless_files_then_nothing_is_read_of_them() {
    let (_dir, top) = folder(&[
        ("else/justfile", "test:\n"),
        ("w/Makefile", &"test:\n".repeat(300_000)),
        ("w/package.json", &"[".repeat(100_000)),
    ]);
    let work = top.join("w");
    std::os::unix::fs::symlink(top.join("else/justfile"), work.join("justfile")).unwrap();
    let fifo = std::process::Command::new("mkfifo").arg(work.join("pyproject.toml")).status().unwrap();
    assert!(fifo.success());
    assert!(Project::from_folder(&work).is_empty());
    // As many names as anybody could want are cut off, and it is said.
    let many: String = (0..2000).map(|at| format!("test-{at}:\n    x\n")).collect();
    let (_dir, top) = folder(&[("justfile", &many)]);
    let project = Project::from_folder(&top);
    assert_eq!(patterns(&project).len(), super::MOST_NAMES);
    assert!(
        project
            .allow_entries(&BTreeSet::new())
            .contains("And 1940 with names too odd or too many for a rule.")
    );
}

/// Rules that come from a folder's files count there, and not in another folder.
#[test]
fn given_a_users_file_then_the_rules_of_the_folder_count_there_alone() {
    let (_dir, top) = folder(&[("w/justfile", "test-x:\n    x\ndeploy:\n    x\n"), ("other/x", "")]);
    let work = top.join("w");
    let project = Project::from_folder(&work);
    let text = Template::Everyday.render(&all_languages(), &project, Some(&work), None);
    assert!(text.contains("    #   just deploy\n"), "{text}");
    let has = |cwd: &str| {
        let loaded = loaded(&top, &text, &top.join(cwd));
        loaded.policy.rules.iter().any(|rule| rule.pattern.as_str() == "shell(just test-x *)")
    };
    assert!(has("w") && !has("other"));
    let shared = Template::Everyday.render(&all_languages(), &project, None, None);
    assert!(
        shared.contains("    \"shell(just test-x *)\",\n") && !shared.contains("[workspaces"),
        "{shared}"
    );
}
