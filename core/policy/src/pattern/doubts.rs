//! Patterns that are in order, and can't match what whoever wrote them surely meant (D3.27): they are told how to write it.

use super::{Matcher, Pattern, PatternBases, shell};
use crate::Effect;
use mayi_call::shell::{is_sub_command, judged_words, needs_operands, quote_word, split_words};

/// Why a pattern is doubtful.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// What it is about instead, as a clause behind the pattern's text.
    pub why: String,
    /// The pattern that says what was meant.
    pub instead: String,
}

impl Pattern {
    /// What is doubtful about a rule of this pattern with this effect.
    #[must_use]
    pub fn doubt(&self, effect: Effect) -> Option<Doubt> {
        let doubt = |why: &str, instead: String| Some(Doubt { why: why.to_owned(), instead });
        match &self.matcher {
            Matcher::Shell(pattern) => {
                if let Some(folder) = pattern.literal_program().filter(|name| name.ends_with('/')) {
                    let rest = self.text.split_once(folder).map_or("", |(_, rest)| rest);
                    return doubt(
                        "names a folder, which no command is called",
                        format!("shell({folder}*{rest}"),
                    );
                }
                if let Some(instead) = self.without_expression().filter(|_| !pattern.has_operators()) {
                    return doubt(
                        "names a program by a regular expression, which stands between two `/`",
                        instead,
                    );
                }
                if let Some(instead) = self.as_judged().filter(|_| effect == Effect::Allow) {
                    let why = "is, in an allow, about nothing: what only changes how a command runs is taken off it first";
                    return doubt(why, instead);
                }
                if let Some(instead) = self.prefix_in_other_words() {
                    return doubt("has a `:` in its last word, as commands have none there", instead);
                }
                if effect == Effect::Allow && pattern.has_glued_star() {
                    let why = "is, in an allow, about one word: the last `*` stays within it, so there can be no further ones";
                    return self.further_words().and_then(|instead| doubt(why, instead));
                }
                // A line of more than its program's name is one that people ask about or deny as it stands (`npm install`).
                let words = pattern.literal_words()?;
                let [program] = words.as_slice() else { return None };
                let meant = effect != Effect::Allow || needs_operands(program);
                let more = format!("{} *)", self.text.strip_suffix(')')?);
                meant.then(|| doubt("is about the command without any further word", more)).flatten()
            }
            Matcher::Tool(_) => {
                let name = self.text.strip_prefix("tool(mcp__")?.strip_suffix(')')?;
                let (server, tool) = name.split_once("__").unwrap_or((name, "*"));
                doubt("is never about a tool of an MCP server", format!("mcp({server}/{tool})"))
            }
            Matcher::Mcp(_) => {
                let name = self.text.strip_prefix("mcp(mcp__")?.strip_suffix(')')?;
                let (server, tool) = name.split_once("__").unwrap_or((name, "*"));
                doubt("is about a server of that whole name", format!("mcp({server}/{tool})"))
            }
            _ => None,
        }
    }

    /// Its words, if it is one of words.
    fn shell_words(&self) -> Option<Vec<String>> {
        let argument = self.text.strip_prefix("shell(")?.strip_suffix(')')?;
        split_words(argument).filter(|words| !words.is_empty() && shell::regex_source(argument).is_none())
    }

    /// The same about what is left of such a command when it is judged, if a program is named then.
    fn as_judged(&self) -> Option<String> {
        let words = judged_words(&self.shell_words()?)?;
        let needs_quotes = |word: &String| word.contains([' ', '\t', '\'', '"', '\\']) || word.is_empty();
        let quoted = |word: &String| if needs_quotes(word) { quote_word(word) } else { word.clone() };
        let named = words.first().is_some_and(|word| !word.contains('*'));
        named.then(|| format!("shell({})", words.iter().map(quoted).collect::<Vec<_>>().join(" ")))
    }

    /// What says the same as `(git|npm) *` or `^git`, which no program is called.
    fn without_expression(&self) -> Option<String> {
        let mut words = self.shell_words()?;
        if words.last().is_some_and(|word| word == "*") {
            words.pop();
        }
        let first = words.first_mut()?;
        if !first.starts_with(['^', '(']) && !first.contains('|') {
            return None;
        }
        let bare = first.trim_start_matches('^');
        *first =
            if bare.contains('|') && !bare.starts_with('(') { format!("({bare})") } else { bare.to_owned() };
        let words = words.join(" ");
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '_' | '-' | '.' | ' ');
        if words.chars().all(plain) && !words.is_empty() {
            return Some(format!("shell({words} *)"));
        }
        let instead = format!("shell(/^{words}( .*)?$/)");
        let compiles = !words.contains('*') && Self::parse(&instead, &PatternBases::default()).is_ok();
        compiles.then_some(instead)
    }

    /// `touch:*`, as others write "the command and any further words": where no such word is the name of anything. Behind a
    /// program that is not known, or before scripts of a project (`npm run build:*`), it may be one.
    fn prefix_in_other_words(&self) -> Option<String> {
        let before = self.text.strip_prefix("shell(")?.strip_suffix(":*)")?;
        let words: Vec<&str> = before.split_whitespace().collect();
        let plain = !before.contains(['*', '\'', '"', '\\']);
        (plain && (words.len() == 1 || is_sub_command(&words))).then(|| format!("shell({before} *)"))
    }

    /// The same with further words, if its last word ends in `*` and may be a command.
    fn further_words(&self) -> Option<String> {
        let before = self.text.strip_suffix("*)")?;
        // `make -j*` and `go env GO*` mean what they say.
        let word = before.rsplit([' ', '(']).next().unwrap_or_default();
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | ':');
        let command = word.starts_with(|c: char| c.is_ascii_lowercase()) && word.chars().all(plain);
        command.then(|| format!("{} *)", before.trim_end_matches(':')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::PatternBases;

    fn instead(effect: Effect, text: &str) -> Option<String> {
        Pattern::parse(text, &PatternBases::default()).unwrap().doubt(effect).map(|doubt| doubt.instead)
    }

    /// D3.27; attack 732.
    #[test]
    fn given_a_rule_that_cannot_match_what_was_meant_then_it_is_said_what_to_write() {
        for (text, meant) in [
            ("shell(touch:*)", "shell(touch *)"),
            ("shell(git push:*)", "shell(git push *)"),
            ("shell(git stash:*)", "shell(git stash *)"),
            ("shell(curl)", "shell(curl *)"),
            ("shell(rm)", "shell(rm *)"),
            ("shell(scripts/ *)", "shell(scripts/* *)"),
            ("shell(./bin/)", "shell(./bin/*)"),
            ("tool(mcp__github__delete_repo)", "mcp(github/delete_repo)"),
            ("mcp(mcp__github__delete_repo)", "mcp(github/delete_repo)"),
            ("mcp(mcp__github)", "mcp(github/*)"),
        ] {
            assert_eq!(instead(Effect::Deny, text).as_deref(), Some(meant), "{text}");
            assert_eq!(instead(Effect::Ask, text).as_deref(), Some(meant), "{text}");
        }
        for (text, meant) in [
            ("shell(touch:*)", "shell(touch *)"),
            ("shell(curl)", "shell(curl *)"),
            ("shell(rm)", "shell(rm *)"),
            ("shell(x/ *)", "shell(x/* *)"),
            ("shell(touch*)", "shell(touch *)"),
            ("shell(git push*)", "shell(git push *)"),
            ("shell(timeout 5 make *)", "shell(make *)"),
            ("shell(time make)", "shell(make)"),
            ("shell(NODE_ENV=test npm test)", "shell(npm test)"),
            ("shell(bash -lc make)", "shell(make)"),
            ("shell(bash -c 'git commit -m \"a b\"')", "shell(git commit -m 'a b')"),
            ("shell((git|npm) *)", "shell(/^(git|npm)( .*)?$/)"),
            ("shell(^git)", "shell(git *)"),
            ("shell(^git push *)", "shell(git push *)"),
        ] {
            assert_eq!(instead(Effect::Allow, text).as_deref(), Some(meant), "{text}");
        }
    }

    #[test]
    fn given_a_rule_that_means_what_it_says_then_nothing_is_said() {
        for text in [
            "shell(touch *)",
            "shell(git push *)",
            "shell(git push)",
            "shell(npm install)",
            "shell(git status -s)",
            "shell(rm -rf *)",
            "shell(/usr/bin/env python3 *)",
            "shell(./x.sh a)",
            "shell(/touch:.*/)",
            "read(src/)",
            "mcp(github/*)",
            "tool(Task)",
        ] {
            for effect in [Effect::Allow, Effect::Ask, Effect::Deny] {
                assert_eq!(instead(effect, text), None, "{effect} {text}");
            }
        }
        for text in [
            "shell(make)",
            "shell(ls)",
            "shell(git status)",
            "shell(true)",
            "shell(pytest)",
            "shell(ls *.rs)",
            "shell(timeout *)",
            "shell(FOO=bar make)",
            "shell(sudo make)",
        ] {
            assert_eq!(instead(Effect::Allow, text), None, "{text}");
        }
        assert_eq!(instead(Effect::Deny, "shell(touch*)"), None);
        assert_eq!(instead(Effect::Deny, "shell(timeout 5 make *)"), None, "denials see it");
        assert_eq!(instead(Effect::Deny, "shell(npm run build:*)"), None, "a script may be called so");
    }
}
