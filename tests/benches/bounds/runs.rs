//! `mayi run`: an agent that this program speaks for; its questions are denied at once, or shown in a terminal.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mayi_tests::command_line;
use mayi_tests::heavy::Input;

use crate::common::Outcome;
use crate::pty::Terminal;
use crate::running::Running;
use crate::sides::{Side, Sides, asks, is_answer};
use crate::watch::{Told, Watch};
use crate::{Bench, Door, PUPPET};

/// How large the terminal is.
const SIZE: (u16, u16) = (40, 120);

/// What runs it.
enum Before {
    Nobody(Running),
    Person(Terminal, u32),
}

struct Run {
    before: Before,
    sides: Sides,
    work: PathBuf,
    asked: usize,
}

fn command(bench: &Bench, rules: &Path, folder: &Path) -> Outcome<(std::process::Command, Sides)> {
    let socket = folder.join("socket");
    let sides = Sides::at(&socket)?;
    let agent = command_line([PUPPET.to_owned(), socket.display().to_string()]);
    let rules = rules.display().to_string();
    let command = bench.mayi(&["run", "--config", &rules, "--command", &agent, "do it"], folder);
    Ok((command, sides))
}

pub(crate) fn piped(bench: &Bench, rules: &Path, folder: &Path) -> Outcome<Box<dyn Door>> {
    let (command, mut sides) = command(bench, rules, folder)?;
    let mut running = Running::start(command)?;
    // What it says to a person is not read here, and has to go somewhere.
    let (stdin, mut stdout) = running.streams()?;
    running.keep(stdin);
    std::thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()));
    sides.until_prompted(0)?;
    Ok(with(bench, Before::Nobody(running), sides))
}

pub(crate) fn in_terminal(bench: &Bench, rules: &Path, folder: &Path) -> Outcome<Box<dyn Door>> {
    let (mayi, mut sides) = command(bench, rules, folder)?;
    // A terminal does not tell which process is in it.
    let told = folder.join("process");
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", "echo $$ > \"$0\"; exec \"$@\""])
        .arg(&told)
        .arg(mayi.get_program())
        .args(mayi.get_args());
    command.current_dir(&bench.machine.work).env_clear();
    command.envs(mayi.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let terminal = Terminal::start(command, SIZE, false);
    sides.until_prompted(0)?;
    let process = std::fs::read_to_string(told)?.trim().parse()?;
    Ok(with(bench, Before::Person(terminal, process), sides))
}

fn with(bench: &Bench, before: Before, sides: Sides) -> Box<dyn Door> {
    Box::new(Run { before, sides, work: bench.machine.work.clone(), asked: 0 })
}

impl Run {
    fn process(&self) -> u32 {
        match &self.before {
            Before::Nobody(running) => running.id(),
            Before::Person(_, process) => *process,
        }
    }

    /// Whether the answer is there so soon: when it was.
    fn answered(&mut self, id: usize, limit: Duration) -> Outcome<Option<Instant>> {
        let heard = self.sides.within(limit)?;
        Ok(heard
            .filter(|heard| heard.side == Side::Agent(0) && is_answer(&heard.message, id))
            .map(|heard| heard.at))
    }

    /// Waits until a card is on the screen, or the answer is there.
    fn shown(&mut self, id: usize, watch: &Watch) -> Outcome<(Duration, bool)> {
        loop {
            if let Some(at) = self.answered(id, Duration::from_millis(1))? {
                return Ok((watch.took(at), false));
            }
            let Before::Person(terminal, _) = &self.before else { continue };
            if terminal.screen().contains("? help") {
                return Ok((watch.took(Instant::now()), true));
            }
        }
    }

    /// Denies until it is answered.
    fn deny(&mut self, id: usize) -> Outcome<()> {
        let end = Instant::now() + Duration::from_secs(60);
        while Instant::now() < end {
            if let Before::Person(terminal, _) = &self.before
                && terminal.screen().contains("? help")
            {
                terminal.send("n");
            }
            if self.answered(id, Duration::from_millis(50))?.is_some() {
                let Before::Person(terminal, _) = &self.before else { return Ok(()) };
                terminal.until("no card", |screen| !screen.contents().contains("? help"));
                return Ok(());
            }
        }
        Err("no key denies it".into())
    }
}

impl Door for Run {
    fn tell(&mut self, input: &Input, number: usize) -> Outcome<Told> {
        self.asked += 1;
        let id = self.asked;
        let request = asks(id, "s1", &input.acp(&format!("call-{number}-{id}"), &self.work));
        let watch = Watch::begin(self.process())?;
        self.sides.says(0, &request)?;
        let (took, card) = if matches!(self.before, Before::Person(..)) {
            self.shown(id, &watch)?
        } else {
            let heard = self.sides.until(Side::Agent(0), |message| is_answer(message, id))?;
            (watch.took(heard.at), false)
        };
        if card {
            self.deny(id)?;
        }
        watch.end(took, card)
    }

    fn ends_well(&mut self) -> Outcome<()> {
        self.tell(&Input::Line("ls src".to_owned()), 0).map(drop)
    }
}
