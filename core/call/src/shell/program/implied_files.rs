//! Files that a program reads or makes though no word names them: `git init` makes `.git`, `docker compose` reads `.env`.

use super::analyzer::CommandAnalyzer;
use super::name;
use crate::shell::{Reach, Touch, TouchedPath, Use, Word};
use crate::{PathAccess, WriteKind, home_folder};

/// A program that reads files of the folder at hand which no word names.
struct FolderFiles {
    program: &'static str,
    /// Its sub-commands, or options; with none listed, always.
    with: &'static [&'static str],
    files: &'static [&'static str],
    /// The words with which it shows what they hold, or hands that on by itself; with none listed, always.
    shows: Option<&'static [&'static str]>,
}

const fn reads(
    program: &'static str,
    with: &'static [&'static str],
    files: &'static [&'static str],
    shows: Option<&'static [&'static str]>,
) -> FolderFiles {
    FolderFiles { program, with, files, shows }
}

const READ: &[FolderFiles] = &[
    reads("deno", &["--env-file"], &[".env"], Some(&[])),
    reads("docker", &["compose"], &[".env"], Some(COMPOSED)),
    reads("docker-compose", &[], &[".env"], Some(COMPOSED)),
    reads("dotenv", &[], &[".env"], Some(&[])),
    reads("dotenvx", &[], &[".env"], Some(&[])),
    reads("flask", &["run", "shell"], &[".env", ".flaskenv"], None),
    reads("pipenv", &["run", "shell"], &[".env"], None),
    reads("podman-compose", &[], &[".env"], Some(COMPOSED)),
];

/// Sub-commands that print settings with the values of variables in them.
const COMPOSED: &[&str] = &["config", "convert"];
/// The options with which those print names alone, or nothing.
const NAMES_ALONE: &[&str] =
    &["--images", "--models", "--networks", "--profiles", "--quiet", "-q", "--services", "--volumes"];

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

/// A program that takes files of the user's own that no word names.
struct UsersFiles {
    program: &'static str,
    /// With one of these among its words, or always if there are none.
    with: &'static [&'static str],
    /// But not with one of these; `""`: nor with a word that is neither an option nor the value of one of `valued`.
    without: &'static [&'static str],
    valued: &'static [&'static str],
    /// From the home folder on.
    files: &'static [&'static str],
}

/// So long is what several options of `gpg` begin with: more of one is that one.
const SHORTEST: usize = "--export-".len();

/// Keys, as ssh calls them where it is told no other name.
const KEYS: &[&str] = &[
    ".ssh/id_rsa",
    ".ssh/id_ecdsa",
    ".ssh/id_ecdsa_sk",
    ".ssh/id_ed25519",
    ".ssh/id_ed25519_sk",
    ".ssh/id_dsa",
    ".ssh/id_xmss",
];

const OF_THE_USER: &[UsersFiles] = &[
    UsersFiles {
        program: "aws",
        with: &["configure"],
        without: &["--version"],
        valued: &[],
        files: &[".aws/credentials", ".aws/config"],
    },
    UsersFiles {
        program: "git",
        with: &["credential", "credential-store"],
        without: &[],
        valued: &[],
        files: &[".git-credentials", ".config/git/credentials"],
    },
    UsersFiles {
        program: "gpg",
        with: &["--export-secret-keys", "--export-secret-subkeys", "--export-secret-ssh-key"],
        without: &[],
        valued: &[],
        files: &[".gnupg/private-keys-v1.d/x.key", ".gnupg/secring.gpg"],
    },
    UsersFiles {
        program: "kubectl",
        with: &["config"],
        without: &["--kubeconfig"],
        valued: &[],
        files: &[".kube/config"],
    },
    UsersFiles {
        program: "ssh-add",
        with: &[],
        without: &["", "-l", "-L", "-D", "-x", "-X", "-s", "-e", "-T"],
        valued: &["-E", "-h", "-H", "-S", "-t"],
        files: KEYS,
    },
    UsersFiles {
        program: "ssh-copy-id",
        with: &[],
        without: &["-i"],
        valued: &[],
        files: &[".ssh/id_rsa.pub", ".ssh/id_ecdsa.pub", ".ssh/id_ed25519.pub", ".ssh/id_dsa.pub"],
    },
    UsersFiles {
        program: "ssh-keygen",
        with: &[],
        without: &["-f", "-A", "-D", "-F", "-H", "-I", "-K", "-M", "-Q", "-R", "-Y", "-r", "-s"],
        valued: &[],
        files: KEYS,
    },
    UsersFiles {
        program: "ssh-keygen",
        with: &["-F", "-H", "-R"],
        without: &["-f"],
        valued: &[],
        files: &[".ssh/known_hosts"],
    },
];

/// Letters of these programs' options that take no value, so that others may stand behind them.
const FLAGS: &str = "cdeghiklpquvyBCDKLU";

impl UsersFiles {
    /// Whether the program takes them, told these words, of which `subs` may be its sub-commands.
    fn are_taken(&self, words: &[&str], subs: &[&str]) -> bool {
        let is = |word: &str, name: &str| match name.strip_prefix('-') {
            None => false,
            Some(letter) if letter.len() == 1 => {
                let before = word.strip_prefix('-').and_then(|letters| letters.split_once(letter));
                before.is_some_and(|(before, _)| before.chars().all(|c| FLAGS.contains(c)))
            }
            Some(_) => {
                let word = word.split_once('=').map_or(word, |(word, _)| word);
                word == name || word.len() > SHORTEST && name.starts_with(word)
            }
        };
        let has = |names: &[&str]| {
            names.iter().any(|name| subs.contains(name) || words.iter().any(|word| is(word, name)))
        };
        let value = |at: usize| {
            let before = at.checked_sub(1).and_then(|at| words.get(at));
            before.is_some_and(|before| self.valued.contains(before))
        };
        let mut operands =
            words.iter().enumerate().filter(|(at, word)| !word.starts_with('-') && !value(*at));
        let named = self.without.contains(&"") && operands.next().is_some();
        (self.with.is_empty() || has(self.with)) && !has(self.without) && !named
    }
}

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
        for of in READ.iter().filter(|of| of.program == program && is(of.with)) {
            let shows = of.shows.is_some_and(|words| {
                words.is_empty()
                    || words.iter().any(|word| literal.contains(word))
                        && !literal.iter().any(|word| NAMES_ALONE.contains(word))
            });
            of.files.iter().for_each(|file| self.add_implied_read(file, shows));
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
        let program = if program == "gpg2" { "gpg" } else { program };
        let taken = OF_THE_USER.iter().filter(|of| of.program == program && of.are_taken(&literal, &subs));
        for file in taken.flat_map(|of| of.files) {
            let path = home_folder().map(|home| home.join(file));
            if let Some(path) = path.as_deref().and_then(std::path::Path::to_str) {
                let how = if program == "ssh-keygen" { Use::Either } else { Use::Read };
                self.places.add_path(path, how, Reach::Itself);
            }
        }
        if matches!(program, "wget" | "wget2") {
            self.add_mirrored_files(&literal);
        }
    }

    /// A file that is read without a word for it. What the program shows of it counts as if it were named, as far as it is there;
    /// else it is what rules about just this place are about, and not those about all that is called so (D3.26).
    fn add_implied_read(&mut self, file: &str, shows: bool) {
        let there = self.command.made || self.command.cwd.is_none_or(|cwd| PathAccess::is_at(cwd, file));
        match self.command.cwd.filter(|_| !(shows && there)) {
            Some(cwd) => {
                let path = TouchedPath::Known(self.command.looked.path_access(cwd, file));
                self.places.touches.push(Touch { path, how: Use::Read, reach: Reach::Said });
            }
            None => self.places.add_path(file, Use::Read, if shows { Reach::Itself } else { Reach::Said }),
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
