//! The texts of one call as entries and kept cards have them. What one of them shows to be secret is out of all, and
//! words of commands are redacted before they are quoted: quotes within quotes hide where a secret ends.

use std::borrow::Cow;
use std::path::PathBuf;

use serde_json::Value;

use super::{EntryWriter, LONGEST_TEXT, MOST_ACCESSES};
use crate::record::preview::redact_and_cut;
use crate::record::{CallId, CallRedactor, CallSecrets, Redactor, SecretCollector};
use mayi_call::shell::{Word, quote_word};
use mayi_call::{Access, Call, ShellAccess};
use mayi_policy::Finding;

/// The texts of one call.
pub(super) struct CallTexts<'w> {
    pub(super) within: CallRedactor<'w>,
    /// For lines whose words were looked at one by one.
    of_words: CallRedactor<'w>,
    /// What is run, as findings write it, and without its secrets: where words had to be looked at by themselves.
    commands: Vec<(String, String)>,
}

impl EntryWriter {
    /// The secrets that the texts of `call` show.
    fn secrets_in_call(&self, call: &Call) -> CallSecrets {
        let redactor = &self.redactor;
        let mut told = SecretCollector::new();
        told.add_json(redactor, &call.raw_input);
        told.begin_other_texts();
        for (name, value) in &call.env {
            told.add_variable(redactor, name, value);
        }
        for access in call.accesses.iter().take(MOST_ACCESSES) {
            add_access_secrets(&mut told, redactor, call, access);
        }
        told.add_text(redactor, &call.title);
        for diff in &call.diffs {
            told.add_text(redactor, &diff.new_text);
            diff.old_text.iter().for_each(|text| told.add_text(redactor, text));
            told.add_text(redactor, &diff.path);
        }
        call.notes.iter().for_each(|note| told.add_text(redactor, note));
        call.locations.iter().for_each(|place| told.add_json(redactor, place));
        told.finish()
    }

    /// Whether a pattern that is about `call` holds a secret: also one that only the call's other texts show.
    #[must_use]
    pub fn finds_secret(&self, call: &Call, pattern: &str) -> bool {
        self.redactor.finds_secret(pattern)
            || self.secrets_in_call(call).with_redactor(&self.redactor).finds_secret(pattern)
    }
}

fn add_access_secrets(told: &mut SecretCollector, redactor: &Redactor, call: &Call, access: &Access) {
    match access {
        Access::Shell(shell) => {
            // Most agents send the line itself.
            if call.raw_input.get("command").and_then(Value::as_str) != Some(shell.line.as_str()) {
                told.add_text(redactor, &shell.line);
                told.add_text(redactor, &shell.text());
            }
            for assignment in shell.all_assignments() {
                if let Word::Literal(value) = &assignment.value {
                    told.add_variable(redactor, &assignment.name, value);
                }
            }
            for word in shell.words.iter().filter_map(Word::literal) {
                if let Some((name, value)) = split_assignment(word) {
                    told.add_variable(redactor, name, value);
                } else if has_quotes(word) {
                    told.add_text(redactor, word);
                }
            }
        }
        Access::Mcp(mcp) => {
            if mcp.arguments != call.raw_input {
                told.add_json(redactor, &mcp.arguments);
            }
        }
        _ => told.add_text(redactor, &access.text()),
    }
}

/// Whether a word holds quotes: quoted anew, it is hard to read.
fn has_quotes(word: &str) -> bool {
    word.contains(['\'', '"', '\\', '`'])
}

/// The name and the value in a word such as `--password=x`.
fn split_assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    (!name.contains(char::is_whitespace)).then_some((name, value))
}

impl<'w> CallTexts<'w> {
    pub(super) fn for_call(writer: &'w EntryWriter, call: &Call) -> Self {
        Self::with_secrets(writer, writer.secrets_in_call(call), call)
    }

    /// Those of a call that comes in under the name `id`.
    pub(super) fn for_new_call(writer: &'w EntryWriter, id: CallId, call: &Call) -> Self {
        let secrets = writer.secrets_in_call(call);
        if let Ok(mut last) = writer.last.lock() {
            *last = Some((id, secrets.clone()));
        }
        Self::with_secrets(writer, secrets, call)
    }

    /// Those of a call that came in under the name `id`, and is the same still.
    pub(super) fn for_known_call(writer: &'w EntryWriter, id: CallId, call: &Call) -> Self {
        let last = writer.last.lock().ok().and_then(|last| last.clone());
        let secrets = last.filter(|(of, _)| *of == id).map(|(_, secrets)| secrets);
        Self::with_secrets(writer, secrets.unwrap_or_else(|| writer.secrets_in_call(call)), call)
    }

    fn with_secrets(writer: &'w EntryWriter, secrets: CallSecrets, call: &Call) -> Self {
        let of_words = secrets.certain_only().with_redactor(&writer.redactor);
        let within = secrets.with_redactor(&writer.redactor);
        let apart = |shell: &&ShellAccess| {
            shell.understood
                && (!within.is_empty() || shell.words.iter().filter_map(Word::literal).any(has_quotes))
        };
        let shells = call.accesses.iter().take(MOST_ACCESSES).filter_map(|access| match access {
            Access::Shell(shell) => Some(shell).filter(apart).map(|shell| (access.text(), shell)),
            _ => None,
        });
        let commands = shells.map(|(text, shell)| (text, redact_command(&within, shell))).collect();
        Self { within, of_words, commands }
    }

    /// Any text.
    pub(super) fn redact_text(&self, text: &str) -> String {
        redact_and_cut(&self.within, text, LONGEST_TEXT)
    }

    /// An access, as findings write it.
    pub(super) fn redact_access(&self, text: &str) -> String {
        match self.commands.iter().find(|(of, _)| of == text) {
            Some((_, clean)) => redact_and_cut(&self.of_words, clean, LONGEST_TEXT),
            None => self.redact_text(text),
        }
    }

    /// Everything that `call` would touch, as findings write it.
    pub(super) fn redact_accesses(&self, call: &Call) -> Vec<String> {
        let mut accesses: Vec<String> = call
            .accesses
            .iter()
            .take(MOST_ACCESSES)
            .map(|access| self.redact_access(&access.text()))
            .collect();
        let more = call.accesses.len().saturating_sub(MOST_ACCESSES);
        if more > 0 {
            accesses.push(format!("({more} more)"));
        }
        accesses
    }

    /// What of an access is touched, as cards show it: all of it.
    fn redact_object(&self, access: &Access) -> Option<String> {
        let clean = self.redact_whole(&access.text());
        let inside = clean.strip_prefix(access.selector().as_str())?.strip_prefix('(')?.strip_suffix(')')?;
        Some(inside.to_owned())
    }

    /// An access or another text of a finding, however long.
    fn redact_whole(&self, text: &str) -> String {
        match self.commands.iter().find(|(of, _)| of == text) {
            Some((_, clean)) => self.of_words.redact(clean).into_owned(),
            None => self.within.redact(text).into_owned(),
        }
    }

    pub(super) fn redact_trail(&self, trail: &[Finding]) -> Vec<Finding> {
        let rest = |text: &str| self.within.redact(text).into_owned();
        let clean = |finding: &Finding| Finding {
            access: self.redact_access(&finding.access),
            reason: rest(&finding.reason),
            pattern: finding.pattern.as_deref().map(rest),
            // A name that is no text can't be JSON.
            file: finding.file.as_ref().map(|file| PathBuf::from(rest(&file.to_string_lossy()))),
            ..finding.clone()
        };
        trail.iter().map(clean).collect()
    }

    pub(super) fn redact_all(&self, texts: &[String]) -> Vec<String> {
        texts.iter().map(|text| self.within.redact(text).into_owned()).collect()
    }

    /// One member of a card. Says whether there was anything to hide.
    pub(super) fn redact_member(&self, call: &Call, name: &str, value: &mut Value) -> bool {
        match (name, &mut *value) {
            ("accesses", Value::Array(accesses)) => {
                let mut any = false;
                for (shown, access) in accesses.iter_mut().zip(&call.accesses) {
                    let clean = self.redact_object(access).map(Value::from);
                    if let (Some(display), Some(clean)) = (shown.get_mut("display"), clean) {
                        any |= *display != clean;
                        *display = clean;
                    }
                }
                any
            }
            ("why", Value::Array(findings)) => {
                let mut any = false;
                for part in findings.iter_mut().filter_map(Value::as_object_mut).flatten() {
                    if let ("access" | "reason" | "pattern", Value::String(text)) = (part.0.as_str(), part.1)
                    {
                        let clean = self.redact_whole(text);
                        any |= *text != clean;
                        *text = clean;
                    }
                }
                any
            }
            ("suggestions", Value::Array(suggestions)) => {
                let patterns = suggestions.iter_mut().filter_map(|of| of.get_mut("patterns"));
                let mut any = false;
                for patterns in patterns {
                    any |= self.within.redact_value(patterns);
                }
                any
            }
            ("options", Value::Array(options)) => {
                let mut any = false;
                for option in options.iter_mut().filter_map(Value::as_object_mut) {
                    for (name, said) in option {
                        any |= matches!(name.as_str(), "grants" | "covers") && self.within.redact_value(said);
                    }
                }
                any
            }
            ("toolCall" | "cwd" | "env" | "server" | "tool" | "notShown", value) => {
                self.within.redact_member(name, value)
            }
            (_, value) => self.within.redactor().redact_member(name, value),
        }
    }
}

/// A command whose words have no secrets any more: as [`Access::text`] writes it.
fn redact_command(within: &CallRedactor<'_>, shell: &ShellAccess) -> String {
    let mut words: Vec<String> = Vec::with_capacity(shell.assignments.len() + shell.words.len());
    for assignment in &shell.assignments {
        let value = match &assignment.value {
            Word::Literal(value) => requote_redacted(value, within.redact_variable(&assignment.name, value)),
            Word::Open(open) => within.redact(&open.text).into_owned(),
        };
        words.push(format!("{}={value}", assignment.name));
    }
    for (at, word) in shell.words.iter().enumerate() {
        words.push(match word {
            Word::Literal(text) if at == 0 && split_assignment(text).is_none() => {
                requote_redacted(text, within.redact_program(text))
            }
            Word::Literal(text) => requote_redacted(text, redact_argument(within, text)),
            Word::Open(open) => within.redact(&open.text).into_owned(),
        });
    }
    format!("shell({})", words.join(" "))
}

/// A word behind the command's name, without its secrets: where a name in it says so, all that is behind that.
fn redact_argument<'t>(within: &CallRedactor<'_>, word: &'t str) -> Cow<'t, str> {
    match split_assignment(word).map(|(name, value)| (name, value, within.redact_variable(name, value))) {
        Some((name, value, Cow::Owned(clean))) if value != clean => Cow::Owned(format!("{name}={clean}")),
        _ => within.redact(word),
    }
}

/// A word without its secrets, quoted where it was before.
fn requote_redacted(word: &str, clean: Cow<'_, str>) -> String {
    let plain = quote_word(word);
    match clean {
        Cow::Borrowed(_) => plain,
        Cow::Owned(clean) if plain == word => clean,
        Cow::Owned(clean) if clean.starts_with('«') && clean.ends_with('»') => clean,
        Cow::Owned(clean) => quote_word(&clean),
    }
}
