//! Options that a program takes from a file that the environment names: `rg` reads the one that `RIPGREP_CONFIG_PATH` names
//! before its words.
//!
//! What such a file is told by the user counts as options of the command. It is trusted not to have anything run, as all that
//! the user has set up; but it may say that hidden names are searched, too. Whether it is the user's file is for the walk to
//! say: see `walk/ignore_files.rs`.

use std::path::Path;

use super::analyzer::CommandAnalyzer;
use super::form::CommandForm;
use super::repository::{entry_exists, read_small_file};
use super::scan::{Scan, scan_words};
use super::special_programs::NAMED_BY_GUIDES;
use super::user_settings::counted_from;
use crate::shell::{Use, Word};
use crate::variable;

/// What a file of options says.
pub(super) enum ToldOptions {
    None,
    These(Vec<Word>),
    /// That can't be told.
    Unknown,
}

/// What the file says that counts for this command.
pub(super) fn told_options(
    judge: &mut CommandAnalyzer<'_>,
    form: &CommandForm,
    scan: &Scan<'_>,
) -> ToldOptions {
    let Some((name, without)) = &form.options_file else { return ToldOptions::None };
    let certain = scan.unknown.is_empty() && scan.perhaps.is_empty() && scan.swallowed.is_empty();
    if certain && scan.has_option(without) {
        return ToldOptions::None;
    }
    let Some(told) = variable(name) else { return ToldOptions::None };
    let Some(file) = counted_from(judge.command.cwd, Path::new(&told)) else { return ToldOptions::Unknown };
    let text = if entry_exists(&file) { read_small_file(&file) } else { Some(String::new()) };
    judge.known.options_file = Some(file);
    let Some(text) = text else { return ToldOptions::Unknown };
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    ToldOptions::These(lines.map(Word::from).collect())
}

impl CommandAnalyzer<'_> {
    /// Takes what the file says into account; the options that it names.
    pub(super) fn obey_told_options<'o>(
        &mut self,
        form: &'o CommandForm,
        told: &'o ToldOptions,
    ) -> Option<Scan<'o>> {
        let told = match told {
            ToldOptions::None => return None,
            ToldOptions::These(words) => Some(scan_words(form, words, 0, None)),
            ToldOptions::Unknown => None,
        };
        let sound = told.as_ref().is_some_and(|told| told.unknown.is_empty() && told.swallowed.is_empty());
        self.searches_all = !sound || told.as_ref().is_some_and(|told| form.deep.holds(&told.options));
        // A word that is no option, or stands for the pattern: the command's own words are others then.
        let shifts = |told: &Scan<'_>| {
            !told.operands.is_empty() || told.options.iter().any(|found| form.instead.contains(found.name))
        };
        if told.as_ref().is_none_or(shifts) {
            self.reader = false;
            self.named_elsewhere(NAMED_BY_GUIDES, Use::Read);
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use crate::home::told;
    use crate::shell::{Reach, Surroundings, TouchedPath, line_accesses, shell_accesses};

    /// Whether the last command of a line only reads, whether it goes through everything in the folder, and whether it may read
    /// anything.
    fn last(line: &str, root: &Path) -> (bool, bool, bool) {
        let roots = [root.to_owned()];
        let found = line_accesses(line, &Surroundings::new(root, &roots));
        let shell = shell_accesses(&found).last().unwrap();
        let any = |path: &TouchedPath| matches!(path, TouchedPath::Open(open) if open.pieces.first() == Some(&None));
        (
            shell.reader,
            shell.touches.iter().any(|touch| touch.reach == Reach::All),
            shell.touches.iter().any(|touch| any(&touch.path)),
        )
    }

    /// Attack 671.
    #[test]
    fn given_a_file_of_options_that_the_environment_names_then_they_count_as_the_commands_own() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        let (root, file) = (top.join("w"), top.join("rc"));
        fs::create_dir_all(root.join("src")).unwrap();
        told::set("RIPGREP_CONFIG_PATH", file.as_os_str());
        assert_eq!(last("rg KEY", &root), (true, false, false), "there is no such file");
        for (text, expected) in [
            ("# --hidden\n\n--smart-case\n--max-columns=150\n--colors\nmatch:fg:red\n", (true, false, false)),
            ("--hidden", (true, true, false)),
            ("  -.\n", (true, true, false)),
            ("-uu", (true, true, false)),
            ("--no-such", (true, true, false)),
            ("--glob=.env", (true, true, false)),
            ("-e\nx", (false, false, true)),
            ("KEY", (false, false, true)),
        ] {
            fs::write(&file, text).unwrap();
            assert_eq!(last("rg KEY", &root), expected, "{text:?}");
            assert_eq!(last("rg --no-config KEY", &root), (true, false, false), "{text:?}");
            assert_eq!(last("grep -n KEY src/a", &root), (true, false, false), "{text:?}");
        }
        fs::write(&file, "x".repeat(300 * 1024)).unwrap();
        assert_eq!(last("rg KEY", &root), (false, true, true));
        // One in the session's folders is whoever's; so is one that leads there, and one that the line writes.
        fs::write(&file, "--smart-case").unwrap();
        fs::write(root.join("rc"), "--smart-case").unwrap();
        let write = format!("echo --hidden > {}; rg KEY", file.display());
        assert_eq!(last(&write, &root), (false, false, true));
        assert_eq!(last("echo --hidden > src/x; rg KEY", &root), (true, false, false));
        for own in [root.join("rc"), PathBuf::from("rc")] {
            told::set("RIPGREP_CONFIG_PATH", own);
            assert_eq!(last("rg KEY", &root), (false, false, true));
        }
    }
}
