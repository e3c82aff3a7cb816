//! What the fuzz targets do, on their seeds and on inputs that are made of these: the same ones each time, and built as
//! the tests are. `just fuzz TARGET` looks for others, with a fuzzer that sees where they lead.

use std::path::Path;
use std::time::{Duration, Instant};

use mayi_tests::random::Random;

#[path = "../../fuzz/bodies/config.rs"]
mod config;
#[path = "../../fuzz/bodies/path.rs"]
mod path;
#[path = "../../fuzz/bodies/pattern.rs"]
mod pattern;
#[path = "../../fuzz/bodies/shell.rs"]
mod shell;

/// The inputs of every run are the same ones.
const SEED: u64 = 20_261_124;

/// The fuzzer makes no longer inputs either.
const LONGEST: usize = 4096;

/// What takes longer does not end, as the fuzzer sees it too.
const LIMIT: Duration = Duration::from_secs(10);

/// What is put in now and then: where one thing ends and another begins.
const MARKS: &[u8] = b"\0\n\"'\\$`(){}[]<>|&;#*?~/.=:, T\xff";

/// Seeds, and what is made of them.
struct Inputs {
    seeds: Vec<Vec<u8>>,
    random: Random,
}

impl Inputs {
    fn of(target: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
        let mut files: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let seeds: Vec<_> = files.iter().map(|file| std::fs::read(file).unwrap()).collect();
        assert!(!seeds.is_empty(), "{target} has no seeds");
        Self { seeds, random: Random(SEED) }
    }

    fn seed(&mut self) -> Vec<u8> {
        self.seeds[self.random.below(self.seeds.len())].clone()
    }

    /// A seed with some changes.
    fn made(&mut self) -> Vec<u8> {
        let mut input = self.seed();
        for _ in 0..=self.random.below(5) {
            self.change(&mut input);
        }
        input.truncate(LONGEST);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let (from, to) = self.part(input.len());
        match self.random.below(6) {
            0 | 1 => {
                let other = self.seed();
                let (first, end) = self.part(other.len());
                input.splice(from..to, other[first..end].iter().copied());
            }
            2 => drop(input.drain(from..to)),
            3 => {
                let again = input[from..to].to_vec();
                input.splice(to..to, again);
            }
            4 => input.insert(from, MARKS[self.random.below(MARKS.len())]),
            _ => {
                let bit = 1 << self.random.below(8);
                input.iter_mut().skip(from).take(1).for_each(|byte| *byte ^= bit);
            }
        }
    }

    /// From where to where a part of so many bytes goes: mostly a short one.
    fn part(&mut self, length: usize) -> (usize, usize) {
        let from = self.random.below(length + 1);
        let longest = 1 << self.random.below(8);
        (from, (from + self.random.below(longest)).min(length))
    }
}

/// Shows the input that something fails with.
struct Shown<'i>(&'i [u8]);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("with the input b\"{}\"", self.0.escape_ascii());
        }
    }
}

/// Runs `body` on the seeds of `target`, and on so many that are made of them.
fn each(target: &str, made: usize, body: fn(&[u8])) {
    let mut inputs = Inputs::of(target);
    let seeds = inputs.seeds.clone();
    for input in seeds.into_iter().chain(std::iter::repeat_with(|| inputs.made()).take(made)) {
        let shown = Shown(&input);
        let begin = Instant::now();
        body(shown.0);
        assert!(begin.elapsed() < LIMIT, "it took {:?}", begin.elapsed());
    }
}

#[test]
fn given_any_line_then_its_analysis_makes_sense() {
    each("shell", 5_000, shell::run);
}

#[test]
fn given_any_text_then_it_is_no_pattern_or_one_that_agrees_with_itself() {
    each("pattern", 10_000, pattern::run);
}

#[test]
fn given_any_file_of_a_workspace_then_nothing_is_decided_less_strictly_for_it() {
    each("config", 600, config::run);
}

#[test]
fn given_any_path_on_a_tree_with_links_then_it_leads_where_the_kernel_goes() {
    each("path", 15_000, path::run);
}

/// What is made looks like the seeds, and is something else; and the next run makes the same.
#[test]
fn given_a_target_then_its_inputs_are_others_than_its_seeds_and_the_same_each_time() {
    for target in ["shell", "pattern", "config", "path"] {
        let (mut one, mut two) = (Inputs::of(target), Inputs::of(target));
        let made: Vec<_> = (0..100).map(|_| one.made()).collect();
        assert_eq!(made, (0..100).map(|_| two.made()).collect::<Vec<_>>());
        let new = made.iter().filter(|input| !one.seeds.contains(input)).count();
        assert!(new > 70, "{target}: {new}");
    }
}
