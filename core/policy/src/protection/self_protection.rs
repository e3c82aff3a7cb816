//! Commands that would change mayi itself, or answer for the person.

use super::table::OWN_COMMANDS;
use crate::fold::fold_text;
use mayi_call::ShellAccess;
use mayi_call::shell::Word;

/// Options of mayi that stand before its command and take a value.
const WITH_VALUE: &[&str] = &["--config", "--cwd", "--color"];

/// Whether `shell` is such a command, wraps one, or holds one in a word that may be run.
pub(super) fn is_own_command(shell: &ShellAccess) -> bool {
    std::iter::once(&shell.words).chain(&shell.outer).any(|words| runs_mayi(words.iter()))
        || command_tails(shell).any(|words| runs_mayi(words.iter()))
        || shell.candidates.iter().any(|words| {
            let words: Vec<Word> = words.iter().cloned().map(Word::Literal).collect();
            (0..words.len()).any(|from| runs_mayi(words.iter().skip(from)))
        })
        || (!shell.understood && mentions_mayi(&shell.line))
        || (!only_reads(shell) && known_texts(shell).any(mentions_mayi))
}

/// Everything that could be a command behind a program that is not known.
fn command_tails(shell: &ShellAccess) -> impl Iterator<Item = &[Word]> {
    shell.tails.iter().flat_map(|words| (0..words.len()).filter_map(|from| words.get(from..)))
}

/// Whether it only reads, and so runs nothing of what it is given, nor hands it on to something that may.
fn only_reads(shell: &ShellAccess) -> bool {
    let speaks = |name: &str| matches!(name, "echo" | "printf" | "cat");
    shell.reader && !shell.words.first().and_then(Word::literal).is_some_and(speaks)
}

/// Every text that it is given, as far as it is known.
fn known_texts(shell: &ShellAccess) -> impl Iterator<Item = &str> {
    let words = shell.words.iter().skip(1).chain(shell.assignments.iter().map(|of| &of.value));
    words.map(|word| match word {
        Word::Literal(text) => text.as_str(),
        Word::Open(open) => open.text.as_str(),
    })
}

/// Whether these words start mayi with one of those commands, or with one that is not known.
fn runs_mayi<'a>(mut words: impl Iterator<Item = &'a Word>) -> bool {
    let named = words.next().and_then(Word::literal).is_some_and(is_mayi);
    if !named {
        return false;
    }
    while let Some(word) = words.next() {
        match word {
            Word::Open(_) => return true,
            Word::Literal(word) if WITH_VALUE.contains(&word.as_str()) => {
                words.next();
            }
            Word::Literal(word) if word.starts_with('-') => {}
            // The record may be read; what it suggests is for the person to apply.
            Word::Literal(word) if fold_text(word) == "log" => return words.any(may_apply),
            // The gateway may be started; what belongs to it is for the person.
            Word::Literal(word) if fold_text(word) == "mcp" => return changes_the_gateway(words),
            // Where hooks are may be asked; events are the harness's, and the rest is for the person.
            Word::Literal(word) if fold_text(word) == "hook" => {
                return words
                    .next()
                    .is_some_and(|word| word.literal().is_none_or(|word| fold_text(word) != "status"));
            }
            Word::Literal(word) => return OWN_COMMANDS.contains(&fold_text(word).as_ref()),
        }
    }
    false
}

/// Whether this is `--apply`, or could be.
fn may_apply(word: &Word) -> bool {
    word.literal().is_none_or(|word| fold_text(word).starts_with("--apply"))
}

/// Whether the words behind `mayi mcp` accept what a server says, put the gateway somewhere, or log in.
fn changes_the_gateway<'a>(words: impl Iterator<Item = &'a Word>) -> bool {
    let mut pins = false;
    for word in words {
        match word {
            Word::Open(_) => return true,
            // What is behind is the command of a server.
            Word::Literal(word) if word == "--" => return false,
            Word::Literal(word) => match fold_text(word).as_ref() {
                "install" | "uninstall" | "login" | "logout" => return true,
                "pins" => pins = true,
                "accept" | "forget" if pins => return true,
                _ => {}
            },
        }
    }
    false
}

fn is_mayi(word: &str) -> bool {
    let folded = fold_text(word);
    let base = folded.rsplit(['/', '\\']).next().unwrap_or(&folded);
    base == "mayi" || base == "mayi.exe"
}

/// Whether a text holds `mayi`, its options if there are any, and one of those commands: it may be a
/// line for a shell, or a program that starts one.
fn mentions_mayi(text: &str) -> bool {
    if !text.contains("mayi") {
        return false;
    }
    // Whatever separates words in a line or in a program's list of them.
    let separates = |c: char| c.is_whitespace() || "'\"`,;|&()[]{}<>$\\".contains(c);
    let words: Vec<Word> = text
        .split(separates)
        .filter(|word| !word.is_empty())
        .map(|word| Word::Literal(word.to_owned()))
        .collect();
    (0..words.len()).any(|from| runs_mayi(words.iter().skip(from)))
}

#[cfg(test)]
mod tests {
    use super::mentions_mayi;

    /// Attacks 2, 123, 366 and 475.
    #[test]
    fn given_a_text_that_would_start_mayi_then_it_is_seen() {
        for text in [
            "mayi inbox approve 1",
            "os.system('mayi inbox approve 1')",
            "subprocess.run([\"mayi\", \"bypass\", \"a\", \"on\"])",
            "x; /usr/bin/mayi -q --cwd / trust",
            "exec(`mayi config edit`)",
            "mayi log suggest --since 2d --apply --yes",
            "mayi mcp pins accept github",
            "mayi -q mcp pins accept github search --yes",
            "[\"mayi\", \"mcp\", \"pins\", \"forget\", \"x\"]",
            "mayi MCP install cursor",
            "mayi mcp uninstall cursor",
            "mayi mcp login docs; mayi mcp logout docs",
            "mayi hook uninstall claude-code --yes",
            "echo x | mayi hook claude-code",
            "mayi hook --worker 7 claude-code",
            "mayi uninstall --yes --purge",
        ] {
            assert!(mentions_mayi(text), "{text}");
        }
        for text in [
            "mayi agents",
            "mayi log --json",
            "mayi log suggest",
            "mayi mcp github",
            "mayi mcp --agent claude -- npx -y install",
            "mayi mcp pins",
            "mayi update --json",
            "mayi hook status",
            "mayi hook",
            "mayi mcp pins diff github",
            "a mayim inbox",
            "the mayi gate",
            "src/mayi/inbox.rs",
            "mayi: inbox",
        ] {
            assert!(!mentions_mayi(text), "{text}");
        }
    }
}
