//! Why it is asked: the findings, as the decision carries them.

use mayi_core::approval::Card;
use mayi_core::policy::{Effect, Finding};

use super::card::{UNLIMITED, row};
use super::line::{Break, Line, Tone};

/// The reasons for asking; at most `most` of them.
pub(crate) fn why(card: &Card, width: usize, most: Option<usize>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for (at, finding) in card.why.iter().enumerate() {
        let said = card.why.iter().take(at).any(|before| before.same_cause(finding));
        if said || (most.is_some() && finding.effect == Effect::Allow) {
            continue;
        }
        let line = reason(finding, card.accesses.len() > 1, most.is_none());
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let all = lines.len();
    let most = most.unwrap_or(UNLIMITED);
    let shown = if all > most { most - 1 } else { all };
    let mut rows = Vec::new();
    for (at, line) in lines.into_iter().take(shown).enumerate() {
        let label = if at == 0 { "why" } else { "" };
        rows.extend(row(label, line, width, Break::Words, if most == UNLIMITED { UNLIMITED } else { 3 }));
    }
    if shown < all {
        let line = Line::of(Tone::Dim, &format!("… {} more reasons: press f", all - shown));
        rows.extend(row("", line, width, Break::Words, 2));
    }
    rows
}

fn reason(finding: &Finding, many: bool, with_effect: bool) -> Line {
    let mut line = Line::new();
    if with_effect {
        line = line.then(Tone::Dim, &format!("{}: ", finding.effect));
    }
    if many || with_effect {
        line = line.then(Tone::Plain, &format!("{}: ", finding.access));
    }
    line = line.then(Tone::Plain, &finding.reason);
    if let Some(pattern) = &finding.pattern {
        line = line.then(Tone::Plain, &format!(", {pattern}"));
    }
    if let Some(file) = &finding.file {
        let place = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
        line = line.then(Tone::Dim, &format!(" at {}{place}", file.display()));
    }
    if finding.always && finding.effect == Effect::Ask {
        line = line.then(Tone::Warn, " (always asked)");
    }
    line
}
