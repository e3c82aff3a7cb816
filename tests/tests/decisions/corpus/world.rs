//! A machine for one group of cases: its files, and where the corpus's folders really are.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use mayi_core::config::{Folders, Sources};
use mayi_tests::{Machine, Mayi};
use serde_json::Value;

use super::{Case, Group};

/// What the user has configured, in every world.
const USER: &str = r#"
[agents.bypassed]
command = ["false"]
bypass_permissions = true

[servers.s]
command = ["false"]
approval = "required"
[servers.s.tools]
t = "not_required"
"#;

/// A machine with the files of one group.
pub(crate) struct World {
    machine: Machine,
}

impl World {
    /// Puts everything there.
    pub(crate) fn of(group: &Group) -> Self {
        let world = Self::new(USER);
        for folder in ["/outside", "/home/me/.local/state/mayi"] {
            std::fs::create_dir_all(world.at(folder)).unwrap();
        }
        for (name, text) in &group.files {
            std::fs::write(world.made(name), text).unwrap();
        }
        for (name, target) in &group.links {
            std::os::unix::fs::symlink(world.place(target), world.made(name)).unwrap();
        }
        for (name, target) in &group.hard_links {
            std::fs::hard_link(world.at(target), world.made(name)).unwrap();
        }
        world
    }

    /// A machine with this configuration and nothing else.
    pub(crate) fn new(user: &str) -> Self {
        let machine = Machine::new();
        machine.configuration("home/.config/mayi/config.toml", user);
        Self { machine }
    }

    /// The home folder.
    pub(crate) fn home(&self) -> PathBuf {
        self.machine.outside("home")
    }

    /// The folder to work in.
    pub(crate) fn work(&self) -> PathBuf {
        self.machine.work()
    }

    /// Where configuration is in this world.
    pub(crate) fn sources(&self) -> Sources {
        let (home, own) = (self.home(), |folder: &str| Some(self.home().join(folder).join("mayi")));
        Sources {
            user: Some(home.join(".config/mayi/config.toml")),
            workspace: Some(self.work().join(".mayi.toml")),
            cwd: self.work(),
            folders: Folders {
                home: Some(home.clone()),
                config: own(".config"),
                data: own(".local/share"),
                state: own(".local/state"),
            },
            ..Sources::default()
        }
    }

    /// `mayi`, at home here.
    pub(crate) fn mayi<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Mayi {
        let at = |folder: &str| self.home().join(folder);
        let mayi = self.machine.mayi(args).env("XDG_CONFIG_HOME", at(".config"));
        mayi.env("XDG_STATE_HOME", at(".local/state"))
            .env("XDG_DATA_HOME", at(".local/share"))
            .env("XDG_CACHE_HOME", at(".cache"))
    }

    /// The line for `check --stdin`, with the folders of this world.
    pub(crate) fn request(&self, case: &Case) -> Value {
        let keys = case.request.iter().map(|(key, value)| {
            let own = ["id", "kind", "mode", "agent"].contains(&&**key);
            (key.clone(), if own { value.clone() } else { self.placed(value) })
        });
        Value::Object(keys.collect())
    }

    fn placed(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.place(text)),
            Value::Array(items) => Value::Array(items.iter().map(|item| self.placed(item)).collect()),
            Value::Object(members) => {
                Value::Object(members.iter().map(|(key, value)| (key.clone(), self.placed(value))).collect())
            }
            other => other.clone(),
        }
    }

    /// `text` with `/w`, `/home/me` and `/outside` as they are called here.
    pub(crate) fn place(&self, text: &str) -> String {
        let named =
            [("/home/me", self.home()), ("/outside", self.machine.outside("outside")), ("/w", self.work())];
        let mut placed = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('/') {
            let (before, from) = rest.split_at(at);
            placed.push_str(before);
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
            // A folder of the corpus begins a path, and ends where a part of it does.
            let begins = !placed.ends_with(|c: char| is_name(c) || c == '/') || placed.ends_with("file://");
            let found = named.iter().find_map(|(name, real)| {
                let after = from.strip_prefix(name)?;
                (begins && !after.starts_with(is_name)).then_some((real, after))
            });
            match found {
                Some((real, after)) => {
                    placed.push_str(&real.display().to_string());
                    rest = after;
                }
                None => {
                    placed.push('/');
                    rest = &from[1..];
                }
            }
        }
        placed + rest
    }

    /// Where a name of the corpus is here; relative ones start from the folder to work in.
    fn at(&self, name: &str) -> PathBuf {
        self.work().join(self.place(name))
    }

    /// The same, with its folder made.
    fn made(&self, name: &str) -> PathBuf {
        let path = self.at(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).unwrap();
        path
    }
}

#[test]
fn given_the_folders_of_the_corpus_then_only_they_are_placed() {
    let world = World::new("");
    let (work, home) = (world.work().display().to_string(), world.home().display().to_string());
    for text in ["/workspace", "a/w", "https://w/x", "/usr/w", "./w", "/w-x", "/dev/null"] {
        assert_eq!(world.place(text), text);
    }
    assert_eq!(world.place("cat /w/a:/w"), format!("cat {work}/a:{work}"));
    assert_eq!(world.place("--x=/home/me/.ssh file:///w/b"), format!("--x={home}/.ssh file://{work}/b"));
}
