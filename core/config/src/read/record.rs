//! `[record]`: how the record is kept.

use std::time::Duration;

use jiff::SignedDuration;

use super::section::Section;
use crate::Layer;
use crate::record::Durability;

/// `[record]` as one file says it.
#[derive(Debug, Default)]
pub(crate) struct RecordEntry {
    pub(crate) durable: Option<Durability>,
    pub(crate) max_size: Option<u64>,
    pub(crate) max_age: Option<Duration>,
    pub(crate) redact: Vec<regex::Regex>,
}

const DURABILITIES: &[(&str, Durability)] = &[("process", Durability::Process), ("power", Durability::Power)];

const UNITS: &[(&str, u64)] = &[("KB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000)];

pub(super) fn read(top: &mut Section<'_, '_>) -> RecordEntry {
    let mut entry = RecordEntry::default();
    let Some(mut section) = top.take_table("record") else { return entry };
    let reader = section.reader();
    if reader.layer == Layer::Workspace {
        section.add_mistake("a file in a repository has no settings for the record", "leave out [record]");
    }
    entry.durable = section.take_word("durable", DURABILITIES).map(|word| *word.get_ref());
    if let Some(text) = section.take_string("max_size") {
        entry.max_size = parse_size(text.get_ref());
        if entry.max_size.is_none() {
            let message = format!("`{}` is no size of at least 1 MB", text.get_ref());
            reader.add_mistake(text.span(), message, Some("write \"500MB\" or \"2GB\"".to_owned()));
        }
    }
    if let Some(text) = section.take_string("max_age") {
        entry.max_age = parse_age(text.get_ref());
        if entry.max_age.is_none() {
            let message = format!("`{}` is no time of at least an hour", text.get_ref());
            reader.add_mistake(text.span(), message, Some("write \"90d\" or \"12h\"".to_owned()));
        }
    }
    for text in section.take_strings("redact").unwrap_or_default() {
        match regex::Regex::new(text.get_ref()) {
            Ok(regex) if !regex.is_match("") => entry.redact.push(regex),
            Ok(_) => {
                let message = format!("`{}` matches everything", text.get_ref());
                reader.add_mistake(text.span(), message, Some("say what a secret looks like".to_owned()));
            }
            Err(error) => {
                let why = error.to_string();
                let message = why.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
                let help = "write a regular expression of the regex crate".to_owned();
                reader.add_mistake(text.span(), message, Some(help));
            }
        }
    }
    section.finish();
    entry
}

/// `500MB` in bytes.
fn parse_size(text: &str) -> Option<u64> {
    let (number, unit) = UNITS.iter().find_map(|(word, unit)| Some((text.strip_suffix(word)?, unit)))?;
    let bytes = number.trim_end().parse::<u64>().ok()?.checked_mul(*unit)?;
    (bytes >= 1_000_000).then_some(bytes)
}

/// `90d`: days have 24 hours here.
fn parse_age(text: &str) -> Option<Duration> {
    let days = text.strip_suffix('d').and_then(|days| days.trim_end().parse::<u64>().ok());
    let time = match days {
        Some(days) => Duration::from_secs(days.checked_mul(24 * 3600)?),
        None => text.parse::<SignedDuration>().ok().filter(|time| time.is_positive())?.unsigned_abs(),
    };
    (time >= Duration::from_secs(3600)).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_sizes_and_ages_then_only_sensible_ones_are_taken() {
        assert_eq!(parse_size("500MB"), Some(500_000_000));
        assert_eq!(parse_size("2 GB"), Some(2_000_000_000));
        for text in ["", "MB", "1KB", "-5MB", "1.5GB", "99999999999999999999GB", "18446744073709551615GB"] {
            assert_eq!(parse_size(text), None, "{text}");
        }
        assert_eq!(parse_age("90d"), Some(Duration::from_secs(90 * 24 * 3600)));
        assert_eq!(parse_age("12h"), Some(Duration::from_secs(12 * 3600)));
        for text in ["", "d", "-1d", "5m", "1x", "99999999999999999999d"] {
            assert_eq!(parse_age(text), None, "{text}");
        }
    }
}
