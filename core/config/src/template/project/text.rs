//! A project's rules as lines of a configuration, and cases that say what they are for.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Project, TaskGroup};
use crate::edit::toml_string as quoted;

impl Project {
    /// The entries of an `allow`, each file's with its reason above; without what `known` has already.
    #[must_use]
    pub fn allow_entries(&self, known: &BTreeSet<String>) -> String {
        let mut blocks = Vec::new();
        for group in &self.groups {
            let mut lines = Vec::new();
            for pattern in group.rules.iter().flat_map(|(patterns, _)| patterns) {
                if !known.contains(pattern) {
                    lines.push(format!("    {},", quoted(pattern)));
                }
            }
            let asked = group.asked_comment();
            if !lines.is_empty() || !asked.is_empty() {
                blocks.push(
                    format!("    # {}\n{asked}{}", group.reason, lines.join("\n")).trim_end().to_owned(),
                );
            }
        }
        blocks.join("\n\n")
    }

    /// The same as the user's own settings for `folder`, where they count and nowhere else. None if there is no rule
    /// to write, or the folder has a name that is no text.
    #[must_use]
    pub fn workspace_section(&self, folder: &Path, known: &BTreeSet<String>) -> Option<String> {
        let entries = self.allow_entries(known);
        let folder = folder.to_str()?;
        entries.lines().any(|line| line.trim_start().starts_with('"')).then(|| {
            format!(
                "# What this folder's own files name. It counts here and nowhere else; `mayi init --print` shows it anew.\n[workspaces.{}.rules]\nallow = [\n{entries}\n]\n",
                quoted(folder)
            )
        })
    }

    /// Cases for `mayi test`: what runs in `folder`, and what is left to a person. `asked`: lines that are left to one
    /// anyway; `refused`: those that are denied.
    #[must_use]
    pub fn test_cases(&self, folder: &Path, asked: &[&str], refused: &[&str]) -> Option<String> {
        let folder = quoted(folder.to_str()?);
        let mut out = format!(
            "# What `mayi init` meant its rules to do in this folder, for: mayi test\n[defaults]\ncwd = {folder}\nworkspace = {folder}\n"
        );
        let mut case = |line: &str, expect: &str| {
            out.push_str(&format!(
                "\n[[case]]\nkind = \"shell\"\ncommand = {}\nexpect = {expect}\n",
                quoted(line)
            ));
        };
        for group in &self.groups {
            for (_, line) in &group.rules {
                case(line, "\"allow\"");
            }
        }
        let left = self.groups.iter().flat_map(|group| &group.asked).map(String::as_str);
        for line in left.chain(asked.iter().copied()) {
            case(line, "[\"ask\", \"deny\"]");
        }
        for line in refused {
            case(line, "\"deny\"");
        }
        Some(out)
    }

    /// One word for each file that names something: how much of it is allowed.
    #[must_use]
    pub fn file_summaries(&self) -> Vec<String> {
        let found = |group: &TaskGroup| {
            let file = group.reason.split(':').next().unwrap_or_default();
            let left = group.asked.len() + group.left;
            let asked = if left == 0 { String::new() } else { format!(", {left} left to you") };
            format!("{file} ({} allowed{asked})", group.rules.len())
        };
        self.groups.iter().map(found).collect()
    }
}

impl TaskGroup {
    /// What is not allowed, said in a comment.
    fn asked_comment(&self) -> String {
        let mut out = String::new();
        if !self.asked.is_empty() {
            out.push_str("    # Left to you, by their names:\n");
            for line in &self.asked {
                out.push_str(&format!("    #   {line}\n"));
            }
        }
        if self.left > 0 {
            out.push_str(&format!("    # And {} with names too odd or too many for a rule.\n", self.left));
        }
        out
    }
}
