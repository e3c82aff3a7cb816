//! From a request to a [`Call`]: raw input, diffs, locations and terminals are read together, and
//! every version that they give becomes an access (D1.4).

mod changes;
mod fetches;
mod paths;
mod searches;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::input;
use crate::tool_calls::ToolCallState;
use mayi_core::call::{
    Access, Call, Category, Caveat, Dialect, Diff, Door, McpAccess, PathAccess, Surroundings, WriteKind,
    effort, leaving_member, shell,
};
use mayi_core::gate::Session;
use mayi_doors::folders::{all_glob_folders, folder_caveat, is_glob, named_folders};
use mayi_doors::readings::{InputCommand, ItemReading};

/// The most accesses of one call: an agent that names more is asked about as a whole.
const MOST: usize = 512;

/// Where a call comes from.
pub struct CallOrigin<'a> {
    /// The door.
    pub door: Door,
    /// The session.
    pub session: &'a Session,
    /// The protocol's id of the tool call.
    pub tool_call_id: Option<&'a str>,
}

/// The call that a tool call of the agent's means.
pub fn tool_call(from: &CallOrigin<'_>, known: &ToolCallState, not_shown: Vec<String>) -> Call {
    effort::bounded(|| build_call(from, known, not_shown, true))
}

/// `own`: whether its commands are looked at in the session's folder also where it names another one.
fn build_call(from: &CallOrigin<'_>, known: &ToolCallState, not_shown: Vec<String>, own: bool) -> Call {
    let raw_input = known.fields.get("rawInput").cloned().unwrap_or(Value::Null);
    let mut reading = CallBuilder {
        cwd: from.session.cwd.clone(),
        roots: from.session.roots.clone(),
        home: mayi_core::call::home_folder(),
        kind: known.text_field("kind").unwrap_or("other").to_owned(),
        accesses: Vec::new(),
        diffs: Vec::new(),
        notes: Vec::new(),
        not_shown,
        env: BTreeMap::new(),
        paths: BTreeMap::new(),
        elsewhere: Vec::new(),
        own,
        by_hand: None,
        mcp_only: false,
        runs_in: None,
    };
    if let Some(fields) = raw_input.as_object() {
        let homes: Vec<&Path> = reading.home.as_deref().into_iter().collect();
        reading.elsewhere = named_folders(fields, &reading.cwd, &[], &homes).others;
    }
    reading.env.extend(input::env_in_each_reading(&raw_input));
    reading.runs_in = reading.run_folders().iter().find_map(|cwd| folder_caveat(from.session, cwd));
    reading.read_content(known.fields.get("content"));
    let name = known.text_field("name").map(str::to_owned).or_else(|| vendor_name(known));
    reading.read_input(&raw_input, name.as_deref(), &known.earlier_inputs);
    reading.read_locations(known.fields.get("locations"));
    reading.by_kind(&raw_input, name.as_deref());
    let mut by_hand = reading.by_hand.take();
    if let Some(member) = &known.leaves_sandbox
        && leaving_member(&raw_input).is_none()
    {
        by_hand.get_or_insert_with(|| {
            format!("a message about it asks to run outside of the harness's own sandbox ({member})")
        });
    }
    if known.ambiguous {
        by_hand = Some("a message about this call can be read in two ways".to_owned());
        reading.push(Access::Tool {
            name: "a message that can be read in two ways".to_owned(),
            category: Category::Execute,
        });
    }
    let CallBuilder { kind, mut accesses, diffs, notes, not_shown, env, cwd, elsewhere, .. } = reading;
    let cwd = elsewhere.into_iter().next().unwrap_or(cwd);
    if accesses.len() > MOST {
        accesses.truncate(MOST);
        by_hand = Some(format!("it names more than {MOST} things, and the rest was not looked at"));
        accesses.push(Access::Tool {
            name: "more than can be looked at".to_owned(),
            category: Category::Execute,
        });
    }
    let mut call = Call {
        door: from.door,
        agent: from.session.agent.clone(),
        session: from.session.id.clone(),
        tool_call_id: from.tool_call_id.map(str::to_owned),
        roots: from.session.roots.clone(),
        cwd,
        env,
        title: known.text_field("title").unwrap_or_default().to_owned(),
        kind,
        name,
        raw_input,
        diffs,
        notes,
        locations: known.fields.get("locations").and_then(Value::as_array).cloned().unwrap_or_default(),
        accesses,
        not_shown,
        by_hand,
        server: None,
        blocked: None,
        cautions: Vec::new(),
        flagged: Vec::new(),
        parent: known.parent.clone(),
        about: None,
        held: false,
    };
    changes::add_untold_diffs(&mut call);
    call
}

/// A name that an agent gives in its own place: Claude Code in one named after it, Qwen Code at the top.
fn vendor_name(known: &ToolCallState) -> Option<String> {
    let meta = known.fields.get("_meta")?;
    meta.get("claudeCode")
        .into_iter()
        .chain([meta])
        .find_map(|place| input::non_empty_text(place, "toolName"))
}

struct CallBuilder {
    cwd: PathBuf,
    roots: Vec<PathBuf>,
    home: Option<PathBuf>,
    kind: String,
    accesses: Vec<Access>,
    diffs: Vec<Diff>,
    notes: Vec<String>,
    not_shown: Vec<String>,
    env: BTreeMap<String, String>,
    paths: BTreeMap<String, PathAccess>,
    /// The folders that the input may name, if they are others.
    elsewhere: Vec<PathBuf>,
    /// Whether the session's folder counts beside them for commands.
    own: bool,
    /// Why it is asked about in every mode.
    by_hand: Option<String>,
    /// The input is a call to a tool server, and holds nothing else.
    mcp_only: bool,
    /// Why a command is asked about for the folder it runs in.
    runs_in: Option<Caveat>,
}

impl CallBuilder {
    fn push(&mut self, access: Access) {
        // What is too much is not looked at to its end.
        if self.accesses.len() <= MOST && !self.accesses.contains(&access) {
            self.accesses.push(access);
        }
    }

    /// A file that is changed, in a way that is only said by the call's kind: one access for each file.
    fn write(&mut self, kind: WriteKind, given: &str) {
        for path in self.path_candidates(given) {
            let same =
                |access: &Access| matches!(access, Access::Write(_, other) if other.lexical == path.lexical);
            let told = kind == WriteKind::Edit && self.accesses.iter().any(same);
            if !told {
                self.push(Access::write(kind, path));
            }
        }
    }

    fn read(&mut self, given: &str) {
        for path in self.path_candidates(given) {
            self.push(Access::Read(path));
        }
    }

    /// Diffs, texts and terminals.
    fn read_content(&mut self, content: Option<&Value>) {
        let Some(content) = content else { return };
        let Some(items) = content.as_array() else {
            self.not_shown.push("the content is no list".to_owned());
            return;
        };
        for item in items {
            match item.get("type").and_then(Value::as_str) {
                Some("diff") => self.read_diff(item),
                Some("content") => match item.pointer("/content/text").and_then(Value::as_str) {
                    Some(text) => self.notes.push(text.to_owned()),
                    None => self.not_shown.push(format!(
                        "content of type {}",
                        item.pointer("/content/type").and_then(Value::as_str).unwrap_or("unknown")
                    )),
                },
                // Some agents leave out the wrapper, as the specification's own example does.
                Some("text") => match input::non_empty_text(item, "text") {
                    Some(text) => self.notes.push(text),
                    None => self.not_shown.push("a text without text".to_owned()),
                },
                Some("terminal") => self.notes.push("the output of a terminal".to_owned()),
                other => self.not_shown.push(format!("content of type {}", other.unwrap_or("unknown"))),
            }
        }
    }

    /// What the input says, whatever the kind claims. `name` is the tool's, and `earlier` what its input was before.
    fn read_input(&mut self, raw: &Value, name: Option<&str>, earlier: &[Value]) {
        self.read_mcp_call(raw, name, earlier);
        let folders = self.run_folders();
        // What is of no kind that is known may run what it holds at any depth.
        let nested = self.kind == "other" && !self.mcp_only && !input::starts_sub_agent(raw);
        for command in input::find_commands(raw, nested) {
            for cwd in &folders {
                let at = Surroundings {
                    cwd,
                    roots: &self.roots,
                    home: self.home.as_deref(),
                    env: &self.env,
                    // It runs what was approved by itself, in a shell that it does not name.
                    dialect: Dialect::Unknown,
                };
                let accesses = match &command {
                    InputCommand::Words(words) => shell::word_list_accesses(words, &at),
                    InputCommand::Line(line) => shell::line_accesses(line, &at),
                    // A line that never parses says so.
                    InputCommand::Unknown => shell::line_accesses("\0", &at),
                };
                for mut access in accesses {
                    if let Access::Shell(shell) = &mut access {
                        shell.caveats.extend(self.runs_in.clone());
                    }
                    self.push(access);
                }
            }
        }
        if !self.mcp_only {
            self.read_unclaimed_changes(raw);
        }
        for change in input::find_changes(raw) {
            let kind = match change.kind.as_str() {
                "add" => WriteKind::Create,
                "update" => WriteKind::Edit,
                "delete" => WriteKind::Delete,
                _ => WriteKind::Write,
            };
            self.write(kind, &change.path);
            if let Some(to) = change.moved_to {
                // It can be read where it goes.
                self.read(&change.path);
                self.write(WriteKind::Move, &to);
            }
        }
        if let Some(kind) = input::edit_word(raw) {
            for path in input::find_paths(raw) {
                self.write(kind, &path);
            }
        }
        let changed = input::find_changed_files(raw);
        for path in &changed.paths {
            self.write(WriteKind::Edit, path);
        }
        self.note_unreadable(&changed);
        let changes = matches!(self.kind.as_str(), "edit" | "delete" | "move");
        for (kind, path) in input::find_patched_files(raw, changes) {
            self.write(kind, &path);
        }
    }

    /// Something in it can be read in a way that nobody knows: no mode, rule or answer stands for that.
    fn note_unreadable(&mut self, found: &ItemReading) {
        if found.unreadable {
            self.by_hand = Some("it has a list that can't be read with certainty".to_owned());
        }
    }

    /// A call to a tool server, by the names that agents use for it.
    fn read_mcp_call(&mut self, raw: &Value, name: Option<&str>, earlier: &[Value]) {
        if let Some(rest) = name.and_then(|name| name.strip_prefix("mcp__")) {
            self.push(Access::Mcp(McpAccess::new(McpAccess::split_name(rest, "__"), raw.clone(), &self.cwd)));
            self.mcp_only = true;
            return;
        }
        for input in std::iter::once(raw).chain(earlier) {
            if let (Some(server), Some(tool)) =
                (input::non_empty_text(input, "server"), input::non_empty_text(input, "tool"))
            {
                let arguments = input.get("arguments").cloned().unwrap_or(Value::Null);
                self.push(Access::Mcp(McpAccess::new(vec![(server, tool)], arguments, &self.cwd)));
            }
        }
        self.mcp_only =
            self.accesses.iter().any(|access| matches!(access, Access::Mcp(_))) && input::only_mcp(raw);
        // Codex asks with another shape, which names the server but not the tool; the tool was in
        // the update before. Where it was not, or says something else, nothing is certain.
        if raw.pointer("/request/_meta/codex_approval_kind").and_then(Value::as_str) == Some("mcp_tool_call")
        {
            let server = input::non_empty_text(raw, "server_name").unwrap_or_default();
            let arguments = raw.pointer("/request/_meta/tool_params").cloned().unwrap_or(Value::Null);
            let announced = self.accesses.iter().any(|access| {
                matches!(access, Access::Mcp(mcp) if mcp.unique_reading().is_some_and(|(name, _)| name == server)
                    && (mcp.arguments == arguments || (arguments.is_null() && is_nothing(&mcp.arguments))))
            });
            self.mcp_only = input::only_mcp(raw);
            if !announced {
                self.push(Access::Mcp(McpAccess::new(Vec::new(), arguments, &self.cwd)));
            }
        }
    }

    fn read_locations(&mut self, locations: Option<&Value>) {
        let Some(items) = locations.and_then(Value::as_array) else { return };
        for given in items.iter().filter_map(|item| input::non_empty_text(item, "path")) {
            match self.kind.as_str() {
                "edit" => self.write(WriteKind::Edit, &given),
                "delete" => self.write(WriteKind::Delete, &given),
                "move" => self.write(WriteKind::Move, &given),
                _ => {
                    for path in self.path_candidates(&given) {
                        let written = self
                            .accesses
                            .iter()
                            .any(|a| matches!(a, Access::Write(_, w) if w.lexical == path.lexical));
                        if !written && path.lexical != self.cwd {
                            self.push(Access::Read(path));
                        }
                    }
                }
            }
        }
    }

    /// What the kind adds. It never takes anything away.
    fn by_kind(&mut self, raw: &Value, name: Option<&str>) {
        let is_mcp = self.mcp_only;
        let label = name.unwrap_or(&self.kind).to_owned();
        let unknown = |category| Access::Tool { name: label.clone(), category };
        match self.kind.as_str() {
            "edit" | "delete" | "move" => {
                let kind = match self.kind.as_str() {
                    "edit" => WriteKind::Edit,
                    "delete" => WriteKind::Delete,
                    _ => WriteKind::Move,
                };
                let moved = if kind == WriteKind::Move { input::find_moved_paths(raw) } else { Vec::new() };
                for given in input::find_paths(raw).into_iter().chain(moved).chain(input::new_paths(raw)) {
                    self.write(kind, &given);
                }
                // What is moved can be read where it goes.
                if kind == WriteKind::Move {
                    let from = input::find_paths(raw).into_iter().chain(input::find_moved_paths(raw));
                    from.collect::<Vec<_>>().iter().for_each(|path| self.read(path));
                }
                if kind != WriteKind::Edit {
                    input::find_patched_files(raw, true).iter().for_each(|(_, path)| self.write(kind, path));
                }
                self.read_urls(raw);
                self.note_unreadable(&input::listed_paths(raw));
                if !self.accesses.iter().any(|access| matches!(access, Access::Write(..))) {
                    self.push(unknown(Category::Execute));
                }
            }
            "read" | "search" if !is_mcp => {
                let given = input::find_paths(raw);
                if given.is_empty() && self.kind == "search" && raw.is_object() {
                    let here = self.path(".");
                    self.push(Access::Read(here));
                }
                let folders = given.clone();
                for given in given.into_iter().chain(self.searched_folders(raw, &folders)) {
                    self.read(&given);
                }
                // What only claims to read, with an input that is not understood, may do anything
                // (attack 10); a command in it was taken above.
                let command = self.accesses.iter().any(|access| matches!(access, Access::Shell(_)));
                if self.accesses.is_empty() || !(input::only_reads(raw) || command) {
                    self.push(unknown(Category::Execute));
                }
                if self.kind == "search" && !name.is_some_and(|name| input::lists_names(name, raw)) {
                    self.search_contents(raw, folders);
                } else if self.kind == "read" {
                    self.read_patterns(raw);
                    let included = input::included_paths(raw);
                    included.iter().for_each(|path| self.read(path));
                    let folders = all_glob_folders(included.iter().filter(|path| is_glob(path)));
                    if !folders.is_empty() {
                        self.search_contents(&Value::Null, folders);
                    }
                }
                self.read_urls(raw);
            }
            "execute" if !is_mcp => {
                self.read_urls(raw);
                if !self.accesses.iter().any(|access| matches!(access, Access::Shell(_))) {
                    self.push(unknown(Category::Execute));
                }
                // What else it has could be what is really done: `file_path`, `stdin`, `sudo`.
                if let Some(key) = input::key_beside_command(raw) {
                    self.by_hand =
                        Some(format!("beside the command its input has {key:?}, which mayi does not know"));
                    input::single_paths(raw).iter().for_each(|path| self.read(path));
                }
            }
            "fetch" if !is_mcp => self.read_fetch(raw, &label),
            "other" if !is_mcp && self.accesses.is_empty() && input::starts_sub_agent(raw) => {
                self.push(unknown(Category::Read));
            }
            // All of it is understood: what becomes of the files that it names.
            "other" if !is_mcp && input::is_patch_alone(raw) => {}
            "think" if !is_mcp && self.accesses.is_empty() => {
                input::find_paths(raw).iter().for_each(|path| self.read(path));
                self.read_urls(raw);
                let category = if input::only_thinks(raw) { Category::Read } else { Category::Execute };
                self.push(unknown(category));
            }
            "switch_mode" => {
                let id = ["mode", "modeId", "id"]
                    .iter()
                    .find_map(|key| input::non_empty_text(raw, key))
                    .unwrap_or(label);
                self.push(Access::Mode { id });
            }
            _ if is_mcp => {}
            _ => {
                for given in input::find_paths(raw) {
                    self.read(&given);
                }
                for given in input::find_all_urls(raw) {
                    self.read_url(&given);
                }
                self.push(unknown(Category::Execute));
            }
        }
    }
}

fn is_nothing(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty)
}

/// A path's access for `fs/read_text_file` or `fs/write_text_file`.
pub fn file_access(cwd: &Path, path: &str, write: bool) -> Access {
    let path = PathAccess::new(cwd, path);
    if !write {
        return Access::Read(path);
    }
    let kind = if path.resolved.exists() { WriteKind::Edit } else { WriteKind::Create };
    Access::Write(kind, path)
}

/// Whether a tool call is said to do all of this.
pub fn includes_accesses(session: &Session, known: &ToolCallState, accesses: &[Access]) -> bool {
    let call =
        tool_call(&CallOrigin { door: Door::AcpReported, session, tool_call_id: None }, known, Vec::new());
    accesses.iter().all(|access| call.accesses.contains(access))
}

/// Whether a tool call that shows a terminal does no more than was judged when that was created: it says just that, or nothing.
pub fn is_within_terminal(session: &Session, known: &ToolCallState, accesses: &[Access]) -> bool {
    let empty = |field: &str| known.fields.get(field).is_none_or(is_empty_value);
    let diff = |item: &Value| item.get("type").and_then(Value::as_str) == Some("diff");
    let diffs = known.fields.get("content").and_then(Value::as_array).is_some_and(|all| all.iter().any(diff));
    let says_nothing = empty("rawInput") && empty("locations") && !diffs && known.earlier_inputs.is_empty();
    !known.ambiguous && (says_nothing || is_within_accesses(session, known, accesses))
}

fn is_empty_value(value: &Value) -> bool {
    is_nothing(value) || value.as_array().is_some_and(Vec::is_empty)
}

/// Whether a tool call that is under way does what a side door was just judged for.
pub fn is_within_accesses(session: &Session, known: &ToolCallState, accesses: &[Access]) -> bool {
    // What was judged ran in one folder: in the one that the tool call names.
    let from = CallOrigin { door: Door::AcpReported, session, tool_call_id: None };
    let call = effort::bounded(|| build_call(&from, known, Vec::new(), false));
    call.accesses.iter().all(|access| {
        accesses.iter().any(|other| match (access, other) {
            (Access::Read(a), Access::Read(b)) | (Access::Write(_, a), Access::Write(_, b)) => {
                a.lexical == b.lexical
            }
            (Access::Shell(a), Access::Shell(b)) => a == b,
            _ => false,
        })
    })
}

#[cfg(test)]
mod tests;
