//! Medians and percentiles, and how they are written.

/// The value that `percent` of all values do not exceed; 0 without values.
pub(crate) fn percentile(values: &[i64], percent: usize) -> i64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted.get(rank).copied().unwrap_or(0)
}

pub(crate) fn median(values: &[i64]) -> i64 {
    percentile(values, 50)
}

/// Nanoseconds as microseconds.
pub(crate) fn micros(nanos: i64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "times of less than a second")]
    let micros = nanos as f64 / 1000.0;
    if micros.abs() < 10.0 { format!("{micros:.2} µs") } else { format!("{micros:.1} µs") }
}

/// A number with commas.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// What was measured with one client: the nanoseconds of each call, by round.
#[derive(Default)]
pub(crate) struct Series {
    pub(crate) rounds: Vec<Vec<i64>>,
}

impl Series {
    pub(crate) fn all(&self) -> Vec<i64> {
        self.rounds.concat()
    }

    /// What this one took more than `other`, call by call of the same round.
    pub(crate) fn beyond(&self, other: &Self) -> Self {
        let difference = |(mine, theirs): (&Vec<i64>, &Vec<i64>)| {
            mine.iter().zip(theirs).map(|(mine, theirs)| mine - theirs).collect()
        };
        Self { rounds: self.rounds.iter().zip(&other.rounds).map(difference).collect() }
    }

    /// Median, 99th percentile, and from where to where the rounds' own medians go.
    pub(crate) fn row(&self) -> [String; 3] {
        let all = self.all();
        let medians: Vec<i64> = self.rounds.iter().map(|round| median(round)).collect();
        let range = format!("{} – {}", micros(percentile(&medians, 0)), micros(percentile(&medians, 100)));
        [micros(median(&all)), micros(percentile(&all, 99)), range]
    }
}

/// A line of a table.
pub(crate) fn line(name: &str, [median, high, rounds]: &[String; 3]) -> String {
    format!("  {name:<40}{median:>11}{high:>12}    {rounds:<22}").trim_end().to_owned()
}

/// The head of a table.
pub(crate) fn head(name: &str) -> String {
    line(name, &["median", "p99", "medians of the rounds"].map(str::to_owned))
}
