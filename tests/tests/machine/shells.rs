//! Real shells: one line in one of them, with limits, and what it said.

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use super::programs;
use super::world::World;

/// A shell that lines are run in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shell {
    Bash,
    Dash,
    Zsh,
}

impl Shell {
    pub(crate) const ALL: [Self; 3] = [Self::Bash, Self::Dash, Self::Zsh];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Dash => "dash",
            Self::Zsh => "zsh",
        }
    }

    fn options(self) -> &'static [&'static str] {
        match self {
            Self::Bash => &["--noprofile", "--norc", "-c"],
            Self::Dash => &["-c"],
            Self::Zsh => &["-f", "-c"],
        }
    }

    /// Where it is.
    fn program(self) -> PathBuf {
        let folders = ["/bin", "/usr/bin", "/usr/local/bin"];
        let mut places = folders.iter().map(|folder| PathBuf::from(folder).join(self.name()));
        places.find(|path| path.is_file()).unwrap_or_else(|| {
            panic!("there is no {}: install it, or run tests/run, which does", self.name())
        })
    }
}

/// A line that takes longer is ended.
const LIMIT: Duration = Duration::from_millis(1500);

/// What a line left in the background is ended when it was seen so often, one time after the other, to wait for something; what
/// works has until [`LIMIT`]. On a busy machine the beginning of a program alone may take any shorter time.
const LOOKS: usize = 20;

/// Between two looks.
const BETWEEN: Duration = Duration::from_millis(3);

/// No more of what a line says is looked at.
const MOST: u64 = 1 << 20;

/// Runs lines in a world, one at a time.
pub(crate) struct Runner {
    output: PathBuf,
    /// The group that runs, and since when; for whoever watches.
    watched: Arc<(AtomicU64, AtomicU64)>,
    done: Arc<AtomicBool>,
    started: Instant,
}

/// What a line said, and what the markers told.
pub(crate) struct Said {
    pub(crate) output: Vec<u8>,
    pub(crate) commands: Vec<Vec<String>>,
    /// It was ended, since it went on for too long.
    pub(crate) late: bool,
}

impl Runner {
    pub(crate) fn new(world: &World) -> Self {
        let watched = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
        let (started, done) = (Instant::now(), Arc::new(AtomicBool::new(false)));
        let (seen, over) = (Arc::clone(&watched), Arc::clone(&done));
        std::thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(100));
                let (group, since) = (seen.0.load(Ordering::SeqCst), seen.1.load(Ordering::SeqCst));
                let age = started.elapsed().saturating_sub(Duration::from_millis(since));
                if group != 0 && age > LIMIT && seen.0.load(Ordering::SeqCst) == group {
                    end(group);
                }
            }
        });
        let output = world.at("output");
        File::create(&output).unwrap();
        File::create(world.log()).unwrap();
        Self { output, watched, done, started }
    }

    /// Runs `line`, and waits until nothing of it is left.
    pub(crate) fn run(&self, world: &World, shell: Shell, line: &str) -> Said {
        let output = OpenOptions::new().append(true).open(&self.output).unwrap();
        let mut command = Command::new(shell.program());
        command.args(shell.options()).arg(line).current_dir(world.project());
        command.env_clear().env("PATH", world.bin()).env("HOME", world.home());
        command
            .env("LC_ALL", "C.UTF-8")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("EDITOR", "true")
            .env("PAGER", "cat");
        command.env("TMPDIR", world.at("tmp")).env("TMPPREFIX", world.at("tmp/zsh"));
        command.env("BASH_FUNC_command_not_found_handle%%", programs::not_found(&world.log()));
        command.stdin(Stdio::null()).stdout(output.try_clone().unwrap()).stderr(output).process_group(0);
        let begin = Instant::now();
        let mut child = command.spawn().unwrap();
        let group = u64::from(child.id());
        self.watched.1.store(u64::try_from(self.started.elapsed().as_millis()).unwrap(), Ordering::SeqCst);
        self.watched.0.store(group, Ordering::SeqCst);
        let _ = child.wait();
        let late = begin.elapsed() > LIMIT;
        let (left, mut waits) = (Instant::now(), 0);
        while alive(group) && waits < LOOKS && left.elapsed() < LIMIT {
            match rest(group) {
                Rest::Nothing => break,
                Rest::Waits => waits += 1,
                Rest::Works => waits = 0,
            }
            std::thread::sleep(BETWEEN);
        }
        self.watched.0.store(0, Ordering::SeqCst);
        end(group);
        Said { output: taken(&self.output), commands: programs::commands(&taken(&world.log())), late }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
    }
}

fn pid(group: u64) -> Option<Pid> {
    Pid::from_raw(i32::try_from(group).ok()?)
}

fn alive(group: u64) -> bool {
    pid(group).is_some_and(|group| test_kill_process_group(group).is_ok())
}

/// What is left of a group, from the least on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rest {
    /// What ended, and nobody has asked for it yet.
    Nothing,
    /// All of it waits for something.
    Waits,
    /// One of its processes runs, or would if a processor were free for it, or waits for a disk.
    Works,
}

/// One look at `/proc`. It is not one moment: while it is taken, the work may pass to a process that was looked at before.
fn rest(group: u64) -> Rest {
    let group = group.to_string();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let stats = processes.filter_map(|process| fs::read_to_string(process.path().join("stat")).ok());
    let rests = stats.filter_map(|stat| {
        // `PID (NAME) STATE PARENT GROUP ...`, and a name may hold brackets: proc_pid_stat(5).
        let mut fields = stat.rsplit_once(") ")?.1.split(' ');
        let state = fields.next()?;
        (fields.nth(1)? == group).then_some(match state {
            "Z" | "X" => Rest::Nothing,
            "R" | "D" => Rest::Works,
            _ => Rest::Waits,
        })
    });
    rests.max().unwrap_or(Rest::Nothing)
}

fn end(group: u64) {
    if let Some(group) = pid(group) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// What stands in the file, which is empty then.
fn taken(path: &PathBuf) -> Vec<u8> {
    let mut text = Vec::new();
    let Ok(file) = OpenOptions::new().read(true).write(true).open(path) else { return text };
    if file.metadata().is_ok_and(|data| data.len() > 0) {
        let _ = (&file).take(MOST).read_to_end(&mut text);
        let _ = file.set_len(0);
    }
    text
}

fn wait_for(group: u64, sought: Rest) {
    while rest(group) != sought {
        std::thread::yield_now();
    }
}

/// What waits is told from what works and from what has ended: only what waits is ended early. Attack 260.
#[test]
fn given_what_works_waits_or_ended_then_each_is_told_apart() {
    let start = |line: &str| {
        let mut command = Command::new(Shell::Dash.program());
        command.args(["-c", line]).stdin(Stdio::piped()).process_group(0).spawn().unwrap()
    };
    let mut works = start("cat & while :; do :; done");
    let mut waits = start("read x");
    let group = u64::from(works.id());
    (0..3 * LOOKS).for_each(|_| assert!(rest(group) == Rest::Works));
    wait_for(u64::from(waits.id()), Rest::Waits);
    end(group);
    wait_for(group, Rest::Nothing);
    end(u64::from(waits.id()));
    let _ = (works.wait(), waits.wait());
}
