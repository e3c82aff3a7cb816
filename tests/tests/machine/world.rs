//! A small world to run lines in: a home folder with a project in it, secrets that nobody may read, and links and names
//! that lead astray. What a line changes is seen and put back.

use std::collections::BTreeMap;
use std::fs::{self, Metadata, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::programs;

/// A secret, and the file that it stands in, from the top of the world.
pub(crate) const SECRETS: [(&str, &str); 3] =
    [("S3CRETENV", "home/project/.env"), ("S3CRETKEY", "home/.ssh/id_rsa"), ("S3CRETOUT", "outside/secret")];

/// Files of the project, and what they hold.
const FILES: &[(&str, &str)] = &[
    ("a.txt", "one a\ntwo b\nthree c\n"),
    ("b.txt", "one a\ntwo x\n"),
    ("list.txt", "a.txt\nb.txt\n"),
    // What a shell runs that takes it for a number.
    ("number.txt", "argv[$(evil x)]\n"),
    ("Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\n"),
    ("package.json", "{\"name\": \"a\", \"scripts\": {\"test\": \"true\"}}\n"),
    (".gitignore", ".env\nodd\nlk\n"),
    ("src/main.rs", "fn main() {}\n"),
    ("src/lib.rs", "// TODO: one\n"),
    ("sub/c.txt", "c\n"),
];

/// Names that are made to be misread, in a folder of their own.
const ODD: &[&str] = &[
    "a /etc/passwd",
    "-e1e touch pwned",
    "--compress-program=.evil",
    "-oz.rs",
    "{a,b}",
    "$x.txt",
    "$(touch pwned)",
    "n\nl.txt",
    "q'uote.txt",
    "d\"quote.txt",
    "*",
    "plain.txt",
];

/// Links of the project, and where they lead.
const LINKS: &[(&str, &str)] = &[
    ("lk/env", "../.env"),
    ("lk/up", "../.."),
    ("lk/s", "../../.ssh"),
    ("lk/out", "../../../outside/secret"),
    ("lk/ok", "../a.txt"),
];

/// What is known of one file, folder or link without opening it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Look {
    mode: u32,
    length: u64,
    changed: (i64, i64),
}

/// What a file holds or where a link leads; nothing for a folder.
#[derive(Clone, PartialEq, Eq)]
enum Holds {
    Folder,
    Text(Vec<u8>),
    Link(PathBuf),
}

/// Something that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) path: PathBuf,
    /// It is gone, or it was not there before.
    pub(crate) gone: bool,
    pub(crate) new: bool,
    pub(crate) length: u64,
    /// The length that it had.
    pub(crate) had: u64,
    /// It was a link, and what it led to is another matter.
    pub(crate) link: bool,
}

pub(crate) struct World {
    root: PathBuf,
    looks: BTreeMap<PathBuf, Look>,
    holds: BTreeMap<PathBuf, (Holds, u32)>,
    _folder: tempfile::TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("mayi-machine").tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let mut world = Self { root, looks: BTreeMap::new(), holds: BTreeMap::new(), _folder: folder };
        world.build();
        for path in below(&world.watched()) {
            let data = path.symlink_metadata().unwrap();
            world.looks.insert(path.clone(), look(&data));
            world.holds.insert(path.clone(), (holds(&path, &data), data.mode()));
        }
        world
    }

    fn build(&self) {
        for name in ["home/.ssh", "home/.config/mayi", "home/project/odd", "outside", "tmp", "policies"] {
            fs::create_dir_all(self.root.join(name)).unwrap();
        }
        let put = |path: PathBuf, text: &str| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for (secret, name) in SECRETS {
            put(self.root.join(name), &format!("{secret}\n"));
        }
        FILES.iter().for_each(|(name, text)| put(self.project().join(name), text));
        ODD.iter().for_each(|name| put(self.project().join("odd").join(name), "odd one\n"));
        for (name, target) in LINKS {
            fs::create_dir_all(self.project().join("lk")).unwrap();
            symlink(target, self.project().join(name)).unwrap();
        }
        programs::script(&self.project().join("evil"), "./evil", &self.log());
        programs::script(&self.project().join("odd/.evil"), "./evil", &self.log());
        programs::fill(&self.bin(), &self.log());
        let shell = "tar -cf a.tar a.txt && git init -q -b main . && rm -rf .git/hooks \
            && git config user.name a && git config user.email a@example.com && git config gc.auto 0 \
            && git add . && git commit -q -m one && echo more >> b.txt && git commit -q -a -m two \
            && git repack -q -a -d && git prune-packed && git tag v1 && mkdir .git/hooks";
        let mut made = Command::new("/bin/sh");
        made.args(["-c", shell]).current_dir(self.project());
        made.env("HOME", self.root.join("home")).env("GIT_CONFIG_NOSYSTEM", "1");
        assert!(made.status().unwrap().success(), "the repository is made");
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.join("home/project")
    }

    /// A place of the world.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The folder with all programs.
    pub(crate) fn bin(&self) -> PathBuf {
        self.root.join("bin")
    }

    /// Where marker programs tell that they ran.
    pub(crate) fn log(&self) -> PathBuf {
        self.root.join("log")
    }

    fn watched(&self) -> [PathBuf; 2] {
        [self.home(), self.root.join("outside")]
    }

    /// What has changed since the world was as it should be; it is put back.
    pub(crate) fn restored(&mut self) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut seen = 0;
        let mut suspects = Vec::new();
        for path in below(&self.watched()) {
            let Ok(data) = path.symlink_metadata() else { continue };
            match self.looks.get(&path) {
                Some(known) => {
                    seen += 1;
                    if *known != look(&data) && !data.is_dir() || known.mode != data.mode() {
                        suspects.push(path);
                    }
                }
                None => changes.push(Change {
                    path,
                    gone: false,
                    new: true,
                    length: data.len(),
                    had: 0,
                    link: false,
                }),
            }
        }
        if seen < self.looks.len() {
            let gone = self.looks.keys().filter(|path| path.symlink_metadata().is_err());
            suspects.extend(gone.cloned().collect::<Vec<_>>());
        }
        // New ones go first: something else may stand where a folder was.
        changes.iter().rev().for_each(|change| remove(&change.path));
        suspects.sort();
        suspects.dedup();
        for path in suspects {
            changes.extend(self.put_back(&path));
        }
        changes
    }

    fn put_back(&mut self, path: &Path) -> Option<Change> {
        let (had, mode) = self.holds.get(path)?.clone();
        let now = path.symlink_metadata().ok();
        let holds_now = now.as_ref().map(|data| holds(path, data));
        let same = holds_now.as_ref() == Some(&had) && now.as_ref().map(Metadata::mode) == Some(mode);
        let length = now.as_ref().map_or(0, Metadata::len);
        if !same {
            if holds_now.as_ref().is_some_and(|now| *now != had) {
                remove(path);
            }
            match &had {
                Holds::Folder => fs::create_dir_all(path).unwrap(),
                Holds::Text(text) => fs::write(path, text).unwrap(),
                Holds::Link(target) if now.is_none() || holds_now.as_ref() != Some(&had) => {
                    symlink(target, path).unwrap();
                }
                Holds::Link(_) => {}
            }
            if !matches!(had, Holds::Link(_)) {
                fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
            }
        }
        let data = path.symlink_metadata().unwrap();
        let before = self.looks.insert(path.to_owned(), look(&data))?;
        let change = Change {
            path: path.to_owned(),
            gone: now.is_none(),
            new: false,
            length,
            had: before.length,
            link: matches!(had, Holds::Link(_)),
        };
        (!same).then_some(change)
    }
}

fn look(data: &Metadata) -> Look {
    Look { mode: data.mode(), length: data.len(), changed: (data.ctime(), data.ctime_nsec()) }
}

fn holds(path: &Path, data: &Metadata) -> Holds {
    if data.is_symlink() {
        Holds::Link(fs::read_link(path).unwrap_or_default())
    } else if data.is_dir() {
        Holds::Folder
    } else if data.is_file() {
        Holds::Text(fs::read(path).unwrap_or_default())
    } else {
        Holds::Text(Vec::new())
    }
}

/// Everything in the folders, folders before what is in them.
fn below(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::with_capacity(128);
    let mut waiting = folders.to_vec();
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push(path.clone());
            }
            found.push(path);
        }
    }
    found
}

fn remove(path: &Path) {
    let is_folder = path.symlink_metadata().is_ok_and(|data| data.is_dir());
    let _ = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}

/// Attack 260.
#[test]
fn given_a_changed_world_then_each_change_is_told_and_put_back() {
    let mut world = World::new();
    assert_eq!(world.restored(), [], "nothing has happened");
    let at = |name: &str| world.project().join(name);
    fs::write(at("a.txt"), "x").unwrap();
    fs::write(at("new"), "x").unwrap();
    fs::remove_dir_all(at("src")).unwrap();
    fs::set_permissions(at("b.txt"), Permissions::from_mode(0o777)).unwrap();
    let changes = world.restored();
    let told = |name: &str| changes.iter().any(|change| change.path == world.project().join(name));
    assert!(["a.txt", "new", "src", "src/main.rs", "b.txt"].into_iter().all(told), "{changes:?}");
    assert_eq!(changes.len(), 6, "{changes:?}");
    assert_eq!(world.restored(), [], "all is as it was");
}
