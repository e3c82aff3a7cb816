//! What is in mayi's own folders: what mayi itself makes there, by name, and what somebody else has put there.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// More is not looked at: then nothing is known to be all.
const MOST: usize = 1_000_000;

/// What mayi makes in one of its folders.
#[derive(Clone, Copy)]
enum OwnEntry {
    /// A file with this name.
    File(&'static str),
    /// A file with a name of this form.
    Like(fn(&str) -> bool),
    /// A socket with a name of this form.
    Socket(fn(&str) -> bool),
    /// A folder, and what is in it.
    Folder(&'static str, &'static [OwnEntry]),
    /// A folder whose folders go as a whole: those of agents, and what snapshots keep.
    Agents(&'static str),
}

use OwnEntry::{Agents, File, Folder, Like, Socket};

const CONFIGURATION: &[OwnEntry] = &[
    File("config.toml"),
    File("config.toml.bak"),
    File("config.toml.lock"),
    File("mayi.schema.json"),
    File("mayi.schema.json.bak"),
    File("mayi.test.toml"),
    File("mayi.test.toml.bak"),
    Like(is_unfinished),
];

const OWNERS: &[OwnEntry] = &[Like(is_uuid), Like(is_unfinished)];

const RECORD: &[OwnEntry] = &[
    File("store.db"),
    File("store.db-wal"),
    File("store.db-shm"),
    File("store.db-journal"),
    File("key"),
    File("head"),
    File("lock"),
    File("trusted.json"),
    File("trusted.json.lock"),
    File("mcp-installed.json"),
    File("mcp-installed.json.lock"),
    File("hook-installed.json"),
    File("mcp-token"),
    File("responses-token"),
    Like(is_apps_token),
    Like(is_unfinished),
    Folder("owners", &[Like(is_uuid), Like(is_unfinished), Socket(is_answer_socket)]),
    Folder("surfaces", OWNERS),
    Folder("archive", &[File("lock"), Like(is_archive), Like(is_unfinished)]),
    Folder("logins", &[Like(is_login), Like(is_unfinished)]),
    Folder("sandbox", &[Agents("caches"), Agents("taken-back"), File("tier"), Like(is_unfinished)]),
    Folder(
        "snapshots",
        &[File("lock"), File("residue"), Agents("objects"), Agents("taken"), Agents("unfinished")],
    ),
];

const STATE: &[OwnEntry] = &[
    File("sessions.json"),
    Like(is_unfinished),
    Agents("agents"),
    Folder("serve", &[Like(is_credential)]),
    Folder("responses", &[Like(is_digest), Like(is_unfinished)]),
    Folder("compiled", &[File("lock"), File("unfinished"), Like(is_policy)]),
    Folder("hooks", &[Like(is_session), Like(is_unfinished)]),
];

/// What was found in a folder.
#[derive(Default)]
pub(super) struct FolderContents {
    /// Files of mayi's own.
    files: Vec<PathBuf>,
    /// Folders of agents, which go with all that is in them.
    agents: Vec<PathBuf>,
    /// Folders of mayi's own, each before those in it.
    folders: Vec<PathBuf>,
    /// What mayi has not made, and what can't be looked at, with the reason.
    pub(super) foreign: Vec<(PathBuf, String)>,
}

impl FolderContents {
    /// What is in `folder`, which is each of `what`. Links are not followed, and are nothing that mayi makes.
    pub(super) fn scan_folder(folder: &Path, what: &[&str]) -> Self {
        let known = what.iter().flat_map(|what| match *what {
            "configuration" => CONFIGURATION,
            "record" => RECORD,
            _ => STATE,
        });
        let mut contents = Self::default();
        contents.collect_entries(folder, &known.copied().collect::<Vec<_>>(), &mut 0);
        contents
    }

    fn collect_entries(&mut self, folder: &Path, known: &[OwnEntry], count: &mut usize) {
        self.folders.push(folder.to_owned());
        let unknown = |error: std::io::Error| (folder.to_owned(), format!("can't be looked at: {error}"));
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.foreign.push(unknown(error)),
        };
        let mut found = Vec::new();
        for entry in entries {
            *count += 1;
            if *count > MOST {
                return self.foreign.push((folder.to_owned(), "has too much in it".to_owned()));
            }
            match entry.and_then(|entry| Ok((entry.path(), entry.file_name(), entry.file_type()?))) {
                Ok(entry) => found.push(entry),
                Err(error) => return self.foreign.push(unknown(error)),
            }
        }
        found.sort_by(|(one, ..), (other, ..)| one.cmp(other));
        for (path, name, kind) in found {
            let name = name.to_str().unwrap_or_default();
            let inside = known.iter().find_map(|known| match known {
                File(own) if kind.is_file() && *own == name => Some(OwnEntryKind::File),
                Like(own) if kind.is_file() && own(name) => Some(OwnEntryKind::File),
                Socket(own) if is_socket(kind) && own(name) => Some(OwnEntryKind::File),
                Folder(own, inside) if kind.is_dir() && *own == name => Some(OwnEntryKind::Folder(inside)),
                Agents(own) if kind.is_dir() && *own == name => Some(OwnEntryKind::Agents),
                _ => None,
            });
            match inside {
                Some(OwnEntryKind::File) => self.files.push(path),
                Some(OwnEntryKind::Folder(inside)) => self.collect_entries(&path, inside, count),
                Some(OwnEntryKind::Agents) => self.collect_agent_folders(&path),
                None => self.foreign.push((path, "is not mayi's".to_owned())),
            }
        }
    }

    fn collect_agent_folders(&mut self, folder: &Path) {
        self.folders.push(folder.to_owned());
        let listed = std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        match listed {
            Ok(entries) => {
                for entry in entries {
                    if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                        self.agents.push(entry.path());
                    } else {
                        self.foreign.push((entry.path(), "is not mayi's".to_owned()));
                    }
                }
            }
            Err(error) => self.foreign.push((folder.to_owned(), format!("can't be looked at: {error}"))),
        }
    }

    /// Whether nothing in it is mayi's, but something somebody else's.
    pub(super) fn is_foreign(&self) -> bool {
        self.files.is_empty() && self.agents.is_empty() && !self.foreign.is_empty()
    }

    /// Deletes what is mayi's, and each folder that has nothing else in it then. What can't be deleted hides nothing else.
    ///
    /// # Errors
    /// The first that could not be deleted.
    pub(super) fn delete_own_files(&self) -> Result<(), (PathBuf, std::io::Error)> {
        let mut failed = None;
        let mut note = |path: &Path, done: std::io::Result<()>| match done {
            Err(error) if error.kind() != ErrorKind::NotFound && failed.is_none() => {
                failed = Some((path.to_owned(), error));
            }
            _ => {}
        };
        self.files.iter().for_each(|path| note(path, std::fs::remove_file(path)));
        self.agents.iter().for_each(|path| note(path, mayi_sandbox::delete_folder(path)));
        for path in self.folders.iter().rev() {
            if !self.foreign.iter().any(|(foreign, _)| foreign.starts_with(path)) {
                note(path, std::fs::remove_dir(path));
            }
        }
        failed.map_or(Ok(()), Err)
    }
}

enum OwnEntryKind {
    File,
    Folder(&'static [OwnEntry]),
    Agents,
}

/// What is written before it gets its name, and stays where a process was killed.
fn is_unfinished(name: &str) -> bool {
    let rest = [".tmp", ".new-", ".mcp-", ".config-"].iter().find_map(|prefix| name.strip_prefix(prefix));
    rest.map(|rest| rest.strip_suffix(".toml").unwrap_or(rest))
        .is_some_and(|rest| rest.len() == 6 && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

fn is_uuid(name: &str) -> bool {
    name.len() == 36 && uuid::Uuid::try_parse(name).is_ok()
}

fn is_answer_socket(name: &str) -> bool {
    name.strip_suffix(".sock").is_some_and(|id| id.len() == 32 && uuid::Uuid::try_parse(id).is_ok())
}

#[cfg(unix)]
fn is_socket(kind: std::fs::FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_socket(&kind)
}

#[cfg(not(unix))]
fn is_socket(_: std::fs::FileType) -> bool {
    false
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_archive(name: &str) -> bool {
    let span = name.strip_prefix("record-").and_then(|name| name.strip_suffix(".jsonl"));
    span.and_then(|span| span.split_once('-'))
        .is_some_and(|(first, last)| is_number(first) && is_number(last))
}

fn is_login(name: &str) -> bool {
    let id = name.strip_suffix(".json").or_else(|| name.strip_suffix(".lock"));
    id.is_some_and(is_hex)
}

fn is_credential(name: &str) -> bool {
    let instance = name.strip_suffix(".ask").or_else(|| name.strip_suffix(".answer"));
    instance
        .and_then(|instance| instance.split_once('-'))
        .is_some_and(|(pid, id)| is_number(pid) && is_uuid(id))
}

/// The API key of an app, whose name it has as a digest.
fn is_apps_token(name: &str) -> bool {
    name.strip_prefix("responses-token-").is_some_and(is_digest)
}

fn is_digest(name: &str) -> bool {
    name.len() == 64 && is_hex(name)
}

fn is_policy(name: &str) -> bool {
    name.strip_suffix(".policy").is_some_and(is_hex)
}

fn is_session(name: &str) -> bool {
    name.split_once('.').is_some_and(|(id, kind)| {
        id.len() == 40 && is_hex(id) && kind.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    })
}
