//! What a hunt came to, for people: a table, and each finding as a case for the corpus.

use super::holes::Hole;
use super::hunt::{Found, Order, Tally};
use super::shells::Shell;

/// The table of constructs and shells.
pub(crate) fn table(order: &Order, tally: &Tally, names: &[&'static str]) -> String {
    let mut text = format!(
        "seed {}: {} lines made, {} distinct ones allowed; {} ended late, {} findings not seen again\n",
        order.seed,
        tally.made,
        tally.distinct,
        tally.late,
        tally.doubtful.len()
    );
    let count = |shells: Option<&std::collections::BTreeMap<Shell, usize>>, shell: Shell| {
        shells.and_then(|shells| shells.get(&shell).copied()).unwrap_or_default()
    };
    text.push_str(&format!(
        "{:<36}{:>9}{:>9}{:>9}{:>10}{:>12}\n",
        "construct", "bash", "dash", "zsh", "findings", "first after"
    ));
    for name in names {
        let [bash, dash, zsh] = Shell::ALL.map(|shell| count(tally.constructs.get(name), shell));
        let (findings, first) = tally
            .findings
            .get(name)
            .map_or_else(Default::default, |(count, first)| (count.to_string(), first.to_string()));
        text.push_str(&format!("{name:<36}{bash:>9}{dash:>9}{zsh:>9}{findings:>10}{first:>12}\n"));
    }
    let [bash, dash, zsh] = Shell::ALL.map(|shell| count(Some(&tally.ran), shell));
    text + &format!("{:<36}{bash:>9}{dash:>9}{zsh:>9}\n", "all lines")
}

/// After how many lines each hole was found.
pub(crate) fn of_holes(holes: &[Hole], tally: &Tally) -> String {
    let mut text = String::new();
    for hole in holes {
        let first = hole
            .constructs
            .iter()
            .filter_map(|name| tally.findings.get(name.as_str()))
            .map(|(_, first)| first)
            .min();
        let first = first.map_or("not found".to_owned(), |first| format!("found after {first} lines"));
        text.push_str(&format!("{}{}: {first}\n", hole.name, if hole.open { " (open)" } else { "" }));
    }
    text
}

/// The finding, and a case that would have caught it.
pub(crate) fn case(found: &Found) -> String {
    format!(
        "# {}, {} policy: {:?}; {}; after {} lines\n# in full: {:?}\nfound-{:x} = {}\n",
        found.shell.name(),
        found.hidden.policy,
        found.hidden.effect,
        found.constructs.join(", "),
        found.after,
        found.line,
        found.line.bytes().fold(7_u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte))),
        toml::Value::String(found.short.clone()),
    )
}
