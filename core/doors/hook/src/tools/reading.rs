//! From a tool's input to what it would touch.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mayi_core::call::{
    Access, Category, Caveat, Dialect, Diff, McpAccess, PathAccess, Surroundings, UrlAccess, WriteKind,
    file_paths, shell, with_and_without_blanks,
};
use mayi_doors::folders::leads_to;
use serde_json::{Map, Value};

use super::keys::{self, is_known};
use super::{ToolKind, patch};
use crate::call::HomeFolders;

/// The most accesses of one call: one that names more is asked about as a whole.
const MOST: usize = 512;

/// Where a tool runs.
pub(crate) struct ToolContext<'a> {
    pub(crate) cwd: &'a Path,
    pub(crate) roots: &'a [PathBuf],
    pub(crate) homes: &'a HomeFolders,
    /// Why a command that runs in `cwd` is asked about for that.
    pub(crate) outside: &'a dyn Fn(&Path) -> Option<Caveat>,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ToolReading {
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
    does: ToolKind,
    input: &Value,
    servers: Option<Vec<(String, String)>>,
    place: &ToolContext<'_>,
) -> ToolReading {
    let none = Map::new();
    let mut reading = InputReader {
        context: place,
        name,
        input: input.as_object().unwrap_or(&none),
        out: ToolReading::default(),
    };
    match servers {
        Some(readings) => {
            let access = McpAccess::new(readings, input.clone(), place.cwd);
            reading.push(Access::Mcp(access));
        }
        None => {
            reading.read_tool(does);
            let known = input.is_null()
                || input.as_object().is_some_and(|map| map.keys().all(|key| is_known(does, key)));
            if !known || reading.out.accesses.is_empty() {
                reading.push_unknown_tool(Category::Execute);
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

struct InputReader<'a> {
    context: &'a ToolContext<'a>,
    name: &'a str,
    input: &'a Map<String, Value>,
    out: ToolReading,
}

impl InputReader<'_> {
    fn push(&mut self, access: Access) {
        if !self.out.accesses.contains(&access) {
            self.out.accesses.push(access);
        }
    }

    fn push_unknown_tool(&mut self, category: Category) {
        self.push(Access::Tool { name: self.name.to_owned(), category });
    }

    /// The texts under any of `keys`. What is there and is no text is not understood.
    fn text_values(&mut self, keys: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        for key in keys {
            match self.input.get(*key) {
                Some(Value::String(text)) if !text.is_empty() => found.push(text.clone()),
                None | Some(Value::Null | Value::String(_)) => {}
                Some(_) => self.note_not_text(key),
            }
        }
        found
    }

    /// What has another type than its key has elsewhere may be read in any way.
    fn note_not_text(&mut self, key: &str) {
        self.out.not_shown.push(format!("`{key}` is no text"));
        self.push_unknown_tool(Category::Execute);
    }

    fn read_tool(&mut self, does: ToolKind) {
        match does {
            ToolKind::Runs => self.read_commands(),
            ToolKind::Reads => {
                for path in self.path_values() {
                    self.add_looked_up_path(&path);
                }
            }
            ToolKind::Lists => self.push_searched_folders(&[]),
            ToolKind::Finds => self.push_searched_folders(&["pattern", "query", "include"]),
            ToolKind::Searches => self.read_search(),
            ToolKind::Writes | ToolKind::Edits => self.read_file_change(does),
            ToolKind::Patches => self.read_patches(),
            ToolKind::Deletes => {
                for path in self.path_values() {
                    self.push_write(WriteKind::Delete, &path);
                }
            }
            ToolKind::Fetches => self.read_fetches(),
            ToolKind::SearchesWeb => self.push_unknown_tool(Category::External),
            ToolKind::Delegates | ToolKind::Thinks | ToolKind::Looks => self.read_thinking(does),
            ToolKind::SwitchesMode => {
                let id =
                    self.text_values(&["mode", "modeId", "id"]).pop().unwrap_or_else(|| self.name.to_owned());
                self.push(Access::Mode { id });
            }
            ToolKind::Other => {
                for path in self.path_values() {
                    self.add_looked_up_path(&path);
                }
                for url in self.text_values(keys::URLS) {
                    self.push_url(&url);
                }
                if keys::LINES.iter().any(|key| self.input.contains_key(*key)) {
                    self.read_commands();
                }
                self.push_unknown_tool(Category::Execute);
            }
        }
    }

    /// What only thinks is known by its keys; any other makes it a tool that runs.
    fn read_thinking(&mut self, does: ToolKind) {
        let known = self.input.keys().all(|key| is_known(does, key));
        self.push_unknown_tool(if known { Category::Read } else { Category::Execute });
    }

    fn path_values(&mut self) -> Vec<String> {
        let mut found = self.text_values(keys::PATHS);
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
                            (None, None) => self.note_not_text(key),
                        }
                    }
                }
                Some(_) => self.note_not_text(key),
            }
        }
        found
    }

    /// Every file that `given` could be: as it stands, in the home folder where it begins with `~`, by a `file:` address; with
    /// what is blank around it and without.
    fn path_candidates(&self, given: &str) -> Vec<PathAccess> {
        with_and_without_blanks(given)
            .flat_map(|given| self.candidates_from(self.context.cwd, given))
            .collect()
    }

    fn candidates_from(&self, cwd: &Path, given: &str) -> Vec<PathAccess> {
        let mut found = vec![PathAccess::new(cwd, given)];
        let below = given.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        if let Some(rest) = below {
            for home in self.context.homes.known_homes() {
                found.push(PathAccess::new(home, &format!("{}{rest}", home.display())));
            }
        }
        found.extend(file_paths(given).iter().map(|file| PathAccess::new(cwd, file)));
        found
    }

    fn add_looked_up_path(&mut self, given: &str) {
        for path in self.path_candidates(given) {
            self.push(Access::Read(path));
        }
    }

    fn push_write(&mut self, kind: WriteKind, given: &str) {
        for path in self.path_candidates(given) {
            self.push_write_to(kind, path);
        }
    }

    fn push_write_to(&mut self, kind: WriteKind, path: PathAccess) {
        let kind = match kind {
            WriteKind::Write if !path.resolved.exists() => WriteKind::Create,
            kind => kind,
        };
        self.push(Access::write(kind, path));
    }

    /// What a patch changes, from the working folder and from each that the input names besides: harnesses differ in which counts.
    fn push_patch(&mut self, patch: &str) {
        let mut folders = vec![self.context.cwd.to_owned()];
        folders.extend(self.named_folders());
        for (kind, path) in patch::patched_files(patch) {
            for folder in &folders {
                for path in self.candidates_from(folder, &path) {
                    self.push_write_to(kind, path);
                }
            }
        }
    }

    /// The folders that are looked through: those that are named, or the working folder, and where patterns lead out of them.
    fn push_searched_folders(&mut self, patterns: &[&str]) {
        let mut folders = self.path_values();
        if folders.is_empty() {
            folders.push(".".to_owned());
        }
        for folder in &folders {
            self.add_looked_up_path(folder);
        }
        for pattern in self.text_values(patterns) {
            let Some(place) = leads_to(&pattern) else { continue };
            // From each folder that is named, too.
            for folder in &folders {
                self.add_looked_up_path(&format!("{folder}/{place}"));
            }
            self.add_looked_up_path(&place);
        }
    }

    /// A search is judged as the command that harnesses run for it, too: it shows what files hold that a rule may deny
    /// (D2.26).
    fn read_search(&mut self) {
        self.push_searched_folders(&["glob", "include", "include_pattern", "includePattern"]);
        let mut folders = self.path_values();
        if folders.is_empty() {
            folders.push(".".to_owned());
        }
        let mut folders: Vec<String> =
            folders.iter().flat_map(|folder| with_and_without_blanks(folder)).map(str::to_owned).collect();
        folders.dedup();
        let pattern = self.text_values(&["pattern", "query"]).into_iter().next().unwrap_or_default();
        let words = ["rg", "--hidden", "-e", &pattern, "--"].map(str::to_owned);
        let words: Vec<String> = words.into_iter().chain(folders).collect();
        let (cwd, env) = (self.context.cwd, BTreeMap::new());
        for home in self.context.homes.home_readings() {
            let at =
                Surroundings { cwd, roots: self.context.roots, home, env: &env, dialect: Dialect::Unknown };
            for access in shell::argv_accesses(&words, &at) {
                self.push(access);
            }
        }
    }

    fn read_file_change(&mut self, does: ToolKind) {
        let kind = if does == ToolKind::Edits { WriteKind::Edit } else { WriteKind::Write };
        let paths = self.path_values();
        let (old, new) = (self.text_values(keys::OLD), self.text_values(keys::NEW));
        let mut diffs = Vec::new();
        for path in &paths {
            self.push_write(kind, path);
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
                            self.push_write(kind, path);
                        }
                        let Some(path) = own.or_else(|| paths.first().cloned()) else { continue };
                        let (old_text, new_text) = (text(keys::OLD), text(keys::NEW).unwrap_or_default());
                        diffs.push(Diff { path, old_text, new_text });
                    }
                }
                Some(_) => self.note_not_text(key),
            }
        }
        self.out.diffs.extend(diffs);
    }

    fn read_patches(&mut self) {
        let texts = self.text_values(keys::PATCHES);
        for text in &texts {
            self.push_patch(text);
            // `cd elsewhere && apply_patch <<E`: Codex takes that for its patch, and goes there.
            if patch::begins_otherwise(text) {
                for cwd in std::iter::once(self.context.cwd.to_owned()).chain(self.named_folders()) {
                    self.push_command(&InputCommand::Line(text.clone()), &cwd);
                }
            }
            self.out.notes.push(text.clone());
        }
    }

    fn read_fetches(&mut self) {
        let mut urls = self.text_values(keys::URLS);
        match self.input.get("urls") {
            Some(Value::Array(items)) => {
                urls.extend(items.iter().filter_map(Value::as_str).map(str::to_owned))
            }
            None | Some(Value::Null) => {}
            Some(_) => self.note_not_text("urls"),
        }
        if urls.is_empty() {
            // What it fetches is said in a text that a model reads.
            self.push_unknown_tool(Category::External);
        }
        for url in urls {
            self.push_url(&url);
        }
    }

    fn push_url(&mut self, given: &str) {
        for file in file_paths(given) {
            self.add_looked_up_path(&file);
        }
        match UrlAccess::parse_lenient(given) {
            Ok(url) => self.push(Access::Fetch(url)),
            Err(error) => {
                self.out.not_shown.push(format!("the address {given} is not understood: {error}"));
                let name = "an address that is not understood".to_owned();
                self.push(Access::Tool { name, category: Category::Execute });
            }
        }
    }

    fn read_commands(&mut self) {
        let elsewhere = self.named_folders();
        self.out.env = read_variables(self.input.get("env"));
        if let Some(lax) = ["dangerouslyDisableSandbox", "with_escalated_permissions"]
            .into_iter()
            .find(|key| !matches!(self.input.get(*key), None | Some(Value::Null | Value::Bool(false))))
        {
            self.out.cautions.push(format!("it is to run outside of the harness's own sandbox ({lax})"));
        }
        let here = elsewhere.is_empty().then(|| self.context.cwd.to_owned());
        for command in self.command_values() {
            for cwd in here.iter().chain(&elsewhere) {
                self.push_command(&command, cwd);
            }
        }
        self.out.cwd = elsewhere.into_iter().next();
    }

    /// The other folders that the input may name to run in.
    fn named_folders(&mut self) -> Vec<PathBuf> {
        let named = self.text_values(keys::FOLDERS);
        let folders = named.iter().flat_map(|named| with_and_without_blanks(named));
        folders.map(|folder| self.context.cwd.join(folder)).filter(|cwd| *cwd != self.context.cwd).collect()
    }

    fn push_command(&mut self, command: &InputCommand, cwd: &Path) {
        let outside = (self.context.outside)(cwd);
        let env = self.out.env.clone();
        for home in self.context.homes.home_readings() {
            let at = Surroundings {
                cwd,
                roots: self.context.roots,
                home,
                env: &env,
                // The user's own shell, which the event does not name.
                dialect: Dialect::Unknown,
            };
            let accesses = match command {
                InputCommand::Words(words) => shell::argv_accesses(words, &at),
                InputCommand::Line(line) => shell::line_accesses(line, &at),
            };
            for mut access in accesses {
                if let Access::Shell(shell) = &mut access {
                    shell.caveats.extend(outside.clone());
                }
                self.push(access);
            }
        }
    }

    fn command_values(&mut self) -> Vec<InputCommand> {
        let mut found = Vec::new();
        for key in keys::LINES {
            let args = self.input.get("args").and_then(Value::as_array);
            match (self.input.get(*key), args) {
                (None | Some(Value::Null), _) => {}
                // A patch in the place of a command is none that a shell runs, and one in a line may be applied: all of it counts.
                (Some(Value::String(text)), None) => {
                    if patch::holds_one(text) {
                        self.push_patch(text);
                    }
                    found.push(InputCommand::Line(text.clone()));
                }
                (Some(program @ Value::String(_)), Some(args)) => {
                    found.push(command_from_words(std::iter::once(program).chain(args)));
                }
                (Some(Value::Array(items)), _) => found.push(command_from_words(items.iter())),
                (Some(_), _) => self.note_not_text(key),
            }
        }
        found
    }
}

enum InputCommand {
    /// Words that a program gets as they are.
    Words(Vec<String>),
    /// A line for a shell.
    Line(String),
}

fn command_from_words<'a>(items: impl Iterator<Item = &'a Value>) -> InputCommand {
    let texts: Option<Vec<String>> = items.map(|item| item.as_str().map(str::to_owned)).collect();
    // A word that is no text is not understood: a line that never parses says so.
    texts.map_or_else(|| InputCommand::Line("\0".to_owned()), InputCommand::Words)
}

/// Variables that are set for a command.
fn read_variables(given: Option<&Value>) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match given {
        Some(Value::Object(map)) => map.iter().map(|(name, value)| (name.clone(), text(value))).collect(),
        None | Some(Value::Null) => BTreeMap::new(),
        // As a variable of no name that is known to be harmless.
        Some(other) => BTreeMap::from([("env".to_owned(), other.to_string())]),
    }
}
