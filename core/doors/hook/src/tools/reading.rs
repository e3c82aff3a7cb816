//! From a tool's input to what it would touch.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mayi_core::call::{
    Access, Category, Caveat, Dialect, Diff, McpAccess, PathAccess, Surroundings, UrlAccess, WriteKind,
    file_paths, shell,
};
use mayi_doors::places::leads_to;
use serde_json::{Map, Value};

use super::keys::{self, is_known};
use super::{Does, patch};
use crate::call::Homes;

/// The most accesses of one call: one that names more is asked about as a whole.
const MOST: usize = 512;

/// Where a tool runs.
pub(crate) struct Place<'a> {
    pub(crate) cwd: &'a Path,
    pub(crate) roots: &'a [PathBuf],
    pub(crate) homes: &'a Homes,
    /// Why a command that runs in `cwd` is asked about for that.
    pub(crate) outside: &'a dyn Fn(&Path) -> Option<Caveat>,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Read {
    pub(crate) accesses: Vec<Access>,
    pub(crate) diffs: Vec<Diff>,
    pub(crate) env: BTreeMap<String, String>,
    /// The folder that it runs in, if the input names another one.
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) notes: Vec<String>,
    pub(crate) cautions: Vec<String>,
    pub(crate) not_shown: Vec<String>,
    /// It names more than can be looked at.
    pub(crate) too_much: bool,
}

/// What the tool `name` would touch, which does what `does` says. `servers`: every way to split its name, where it may be a tool of
/// an MCP server.
pub(crate) fn read(
    name: &str,
    does: Does,
    input: &Value,
    servers: Option<Vec<(String, String)>>,
    place: &Place<'_>,
) -> Read {
    let none = Map::new();
    let mut reading =
        Reading { place, name, input: input.as_object().unwrap_or(&none), out: Read::default() };
    match servers {
        Some(readings) => {
            let access = McpAccess::new(readings, input.clone(), place.cwd);
            reading.push(Access::Mcp(access));
        }
        None => {
            reading.of(does);
            let known = input.is_null()
                || input.as_object().is_some_and(|map| map.keys().all(|key| is_known(does, key)));
            if !known || reading.out.accesses.is_empty() {
                reading.unknown(Category::Execute);
            }
        }
    }
    let mut out = reading.out;
    if out.accesses.len() > MOST {
        out.accesses.truncate(MOST);
        let name = "more than can be looked at".to_owned();
        out.accesses.push(Access::Tool { name, category: Category::Execute });
        out.too_much = true;
    }
    out
}

struct Reading<'a> {
    place: &'a Place<'a>,
    name: &'a str,
    input: &'a Map<String, Value>,
    out: Read,
}

impl Reading<'_> {
    fn push(&mut self, access: Access) {
        if !self.out.accesses.contains(&access) {
            self.out.accesses.push(access);
        }
    }

    fn unknown(&mut self, category: Category) {
        self.push(Access::Tool { name: self.name.to_owned(), category });
    }

    /// The texts under any of `keys`. What is there and is no text is not understood.
    fn texts(&mut self, keys: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        for key in keys {
            match self.input.get(*key) {
                Some(Value::String(text)) if !text.is_empty() => found.push(text.clone()),
                None | Some(Value::Null | Value::String(_)) => {}
                Some(_) => self.odd(key),
            }
        }
        found
    }

    /// What has another type than its key has elsewhere may be read in any way.
    fn odd(&mut self, key: &str) {
        self.out.not_shown.push(format!("`{key}` is no text"));
        self.unknown(Category::Execute);
    }

    fn of(&mut self, does: Does) {
        match does {
            Does::Runs => self.runs(),
            Does::Reads => {
                for path in self.paths() {
                    self.looks_at(&path);
                }
            }
            Does::Lists => self.searched(&[]),
            Does::Finds => self.searched(&["pattern", "query", "include"]),
            Does::Searches => self.searches(),
            Does::Writes | Does::Edits => self.changes(does),
            Does::Patches => self.patches(),
            Does::Deletes => {
                for path in self.paths() {
                    self.writes(WriteKind::Delete, &path);
                }
            }
            Does::Fetches => self.fetches(),
            Does::SearchesWeb => self.unknown(Category::External),
            Does::Delegates | Does::Thinks | Does::Looks => self.thinks(does),
            Does::SwitchesMode => {
                let id = self.texts(&["mode", "modeId", "id"]).pop().unwrap_or_else(|| self.name.to_owned());
                self.push(Access::Mode { id });
            }
            Does::Other => {
                for path in self.paths() {
                    self.looks_at(&path);
                }
                for url in self.texts(keys::URLS) {
                    self.url(&url);
                }
                if keys::LINES.iter().any(|key| self.input.contains_key(*key)) {
                    self.runs();
                }
                self.unknown(Category::Execute);
            }
        }
    }

    /// What only thinks is known by its keys; any other makes it a tool that runs.
    fn thinks(&mut self, does: Does) {
        let known = self.input.keys().all(|key| is_known(does, key));
        self.unknown(if known { Category::Read } else { Category::Execute });
    }

    fn paths(&mut self) -> Vec<String> {
        let mut found = self.texts(keys::PATHS);
        for key in keys::LISTS {
            match self.input.get(*key) {
                None | Some(Value::Null) => {}
                Some(Value::Array(items)) => {
                    for item in items {
                        match (
                            item.as_str(),
                            item.get("path").or(item.get("filePath")).and_then(Value::as_str),
                        ) {
                            (Some(path), _) | (None, Some(path)) => found.push(path.to_owned()),
                            (None, None) => self.odd(key),
                        }
                    }
                }
                Some(_) => self.odd(key),
            }
        }
        found
    }

    /// Every file that `given` could be: as it stands, in the home folder where it begins with `~`, by a `file:` address.
    fn each(&self, given: &str) -> Vec<PathAccess> {
        let cwd = self.place.cwd;
        let mut found = vec![PathAccess::new(cwd, given)];
        let below = given.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        if let Some(rest) = below {
            for home in self.place.homes.all() {
                found.push(PathAccess::new(home, &format!("{}{rest}", home.display())));
            }
        }
        found.extend(file_paths(given).iter().map(|file| PathAccess::new(cwd, file)));
        found
    }

    fn looks_at(&mut self, given: &str) {
        for path in self.each(given) {
            self.push(Access::Read(path));
        }
    }

    fn writes(&mut self, kind: WriteKind, given: &str) {
        for path in self.each(given) {
            let kind = match kind {
                WriteKind::Write if !path.resolved.exists() => WriteKind::Create,
                kind => kind,
            };
            self.push(Access::write(kind, path));
        }
    }

    /// The folders that are looked through: those that are named, or the working folder, and where patterns lead out of them.
    fn searched(&mut self, patterns: &[&str]) {
        let mut folders = self.paths();
        if folders.is_empty() {
            folders.push(".".to_owned());
        }
        for folder in &folders {
            self.looks_at(folder);
        }
        for pattern in self.texts(patterns) {
            let Some(place) = leads_to(&pattern) else { continue };
            // From each folder that is named, too.
            for folder in &folders {
                self.looks_at(&format!("{folder}/{place}"));
            }
            self.looks_at(&place);
        }
    }

    /// A search is judged as the command that harnesses run for it, too: it shows what files hold that a rule may deny
    /// (D2.26).
    fn searches(&mut self) {
        self.searched(&["glob", "include", "include_pattern", "includePattern"]);
        let mut folders = self.paths();
        if folders.is_empty() {
            folders.push(".".to_owned());
        }
        let pattern = self.texts(&["pattern", "query"]).into_iter().next().unwrap_or_default();
        let words = ["rg", "--hidden", "-e", &pattern, "--"].map(str::to_owned);
        let words: Vec<String> = words.into_iter().chain(folders).collect();
        let (cwd, env) = (self.place.cwd, BTreeMap::new());
        for home in self.place.homes.each() {
            let at =
                Surroundings { cwd, roots: self.place.roots, home, env: &env, dialect: Dialect::Unknown };
            for access in shell::argv(&words, &at) {
                self.push(access);
            }
        }
    }

    fn changes(&mut self, does: Does) {
        let kind = if does == Does::Edits { WriteKind::Edit } else { WriteKind::Write };
        let paths = self.paths();
        let (old, new) = (self.texts(keys::OLD), self.texts(keys::NEW));
        let mut diffs = Vec::new();
        for path in &paths {
            self.writes(kind, path);
            if let Some(new_text) = new.first() {
                diffs.push(Diff {
                    path: path.clone(),
                    old_text: old.first().cloned(),
                    new_text: new_text.clone(),
                });
            }
        }
        for key in keys::EDITS {
            match self.input.get(*key) {
                None | Some(Value::Null) => {}
                Some(Value::Array(items)) => {
                    for item in items {
                        let text = |keys: &[&str]| {
                            keys.iter()
                                .find_map(|key| item.get(*key).and_then(Value::as_str))
                                .map(str::to_owned)
                        };
                        let own = text(keys::PATHS);
                        if let Some(path) = &own {
                            self.writes(kind, path);
                        }
                        let Some(path) = own.or_else(|| paths.first().cloned()) else { continue };
                        let (old_text, new_text) = (text(keys::OLD), text(keys::NEW).unwrap_or_default());
                        diffs.push(Diff { path, old_text, new_text });
                    }
                }
                Some(_) => self.odd(key),
            }
        }
        self.out.diffs.extend(diffs);
    }

    fn patches(&mut self) {
        let texts = self.texts(keys::PATCHES);
        for text in &texts {
            for (kind, path) in patch::files(text) {
                self.writes(kind, &path);
            }
            self.out.notes.push(text.clone());
        }
    }

    fn fetches(&mut self) {
        let mut urls = self.texts(keys::URLS);
        match self.input.get("urls") {
            Some(Value::Array(items)) => {
                urls.extend(items.iter().filter_map(Value::as_str).map(str::to_owned))
            }
            None | Some(Value::Null) => {}
            Some(_) => self.odd("urls"),
        }
        if urls.is_empty() {
            // What it fetches is said in a text that a model reads.
            self.unknown(Category::External);
        }
        for url in urls {
            self.url(&url);
        }
    }

    fn url(&mut self, given: &str) {
        for file in file_paths(given) {
            self.looks_at(&file);
        }
        match UrlAccess::read(given) {
            Ok(url) => self.push(Access::Fetch(url)),
            Err(error) => {
                self.out.not_shown.push(format!("the address {given} is not understood: {error}"));
                let name = "an address that is not understood".to_owned();
                self.push(Access::Tool { name, category: Category::Execute });
            }
        }
    }

    fn runs(&mut self) {
        let named = self.texts(keys::FOLDERS).into_iter().next();
        let elsewhere = named.map(|folder| self.place.cwd.join(folder)).filter(|cwd| *cwd != self.place.cwd);
        self.out.env = variables(self.input.get("env"));
        if let Some(lax) = ["dangerouslyDisableSandbox", "with_escalated_permissions"]
            .into_iter()
            .find(|key| !matches!(self.input.get(*key), None | Some(Value::Null | Value::Bool(false))))
        {
            self.out.cautions.push(format!("it is to run outside of the harness's own sandbox ({lax})"));
        }
        let cwd = elsewhere.clone().unwrap_or_else(|| self.place.cwd.to_owned());
        let outside = (self.place.outside)(&cwd);
        let env = self.out.env.clone();
        for command in self.commands() {
            for home in self.place.homes.each() {
                let at = Surroundings {
                    cwd: &cwd,
                    roots: self.place.roots,
                    home,
                    env: &env,
                    // The user's own shell, which the event does not name.
                    dialect: Dialect::Unknown,
                };
                let accesses = match &command {
                    Command::Words(words) => shell::argv(words, &at),
                    Command::Line(line) => shell::line(line, &at),
                };
                for mut access in accesses {
                    if let Access::Shell(shell) = &mut access {
                        shell.caveats.extend(outside.clone());
                    }
                    self.push(access);
                }
            }
        }
        self.out.cwd = elsewhere;
    }

    fn commands(&mut self) -> Vec<Command> {
        let mut found = Vec::new();
        for key in keys::LINES {
            let args = self.input.get("args").and_then(Value::as_array);
            match (self.input.get(*key), args) {
                (None | Some(Value::Null), _) => {}
                // A patch in the place of a command is none that a shell runs, and one in a line may be applied: all of it counts.
                (Some(Value::String(text)), None) => {
                    if patch::holds_one(text) {
                        for (kind, path) in patch::files(text) {
                            self.writes(kind, &path);
                        }
                    }
                    found.push(Command::Line(text.clone()));
                }
                (Some(program @ Value::String(_)), Some(args)) => {
                    found.push(words(std::iter::once(program).chain(args)));
                }
                (Some(Value::Array(items)), _) => found.push(words(items.iter())),
                (Some(_), _) => self.odd(key),
            }
        }
        found
    }
}

enum Command {
    /// Words that a program gets as they are.
    Words(Vec<String>),
    /// A line for a shell.
    Line(String),
}

fn words<'a>(items: impl Iterator<Item = &'a Value>) -> Command {
    let texts: Option<Vec<String>> = items.map(|item| item.as_str().map(str::to_owned)).collect();
    // A word that is no text is not understood: a line that never parses says so.
    texts.map_or_else(|| Command::Line("\0".to_owned()), Command::Words)
}

/// Variables that are set for a command.
fn variables(given: Option<&Value>) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match given {
        Some(Value::Object(map)) => map.iter().map(|(name, value)| (name.clone(), text(value))).collect(),
        None | Some(Value::Null) => BTreeMap::new(),
        // As a variable of no name that is known to be harmless.
        Some(other) => BTreeMap::from([("env".to_owned(), other.to_string())]),
    }
}
