//! Texts in a program of another language that could be commands: what stands between quotes there, or in a list of words, and
//! begins with the name of one, beside a name that speaks of starting it (`["touch","x"].execute()`, `system qw(touch x)`).
//! Languages have many ways to start a program, and nobody can list them. Of none of these texts it is known that it is started:
//! they are guesses, which are asked about where a rule is about such a command, and never denied.

use super::possible_lines::embedded_commands;
use super::started_lines::read_quoted_text;
use super::texts::lines_of_code;
use crate::shell::{OpenWord, Word, split_words};

/// Maximum number of texts that are looked at. Of more it is not known what they begin with.
const MOST: usize = 256;
/// Maximum number of words of one that count: those that stand in it, and the texts behind it as in a list.
const WORDS: usize = 8;
/// Parts of names that speak of starting something: before a text, or behind it as a method. Other texts are printed or written.
const STARTING: &[&str] = &[
    "$", "call", "cmd", "command", "exec", "launch", "popen", "process", "run", "shell", "spawn", "start",
    "system",
];

/// The commands that a program may start.
pub(in crate::shell) fn quoted_commands(text: &str) -> Vec<Vec<Word>> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut looked = 0;
    while let Some(at) = rest.find(['"', '\'', '`', 'q', '%']) {
        let (from, before) = (rest.get(at..).unwrap_or_default(), rest.get(..at).unwrap_or_default());
        rest = from.get(1..).unwrap_or_default();
        let part = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let (texts, behind) = match word_list(from).filter(|_| !part) {
            Some(words) => (vec![words.to_owned()], ""),
            None => texts_from(from),
        };
        let method =
            || behind.strip_prefix('.').is_some_and(|name| is_starting(name.split(is_no_name).next()));
        if texts.is_empty() || !is_starting(last_name(before)) && !method() {
            continue;
        }
        looked += 1;
        if looked > MOST {
            found.push(any_command());
            return found;
        }
        add_command(&texts, &mut found);
    }
    // A cell of a notebook hands a line that begins so to a shell.
    for line in text.lines().filter_map(|line| line.trim_start().strip_prefix('!')).take(MOST) {
        add_command(&[line.to_owned()], &mut found);
    }
    found
}

/// The commands that a text names which is fed to a program of which it is not known what it makes of that.
pub(in crate::shell) fn commands_in_input(text: &str) -> Vec<Vec<Word>> {
    let mut found = quoted_commands(text);
    let lines = lines_of_code(text).into_iter().chain(embedded_commands(text));
    for (at, line) in lines.chain(text.lines().map(str::to_owned)).enumerate() {
        if at == MOST || found.len() > MOST {
            found.push(any_command());
            break;
        }
        add_command(&[line], &mut found);
    }
    found
}

fn is_no_name(c: char) -> bool {
    !(c.is_alphanumeric() || matches!(c, '_' | '$'))
}

/// The name that a text is an argument of, or behind: with nothing but brackets and the like between them.
fn last_name(before: &str) -> Option<&str> {
    let between = |c: char| c.is_whitespace() || matches!(c, '(' | '[' | '{' | '*' | '.');
    before.trim_end_matches(between).rsplit(is_no_name).next()
}

fn is_starting(name: Option<&str>) -> bool {
    let name = name.unwrap_or_default().to_ascii_lowercase();
    STARTING.iter().any(|part| name.contains(part))
}

/// A command of which nothing is known.
fn any_command() -> Vec<Word> {
    vec![Word::Open(OpenWord { text: "…".to_owned(), pieces: vec![None], ..OpenWord::default() })]
}

/// `qw(touch x)`, `%w[touch x]`: what stands between the marks.
fn word_list(from: &str) -> Option<&str> {
    let behind = ["qw", "%w", "%W"].iter().find_map(|mark| from.strip_prefix(mark))?.trim_start();
    let open = behind.chars().next().filter(|c| c.is_ascii_punctuation())?;
    let close = match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    };
    let inner = behind.get(open.len_utf8()..)?;
    inner.get(..inner.find(close)?)
}

/// The text between quotes that `from` begins with, and those that follow it as in a list; and what stands behind them.
fn texts_from(from: &str) -> (Vec<String>, &str) {
    let mut texts = Vec::new();
    let mut rest = from;
    while texts.len() < WORDS {
        let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`')) else { break };
        let Some((text, behind)) = read_quoted_text(rest.get(1..).unwrap_or_default(), quote) else { break };
        texts.push(text);
        let between = |c: char| c.is_whitespace() || matches!(c, ',' | '[' | '(' | '{' | ']' | ')' | '}');
        rest = behind.trim_start_matches(between);
    }
    (texts, rest)
}

/// The command that these texts are, if the first of them begins with what may be the name of one.
fn add_command(texts: &[String], found: &mut Vec<Vec<Word>>) {
    let Some((first, others)) = texts.split_first() else { return };
    let line =
        first.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '!' | '|' | '~' | '@' | '$'));
    let line = line.get(..line.find('\n').unwrap_or(line.len())).unwrap_or_default();
    let words = split_words(line).unwrap_or_else(|| line.split_whitespace().map(str::to_owned).collect());
    let named = words.first().is_some_and(|name| {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+');
        name.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '/')) && name.chars().all(plain)
    });
    let words: Vec<Word> =
        words.into_iter().chain(others.iter().cloned()).take(WORDS).map(Word::Literal).collect();
    if named && found.len() <= MOST && !found.contains(&words) {
        found.push(words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(commands: Vec<Vec<Word>>) -> Vec<String> {
        commands.iter().map(crate::shell::join_word_texts).collect()
    }

    /// D1.18: however a language starts a program, the text that begins with its name is found.
    #[test]
    fn given_a_text_that_begins_with_a_command_then_it_is_a_guess() {
        for code in [
            "system qw(touch x)",
            "system *%w[touch x]",
            "System.cmd(\"touch\",[\"x\"])",
            "system2(\"touch\",\"x\")",
            "await Bun.$`touch x`",
            "[\"touch\",\"x\"].execute()",
            "!touch x",
            "# it's\nrun 'touch x'",
        ] {
            let found = told(quoted_commands(code));
            assert!(found.iter().any(|line| line == "touch x"), "{code}: {found:?}");
        }
        for code in
            ["print(\"touch x\")", "open(\"a\").write(\"touch x\")", "run([\"git\", \"-m\", \"touch x\"])"]
        {
            assert!(!told(quoted_commands(code)).contains(&"touch x".to_owned()), "{code}");
        }
        let found = told(commands_in_input(".sy touch x\n"));
        assert!(found.iter().any(|line| line == "touch x"), "{found:?}");
    }

    #[test]
    fn given_more_texts_than_are_looked_at_then_any_command_is_a_guess() {
        let many = "run('')\nrun('a')\n".repeat(MOST);
        assert!(quoted_commands(&many).iter().any(|words| matches!(words.as_slice(), [Word::Open(_)])));
        assert!(!quoted_commands("p('a b')").iter().any(|words| matches!(words.as_slice(), [Word::Open(_)])));
    }
}
