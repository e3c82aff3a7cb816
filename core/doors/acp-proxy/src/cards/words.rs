//! What a question is about, in mayi's words. Some editors show nothing but the title, and cut what is long: so what is asked about
//! stands first, and of a line nothing is cut that the editor alone would have shown.

use mayi_core::approval::{Card, CardAccess, MarkedLine, escape_line, written_line};

use super::request::truncate_visible;

/// Maximum length of a line that a title has, and of what stands in it before and behind that, in characters.
const TITLE: usize = 1000;

/// The same of a line in an explanation. A longer one is not understood (D2.2), and is all of its access.
const LINE: usize = 10_000;

/// So many accesses are named: those that are asked about, and all of them otherwise.
const MOST_ASKED: usize = 200;
const MOST: usize = 20;

/// What is asked about, the line that all of it stands in, and the rest.
struct Parts<'c> {
    first: Vec<&'c CardAccess>,
    line: Option<&'c str>,
    rest: Vec<&'c CardAccess>,
}

impl<'c> Parts<'c> {
    /// A line is shown as it is in place of its commands, if it has no more than `longest` characters.
    fn new(card: &'c Card, longest: usize) -> Self {
        let line = long_line(card).filter(|line| line.chars().count() <= longest);
        let Some(line) = line else {
            let (mut first, rest): (Vec<_>, Vec<_>) =
                card.accesses.iter().partition(|access| card.is_asked(access));
            first.sort_by_key(|access| card.is_asked_since_denied(access));
            return Self { first, line: None, rest };
        };
        let MarkedLine { found, apart, .. } = MarkedLine::new(line, card);
        let is_command = |access: &CardAccess| access.access == "shell";
        let (commands, others): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|(access, _)| is_command(access));
        // What is all of the line need not be said before it.
        let whole = commands.iter().all(|(_, asked)| *asked);
        let commands = commands.into_iter().filter(|(_, asked)| *asked && !whole);
        let (others, behind): (Vec<_>, Vec<_>) = others.into_iter().partition(|(_, asked)| *asked && !whole);
        let (apart, rest): (Vec<_>, Vec<_>) = apart.into_iter().partition(|(_, asked)| *asked);
        let first = commands.chain(apart).chain(others).map(|(access, _)| access).collect();
        let mut rest: Vec<_> = behind.into_iter().chain(rest).collect();
        rest.sort_by_key(|(_, asked)| !*asked);
        Self { first, line: Some(line), rest: rest.into_iter().map(|(access, _)| access).collect() }
    }
}

/// The line of commands, where it is more than the words of one.
fn long_line(card: &Card) -> Option<&str> {
    let line = written_line(card)?;
    let mut commands = card.accesses.iter().filter(|access| access.access == "shell");
    let is_one = commands.next().is_some_and(|one| one.display == line.trim()) && commands.next().is_none();
    (!is_one).then_some(line)
}

/// Whether a text of the agent's is the line, which mayi's words have.
pub(super) fn is_line(card: &Card, text: &str) -> bool {
    written_line(card).is_some_and(|line| line.trim() == text.trim() && line.chars().count() <= LINE)
}

fn name_access(access: &CardAccess) -> String {
    format!("{}({})", access.access, access.display)
}

fn join_names(accesses: &[&CardAccess]) -> String {
    let names: Vec<String> = accesses.iter().map(|access| name_access(access)).collect();
    names.join(", ")
}

/// What would be touched: nothing of the agent's.
pub(super) fn card_title(card: &Card) -> String {
    if card.accesses.is_empty() {
        return "mayi asks".to_owned();
    }
    let Parts { first, line, rest } = Parts::new(card, TITLE);
    let Some(line) = line else {
        return truncate_visible(&join_names(&[first, rest].concat()), TITLE);
    };
    let mut title = format!("shell({})", escape_line(line));
    if !first.is_empty() {
        title = format!("{}, in the line {title}", truncate_visible(&join_names(&first), TITLE));
    }
    if !rest.is_empty() {
        title = format!("{title}, {}", truncate_visible(&join_names(&rest), TITLE));
    }
    title
}

/// The same in lines, and with the lines that are too long for a title.
pub(super) fn touched_lines(card: &Card) -> Vec<String> {
    let Parts { first, line, rest } = Parts::new(card, LINE);
    let shown = |access: &&CardAccess| format!("{}({})", access.access, escape_line(&access.display));
    let mut lines: Vec<String> = first.iter().take(MOST_ASKED).map(shown).collect();
    let others = MOST.saturating_sub(lines.len());
    if let Some(line) = line {
        let line = format!("shell({})", escape_line(line));
        lines.push(if lines.is_empty() { line } else { format!("in the line {line}") });
    }
    lines.extend(rest.iter().take(others).map(shown));
    let more = first.len().saturating_sub(MOST_ASKED) + rest.len().saturating_sub(others);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use mayi_core::policy::{Effect, Finding, Source};
    use serde_json::json;

    use super::*;

    /// S4.12: what is asked about stands first. What is asked about only since the like was denied comes behind what has a reason
    /// of its own, and before all else.
    #[test]
    fn given_what_was_denied_before_then_it_stands_behind_what_is_asked_about_for_itself() {
        let access = |word: &str, path: &str| json!({"access": word, "display": path, "category": "write"});
        let because = |access: &str, source: Source| Finding::new(Effect::Ask, access, source, "x");
        let card: Card = serde_json::from_value(json!({
            "type": "approval-request", "approvalId": "01970000-0000-7000-8000-000000000001",
            "sessionId": "s", "agentName": "a", "cwd": "/w", "env": {}, "digest": "d",
            "toolCall": {"title": "", "kind": "edit", "rawInput": {}, "content": []},
            "agentOptions": [], "permissionType": "write", "options": [], "suggestions": [],
            "accesses": [
                access("edit", "/w/free"), access("edit", "/w/denied"),
                access("edit", "/w/both"), access("delete", "/w/own"),
            ],
            "why": [
                because("edit(/w/denied)", Source::Grant), because("edit(/w/both)", Source::Grant),
                because("edit(/w/both)", Source::Matrix), because("delete(/w/own)", Source::Matrix),
            ],
            "notShown": [], "createdAt": "2026-01-01T00:00:00Z", "expiresAt": null, "state": "pending",
        }))
        .unwrap();
        let expected = ["edit(/w/both)", "delete(/w/own)", "edit(/w/denied)", "edit(/w/free)"];
        assert_eq!(card_title(&card), expected.join(", "));
        assert_eq!(touched_lines(&card), expected);
    }
}
