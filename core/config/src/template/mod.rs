//! What `mayi init` starts from: templates and the rules of languages, as data files.
//!
//! A line `#: languages` in a template stands for the blocks of `data/languages.toml` whose files are
//! found, and for what the project's own files name.

mod project;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use self::project::Project;

/// Something to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Template {
    /// Builds, tests and edits in the project run.
    Everyday,
    /// Reading is free; nearly everything else is asked about.
    Careful,
    /// Mode auto: asks only where a rule or protection says so, and before what destroys elsewhere.
    Trusting,
    /// Plan mode.
    ReadOnly,
    /// Nobody answers: what is not allowed is denied.
    Ci,
}

/// A block of rules, and what shows that they are of use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Language {
    /// Its name in the data file.
    pub id: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Names of files that show it; `*.x` is any name that ends so.
    pub files: Vec<&'static str>,
    lines: Vec<&'static str>,
}

/// The line that stands for the languages.
const LANGUAGES_MARKER: &str = "#: languages";

/// A line that begins so stands for the rule about secrets by their names ([`mayi_call::SECRET_NAMES`]), for the selector behind it.
const SECRETS_MARKER: &str = "#: secrets ";

/// As many names of a folder are looked at.
const MOST_NAMES: usize = 2000;

/// As many folders are looked into.
const MOST_FOLDERS: usize = 200;

impl Template {
    /// All of them, the one for most people first.
    pub const ALL: [Self; 5] = [Self::Everyday, Self::Careful, Self::Trusting, Self::ReadOnly, Self::Ci];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Everyday => "everyday",
            Self::Careful => "careful",
            Self::Trusting => "trusting",
            Self::ReadOnly => "read-only",
            Self::Ci => "ci",
        }
    }

    fn template_text(self) -> &'static str {
        match self {
            Self::Everyday => include_str!("data/everyday.toml"),
            Self::Careful => include_str!("data/careful.toml"),
            Self::Trusting => include_str!("data/trusting.toml"),
            Self::ReadOnly => include_str!("data/read-only.toml"),
            Self::Ci => include_str!("data/ci.toml"),
        }
    }

    /// Whether the languages that are found make a difference.
    #[must_use]
    pub fn knows_languages(self) -> bool {
        self.template_text().lines().any(|line| line.trim() == LANGUAGES_MARKER)
    }

    /// The file, with the rules of `languages` and of `project`: as settings for `folder`, or, without one, for
    /// whoever reads the file. `schema`: where its schema is, for editors.
    #[must_use]
    pub fn render(
        self,
        languages: &[Language],
        project: &Project,
        folder: Option<&Path>,
        schema: Option<&str>,
    ) -> String {
        let mut text = String::new();
        if let Some(schema) = schema {
            text.push_str(&format!("#:schema {schema}\n"));
        }
        let known = || languages.iter().flat_map(Language::allowed_patterns).collect::<BTreeSet<_>>();
        for line in self.template_text().lines() {
            if let Some(selector) = line.trim().strip_prefix(SECRETS_MARKER) {
                let rule = include_str!("data/secrets.toml").replace("SELECTOR", selector);
                text.push_str(&rule.replace("NAMES", &mayi_call::SECRET_NAMES.join(",")));
                continue;
            }
            if line.trim() != LANGUAGES_MARKER {
                text.push_str(line);
                text.push('\n');
                continue;
            }
            let mut blocks: Vec<String> =
                languages.iter().map(|language| language.lines.join("\n")).collect();
            if folder.is_none() {
                blocks.push(project.allow_entries(&known()));
            }
            text.push_str(blocks.join("\n\n").trim_end());
            text.push('\n');
        }
        let here = folder.filter(|_| self.knows_languages());
        if let Some(section) = here.and_then(|folder| project.workspace_section(folder, &known())) {
            text.push('\n');
            text.push_str(&section);
        }
        text
    }

    /// Lines that its rules leave to a person, and lines that they deny: cases to begin with.
    #[must_use]
    pub fn example_commands(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Self::Everyday | Self::Ci => (&["git push", "rm -rf .", "sudo true"], &[]),
            Self::Careful => (&["git push", "curl https://example.com"], &["git push --force", "sudo true"]),
            Self::Trusting => (&["git push", "sudo true"], &["git push --force"]),
            Self::ReadOnly => (&[], &["git push", "touch a"]),
        }
    }
}

impl Language {
    /// What its rules allow.
    fn allowed_patterns(&self) -> impl Iterator<Item = String> + use<'_> {
        let entry = |line: &&'static str| line.trim().strip_prefix('"')?.strip_suffix("\",");
        self.lines.iter().filter_map(move |line| entry(line).map(str::to_owned))
    }
}

/// Every block of the data file, in its order.
#[must_use]
pub fn all_languages() -> Vec<Language> {
    let mut all: Vec<Language> = Vec::new();
    for line in include_str!("data/languages.toml").lines() {
        if let Some(head) = line.trim().strip_prefix("#: ") {
            let mut parts = head.splitn(3, " | ");
            let mut part = || parts.next().unwrap_or_default().trim();
            let (id, title) = (part(), part());
            let files = part().split(", ").collect();
            all.push(Language { id, title, files, lines: Vec::new() });
        } else if line == "]" {
            break;
        } else if let Some(language) = all.last_mut() {
            language.lines.push(line);
        }
    }
    for language in &mut all {
        while language.lines.last().is_some_and(|line| line.trim().is_empty()) {
            language.lines.pop();
        }
    }
    all
}

/// The languages of the project around `folder`, each with a file that shows it: in the folder, in the
/// folders below it, and in those above it up to the top of the repository.
#[must_use]
pub fn detect_languages(folder: &Path) -> Vec<(Language, PathBuf)> {
    let mut places: Vec<PathBuf> = vec![folder.to_owned()];
    if let Some(top) = folder.ancestors().find(|at| at.join(".git").symlink_metadata().is_ok()) {
        let above = folder.ancestors().skip(1).take_while(|at| at.starts_with(top));
        places.extend(above.take(MOST_FOLDERS).map(Path::to_owned));
    }
    let below = file_names(folder).into_iter().filter(|name| {
        !name.starts_with('.')
            && !["node_modules", "target", "vendor", "dist", "build"].contains(&name.as_str())
    });
    places.extend(below.map(|name| folder.join(name)).filter(|at| at.is_dir()).take(MOST_FOLDERS));
    let seen: Vec<(PathBuf, BTreeSet<String>)> =
        places.into_iter().map(|place| (place.clone(), file_names(&place))).collect();
    all_languages()
        .into_iter()
        .filter_map(|language| {
            let found = seen.iter().find_map(|(place, names)| {
                let name =
                    names.iter().find(|name| language.files.iter().any(|file| matches_name(file, name)))?;
                Some(place.join(name))
            })?;
            Some((language, found))
        })
        .collect()
}

fn matches_name(file: &str, name: &str) -> bool {
    match file.strip_prefix('*') {
        Some(end) => name.len() > end.len() && name.ends_with(end),
        None => file == name,
    }
}

fn file_names(folder: &Path) -> BTreeSet<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return BTreeSet::new() };
    entries.take(MOST_NAMES).filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
}

#[cfg(test)]
mod tests;
