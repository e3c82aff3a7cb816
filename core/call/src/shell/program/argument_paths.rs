//! Paths among the strings of a tool's arguments: a text may be one, a pattern for some, or a list of several.

use std::path::{Path, PathBuf};

use super::patch_names::patched_names;
use super::word_paths::{LONGEST, TouchCollector};
use crate::shell::expand::expand_braces;
use crate::shell::{OpenWord, Reach, Touch, TouchedPath, Use};
use crate::{
    LineLookups, PathAccess, collect_links_below, effort, file_paths, has_parent_component,
    percent_decodings, with_and_without_blanks,
};

/// As many members of one list, links below folders, and texts in quotes are looked up.
const MOST_MEMBERS: usize = 1024;
const MOST_LINKS: usize = 4096;
const MOST_LITERALS: usize = 4096;
/// As many paths are looked up for one call.
const MOST_TOUCHES: usize = 8192;
/// Steps for a text, besides those for its bytes and for what is looked up.
const TEXT: usize = 300;
/// What stands around a member of a list, and is no part of it.
const AROUND: &[char] = &['"', '\'', '`', '(', ')', '<', '>', '[', ']', ',', ';'];
/// What no path holds in a text, and code does.
const CODE: &[char] = &['(', ')', ';', '"', '\'', '`', '<', '>', '=', '|', '&', '$', '^', '+'];

/// A string of a tool's arguments.
pub(in crate::shell) struct ArgumentText {
    pub(in crate::shell) text: String,
    /// By the name of its argument it is a program, or a question in a language that has quotes.
    pub(in crate::shell) code: bool,
    /// It is a value, and not a name.
    pub(in crate::shell) value: bool,
}

/// As among the words of a program that is not known; what a list, a pattern, a text in quotes or a link below a folder names is
/// mentioned. `follows`: the arguments say that links are followed.
pub(in crate::shell) fn touches_in_strings<'t>(
    texts: impl Iterator<Item = &'t ArgumentText>,
    follows: bool,
    cwd: &Path,
    home: Option<&Path>,
    looked: &LineLookups,
) -> Vec<Touch> {
    let mut places = TouchCollector::new(Some(cwd), looked, false);
    let mut touches = Vec::new();
    let mut folders: Vec<PathBuf> = Vec::new();
    for ArgumentText { text, code, value } in texts {
        if touches.len() > MOST_TOUCHES || !effort::spend(TEXT + text.len()) {
            places.add_open_word(&any_name("more paths than are looked up"), Use::Either, Reach::Mentioned);
            break;
        }
        let text = with_and_without_blanks(text).last().unwrap_or_default();
        if !text.contains(['\n', '\r']) {
            places.add_possible_paths(text, Use::Either, Reach::Itself);
            for reading in path_readings(text, home) {
                places.add_possible_paths(&reading, Use::Either, Reach::Itself);
            }
            for named in named_in(text) {
                places.add_possible_paths(named, Use::Either, Reach::Itself);
                for reading in path_readings(named, home) {
                    places.add_possible_paths(&reading, Use::Either, Reach::Itself);
                }
            }
            // `'secrets/key'`
            let bare = without_marks(text);
            if bare != text && !bare.contains(char::is_whitespace) {
                places.add_possible_paths(bare, Use::Either, Reach::Mentioned);
            }
        }
        // A program with quotes in it is no path as a whole.
        if *code && text.contains(is_quote) {
            keep_reach(Reach::Mentioned, Some(&mut places.touches));
        }
        for (at, name) in patched_names(text).enumerate() {
            if at == MOST_MEMBERS {
                places.add_open_word(&any_name("a long patch"), Use::Either, Reach::Mentioned);
                break;
            }
            places.add_path(name, Use::Either, Reach::Itself);
        }
        let named = places.touches.iter().filter(|_| *value).filter_map(folder_of);
        folders.extend(named.collect::<Vec<_>>());
        touches.append(&mut places.touches);
        let before = touches.len();
        add_members(&mut places, text, home, &mut touches);
        keep_reach(Reach::Mentioned, touches.get_mut(before..));
        if *code {
            let before = touches.len();
            add_quoted(&mut places, text, home, &mut touches);
            keep_reach(Reach::Said, touches.get_mut(before..));
        }
    }
    add_links_in(&mut places, folders, follows);
    touches.append(&mut places.touches);
    touches
}

/// What a text only means perhaps is never more than that, though nothing lies below it.
fn keep_reach(reach: Reach, touches: Option<&mut [Touch]>) {
    for touch in touches.into_iter().flatten().filter(|touch| touch.reach != Reach::Mentioned) {
        touch.reach = reach;
    }
}

fn folder_of(touch: &Touch) -> Option<PathBuf> {
    match &touch.path {
        TouchedPath::Known(path) if path.folder => Some(path.resolved.clone()),
        _ => None,
    }
}

/// A tool that is given a folder may go through it, and follow the links in it. Where that is too much to look at, what was found
/// by then counts, and anything else where the arguments say that links are followed.
fn add_links_in(places: &mut TouchCollector<'_>, mut folders: Vec<PathBuf>, follows: bool) {
    folders.sort_unstable();
    folders.dedup();
    let mut links = Vec::new();
    let budget = &mut places.lookup_budget();
    let whole = folders.iter().try_for_each(|folder| collect_links_below(folder, true, budget, &mut links));
    if whole.is_none() && follows || links.len() > MOST_LINKS {
        places.add_open_word(&any_name("where links lead"), Use::Read, Reach::Mentioned);
    }
    for link in links.iter().take(MOST_LINKS).filter_map(|link| link.to_str()) {
        let path = TouchedPath::Known(PathAccess::new(Path::new("/"), link));
        places.touches.push(Touch { path, how: Use::Read, reach: Reach::Mentioned });
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`')
}

/// What stands between two quotes in a program, as a whole: where somebody wrote a rule about it.
fn add_quoted(places: &mut TouchCollector<'_>, text: &str, home: Option<&Path>, touches: &mut Vec<Touch>) {
    let literals = text.split(is_quote).skip(1).map(str::trim);
    let like_name = |part: &&str| part.contains(char::is_alphanumeric) && !part.contains(['\n', '\r']);
    for (at, literal) in literals.filter(|part| part.len() <= LONGEST).filter(like_name).enumerate() {
        if at == MOST_LITERALS {
            places.add_open_word(&any_name("a long program"), Use::Either, Reach::Mentioned);
            return touches.append(&mut places.touches);
        }
        for reading in path_readings(literal, home).into_iter().chain([literal.to_owned()]) {
            places.add_path(&reading, Use::Either, Reach::Said);
        }
        // A program that names a folder may go through all of it; what is not there may be one by then.
        let folder = |touch: &Touch| match &touch.path {
            TouchedPath::Known(path) => Some(path.resolved.join("*")),
            TouchedPath::Open(_) => None,
        };
        let inside = places.touches.iter().filter_map(folder);
        let inside: Vec<_> = inside.collect();
        for path in inside.iter().filter_map(|path| path.to_str()) {
            places.add_path(path, Use::Either, Reach::Said);
        }
        add_pattern(places, literal, home);
        touches.append(&mut places.touches);
    }
}

/// The path that a text names with more around it: a place in the file (`.env#L1`), what is wanted of it (`.env?raw`), or a
/// name for it (`[a](.env)`).
fn named_in(text: &str) -> impl Iterator<Item = &str> {
    let link = text.strip_suffix(')').and_then(|text| text.rsplit_once("](")).map(|(_, path)| path.trim());
    let link = link.map(|path| path.split(' ').next().unwrap_or(path).trim_matches(['<', '>']));
    let texts = link.into_iter().chain((link.is_none() && text.len() <= LONGEST).then_some(text));
    let bare = |text: &&str| !text.is_empty() && !text.contains("://");
    link.into_iter().chain(texts.flat_map(crate::argument::before_marks)).filter(bare)
}

/// What a text names that is a pattern, or a list.
fn add_members(places: &mut TouchCollector<'_>, text: &str, home: Option<&Path>, touches: &mut Vec<Touch>) {
    // `{a,b}` is no list.
    add_pattern(places, text, home);
    touches.append(&mut places.touches);
    for (at, member) in members_of(text).into_iter().flatten().enumerate() {
        if at == MOST_MEMBERS {
            places.add_open_word(&any_name("a long list"), Use::Either, Reach::Mentioned);
            return touches.append(&mut places.touches);
        }
        places.add_possible_paths(member, Use::Either, Reach::Mentioned);
        for reading in path_readings(member, home) {
            places.add_possible_paths(&reading, Use::Either, Reach::Mentioned);
        }
        add_pattern(places, member, home);
        touches.append(&mut places.touches);
    }
}

/// What could be any name.
fn any_name(text: &str) -> OpenWord {
    OpenWord { text: text.to_owned(), pieces: vec![None], ..OpenWord::default() }
}

/// The members of a list: lines or parts between commas without blanks in them, or words of which most are written as only
/// paths are. Whatever else has several words is prose.
fn members_of(text: &str) -> Option<Vec<&str>> {
    let bare = |part: &&str| !part.is_empty();
    let single = |part: &&str| !part.contains(char::is_whitespace);
    for separators in [&['\n', '\r'][..], &[',', ';'][..]] {
        let mut parts = text.split(separators).map(|part| part.trim()).filter(bare);
        if parts.clone().nth(1).is_some() && parts.all(|part| single(&part)) {
            return Some(
                text.split(separators).map(str::trim).filter(bare).map(without_marks).filter(bare).collect(),
            );
        }
    }
    let words: Vec<&str> = text.split_whitespace().map(without_marks).filter(bare).collect();
    let alike = words.iter().filter(|word| is_written_as_path(word)).count();
    (words.len() > 1 && alike * 2 >= words.len()).then_some(words)
}

fn without_marks(part: &str) -> &str {
    part.trim().trim_matches(AROUND)
}

/// `src/a`, `.env`, `~/x`, `a.py`, `*.pem`, `file:///x`: no word of prose, and no number.
fn is_written_as_path(word: &str) -> bool {
    if word.contains(CODE) && !word.starts_with('$') {
        return false;
    }
    if word.contains("://") {
        return is_of_file(word);
    }
    let ending = || {
        let (stem, end) = word.rsplit_once('.')?;
        let letters = end.starts_with(|c: char| c.is_ascii_alphabetic()) && end.len() <= 12;
        Some(letters && !stem.ends_with(char::is_whitespace))
    };
    is_of_file(word)
        || word.contains(['/', '\\', '*'])
        || word.starts_with(['~', '.']) && word.len() > 1
        || ending() == Some(true)
}

fn is_of_file(text: &str) -> bool {
    text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
}

/// A pattern for names, which a tool looks for by itself. A star alone says nothing, and an expression for text is none.
pub(super) fn add_pattern(places: &mut TouchCollector<'_>, text: &str, home: Option<&Path>) {
    let wild = text.contains(['*', '?', '[']) || text.contains('{') && text.contains(',');
    let one = !text.contains(char::is_whitespace) && text.len() <= LONGEST;
    let expression = text.contains(['^', '$', '(', ')', '|', '+']) && !text.starts_with('$');
    if !wild || !one || expression || text == "*" {
        return;
    }
    // `path=src/*`
    let own = text.split_once(['@', '=', ':']).map(|(_, path)| path).filter(|path| !path.starts_with("//"));
    let files = file_paths(text);
    if text.contains("://") && files.is_empty() {
        return;
    }
    let mut texts: Vec<String> = path_readings(text, home);
    texts.extend(own.map(str::to_owned));
    match files.is_empty() {
        true => texts.push(text.to_owned()),
        false => texts.extend(files),
    }
    for text in &texts {
        let Ok(variants) = expand_braces(text) else {
            let word = OpenWord { text: text.clone(), pieces: vec![None], ..OpenWord::default() };
            places.add_open_word(&word, Use::Either, Reach::Mentioned);
            continue;
        };
        for variant in variants {
            match variant.contains(['*', '?', '[']) {
                true => places.add_open_word(&pattern_word(&variant), Use::Either, Reach::Mentioned),
                false => places.add_path(&variant, Use::Either, Reach::Mentioned),
            }
        }
    }
}

/// The known text of a pattern, and what may be anything in it.
pub(super) fn pattern_word(text: &str) -> OpenWord {
    let (mut pieces, mut known) = (Vec::new(), String::new());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let gap = match c {
            '*' | '?' => true,
            // To the bracket that closes it, or all that is left.
            '[' => {
                chars.by_ref().find(|c| *c == ']');
                true
            }
            _ => false,
        };
        if !gap {
            known.push(c);
            continue;
        }
        let mut deep = false;
        while let Some(next) = chars.next_if(|c| matches!(c, '*' | '?')) {
            deep |= c == '*' && next == '*';
        }
        // `**/` is also nothing at all.
        if deep {
            chars.next_if_eq(&'/');
        }
        if !known.is_empty() {
            pieces.push(Some(std::mem::take(&mut known)));
        }
        if pieces.last() != Some(&None) {
            pieces.push(None);
        }
    }
    if !known.is_empty() {
        pieces.push(Some(known));
    }
    OpenWord { text: text.to_owned(), pieces, glob: true, ..OpenWord::default() }
}

/// Whether the backslashes of a text are those of a regular expression: `\.env`, `src\d+`.
fn is_expression(text: &str) -> bool {
    let mut chars = text.chars().peekable();
    let mut first = true;
    while let Some(c) = chars.next() {
        if c != '\\' {
            first = false;
            continue;
        }
        let next = chars.next();
        let class = next.is_some_and(|next| "dDwWsSbB".contains(next));
        let ends = chars.peek().is_none_or(|then| !then.is_ascii_alphanumeric() && !"/\\._-".contains(*then));
        if class && ends || first && next.is_none_or(|next| !next.is_ascii_alphanumeric()) {
            return true;
        }
        first = false;
    }
    false
}

/// What else a tool may make of a string that is a path: `%2e` and a backslash may stand for what they mean elsewhere,
/// and the home folder may be written as shells write it.
fn path_readings(text: &str, home: Option<&Path>) -> Vec<String> {
    // Some tools have a name or a mark before a path: `@~/x`, `file=~/x`.
    let own = text.split_once(['@', '=', ':']).map_or(text, |(_, path)| path);
    let mut files: Vec<String> = [text, own].into_iter().flat_map(file_paths).collect();
    // To some tools three slashes stand before a name from the folder at hand.
    files.extend(text.split_once(":///").filter(|_| !is_of_file(text)).map(|(_, path)| path.to_owned()));
    files.retain(|file| file.len() <= LONGEST);
    let odd = text.contains(['%', '\\'])
        || !files.is_empty()
        || [text, own].iter().any(|text| text.starts_with(['~', '$']));
    if !odd || text.len() > LONGEST {
        return Vec::new();
    }
    let mut found = percent_decodings(text).unwrap_or_else(|| vec![text.to_owned()]);
    found.extend(found.iter().flat_map(|text| file_paths(text)).collect::<Vec<_>>());
    found.extend(files);
    let slashes: Vec<_> = found
        .iter()
        .filter(|text| has_parent_component(text) || !is_expression(text))
        .map(|text| text.replace('\\', "/"))
        .collect();
    found.extend(slashes);
    if let Some(home) = home {
        let rest = |text: &String| {
            let rest = ["~", "$HOME", "${HOME}"].iter().find_map(|name| text.strip_prefix(name))?;
            (rest.is_empty() || rest.starts_with('/')).then(|| format!("{}{rest}", home.display()))
        };
        let at_home: Vec<_> = found.iter().chain([&own.to_owned()]).filter_map(rest).collect();
        found.extend(at_home);
    }
    found
}
