//! Tests that can't run everywhere: what they need can't be demanded of a machine.

use std::fs::OpenOptions;
use std::io::Write;

/// Says that the test that calls this does not run here, and why, before it returns. Where a program is missing that can
/// be installed, a test fails instead.
///
/// For the runner it has passed. So the recipes that count tests name a file in `MAYI_SKIPPED`: what stands there is
/// printed, and counted as skipped.
///
/// # Panics
/// If that file can't be written.
pub fn skipped(why: &str) {
    let thread = std::thread::current().name().unwrap_or_default().to_owned();
    let line = format!("{}: {why}\n", std::env::var("NEXTEST_TEST_NAME").unwrap_or(thread));
    let _ = write!(std::io::stderr(), "skipped: {line}");
    if let Some(file) = std::env::var_os("MAYI_SKIPPED") {
        let file = OpenOptions::new().create(true).append(true).open(&file);
        // In one piece: other tests write there too.
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("MAYI_SKIPPED can be written");
    }
}
