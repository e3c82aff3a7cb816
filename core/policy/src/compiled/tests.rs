//! Rules that were compiled are the rules that they were.

use std::path::{Path, PathBuf};

use mayi_call::{Access, PathAccess, ShellAccess};

use super::*;
use crate::Rules;
use crate::pattern::ArgumentConditions;

/// Blocks in memory, of which one may be lost or be another one.
#[derive(Debug)]
struct InMemory {
    blocks: Vec<Vec<u8>>,
    rules: Option<Vec<Rule>>,
    lost: Option<usize>,
}

impl BlockSource for InMemory {
    fn read_block(&self, number: usize) -> Option<Vec<u8>> {
        self.blocks.get(number).filter(|_| self.lost != Some(number)).cloned()
    }

    fn read_all_rules(&self) -> Option<Vec<Rule>> {
        self.rules.clone()
    }
}

fn places() -> PatternBases {
    PatternBases { home: Some(PathBuf::from("/home/me")), ..PatternBases::default() }
}

fn origin() -> Origin {
    Origin { file: None, line: None, layer: "user" }
}

fn opened(rules: &[Rule], lost: Option<usize>) -> CompiledRules {
    let CompiledBody { contents, blocks } = compile_rules(rules, &places()).unwrap();
    let blocks = InMemory { blocks, rules: Some(rules.to_vec()), lost };
    CompiledRules::new(contents, Box::new(blocks), origin(), places().home)
}

/// The same rules, as they come from what was compiled of them.
pub(crate) fn kept(rules: &Rules, lost: Option<usize>) -> Rules {
    let compiled = opened(rules, lost);
    // Of a rule for an agent, more is read at once, and that may be what is lost: then nothing was compiled.
    let Some(compiled) = compiled.load_eager_rules(&[], &places()) else { return rules.clone() };
    let mut kept = Rules::default();
    kept.push_compiled(compiled);
    kept
}

fn rule(pattern: &str) -> Rule {
    Rule {
        effect: Effect::Deny,
        pattern: Pattern::parse(pattern, &places()).unwrap(),
        unless: None,
        reason: None,
        agents: Vec::new(),
        holds: true,
        named: false,
        origin: origin(),
    }
}

/// So many rules that there are many blocks of keys and of rules.
fn many() -> Vec<Rule> {
    let patterns = (0..3000).map(|number| match number % 4 {
        0 => format!("shell(tool{number} push *)"),
        1 => format!("read(**/secret{number}/*.key)"),
        2 => format!("write(/srv/p{}/{number}/**)", number % 7),
        _ => format!("write(src/p{}/{number}/**)", number % 5),
    });
    patterns.map(|pattern| rule(&pattern)).collect()
}

fn texts<'a>(rules: impl IntoIterator<Item = &'a Rule>) -> Vec<String> {
    rules.into_iter().map(|rule| format!("{rule:?}")).collect()
}

/// D5.13: everything that a rule says comes back as it was.
#[test]
fn given_rules_of_every_form_then_they_come_back_as_they_were() {
    let glob = |name: &str, text: &str| Some([(name.to_owned(), text.to_owned())].into());
    let conditions = ArgumentConditions { args: glob("repo", "me/*"), paths: glob("file", "src/**") };
    let mut rules = vec![
        Rule {
            unless: Some(Pattern::parse("shell(git push x)", &places()).unwrap()),
            ..rule("shell(git push *)")
        },
        Rule { pattern: Pattern::with_conditions("mcp(s/t)", conditions, &places()).unwrap(), ..rule("*") },
        Rule { reason: Some("what \u{202e} is\n said".to_owned()), ..rule("shell(/rm .*/)") },
        Rule {
            agents: vec!["claude".to_owned(), "mcp:x".to_owned()],
            effect: Effect::Allow,
            ..rule("fetch(*.docs.rs)")
        },
        Rule { holds: false, effect: Effect::Ask, ..rule("  read( ~/x y/** ) ") },
        Rule { effect: Effect::Allow, ..rule("shell(touch*)") },
        rule("mode(auto)"),
        rule("tool({a,b})"),
    ];
    for (line, rule) in rules.iter_mut().enumerate() {
        rule.origin.line = u32::try_from(line).ok().filter(|line| *line > 1);
    }
    let compiled = opened(&rules, None).load_eager_rules(&[], &places()).unwrap();
    assert_eq!(texts(compiled.eager_rules()), texts([&rules[3], &rules[5]]));
    assert_eq!(texts(&compiled.all_rules()), texts(&rules));
    let mut kept = Rules::from(vec![rule("shell(a)")]);
    kept.push_compiled(compiled);
    kept.push(rule("shell(b)"));
    assert_eq!(kept.len(), rules.len() + 2);
    assert_eq!(kept.loaded_rules().count(), 4);
    assert_eq!(texts(&kept[1..9]), texts(&rules));
    // A change counts, and what was compiled is no more than a start.
    kept[1] = rule("shell(c)");
    let access = Access::Shell(ShellAccess::from_literal_words(vec!["c".to_owned()]));
    assert_eq!(
        kept.rules_about(&AccessForms::new(&access, &[])).filter(|rule| rule.matches(&access, &[])).count(),
        1
    );
}

/// D5.13: a decision reads what it needs, and no more.
#[test]
fn given_many_rules_then_a_lookup_reads_a_few_blocks_and_finds_what_the_list_finds() {
    let rules = many();
    let list = Rules::from(rules.clone());
    let roots = [PathBuf::from("/w")];
    let path = |text: &str| PathAccess::without_lookup(Path::new("/w"), text);
    let shell = |words: &[&str]| {
        Access::Shell(ShellAccess::from_literal_words(words.iter().map(|word| (*word).to_owned()).collect()))
    };
    let accesses = [
        Access::Read(path("/x/secret1001/a.key")),
        Access::Write(mayi_call::WriteKind::Edit, path("src/p2/1007/x.rs")),
        Access::Write(mayi_call::WriteKind::Delete, path("/srv/p4/1306/y/z")),
        Access::Write(mayi_call::WriteKind::Move, path("/srv/p4")),
        shell(&["tool1000", "push"]),
        shell(&["tool1000", "pull"]),
        shell(&["other"]),
    ];
    for access in &accesses {
        let compiled = opened(&rules, None);
        let seen = AccessForms::new(access, &roots);
        assert_eq!(texts(compiled.rules_about(&seen).unwrap()), texts(list.rules_about(&seen)), "{access}");
        let (read, all) = compiled.frozen.blocks_read();
        assert!(all > 30, "{all} blocks");
        let is_folder = matches!(access, Access::Write(mayi_call::WriteKind::Move, _));
        assert!(read <= 8 || is_folder, "{read} of {all} blocks for {access}");
    }
}

/// D5.13: whichever block is lost or damaged, what is found is what the file says; where the file can't be read any more, nothing
/// is allowed.
#[test]
fn given_a_block_that_is_lost_or_another_one_then_the_file_is_what_counts() {
    let rules = many();
    let list = Rules::from(rules.clone());
    let access =
        Access::Shell(ShellAccess::from_literal_words(vec!["tool1000".to_owned(), "push".to_owned()]));
    let seen = AccessForms::new(&access, &[]);
    let CompiledBody { contents, blocks } = compile_rules(&rules, &places()).unwrap();
    let opened = |blocks: Vec<Vec<u8>>, lost, rules| {
        let mut kept = Rules::default();
        let blocks = Box::new(InMemory { blocks, rules, lost });
        kept.push_compiled(CompiledRules::new(contents.clone(), blocks, origin(), places().home));
        kept
    };
    let (mut told, mut denied) = (0, 0);
    for lost in 0..blocks.len() {
        let mut cut = blocks.clone();
        cut[lost].truncate(3);
        for (blocks, lost) in [(blocks.clone(), Some(lost)), (cut, None)] {
            let kept = opened(blocks.clone(), lost, Some(rules.clone()));
            assert_eq!(texts(kept.rules_about(&seen)), texts(list.rules_about(&seen)));
            told += 1;
            let nothing = opened(blocks, lost, None);
            let found: Vec<_> = nothing.rules_about(&seen).collect();
            if found.iter().any(|rule| rule.effect == Effect::Deny && rule.pattern.is_everything()) {
                denied += 1;
            } else {
                assert_eq!(texts(found), texts(list.rules_about(&seen)));
            }
        }
    }
    assert!(told > 60 && denied > 0, "{told} {denied}");
}

/// D1.14: links are looked for on the ways that are there, and rules behind them are read with where they lead.
#[test]
fn given_links_then_just_the_rules_behind_them_are_told() {
    let patterns = [
        "write(src/a/**)",
        "write(src/link/b/**)",
        "write(src/link)",
        "read(src/link-not/x)",
        "read(/abs/link/x)",
        "read(/abs/other/link)",
        "read(~/x/**)",
        "write(../up/link/**)",
        "write(gone/link/**)",
        "write(**/link/**)",
        "shell(link)",
        "read({src/link/c,d/e})",
        "write(./**)",
    ];
    let rules: Vec<Rule> = patterns.iter().map(|pattern| rule(pattern)).collect();
    let compiled = opened(&rules, None);
    let roots = [PathBuf::from("/w/here")];
    let folders = ["/w/here/src", "/abs", "/home", "/home/me", "/w/up", "/abs/other"];
    let there = |path: &Path| match path.to_str().unwrap() {
        path if path.ends_with("/link") => EntryKind::Link,
        path if folders.contains(&path) => EntryKind::Folder,
        _ => EntryKind::Nothing,
    };
    let linked = compiled.linked_rules(&roots, &|_| false, &there);
    assert_eq!(linked, [1, 2, 4, 5, 7, 11]);
    // A root that is another folder than it is called.
    let linked = compiled.linked_rules(&roots, &|path| path == Path::new("/w/here"), &there);
    assert_eq!(linked, [0, 1, 2, 3, 4, 5, 7, 8, 11, 12]);
}
