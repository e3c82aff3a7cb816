//! What a line did that its decision does not cover.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mayi_core::call::{WriteKind, shell};

use super::judge::{Judge, POLICIES, Verdict};
use super::network::Listener;
use super::shells::{Runner, Said, Shell};
use super::world::{Change, SECRETS, World};

/// Something that happened and that the policy, asked about it by itself, does not allow.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    /// A command ran.
    Ran(Vec<String>),
    /// A file was written, made or removed.
    Wrote(String),
    /// A secret was shown.
    Told(String),
    /// Somebody was called.
    Called,
}

impl Effect {
    /// The kind, for counting.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Ran(_) => "ran",
            Self::Wrote(_) => "wrote",
            Self::Told(_) => "told",
            Self::Called => "called",
        }
    }

    /// Whether the other one is the same, but for the words behind a command's name.
    pub(crate) fn resembles(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Ran(words), Self::Ran(others)) => words.first() == others.first(),
            _ => self == other,
        }
    }
}

/// A policy and what it should not have let happen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Hidden {
    pub(crate) policy: &'static str,
    pub(crate) effect: Effect,
}

/// A world, what runs in it and what judges it: everything to try a line.
pub(crate) struct Bench {
    pub(crate) world: World,
    pub(crate) judge: Judge,
    runner: Runner,
    network: Listener,
    /// Lines that were ended, since they went on for too long.
    pub(crate) late: usize,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let world = World::new();
        let (judge, runner) = (Judge::new(&world), Runner::new(&world));
        Self { world, judge, runner, network: Listener::new(), late: 0 }
    }

    /// The line with the listener's own port in the place of the one that is written.
    pub(crate) fn placed(&self, line: &str) -> String {
        self.network.placed(line)
    }

    /// What mayi says of it.
    pub(crate) fn verdict(&mut self, line: &str, shell: Shell) -> Option<Verdict> {
        self.judge.line(&self.network.placed(line), shell)
    }

    /// Runs a line that is allowed, and says what its policies do not allow of what happened.
    pub(crate) fn hidden(&mut self, line: &str, shell: Shell, verdict: &Verdict) -> BTreeSet<Hidden> {
        let said = self.runner.run(&self.world, shell, &self.network.placed(line));
        self.late += usize::from(said.late);
        let changes = self.world.restored();
        let mut hidden = BTreeSet::new();
        for at in verdict.policies() {
            let mut tell = |effect| hidden.insert(Hidden { policy: POLICIES[at], effect });
            for words in &said.commands {
                if !self.judge.allows_command(at, &without_pipes(words)) && !helps(words, verdict) {
                    tell(Effect::Ran(words.clone()));
                }
            }
            for change in &changes {
                if !covered(&self.world, change, verdict) && !self.may_write(at, change, verdict) {
                    let name = change.path.strip_prefix(self.world.at("")).unwrap_or(&change.path);
                    tell(Effect::Wrote(name.display().to_string()));
                }
            }
            let secrets = SECRETS.map(|(secret, name)| (secret, name, self.world.at(name)));
            let passwd = ("root:x:0:", "/etc/passwd", PathBuf::from("/etc/passwd"));
            for (secret, name, path) in secrets.iter().chain([&passwd]) {
                let told = contains(&said, secret) && self.judge.minds_read(at, path);
                if told && !(self.judge.is_auto(at) && interprets(verdict)) {
                    tell(Effect::Told((*name).to_owned()));
                }
            }
        }
        if self.network.calls() > 0 {
            // Where every program may run, one may call.
            let policies = verdict.policies().filter(|at| !self.judge.is_auto(*at));
            hidden.extend(policies.map(|at| Hidden { policy: POLICIES[at], effect: Effect::Called }));
        }
        hidden
    }

    /// The same for a line that has still to be judged; nothing where it is not allowed.
    pub(crate) fn tried(&mut self, line: &str, shell: Shell) -> BTreeSet<Hidden> {
        match self.verdict(line, shell) {
            Some(verdict) if verdict.by != 0 => self.hidden(line, shell, &verdict),
            _ => BTreeSet::new(),
        }
    }

    /// Where every program may run, one that writes may write whatever no rule denies.
    fn may_write(&mut self, policy: usize, change: &Change, verdict: &Verdict) -> bool {
        let kind = match (change.new, change.gone) {
            (true, _) => WriteKind::Write,
            (_, true) => WriteKind::Delete,
            _ => WriteKind::Edit,
        };
        let path = if change.link { change.path.with_file_name("another") } else { change.path.clone() };
        let writes = |access: &shell::ShellAccess| !access.words.is_empty() && !access.reader;
        if self.judge.is_auto(policy) && shell::shell_accesses(&verdict.call.accesses).any(writes) {
            return !self.judge.denies_write(policy, kind, &path);
        }
        self.judge.allows_write(policy, kind, &path)
    }
}

/// Whether a program runs that a line gives its own program to: where everything runs, it may read anything.
fn interprets(verdict: &Verdict) -> bool {
    let awk = |access: &shell::ShellAccess| {
        let name = access.words.first().and_then(shell::Word::literal).unwrap_or_default();
        ["awk", "gawk", "mawk"].contains(&name) && !access.reader
    };
    shell::shell_accesses(&verdict.call.accesses).any(awk)
}

/// What a reading script runs for itself, in the folder for temporary files: `zgrep -f FILE`.
fn helps(words: &[String], verdict: &Verdict) -> bool {
    let script = |access: &shell::ShellAccess| {
        access.reader && access.words.first().and_then(shell::Word::literal) == Some("zgrep")
    };
    words.first().is_some_and(|name| name == "mktemp")
        && shell::shell_accesses(&verdict.call.accesses).any(script)
}

/// The words, with a harmless one for each pipe that the shell made and named.
fn without_pipes(words: &[String]) -> Vec<String> {
    let is_pipe = |word: &String| word.starts_with("/dev/fd/") || word.starts_with("/proc/self/fd/");
    words.iter().map(|word| if is_pipe(word) { "x".to_owned() } else { word.clone() }).collect()
}

fn contains(said: &Said, text: &str) -> bool {
    said.output.windows(text.len()).any(|window| window == text.as_bytes())
}

/// What git does to its own files by the way: a reading command refreshes the index, whose length stays, and one that
/// was allowed to change the repository changes its files.
fn covered(world: &World, change: &Change, verdict: &Verdict) -> bool {
    let Ok(name) = change.path.strip_prefix(world.project().join(".git")) else { return false };
    // One that is ended while it refreshes the index leaves that one's lock.
    let refreshed = name == Path::new("index") && change.length == change.had;
    if refreshed || name == Path::new("index.lock") {
        return true;
    }
    let own = ["hooks", "config", "info"].iter().any(|own| name.starts_with(own));
    let changes = |access: &shell::ShellAccess| {
        access.words.first().and_then(shell::Word::literal) == Some("git") && !access.reader
    };
    !own && shell::shell_accesses(&verdict.call.accesses).any(changes)
}
