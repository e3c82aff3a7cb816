//! Patterns: reading any text, and matching what was read. The first line is the pattern, the others are accesses.

use std::path::{Path, PathBuf};

use mayi_core::call::{Access, Category, McpAccess, PathAccess, Surroundings, UrlAccess, WriteKind, shell};
use mayi_core::policy::Pattern;
use mayi_core::policy::pattern::PatternBases;
use serde_json::json;

/// Matched whatever the input says: one of each kind.
const ALWAYS: &[&str] = &[
    "s ls -la src",
    "r src/a.rs",
    "w src/a.rs",
    "f https://docs.rs/x",
    "m github/list_issues",
    "t Task",
    "M plan",
];

pub(crate) fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.split('\n');
    let places = PatternBases { home: Some(PathBuf::from("/home/me")), ..PatternBases::default() };
    let Ok(pattern) = Pattern::parse(lines.next().unwrap_or_default(), &places) else { return };
    let again = Pattern::parse(pattern.as_str(), &places).expect("what was read can be read again");
    assert_eq!(again.as_str(), pattern.as_str());
    let roots = [PathBuf::from("/w")];
    for access in lines.take(8).chain(ALWAYS.iter().copied()).flat_map(accesses) {
        let (allows, concerns) =
            (pattern.certainly_matches(&access, &roots), pattern.could_match(&access, &roots));
        // "Deny and ask match whatever could be meant, allow only what is certain."
        assert!(concerns || !allows, "{pattern} allows {access} and would not deny it");
        // "`unless` on an allow is stricter": what is excepted is concerned.
        assert!(concerns || !pattern.excepts(&access, &roots), "{pattern} excepts {access} only");
        assert_eq!(allows, again.certainly_matches(&access, &roots));
        assert_eq!(concerns, again.could_match(&access, &roots));
    }
}

fn accesses(line: &str) -> Vec<Access> {
    let cwd = Path::new("/w");
    let roots = [PathBuf::from("/w")];
    let (kind, rest) = line.split_once(' ').unwrap_or(("s", line));
    match kind {
        "r" => vec![Access::Read(PathAccess::new(cwd, rest))],
        "w" => vec![Access::Write(WriteKind::Edit, PathAccess::new(cwd, rest))],
        "f" => UrlAccess::parse(rest).ok().map(Access::Fetch).into_iter().collect(),
        "m" => {
            let names = rest.split_once('/').unwrap_or((rest, ""));
            let readings = vec![(names.0.to_owned(), names.1.to_owned())];
            vec![Access::Mcp(McpAccess::new(readings, json!({ "path": names.1 }), cwd))]
        }
        "t" => vec![Access::Tool { name: rest.to_owned(), category: Category::Execute }],
        "M" => vec![Access::Mode { id: rest.to_owned() }],
        "a" => {
            let words: Vec<String> = rest.split(' ').map(str::to_owned).collect();
            shell::argv_accesses(&words, &Surroundings::new(cwd, &roots))
        }
        _ => shell::line_accesses(rest, &Surroundings::new(cwd, &roots)),
    }
}
