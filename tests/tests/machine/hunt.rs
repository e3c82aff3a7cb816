//! Many lines: made, judged, run where they are allowed, and what was found.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};

use super::effects::{Bench, Hidden};
use super::grammar::{Grammar, Line};
use super::shells::Shell;
use super::{report, shrink};

/// As many worlds are there at once: more than processors, since a line is often waited for.
pub(crate) const WORKERS: usize = 4;

/// As many findings are made short at all.
const MOST: usize = 150;

/// After so many lines of a worker it says how far it is.
const SOMETIMES: usize = 10_000;

/// What to do.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub(crate) seed: u64,
    /// Distinct lines that are allowed and run in each shell.
    pub(crate) lines: usize,
    pub(crate) shells: Vec<Shell>,
    /// Ends with the first finding of one of these constructs.
    pub(crate) until: Vec<String>,
}

/// A line that did what it should not, as short as it got.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// How many lines had been run.
    pub(crate) after: usize,
    pub(crate) line: String,
    pub(crate) short: String,
    pub(crate) shell: Shell,
    pub(crate) hidden: Hidden,
    pub(crate) constructs: Vec<&'static str>,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) made: usize,
    pub(crate) distinct: usize,
    /// Lines run, by shell; and the same for each construct.
    pub(crate) ran: BTreeMap<Shell, usize>,
    pub(crate) constructs: BTreeMap<&'static str, BTreeMap<Shell, usize>>,
    /// Findings by construct: how many, and after how many lines the first.
    pub(crate) findings: BTreeMap<&'static str, (usize, usize)>,
    pub(crate) found: Vec<Found>,
    /// Lines with a finding that was not seen a second time.
    pub(crate) doubtful: Vec<String>,
    pub(crate) late: usize,
}

impl Tally {
    /// Both together.
    fn with(mut self, other: Self) -> Self {
        self.made += other.made;
        self.distinct += other.distinct;
        self.late += other.late;
        for (shell, count) in other.ran {
            *self.ran.entry(shell).or_default() += count;
        }
        for (name, shells) in other.constructs {
            for (shell, count) in shells {
                *self.constructs.entry(name).or_default().entry(shell).or_default() += count;
            }
        }
        for (name, (count, first)) in other.findings {
            let known = self.findings.entry(name).or_insert((0, first));
            *known = (known.0 + count, known.1.min(first));
        }
        self.found.extend(other.found);
        self.doubtful.extend(other.doubtful);
        self
    }
}

/// Hunts with all workers; the same order has the same lines.
pub(crate) fn hunt(order: &Order) -> Tally {
    let over = AtomicBool::new(false);
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        let over = &over;
        let workers: Vec<_> =
            (0..WORKERS).map(|at| scope.spawn(move || Worker::new(order, at).work(over))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    tallies.into_iter().fold(Tally::default(), Tally::with)
}

struct Worker<'o> {
    order: &'o Order,
    at: usize,
    bench: Bench,
    grammar: Grammar,
    names: Vec<&'static str>,
    seen: HashSet<u64>,
    /// Which constructs had which kind of finding: one of each is made short, the others are counted.
    known: BTreeSet<(&'static str, Vec<usize>)>,
    tally: Tally,
}

impl<'o> Worker<'o> {
    fn new(order: &'o Order, at: usize) -> Self {
        let grammar = Grammar::new(order.seed.wrapping_mul(WORKERS as u64).wrapping_add(at as u64));
        let names = grammar.names();
        Self {
            order,
            at,
            bench: Bench::new(),
            grammar,
            names,
            seen: HashSet::new(),
            known: BTreeSet::new(),
            tally: Tally::default(),
        }
    }

    fn work(mut self, over: &AtomicBool) -> Tally {
        let share = self.order.lines.div_ceil(WORKERS);
        let enough = |tally: &Tally| {
            self.order.shells.iter().all(|shell| tally.ran.get(shell).copied().unwrap_or_default() >= share)
        };
        // Where hardly anything is allowed, this ends too.
        while !enough(&self.tally) && self.tally.made < share.saturating_mul(60).max(2000) {
            self.tally.made += 1;
            let line = self.grammar.line();
            let mut hasher = DefaultHasher::new();
            line.text().hash(&mut hasher);
            let hash = hasher.finish();
            // Each worker has lines of its own, so that all are distinct.
            if hash % WORKERS as u64 != self.at as u64 || !self.seen.insert(hash) {
                continue;
            }
            let before = self.tally.distinct;
            self.try_one(&line);
            if self.tally.distinct != before && self.tally.distinct.is_multiple_of(SOMETIMES) {
                println!(
                    "worker {}, so far: {}",
                    self.at,
                    report::table(self.order, &self.tally, &self.names)
                );
            }
            let until = &self.order.until;
            if until.iter().any(|name| self.tally.findings.contains_key(name.as_str())) {
                over.store(true, Ordering::Relaxed);
            }
            if over.load(Ordering::Relaxed) {
                break;
            }
        }
        self.tally.late = self.bench.late;
        self.tally
    }

    fn try_one(&mut self, line: &Line) {
        let text = line.text();
        let constructs = line.constructs();
        let mut allowed = false;
        for shell in self.order.shells.clone() {
            let Some(verdict) = self.bench.verdict(&text, shell).filter(|verdict| verdict.by != 0) else {
                continue;
            };
            allowed = true;
            let hidden = self.bench.hidden(&text, shell, &verdict);
            *self.tally.ran.entry(shell).or_default() += 1;
            for at in &constructs {
                *self.tally.constructs.entry(self.names[*at]).or_default().entry(shell).or_default() += 1;
            }
            self.tell(line, shell, &hidden);
        }
        if allowed {
            self.tally.distinct += 1;
            constructs.iter().for_each(|at| self.grammar.allowed[*at] += 1);
        }
    }

    /// A finding for each kind of what happened.
    fn tell(&mut self, line: &Line, shell: Shell, hidden: &BTreeSet<Hidden>) {
        let mut kinds = BTreeSet::new();
        for one in hidden {
            if !kinds.insert(one.effect.kind()) {
                continue;
            }
            let whole = line.text();
            // What a line left in the background may have been seen at the next one.
            let again = (0..3).any(|_| shrink::shows(&mut self.bench, &whole, shell, one));
            if !again {
                self.tally.doubtful.push(format!("{} {one:?}: {whole:?}", shell.name()));
                continue;
            }
            let line = shrink::guilty(&mut self.bench, line, shell, one);
            let after = self.tally.distinct * WORKERS + 1;
            for at in line.constructs() {
                let known = self.tally.findings.entry(self.names[at]).or_insert((0, after));
                known.0 += 1;
            }
            let (kind, constructs) = (one.effect.kind(), line.constructs());
            let alone = |at: &usize| self.known.contains(&(kind, vec![*at]));
            if constructs.iter().any(alone) || self.tally.found.len() >= MOST {
                continue;
            }
            if !self.known.insert((kind, constructs)) {
                continue;
            }
            let text = line.text();
            let short = shrink::shortest(&mut self.bench, &text, shell, one);
            let hidden = self.bench.tried(&short, shell);
            let hidden = hidden.into_iter().find(|new| new.effect.resembles(&one.effect));
            let found = Found {
                after,
                line: self.bench.placed(&text),
                short,
                shell,
                hidden: hidden.unwrap_or_else(|| one.clone()),
                constructs: line.constructs().into_iter().map(|at| self.names[at]).collect(),
            };
            // At once: whoever hunts for an hour wants to begin with the first.
            println!("{}", report::case(&found));
            self.tally.found.push(found);
        }
    }
}
