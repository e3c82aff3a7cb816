//! One agent or server of an editor's settings: what is wrong with it, and what it is for the rest of the configuration.

use std::collections::BTreeMap;
use std::path::Path;

use super::{EditorAgent, EditorServer, EditorWorkspace, editor_origin, setting_path, with_editor_origin};
use crate::read::{AgentEntry, ServerEntry, WorkspaceEntry, is_web_address, named_folder};
use crate::scalars::{Scalars, keys};
use crate::{ConfigError, Layer, Transport, names};
use mayi_call::{Category, Names};
use mayi_policy::Approval;

impl EditorAgent {
    pub(super) fn agent_entry(&self, name: &str, errors: &mut Vec<ConfigError>) -> AgentEntry {
        let mut check = EntryChecker { place: setting_path("agents", name), errors };
        check.name("agents", names::refuse_agent(name));
        let command = check.check_command(self.command.as_deref(), self.args.as_deref());
        let env = self.env.clone().unwrap_or_default();
        AgentEntry { name: name.to_owned(), command, env, origin: editor_origin(), dropped: None }
    }

    pub(super) fn add_scalars(&self, name: &str, scalars: &mut Scalars, errors: &mut Vec<ConfigError>) {
        scalars.set(keys::AGENT_MODE, &[name], self.mode.map(with_editor_origin));
        scalars.set(keys::AGENT_BYPASS, &[name], self.bypass_permissions.map(with_editor_origin));
        if let Some(tools) = &self.tools {
            check_tool_names(&format!("{}.tools", setting_path("agents", name)), tools, errors);
            for (tool, category) in tools {
                scalars.set(keys::AGENT_TOOL_CATEGORY, &[name, tool], Some(with_editor_origin(*category)));
            }
        }
    }
}

impl EditorServer {
    pub(super) fn server_entry(&self, name: &str, errors: &mut Vec<ConfigError>) -> ServerEntry {
        let mut check = EntryChecker { place: setting_path("servers", name), errors };
        check.name("servers", names::refuse_name("a server", name));
        if self.approval == Some(Approval::Default) {
            check.add_mistake(
                ".approval",
                "can't be \"default\"",
                "write \"required\" or \"not_required\", or leave it out",
            );
        }
        ServerEntry {
            name: name.to_owned(),
            transport: self.check_transport(&mut check),
            origin: editor_origin(),
            may_change: None,
        }
    }

    fn check_transport(&self, check: &mut EntryChecker<'_>) -> Option<Transport> {
        let command = check.check_command(self.command.as_deref(), self.args.as_deref());
        match (&self.command, &self.url) {
            (Some(_), Some(_)) => {
                let help = "a server is started with `command` or reached at `url`: leave one out";
                check.add_mistake("", "can't have both `command` and `url`", help);
                None
            }
            (Some(_), None) => {
                if self.headers.is_some() {
                    let help = "leave them out, or use `env` for a program";
                    check.add_mistake(".headers", "belongs to `url`", help);
                }
                Some(Transport::Stdio { command: command?, env: self.env.clone().unwrap_or_default() })
            }
            (None, Some(url)) => {
                if self.env.is_some() {
                    let help = "leave it out, or use `headers` for an address";
                    check.add_mistake(".env", "belongs to `command`", help);
                }
                if !is_web_address(url) {
                    let what = format!("is not a web address: `{url}`");
                    check.add_mistake(".url", &what, "write it as \"https://example.com/mcp\"");
                    return None;
                }
                let headers = self.headers.clone().unwrap_or_default();
                Some(Transport::Http { url: url.clone(), headers })
            }
            (None, None) => {
                for (key, given, of) in
                    [(".env", self.env.is_some(), "command"), (".headers", self.headers.is_some(), "url")]
                {
                    if given {
                        let what = format!("is of no use without `{of}`");
                        check.add_mistake(key, &what, &format!("write `{of}` too"));
                    }
                }
                None
            }
        }
    }

    pub(super) fn add_scalars(&self, name: &str, scalars: &mut Scalars) {
        scalars.set(keys::SERVER_APPROVAL, &[name], self.approval.map(with_editor_origin));
        scalars.set(keys::SERVER_GRANT, &[name], self.grant.map(with_editor_origin));
        scalars.set(keys::SERVER_TRUST_ANNOTATIONS, &[name], self.trust_annotations.map(with_editor_origin));
        for (tool, said) in self.tools.iter().flatten() {
            let names = [name, tool.as_str()];
            let said = said.parts();
            scalars.set(keys::SERVER_TOOL_APPROVAL, &names, said.approval.map(with_editor_origin));
            scalars.set(keys::SERVER_TOOL_CATEGORY, &names, said.category.map(with_editor_origin));
        }
    }
}

impl EditorWorkspace {
    pub(super) fn workspace_entry(
        &self,
        folder: &str,
        home: Option<&Path>,
        errors: &mut Vec<ConfigError>,
    ) -> Option<WorkspaceEntry> {
        let Some(path) = named_folder(folder, home) else {
            let mut check = EntryChecker { place: setting_path("workspaces", folder), errors };
            let help = "write the whole path, or one that starts with ~/";
            check.add_mistake("", "does not say which folder it is", help);
            return None;
        };
        Some(WorkspaceEntry {
            folder: path,
            mode: self.mode.map(with_editor_origin),
            folders: Vec::new(),
            rules: Vec::new(),
        })
    }
}

/// Notes what can't be the name of an agent's own tool.
pub(super) fn check_tool_names(
    said: &str,
    tools: &BTreeMap<String, Category>,
    errors: &mut Vec<ConfigError>,
) {
    for name in tools.keys().filter(|name| !Names::is_plain(name)) {
        let mut check = EntryChecker { place: said.to_owned(), errors };
        let what = format!("can't have a tool called {name:?}");
        check.add_mistake("", &what, "use letters, digits, `.`, `_` and `-`, at most 128 of them");
    }
}

/// Looks for what is wrong with one agent or server.
struct EntryChecker<'e> {
    place: String,
    errors: &'e mut Vec<ConfigError>,
}

impl EntryChecker<'_> {
    fn add_mistake(&mut self, key: &str, what: &str, help: &str) {
        let message = format!("`{}{key}` {what}", self.place);
        self.errors.push(ConfigError::new(Layer::Editor, message, Some(help.to_owned())));
    }

    fn name(&mut self, group: &str, refused: Option<(String, String)>) {
        if let Some((message, help)) = refused {
            let message = format!("`mayi.{group}`: {message}");
            self.errors.push(ConfigError::new(Layer::Editor, message, Some(help)));
        }
    }

    /// A program and its arguments.
    fn check_command(&mut self, program: Option<&str>, args: Option<&[String]>) -> Option<Vec<String>> {
        let Some(program) = program else {
            if args.is_some() {
                self.add_mistake(".args", "is of no use without `command`", "write `command` too");
            }
            return None;
        };
        if program.trim().is_empty() {
            let help = "write the program, and its arguments beside it: \"command\": \"npx\", \"args\": [\"-y\", \"some-agent\"]";
            self.add_mistake(".command", "names no program", help);
            return None;
        }
        Some(std::iter::once(program.to_owned()).chain(args.unwrap_or_default().iter().cloned()).collect())
    }
}
