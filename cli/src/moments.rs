//! Moments as people write them: a day, a time, so long ago.

use std::str::FromStr;

use jiff::civil::{Date, DateTime};
use jiff::{Span, Timestamp, ToSpan, Zoned};

/// A moment that was written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment(pub Timestamp);

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse_moment(text.trim(), &Zoned::now()).map(Self)
    }
}

/// The moment that `text` names, heard at `now`.
fn parse_moment(text: &str, now: &Zoned) -> Result<Timestamp, String> {
    let hint =
        || "write a day such as 2026-07-28, a time such as 2026-07-28T10:00, or how long ago, such as 2h";
    let midnight = |date: Date| Ok(date.to_zoned(now.time_zone().clone()).map_err(|_| hint())?.timestamp());
    match text {
        "now" => return Ok(now.timestamp()),
        "today" => return midnight(now.date()),
        "yesterday" => return midnight(now.date().yesterday().map_err(|_| hint())?),
        _ => {}
    }
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Ok(moment);
    }
    // Only what looks like a date: some spans are read as times of a day, too.
    if text.get(..5).is_some_and(|year| year.ends_with('-') && year.starts_with(|c: char| c.is_ascii_digit()))
    {
        let local: DateTime = text.parse().map_err(|_| hint())?;
        return Ok(local.to_zoned(now.time_zone().clone()).map_err(|_| hint())?.timestamp());
    }
    let ago = text.strip_suffix("ago").unwrap_or(text).trim();
    let span: Span = ago.parse().map_err(|_| hint())?;
    if span.is_negative() {
        return Err(hint().to_owned());
    }
    Ok(now.checked_sub(span).map_err(|_| "that is too long ago")?.timestamp())
}

impl Moment {
    /// So many days before now.
    pub(super) fn days_ago(days: i32) -> Self {
        let now = Zoned::now();
        Self(now.checked_sub(days.days()).map_or(Timestamp::UNIX_EPOCH, |then| then.timestamp()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed_now() -> Zoned {
        "2026-07-28T12:30:00+02:00[Europe/Berlin]".parse().unwrap()
    }

    /// The brief of filters: days, times, "so long ago" and words, in the person's own time zone.
    #[test]
    fn given_moments_as_people_write_them_then_they_are_in_local_time() {
        for (text, meant) in [
            ("2026-07-28", "2026-07-27T22:00:00Z"),
            ("2026-07-28T10:00", "2026-07-28T08:00:00Z"),
            ("2026-07-28 10:00:30", "2026-07-28T08:00:30Z"),
            ("2026-07-28T10:00:00Z", "2026-07-28T10:00:00Z"),
            ("2026-07-28T10:00:00+05:00", "2026-07-28T05:00:00Z"),
            ("2h", "2026-07-28T08:30:00Z"),
            ("90m", "2026-07-28T09:00:00Z"),
            ("1h30m", "2026-07-28T09:00:00Z"),
            ("3d", "2026-07-25T10:30:00Z"),
            ("2 days ago", "2026-07-26T10:30:00Z"),
            ("1w", "2026-07-21T10:30:00Z"),
            ("today", "2026-07-27T22:00:00Z"),
            ("yesterday", "2026-07-26T22:00:00Z"),
            ("now", "2026-07-28T10:30:00Z"),
        ] {
            assert_eq!(parse_moment(text, &fixed_now()), Ok(meant.parse().unwrap()), "{text}");
        }
        for text in ["", "soon", "12", "-2h", "2026-13-01", "2026-07-28T25:00", "9999999999999h"] {
            assert!(parse_moment(text, &fixed_now()).is_err(), "{text}");
        }
    }
}
