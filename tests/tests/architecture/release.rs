//! What a release is made of: one version, platforms that are all built, and no file that could tell of another release.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{everything, read};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Files that packages are made with. None of them knows which release it is for.
const MADE_FROM: &[&str] = &["cli/dist/", "flake.nix", ".github/workflows/release.yml"];

/// Versions of tools that stand there belong to these: they have checksums of their own.
const LOCKS: &[&str] = &["cli/dist/requirements.txt", "cli/dist/zig.txt"];

fn json(path: &str) -> Value {
    serde_json::from_str(&read(path)).unwrap()
}

/// "Versions come from Cargo.toml in one place": editors read their own manifest, so that one says the same.
#[test]
fn given_the_extensions_manifest_then_its_version_is_the_programs() {
    assert_eq!(json("editors/vscode/package.json")["version"], VERSION);
    let lock = json("editors/vscode/package-lock.json");
    assert_eq!((&lock["version"], &lock["packages"][""]["version"]), (&VERSION.into(), &VERSION.into()));
}

/// A version or a checksum that stands in a file goes stale: all of it is filled in when a package is made.
#[test]
fn given_the_files_of_a_release_then_none_has_a_version_or_a_checksum_of_it() {
    let mut seen = 0;
    for source in everything() {
        let of_release = MADE_FROM.iter().any(|place| source.path.starts_with(place));
        if !of_release || LOCKS.contains(&source.path.as_str()) {
            continue;
        }
        seen += 1;
        assert!(!source.text.contains(VERSION), "{} has the version", source.path);
        let hex = |word: &&str| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        let sum = source.text.split(|c: char| !c.is_alphanumeric()).find(hex);
        assert_eq!(sum, None, "{}", source.path);
    }
    assert!(seen > 15, "{seen}");
}

/// What npm is told to install, and what the extension is offered for, is built: the matrix has every platform, once.
#[test]
fn given_the_platforms_then_a_release_builds_each_of_them() {
    let platforms: toml::Table = read("cli/dist/platforms.toml").parse().unwrap();
    let named: BTreeSet<&str> = platforms.keys().map(String::as_str).collect();
    let workflow = read(".github/workflows/release.yml");
    let built: Vec<&str> =
        workflow.split("{ target: ").skip(1).filter_map(|rest| rest.split(',').next()).collect();
    assert_eq!(built.iter().copied().collect::<BTreeSet<_>>(), named);
    assert_eq!(built.len(), named.len());
    // Names that two platforms had would be one file, which the second overwrites.
    for key in ["wheel", "vsix"] {
        let words: BTreeSet<&str> = platforms.values().map(|one| one[key].as_str().unwrap()).collect();
        assert_eq!(words.len(), named.len(), "{key}");
    }
    let formula = read("cli/dist/formula.py");
    let wanted =
        formula.split('"').filter(|word| word.contains("-unknown-linux-") || word.contains("-apple-"));
    assert!(wanted.clone().count() >= 4 && wanted.clone().all(|target| named.contains(target)));
}

/// Whoever can change what an action does can change what is published: each is named by its commit.
#[test]
fn given_the_workflow_then_its_actions_are_named_by_commits_and_it_keeps_no_token() {
    let workflow = read(".github/workflows/release.yml");
    let actions: Vec<&str> =
        workflow.lines().filter_map(|line| line.split_once("uses: ")).map(|(_, name)| name).collect();
    assert!(actions.len() > 10);
    for action in actions {
        let commit = action.split_once('@').map(|(_, rest)| rest.split(' ').next().unwrap());
        let is_commit =
            commit.is_some_and(|word| word.len() == 40 && word.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert!(is_commit && action.contains(" # v"), "{action}");
    }
    assert!(!workflow.contains("secrets."), "nothing that somebody could take");
    assert!(workflow.contains("\npermissions: {}\n"), "and no right that a job did not ask for");
}
