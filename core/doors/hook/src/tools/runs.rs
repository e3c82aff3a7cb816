//! The commands of a tool's input, in each folder where they may run.

use std::path::Path;

use mayi_core::call::{Access, Dialect, Surroundings, shell};
use mayi_doors::folders::named_folders;
use mayi_doors::patch_headers;
use mayi_doors::readings::{InputCommand, LINES, all_commands, nested_commands, variables};
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
        self.out.env = variables(self.input).into_iter().collect();
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
        for text in LINES.iter().filter_map(|key| self.input.get(*key)).filter_map(Value::as_str) {
            // A patch in the place of a command is none that a shell runs, and one in a line may be applied: all of it counts.
            if patch_headers::holds_patch(text) {
                self.push_patch(text);
            }
            // No harness is known that has words beside a line: one that leaves them out runs the line.
            found.push(InputCommand::Line(text.to_owned()));
        }
        if self.does == ToolKind::Other {
            found.extend(nested_commands(self.input));
        } else {
            found.extend(all_commands(self.input, false));
            // What is typed into a shell is a line as well.
            if found.iter().any(may_start_shell) {
                found.extend(all_commands(self.input, true));
            }
        }
        if found.contains(&InputCommand::Unknown) {
            self.note_not_text("command");
        }
        found
    }
}

/// Programs that take lines from what is typed, or hand it on to a shell elsewhere.
const SHELLS: &[&str] = &[
    "ash", "bash", "busybox", "csh", "dash", "doas", "elvish", "fish", "ksh", "login", "mksh", "nu", "pwsh",
    "rbash", "rsh", "screen", "script", "sh", "ssh", "su", "sudo", "tcsh", "tmux", "toybox", "xargs", "yash",
    "zsh",
];

/// Whether a shell may be among what the command starts, by any of its words: then it may run what is typed.
fn may_start_shell(command: &InputCommand) -> bool {
    let of_shell = |text: &str| {
        let parts = text.split(|c: char| !(c.is_alphanumeric() || "_-.+".contains(c)));
        parts.into_iter().any(|word| SHELLS.contains(&word))
    };
    match command {
        // What a variable or a wildcard gives may be one.
        InputCommand::Line(line) => of_shell(line) || line.contains(['$', '`', '*', '?', '[', '{', '~']),
        InputCommand::Words(words) => words.iter().any(|word| of_shell(word)),
        InputCommand::Unknown => true,
    }
}
