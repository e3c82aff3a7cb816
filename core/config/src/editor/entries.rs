//! One agent or server of an editor's settings: what is wrong with it, and what it is for the rest of the configuration.

use std::collections::BTreeMap;
use std::path::Path;

use super::{EditorAgent, EditorServer, EditorTool, EditorWorkspace, at, origin, place};
use crate::read::{AgentEntry, ServerEntry, WorkspaceEntry, is_web_address, named_folder};
use crate::scalars::{AgentScalars, At, ServerScalars, ToolScalars};
use crate::{ConfigError, Layer, Transport, names};
use mayi_call::{Category, Names};
use mayi_policy::Approval;

impl EditorAgent {
    pub(super) fn entry(&self, name: &str, errors: &mut Vec<ConfigError>) -> AgentEntry {
        let mut check = Check { place: place("agents", name), errors };
        check.name("agents", names::refuse_agent(name));
        let command = check.command(self.command.as_deref(), self.args.as_deref());
        let env = self.env.clone().unwrap_or_default();
        AgentEntry { name: name.to_owned(), command, env, origin: origin(), dropped: None }
    }

    pub(super) fn scalars(&self, name: &str, errors: &mut Vec<ConfigError>) -> AgentScalars {
        let said = format!("{}.tools", place("agents", name));
        AgentScalars {
            mode: self.mode.map(at),
            tools: self.tools.as_ref().map(|of| tools(&said, of, errors)).unwrap_or_default(),
            bypass_permissions: self.bypass_permissions.map(at),
            ..AgentScalars::default()
        }
    }
}

impl EditorServer {
    pub(super) fn entry(&self, name: &str, errors: &mut Vec<ConfigError>) -> ServerEntry {
        let mut check = Check { place: place("servers", name), errors };
        check.name("servers", names::refuse("a server", name));
        if self.approval == Some(Approval::Default) {
            check.mistake(
                ".approval",
                "can't be \"default\"",
                "write \"required\" or \"not_required\", or leave it out",
            );
        }
        ServerEntry { name: name.to_owned(), transport: self.transport(&mut check), origin: origin() }
    }

    fn transport(&self, check: &mut Check<'_>) -> Option<Transport> {
        let command = check.command(self.command.as_deref(), self.args.as_deref());
        match (&self.command, &self.url) {
            (Some(_), Some(_)) => {
                let help = "a server is started with `command` or reached at `url`: leave one out";
                check.mistake("", "can't have both `command` and `url`", help);
                None
            }
            (Some(_), None) => {
                if self.headers.is_some() {
                    let help = "leave them out, or use `env` for a program";
                    check.mistake(".headers", "belongs to `url`", help);
                }
                Some(Transport::Stdio { command: command?, env: self.env.clone().unwrap_or_default() })
            }
            (None, Some(url)) => {
                if self.env.is_some() {
                    let help = "leave it out, or use `headers` for an address";
                    check.mistake(".env", "belongs to `command`", help);
                }
                if !is_web_address(url) {
                    let what = format!("is not a web address: `{url}`");
                    check.mistake(".url", &what, "write it as \"https://example.com/mcp\"");
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
                        check.mistake(key, &what, &format!("write `{of}` too"));
                    }
                }
                None
            }
        }
    }

    pub(super) fn scalars(&self) -> ServerScalars {
        let tools = self.tools.iter().flatten();
        let tool = |tool: &EditorTool| match tool {
            EditorTool::Approval(approval) => ToolScalars { approval: Some(at(*approval)), category: None },
            EditorTool::Category(category) => ToolScalars { approval: None, category: Some(at(*category)) },
        };
        ServerScalars {
            approval: self.approval.map(at),
            grant: self.grant.map(at),
            trust_annotations: self.trust_annotations.map(at),
            tools: tools.map(|(name, said)| (name.clone(), tool(said))).collect(),
        }
    }
}

impl EditorWorkspace {
    pub(super) fn entry(
        &self,
        folder: &str,
        home: Option<&Path>,
        errors: &mut Vec<ConfigError>,
    ) -> Option<WorkspaceEntry> {
        let Some(path) = named_folder(folder, home) else {
            let mut check = Check { place: place("workspaces", folder), errors };
            let help = "write the whole path, or one that starts with ~/";
            check.mistake("", "does not say which folder it is", help);
            return None;
        };
        Some(WorkspaceEntry { folder: path, mode: self.mode.map(at), rules: Vec::new() })
    }
}

/// What agents' own tools are, by name.
pub(super) fn tools(
    said: &str,
    tools: &BTreeMap<String, Category>,
    errors: &mut Vec<ConfigError>,
) -> BTreeMap<String, At<Category>> {
    for name in tools.keys().filter(|name| !Names::plain(name)) {
        let mut check = Check { place: said.to_owned(), errors };
        let what = format!("can't have a tool called {name:?}");
        check.mistake("", &what, "use letters, digits, `.`, `_` and `-`, at most 128 of them");
    }
    tools.iter().map(|(name, category)| (name.clone(), at(*category))).collect()
}

/// Looks for what is wrong with one agent or server.
struct Check<'e> {
    place: String,
    errors: &'e mut Vec<ConfigError>,
}

impl Check<'_> {
    fn mistake(&mut self, key: &str, what: &str, help: &str) {
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
    fn command(&mut self, program: Option<&str>, args: Option<&[String]>) -> Option<Vec<String>> {
        let Some(program) = program else {
            if args.is_some() {
                self.mistake(".args", "is of no use without `command`", "write `command` too");
            }
            return None;
        };
        if program.trim().is_empty() {
            let help = "write the program, and its arguments beside it: \"command\": \"npx\", \"args\": [\"-y\", \"some-agent\"]";
            self.mistake(".command", "names no program", help);
            return None;
        }
        Some(std::iter::once(program.to_owned()).chain(args.unwrap_or_default().iter().cloned()).collect())
    }
}
