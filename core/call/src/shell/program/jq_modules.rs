//! What a filter of jq loads: a module that it imports is looked for in folders that stand apart from its name.

use super::analyzer::CommandAnalyzer;
use super::scan::Scan;
use super::special_programs::mentions_word;
use crate::shell::{Reach, Use, Word};

/// As many texts of a filter are put together.
const MOST: usize = 12;

/// Notes the files that modules of the filters may be: each folder with each name. Where a text of such a filter is put together
/// or not written out, it could be any file.
pub(super) fn add_modules(judge: &mut CommandAnalyzer<'_>, scan: &Scan<'_>) {
    let filters = scan.operands.iter().filter_map(|at| judge.words.get(*at)?.literal());
    let loads = |text: &&str| mentions_word(text, "import") || mentions_word(text, "include");
    let filters: Vec<String> = filters.filter(loads).map(str::to_owned).collect();
    if filters.is_empty() {
        return;
    }
    let searched = scan.options.iter().filter(|found| matches!(found.name, "-L" | "--library-path"));
    let mut folders = Vec::new();
    let mut unknown = false;
    for found in searched {
        let value = found.value.as_ref();
        let word = value.and_then(|value| judge.words.get(value.place)).and_then(Word::literal);
        match value.and_then(|value| value.text).or(word) {
            Some(text) => folders.push(text.to_owned()),
            None => unknown = true,
        }
    }
    for filter in &filters {
        let texts = quoted_parts(filter);
        let head = filter.rsplit_once(';').map_or(filter.as_str(), |(head, _)| head);
        unknown |= filter.contains('\\') || head.contains('+') || texts.len() > MOST || folders.len() > MOST;
        for folder in folders.iter().map(String::as_str).chain(texts.iter().copied()).take(2 * MOST) {
            // These are folders of the user's, and of jq's.
            unknown |= folder.starts_with("$ORIGIN");
            for name in texts.iter().take(MOST) {
                add_module(judge, folder, name);
            }
        }
    }
    if unknown {
        judge.named_elsewhere("what the filter loads", Use::Read);
    }
}

/// The files that a module of this name in a folder may be.
fn add_module(judge: &mut CommandAnalyzer<'_>, folder: &str, name: &str) {
    if folder == name || folder.is_empty() || name.is_empty() || name.starts_with(['.', '/', '$']) {
        return;
    }
    let home = folder.strip_prefix("~/").zip(crate::home_folder());
    let folder = home.map_or_else(
        || folder.trim_end_matches('/').to_owned(),
        |(rest, home)| home.join(rest).to_string_lossy().into_owned(),
    );
    let last = name.rsplit('/').next().unwrap_or_default();
    for path in [name.to_owned(), format!("{name}/{last}"), format!("{name}/jq/main")] {
        for ending in [".jq", ".json"] {
            judge.places.add_path(&format!("{folder}/{path}{ending}"), Use::Read, Reach::Itself);
        }
    }
}

/// The texts between quotes.
fn quoted_parts(filter: &str) -> Vec<&str> {
    filter.split('"').skip(1).step_by(2).collect()
}
