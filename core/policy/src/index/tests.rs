//! What the index finds is what looking at every rule would find.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use crate::compiled::tests::kept;
use crate::pattern::{AccessForms, PatternBases, TouchForms};
use crate::{Effect, Origin, Pattern, Rule, Rules};
use mayi_call::shell::{self, OpenPath, OpenWord, Reach, Surroundings, Touch, TouchedPath, Use, Word};
use mayi_call::{Access, McpAccess, PathAccess, ShellAccess, UrlAccess, WriteKind};

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a",
        "b",
        "src",
        ".env",
        "x.rs",
        "X.RS",
        "y.pem",
        "w",
        "home",
        ".git",
        "hooks",
        "k\u{200d}ey",
        "c.tar.gz",
    ])
    .prop_map(str::to_owned)
}

fn glob_name() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => name(),
        2 => prop::sample::select(vec!["*", "**", "*.rs", "a*", "*.pem", "?", "*.tar.gz", "{a,src}", "..", "[ab]"])
            .prop_map(str::to_owned),
    ]
}

fn path_glob() -> impl Strategy<Value = String> {
    let start = prop::sample::select(vec!["", "", "/", "/w/", "/W/", "/w/sub/", "~/", "./", "**/", "../"]);
    (start, prop::collection::vec(glob_name(), 1..4), prop::bool::weighted(0.1)).prop_map(
        |(start, names, slash)| format!("{start}{}{}", names.join("/"), if slash { "/" } else { "" }),
    )
}

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "git", "rm", "GIT", "/bin/rm", "rm.exe", "make", "push", "-f", "-F", "*", "g*t", "A=b", "x",
    ])
    .prop_map(str::to_owned)
}

fn pattern() -> impl Strategy<Value = String> {
    let selector = prop::sample::select(vec!["read", "write", "create", "delete", "move"]);
    let host = prop::sample::select(vec![
        "example.com",
        "*.example.com",
        "sub.example.com",
        "*",
        "https://example.com/a/*",
    ]);
    let tool = prop::sample::select(vec!["s", "s/t", "S/T", "s/*", "*/t", "*", "s/{t,u}", "u/t"]);
    let other = prop::sample::select(vec![
        "*",
        "tool(x)",
        "tool(X*)",
        "tool(*)",
        "mode(auto)",
        "mode(*)",
        "shell(/rm/)",
        "shell(git push && rm x)",
    ]);
    prop_oneof![
        6 => (selector, path_glob()).prop_map(|(selector, glob)| format!("{selector}({glob})")),
        5 => prop::collection::vec(word(), 1..4).prop_map(|words| format!("shell({})", words.join(" "))),
        1 => host.prop_map(|host| format!("fetch({host})")),
        1 => tool.prop_map(|tool| format!("mcp({tool})")),
        1 => other.prop_map(str::to_owned),
    ]
}

fn kind() -> impl Strategy<Value = WriteKind> {
    use WriteKind::{Create, Delete, Edit, Move, Write};
    prop::sample::select(vec![Write, Create, Edit, Delete, Move])
}

fn path() -> impl Strategy<Value = PathAccess> {
    let start = prop::sample::select(vec!["", "", "/", "/w/", "/W/", "/home/me/", "/w/sub/../", "/w"]);
    (start, prop::collection::vec(name(), 0..4), any::<bool>()).prop_map(|(start, names, folder)| {
        let text = format!("{start}{}", names.join("/"));
        PathAccess { folder, ..PathAccess::without_lookup(Path::new("/w/sub"), &text) }
    })
}

fn words() -> impl Strategy<Value = ShellAccess> {
    let open =
        (name(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(text, first, splits, glob)| {
            let known = Some(text.clone());
            let pieces = if first { vec![None, known] } else { vec![known, None] };
            Word::Open(OpenWord {
                text: format!("{text}?"),
                pieces,
                splits,
                glob,
                tame: false,
                assigned: None,
                variants: Vec::new(),
                ..OpenWord::default()
            })
        });
    let one = prop_oneof![4 => word().prop_map(Word::Literal), 1 => open];
    (prop::collection::vec(one, 0..5), any::<bool>()).prop_map(|(words, understood)| {
        let literal: Vec<String> = words.iter().map(|word| word.known_prefix().to_owned()).collect();
        ShellAccess {
            line: words.iter().map(Word::text).collect::<Vec<_>>().join(" "),
            candidates: if understood { Vec::new() } else { vec![literal] },
            outer: if words.len() > 2 { vec![words.iter().skip(1).cloned().collect()] } else { Vec::new() },
            words,
            understood,
            ..ShellAccess::default()
        }
    })
}

fn access() -> impl Strategy<Value = Access> {
    let host = prop::sample::select(vec![
        "https://example.com/a/b",
        "https://a.sub.example.com/",
        "http://other.org/",
    ]);
    let readings =
        prop::sample::select(vec![vec![("s", "t")], vec![("S", "u")], vec![("s", "x"), ("u", "t")], vec![]]);
    let line = prop::sample::select(vec!["git push; rm x", "rm -F x", "A=b git", "echo $(rm x)"]);
    prop_oneof![
        3 => path().prop_map(Access::Read),
        4 => (kind(), path()).prop_map(|(kind, path)| Access::Write(kind, path)),
        5 => words().prop_map(Access::Shell),
        1 => line.prop_map(|line| shell::line_accesses(line, &Surroundings::new(Path::new("/w"), &[])).remove(0)),
        1 => host.prop_map(|url| Access::Fetch(UrlAccess::parse(url).unwrap())),
        1 => readings.prop_map(|all| {
            let readings = all.iter().map(|(s, t)| ((*s).to_owned(), (*t).to_owned())).collect();
            Access::Mcp(McpAccess::new(readings, serde_json::json!({}), Path::new("/w")))
        }),
        1 => prop::sample::select(vec!["x", "X", "auto"]).prop_map(|name| Access::Tool {
            name: name.to_owned(),
            category: mayi_call::Category::Execute,
        }),
        1 => prop::sample::select(vec!["auto", "Auto"]).prop_map(|id| Access::Mode { id: id.to_owned() }),
    ]
}

fn open_path(pieces: Vec<Option<String>>, slashes: bool) -> TouchedPath {
    let given = "?".to_owned();
    TouchedPath::Open(OpenPath { given, pieces, slashes, stays_below: !slashes, looked_up: false })
}

fn touch() -> impl Strategy<Value = Touch> {
    let how = prop_oneof![Just(Use::Read), Just(Use::Either), kind().prop_map(Use::Write)];
    let piece = prop_oneof![
        1 => Just(None),
        2 => prop::sample::select(vec!["/", "/w/", "/w/sub/.e", ".env", "x.", "nv", ".rs", "/.git/", "a/../", "src/"])
            .prop_map(|text: &str| Some(text.to_owned())),
    ];
    let open = (prop::collection::vec(piece, 1..4), any::<bool>())
        .prop_map(|(pieces, slashes)| open_path(pieces, slashes));
    // A path of which one part is left out.
    let cut = (path(), 0_usize..20, 0_usize..6, any::<bool>()).prop_map(|(path, from, len, slashes)| {
        let text = path.lexical.to_str().unwrap();
        let at =
            |wanted: usize| (0..=wanted.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        let (from, to) = (at(from), at(from + len));
        let pieces = vec![Some(text[..from].to_owned()), None, Some(text[to..].to_owned())];
        let pieces = pieces.into_iter().filter(|piece| piece.as_deref() != Some("")).collect();
        open_path(pieces, slashes)
    });
    let path = prop_oneof![path().prop_map(TouchedPath::Known), open, cut];
    let reach = prop::sample::select(vec![Reach::Itself, Reach::Changed, Reach::Shown, Reach::All]);
    (path, how, reach).prop_map(|(path, how, reach)| Touch { path, how, reach })
}

fn rules(patterns: &[String]) -> Option<Rules> {
    let places = PatternBases { home: Some(PathBuf::from("/home/me")), ..PatternBases::default() };
    let rule = |(at, text): (usize, &String)| {
        Some(Rule {
            effect: [Effect::Deny, Effect::Allow, Effect::Ask].get(at % 3).copied()?,
            pattern: Pattern::parse(text, &places).ok()?,
            unless: None,
            reason: None,
            agents: Vec::new(),
            holds: true,
            named: false,
            origin: Origin { file: None, line: None, layer: "user" },
        })
    };
    patterns.iter().enumerate().map(rule).collect()
}

fn texts<'a>(rules: impl Iterator<Item = &'a Rule>) -> Vec<String> {
    rules.map(|rule| format!("{} {}", rule.effect, rule.pattern)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// Compiled policies: the same rules are found, in the same order, as by looking at each.
    #[test]
    fn the_index_finds_every_rule_that_matches(
        patterns in prop::collection::vec(pattern(), 1..12), access in access(), rooted: bool, lost in 0_usize..3,
    ) {
        let Some(rules) = rules(&patterns) else { return Ok(()) };
        let roots = if rooted { vec![PathBuf::from("/w"), PathBuf::from("/w/sub")] } else { vec![PathBuf::from("/W")] };
        let seen = AccessForms::new(&access, &roots);
        let naive = texts(rules.iter().filter(|rule| rule.matches_forms(&seen)));
        let found = texts(rules.rules_about(&seen).filter(|rule| rule.matches_forms(&seen)));
        prop_assert_eq!(found, naive);
        // And what was compiled before finds just the same, also where some of it is lost.
        let about = texts(rules.rules_about(&seen));
        for lost in [None, Some(lost)] {
            prop_assert_eq!(texts(kept(&rules, lost).rules_about(&seen)), about.clone());
        }
    }

    /// The same for what is only touched.
    #[test]
    fn the_index_finds_every_rule_about_what_is_touched(
        patterns in prop::collection::vec(pattern(), 1..12), touch in touch(), rooted: bool, lost in 0_usize..3,
    ) {
        let Some(rules) = rules(&patterns) else { return Ok(()) };
        let roots = if rooted { vec![PathBuf::from("/w"), PathBuf::from("/w/sub")] } else { vec![PathBuf::from("/W")] };
        let seen = TouchForms::new(&touch, &roots);
        let naive = texts(rules.iter().filter(|rule| rule.match_touch(&seen).is_some()));
        let found = texts(rules.about_touch(&seen).filter(|rule| rule.match_touch(&seen).is_some()));
        prop_assert_eq!(found, naive);
        let about = texts(rules.about_touch(&seen));
        for lost in [None, Some(lost)] {
            prop_assert_eq!(texts(kept(&rules, lost).about_touch(&seen)), about.clone());
        }
    }
}

/// A list that was changed has another index.
#[test]
fn given_a_rule_that_was_added_or_changed_then_it_counts() {
    let mut rules = rules(&["shell(rm x)".to_owned()]).unwrap();
    let access = Access::Shell(ShellAccess::from_literal_words(vec!["make".to_owned()]));
    let about = |rules: &Rules| rules.rules_about(&AccessForms::new(&access, &[])).count();
    assert_eq!(about(&rules), 0);
    rules[0].pattern = Pattern::parse("shell(make)", &PatternBases::default()).unwrap();
    assert_eq!(about(&rules), 1);
    let another = rules[0].clone();
    rules.push(another);
    assert_eq!(about(&rules), 2);
}
