//! Rules as a person would write them, to be added to a file or shown.

use mayi_kept::approval::escape_line;

/// A rule that allows something, and why it is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRule {
    /// What it allows: a rule for each.
    pub patterns: Vec<String>,
    /// To whom.
    pub agents: Vec<String>,
    /// Its reason.
    pub reason: String,
    /// Lines of comment that stand before it.
    pub comments: Vec<String>,
}

/// `rules` as TOML.
#[must_use]
pub fn rules_text(rules: &[NewRule]) -> String {
    let mut out = String::new();
    for rule in rules {
        if !out.is_empty() {
            out.push('\n');
        }
        for line in &rule.comments {
            out.push_str(&format!("# {}\n", escape_line(line)));
        }
        let agents: Vec<String> = rule.agents.iter().map(|name| toml_string(name)).collect();
        for (at, pattern) in rule.patterns.iter().enumerate() {
            let gap = if at == 0 { "" } else { "\n" };
            out.push_str(&format!("{gap}[[rule]]\neffect = \"allow\"\npattern = {}\n", toml_string(pattern)));
            if !agents.is_empty() {
                out.push_str(&format!("agents = [{}]\n", agents.join(", ")));
            }
            out.push_str(&format!("reason = {}\n", toml_string(&rule.reason)));
        }
    }
    out
}

/// A text of TOML on one line, with everything escaped that could hide or move something.
#[must_use]
pub fn toml_string(text: &str) -> String {
    let mut out = String::from("\"");
    let mut buffer = [0; 4];
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if escape_line(c.encode_utf8(&mut buffer)) != *c.encode_utf8(&mut [0; 4]) => {
                out.push_str(&format!("\\U{:08X}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::{NewRule, rules_text};

    #[test]
    fn given_rules_then_what_is_written_is_what_is_read() {
        let pattern = "shell(echo \"a\\b\" \u{1b}[2J\u{202e} \u{7f})";
        let rules = [NewRule {
            patterns: vec!["write(/w/src/**)".into(), pattern.into()],
            agents: vec!["claude".into()],
            reason: "saves 2".into(),
            comments: vec!["a\nmode = \"auto\"".into()],
        }];
        let text = rules_text(&rules);
        let table: toml::Table = toml::from_str(&text).unwrap();
        assert_eq!(table.keys().collect::<Vec<_>>(), ["rule"]);
        let read = table["rule"].as_array().unwrap();
        assert_eq!((read.len(), read[1]["pattern"].as_str()), (2, Some(pattern)));
        assert_eq!(read[0]["agents"][0].as_str(), Some("claude"));
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
    }
}
