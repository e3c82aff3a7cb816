use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::{AncestorMatch, Fit, Likelihood, PathForms, PathPattern};
use crate::pattern::PatternBases;
use mayi_call::PathAccess;
use mayi_call::shell::OpenPath;

fn pattern(text: &str) -> PathPattern {
    PathPattern::parse(text, &PatternBases { home: Some("/home/me".into()), ..PatternBases::default() })
        .unwrap()
}

fn path(text: &str) -> PathAccess {
    PathAccess::without_lookup(Path::new("/w"), text)
}

fn roots() -> Vec<PathBuf> {
    vec!["/w".into()]
}

fn concerns(glob: &str, text: &str) -> bool {
    pattern(glob).fit(&PathForms::new(&path(text), &roots()), AncestorMatch::No) != Fit::No
}

fn allows(glob: &str, text: &str) -> bool {
    pattern(glob).certainly_matches(&PathForms::new(&path(text), &roots()))
}

/// Seen in other gates: a denial of a folder, with or without a slash at its end, covers the folder and what
/// is below; `dir/**` starts at the root.
#[test]
fn given_a_denied_folder_then_it_is_denied_with_what_is_below() {
    for glob in ["secret", "secret/", "./secret/", "/w/secret/"] {
        assert!(concerns(glob, "secret") && concerns(glob, "secret/a/b"), "{glob}");
        assert!(!concerns(glob, "secrets"), "{glob}");
    }
    assert!(concerns("secret/**", "secret/a") && !concerns("secret/**", "lib/secret/a"));
    assert!(!concerns("secret/**", "secret") && concerns("**/secret/**", "lib/secret/a"));
}

/// D4.12: Deny, ask and protection compare names NFKC-casefolded and without ignorable
/// characters; allow compares bytes. Attack 50.
#[test]
fn given_another_spelling_then_denials_match_and_allows_do_not() {
    for text in [".GIT/hooks/x", ".g\u{200d}it/hooks/x", ".ｇit/HOOKS/x"] {
        assert!(concerns("**/.git/hooks/**", text), "{text}");
        assert!(!allows("**/.git/hooks/**", text), "{text}");
    }
    assert!(concerns(".ENV", ".env") && concerns("[A-C]x", "bx") && !concerns("[A-C]x", "dx"));
    assert!(concerns("Straße/*", "STRASSE/a"));
}

/// D1.14: The literal part of a rule's path is resolved in the same way.
#[cfg(unix)]
#[test]
fn given_a_link_in_a_rules_literal_part_then_where_it_leads_is_meant_too() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap().join("w");
    std::fs::create_dir_all(root.join("real")).unwrap();
    std::fs::create_dir_all(root.with_file_name("far")).unwrap();
    std::os::unix::fs::symlink("real", root.join("secret")).unwrap();
    std::os::unix::fs::symlink("../far", root.join("out")).unwrap();
    let places = PatternBases { home: None, roots: vec![root.clone()], ..PatternBases::default() };
    let roots = [root.clone()];
    let check = |glob: &str, text: &str, allow: bool| {
        let (pattern, path) = (PathPattern::parse(glob, &places).unwrap(), PathAccess::new(&root, text));
        let seen = PathForms::new(&path, &roots);
        if allow {
            pattern.certainly_matches(&seen)
        } else {
            pattern.fit(&seen, AncestorMatch::No) != Fit::No
        }
    };
    assert!(check("secret/**", "real/x", false), "a denial follows");
    assert!(check("./secret/*.key", "real/x.key", false) && !check("./secret/*.key", "real/x", false));
    assert!(check("out/**", "../far/x", false));
    assert!(check("secret/**", "secret/x", true), "an allow, too, within the roots");
    assert!(!check("out/**", "out/x", true), "but not out of them");
}

#[test]
fn given_a_glob_with_dots_then_they_are_resolved_or_refused() {
    assert!(concerns("src/../lib/*", "lib/a") && concerns("../other/**", "/other/x"));
    assert!(allows("./src/./a", "src/a") && allows("src//a", "src/a"));
    assert!(PathPattern::parse("src/*/../x", &PatternBases::default()).is_err());
    assert!(concerns("src/{a,b/*}.rs", "src/b/x.rs") && !concerns("src/{a,b}.rs", "src/c.rs"));
}

/// A path of 5,000 parts ...: an answer within 50 ms. Attack 71.
#[test]
fn given_a_path_of_thousands_of_parts_then_matching_is_quick() {
    let long = path(&"a/".repeat(30_000));
    let roots = roots();
    for glob in ["**/a/**/a/**/b", "*a*/**/*a*b", "/w/**/x", "**"] {
        let pattern = pattern(glob);
        let once = |_| {
            let begun = cpu_time::ThreadTime::now();
            std::hint::black_box(pattern.fit(&PathForms::new(&long, &roots), AncestorMatch::Any));
            begun.elapsed().as_millis()
        };
        assert!((0..5).map(once).min().unwrap() < 1000, "{glob}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// D2.9: A word with another expansion or a glob matches a deny ... if it could: what
    /// is denied with all of its text known, could be denied with a part of it unknown.
    #[test]
    fn what_is_denied_could_be_with_a_part_left_out(
        glob in "(|/|/w/|\\*\\*/|~/|\\./)([ab.]{1,3}|\\*|\\*\\*|[ab]\\*)(/([ab]{1,2}|\\*|\\*\\*|\\*\\.b)){0,2}",
        text in "(/w/|/home/me/|/)[ab]{1,2}(/[ab.]{1,3}){0,3}", from in 1_usize..12, len in 0_usize..6,
        slashes: bool,
    ) {
        let Ok(pattern) = PathPattern::parse(&glob, &PatternBases { home: Some("/home/me".into()), ..PatternBases::default() })
        else { return Ok(()) };
        // As a walker has it: without `.` and `..`.
        let text = path(&text).lexical.to_str().unwrap().to_owned();
        let (from, to) = (from.min(text.len()), (from + len).min(text.len()));
        let (head, gap, tail) = (&text[..from], &text[from..to], &text[to..]);
        // A glob stands for a part of one name, and for no dot that begins one.
        prop_assume!(slashes || !(gap.contains('/') || (head.ends_with('/') && (gap.to_owned() + tail).starts_with('.'))));
        prop_assume!(!tail.split('/').any(|name| name == ".."));
        let pieces = vec![Some(head.to_owned()), None, Some(tail.to_owned())];
        let open = OpenPath { given: text.clone(), pieces, slashes, stays_below: !slashes, looked_up: false };
        let denied = pattern.fit(&PathForms::new(&path(&text), &roots()), AncestorMatch::No) != Fit::No;
        prop_assert!(!denied || pattern.could_match_open(&open, &roots(), AncestorMatch::No) > Likelihood::No);
    }
}
