//! Why it is asked: the findings, as the decision carries them.

use mayi_core::approval::Card;
use mayi_core::policy::{Effect, Finding};

use super::card::{UNLIMITED, labeled_rows};
use super::line::{Break, Line, Tone};

/// Every reason, the strictest first; each is said once.
fn sorted_findings(card: &Card) -> Vec<&Finding> {
    let rank = |finding: &Finding| match (finding.effect, finding.always) {
        (Effect::Deny, _) => 0,
        (Effect::Ask, true) => 1,
        (Effect::Ask, false) => 2,
        (Effect::Allow, _) => 3,
    };
    let mut found: Vec<&Finding> = Vec::new();
    for finding in &card.why {
        if !found.iter().any(|before| before.same_cause(finding)) {
            found.push(finding);
        }
    }
    found.sort_by_key(|finding| rank(finding));
    found
}

/// The strictest reason, and how many more there are.
pub(super) fn strictest_reason(card: &Card) -> Line {
    let mut lines: Vec<Line> = Vec::new();
    for finding in sorted_findings(card).into_iter().filter(|finding| finding.effect != Effect::Allow) {
        let line = reason_line(finding, false, false);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let more = lines.len().saturating_sub(1);
    let first = lines.into_iter().next().unwrap_or_default();
    match more {
        0 => first,
        1 => first.append_text(Tone::Dim, " · and 1 more reason (f)"),
        _ => first.append_text(Tone::Dim, &format!(" · and {more} more reasons (f)")),
    }
}

/// All of them, also those that allow.
pub(super) fn all_reason_rows(card: &Card, width: usize) -> Vec<Line> {
    let many = card.accesses.len() > 1;
    let mut lines: Vec<Line> = Vec::new();
    for finding in sorted_findings(card) {
        let line = reason_line(finding, many, true);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let label = |at: usize| if at == 0 { "why" } else { "" };
    let rows = lines.into_iter().enumerate();
    rows.flat_map(|(at, line)| labeled_rows(label(at), line, width, Break::Words, UNLIMITED)).collect()
}

fn reason_line(finding: &Finding, with_access: bool, with_effect: bool) -> Line {
    let mut line = Line::new();
    if with_effect {
        line = line.append_text(Tone::Dim, &format!("{}: ", finding.effect));
    }
    if with_access || with_effect {
        line = line.append_text(Tone::Plain, &format!("{}: ", finding.access));
    }
    line = line.append_text(Tone::Plain, &finding.reason);
    if let Some(pattern) = &finding.pattern {
        line = line.append_text(Tone::Plain, &format!(", {pattern}"));
    }
    if let Some(file) = &finding.file {
        let place = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
        line = line.append_text(Tone::Dim, &format!(" at {}{place}", file.display()));
    }
    if finding.always && finding.effect == Effect::Ask {
        line = line.append_text(Tone::Warn, " (always asked)");
    }
    line
}
