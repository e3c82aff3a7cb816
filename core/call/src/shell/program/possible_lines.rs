//! Words that a program may run as a line, though the table does not say so: for denials alone.
//!
//! Text is left alone: messages, patterns, scripts in a language of their own, and names of files. Of every other
//! word with a blank in it nobody can tell.

use super::analyzer::CommandAnalyzer;
use super::embedded_paths::Language;
use super::form::{CommandForm, OptionMeaning, Role};
use super::operands::fitting_roles;
use super::scan::Scan;
use super::texts::{lines_in, lines_of};
use crate::shell::{Reach, Use, Word};

/// As much of a text is looked into for lines of its own.
const MOST_PARTS: usize = 32;

/// Offers denials what the command's words could run.
pub(super) fn add_latent_lines(judge: &mut CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) {
    let words = judge.words;
    let target = scan.has_meaning(OptionMeaning::Target);
    let roles = form.operands.as_ref().map(|roles| fitting_roles(roles, form, scan, target));
    let count = scan.operands.len();
    for (index, place) in scan.operands.iter().enumerate() {
        let Some(word) = words.get(*place) else { continue };
        let role = roles.as_ref().and_then(|roles| roles.role_at(index, count));
        if matches!(role, Some(Role::Text | Role::Pattern | Role::Assignment | Role::Command | Role::Line)) {
            continue;
        }
        if role == Some(Role::Loaded) {
            judge.add_option_value(word);
        }
        if is_pipe_command(word) {
            add_spaced_word(judge, word);
            if form.opens_pipes {
                add_pipe_line(judge, word);
            }
        } else if !role.is_some_and(names_a_file) && form.language != Language::Commands {
            add_spaced_word(judge, word);
        }
    }
    // The word behind an option that is not known may be its value.
    let behind = scan.unknown.iter().flat_map(|place| [*place, place + 1]);
    for word in behind.filter_map(|place| words.get(place)) {
        add_spaced_word(judge, word);
    }
    let changes = scan.options.iter().filter(|found| found.known.meaning == OptionMeaning::Changes);
    for value in changes.filter_map(|found| found.value.as_ref()) {
        let word = value.text.map(Word::from).or_else(|| words.get(value.place).cloned());
        word.iter().for_each(|word| add_spaced_word(judge, word));
    }
    if form.language == Language::Commands {
        let texts = words.iter().skip(1).filter_map(Word::literal).flat_map(embedded_commands);
        let new: Vec<_> = texts.filter(|line| !judge.known.lines.contains(line)).collect();
        judge.known.lines.extend(new);
    }
}

/// A word with a blank in it, as a line, with what may stand before the line.
fn add_spaced_word(judge: &mut CommandAnalyzer<'_>, word: &Word) {
    let blank = word.known_prefix().trim().contains(char::is_whitespace)
        || matches!(word, Word::Open(open) if open.has_blank())
        || is_pipe_command(word);
    if !blank {
        return;
    }
    let bare = |line: String| line.trim_matches(['|', '!', ' ']).to_owned();
    let lines: Vec<String> = lines_of(word).map(bare).collect();
    let dotted: Vec<String> = lines.iter().filter_map(|line| behind_dot(line)).map(str::to_owned).collect();
    for line in lines.into_iter().chain(dotted) {
        if !line.is_empty() && !judge.known.prose.contains(&line) {
            judge.known.prose.push(line);
        }
    }
}

/// `!LINE`, `|LINE` and `LINE|`: to many programs such a file is a command.
fn is_pipe_command(word: &Word) -> bool {
    let text = word.literal().unwrap_or_else(|| word.known_prefix()).trim();
    text.len() > 1 && (text.starts_with(['!', '|']) || word.literal().is_some() && text.ends_with('|'))
}

/// An operand that this program is certain to take for a command.
fn add_pipe_line(judge: &mut CommandAnalyzer<'_>, word: &Word) {
    judge.add_always_caveat("an operand that it runs as a line");
    let line = word.text().trim_matches(['|', '!', ' ']).to_owned();
    judge.add_possible_line(&Word::Literal(line));
}

/// Whether the operand is the name of a file, and may have blanks as such.
fn names_a_file(role: Role) -> bool {
    !matches!(role, Role::Change | Role::Goal | Role::Loaded | Role::Url | Role::Script | Role::Single)
}

/// `.shell LINE`: what stands behind a first word with a dot.
fn behind_dot(line: &str) -> Option<&str> {
    let (first, rest) = line.split_once(char::is_whitespace)?;
    let name = first.strip_prefix('.')?;
    let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphabetic());
    plain.then(|| rest.trim()).filter(|rest| !rest.is_empty())
}

/// Lines for a shell inside of a text of commands, as editors and clients of databases have them: `.shell LINE`,
/// `\! LINE`, `system LINE`, `to program 'LINE'`, `'|LINE'`, `edit(x, 'LINE')`.
pub(in crate::shell) fn embedded_commands(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    // To most of them `;` ends a command, and to a shell behind a first word it doesn't.
    let parts = text.lines().chain(text.split(['\n', ';'])).map(str::trim);
    for part in parts.take(MOST_PARTS) {
        found.extend(behind_dot(part).map(str::to_owned));
        let words = part.split_once(char::is_whitespace);
        if let Some((verb, rest)) = words
            && matches!(verb.to_lowercase().as_str(), "system" | "shell" | "sh" | "exec" | "tee" | "pager")
        {
            found.push(rest.to_owned());
        }
        found.extend(part.match_indices('!').filter_map(|(at, _)| part.get(at + 1..)).map(str::to_owned));
    }
    let marks = text.match_indices('|').filter_map(|(at, _)| {
        let before = text.get(..at)?.chars().next_back();
        let begins = before.is_none_or(|c| c.is_whitespace() || matches!(c, '\'' | '"'));
        let line = text.get(at + 1..)?.split(['\'', '"', '\n']).next()?;
        (begins && !line.starts_with('|')).then(|| line.to_owned())
    });
    found.extend(marks.take(MOST_PARTS));
    let lower = text.to_lowercase();
    let runs = ["edit(", "edit (", "program", "system", "shell", "exec", "popen"];
    if runs.iter().any(|word| lower.contains(word)) {
        found.extend(lines_in(&Word::from(text)));
        // `edit(x, 'LINE;:')`: the name of a file is put behind it.
    }
    found.iter_mut().for_each(|line| *line = line.trim_matches([' ', '|', '\t', '\'', '"']).to_owned());
    found.retain(|line| !line.is_empty() && line != text);
    found.dedup();
    found.truncate(MOST_PARTS);
    found
}

/// An operand of perl's own way to open files: `>x` is written, `<x` read.
pub(super) fn add_perl_redirections(judge: &mut CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) {
    if !form.opens_pipes {
        return;
    }
    for word in scan.operands.iter().filter_map(|place| judge.words.get(*place)).filter_map(Word::literal) {
        let file = word.trim_start_matches(['+', '<', '>', ' ']);
        if file.len() < word.len() && word.contains(['<', '>']) {
            judge.places.add_path(file, Use::Either, Reach::Itself);
        }
    }
}
