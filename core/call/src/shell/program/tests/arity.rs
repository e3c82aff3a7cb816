//! Options of readers as the programs themselves describe them, where these are installed and tell it.
//!
//! An option that is said to take the next word, and does not, hides a path from mayi.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};

use super::super::form::ValueCount;
use super::super::table::{ProgramEntry, ProgramTable};

/// What help texts say shortly, or wrongly.
const EXCEPT: &[(&str, &str)] = &[
    // Only the long form takes a value, glued.
    ("diff", "-c -u"),
    ("git branch", "-t"),
    ("ls", "-F -p"),
    ("dir", "-F -p"),
    ("vdir", "-F -p"),
    ("nm", "-C"),
    ("objdump", "-C"),
    ("sort", "-c -C"),
    ("tail", "-f"),
    ("cut", "-n"),
    ("pr", "-s -S"),
    ("readelf", "-C"),
    // The value is named elsewhere in the text.
    ("top", "-U -d -n -o -p -u"),
    ("file", "-P --parameter"),
    ("tree", "--ignore-case"),
    ("shasum", "-a --algorithm"),
    ("stat", "-c"),
    ("hostname", "-I --all-ip-addresses -F --file"),
    ("jq", "--arg --argjson --slurpfile --rawfile"),
    // Both are listed, and one is told to be something else.
    ("du", "--time"),
    ("nl", "-p"),
    // Values that are listed one by one.
    ("git diff", "--submodule"),
    ("git range-diff", "--submodule"),
    // Revisions are described by another page.
    ("git rev-list", "--branches --tags --remotes --pretty --abbrev --no-abbrev"),
    ("git diff-tree", "--stat --name-status --abbrev -B -M -C"),
    ("git diff-index", "--stat --name-status --abbrev -B -M -C"),
    ("git diff-files", "--stat --name-status --abbrev -B -M -C"),
    ("git show-branch", "--remotes"),
];

/// Programs whose help has a form of its own.
const UNREAD: &[&str] =
    &["lsof", "strings", "readelf", "bzcat", "tar", "bsdtar", "yq", "sysctl", "less", "xxd", "unzip"];

/// An option with what its help says about a value: none, one, perhaps one.
type Options = BTreeMap<String, BTreeSet<char>>;

fn help(name: &str) -> Option<Options> {
    let (program, sub) = name.split_once(' ').map_or((name, None), |(program, sub)| (program, Some(sub)));
    let path = ["/usr/bin", "/bin"].iter().map(|folder| format!("{folder}/{program}"));
    let path = path.into_iter().find(|path| std::fs::metadata(path).is_ok())?;
    let dir = tempfile::tempdir().unwrap();
    let output = Command::new(path)
        .args(sub)
        .arg(if program == "git" { "-h" } else { "--help" })
        .current_dir(dir.path())
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = [output.stdout, output.stderr].concat();
    let options = described(&String::from_utf8_lossy(&text));
    (!options.is_empty()).then_some(options)
}

/// The options that a help text lists, one or several spellings a line: `-a, --all`, `-w, --width=COLS`.
fn described(text: &str) -> Options {
    let mut options = Options::new();
    for line in text.lines() {
        let body = line.trim_start();
        let indent = line.len() - body.len();
        if !(1..=12).contains(&indent) || !body.starts_with('-') {
            continue;
        }
        let head = body.split("  ").next().unwrap_or_default();
        let head = head.split('\t').next().unwrap_or_default();
        let found: Vec<(String, char)> = head.split(", ").filter_map(spelling).collect();
        // What is said of the long form holds for the short one.
        let long = found.iter().find(|(name, takes)| name.starts_with("--") && *takes != ' ');
        for (name, takes) in &found {
            let takes = if *takes == ' ' { long.map_or(' ', |(_, takes)| *takes) } else { *takes };
            match name.split_once("[no-]") {
                Some((before, after)) => {
                    options.entry(format!("{before}{after}")).or_default().insert(takes);
                    options.entry(format!("{before}no-{after}")).or_default().insert(' ');
                }
                None => {
                    options.entry(name.clone()).or_default().insert(takes);
                }
            }
        }
    }
    options
}

fn spelling(text: &str) -> Option<(String, char)> {
    let text = text.trim();
    let name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let end = if text.starts_with("--[no-]") {
        8 + text[8..].find(|c: char| !name(c)).unwrap_or(text.len() - 8)
    } else if text.starts_with("--") {
        text.find(|c: char| !name(c)).unwrap_or(text.len())
    } else {
        1 + text[1..].chars().next()?.len_utf8()
    };
    let (option, rest) = text.split_at(end);
    let takes = match rest.chars().next() {
        None => ' ',
        Some('[') => '?',
        Some('=') if rest.starts_with("=[") && rest.ends_with(']') => '?',
        Some('=' | '<') => ':',
        Some(' ') => match rest.trim_start().chars().next()? {
            '[' => return None,
            '<' => ':',
            c if c.is_ascii_uppercase() => ':',
            _ => return None,
        },
        Some(c) if c.is_ascii_uppercase() => ':',
        Some(_) => return None,
    };
    Some((option.to_owned(), takes))
}

fn names(name: &str, program: &ProgramEntry) -> Vec<String> {
    let upper = name.rsplit_once(' ').map(|(upper, _)| format!("{upper} ")).unwrap_or_default();
    let also = program.parse_entry().also;
    let others = also.split_whitespace().map(|other| format!("{upper}{other}"));
    std::iter::once(name.to_owned()).chain(others).collect()
}

/// D2.28: each with every option that is known to be harmless.
/// Attack 77.
#[test]
fn given_a_reader_that_is_installed_then_its_options_take_what_its_help_says() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (name, program) in ProgramTable::get().all_programs().filter(|(_, program)| program.form().reader) {
        for name in names(name, program) {
            if UNREAD.contains(&name.as_str()) {
                continue;
            }
            let Some(described) = help(&name) else { continue };
            let except = EXCEPT.iter().find(|(of, _)| *of == name).map_or("", |(_, options)| options);
            for (option, known) in &program.form().options {
                let Some(takes) = described.get(option) else { continue };
                seen += 1;
                // Whether the next word may be a value. That it never is hides nothing.
                let fits = match known.takes {
                    ValueCount::Nothing => takes.contains(&' ') || takes.contains(&'?'),
                    ValueCount::Perhaps | ValueCount::Differs => true,
                    ValueCount::One | ValueCount::Two => takes.contains(&':'),
                };
                if !fits && !except.split(' ').any(|other| other == option) {
                    wrong.push(format!("{name} {option}: {:?}, and its help says {takes:?}", known.takes));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {seen}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn given_lines_of_a_help_text_then_they_are_read() {
    let text = "Usage:\n  -a, --all  everything\n  -w, --width=COLS  x\n  -s, --sort[=WORD]\n  -n <n>\n    --[no-]color[=<when>]\n  -Cx\n";
    let found: Vec<String> = described(text)
        .into_iter()
        .map(|(name, takes)| format!("{name}{}", takes.into_iter().collect::<String>()))
        .collect();
    assert_eq!(
        found,
        ["--all ", "--color?", "--no-color ", "--sort?", "--width:", "-a ", "-n:", "-s?", "-w:"]
    );
}
