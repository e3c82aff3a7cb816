//! Files that a program reads or makes though no word names them: `git init` makes `.git`, `docker compose` reads `.env`.

use super::analyzer::CommandAnalyzer;
use super::name;
use crate::WriteKind;
use crate::shell::{Reach, Use, Word};

/// Programs, their sub-commands (with none listed, always), and the files of the folder at hand that they read.
const READ: &[(&str, &[&str], &[&str])] = &[
    ("deno", &["--env-file"], &[".env"]),
    ("docker", &["compose"], &[".env"]),
    ("docker-compose", &[], &[".env"]),
    ("dotenv", &[], &[".env"]),
    ("dotenvx", &[], &[".env"]),
    ("flask", &["run", "shell"], &[".env", ".flaskenv"]),
    ("pipenv", &["run", "shell"], &[".env"]),
    ("podman-compose", &[], &[".env"]),
];

/// Programs, their sub-commands, and what they make in the folder that their last operand names, or in the one at hand.
const MADE: &[(&str, &[&str], &[&str])] = &[
    ("cargo", &["new", "init"], &["Cargo.toml", "src/main.rs", "src/lib.rs", ".gitignore", ".git"]),
    ("git", &["init"], &[".git"]),
    ("go", &["init"], &["go.mod", "go.work"]),
    ("hg", &["init"], &[".hg"]),
    ("npm", &["init", "create"], &["package.json"]),
    ("poetry", &["new", "init"], &["pyproject.toml", "README.md"]),
    (
        "uv",
        &["init"],
        &["pyproject.toml", "README.md", "main.py", "hello.py", ".python-version", ".gitignore", ".git"],
    ),
];

impl CommandAnalyzer<'_> {
    /// Notes what the command at `at` reads and makes without a word for it.
    pub(super) fn add_implied_files(&mut self, at: usize) {
        let Some(words) = self.words.get(at..) else { return };
        let Some(program) = words.first().and_then(Word::literal).map(name::base_name) else { return };
        let literal: Vec<&str> = words.iter().skip(1).filter_map(Word::literal).collect();
        if literal.iter().any(|word| matches!(*word, "--help" | "--version")) {
            return;
        }
        // The sub-command is the first word that is no option; the second where the first may be an option's value, and for go.
        let bare = |at: &usize| literal.get(*at).is_some_and(|word| !word.starts_with('-'));
        let mut bare = (0..literal.len()).filter(bare);
        let (first, second) = (bare.next(), bare.next());
        let second = second.filter(|_| program == "go" || first > Some(0));
        let subs: Vec<&str> =
            first.into_iter().chain(second).filter_map(|at| literal.get(at).copied()).collect();
        let option = |verb: &&str| verb.starts_with('-') && literal.contains(verb);
        let is =
            |verbs: &[&str]| verbs.is_empty() || verbs.iter().any(|verb| subs.contains(verb) || option(verb));
        for (.., files) in READ.iter().filter(|(name, verbs, _)| *name == program && is(verbs)) {
            files.iter().for_each(|file| self.places.add_path(file, Use::Read, Reach::Itself));
        }
        for (_, verbs, made) in MADE.iter().filter(|(name, verbs, _)| *name == program && is(verbs)) {
            let behind = literal.iter().skip_while(|word| !verbs.contains(*word)).skip(1);
            // A value of an option counts as well: which it is nobody has to know.
            let mut folders: Vec<&str> = behind.filter(|word| !word.starts_with('-')).copied().collect();
            folders.push(".");
            for folder in folders {
                for file in *made {
                    self.places.add_path(
                        &format!("{}/{file}", folder.trim_end_matches('/')),
                        Use::Write(WriteKind::Create),
                        Reach::Itself,
                    );
                }
            }
        }
        if matches!(program, "wget" | "wget2") {
            self.add_mirrored_files(&literal);
        }
    }

    /// `wget -x http://host/a/b` writes `host/a/b`, or `a/b`.
    fn add_mirrored_files(&mut self, words: &[&str]) {
        let letters = |word: &&str| {
            word.starts_with('-') && !word.starts_with("--") && word.contains(['x', 'r', 'm', 'p'])
        };
        let long = ["--force-directories", "--recursive", "--mirror", "--page-requisites"];
        let begins = |word: &&str| word.len() > 4 && long.iter().any(|long| long.starts_with(*word));
        if !words.iter().any(|word| letters(word) || begins(word)) {
            return;
        }
        for word in words.iter().filter(|word| !word.starts_with('-')) {
            let whole = word.split_once("://").map_or(*word, |(_, rest)| rest);
            let whole = whole.rsplit_once('@').map_or(whole, |(_, host)| host);
            let Some((host, path)) = whole.split_once('/').or(Some((whole, ""))) else { continue };
            let path = path.split(['?', '#']).next().unwrap_or_default();
            let host = host.split(':').next().unwrap_or_default();
            let path = if path.is_empty() || path.ends_with('/') {
                format!("{path}index.html")
            } else {
                path.to_owned()
            };
            for file in [format!("{host}/{path}"), path] {
                self.places.add_path(&file, Use::Write(WriteKind::Write), Reach::Itself);
            }
        }
    }
}
