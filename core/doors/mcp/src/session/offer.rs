//! What the client and its model are told: the tools, as far as they are what they were, and mayi's instructions.

use jiff::Timestamp;
use serde_json::Value;
use serde_json::value::RawValue;

use super::Session;
use crate::members::raw;
use crate::server::{Server, Tool, blocked};
use mayi_core::pin::{Item, Standing, definition_of};
use mayi_core::policy::Mode;

impl Session {
    /// The tools as the client gets them, each under the name that it knows: one that is not what was trusted is listed
    /// with mayi's words in place of the server's. What is new is trusted, and said.
    pub(super) fn offered(
        &self,
        server: &Server,
        tools: &[Tool],
        name: impl Fn(&str) -> String,
    ) -> Vec<Box<RawValue>> {
        let mut said = vec![(Item::Launch, server.launch.transport.describe())];
        said.extend(tools.iter().map(|tool| (Item::Tool(tool.name.clone()), definition_of(&tool.said))));
        if let Err(error) = self.observe(server, &said) {
            return tools.iter().map(|tool| raw(&blocked(&name(&tool.name), &error))).collect();
        }
        tools.iter().map(|tool| self.offer(server, tool, &name(&tool.name))).collect()
    }

    fn offer(&self, server: &Server, tool: &Tool, name: &str) -> Box<RawValue> {
        match self.why_blocked(server, &Item::Tool(tool.name.clone())) {
            Some(why) => raw(&blocked(name, &format!("[mayi] This tool is blocked: {why}"))),
            None if name == tool.name => tool.raw.raw(),
            None => {
                let mut renamed = tool.raw.clone();
                renamed.set("name", raw(name));
                renamed.raw()
            }
        }
    }

    /// Keeps what a server says of itself, and tells what is odd about it.
    fn observe(&self, server: &Server, said: &[(Item, Value)]) -> Result<(), String> {
        let standings = self.shared.pins.observe(&server.name, said, Timestamp::now()).map_err(|error| {
            format!("[mayi] what the server says can't be compared with what it said: {error}")
        })?;
        for (item, standing) in standings {
            match standing {
                Standing::Trusted => {}
                Standing::Flagged(flags) => {
                    for flag in flags {
                        self.shared.tell_once(&server.name, &format!("{item}: {flag}"));
                    }
                }
                Standing::Changed => {
                    if let Some(why) = self.why_blocked(server, &item) {
                        self.shared.tell_once(&server.name, &format!("blocked: {why}"));
                    }
                }
            }
        }
        Ok(())
    }

    /// Why an item may not be used, if it may not.
    pub(super) fn why_blocked(&self, server: &Server, item: &Item) -> Option<String> {
        match self.shared.pins.blocked(&server.name, item) {
            Ok(why) => why.map(|why| why.to_string()),
            Err(error) => {
                Some(format!("what is trusted of the server {} can't be read: {error}", server.name))
            }
        }
    }

    /// The server's own instructions, if they are what they were.
    pub(super) fn instructions_of(&self, server: &Server, said: Option<String>) -> Option<String> {
        let mut items = vec![(Item::Launch, server.launch.transport.describe())];
        items.extend(said.clone().map(|said| (Item::Instructions, Value::String(said))));
        if let Err(error) = self.observe(server, &items) {
            self.say(&server.name, &error);
            return None;
        }
        said.filter(|_| self.why_blocked(server, &Item::Instructions).is_none())
    }

    /// All instructions: the servers', then mayi's.
    pub(super) fn instructions(&self, mut said: Vec<String>) -> String {
        said.push(self.own_instructions());
        said.join("\n\n")
    }

    fn own_instructions(&self) -> String {
        let rules = match self.shared.gate.mode(&self.id) {
            Mode::Plan => {
                "Mode: plan. Only tools that the user counts as reading may be called. All others are denied: say \
                 what you would do, as a plan, and do not try."
            }
            Mode::Default => {
                "Mode: default. Calls of tools may be allowed by the user's rules, or be asked about, which takes as \
                 long as the user needs."
            }
            Mode::Auto => {
                "Mode: auto. Most calls are allowed without asking; what is dangerous or protected is asked about or \
                 denied."
            }
        };
        let toolbelt = if self.shared.options.toolbelt {
            "\nTools are not listed one by one: look for them with find_tools, and call them with run_tool. A call \
             through run_tool is judged as the tool that it runs."
        } else {
            ""
        };
        format!(
            "[mayi] The user's permission gate judges each call of a tool here.\n{rules}\nA refusal is final for that \
             call: do not retry it in another way or through another tool. Go on with what is allowed, or say what \
             you need and why.{toolbelt}"
        )
    }
}
