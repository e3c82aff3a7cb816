//! The medians of this run in one table, beside what they should be.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::SIZES;

pub(crate) fn print() {
    let Some(folder) = results() else { return };
    let median =
        |group: &str, what: &str, size: usize| read(&folder.join(group).join(what).join(size.to_string()));
    println!("\n{:29}{:>12}{:>12}{:>12}", "medians, by rules", SIZES[0], SIZES[1], SIZES[2]);
    let mut rows = Vec::new();
    for (group, what) in [
        ("decide", "plain"),
        ("decide", "line"),
        ("decide", "build and decide line"),
        ("cedar", "plain"),
        ("cedar", "line"),
    ] {
        let medians = SIZES.map(|size| median(group, what, size));
        let cells: String =
            medians.iter().map(|nanos| format!("{:>12}", nanos.map_or("-".to_owned(), time))).collect();
        let growth = medians[2].zip(medians[0]).map(|(many, few)| format!("   ×{:.1}", many / few));
        println!("{group:7} {what:21}{cells}{}", growth.unwrap_or_default());
        rows.push(medians);
    }
    for (what, [ours, theirs]) in [("plain", [0, 3]), ("line", [1, 4])] {
        let ratios: Vec<String> = SIZES
            .iter()
            .enumerate()
            .filter_map(|(at, size)| {
                let of = |row: usize| rows.get(row)?.get(at).copied().flatten();
                Some(format!("{:.1} with {size} rules", of(theirs)? / of(ours)?))
            })
            .collect();
        if !ratios.is_empty() {
            println!("cedar's time over mayi's, {what}: {}", ratios.join(", "));
        }
    }
    println!(
        "aims: plain under 1 µs, build and decide line under 50 µs, at most twice the time with 100,000 rules"
    );
    let mut hostile: Vec<(String, f64)> = std::fs::read_dir(folder.join("hostile"))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((entry.file_name().to_string_lossy().into_owned(), read(&entry.path())?)))
        .collect();
    hostile.sort_by(|a, b| b.1.total_cmp(&a.1));
    if let Some((name, slowest)) = hostile.first() {
        println!("hostile: the slowest is {name} with {}; aim: under 50 ms", time(*slowest));
    }
}

/// Where criterion keeps what it measured.
fn results() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    let target =
        own.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "release"))?.parent()?;
    Some(target.join("criterion"))
}

/// The median in nanoseconds.
fn read(folder: &Path) -> Option<f64> {
    let text = std::fs::read_to_string(folder.join("new/estimates.json")).ok()?;
    serde_json::from_str::<Value>(&text).ok()?.get("median")?.get("point_estimate")?.as_f64()
}

fn time(nanos: f64) -> String {
    match nanos {
        ..1e3 => format!("{nanos:.0} ns"),
        ..1e6 => format!("{:.1} µs", nanos / 1e3),
        ..1e9 => format!("{:.1} ms", nanos / 1e6),
        _ => format!("{:.2} s", nanos / 1e9),
    }
}
