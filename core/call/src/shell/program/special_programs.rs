//! Programs with a language of their own, or whose safety hangs on files around them.

use super::analyzer::CommandAnalyzer;
use super::form::{CommandForm, OptionMeaning};
use super::scan::{FoundOption, Scan};
use super::table::SpecialCase;
use super::{
    FolderChange, awk, backups, cargo_words, clients, git_files, jq_modules, looked_up_names,
    made_repositories, manifests, outputs, repository, sed, tool, toolchains, unpack, users,
};
use crate::WriteKind;
use crate::shell::{OpenWord, Reach, Use, Word, variables};

/// What the table can't say about a command.
pub(super) fn analyze_special(judge: &mut CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) {
    if judge.words.iter().filter_map(Word::literal).any(|word| word.rsplit('/').next() == Some("git")) {
        git_files::look_at_repository(judge);
        remote_helpers(judge);
        made_repositories::add_template_setting(judge);
        add_signature_caveats(judge, scan);
    }
    cargo_words::handed_on(judge);
    clients::add_client_caveats(judge);
    looked_up_names::add_looked_up_names(judge, scan);
    match form.special {
        Some(SpecialCase::Awk) => {
            visit_program_texts(judge, form, scan, |judge, text, place| {
                if let Some(reason) = awk::danger_reason(text) {
                    judge.add_plain_caveat(reason, vec![place]);
                    if reason == awk::BY_NAME {
                        judge.add_always_caveat(reason);
                    }
                    awk_names(judge, text, reason.contains("writes"));
                    let texts = outputs::quoted_texts(text).into_iter().take(8);
                    let texts: Vec<_> = texts.filter(|text| !judge.known.lines.contains(text)).collect();
                    judge.known.prose.extend(texts);
                    if ["system", "getline", "sh\""].iter().any(|mark| text.contains(mark)) {
                        given_lines(judge, place);
                    }
                }
            });
            // To gawk this is no file.
            for place in &scan.operands {
                if judge.words.get(*place).is_some_and(|word| word.text().contains("/inet")) {
                    judge.add_plain_caveat("an operand that is a connection", vec![*place]);
                }
            }
        }
        Some(SpecialCase::Split) => backups::add_parts(judge, scan),
        Some(SpecialCase::Sed) => {
            visit_program_texts(judge, form, scan, sed_script);
            if let [first, second, ..] = scan.operands.as_slice()
                && let Some(text) = judge.words.get(*second).and_then(Word::literal)
            {
                // Where `-i` takes the next word: `sed -i '' SCRIPT FILE`.
                if judge.words.get(*first).and_then(Word::literal) == Some("") {
                    sed_script(judge, text, *second);
                } else if scan.options.iter().any(|found| is_bsd_suffix(found, *first)) {
                    sed_file(judge, text, *second);
                }
            }
        }
        Some(SpecialCase::Jq) => {
            visit_program_texts(judge, form, scan, check_jq_filter);
            jq_modules::add_modules(judge, scan);
            // Behind a file, `yq` takes its filter too.
            if form.operands.as_ref().is_some_and(|of| of.first.is_empty()) {
                let behind = scan.operands.iter().skip(1);
                let texts = behind.filter_map(|at| Some((judge.words.get(*at)?.literal()?, *at)));
                texts.for_each(|(text, place)| check_jq_filter(judge, text, place));
            }
        }
        Some(SpecialCase::Dd) => analyze_dd(judge, scan),
        Some(SpecialCase::Tar) => analyze_tar(judge, scan),
        Some(SpecialCase::User) => users::shell_of_a_user(judge, scan),
        Some(SpecialCase::Cd) => analyze_cd(judge, scan),
        Some(SpecialCase::Date) => analyze_date(judge, scan),
        Some(SpecialCase::Sets) => add_setting_caveats(judge, scan),
        Some(SpecialCase::GitConfig) if judge.reader => {
            judge.reader = plain_key(judge, scan) && git_files::look_at_repository(judge);
        }
        Some(SpecialCase::Git) if judge.reader => {
            judge.reader = git_files::look_at_repository(judge) && git_files::look_above(judge);
        }
        Some(SpecialCase::RunsGit) if judge.reader => judge.reader = is_unguided(judge, SpecialCase::Git),
        Some(SpecialCase::Go) if judge.reader => judge.reader = is_unguided(judge, SpecialCase::Go),
        Some(SpecialCase::Cargo) if judge.reader => {
            judge.reader = is_unguided(judge, SpecialCase::Cargo) && manifests::keeps_to_its_folder(judge);
            manifests::add_named_manifests(judge);
        }
        Some(SpecialCase::Module) => tool::analyze_python_module(judge, scan),
        Some(SpecialCase::Mounts) => unpack::add_mounts(judge, scan),
        Some(
            SpecialCase::Git
            | SpecialCase::GitConfig
            | SpecialCase::Cargo
            | SpecialCase::Go
            | SpecialCase::Find
            | SpecialCase::Input
            | SpecialCase::Several
            | SpecialCase::Shell
            | SpecialCase::Remote
            | SpecialCase::RunsGit
            | SpecialCase::Aliases,
        )
        | None => {}
    }
}

/// `git config --get user.name`: one key that holds no secret. What else is set, here and for the user, may
/// be one.
fn plain_key(judge: &CommandAnalyzer<'_>, scan: &Scan<'_>) -> bool {
    let more = ["-l", "--list", "--get-regexp", "--get-urlmatch", "--get-color", "--get-colorbool"];
    let more = more.iter().chain(&["--regexp", "--all", "--url"]);
    let key = scan.operands.first().and_then(|place| judge.words.get(*place)?.literal());
    key.is_some_and(repository::is_harmless) && !more.into_iter().any(|name| scan.has_option(name))
}

/// A filter of jq.
fn check_jq_filter(judge: &mut CommandAnalyzer<'_>, text: &str, place: usize) {
    if mentions_word(text, "import") || mentions_word(text, "include") {
        judge.add_plain_caveat("a filter that loads files", vec![place]);
    }
    let elsewhere = ["env", "ENV", "load", "system", "eval"];
    judge.reader &= !elsewhere.iter().any(|word| mentions_word(text, word));
}

/// Whether a filter holds this otherwise than in the name of a key: `.env`, `.a.imports`.
pub(super) fn mentions_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let before = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        !before.ends_with('.') || before.ends_with("..")
    })
}

/// Whether no file around the command tells such a program what to run.
pub(super) fn is_unguided(judge: &CommandAnalyzer<'_>, which: SpecialCase) -> bool {
    judge.command.cwd.is_some_and(|cwd| match which {
        SpecialCase::Git | SpecialCase::GitConfig => {
            let folder = judge.command.looked.resolved_folder(cwd);
            let look = folder.and_then(|folder| judge.command.repositories.look(&folder, None));
            look.is_some_and(|look| look.harmless)
        }
        SpecialCase::Cargo => {
            judge.command.looked.resolved_folder(cwd).is_some_and(|cwd| toolchains::plain_cargo(&cwd))
        }
        SpecialCase::Go => {
            judge.command.looked.resolved_folder(cwd).is_some_and(|cwd| toolchains::plain_go(&cwd))
        }
        _ => true,
    })
}

/// What is read where a file around the folder holds options that the program obeys: `.ackrc` may name files.
pub(in crate::shell) const NAMED_BY_GUIDES: &str = "what a file of options names";

/// A program with such a file around is no reader, and reads what is named there.
pub(super) fn look_for_guides(judge: &mut CommandAnalyzer<'_>, form: &CommandForm) {
    if form.guides.is_empty() {
        return;
    }
    let Some(cwd) = judge.command.cwd.and_then(|cwd| judge.command.looked.resolved_folder(cwd)) else {
        judge.reader = false;
        return;
    };
    if !toolchains::without_guides(&cwd, &form.guides) {
        judge.reader = false;
        judge.named_elsewhere(NAMED_BY_GUIDES, Use::Read);
    }
}

/// Whether no version manager's file around the folder says which program starts.
pub(super) fn plain_versions(judge: &CommandAnalyzer<'_>) -> bool {
    let cwd = judge.command.cwd.and_then(|cwd| judge.command.looked.resolved_folder(cwd));
    cwd.is_some_and(|cwd| toolchains::plain_versions(&cwd))
}

/// The texts of a small language: values of options that stand in place of the first operand, or the
/// first operand.
fn visit_program_texts(
    judge: &mut CommandAnalyzer<'_>,
    form: &CommandForm,
    scan: &Scan<'_>,
    look: fn(&mut CommandAnalyzer<'_>, &str, usize),
) {
    let instead: Vec<_> = scan.options.iter().filter(|found| form.instead.contains(found.name)).collect();
    // An option that is not known may take the next word: then another is the text.
    if !scan.unknown.is_empty() {
        let behind = scan.operands.iter().skip(usize::from(instead.is_empty()));
        let texts = behind.filter_map(|at| Some((judge.words.get(*at)?.literal()?.to_owned(), *at)));
        for (text, place) in texts.collect::<Vec<_>>() {
            look(judge, &text, place);
        }
    }
    if instead.is_empty() {
        let Some(place) = scan.operands.first() else { return };
        match judge.words.get(*place).map(|word| word.literal().map(str::to_owned)) {
            Some(Some(text)) => look(judge, &text, *place),
            _ => judge.add_plain_caveat("a program text that is not known", vec![*place]),
        }
        return;
    }
    // Where options end at the first operand, that is the text.
    if let Some(place) = scan.operands.first()
        && instead.iter().all(|found| found.place > *place)
        && let Some(text) = judge.words.get(*place).and_then(Word::literal)
    {
        look(judge, text, *place);
    }
    // Several are one text, each a line of it.
    let patterns = instead.iter().filter(|found| found.known.meaning == OptionMeaning::Pattern);
    let texts: Vec<Option<(&str, usize)>> = patterns
        .map(|found| found.value.as_ref().and_then(|value| Some((value.text?, value.place))))
        .collect();
    let Some(place) = texts.iter().flatten().map(|(_, place)| *place).next() else {
        if !texts.is_empty() {
            judge.add_plain_caveat("a program text that is not known", Vec::new());
        }
        return;
    };
    if texts.iter().any(Option::is_none) {
        judge.add_plain_caveat("a program text that is not known", Vec::new());
    }
    let text = texts.iter().flatten().map(|(text, _)| *text).collect::<Vec<_>>().join("\n");
    look(judge, &text, place);
}

/// The files and lines that an awk program names.
/// What a program that runs lines is given besides may be one: a variable (`-v c='rm x'`, `c='rm x'`), or an argument.
fn given_lines(judge: &mut CommandAnalyzer<'_>, program: usize) {
    let others = judge.words.iter().enumerate().skip(1).filter(|(place, _)| *place != program);
    let texts = others.filter_map(|(_, word)| word.literal());
    let lines: Vec<&str> = texts.map(|text| text.split_once('=').map_or(text, |(_, value)| value)).collect();
    lines.into_iter().for_each(|line| judge.add_possible_line(&Word::from(line)));
    judge.known.runs_input = true;
}

fn awk_names(judge: &mut CommandAnalyzer<'_>, text: &str, writes: bool) {
    for named in outputs::marked_texts(text) {
        match named {
            outputs::MarkedText::Written(file, true) if writes => judge.add_write(WriteKind::Write, &file),
            outputs::MarkedText::Written(file, true) => {
                judge.places.add_path(&file, Use::Write(WriteKind::Write), Reach::Itself);
            }
            outputs::MarkedText::Written(file, false) => {
                let pieces = vec![Some(file.clone()), None];
                let open = OpenWord { text: file, pieces, ..OpenWord::default() };
                judge.places.add_open_word(&open, Use::Write(WriteKind::Write), Reach::Itself);
            }
            outputs::MarkedText::Read(file) => judge.places.add_path(&file, Use::Read, Reach::Itself),
            outputs::MarkedText::Line(line) => judge.add_possible_line(&Word::Literal(line)),
        }
    }
}

fn sed_script(judge: &mut CommandAnalyzer<'_>, text: &str, place: usize) {
    for effect in sed::script_effects(text) {
        match effect {
            // `e` by itself, and the flag of `s`: what it reads is a line that it runs.
            sed::SedEffect::Runs(line) if line.is_empty() => {
                judge.add_always_caveat("the sed script runs what it reads")
            }
            sed::SedEffect::Runs(line) => {
                judge.add_plain_caveat("the sed script runs a program", vec![place]);
                judge.add_possible_line(&Word::Literal(line));
            }
            sed::SedEffect::Writes(file) => {
                judge.add_plain_caveat("the sed script writes a file", vec![place]);
                judge.add_write(WriteKind::Write, &file);
            }
            sed::SedEffect::Reads(file) => {
                judge.add_plain_caveat("the sed script reads another file", vec![place]);
                judge.places.add_path(&file, Use::Read, Reach::Itself);
            }
            sed::SedEffect::Differs => {
                judge.add_plain_caveat("a sed script that seds read in two ways", vec![place])
            }
            // It may run anything.
            sed::SedEffect::Unknown => judge.add_always_caveat("a sed script that mayi can't read"),
        }
    }
}

/// Whether the program ends with an error before it does anything: `sed -l 80 -n SCRIPT FILE`, to a sed for
/// which 80 is the script.
pub(super) fn fails_early(judge: &CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) -> bool {
    let instead = scan.options.iter().any(|found| form.instead.contains(found.name));
    let first = scan.operands.first().and_then(|place| judge.words.get(*place)?.literal());
    form.special == Some(SpecialCase::Sed)
        && !instead
        && first.is_some_and(|text| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()))
}

/// `sed -i SCRIPT FILE`, where BSD's takes the script for the suffix of its backups.
fn is_bsd_suffix(found: &FoundOption<'_>, first: usize) -> bool {
    matches!(found.name, "-i" | "-I") && found.value.is_none() && found.place + 1 == first
}

/// What BSD's sed then takes for the script. It mostly is the file's name, and as a script an error; its
/// commands write and read, and run nothing.
fn sed_file(judge: &mut CommandAnalyzer<'_>, text: &str, place: usize) {
    for effect in sed::script_effects(text) {
        match effect {
            // `w FILE`, and a file that lies elsewhere, are meant so.
            sed::SedEffect::Writes(file)
                if text.contains(char::is_whitespace)
                    || file.starts_with(['/', '~'])
                    || file.split('/').any(|part| part == "..") =>
            {
                judge.add_plain_caveat("the sed script writes a file", vec![place]);
                judge.add_write(WriteKind::Write, &file);
            }
            sed::SedEffect::Writes(file) => {
                judge.places.add_path(&file, Use::Write(WriteKind::Write), Reach::Itself);
            }
            sed::SedEffect::Reads(file) => judge.places.add_path(&file, Use::Read, Reach::Itself),
            sed::SedEffect::Runs(_) | sed::SedEffect::Differs | sed::SedEffect::Unknown => {}
        }
    }
}

/// `dd if=FILE of=FILE`.
fn analyze_dd(judge: &mut CommandAnalyzer<'_>, scan: &Scan<'_>) {
    for place in &scan.operands {
        match judge.words.get(*place) {
            Some(Word::Literal(text)) => {
                if let Some(file) = text.strip_prefix("of=") {
                    judge.add_write(WriteKind::Write, file);
                } else if let Some(file) = text.strip_prefix("if=") {
                    judge.places.add_path(file, Use::Read, Reach::Itself);
                }
            }
            Some(Word::Open(open))
                if open
                    .pieces
                    .first()
                    .is_none_or(|first| first.as_deref().is_none_or(|first| first.starts_with("of="))) =>
            {
                judge.places.add_open_word(open, Use::Either, Reach::Itself);
                judge.add_plain_caveat("it writes to a place that is not known", vec![*place]);
            }
            Some(Word::Open(open)) => judge.places.add_open_word(open, Use::Either, Reach::Itself),
            None => {}
        }
    }
}

/// Making an archive writes it; taking one apart writes below the folder that it is taken apart in.
fn analyze_tar(judge: &mut CommandAnalyzer<'_>, scan: &Scan<'_>) {
    let has = |names: &[&str]| scan.options.iter().any(|found| names.contains(&found.name));
    let makes = has(&[
        "-c",
        "--create",
        "-r",
        "--append",
        "-u",
        "--update",
        "--delete",
        "-A",
        "--concatenate",
        "--catenate",
    ]);
    let takes = has(&["-x", "--extract", "--get"]);
    if takes {
        judge.places.add_path(".", Use::Write(WriteKind::Write), Reach::Itself);
        let folders = |name| matches!(name, "-C" | "--directory" | "--cd" | "--one-top-level");
        scan.options
            .iter()
            .filter(|found| folders(found.name))
            .for_each(|found| unpack::write_into_folder(judge, found));
    }
    for found in scan.options.iter().filter(|found| matches!(found.name, "-f" | "--file")) {
        let Some(value) = &found.value else { continue };
        // `HOST:FILE` is fetched by another program.
        let remote = |file: &str| file.split('/').next().is_some_and(|first| first.contains(':'));
        if value.text.is_some_and(remote) {
            judge.add_plain_caveat("an archive on another machine", vec![value.place]);
        }
        match value.text {
            Some(file) if makes => judge.add_write(WriteKind::Write, file),
            Some(file) => judge.places.add_possible_paths(file, Use::Either, Reach::Itself),
            None => {
                if let Some(word) = judge.words.get(value.place) {
                    judge.places.add_word(word, Use::Either, Reach::Itself);
                }
            }
        }
    }
    let lists = has(&["-t", "--list"]) && !makes && !takes;
    judge.reader &= lists;
    for place in &scan.operands {
        if let Some(word) = judge.words.get(*place)
            && makes
        {
            let word = tar_member(judge, scan, word, *place);
            judge.places.add_word(&word, Use::Either, Reach::All);
        }
    }
}

/// What is put into an archive, from the folders that options before it name, each from the one before: `tar -cf - -C src .`.
fn tar_member(judge: &CommandAnalyzer<'_>, scan: &Scan<'_>, word: &Word, place: usize) -> Word {
    let folders = scan.options.iter().filter(|found| {
        matches!(found.name, "-C" | "--directory" | "--cd")
            && found.value.as_ref().is_some_and(|value| value.place < place)
    });
    let mut from = String::new();
    for value in folders.filter_map(|found| found.value.as_ref()) {
        match value.text {
            Some(folder) if folder.starts_with('/') => from = format!("{folder}/"),
            Some(folder) => from.push_str(&format!("{folder}/")),
            None => return word.clone(),
        }
    }
    match word {
        Word::Literal(text) if judge.understood && !text.starts_with('/') => {
            Word::Literal(format!("{from}{text}"))
        }
        // What is not known is looked at from the folder at hand, and from those that options name.
        word => word.clone(),
    }
}

/// `ext::LINE` and `fd::NUMBER` are addresses that run a program, or speak with one.
fn remote_helpers(judge: &mut CommandAnalyzer<'_>) {
    for (place, word) in judge.words.iter().enumerate().skip(1) {
        if ["ext::", "fd::"].iter().any(|helper| word.known_prefix().contains(helper)) {
            judge.add_plain_caveat("an address that runs a program", vec![place]);
            if let Some((_, line)) = word.literal().and_then(|text| text.split_once("ext::")) {
                judge.add_possible_line(&Word::from(line));
            }
        }
    }
}

/// `git log --format=%G?` runs what checks signatures, as `--show-signature` does.
fn add_signature_caveats(judge: &mut CommandAnalyzer<'_>, scan: &Scan<'_>) {
    let formats = scan
        .options
        .iter()
        .filter(|found| matches!(found.name, "--format" | "--pretty" | "--sort" | "--group"));
    for value in formats.filter_map(|found| found.value.as_ref()) {
        let text = value.text.map(str::to_owned).or_else(|| judge.words.get(value.place).map(Word::text));
        if text.is_some_and(|text| shows_signature(&text)) {
            judge.add_plain_caveat(
                "a format that has signatures checked by another program",
                vec![value.place],
            );
        }
    }
}

/// Whether a format names a part of a signature. Between its mark and its letter may stand how an empty one is shown.
fn shows_signature(format: &str) -> bool {
    let named = |behind: &str| behind.trim_start_matches(['+', '-', ' ']).starts_with('G');
    format.split('%').skip(1).any(named) || format.contains("signature")
}

fn analyze_cd(judge: &mut CommandAnalyzer<'_>, scan: &Scan<'_>) {
    let to = match scan.operands.as_slice() {
        [place] => judge.words.get(*place).and_then(Word::literal),
        _ => None,
    };
    judge.known.moves = Some(match to {
        Some(to) if !to.is_empty() && to != "-" && !to.starts_with('+') && scan.unknown.is_empty() => {
            FolderChange::To(to.to_owned())
        }
        _ => FolderChange::Somewhere,
    });
}

/// `make SHELL=x`, `sysctl a=b`: an operand that sets something.
fn add_setting_caveats(judge: &mut CommandAnalyzer<'_>, scan: &Scan<'_>) {
    judge.add_set_lines(scan);
    let words = judge.words;
    // `make test V=1` is `V=1 make test`.
    let inert = |(name, value): (&str, &str)| variables::is_inert(name, &Word::from(value));
    let plain = |word: &Word| word.literal().and_then(|text| text.split_once('=')).is_some_and(inert);
    let sets = |word: &&Word| word.known_prefix().contains('=') && !plain(word);
    for place in &scan.operands {
        if let Some(word) = words.get(*place).filter(sets) {
            judge.add_plain_caveat("an operand that sets something", vec![*place]);
            judge.add_possible_line(word);
        }
    }
}

/// `date +FORMAT` prints; any other operand sets the clock.
fn analyze_date(judge: &mut CommandAnalyzer<'_>, scan: &Scan<'_>) {
    for place in &scan.operands {
        let prefix = judge.words.get(*place).map(Word::known_prefix).unwrap_or_default();
        if !prefix.starts_with('+') {
            judge.add_plain_caveat("an operand with which it changes something", vec![*place]);
        }
    }
}
