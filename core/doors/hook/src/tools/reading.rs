//! From a tool's input to what it would touch.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mayi_core::call::{Access, Category, Caveat, Diff, McpAccess, UrlAccess, WriteKind, effort, file_paths};
use mayi_doors::folders::named_folders;
use mayi_doors::patch_headers;
use mayi_doors::readings::{InputCommand, ItemKeys, ItemReading, addresses, read_items, stray_paths};
use serde_json::{Map, Value};

use super::ToolKind;
use super::keys::{self, is_known};
use crate::call::HomeFolders;

/// The most accesses of one call: one that names more is asked about as a whole.
pub(super) const MOST: usize = 512;

/// Where a tool runs.
pub(crate) struct ToolContext<'a> {
    pub(crate) cwd: &'a Path,
    pub(crate) roots: &'a [PathBuf],
    pub(crate) homes: &'a HomeFolders,
    /// The keys under which the harness's tools take the folder to run in.
    pub(crate) folder_keys: &'a [&'a str],
    /// Whether the tool, which changes a file, shows in its result what that holds.
    pub(crate) shows: bool,
    /// Whether the tool looks below the session's folders for a relative path that is not there.
    pub(crate) searches_below: bool,
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
    /// Why it is asked about in every mode.
    pub(crate) by_hand: Option<String>,
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
    effort::bounded(|| read_within_budget(name, does, input, servers, place))
}

fn read_within_budget(
    name: &str,
    does: ToolKind,
    input: &Value,
    servers: Option<Vec<(String, String)>>,
    place: &ToolContext<'_>,
) -> ToolReading {
    let none = Map::new();
    let homes: Vec<&Path> = place.homes.known_homes().collect();
    let fields = input.as_object().unwrap_or(&none);
    let mut reading = InputReader {
        context: place,
        name,
        does,
        input: fields,
        folders: named_folders(fields, place.cwd, &[], &homes).others,
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
        out.by_hand = Some("it names more than can be looked at".to_owned());
    }
    out
}

pub(super) struct InputReader<'a> {
    pub(super) context: &'a ToolContext<'a>,
    pub(super) name: &'a str,
    pub(super) does: ToolKind,
    pub(super) input: &'a Map<String, Value>,
    /// Other folders than the session's own that the input names to work in.
    pub(super) folders: Vec<PathBuf>,
    pub(super) out: ToolReading,
}

impl InputReader<'_> {
    pub(super) fn push(&mut self, access: Access) {
        // What is too much is not looked at to its end.
        if self.out.accesses.len() <= MOST && !self.out.accesses.contains(&access) {
            self.out.accesses.push(access);
        }
    }

    pub(super) fn push_unknown_tool(&mut self, category: Category) {
        self.push(Access::Tool { name: self.name.to_owned(), category });
    }

    /// The texts under any of `keys`. What is there and is no text is not understood.
    pub(super) fn text_values(&mut self, keys: &[&str]) -> Vec<String> {
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
    pub(super) fn note_not_text(&mut self, key: &str) {
        let note = format!("`{key}` is no text");
        if !self.out.not_shown.contains(&note) {
            self.out.not_shown.push(note);
        }
        self.push_unknown_tool(Category::Execute);
    }

    /// Something in it can be read in a way that nobody knows: no mode, rule or answer stands for that.
    pub(super) fn note_unreadable(&mut self, key: &str) {
        self.note_not_text(key);
        self.out.by_hand = Some(format!("`{key}` can't be read with certainty"));
    }

    fn read_tool(&mut self, does: ToolKind) {
        match does {
            ToolKind::Runs => self.read_commands(),
            ToolKind::Reads => self.read_files(),
            ToolKind::Lists => self.push_searched_folders(&[]),
            ToolKind::Finds => self.push_searched_folders(&["pattern", "query", "include"]),
            ToolKind::Searches => self.read_search(),
            ToolKind::Writes | ToolKind::Edits => self.read_file_change(does),
            ToolKind::Patches => self.read_patches(),
            ToolKind::Deletes => self.read_deleted(),
            ToolKind::Fetches => self.read_fetches(),
            ToolKind::SearchesWeb => self.push_unknown_tool(Category::External),
            ToolKind::Delegates | ToolKind::Thinks | ToolKind::Looks => self.read_thinking(does),
            ToolKind::SwitchesMode => {
                let id =
                    self.text_values(&["mode", "modeId", "id"]).pop().unwrap_or_else(|| self.name.to_owned());
                self.push(Access::Mode { id });
            }
            ToolKind::Other => self.read_unknown_tool(),
        }
    }

    /// What only thinks is known by its keys; any other makes it a tool that runs.
    fn read_thinking(&mut self, does: ToolKind) {
        let known = self.input.keys().all(|key| is_known(does, key));
        self.push_unknown_tool(if known { Category::Read } else { Category::Execute });
    }

    /// A tool that is not known may do anything with what it is given: read a file, change it, run a line.
    fn read_unknown_tool(&mut self) {
        for path in self.path_values() {
            self.add_looked_up_path(&path);
            self.push_write(WriteKind::Edit, &path);
        }
        for url in
            self.text_values(keys::URLS).into_iter().chain(addresses(&Value::Object(self.input.clone())))
        {
            self.push_url(&url);
        }
        self.read_commands();
        self.push_unknown_tool(Category::Execute);
    }

    fn read_file_change(&mut self, does: ToolKind) {
        let kind = if does == ToolKind::Edits { WriteKind::Edit } else { WriteKind::Write };
        let paths = self.path_values();
        let (old, new) = (self.text_values(keys::OLD), self.text_values(keys::NEW));
        let mut diffs = Vec::new();
        for path in &paths {
            self.push_change(kind, path);
            if let Some(new_text) = new.first() {
                diffs.push(Diff {
                    path: path.clone(),
                    old_text: old.first().cloned(),
                    new_text: new_text.clone(),
                });
            }
        }
        let others: Vec<&str> = [keys::OLD, keys::NEW, keys::PART_OF_EDIT].concat();
        let of_items = ItemKeys { paths: keys::PATHS, others: &others, texts: false };
        for key in keys::EDITS {
            let Some(list) = self.input.get(*key) else { continue };
            let found = read_items(list, &of_items);
            for path in &found.paths {
                self.push_change(kind, path);
            }
            self.note_items(key, &found);
            for item in list.as_array().into_iter().flatten() {
                let text = |keys: &[&str]| {
                    keys.iter().find_map(|key| item.get(*key).and_then(Value::as_str)).map(str::to_owned)
                };
                let Some(path) = text(keys::PATHS).or_else(|| paths.first().cloned()) else { continue };
                let (old_text, new_text) = (text(keys::OLD), text(keys::NEW).unwrap_or_default());
                diffs.push(Diff { path, old_text, new_text });
            }
        }
        self.out.diffs.extend(diffs);
    }

    /// What is said where not all of a list under `key` is known.
    pub(super) fn note_items(&mut self, key: &str, found: &ItemReading) {
        if found.unreadable {
            self.note_unreadable(key);
        } else if found.unknown {
            self.push_unknown_tool(Category::Execute);
        }
    }

    fn read_patches(&mut self) {
        let texts = self.text_values(keys::PATCHES);
        for text in &texts {
            self.push_patch(text);
            // `cd elsewhere && apply_patch <<E`: Codex takes that for its patch, and goes there.
            if patch_headers::begins_otherwise(text) {
                for cwd in std::iter::once(self.context.cwd.to_owned()).chain(self.folders.clone()) {
                    self.push_command(&InputCommand::Line(text.clone()), &cwd);
                }
            }
            self.out.notes.push(text.clone());
        }
        for path in stray_paths(self.input, |key| is_known(ToolKind::Patches, key)) {
            self.push_write(WriteKind::Edit, &path);
        }
    }

    /// An address may stand in any text: a model is told in a sentence what to fetch, also beside a key of its own.
    fn read_fetches(&mut self) {
        let mut urls = self.text_values(keys::URLS);
        match self.input.get("urls") {
            Some(Value::Array(items)) => {
                urls.extend(items.iter().filter_map(Value::as_str).map(str::to_owned));
                if !items.iter().all(Value::is_string) {
                    self.note_unreadable("urls");
                }
            }
            None | Some(Value::Null) => {}
            Some(_) => self.note_unreadable("urls"),
        }
        if urls.is_empty() {
            // What it fetches is said in a text that a model reads.
            self.push_unknown_tool(Category::External);
        }
        // Where it puts what it fetched.
        for path in stray_paths(self.input, |key| is_known(ToolKind::Fetches, key)) {
            self.push_write(WriteKind::Write, &path);
        }
        urls.extend(addresses(&Value::Object(self.input.clone())));
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
                // Some put the scheme before it, and which one is theirs to say.
                for scheme in ["https", "http"] {
                    if let Ok(url) = UrlAccess::parse_lenient(&format!("{scheme}://{given}")) {
                        self.push(Access::Fetch(url));
                    }
                }
            }
        }
    }
}
