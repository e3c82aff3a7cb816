//! The options of readers, from mayi's own tables: what is written there is tried, all of it.

use std::collections::BTreeMap;

const TEXTS: [&str; 3] = [
    include_str!("../../../../core/call/src/shell/programs/readers.toml"),
    include_str!("../../../../core/call/src/shell/programs/text.toml"),
    include_str!("../../../../core/call/src/shell/programs/git.toml"),
];

/// `tar` reads too, and the rest of its table does not.
const FILES: &str = include_str!("../../../../core/call/src/shell/programs/files.toml");

/// The keys whose options do something.
const EFFECTS: &[&str] = &[
    "outputs",
    "prints",
    "writes",
    "into",
    "runs",
    "loads",
    "elsewhere",
    "names",
    "edits",
    "commands",
    "changes",
    "evaluates",
    "lines",
    "sends",
    "targets",
];

/// The keys whose options only say how.
const HARMLESS: &[&str] = &["options", "patterns", "reads"];

/// One option as it is written in the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Opt {
    pub(super) name: String,
    /// It takes a value, as mayi understands it.
    pub(super) takes: bool,
    /// It takes one only where it is glued.
    pub(super) glued: bool,
}

/// What is known of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    pub(super) harmless: Vec<Opt>,
    pub(super) effects: Vec<Opt>,
}

pub(super) struct Tables(BTreeMap<String, Entry>);

impl Tables {
    pub(super) fn new() -> Self {
        let texts = TEXTS.iter().chain([&FILES]);
        let tables: Vec<toml::Table> = texts.map(|text| text.parse().unwrap()).collect();
        let raw: BTreeMap<&String, &toml::Value> = tables.iter().flatten().collect();
        let read = |value: &toml::Value| {
            let list = |keys: &[&str]| {
                let texts = keys.iter().filter_map(|key| value.get(key)?.as_str());
                texts.flat_map(str::split_whitespace).map(option).collect::<Vec<_>>()
            };
            Entry { harmless: list(HARMLESS), effects: list(EFFECTS) }
        };
        let mut entries = BTreeMap::new();
        for (name, value) in &raw {
            let like = value.get("like").and_then(|like| raw.get(&like.as_str()?.to_owned()));
            let reads = |value: &toml::Value| {
                value.get("reader").and_then(toml::Value::as_bool) == Some(true)
                    || value.get("reader-with").is_some()
            };
            if !reads(value) && !like.is_some_and(|like| reads(like)) {
                continue;
            }
            let mut entry = read(value);
            if let Some(other) = like {
                let other = read(other);
                entry.harmless.extend(other.harmless);
                entry.effects.extend(other.effects);
            }
            entries.insert((*name).clone(), entry);
        }
        Self(entries)
    }

    /// The program's options; none for one that is not known.
    pub(super) fn of(&self, name: &str) -> Entry {
        self.0.get(name).cloned().unwrap_or_default()
    }

    /// Every program that reads and has options.
    pub(super) fn programs(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, entry)| !entry.harmless.is_empty()).map(|(name, _)| name.as_str())
    }
}

fn option(text: &str) -> Opt {
    let name = text.trim_end_matches([':', '?']).to_owned();
    Opt { takes: text.ends_with(':'), glued: text.ends_with('?'), name }
}

/// Attack 261.
#[test]
fn given_the_tables_then_options_and_their_marks_are_read() {
    let tables = Tables::new();
    let tree = tables.of("tree");
    let takes =
        |name: &str| tree.harmless.iter().find(|option| option.name == name).map(|option| option.takes);
    assert_eq!((takes("-L"), takes("-a")), (Some(true), Some(false)));
    assert!(tree.effects.iter().any(|option| option.name == "-o" && option.takes));
    assert!(tables.of("git diff").harmless.len() > 50, "what it takes over from git log counts");
    assert!(tables.programs().count() > 60);
}
