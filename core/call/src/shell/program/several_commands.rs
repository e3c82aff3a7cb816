//! Programs whose words are several commands, parted by words that are a `;`: `tmux start \; run LINE`.

use super::InnerCommand;
use super::analyzer::CommandAnalyzer;
use crate::shell::Word;

/// As many commands of one program are told apart.
const MOST: usize = 64;

/// The lines in a format of tmux: each up to the parenthesis that closes it.
fn lines_in_format(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("#(").take(MOST).map(|(at, mark)| {
        let rest = text.get(at + mark.len()..).unwrap_or_default();
        let mut depth = 1_usize;
        let end = rest.find(|c| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    })
}

impl CommandAnalyzer<'_> {
    /// Takes each command behind a `;` for one of its own, with the program's name before it; whether there are some.
    pub(super) fn add_separate_commands(&mut self, at: usize) -> bool {
        let words = self.words;
        let Some((program, own)) = words.get(at..).and_then(<[Word]>::split_first) else { return false };
        let mut commands: Vec<Vec<Word>> = vec![Vec::new()];
        for word in own {
            // `kill\;` ends a command too; `\\;` is a semicolon.
            let ended = word.literal().and_then(|text| text.strip_suffix(';'));
            let ended = ended.filter(|text| !text.ends_with('\\'));
            let rest =
                ended.map_or_else(|| Some(word.clone()), |text| (!text.is_empty()).then(|| text.into()));
            if let Some(command) = commands.last_mut() {
                command.extend(rest);
            }
            if ended.is_some() {
                commands.push(Vec::new());
            }
        }
        // `-F '#(LINE)'`: a format may hold lines.
        for word in own {
            let lines: Vec<Word> = match word {
                Word::Literal(text) => lines_in_format(text).map(Word::from).collect(),
                Word::Open(open) if open.pieces.iter().flatten().any(|piece| piece.contains("#(")) => {
                    vec![Word::Open(open.clone())]
                }
                Word::Open(_) => Vec::new(),
            };
            self.reader &= lines.is_empty();
            self.known.inner.extend(lines.into_iter().map(InnerCommand::Line));
        }
        // A text may hold commands of the program too: `tmux if true 'run LINE'`.
        for text in own.iter().filter_map(Word::literal).filter(|text| text.trim().contains(' ')) {
            let line = format!("{} {text}", program.text());
            for line in [line, text.to_owned()] {
                if !self.known.prose.contains(&line) {
                    self.known.prose.push(line);
                }
            }
        }
        commands.retain(|command| !command.is_empty());
        if commands.len() < 2
            && !own.iter().any(|word| word.literal().is_some_and(|text| text.ends_with(';')))
        {
            return false;
        }
        self.reader = false;
        if commands.len() > MOST {
            self.add_always_caveat("more commands than can be told apart");
        }
        for command in commands.into_iter().take(MOST) {
            let words = std::iter::once(program.clone()).chain(command).collect();
            self.known.inner.push(InnerCommand::Words(words));
        }
        self.add_all_words(at + 1);
        true
    }
}
