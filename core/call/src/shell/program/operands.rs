//! What a command does with its operands.

use std::borrow::Cow;
use std::path::Path;

use super::analyzer::CommandAnalyzer;
use super::downloads;
use super::form::{CommandForm, Operands, OptionCondition, OptionMeaning, Role};
use super::git_files;
use super::given_programs::GivenProgram;
use super::pathspec::{self, PathspecKind};
use super::scan::Scan;
use super::shown_names::HiddenNames;
use super::table::SpecialCase;
use super::unpack;
use super::{InnerCommand, database_archives, index_links, made_files, unnamed_writes};
use crate::WriteKind;
use crate::shell::{Caveat, CaveatSubject, Reach, Use, Word};

/// As many files that are copied into one folder are looked at.
const MOST_COPIES: usize = 64;

/// Judges the operands of a command by what its form says of them.
pub(super) fn analyze_operands(judge: &mut CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) {
    unnamed_writes::add_rewritten_folders(judge, form, scan);
    judge.add_resplit_words(form, scan);
    downloads::add_downloads(judge, form, scan);
    made_files::add_made_files(judge, form, scan);
    index_links::add_links_of_index(judge, form);
    database_archives::add_database_archive(judge);
    let patch = form.shows_patch.holds(&scan.options) && !pathspec::names_paths(judge, scan);
    if patch || shows_objects(form, scan) {
        pathspec::add_whole_repository(judge, Use::Read, true);
    }
    analyze_named_operands(judge, form, scan);
}

/// Whether it prints or writes what an object of git's holds, by whatever name: of all that a format may have printed of a text,
/// only `%(raw)` is what it holds, and `%(*raw)` that of the one that a tag is about.
fn shows_objects(form: &CommandForm, scan: &Scan<'_>) -> bool {
    let raw = |text: &str| text.contains("(raw)") || text.contains("(*raw)");
    let formats = || scan.options.iter().filter(|found| form.formats.contains(found.name));
    form.shows_objects.holds(&scan.options)
        || formats().any(|found| found.value.as_ref().is_some_and(|value| value.text.is_none_or(raw)))
}

fn analyze_named_operands(judge: &mut CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) {
    let words = judge.words;
    let Some(roles) = &form.operands else {
        for place in &scan.operands {
            judge.reader = false;
            if let Some(word) = words.get(*place) {
                judge.places.add_word(word, Use::Either, Reach::Itself);
                judge.add_names_near(form, scan, word, Use::Either, Reach::Itself);
            }
        }
        return;
    };
    let reach = operand_reach(judge, form, scan);
    let how = operand_use(judge, scan);
    judge.places.history = form.pathspecs;
    let past = form.past.holds(&scan.options) || form.changed && pathspec::names_revision(judge, scan);
    judge.places.past = past && form.changed;
    let target = scan.options.iter().find(|found| found.known.meaning == OptionMeaning::Target);
    let edits =
        scan.has_meaning(OptionMeaning::Edits) || form.special == Some(SpecialCase::Awk) && awk_edits(scan);
    let roles = fitting_roles(roles, form, scan, target.is_some());
    let count = scan.operands.len();
    let shows_changed = form.changed && reach == Reach::Shown;
    // Those of git's commands that only tell names take theirs as they stand there.
    let pathspecs = form.pathspecs || form.special == Some(SpecialCase::Git) && reach > Reach::Itself;
    let mut paths = 0;
    // Those of git's that are files of a revision, and those that are revisions.
    let (mut inner, mut revisions, mut texts) = (0, 0, false);
    let mut sources: Vec<&Word> = Vec::new();
    let mut destination = None;
    let mut goal = None;
    for (index, place) in scan.operands.iter().enumerate() {
        let Some(word) = words.get(*place) else { continue };
        let before = judge.places.touches.len();
        let Some(role) = roles.role_at(index, count) else {
            judge.reader = false;
            judge.places.add_word(word, Use::Either, reach);
            continue;
        };
        match role {
            // What is edited may be shown as well.
            Role::Read | Role::Path if edits => {
                add_written_file(judge, WriteKind::Edit, word, *place, reach);
                judge.places.add_word(word, Use::Read, reach);
                judge.add_names_near(form, scan, word, Use::Write(WriteKind::Edit), reach);
                judge.add_names_near(form, scan, word, Use::Read, reach);
            }
            Role::Text | Role::Remote => match word {
                Word::Literal(text) => judge.places.add_text(text),
                // Text is only printed: what is not known of it opens no file. A path that is begun may be
                // meant for the next command.
                Word::Open(open) if word.known_prefix().contains('/') => {
                    judge.places.add_open_word(open, Use::Either, Reach::Itself);
                }
                Word::Open(_) => {}
            },
            Role::Goal => {
                judge.reader = false;
                judge.places.add_word(word, Use::Either, Reach::Itself);
                let text = word.literal().unwrap_or("?");
                let number = text.bytes().all(|b| b.is_ascii_digit());
                match goal {
                    _ if number || text.contains(['=', '/']) => {}
                    None => goal = Some(*place),
                    Some(first) => judge.add_caveat(Caveat {
                        reason: format!("another target: {}", word.text()),
                        always: false,
                        named: CaveatSubject::Beside { first, at: *place },
                    }),
                }
            }
            Role::Member => unpack::write_member(judge, form, scan, word),
            // `yq FILE`, without a program.
            Role::Pattern if count == 1 && form.special == Some(SpecialCase::Jq) => {
                if let Some(text) = word.literal() {
                    judge.places.add_text(text);
                }
            }
            Role::Pattern | Role::Assignment | Role::Command | Role::Line => {}
            Role::Single => {
                judge.reader = false;
                judge.known.inner.push(InnerCommand::Line(word.clone()));
            }
            Role::Read | Role::Moved => {
                paths += 1;
                sources.push(word);
                if role == Role::Moved {
                    add_written_file(judge, WriteKind::Move, word, *place, reach);
                    judge.places.add_word(word, Use::Either, Reach::All);
                } else if pathspecs {
                    // A revision is no path, and leaves the search where it is.
                    match pathspec::analyze_git_operand(judge, word, *place, how, reach) {
                        PathspecKind::Other => {
                            paths -= 1;
                            if scan.ended.is_none_or(|end| *place < end) && pathspec::is_revision(judge, word)
                            {
                                revisions += 1;
                                texts |= form.blobs && pathspec::may_be_text(judge, word);
                            }
                        }
                        kind => {
                            if form.changed {
                                pathspec::add_changed(judge, word, *place, before);
                            }
                            if kind == PathspecKind::Inner {
                                (paths, inner) = (paths - 1, inner + 1);
                                texts |= form.blobs && pathspec::may_be_text(judge, word);
                            }
                        }
                    }
                } else {
                    match word {
                        Word::Literal(text) if judge.understood => {
                            judge.places.add_path(text, how, reach);
                            judge.places.add_embedded_paths(text, Use::Either, reach);
                        }
                        word => judge.places.add_word(word, how, reach),
                    }
                    judge.add_other_files(form, scan, (word, *place), how, reach);
                    add_find_deletions(judge, form, scan, word);
                }
            }
            Role::Page => {
                judge.places.add_word(word, how, Reach::Itself);
                if word.literal().is_none_or(|text| text.contains('/')) {
                    judge.add_plain_caveat("a page that may include other files", vec![*place]);
                    judge.named_elsewhere("what the page includes", Use::Read);
                }
            }
            Role::Path | Role::Script | Role::Module => {
                paths += 1;
                judge.places.add_word(word, Use::Either, reach);
                judge.add_other_files(form, scan, (word, *place), Use::Either, reach);
                if form.changed {
                    pathspec::add_changed(judge, word, *place, before);
                }
            }
            Role::Written => {
                add_written_file(judge, WriteKind::Write, word, *place, reach);
                judge.add_written_near(form, scan, word, reach);
            }
            Role::Output => {
                add_written_file(judge, WriteKind::Write, word, *place, reach);
                judge.add_plain_caveat("an operand that is written", vec![*place]);
            }
            Role::Target => destination = Some((word, *place)),
            Role::Created => judge.places.add_word(word, Use::Write(WriteKind::Create), reach),
            Role::Edited => {
                judge.places.add_word(word, Use::Write(WriteKind::Edit), reach);
                judge.places.add_word(word, Use::Read, reach);
            }
            Role::Marked => judge.places.add_word(word, Use::Write(WriteKind::Edit), reach),
            Role::Packed => {
                add_written_file(judge, WriteKind::Move, word, *place, reach);
                judge.places.add_word(word, Use::Write(WriteKind::Move), Reach::All);
                judge.places.add_word(word, Use::Read, reach);
                judge.add_written_near(form, scan, word, reach);
                judge.add_names_near(form, scan, word, Use::Read, reach);
                // What is unpacked lies beside it, under the rest of its name.
                if let Some(inner) = word.literal().and_then(|name| unpacked_name(name, scan)) {
                    let inner = inner.as_str();
                    judge.places.add_path(inner, Use::Write(WriteKind::Write), Reach::Itself);
                }
            }
            Role::Deleted => judge.places.add_word(word, Use::Write(WriteKind::Delete), reach),
            Role::Change => {
                judge.places.add_word(word, Use::Either, Reach::Itself);
                // An option that says so already covers it: `git branch -D x`.
                if !scan.has_meaning(OptionMeaning::Changes) {
                    judge.add_plain_caveat("an operand with which it changes something", vec![*place]);
                }
            }
            Role::Loaded => {
                judge.known.runs_input = true;
                judge.add_given_program(GivenProgram::File(word.clone()));
                judge.places.add_word(word, Use::Either, Reach::Itself);
                judge.add_plain_caveat("it runs what stands in a file", vec![*place]);
            }
            Role::Url => match word {
                Word::Literal(text) => {
                    judge.places.add_host(text);
                    judge.places.add_possible_paths(text, Use::Either, Reach::Itself);
                }
                Word::Open(open) => judge.places.open_address(open, true),
            },
        }
    }
    if edits && paths == 0 {
        unnamed_writes::add_unnamed_edits(judge, form, scan);
    }
    // `host:folder` is on another machine.
    let away = |word: &Word| {
        let text = word.literal().unwrap_or_default();
        form.special == Some(SpecialCase::Remote)
            && text.split_once(':').is_some_and(|(host, _)| !host.contains('/'))
    };
    // `sftp host:file` fetches it to the folder at hand.
    if let Some((Word::Literal(from), _)) = destination.filter(|(word, _)| count == 1 && away(word))
        && let Some(name) = Path::new(path_on_host(from)).file_name().and_then(|name| name.to_str())
    {
        judge.places.add_path(name, Use::Write(WriteKind::Write), Reach::Itself);
    }
    let destination = destination.filter(|(word, _)| !away(word));
    // The folders above what is copied are made below the target, too: `cp --parents`, `rsync -R`.
    let remote = form.special == Some(SpecialCase::Remote);
    let relative = remote && (scan.has_option("-R") || scan.has_option("--relative"));
    let keeps = relative || scan.has_option("--parents");
    if let Some(found) = target {
        if let Some(value) = &found.value {
            let word = value.text.map(Word::from).or_else(|| words.get(value.place).cloned());
            if let Some(word) = word {
                add_copies(judge, &sources, (&word, value.place), reach, true, (keeps, remote));
            }
        }
    } else if let Some((word, place)) = destination {
        add_copies(judge, &sources, (word, place), reach, false, (keeps, remote));
    }
    if form.feeds && reach != Reach::Itself {
        judge.places.add_path(".", how, reach);
    }
    // Neither paths nor files of a revision leave anything out of a revision that stands beside them, where it is a text.
    let named = paths > 0 || inner > 0 && revisions == 0;
    let named = named && !texts && !form.widens.holds(&scan.options);
    if named || destination.is_some() || judge.command.piped && form.reads_input {
        return;
    }
    if form.here || form.here_below && reach != Reach::Itself {
        // From wherever it is asked, git's state is that of the whole work tree.
        let from = if shows_changed { pathspec::repository_top(judge) } else { ".".to_owned() };
        judge.places.add_path(&from, how, reach);
        add_find_deletions(judge, form, scan, &Word::from("."));
    }
    if shows_changed {
        pathspec::add_whole_repository(judge, how, past);
    }
}

/// What a path is called on the machine that may stand before it: `host:file`.
fn path_on_host(text: &str) -> &str {
    text.split_once(':')
        .filter(|(host, path)| !host.contains('/') && !path.is_empty())
        .map_or(text, |(_, path)| path)
}

/// The name that a file has once it is unpacked, by the name that it has before.
fn unpacked_name(name: &str, scan: &Scan<'_>) -> Option<String> {
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
pub(super) fn operand_reach(judge: &CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) -> Reach {
    let has = |with: &OptionCondition| with.holds(&scan.options);
    let listed =
        has(&form.lists) || !form.patch_by.is_empty() && git_files::shows_no_patch(judge, form, scan);
    let lists = judge.understood && listed && !has(&form.contents) && !acts_on_matches(scan);
    if form.objects && pathspec::names_object(judge, scan) {
        Reach::Shown
    } else if lists {
        Reach::Itself
    } else if has(&form.deep) || judge.searches_all {
        Reach::All
    } else if has(&form.shown) || form.changed {
        Reach::Shown
    } else {
        Reach::Itself
    }
}

/// Whether it comes to where the links below lead: it follows them, or may, or hands them on to what does.
pub(super) fn can_follow_links(judge: &CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) -> bool {
    let may = !form.follows.is_never() && (!judge.understood || acts_on_matches(scan));
    may || form.follows.holds(&scan.options)
}

/// How it passes by hidden names.
pub(super) fn hidden_names(
    form: &'static CommandForm,
    scan: &Scan<'_>,
    told: Option<&Scan<'_>>,
    follows: bool,
) -> HiddenNames {
    let unsparing = |name: &str| matches!(name, "-I" | "-u") || name.starts_with("--no-ignore");
    let all = || scan.options.iter().chain(told.into_iter().flat_map(|told| &told.options));
    let has = |which: &dyn Fn(&str) -> bool| all().any(|found| which(found.name));
    // With this none of those files counts, unless another option has some count again.
    let none = scan.unknown.is_empty()
        && scan.swallowed.is_empty()
        && has(&|name| name == "--no-ignore")
        && !has(&|name| name.starts_with("--ignore"));
    HiddenNames {
        files: if none { &[] } else { &form.shown_by },
        unsparing: !scan.unknown.is_empty() || has(&unsparing),
        follows,
    }
}

/// Whether it does something with what it finds, besides telling it.
fn acts_on_matches(scan: &Scan<'_>) -> bool {
    let meanings = [
        OptionMeaning::Command,
        OptionMeaning::Line,
        OptionMeaning::OwnLine,
        OptionMeaning::Changes,
        OptionMeaning::Runs,
        OptionMeaning::Evaluates,
    ];
    !scan.perhaps.is_empty() || meanings.into_iter().any(|meaning| scan.has_meaning(meaning))
}

/// How it uses what it reads: a command that it runs on it could do anything.
fn operand_use(judge: &CommandAnalyzer<'_>, scan: &Scan<'_>) -> Use {
    let runs = scan.has_meaning(OptionMeaning::Command) || scan.has_meaning(OptionMeaning::Line);
    if !judge.understood || runs { Use::Either } else { Use::Read }
}

/// `find -delete` removes what it finds.
fn add_find_deletions(judge: &mut CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>, word: &Word) {
    if form.special == Some(SpecialCase::Find) && scan.has_meaning(OptionMeaning::Changes) {
        judge.places.add_word(word, Use::Write(WriteKind::Delete), Reach::All);
    }
}

/// The roles, without the first where an option stands in its place, and without the last where one
/// names the target.
pub(super) fn fitting_roles<'a>(
    roles: &'a Operands,
    form: &CommandForm,
    scan: &Scan<'_>,
    target: bool,
) -> Cow<'a, Operands> {
    if scan.relies_on(form, &form.listing) {
        return Cow::Owned(Operands { many: Some(Role::Pattern), ..Operands::default() });
    }
    if scan.relies_on(form, &form.shows) {
        return Cow::Owned(Operands { many: Some(Role::Read), ..Operands::default() });
    }
    if scan.relies_on(form, &form.creates) {
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
fn add_written_file(
    judge: &mut CommandAnalyzer<'_>,
    kind: WriteKind,
    word: &Word,
    place: usize,
    reach: Reach,
) {
    judge.reader = false;
    match word {
        Word::Literal(text) => {
            judge.add_write(kind, text);
            judge.places.add_embedded_paths(text, Use::Write(kind), reach);
        }
        Word::Open(open) => {
            judge.places.add_open_word(open, Use::Write(kind), reach);
            judge.add_plain_caveat("it writes to a place that is not known", vec![place]);
        }
    }
}

/// `sources` are copied to `target`: the file itself, or files of their names in it.
fn add_copies(
    judge: &mut CommandAnalyzer<'_>,
    sources: &[&Word],
    (target, place): (&Word, usize),
    reach: Reach,
    folder: bool,
    (keeps, remote): (bool, bool),
) {
    let text = match target {
        Word::Literal(text) => text,
        Word::Open(open) => {
            add_written_file(judge, WriteKind::Write, target, place, reach);
            return unpack::write_below_folder(judge, open, sources);
        }
    };
    let exists = judge.command.cwd.is_some_and(|cwd| cwd.join(Path::new(text)).is_dir());
    let folder = folder || keeps || text.ends_with('/') || exists;
    // `x/.` and, for some programs, `x/` are what is in the folder, and not the folder.
    let inner = |name: &str| ["/", "/.", "/.."].iter().any(|end| name.ends_with(end)) || name == ".";
    let name = |word: &&Word| {
        let whole = word.literal().filter(|name| !inner(name))?;
        let whole = if remote { path_on_host(whole) } else { whole };
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
    judge.places.add_path(text, Use::Write(WriteKind::Write), whole);
    if whole == Reach::All && inside.is_none() {
        unpack::fill_folder(judge, text, true);
    }
    match inside {
        Some(inside) => {
            for path in inside {
                judge.add_write(WriteKind::Write, &path);
                if reach == Reach::All {
                    judge.places.add_path(&path, Use::Write(WriteKind::Write), reach);
                }
            }
        }
        None => judge.add_write(WriteKind::Write, text),
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
