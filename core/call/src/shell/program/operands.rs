//! What a command does with its operands.

use std::borrow::Cow;
use std::path::Path;

use super::form::{Form, Meaning, Operands, Role, With};
use super::given::Given;
use super::judge::Judge;
use super::pathspec::{self, Spec};
use super::scan::Scan;
use super::table::Special;
use super::unpack;
use super::{Inner, below};
use crate::WriteKind;
use crate::shell::{Caveat, Named, Reach, Use, Word};

/// As many files that are copied into one folder are looked at.
const MOST_COPIES: usize = 64;

/// Judges the operands of a command by what its form says of them.
pub(super) fn operands(judge: &mut Judge<'_>, form: &Form, scan: &Scan<'_>) {
    below::rewrites(judge, form, scan);
    named(judge, form, scan);
}

fn named(judge: &mut Judge<'_>, form: &Form, scan: &Scan<'_>) {
    let words = judge.words;
    let Some(roles) = &form.operands else {
        for place in &scan.operands {
            judge.reader = false;
            if let Some(word) = words.get(*place) {
                judge.places.word(word, Use::Either, Reach::Itself);
            }
        }
        return;
    };
    let reach = reach(judge, form, scan);
    let how = how(judge, scan);
    judge.places.history = form.pathspecs;
    let past = form.past.holds(&scan.options) || form.changed && pathspec::names_revision(judge, scan);
    judge.places.past = past && form.changed;
    let target = scan.options.iter().find(|found| found.known.meaning == Meaning::Target);
    let edits = scan.has(Meaning::Edits) || form.special == Some(Special::Awk) && awk_edits(scan);
    let roles = fitting(roles, form, scan, target.is_some());
    let count = scan.operands.len();
    let mut paths = 0;
    let mut sources: Vec<&Word> = Vec::new();
    let mut destination = None;
    let mut goal = None;
    for (index, place) in scan.operands.iter().enumerate() {
        let Some(word) = words.get(*place) else { continue };
        let Some(role) = roles.role(index, count) else {
            judge.reader = false;
            judge.places.word(word, Use::Either, reach);
            continue;
        };
        match role {
            // What is edited may be shown as well.
            Role::Read | Role::Path if edits => {
                written(judge, WriteKind::Edit, word, *place, reach);
                judge.places.word(word, Use::Read, reach);
            }
            Role::Text => match word {
                Word::Literal(text) => judge.places.text(text),
                // Text is only printed: what is not known of it opens no file. A path that is begun may be
                // meant for the next command.
                Word::Open(open) if word.prefix().contains('/') => {
                    judge.places.open(open, Use::Either, Reach::Itself);
                }
                Word::Open(_) => {}
            },
            Role::Goal => {
                judge.reader = false;
                judge.places.word(word, Use::Either, Reach::Itself);
                let text = word.literal().unwrap_or("?");
                let number = text.bytes().all(|b| b.is_ascii_digit());
                match goal {
                    _ if number || text.contains(['=', '/']) => {}
                    None => goal = Some(*place),
                    Some(first) => judge.add(Caveat {
                        reason: format!("another target: {}", word.text()),
                        always: false,
                        named: Named::Beside { first, at: *place },
                    }),
                }
            }
            Role::Member => unpack::member(judge, form, scan, word),
            // `yq FILE`, without a program.
            Role::Pattern if count == 1 && form.special == Some(Special::Jq) => {
                if let Some(text) = word.literal() {
                    judge.places.text(text);
                }
            }
            Role::Pattern | Role::Assignment | Role::Command | Role::Line => {}
            Role::Single => {
                judge.reader = false;
                judge.known.inner.push(Inner::Line(word.clone()));
            }
            Role::Read | Role::Moved => {
                paths += 1;
                sources.push(word);
                if role == Role::Moved {
                    written(judge, WriteKind::Move, word, *place, reach);
                    judge.places.word(word, Use::Either, Reach::All);
                } else if form.pathspecs {
                    // A revision is no path, and leaves the search where it is.
                    match pathspec::look(judge, word, *place, how, reach) {
                        Spec::Path => {}
                        Spec::Other => paths -= 1,
                    }
                } else {
                    match word {
                        Word::Literal(text) if judge.understood => {
                            judge.places.path(text, how, reach);
                            judge.places.held(text, Use::Either, reach);
                        }
                        word => judge.places.word(word, how, reach),
                    }
                    deletes(judge, form, scan, word);
                }
            }
            Role::Page => {
                judge.places.word(word, how, Reach::Itself);
                if word.literal().is_none_or(|text| text.contains('/')) {
                    judge.caveat("a page that may include other files", vec![*place]);
                    judge.named_elsewhere("what the page includes", Use::Read);
                }
            }
            Role::Path | Role::Script => {
                paths += 1;
                judge.places.word(word, Use::Either, reach);
            }
            Role::Written => written(judge, WriteKind::Write, word, *place, reach),
            Role::Output => {
                written(judge, WriteKind::Write, word, *place, reach);
                judge.caveat("an operand that is written", vec![*place]);
            }
            Role::Target => destination = Some((word, *place)),
            Role::Created => judge.places.word(word, Use::Write(WriteKind::Create), reach),
            Role::Edited => {
                judge.places.word(word, Use::Write(WriteKind::Edit), reach);
                judge.places.word(word, Use::Read, reach);
            }
            Role::Marked => judge.places.word(word, Use::Write(WriteKind::Edit), reach),
            Role::Packed => {
                written(judge, WriteKind::Move, word, *place, reach);
                judge.places.word(word, Use::Write(WriteKind::Move), Reach::All);
                judge.places.word(word, Use::Read, reach);
                // What is unpacked lies beside it, under the rest of its name.
                if let Some(inner) = word.literal().and_then(|name| packed(name, scan)) {
                    let inner = inner.as_str();
                    judge.places.path(inner, Use::Write(WriteKind::Write), Reach::Itself);
                }
            }
            Role::Deleted => judge.places.word(word, Use::Write(WriteKind::Delete), reach),
            Role::Change => {
                judge.places.word(word, Use::Either, Reach::Itself);
                // An option that says so already covers it: `git branch -D x`.
                if !scan.has(Meaning::Changes) {
                    judge.caveat("an operand with which it changes something", vec![*place]);
                }
            }
            Role::Loaded => {
                judge.known.runs_input = true;
                judge.give(Given::File(word.clone()));
                judge.places.word(word, Use::Either, Reach::Itself);
                judge.caveat("it runs what stands in a file", vec![*place]);
            }
            Role::Url => match word {
                Word::Literal(text) => {
                    judge.places.host(text);
                    judge.places.any(text, Use::Either, Reach::Itself);
                }
                Word::Open(open) => judge.places.open_address(open, true),
            },
        }
    }
    // `host:folder` is on another machine.
    let away = |word: &Word| {
        let text = word.literal().unwrap_or_default();
        form.special == Some(Special::Remote)
            && text.split_once(':').is_some_and(|(host, _)| !host.contains('/'))
    };
    let destination = destination.filter(|(word, _)| !away(word));
    // The folders above what is copied are made below the target, too: `cp --parents`, `rsync -R`.
    let relative = form.special == Some(Special::Remote) && (scan.names("-R") || scan.names("--relative"));
    let keeps = relative || scan.names("--parents");
    if let Some(found) = target {
        if let Some(value) = &found.value {
            let word = value.text.map(Word::from).or_else(|| words.get(value.place).cloned());
            if let Some(word) = word {
                copies(judge, &sources, (&word, value.place), reach, true, keeps);
            }
        }
    } else if let Some((word, place)) = destination {
        copies(judge, &sources, (word, place), reach, false, keeps);
    }
    if paths > 0 || destination.is_some() || judge.command.piped && form.reads_input {
        return;
    }
    if form.here || form.here_below && reach != Reach::Itself {
        judge.places.path(".", how, reach);
        deletes(judge, form, scan, &Word::from("."));
    }
    if form.changed && reach == Reach::Shown {
        pathspec::whole(judge, how, past);
    }
}

/// The name that a file has once it is unpacked, by the name that it has before.
fn packed(name: &str, scan: &Scan<'_>) -> Option<String> {
    let endings = [
        ".gz", "-gz", ".z", "-z", "_z", ".Z", ".bz2", ".bz", ".xz", ".lzma", ".zst", ".lz4", ".lz", ".lzo",
        ".br", ".zz",
    ];
    let own = scan.options.iter().filter(|found| matches!(found.name, "-S" | "--suffix"));
    let own = own.filter_map(|found| found.value.as_ref()?.text);
    let bare =
        own.chain(endings).find_map(|ending| name.strip_suffix(ending).filter(|bare| !bare.is_empty()));
    let archive = [".tgz", ".taz", ".tbz", ".tbz2", ".tb2", ".txz", ".tlz", ".tzst", ".tzo"];
    let archive = || archive.iter().find_map(|ending| name.strip_suffix(ending));
    bare.map(str::to_owned).or_else(|| archive().map(|bare| format!("{bare}.tar")))
}

/// How far below its operands the command goes.
fn reach(judge: &Judge<'_>, form: &Form, scan: &Scan<'_>) -> Reach {
    let has = |with: &With| with.holds(&scan.options);
    let lists = judge.understood && has(&form.lists) && !has(&form.contents) && !acts(scan);
    if form.objects && pathspec::names_object(judge, scan) {
        Reach::Shown
    } else if lists {
        Reach::Itself
    } else if has(&form.deep) {
        Reach::All
    } else if has(&form.shown) || form.changed {
        Reach::Shown
    } else {
        Reach::Itself
    }
}

/// Whether it comes to where the links below lead: it follows them, or may, or hands them on to what does.
pub(super) fn follows(judge: &Judge<'_>, form: &Form, scan: &Scan<'_>) -> bool {
    let may = !form.follows.is_never() && (!judge.understood || acts(scan));
    may || form.follows.holds(&scan.options)
}

/// Whether it does something with what it finds, besides telling it.
fn acts(scan: &Scan<'_>) -> bool {
    let meanings = [
        Meaning::Command,
        Meaning::Line,
        Meaning::OwnLine,
        Meaning::Changes,
        Meaning::Runs,
        Meaning::Evaluates,
    ];
    !scan.perhaps.is_empty() || meanings.into_iter().any(|meaning| scan.has(meaning))
}

/// How it uses what it reads: a command that it runs on it could do anything.
fn how(judge: &Judge<'_>, scan: &Scan<'_>) -> Use {
    let runs = scan.has(Meaning::Command) || scan.has(Meaning::Line);
    if !judge.understood || runs { Use::Either } else { Use::Read }
}

/// `find -delete` removes what it finds.
fn deletes(judge: &mut Judge<'_>, form: &Form, scan: &Scan<'_>, word: &Word) {
    if form.special == Some(Special::Find) && scan.has(Meaning::Changes) {
        judge.places.word(word, Use::Write(WriteKind::Delete), Reach::All);
    }
}

/// The roles, without the first where an option stands in its place, and without the last where one
/// names the target.
pub(super) fn fitting<'a>(
    roles: &'a Operands,
    form: &Form,
    scan: &Scan<'_>,
    target: bool,
) -> Cow<'a, Operands> {
    if scan.options.iter().any(|found| form.listing.contains(found.name)) {
        return Cow::Owned(Operands { many: Some(Role::Pattern), ..Operands::default() });
    }
    if scan.options.iter().any(|found| form.shows.contains(found.name)) {
        return Cow::Owned(Operands { many: Some(Role::Read), ..Operands::default() });
    }
    if scan.options.iter().any(|found| form.creates.contains(found.name)) {
        return Cow::Owned(Operands { many: Some(Role::Created), ..Operands::default() });
    }
    let mut roles = Cow::Borrowed(roles);
    if !roles.first.is_empty() && scan.options.iter().any(|found| form.instead.contains(found.name)) {
        roles.to_mut().first.remove(0);
    }
    if target && !roles.last.is_empty() {
        roles.to_mut().last.clear();
    }
    roles
}

/// A file that is written.
fn written(judge: &mut Judge<'_>, kind: WriteKind, word: &Word, place: usize, reach: Reach) {
    judge.reader = false;
    match word {
        Word::Literal(text) => {
            judge.write(kind, text);
            judge.places.held(text, Use::Write(kind), reach);
        }
        Word::Open(open) => {
            judge.places.open(open, Use::Write(kind), reach);
            judge.caveat("it writes to a place that is not known", vec![place]);
        }
    }
}

/// `sources` are copied to `target`: the file itself, or files of their names in it.
fn copies(
    judge: &mut Judge<'_>,
    sources: &[&Word],
    (target, place): (&Word, usize),
    reach: Reach,
    folder: bool,
    keeps: bool,
) {
    let text = match target {
        Word::Literal(text) => text,
        Word::Open(open) => {
            written(judge, WriteKind::Write, target, place, reach);
            return unpack::below(judge, open, sources);
        }
    };
    let exists = judge.command.cwd.is_some_and(|cwd| cwd.join(Path::new(text)).is_dir());
    let folder = folder || keeps || text.ends_with('/') || exists;
    // `x/.` and, for some programs, `x/` are what is in the folder, and not the folder.
    let inner = |name: &str| ["/", "/.", "/.."].iter().any(|end| name.ends_with(end)) || name == ".";
    let name = |word: &&Word| {
        let whole = word.literal().filter(|name| !inner(name))?;
        let name = match keeps {
            // `rsync -R a/./b/c to` makes `to/b/c`.
            true => whole.split_once("/./").map_or(whole, |(_, rest)| rest).trim_start_matches('/'),
            false => Path::new(whole).file_name()?.to_str()?,
        };
        Some(format!("{}/{name}", text.trim_end_matches('/')))
    };
    let inside: Option<Vec<String>> = sources.iter().take(MOST_COPIES).map(name).collect();
    let inside = inside.filter(|inside| folder && inside.len() == sources.len() && !inside.is_empty());
    let whole = if inside.is_none() && folder { Reach::All } else { reach };
    judge.places.path(text, Use::Write(WriteKind::Write), whole);
    match inside {
        Some(inside) => {
            for path in inside {
                judge.write(WriteKind::Write, &path);
                if reach == Reach::All {
                    judge.places.path(&path, Use::Write(WriteKind::Write), reach);
                }
            }
        }
        None => judge.write(WriteKind::Write, text),
    }
}

/// `gawk -i inplace`: what it reads is written anew.
fn awk_edits(scan: &Scan<'_>) -> bool {
    scan.options.iter().filter(|found| matches!(found.name, "-i" | "--include" | "-l" | "--load")).any(
        |found| {
            let text = found.value.as_ref().and_then(|value| value.text).unwrap_or_default();
            text.rsplit('/').next().is_some_and(|name| name.starts_with("inplace"))
        },
    )
}
