//! Redirections: files that are read and written, and what is fed to a command.

use std::path::Path;

use brush_parser::ast::{
    IoFileRedirectKind as Kind, IoFileRedirectTarget as Target, IoRedirect, RedirectList,
};

use super::Walker;
use super::refusals::{end_of_a_group_behind, glued_substitution, word_behind_a_dash};
use crate::shell::expand::{WordContext, heredoc_literal};
use crate::shell::line_error::{LineError, Result};
use crate::shell::{GapContent, OpenPath, Reach, Touch, TouchedPath, Use, Word, program};
use crate::{Access, PathAccess, WriteKind};

/// As many links that a glob gives are looked at: a redirection has one target.
const MOST_LINKS: usize = 64;

/// What a command's own redirections give it to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Feed {
    /// Nothing.
    #[default]
    Nothing,
    /// Something.
    Unknown,
    /// What this file holds.
    File(PathAccess),
    /// This text.
    Text(String),
}

impl Walker<'_> {
    /// Walks a command with redirections around it.
    pub(super) fn walk_redirected(
        &mut self,
        redirects: Option<&RedirectList>,
        walk: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let there = self.place.compound_command();
        let mut own = false;
        let (left, walked) = self.walk_with_state(there, |walker| {
            for redirect in redirects.iter().flat_map(|list| &list.0) {
                let feed = walker.walk_redirection(redirect)?;
                own |= feed != Feed::Nothing;
                walker.place.input.receive_feed(feed, &mut walker.noted.offered);
            }
            if std::mem::take(&mut walker.noted.secret) {
                walker.note_caveat(false, "its input may be a secret that the environment holds".to_owned());
            }
            walker.push_keyword_notes("{");
            walk(walker)
        });
        self.place.after_compound(left, own);
        walked
    }

    /// One redirection; what it feeds to the command.
    pub(super) fn walk_redirection(&mut self, redirect: &IoRedirect) -> Result<Feed> {
        if self.may_be_zsh() {
            end_of_a_group_behind(redirect)?;
        }
        let input = |fd: &Option<i32>| fd.is_none_or(|fd| fd == 0);
        match redirect {
            // To a POSIX shell the number is a word of the command.
            IoRedirect::File(Some(10..), ..) if self.is_posix() => {
                Err(LineError::new("a descriptor of two digits"))
            }
            IoRedirect::File(fd, kind, target) => {
                let found = self.out.len();
                let offered = self.noted.offered.len();
                self.walk_file_redirection(kind, target)?;
                let reads = matches!(kind, Kind::Read | Kind::ReadAndWrite | Kind::DuplicateInput);
                if !reads || !input(fd) {
                    let texts = self.noted.offered.get(offered..).unwrap_or_default();
                    let texts = texts.iter().filter(|_| reads).cloned();
                    self.place.open_inputs(|opened| opened.add_descriptor_texts(texts));
                    return Ok(Feed::Nothing);
                }
                if matches!(target, Target::Duplicate(_) | Target::Fd(_)) {
                    self.noted.offered.extend_from_slice(self.place.opened_inputs().descriptor_texts());
                }
                let nothing =
                    |target: &Target| matches!(target, Target::Filename(word) if word.value == "/dev/null");
                Ok(match (kind, self.out.accesses_since(found).first()) {
                    (Kind::Read, _) if nothing(target) => Feed::Text(String::new()),
                    (Kind::Read, Some(Access::Read(path))) if matches!(target, Target::Filename(_)) => {
                        Feed::File(path.clone())
                    }
                    _ => Feed::Unknown,
                })
            }
            IoRedirect::OutputAndError(word, _) => {
                self.target_of_zsh(&Kind::Write, &word.value);
                for word in self.redirection_targets(&word.value)? {
                    self.add_redirected_file(&word, false, true);
                }
                Ok(Feed::Nothing)
            }
            IoRedirect::HereString(fd, word) => {
                let raw = &word.value;
                let word = self.expand_word(raw, WordContext::Alone)?;
                if word.literal().is_none() && (raw.contains("$(") || raw.contains('`')) {
                    self.note_caveat(false, format!("it reads what a command writes: {raw}"));
                }
                self.note_fed_secret(&word);
                // `3<<<x` is nothing that is on standard input.
                if !input(fd) {
                    let text = word.literal().map(str::to_owned);
                    self.place.open_inputs(|opened| opened.add_descriptor_texts(text));
                    return Ok(Feed::Nothing);
                }
                Ok(text_feed(word, "\n"))
            }
            // After another here-document, the parser takes a word of digits for a descriptor, space or not.
            IoRedirect::HereDocument(Some(_), _) => {
                Err(LineError::new("a here-document for a descriptor with a number"))
            }
            IoRedirect::HereDocument(None, document) => {
                let word = heredoc_literal(self, document)?;
                self.note_fed_secret(&word);
                Ok(text_feed(word, ""))
            }
        }
    }

    /// What the environment holds is as good on a command's input as among its words.
    fn note_fed_secret(&mut self, word: &Word) {
        self.noted.secret |= matches!(word, Word::Open(open) if open.held < GapContent::Printed);
    }

    fn walk_file_redirection(&mut self, kind: &Kind, target: &Target) -> Result<()> {
        let (reads, writes) = match kind {
            Kind::Read | Kind::DuplicateInput => (true, false),
            Kind::Write | Kind::Append | Kind::Clobber | Kind::DuplicateOutput => (false, true),
            Kind::ReadAndWrite => (true, true),
        };
        match target {
            Target::Fd(_) => Ok(()),
            Target::ProcessSubstitution(_, inner) => {
                glued_substitution(inner, self.current_text())?;
                self.out.kept |= writes;
                self.walk_process_substitution(inner)
            }
            Target::Filename(word) => {
                self.target_of_zsh(kind, &word.value);
                for word in self.redirection_targets(&word.value)? {
                    self.add_redirected_file(&word, reads, writes);
                }
                Ok(())
            }
            Target::Duplicate(word) if is_descriptor(&word.value) => {
                // `>&1-` moves a descriptor, and zsh opens a file of that name.
                if word.value.len() > 1 && word.value.ends_with('-') && self.may_be_zsh() {
                    self.note_caveat(true, format!("zsh reads the redirection to {} otherwise", word.value));
                }
                Ok(())
            }
            Target::Duplicate(word) => {
                self.target_of_zsh(&Kind::Write, &word.value);
                word_behind_a_dash(&word.value)?;
                // bash expands such a word a second time, after its quotes are gone.
                let plain = |text: &str| {
                    text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_./+:,@%=-".contains(&b))
                };
                for word in self.redirection_targets(&word.value)? {
                    match word.literal() {
                        Some(text) if is_descriptor(text) => continue,
                        Some(text) if plain(text) => {}
                        _ => {
                            let reason =
                                format!("a redirection whose target is expanded twice: {}", word.text());
                            self.note_caveat(true, reason);
                        }
                    }
                    self.add_redirected_file(&word, reads, writes);
                }
                Ok(())
            }
        }
    }

    /// `>!file` opens `walk_file_redirection` in zsh, and `<1-3>` is a glob of numbers there.
    fn target_of_zsh(&mut self, kind: &Kind, raw: &str) {
        let range = |raw: &str| raw.contains('-') && raw.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        let other = match kind {
            Kind::Read => range(raw),
            Kind::Write | Kind::Append | Kind::Clobber => raw.starts_with('!'),
            _ => false,
        };
        if other && self.may_be_zsh() {
            self.note_caveat(true, format!("zsh reads the redirection to {raw} otherwise"));
        }
    }

    /// What a command reads that has been given `before` and is given `feed` now. bash takes the last; zsh joins them, and
    /// what a pipe gives too.
    pub(super) fn joined_feed(&mut self, before: Feed, feed: Feed) -> Feed {
        if !self.may_be_zsh() || before == Feed::Nothing && !self.place.input.piped {
            return feed;
        }
        self.noted.offered.extend_from_slice(&self.place.input.texts);
        for feed in [before, feed] {
            if let Feed::Text(text) = feed {
                self.noted.offered.push(text);
            }
        }
        Feed::Unknown
    }

    /// The files that a redirection is about: one, or, to zsh alone, several. To a POSIX shell, braces are the file's
    /// own name.
    fn redirection_targets(&mut self, raw: &str) -> Result<Vec<Word>> {
        let mut words = self.expand_words(raw, WordContext::Command)?;
        self.touch_extended_targets();
        if words.len() != 1 {
            self.note_caveat(self.may_be_zsh(), format!("a redirection to several files: {raw}"));
            words.push(self.expand_word(raw, WordContext::Value)?);
        }
        Ok(words)
    }

    /// A file that is opened.
    fn add_redirected_file(&mut self, word: &Word, reads: bool, writes: bool) {
        self.out.kept |= writes && word.literal() != Some("/dev/null");
        let uses = [(reads, Use::Read), (writes, Use::Write(WriteKind::Write))];
        let uses = uses.into_iter().filter_map(|(used, how)| used.then_some(how));
        let Some(text) = word.literal() else {
            // What is written outside of the session's folders is always asked about, also where only its folder is known.
            let outside = |folder: &Path| !self.at.roots.is_empty() && !self.is_inside(folder);
            let folder = &self.place.folder;
            let always = writes
                && (folder.known_path().is_some_and(outside)
                    || folder.candidates().iter().any(|at| outside(at)));
            self.note_caveat(always, format!("a redirection to a file that is not known: {}", word.text()));
            if writes {
                self.add_written_file(word);
            }
            for how in uses {
                self.open_touch(word, how);
                self.touch_variants(word, how);
            }
            return;
        };
        if text == "/dev/null" || writes && !reads && self.is_own_output(text) {
            return;
        }
        if writes {
            self.add_written_file(&Word::from(text));
        }
        let net = text.trim_start_matches('/').to_ascii_lowercase();
        if text.starts_with('/') && (net.starts_with("dev/tcp/") || net.starts_with("dev/udp/")) {
            self.note_caveat(true, format!("a redirection that opens a connection: {text}"));
            return;
        }
        let start = match self.place.folder.known_path() {
            Some(folder) => folder.to_owned(),
            None if text.starts_with('/') => "/".into(),
            None => {
                self.note_caveat(false, format!("a redirection to {text} in a folder that is not known"));
                for how in uses {
                    self.open_touch(word, how);
                    for folder in self.place.folder.candidates() {
                        self.noted
                            .touches
                            .push(Touch::known_path(self.looked.path_access(folder, text), how));
                    }
                }
                return;
            }
        };
        let path = self.looked.path_access(&start, text);
        self.check_redirected_path(&TouchedPath::Known(path.clone()), writes);
        for other in self.stands_for(&path) {
            for how in uses.clone() {
                self.noted.touches.push(Touch::known_path(other.clone(), how));
            }
        }
        if reads {
            self.out.push(Access::Read(path.clone()));
        }
        if writes {
            self.out.push(Access::Write(WriteKind::Write, path));
        }
    }

    /// Whether this is where the command's output or its errors go anyway, as with `>&2`. Linux opens anew what stands behind the
    /// number: a file that was only read there would be written.
    fn is_own_output(&self, text: &str) -> bool {
        const OUTPUTS: &[&str] = &["/dev/stdout", "/dev/stderr", "/dev/fd/1", "/dev/fd/2"];
        OUTPUTS.contains(&text) && [self.line, self.current_text()].into_iter().all(keeps_outputs)
    }

    /// What a word could be as far as the line tells.
    fn touch_variants(&mut self, word: &Word, how: Use) {
        let Word::Open(open) = word else { return };
        for word in open.variant_words() {
            match word.literal().map(|text| self.path_from_here(text)) {
                Some(Some(path)) => {
                    let others = self.stands_for(&path);
                    let all = std::iter::once(path).chain(others);
                    self.noted.touches.extend(all.map(|path| Touch::known_path(path, how)));
                }
                _ => self.open_touch(&word, how),
            }
        }
    }

    /// A path of which only some text is known.
    pub(super) fn open_touch(&mut self, word: &Word, how: Use) {
        let path = match word {
            Word::Literal(text) => OpenPath {
                given: word.text(),
                pieces: vec![None, Some(text.clone())],
                slashes: true,
                stays_below: false,
                looked_up: false,
            },
            Word::Open(open) => program::open_path_of(open, self.place.folder.known_path(), &self.looked),
        };
        match program::linked_matches(&path, &self.looked) {
            Some(links) => {
                for link in links.iter().filter_map(|link| link.to_str()).take(MOST_LINKS) {
                    self.noted.touches.push(Touch::known_path(PathAccess::new(Path::new("/"), link), how));
                }
            }
            None => self.note_caveat(true, format!("more names than can be looked at: {}", path.given)),
        }
        let path = TouchedPath::Open(path);
        self.check_redirected_path(&path, matches!(how, Use::Write(_)));
        self.noted.touches.push(Touch { path, how, reach: Reach::Itself });
    }
}

/// Whether nothing in a line could put what it reads in the place of its output: no `2<file`, no `1>&3`, and no other text that
/// runs, in which such could be hidden.
fn keeps_outputs(line: &str) -> bool {
    // A number stands right before its sign, also where the line is continued between them.
    let joined = line.replace("\\\n", "");
    let plain = joined.replace(['\\', '\'', '"'], "");
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let runs = plain.split(|c: char| !is_part(c)).any(|word| matches!(word, "eval" | "trap"));
    let plain_input = |at: usize| {
        let before = joined.get(..at).unwrap_or_default();
        !before.ends_with(|c: char| c.is_ascii_digit() || matches!(c, '}' | '"' | '\'' | '\\'))
    };
    let own = |at: usize| {
        let behind = joined.get(at + 2..).unwrap_or_default();
        let mut of = behind.chars();
        matches!(of.next(), Some('1' | '2')) && of.next().is_none_or(|c| !c.is_ascii_digit() && c != '-')
    };
    !runs
        && !line.contains("$'")
        && joined.match_indices('<').all(|(at, _)| plain_input(at))
        && joined.match_indices(">&").all(|(at, _)| own(at))
}

/// `2`, `-`, `2-`: no file.
fn is_descriptor(text: &str) -> bool {
    let digits = text.strip_suffix('-').unwrap_or(text);
    !text.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

fn text_feed(word: Word, end: &str) -> Feed {
    match word {
        Word::Literal(text) => Feed::Text(text + end),
        Word::Open(_) => Feed::Unknown,
    }
}
