//! The commands of a tool's input, in each folder where they may run.

use std::collections::BTreeMap;
use std::path::Path;

use mayi_core::call::{Access, Dialect, Surroundings, shell};
use mayi_doors::folders::named_folders;
use mayi_doors::patch_headers;
use mayi_doors::readings::{InputCommand, LINES, command_readings, stray_commands};
use serde_json::Value;

use super::ToolKind;
use super::reading::InputReader;

impl InputReader<'_> {
    /// Each command in each folder: in those that the input names, and in the session's own unless the harness is known to read a
    /// key that names another.
    pub(super) fn read_commands(&mut self) {
        let own_keys = if self.does == ToolKind::Runs { self.context.folder_keys } else { &[] };
        let homes: Vec<&Path> = self.context.homes.known_homes().collect();
        let named = named_folders(self.input, self.context.cwd, own_keys, &homes);
        self.out.env = read_variables(self.input.get("env"));
        if let Some(lax) = ["dangerouslyDisableSandbox", "with_escalated_permissions"]
            .into_iter()
            .find(|key| !matches!(self.input.get(*key), None | Some(Value::Null | Value::Bool(false))))
        {
            self.out.cautions.push(format!("it is to run outside of the harness's own sandbox ({lax})"));
        }
        self.text_values(mayi_doors::folders::FOLDERS);
        let here = named.own.then(|| self.context.cwd.to_owned());
        for command in self.command_values() {
            for cwd in named.others.iter().chain(&here) {
                self.push_command(&command, cwd);
            }
        }
        self.out.cwd = named.others.into_iter().next();
    }

    pub(super) fn push_command(&mut self, command: &InputCommand, cwd: &Path) {
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
                // A line that never parses says so.
                InputCommand::Unknown => shell::line_accesses("\0", &at),
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
        for key in LINES {
            let value = self.input.get(*key);
            if let Some(Value::String(text)) = value {
                // A patch in the place of a command is none that a shell runs, and one in a line may be applied: all of it counts.
                if patch_headers::holds_patch(text) {
                    self.push_patch(text);
                }
            }
            for command in command_readings(self.input, key) {
                if command == InputCommand::Unknown {
                    self.note_not_text(key);
                }
                // No harness is known that has words beside a line: one that leaves them out runs the line.
                if let (InputCommand::Words(_), Some(Value::String(line))) = (&command, value) {
                    found.push(InputCommand::Line(line.clone()));
                }
                if !found.contains(&command) {
                    found.push(command);
                }
            }
        }
        for command in stray_commands(self.input, self.does == ToolKind::Other) {
            if command == InputCommand::Unknown {
                self.note_not_text("command");
            }
            found.push(command);
        }
        found
    }
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
