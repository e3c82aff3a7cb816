//! Names of machines that a reader of sockets looks up: `ss dst HOST` sends the name to a server, and whatever stands in it.

use super::analyzer::CommandAnalyzer;
use super::name;
use super::scan::Scan;
use crate::shell::Word;

/// Words of `ss` that stand for no machine: its operators, states and families.
const WORDS: &[&str] = &[
    "all",
    "and",
    "autobound",
    "big",
    "bound",
    "bucket",
    "cgroup",
    "close-wait",
    "closed",
    "closing",
    "connected",
    "dev",
    "dport",
    "dst",
    "eq",
    "established",
    "exclude",
    "fin-wait-1",
    "fin-wait-2",
    "ge",
    "geq",
    "gt",
    "last-ack",
    "le",
    "leq",
    "listen",
    "listening",
    "lt",
    "ne",
    "neq",
    "not",
    "or",
    "sport",
    "src",
    "state",
    "synchronized",
    "syn-recv",
    "syn-sent",
    "time-wait",
    "unconnected",
];

/// Notes the names that the command looks up.
pub(super) fn add_looked_up_names(judge: &mut CommandAnalyzer<'_>, scan: &Scan<'_>) {
    let program = judge.words.first().and_then(Word::literal).map(name::base_name);
    let asks = match program {
        Some("ss") => is_filter_with_name,
        Some("lsof") => {
            judge.reader &= !names_connections(scan);
            is_address_with_name
        }
        _ => return,
    };
    let words = judge.words.iter().enumerate().skip(1);
    let found: Vec<usize> = words.filter(|(_, word)| asks(&word.text())).map(|(place, _)| place).collect();
    // Rules about these machines count.
    let texts: Vec<String> = found.iter().filter_map(|place| Some(judge.words.get(*place)?.text())).collect();
    let parts =
        texts.iter().flat_map(|text| text.split(|c: char| c.is_whitespace() || "()=!<>&|@'\"".contains(c)));
    for part in parts.filter(|part| part.contains('.') && is_name(part)) {
        let host = part.rsplit_once(':').map_or(part, |(host, _)| host);
        judge.places.add_host(host);
    }
    if !found.is_empty() {
        judge.add_plain_caveat("it looks the name of a machine up", found);
    }
}

/// Whether `lsof` shows connections, each by the names of its machines: not with `-n`, nor where it tells numbers alone (`-t`), nor
/// where it is about files or sockets of the machine and about nothing else.
fn names_connections(scan: &Scan<'_>) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| scan.has_option(name));
    let only = has(&["-U"]) || !scan.operands.is_empty();
    !has(&["-n", "-t"]) && (!only || has(&["-i", "-p", "-c", "-u", "-d"]))
}

/// A part of a filter of `ss` in which something else stands than its own words, numbers, ports and addresses in digits.
fn is_filter_with_name(word: &str) -> bool {
    let word = word.trim_matches(['\'', '"']);
    let parts = word.split(|c: char| c.is_whitespace() || "()=!<>&|".contains(c));
    !word.starts_with('-') && parts.filter(|part| !part.is_empty()).any(is_name)
}

/// `@HOST` or `tcp@HOST:80` behind `-i`.
fn is_address_with_name(word: &str) -> bool {
    word.split_once('@').is_some_and(|(_, host)| is_name(host))
}

/// Whether a word may be a name: not one of the filter's own, nor a number, a port or an address in digits.
fn is_name(word: &str) -> bool {
    if WORDS.contains(&word) {
        return false;
    }
    // A service's name behind the last colon is found in a file.
    let host = word.rsplit_once(':').map_or(word, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let address = host.split(['/', '%']).next().unwrap_or(host);
    let plain = |b: u8| b.is_ascii_digit() || b == b'.';
    let six =
        address.contains(':') && address.bytes().all(|b| plain(b) || b.is_ascii_hexdigit() || b == b':');
    !six && address != "*" && !address.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_a_filter_then_only_a_name_of_a_machine_is_looked_up() {
        for word in [
            "dst",
            "sport",
            "=",
            ":22",
            "':443'",
            "sport = :80",
            "( dport = :ssh or sport = :22 )",
            "10.0.0.1",
            "[::1]:80",
            "127.0.0.0/8",
            "established",
            "-t",
        ] {
            assert!(!is_filter_with_name(word), "{word}");
        }
        for word in ["evil.example", "dst evil.example", "evil", "evil.example:80", "dst=evil.example", "$X"]
        {
            assert!(is_filter_with_name(word), "{word}");
        }
        assert!(is_address_with_name("-i@evil.example"));
        assert!(is_address_with_name("-iTCP@evil.example:80"));
        assert!(
            !is_address_with_name("-i@127.0.0.1:80")
                && !is_address_with_name("-i:8080")
                && !is_address_with_name("-iTCP")
        );
    }
}
