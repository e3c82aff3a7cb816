//! What the options of a command are about.

use super::Moves;
use super::form::{Form, Meaning};
use super::judge::{Judge, LONGEST_TAIL};
use super::said::Language;
use super::scan::{Found, Scan};
use super::table::{Special, Table};
use super::{Inner, env, name, unpack, variables};
use crate::WriteKind;
use crate::shell::{OpenWord, Reach, Use, Word, split};

impl Judge<'_> {
    /// The program that the word at `place` is an option of a sub-command of.
    fn own_name(&self, place: usize) -> &str {
        let before = self.words.get(..place).unwrap_or_default().iter().rev().filter_map(Word::literal);
        let has_subs =
            |name: &&str| Table::get().program(name::base(name)).is_some_and(|program| program.has_subs);
        before.into_iter().find(has_subs).unwrap_or_default()
    }

    /// All the options of a scan, and words that could be one.
    pub(super) fn options(&mut self, form: &Form, scan: &Scan<'_>) {
        let first = scan.operands.first();
        for found in &scan.options {
            self.option(found);
            // Where options end at the first operand, this is an operand too.
            if found.known.meaning == Meaning::Pattern && first.is_some_and(|first| found.place > *first) {
                found.value.iter().filter_map(|value| value.text).for_each(|text| self.places.text(text));
            }
        }
        for found in &scan.swallowed {
            self.option(found);
            self.swallowed(found);
        }
        if !scan.unknown.is_empty() {
            self.reader = false;
            self.understood = false;
        }
        let names = || form.options.values().any(|known| known.meaning == Meaning::Names);
        if scan.has(Meaning::Names) || !scan.perhaps.is_empty() && names() {
            let reads = form.reader && form.special != Some(Special::Tar);
            self.named_elsewhere("what a list names", if reads { Use::Read } else { Use::Either });
        }
        if form.dangers {
            for place in &scan.perhaps {
                self.caveat("a word that could be an option which does more", vec![*place]);
            }
        }
    }

    /// An option in the place of a value: what it may do is asked about, where it would be plain otherwise.
    fn swallowed(&mut self, found: &Found<'_>) {
        let target = found.value.as_ref().and_then(|value| value.text);
        match found.known.meaning {
            Meaning::Target => target.into_iter().for_each(|text| self.write(WriteKind::Write, text)),
            Meaning::Edits | Meaning::Line | Meaning::OwnLine => {}
            _ => return,
        }
        let mut named = vec![found.place];
        named.extend(found.value.as_ref().map(|value| value.place).filter(|place| *place != found.place));
        self.caveat("a value that could be an option which does more", named);
    }

    /// The address that an option has for its value.
    fn address_of(&mut self, text: Option<&str>, word: Option<&Word>) {
        match (text, word) {
            (Some(text), _) => self.places.host(text),
            (None, Some(Word::Open(open))) => self.places.open_address(open, true),
            _ => {}
        }
    }

    pub(super) fn option(&mut self, found: &Found<'_>) {
        let value = found.value.as_ref();
        let text = value.and_then(|value| value.text);
        let mut named = vec![found.place];
        named.extend(value.map(|value| value.place).filter(|place| *place != found.place));
        let word = value.and_then(|value| self.words.get(value.place));
        let about = |what: &str| format!("the option {} {what}", found.name);
        if matches!(found.known.meaning, Meaning::Loads | Meaning::Url)
            && text.is_some_and(|text| matches!(text, "-" | "@-" | "/dev/stdin"))
        {
            self.known.reads_text = Language::Commands;
            self.known.reads_addresses = true;
        }
        match found.known.meaning {
            Meaning::Harmless => {
                if let Some(text) = text {
                    self.places.text(text);
                }
                return;
            }
            Meaning::Pattern | Meaning::Query => return,
            Meaning::Url => {
                self.reader = false;
                self.address_of(text, word);
                let file = text.and_then(|text| text.strip_prefix('@'));
                if let Some(file) = file {
                    self.places.path(file, Use::Read, Reach::Itself);
                }
                if text.is_none() || file.is_some() {
                    self.caveat(&about("takes addresses from a file"), named);
                }
                return;
            }
            Meaning::Proxy => {
                self.address_of(text, word);
                self.caveat(&about("goes through another machine"), named);
            }
            Meaning::Reads => {
                if let Some(text) = text {
                    self.places.path(text, Use::Read, Reach::Itself);
                    // `--from-file=NAME=FILE`
                    self.places.held(text, Use::Read, Reach::Itself);
                } else if let Some(Word::Open(open)) = word {
                    self.places.open(open, Use::Either, Reach::Itself);
                }
                return;
            }
            Meaning::Names => {
                match (text, word) {
                    (Some(text), _) => self.places.path(text, Use::Read, Reach::Itself),
                    (None, Some(Word::Open(open))) => self.places.open(open, Use::Read, Reach::Itself),
                    _ => {}
                }
                return self.caveat(&about("names files in another file or on its input"), named);
            }
            Meaning::Writes | Meaning::Outputs | Meaning::Prints => {
                self.reader = false;
                // What is thrown away, or printed, is written nowhere.
                let printed = found.known.meaning == Meaning::Prints && text == Some("-");
                if printed || text == Some("/dev/null") {
                    return;
                }
                match (text, word) {
                    (Some(text), _) => self.write(WriteKind::Write, text),
                    (None, Some(Word::Open(open))) => {
                        self.places.open(open, Use::Write(WriteKind::Write), Reach::Itself);
                        self.caveat(&about("writes a file that is not known"), named.clone());
                    }
                    _ => {}
                }
                if found.known.meaning == Meaning::Writes {
                    return;
                }
                if let Some(text) = text.filter(|text| text.starts_with(['|', '!'])) {
                    self.value(&Word::from(text));
                }
                self.caveat(&about("writes a file"), named);
            }
            Meaning::Edits => {
                self.reader = false;
                // `sed -i'copies/*'`: the value is the end of the copy's name, or where the copy goes.
                if let Some((folder, _)) = text.and_then(|text| text.rsplit_once('/')) {
                    self.places.path(folder, Use::Write(WriteKind::Write), Reach::All);
                    self.caveat(&about("keeps a copy in another place"), named);
                } else if let (Some(_), None, Some(Word::Open(open))) = (value, text, word) {
                    self.places.open(open, Use::Write(WriteKind::Write), Reach::All);
                    self.caveat(&about("keeps a copy in a place that is not known"), named);
                }
                return;
            }
            Meaning::Target => {
                self.reader = false;
                return;
            }
            Meaning::Into => {
                unpack::into(self, found);
                self.caveat(&about("writes in another place"), named);
            }
            Meaning::Elsewhere => {
                let folder = text.filter(|text| !text.is_empty()).map(|text| Moves::To(text.to_owned()));
                self.known.elsewhere = Some(folder.unwrap_or(Moves::Somewhere));
                self.caveat(&about("works in another place"), named);
            }
            Meaning::Loads => self.caveat(&about("loads configuration or code"), named),
            Meaning::Module if text.is_some_and(is_name) => return,
            Meaning::Module => self.caveat(&about("loads code from a path"), named),
            Meaning::Runs => self.caveat(&about("runs another program"), named),
            Meaning::Changes => self.caveat(&about("changes something"), named),
            Meaning::Sends => self.caveat(&about("sends a file"), named),
            Meaning::Data => {
                self.reader = false;
                if text.is_none_or(|text| {
                    text.starts_with(['@', '<']) || text.contains("=@") || text.contains("=<")
                }) {
                    self.caveat(&about("sends a file"), named);
                }
            }
            Meaning::OwnLine => {
                self.reader = false;
                let own = format!("{} ", self.own_name(found.place));
                let line = match (text, word) {
                    (Some(text), _) => Some(Word::Literal(own + text)),
                    (None, Some(Word::Open(open))) => {
                        let pieces = std::iter::once(Some(own)).chain(open.pieces.iter().cloned()).collect();
                        Some(Word::Open(OpenWord { pieces, ..open.clone() }))
                    }
                    _ => None,
                };
                self.known.inner.extend(line.map(Inner::Line));
                return;
            }
            Meaning::Line => {
                self.reader = false;
                // What follows may belong to the line.
                if let (Some(line), Some(value)) = (text.and_then(split), value) {
                    let rest = self.words.iter().skip(value.place + 1).take(LONGEST_TAIL).cloned();
                    self.known.also.push(line.into_iter().map(Word::Literal).chain(rest).collect());
                }
                let line = match (text, word) {
                    (Some(text), _) => Some(Word::from(text)),
                    (None, word) => word.cloned(),
                };
                self.known.inner.extend(line.map(Inner::Line));
                return;
            }
            Meaning::Split => {
                self.reader = false;
                return env::again(self, found);
            }
            Meaning::Sets | Meaning::Passes => {
                self.reader = false;
                if let Some(text) = text {
                    self.places.text(text);
                }
                return variables::option(self, found);
            }
            Meaning::Command => self.caveat(&about("runs another program"), vec![found.place]),
            Meaning::Evaluates => {
                self.reader = false;
                if text.is_none_or(|text| text.contains('[')) {
                    self.caveat(&about("evaluates its value"), named);
                }
                return;
            }
        }
        if matches!(found.known.meaning, Meaning::Runs | Meaning::Loads | Meaning::Module) {
            let value = text.map(Word::from).or_else(|| word.cloned());
            value.iter().for_each(|value| self.value(value));
            if value.is_none() && found.known.meaning == Meaning::Runs {
                self.anything(found.place + 1);
            }
        }
        match (text, word) {
            (Some(text), _) => self.places.any(text, Use::Either, Reach::Itself),
            (None, Some(Word::Open(open))) => self.places.open(open, Use::Either, Reach::Itself),
            _ => {}
        }
    }
}

/// Whether the value is the name of something that the program brings along or looks up, and not a path.
fn is_name(text: &str) -> bool {
    let code = [".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".py", ".rb", ".so", ".php"];
    text.split([',', ':', '=']).all(|part| {
        // `@scope/name` is a package.
        let package =
            part.strip_prefix('@').is_some_and(|part| part.matches('/').count() == 1 && !part.contains(".."));
        let path = part.contains(['/', '\\']) || part.starts_with(['.', '~']);
        (!path || package) && !code.iter().any(|end| part.ends_with(end))
    })
}
