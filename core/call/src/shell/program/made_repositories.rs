//! What `git clone`, `git init` and `git worktree add` put where: a folder full of files that no word names, and, from a template,
//! the hooks of a repository.

use super::analyzer::CommandAnalyzer;
use super::form::{CommandForm, Role};
use super::scan::Scan;
use super::table::RewriteFolder;
use super::unpack::fill_folder_with;
use crate::WriteKind;
use crate::shell::{OpenWord, Reach, Use, Word};

const WRITE: Use = Use::Write(WriteKind::Write);

/// Notes the folder that the command makes: whatever lies there afterwards was written by it.
pub(super) fn add_made_folder(judge: &mut CommandAnalyzer<'_>, form: &CommandForm, scan: &Scan<'_>) {
    let words = judge.words;
    let operands: Vec<&Word> = scan.operands.iter().filter_map(|place| words.get(*place)).collect();
    match form.rewrites_in {
        RewriteFolder::Made => {}
        // `git worktree add FOLDER`, of which it is not said which operand is the folder.
        RewriteFolder::Operands if form.operands.is_none() => {
            return operands
                .into_iter()
                .filter_map(Word::literal)
                .for_each(|folder| add_filled_folder(judge, folder, true));
        }
        _ => return,
    }
    // Of these it makes its own files alone, and none of what it copies.
    let own = ["--bare", "--mirror"].iter().any(|name| scan.has_option(name));
    let creates = form.operands.as_ref().is_some_and(|roles| roles.first.first() == Some(&Role::Created));
    let copies = !own && !creates;
    match operands.as_slice() {
        [] => {}
        [Word::Literal(from)] if !creates => add_filled_folder(judge, &made_name(from), copies),
        [Word::Open(_)] => {}
        [.., Word::Literal(last)] => add_filled_folder(judge, last, copies),
        // As a folder that is made it is judged already.
        [.., Word::Open(_)] => {}
    }
    add_settings_of_made(judge, &operands, creates);
}

/// The folder that an address is copied to where no other is named.
pub(super) fn made_name(from: &str) -> String {
    let name = from.trim_end_matches(['/', ' ']).trim_end_matches(".git").trim_end_matches('/');
    let name = name.rsplit(['/', ':']).next().unwrap_or_default();
    name.trim_end_matches(".bundle").to_owned()
}

/// The folder is made anew; `copies`: with what lies elsewhere, and else with what git itself puts there.
fn add_filled_folder(judge: &mut CommandAnalyzer<'_>, folder: &str, copies: bool) {
    fill_folder_with(judge, folder, if copies { ".git/HEAD" } else { "HEAD" }, copies);
}

/// A template's files become the repository's: its hooks are run later. And where the repository's own folder lies elsewhere, its
/// hooks and its configuration do, by names that nobody knows for such.
fn add_settings_of_made(judge: &mut CommandAnalyzer<'_>, operands: &[&Word], creates: bool) {
    for place in 0..judge.words.len() {
        let Some(word) = judge.words.get(place) else { continue };
        let text = word.known_prefix();
        let name = text.split('=').next().unwrap_or_default();
        let names = |option: &str, least: usize| name.len() >= least && option.starts_with(name);
        let template = names("--template", 3);
        if !template && !names("--separate-git-dir", 4) {
            continue;
        }
        let value = match text.split_once('=') {
            Some((_, value)) => Some(value),
            None => judge.words.get(place + 1).and_then(Word::literal),
        };
        // Without a name there is no template.
        if word.literal().is_some() && value.is_some_and(str::is_empty) {
            continue;
        }
        if !template {
            judge.add_always_caveat("what it says git to run would lie in another folder, under other names");
            continue;
        }
        add_template_caveat(judge);
        let folder = match operands {
            [] => ".",
            [from] if !creates => &made_name(from.known_prefix()),
            [.., last] => last.known_prefix(),
        };
        let folder = folder.trim_end_matches('/');
        for part in [".git/", ".git/hooks/"] {
            let pieces = vec![Some(format!("{folder}/{part}")), None];
            let open = OpenWord { text: format!("{folder}/{part}*"), pieces, ..OpenWord::default() };
            judge.places.add_open_word(&open, WRITE, Reach::Itself);
        }
    }
}

fn add_template_caveat(judge: &mut CommandAnalyzer<'_>) {
    judge.add_always_caveat("a template says what git runs in the repository");
}

/// `git -c init.templateDir=FOLDER ...`, whatever git makes then.
pub(super) fn add_template_setting(judge: &mut CommandAnalyzer<'_>) {
    const KEY: &str = "init.templatedir=";
    let sets = |word: &Word| {
        let text = word.known_prefix();
        // Most words are no setting.
        if !text.contains('=') {
            return false;
        }
        let text = text.to_ascii_lowercase();
        let Some((before, value)) = text.split_once(KEY) else { return false };
        matches!(before, "" | "-c" | "--config=" | "--config-env=")
            && (!value.is_empty() || word.literal().is_none())
    };
    if judge.words.iter().skip(1).any(sets) {
        add_template_caveat(judge);
    }
}
