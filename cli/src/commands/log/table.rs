//! Happenings as a table: when, who, what, and what became of it.

use std::time::Duration;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use mayi_core::approval::{RememberScope, State};
use mayi_core::grant::Scope;
use mayi_core::policy::{Effect, Finding};
use mayi_core::record::entry_details::{self, Answered, Config, Decided, Done, Granted, Proposed};
use mayi_core::record::{Entry, Kind};

use super::call_groups::EntryGroup;
use crate::context::Context;
use crate::error::CliError;
use crate::print;
use crate::surface::{Line, Tone};

/// Nothing is put farther to the right for the sake of a longer name or access.
const WIDEST_AGENT: usize = 20;
const WIDEST_WHAT: usize = 48;
/// `answered`, `finished`.
const WORD: usize = 9;

/// Rows under each other, page after page.
pub(super) struct Table {
    zone: TimeZone,
    color: bool,
    /// As wide as the terminal, if there is one.
    width: Option<usize>,
    day: Option<Date>,
    number_width: usize,
    agent_width: usize,
    what_width: usize,
}

/// One row.
struct Row {
    agent: Line,
    word: Line,
    what: Line,
    outcome: Line,
}

impl Table {
    pub(super) fn new(ctx: &Context) -> Self {
        let stdout = console::Term::stdout();
        let size = stdout.is_term().then(|| stdout.size_checked().map_or(100, |(_, columns)| columns));
        Self {
            zone: TimeZone::system(),
            color: ctx.is_stdout_colored(),
            width: size.map(usize::from),
            day: None,
            number_width: 1,
            agent_width: 6,
            what_width: 1,
        }
    }

    /// Prints these, in the order given.
    pub(super) fn print(&mut self, happenings: &[EntryGroup]) -> Result<(), CliError> {
        let rows: Vec<(&EntryGroup, Row)> = happenings.iter().map(|of| (of, table_row(of))).collect();
        for (happening, row) in &rows {
            self.number_width = self.number_width.max(happening.first_seq().to_string().len());
            self.agent_width = self.agent_width.max(row.agent.width().min(WIDEST_AGENT));
            self.what_width = self.what_width.max(row.what.width().min(WIDEST_WHAT));
        }
        for (happening, row) in rows {
            self.print_row(happening, row)?;
        }
        Ok(())
    }

    fn print_row(&mut self, happening: &EntryGroup, row: Row) -> Result<(), CliError> {
        let Some(first) = happening.first_entry() else { return Ok(()) };
        let at = first.entry.at.to_zoned(self.zone.clone());
        if self.day != Some(at.date()) {
            self.day = Some(at.date());
            let day = at.strftime("%Y-%m-%d, %A").to_string();
            print::stdout_line(Line::with_text(Tone::Strong, &day).paint(self.color))?;
        }
        let head = Line::with_text(Tone::Dim, &format!("{:>1$}", first.seq, self.number_width))
            .append_text(Tone::Plain, &at.strftime("  %H:%M:%S  ").to_string())
            .append_line(pad_cell(row.agent, self.agent_width))
            .append_line(pad_cell(row.word, WORD));
        let Row { what, outcome, .. } = row;
        let (what, column, outcome) = match self.width.map(|width| width.saturating_sub(head.width())) {
            Some(room) => {
                let column = self.what_width.min(room / 2);
                // A long access takes what its outcome leaves.
                let what = what.cut_to_width(room.saturating_sub(outcome.width() + 2).max(column));
                let left = room.saturating_sub(what.width().max(column) + 2);
                (what, column, outcome.cut_to_width(left))
            }
            None => (what, self.what_width, outcome),
        };
        let mut line = head;
        if outcome.width() > 0 {
            let fill = " ".repeat(column.saturating_sub(what.width()) + 2);
            line = line.append_line(what).append_text(Tone::Plain, &fill).append_line(outcome);
        } else {
            line = line.append_line(what);
        }
        Ok(print::stdout_line(line.paint(self.color))?)
    }
}

fn pad_cell(cell: Line, width: usize) -> Line {
    let fill = width.saturating_sub(cell.width()) + 2;
    cell.append_text(Tone::Plain, &" ".repeat(fill))
}

const ENDS: &[Kind] = &[Kind::Answered, Kind::Expired, Kind::Cancelled];

fn table_row(happening: &EntryGroup) -> Row {
    let entry = |kinds: &[Kind]| happening.first_of_kinds(kinds).map(|recorded| &recorded.entry);
    let agent = happening.entries().iter().find_map(|of| of.entry.agent.as_ref());
    let (unasked, decided) = (entry(&[Kind::Unasked]), entry(&[Kind::Decided]));
    let (asked, ended) = (entry(&[Kind::Asked]), entry(ENDS));
    let finished = entry(&[Kind::Finished]);
    let (word, mut outcome) = match (unasked, asked, ended, decided) {
        (Some(entry), ..) => (Line::with_text(Tone::Warn, "unasked"), unasked_outcome(entry)),
        (_, Some(_), Some(end), _) => (Line::with_text(Tone::Plain, "asked"), outcome_line(end)),
        (_, Some(_), None, _) => {
            (Line::with_text(Tone::Warn, "asked"), Line::with_text(Tone::Warn, "no answer so far"))
        }
        (_, None, Some(end), _) => (Line::with_text(Tone::Plain, end.kind.as_str()), outcome_line(end)),
        (_, None, None, Some(entry)) => decided_as(entry),
        _ => match happening.first_entry() {
            Some(first) => single_entry_cells(&first.entry),
            None => (Line::new(), Line::new()),
        },
    };
    let ran = ended.or(decided).is_some_and(|entry| entry.effect == Some(Effect::Allow));
    if let Some(how) = finished.and_then(|entry| entry_details::read::<Done>(entry).ok()?.how)
        && ran
        && how != "completed"
    {
        outcome = outcome.append_text(Tone::Plain, ", then ").append_text(Tone::Warn, &how);
    }
    let agent = agent.map_or_else(
        || Line::with_text(Tone::Dim, "-"),
        |agent| Line::with_text(Tone::Plain, agent.as_str()),
    );
    Row { agent: agent.cut_to_width(WIDEST_AGENT), word, what: subject_line(happening), outcome }
}

/// What it is about: the access that decided, and how many more there are.
fn subject_line(happening: &EntryGroup) -> Line {
    let access = |kinds: &[Kind]| happening.first_of_kinds(kinds).and_then(|of| of.entry.access.as_deref());
    let proposed = happening.first_of_kinds(&[Kind::Proposed]);
    let proposed = proposed.and_then(|of| entry_details::read::<Proposed>(&of.entry).ok());
    let any = || happening.entries().iter().find_map(|of| of.entry.access.as_deref());
    let access = access(&[Kind::Asked, Kind::Decided]).or_else(any);
    let title = proposed.as_ref().map(|proposed| proposed.title.as_str());
    let line = Line::with_text(Tone::Strong, access.or(title).unwrap_or_default());
    match proposed.map_or(0, |proposed| proposed.accesses.len()) {
        0 | 1 => line,
        many => line.append_text(Tone::Dim, &format!(" and {} more", many - 1)),
    }
}

fn unasked_outcome(entry: &Entry) -> Line {
    match entry.effect {
        Some(Effect::Deny) => Line::with_text(Tone::Bad, "would have been denied"),
        Some(Effect::Ask) => Line::with_text(Tone::Warn, "would have been asked about"),
        _ => Line::with_text(Tone::Dim, "would have been allowed"),
    }
}

fn decided_as(entry: &Entry) -> (Line, Line) {
    let decided = entry_details::read::<Decided>(entry).ok();
    let why = decided.as_ref().map(decision_reason).unwrap_or_default();
    match entry.effect {
        Some(Effect::Deny) => (Line::with_text(Tone::Bad, "denied"), Line::with_text(Tone::Plain, &why)),
        Some(Effect::Ask) => (Line::with_text(Tone::Warn, "asked"), Line::with_text(Tone::Dim, &why)),
        _ => (Line::with_text(Tone::Good, "allowed"), Line::with_text(Tone::Dim, &why)),
    }
}

/// Why it was decided like that, in a few words.
fn decision_reason(decided: &Decided) -> String {
    let because = decided.trail.iter().find(|finding| finding.effect == decided.effect);
    let reason = because.map(finding_reason).unwrap_or_default();
    match decided.by.as_str() {
        "covered" => "announced by a call that was allowed".to_owned(),
        "nobody" => format!("nobody to ask: {reason}"),
        _ => reason,
    }
}

fn finding_reason(finding: &Finding) -> String {
    match &finding.pattern {
        Some(pattern) => format!("{}, {pattern}", finding.reason),
        None => finding.reason.clone(),
    }
}

/// How a question ended.
pub(super) fn outcome_line(entry: &Entry) -> Line {
    let Ok(answered) = entry_details::read::<Answered>(entry) else {
        return Line::with_text(Tone::Warn, "ended in a way that this mayi does not know");
    };
    let took = answered.took.map(|took| format!(" after {}", took_text(took))).unwrap_or_default();
    let scope = match answered.remember.as_ref().map(|remember| remember.scope) {
        Some(RememberScope::Session) => " for the session",
        Some(RememberScope::Workspace) => " for the folder",
        Some(RememberScope::User) => " for good",
        None if answered.option.as_deref() == Some(mayi_core::approval::choice::ALLOW_SESSION) => {
            " for the session"
        }
        None => "",
    };
    let (tone, text) = match answered.state {
        State::Approved => (Tone::Good, format!("approved{scope} by {}{took}", answered.by)),
        State::Denied => (Tone::Bad, format!("denied{scope} by {}{took}", answered.by)),
        State::Expired => (Tone::Bad, format!("expired{took}")),
        State::Cancelled => (Tone::Warn, format!("cancelled{took}")),
        State::Pending => (Tone::Warn, "waits".to_owned()),
    };
    let line = Line::with_text(tone, &text);
    match answered.reason.filter(|reason| !reason.is_empty()) {
        Some(reason) => line.append_text(Tone::Dim, &format!(": {reason}")),
        None => line,
    }
}

/// What is no call, or a part of one that nothing else is on the page of.
fn single_entry_cells(entry: &Entry) -> (Line, Line) {
    let word = |tone| Line::with_text(tone, entry.kind.as_str());
    let dim = |text: &str| Line::with_text(Tone::Dim, text);
    match entry.kind {
        Kind::Granted => {
            let granted = entry_details::read::<Granted>(entry).ok();
            let effect = entry.effect.map(Effect::as_str).unwrap_or_default();
            let place = granted.as_ref().map(|granted| scope_text(granted.scope)).unwrap_or_default();
            (word(Tone::Plain), dim(&format!("{effect}, {place}")))
        }
        Kind::Revoked => {
            let by = entry_details::read::<Granted>(entry).ok().and_then(|granted| granted.by);
            (word(Tone::Plain), dim(&by.map(|by| format!("by {by}")).unwrap_or_default()))
        }
        Kind::Config => (word(Tone::Plain), config_line(entry)),
        Kind::Started | Kind::Finished => {
            let how = entry_details::read::<Done>(entry).ok().and_then(|done| done.how);
            (word(Tone::Dim), dim(&how.unwrap_or_default()))
        }
        _ => (word(Tone::Plain), Line::new()),
    }
}

fn config_line(entry: &Entry) -> Line {
    let Ok(config) = entry_details::read::<Config>(entry) else { return Line::new() };
    if let Some(pins) = &config.pins {
        return Line::with_text(
            Tone::Dim,
            &format!("{} what the server {} says of itself", pins.how, pins.server),
        );
    }
    let files = match config.files.len() {
        0 => "no file".to_owned(),
        _ => config.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>().join(", "),
    };
    Line::with_text(Tone::Dim, &format!("mode {}, {files}", config.mode))
}

pub(super) fn scope_text(scope: Scope) -> &'static str {
    match scope {
        Scope::Session => "for the session",
        Scope::Workspace => "for the folder",
        Scope::User => "for good",
    }
}

/// So many milliseconds, in the units that say something.
pub(super) fn took_text(milliseconds: u64) -> String {
    let seconds = Duration::from_millis(milliseconds).as_secs();
    match milliseconds {
        0..1000 => format!("{milliseconds}ms"),
        1000..10_000 => format!("{seconds}.{}s", milliseconds / 100 % 10).replace(".0s", "s"),
        _ => match seconds {
            0..60 => format!("{seconds}s"),
            60..3600 => format!("{}m{}s", seconds / 60, seconds % 60),
            _ => format!("{}h{}m", seconds / 3600, seconds / 60 % 60),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::took_text;

    #[test]
    fn given_how_long_it_took_then_it_is_told_in_units_that_say_something() {
        let told: Vec<String> =
            [0, 420, 1000, 4321, 59_999, 61_000, 7_260_000].into_iter().map(took_text).collect();
        assert_eq!(told, ["0ms", "420ms", "1s", "4.3s", "59s", "1m1s", "2h1m"]);
    }
}
