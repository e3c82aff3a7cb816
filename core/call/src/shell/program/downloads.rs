//! Files that a program names by the address that it fetches: `curl -O http://h/x.zip` and `wget http://h/x.zip` write `x.zip`.
//! What the server says that a file is called may be anything.

use std::collections::HashSet;

use super::analyzer::CommandAnalyzer;
use super::form::{CommandForm, OptionCondition, OptionMeaning, Role};
use super::operands::fitting_roles;
use super::scan::Scan;
use super::table::TableEntry;
use super::url_globs::{UrlVariant, expand_globs};
use super::word_paths::LONGEST;
use crate::percent_decodings;
use crate::shell::{OpenWord, Reach, Use, Word};
use crate::{WriteKind, is_scheme};

const WRITE: Use = Use::Write(WriteKind::Write);

/// As many addresses of one command are looked at; of more, it is not known what is written.
const MOST: usize = 64;

/// How a program names what it fetches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct DownloadSpec {
    /// With these, a file is called as its address ends.
    names: OptionCondition,
    /// With these, the server says what it is called.
    server: OptionCondition,
    /// Options that name the folder for it.
    folders: HashSet<String>,
    /// Options that name the file.
    files: HashSet<String>,
    /// Where one of these stands, no file is called as the address is.
    instead: OptionCondition,
}

impl DownloadSpec {
    pub(super) fn parse(entry: &TableEntry) -> Self {
        let names = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        Self {
            names: OptionCondition::parse(entry.downloads.as_deref()),
            server: OptionCondition::parse(entry.server_names.as_deref()),
            folders: names(&entry.downloads_in),
            files: names(&entry.downloads_to),
            instead: OptionCondition::parse(entry.downloads_not.as_deref()),
        }
    }

    fn is_never(&self) -> bool {
        self.names.is_never() && self.server.is_never() && self.files.is_empty()
    }
}

/// Notes the files that the command writes by the addresses that it is given.
pub(super) fn add_downloads(judge: &mut CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) {
    let spec = &form.downloads;
    if spec.is_never() {
        return;
    }
    // A word that could be any option could be one of these.
    let perhaps = !scan.perhaps.is_empty() || !scan.unknown.is_empty();
    let instead = !spec.instead.is_never() && spec.instead.holds(scan.reliable_options(form));
    let swallowed = |with: &OptionCondition| with.holds(&scan.options) || with.holds(&scan.swallowed);
    let named = !instead && (swallowed(&spec.names) || perhaps && !spec.names.is_never());
    let by_server = !instead && swallowed(&spec.server);
    let value_of = |names: &HashSet<String>| -> Vec<Word> {
        let options = scan.options.iter().chain(&scan.swallowed).filter(|found| names.contains(found.name));
        let values = options.filter_map(|found| found.value.as_ref());
        values
            .filter_map(|value| value.text.map(Word::from).or_else(|| judge.words.get(value.place).cloned()))
            .collect()
    };
    let mut folders = value_of(&spec.folders);
    let files = value_of(&spec.files);
    if !named && !by_server && files.is_empty() {
        return;
    }
    if folders.is_empty() {
        folders.push(Word::from("."));
    }
    let addresses = addresses_of(judge, form, scan);
    // Addresses in a file, or on its input.
    let elsewhere = scan.options.iter().any(|found| match found.known.meaning {
        OptionMeaning::Loads => takes_addresses(found.name),
        OptionMeaning::Url => {
            found.value.as_ref().is_some_and(|value| value.text.is_some_and(|text| text.starts_with('@')))
        }
        _ => false,
    });
    let mut names = Names::default();
    for file in &files {
        names.add_file(file, &addresses);
    }
    if named {
        addresses.iter().take(MOST).for_each(|word| names.add_address(word));
        names.open |= elsewhere;
        if scan.has_option("--restrict-file-names") {
            names.add_cases();
        }
    }
    if by_server {
        judge.add_always_caveat("the server says what the file is called that it writes");
    }
    if names.hidden {
        judge.add_always_caveat("what the file is called that it writes can't be told from its address");
    }
    if names.open || by_server || names.hidden || addresses.len() > MOST {
        names.words.push(OpenWord {
            text: "what the server calls it".to_owned(),
            pieces: vec![None],
            ..OpenWord::default()
        });
    }
    for folder in &folders {
        names.add_below(judge, folder);
    }
}

/// Whether an option names a file with addresses.
fn takes_addresses(name: &str) -> bool {
    matches!(name, "-i" | "--input-file" | "-K" | "--config" | "--input-metalink")
}

/// The addresses that a command is given.
fn addresses_of<'w>(judge: &CommandAnalyzer<'w>, form: &CommandForm, scan: &Scan<'_>) -> Vec<Word> {
    let count = scan.operands.len();
    let roles = form.operands.as_ref().map(|roles| fitting_roles(roles, form, scan, false));
    let role = |index| roles.as_ref().and_then(|roles| roles.role_at(index, count));
    let operands = scan.operands.iter().enumerate();
    let operands = operands.filter(|(index, _)| matches!(role(*index), Some(Role::Url | Role::Text) | None));
    let operands = operands.filter_map(|(_, place)| judge.words.get(*place).cloned());
    // Where nothing is said of them, only what has a scheme is certain to be one.
    let operands = operands.filter(|word| form.operands.is_some() || word.known_prefix().contains("://"));
    let of_options = scan.options.iter().filter(|found| found.known.meaning == OptionMeaning::Url);
    let of_options = of_options.filter_map(|found| found.value.as_ref());
    let of_options = of_options
        .filter_map(|value| value.text.map(Word::from).or_else(|| judge.words.get(value.place).cloned()));
    let unknown =
        scan.unknown.iter().chain(&scan.perhaps).filter_map(|place| judge.words.get(*place).cloned());
    operands.chain(of_options).chain(unknown).collect()
}

/// What files may be called.
#[derive(Default)]
struct Names {
    literal: Vec<String>,
    words: Vec<OpenWord>,
    /// They may be called anything.
    open: bool,
    /// The line itself hides what they are called.
    hidden: bool,
}

impl Names {
    fn add(&mut self, name: &str) {
        let sound = !name.is_empty() && name.len() <= LONGEST && !matches!(name, "." | "..");
        if sound && !self.literal.iter().any(|known| known == name) {
            self.literal.push(name.to_owned());
        }
    }

    /// What a file is called by its address.
    fn add_address(&mut self, word: &Word) {
        match word {
            Word::Literal(text) => {
                self.add_address_text(text);
                match expand_globs(text) {
                    Some(variants) => {
                        variants.iter().for_each(|variant| self.add_address_text(&variant.text))
                    }
                    None => self.hidden = true,
                }
            }
            Word::Open(open) => self.add_open_address(open),
        }
    }

    fn add_address_text(&mut self, text: &str) {
        let path = text.split_once("://").map_or(text, |(_, rest)| rest);
        if path.ends_with('/') || !path.contains('/') {
            self.add("index.html");
        }
        for reading in percent_decodings(text).unwrap_or_else(|| vec![text.to_owned()]) {
            for name in last_components(&reading) {
                self.add(name);
            }
        }
        // Decoded in the component alone, a slash is part of the name, or ends it.
        for name in last_components(text) {
            for reading in percent_decodings(name).unwrap_or_default() {
                self.add(&reading);
                reading.rsplit(['/', '\\']).take(1).for_each(|name| self.add(name));
            }
        }
    }

    /// An address of which only some text is known: what stands behind its last known slash is the name, unless what is not known
    /// holds another.
    fn add_open_address(&mut self, open: &OpenWord) {
        let known = open.pieces.last().and_then(Option::as_deref).filter(|last| last.contains('/'));
        if let Some(last) = known {
            self.add_address_text(last);
            return;
        }
        let mut pieces = vec![None];
        pieces.extend(open.pieces.last().filter(|last| last.is_some()).cloned());
        // A name, and none that goes elsewhere.
        self.words.push(OpenWord { text: open.text.clone(), pieces, glob: true, ..OpenWord::default() });
    }

    /// The file that an option names: in it, `#1` is what the first of the address's own globs gives.
    fn add_file(&mut self, file: &Word, addresses: &[Word]) {
        let Word::Literal(text) = file else {
            if let Word::Open(open) = file {
                self.words.push(open.clone());
            }
            return;
        };
        if text == "-" {
            return;
        }
        self.add(text);
        let globbed = text.char_indices().any(|(at, c)| {
            c == '#' && text.get(at + 1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        });
        if !globbed {
            return;
        }
        for word in addresses {
            let variants = word.literal().and_then(expand_globs);
            let Some(variants) = variants else {
                self.hidden = true;
                continue;
            };
            variants.iter().for_each(|variant| self.add(&variant.fill(text)));
        }
    }

    /// The same in small and in large letters.
    fn add_cases(&mut self) {
        for name in self.literal.clone() {
            self.add(&name.to_lowercase());
            self.add(&name.to_uppercase());
        }
    }

    /// As writes below a folder.
    fn add_below(&self, judge: &mut CommandAnalyzer<'_>, folder: &Word) {
        let mut before = match folder {
            Word::Literal(text) => vec![Some(text.trim_end_matches('/').to_owned())],
            Word::Open(open) => open.pieces.clone(),
        };
        match before.last_mut() {
            Some(Some(last)) => last.push('/'),
            _ => before.push(Some("/".to_owned())),
        }
        for name in &self.literal {
            match before.as_slice() {
                // Where a folder has no part in it, the name says where it lies.
                [Some(folder)] if folder == "./" || name.starts_with('/') => {
                    judge.places.add_path(name, WRITE, Reach::Itself)
                }
                [Some(folder)] => judge.places.add_path(&format!("{folder}{name}"), WRITE, Reach::Itself),
                _ => {
                    let mut pieces = before.clone();
                    if let Some(Some(last)) = pieces.last_mut() {
                        last.push_str(name);
                    }
                    let open =
                        OpenWord { text: format!("{}/{name}", folder.text()), pieces, ..OpenWord::default() };
                    judge.places.add_open_word(&open, WRITE, Reach::Itself);
                }
            }
        }
        for word in &self.words {
            let pieces = match before.as_slice() {
                [Some(folder)] if folder == "./" => word.pieces.clone(),
                _ => before.iter().chain(&word.pieces).cloned().collect(),
            };
            judge.places.add_open_word(&OpenWord { pieces, ..word.clone() }, WRITE, Reach::Itself);
        }
    }
}

/// What an address ends with: as programs cut it, with and without what stands behind `?`, `#` and `;`, and where it ends with
/// slashes or with components that lead back, what stands before these.
fn last_components(text: &str) -> Vec<&str> {
    let path = match text.split_once(":/") {
        Some((scheme, rest)) if is_scheme(scheme) => rest.trim_start_matches('/'),
        _ => text,
    };
    let mut found: Vec<&str> = Vec::new();
    let cuts = [path.len()].into_iter().chain(["?", "#", ";"].iter().filter_map(|mark| path.find(mark)));
    for part in cuts.filter_map(|end| path.get(..end)) {
        let mut back = 0_usize;
        let mut raw = true;
        for component in part.rsplit(['/', '\\']) {
            match component {
                "" | "." => {}
                ".." => back += 1,
                name if raw || back == 0 => {
                    found.push(name);
                    if back == 0 {
                        break;
                    }
                    raw = false;
                    back -= 1;
                }
                _ => back -= 1,
            }
        }
    }
    // What the last cut leaves of a name with a query in it.
    let tails: Vec<&str> = found
        .iter()
        .flat_map(|name| ["?", "#", ";"].map(|mark| name.split(mark).next().unwrap_or(name)))
        .collect();
    found.extend(tails);
    found.sort_unstable();
    found.dedup();
    found
}

impl UrlVariant {
    /// The name with what the globs give put in.
    fn fill(&self, template: &str) -> String {
        let mut name = String::new();
        let mut rest = template;
        while let Some(at) = rest.find('#') {
            let (before, behind) = rest.split_at(at);
            name.push_str(before);
            let behind = behind.get(1..).unwrap_or_default();
            let digits = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (number, after) = behind.split_at(digits);
            match number.parse::<usize>().ok().and_then(|nth| self.values.get(nth.checked_sub(1)?)) {
                Some(value) => name.push_str(value),
                None => {
                    name.push('#');
                    name.push_str(number);
                }
            }
            rest = after;
        }
        name + rest
    }
}

#[cfg(test)]
mod tests {
    use super::last_components;

    #[test]
    fn given_an_address_then_its_last_component_is_found_as_any_program_cuts_it() {
        for text in [
            "http://h/.envrc",
            "http://h/.envrc?x=1",
            "http://h/.envrc#x",
            "http://h/.envrc/",
            "http://h/a/b/../.envrc",
            "http://h/.envrc/x/..",
            "http://h/.envrc/.",
            "http://h/x?a=/.envrc",
            "ftp://h/.envrc;type=a",
            "h/.envrc",
            "http:/h/.envrc",
            "http://h/a\\.envrc",
        ] {
            assert!(last_components(text).contains(&".envrc"), "{text}: {:?}", last_components(text));
        }
        assert!(!last_components("http://h/.envrc/x.zip").contains(&".envrc"));
    }
}
