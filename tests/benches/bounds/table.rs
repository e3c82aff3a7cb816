//! The figures of each door, and what is over the bounds.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mayi_tests::heavy::Input;

use crate::common::Outcome;
use crate::figures::percentile;
use crate::resident::mib;
use crate::watch::Told;

/// The bounds of one decision.
pub(crate) const LONGEST: Duration = Duration::from_millis(100);
const MOST: u64 = 50 * 1024;

/// Where inputs are kept that are over the bounds.
const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/bounds");

/// A door.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    times: Vec<i64>,
    grew: Vec<u64>,
    cards: usize,
    started: Duration,
    over: Vec<String>,
}

pub(crate) fn head() -> String {
    format!(
        "{:<20}{:>7}{:>7}{:>10}{:>10}{:>10}{:>9}{:>6}{:>12}",
        "door", "inputs", "cards", "p50 ms", "p99 ms", "max ms", "max MB", "over", "start ms max"
    )
}

impl Row {
    pub(crate) fn new(name: &'static str) -> Self {
        Self {
            name,
            times: Vec::new(),
            grew: Vec::new(),
            cards: 0,
            started: Duration::ZERO,
            over: Vec::new(),
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.times.len()
    }

    /// A process of it has begun.
    pub(crate) fn begun(&mut self, took: Duration) {
        self.started = self.started.max(took);
    }

    pub(crate) fn add(
        &mut self,
        number: usize,
        told: &Told,
        first: Duration,
        input: &Input,
        rules: &Path,
    ) -> Outcome<()> {
        if told.took > LONGEST || told.grew > MOST {
            let kept = self.keep(number, input, rules)?;
            self.over.push(format!(
                "{} {number}: {} ms (at first {} ms, {} ms of processors), {} MB, {}\n    {}",
                self.name,
                told.took.as_millis(),
                first.as_millis(),
                told.used,
                mib(told.grew),
                input.head(),
                kept.display()
            ));
        }
        self.times.push(i64::try_from(told.took.as_nanos())?);
        self.grew.push(told.grew);
        self.cards += usize::from(told.card);
        Ok(())
    }

    /// Keeps an input and the rules that it met.
    fn keep(&self, number: usize, input: &Input, rules: &Path) -> Outcome<PathBuf> {
        let folder = Path::new(KEPT).join(format!("{}-{number}", self.name.replace([' ', ','], "-")));
        std::fs::create_dir_all(&folder)?;
        std::fs::copy(rules, folder.join("rules.toml"))?;
        std::fs::write(folder.join("request.json"), input.request(Path::new("/w")).to_string())?;
        Ok(folder)
    }

    pub(crate) fn line(&self) -> String {
        let millis = |percent: usize| {
            #[expect(clippy::cast_precision_loss, reason = "times of less than an hour")]
            let millis = percentile(&self.times, percent) as f64 / 1e6;
            format!("{millis:.2}")
        };
        format!(
            "{:<20}{:>7}{:>7}{:>10}{:>10}{:>10}{:>9}{:>6}{:>12}",
            self.name,
            self.times.len(),
            self.cards,
            millis(50),
            millis(99),
            millis(100),
            mib(self.grew.iter().copied().max().unwrap_or_default()),
            self.over.len(),
            self.started.as_millis()
        )
    }

    /// Prints what is over the bounds; how many are.
    pub(crate) fn print_over(&self) -> usize {
        for one in &self.over {
            println!("  {one}");
        }
        self.over.len()
    }
}
