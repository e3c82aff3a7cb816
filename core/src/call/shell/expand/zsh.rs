//! What zsh makes of a word besides what bash does (zshexpn(1)); and what any shell does that somebody types into.

use crate::call::shell::program::begins_a_name;
use crate::call::shell::walk::Walker;

impl Walker<'_> {
    /// Whether zsh reads on behind a parameter that is written `text` without braces: a subscript, which it
    /// evaluates whatever quotes are in it, or a modifier, which gives another value.
    pub(super) fn goes_on_in_zsh(&mut self, text: &str, after: &str) -> bool {
        if text.starts_with("${") {
            return false;
        }
        if after.starts_with('[') {
            self.note(true, format!("zsh evaluates what stands in brackets behind {text}"));
            return true;
        }
        let modifier = after.strip_prefix(':').and_then(|rest| rest.chars().next());
        match modifier {
            // These run until an expression says so, and evaluate it.
            Some('F' | 'W') => {
                self.note(true, format!("zsh evaluates what stands behind {text}"));
                true
            }
            Some(c) => c.is_ascii_alphabetic() || c == '&',
            None => false,
        }
    }

    /// `$=name` splits the value into words, `$~name` takes it for a pattern; to bash, the dollar sign is text.
    /// `after` is what follows on `text`.
    pub(super) fn dollar_of_zsh(&mut self, text: &str, after: &str) {
        if !self.may_be_zsh() || !text.contains('$') {
            return;
        }
        let flag = |at: usize| {
            let behind = text.get(at + 1..).unwrap_or_default().chars().chain(after.chars());
            let mut name = behind.skip_while(|c| matches!(c, '=' | '~' | '^' | '+' | '#'));
            name.next().is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '{'))
        };
        if text.match_indices('$').any(|(at, _)| flag(at)) {
            self.note(true, format!("zsh expands {text}"));
        }
    }

    /// `!!` and `!git` are earlier lines, in a shell that is typed into: such a one counts where nothing is known of
    /// the shell. `after` is what follows on `text`.
    pub(super) fn history(&mut self, text: &str, after: &str) {
        if !self.may_be_typed() || !text.contains('!') {
            return;
        }
        let event = |at: usize| {
            let mut behind = text.get(at + 1..).unwrap_or_default().chars().chain(after.chars());
            match behind.next() {
                Some('!' | '#' | '?' | '$' | '*' | '^' | '0'..='9') => true,
                Some('-') => behind.next().is_some_and(|c| c.is_ascii_digit()),
                Some(c) if c.is_ascii_alphabetic() => {
                    let rest = behind.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
                    begins_a_name(&std::iter::once(c).chain(rest).collect::<String>())
                }
                _ => false,
            }
        };
        if text.match_indices('!').any(|(at, _)| event(at)) {
            self.note(true, format!("a shell that is typed into puts earlier lines in for {text}"));
        }
    }
}
