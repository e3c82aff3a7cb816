//! Tells a terminal that asks for it what goes on: OSC 7501, the Program Status Protocol, revision 0.4.
//!
//! The terminal is asked whether it knows this when the first question is put to it, and hears nothing of it if it does
//! not say so. What is told are words of mayi's own: nothing that an agent, a server or a file says goes in.

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Asks a terminal whether it knows the protocol. One that does says the same; others say nothing.
const QUERY: &str = "\x1b]7501;?\x1b\\";

/// What the terminal's word begins with, within the sequence.
const KNOWS: &[u8] = b"7501;?";

/// An answer that has not come by then comes from no terminal at this machine, and is not waited for.
const ANSWERS: Duration = Duration::from_millis(250);

/// What goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgramState {
    /// Nothing goes on before the person says what.
    Idle,
    /// Something goes on.
    Working,
    /// Nothing goes on before the person has answered.
    Blocked,
}

impl ProgramState {
    fn protocol_word(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Working => "working",
            Self::Blocked => "blocked",
        }
    }
}

/// What a terminal takes, as it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StatusSupport {
    idle: bool,
    working: bool,
    blocked: bool,
    permission: bool,
}

impl StatusSupport {
    /// Reads what came within an operating system command. None: it is about something else.
    pub(crate) fn read(body: &[u8]) -> Option<Self> {
        let rest = body.strip_prefix(KNOWS)?;
        let mut takes = Self { idle: true, working: true, blocked: true, permission: true };
        if rest.is_empty() {
            return Some(takes);
        }
        for pair in std::str::from_utf8(rest).ok()?.strip_prefix(':')?.split(':') {
            let Some((key, list)) = pair.split_once('=') else { continue };
            let has = |word: &str| list.split(',').any(|one| one == word);
            match key {
                "states" => {
                    (takes.idle, takes.working, takes.blocked) =
                        (has("idle"), has("working"), has("blocked"));
                }
                "kinds" => takes.permission = has("permission"),
                _ => {}
            }
        }
        Some(takes)
    }
}

/// What one terminal was told.
#[derive(Debug, Default)]
pub(crate) struct ProgramStatus {
    asked: Option<Instant>,
    takes: Option<StatusSupport>,
    told: Option<ProgramState>,
    now: Option<(ProgramState, &'static str)>,
}

impl ProgramStatus {
    /// What asks the terminal, once.
    pub(crate) fn start_query(&mut self, term: Option<&str>) -> Option<&'static str> {
        // The console of Linux, and what is no terminal but says that it is one, could show it.
        if self.asked.is_some() || matches!(term, None | Some("" | "dumb" | "linux")) {
            return None;
        }
        self.asked = Some(Instant::now());
        Some(QUERY)
    }

    /// For how long an answer may still come that nobody else should read.
    pub(crate) fn reply_time_left(&self) -> Option<Duration> {
        let asked = self.asked.filter(|_| self.takes.is_none())?;
        Some(ANSWERS.saturating_sub(asked.elapsed())).filter(|left| !left.is_zero())
    }

    /// The terminal has said what it takes. Returns what to tell it.
    pub(crate) fn set_support(&mut self, takes: StatusSupport) -> Option<String> {
        // Nobody asked: this is no answer.
        self.asked?;
        self.takes.get_or_insert(takes);
        self.state_report()
    }

    /// What goes on from now on, and in which words. Returns what to tell.
    pub(crate) fn set_state(&mut self, state: ProgramState, words: &'static str) -> Option<String> {
        // What is not blocked at first is not worth a word.
        if self.now.is_none() && state != ProgramState::Blocked {
            return None;
        }
        self.now = Some((state, words));
        self.state_report()
    }

    fn state_report(&mut self) -> Option<String> {
        let (takes, (state, words)) = (self.takes?, self.now?);
        if self.told == Some(state)
            || !takes.blocked
            || (self.told.is_none() && state != ProgramState::Blocked)
        {
            return None;
        }
        self.told = Some(state);
        let known = match state {
            ProgramState::Idle => takes.idle,
            ProgramState::Working => takes.working,
            ProgramState::Blocked => true,
        };
        if !known {
            // Whatever else it takes: nothing is blocked any more.
            return Some(osc_sequence("state=clear"));
        }
        let mut body = format!("state={}", state.protocol_word());
        if state == ProgramState::Blocked && takes.permission {
            body.push_str(":kind=permission");
        }
        body.push_str(":app=mayi");
        if !words.is_empty() {
            body.push_str(&format!(":msg={}", STANDARD.encode(words)));
        }
        Some(osc_sequence(&body))
    }
}

fn osc_sequence(body: &str) -> String {
    format!("\x1b]7501;{body}\x1b\\")
}

#[cfg(test)]
mod tests {
    use super::{ProgramState, ProgramStatus, StatusSupport};

    const WORDS: &str = "An agent wants to run a command";

    fn queried_status() -> ProgramStatus {
        let mut status = ProgramStatus::default();
        assert_eq!(status.start_query(Some("xterm")), Some("\x1b]7501;?\x1b\\"));
        assert_eq!(status.start_query(Some("xterm")), None);
        status
    }

    /// Attack 478.
    #[test]
    fn given_a_terminal_that_says_nothing_then_it_is_told_nothing() {
        let mut status = queried_status();
        for state in [ProgramState::Blocked, ProgramState::Working, ProgramState::Blocked, ProgramState::Idle]
        {
            assert_eq!(status.set_state(state, WORDS), None);
        }
        for term in [None, Some(""), Some("dumb"), Some("linux")] {
            assert_eq!(ProgramStatus::default().start_query(term), None);
        }
        // An answer that nobody asked for is none.
        let mut status = ProgramStatus::default();
        status.set_state(ProgramState::Blocked, WORDS);
        assert_eq!(status.set_support(StatusSupport::read(b"7501;?").unwrap()), None);
    }

    #[test]
    fn given_a_terminal_that_knows_it_then_it_hears_that_it_is_blocked_and_that_it_is_no_more() {
        let mut status = queried_status();
        assert_eq!(status.set_state(ProgramState::Blocked, WORDS), None);
        let blocked = "\x1b]7501;state=blocked:kind=permission:app=mayi:msg=QW4gYWdlbnQgd2FudHMgdG8gcnVuIGEgY29tbWFuZA==\x1b\\";
        assert_eq!(status.set_support(StatusSupport::read(b"7501;?").unwrap()).as_deref(), Some(blocked));
        assert_eq!(status.reply_time_left(), None);
        assert_eq!(status.set_state(ProgramState::Blocked, WORDS), None, "nothing has changed");
        let told = status.set_state(ProgramState::Working, "");
        assert_eq!(told.as_deref(), Some("\x1b]7501;state=working:app=mayi\x1b\\"));
        assert_eq!(
            status.set_state(ProgramState::Idle, "").as_deref(),
            Some("\x1b]7501;state=idle:app=mayi\x1b\\")
        );
        assert_eq!(status.set_state(ProgramState::Idle, ""), None);
    }

    #[test]
    fn given_an_answer_after_the_question_then_nothing_is_said_of_it() {
        let mut status = queried_status();
        status.set_state(ProgramState::Blocked, WORDS);
        status.set_state(ProgramState::Working, "");
        assert_eq!(status.set_support(StatusSupport::read(b"7501;?").unwrap()), None);
        assert_eq!(status.set_state(ProgramState::Idle, ""), None);
    }

    #[test]
    fn given_a_terminal_that_takes_less_then_it_is_told_no_more() {
        let takes = |body: &[u8]| StatusSupport::read(body).unwrap();
        let mut status = queried_status();
        status.set_state(ProgramState::Blocked, "");
        let told = status.set_support(takes(b"7501;?:states=blocked,done:kinds=auth"));
        assert_eq!(told.as_deref(), Some("\x1b]7501;state=blocked:app=mayi\x1b\\"));
        assert_eq!(
            status.set_state(ProgramState::Working, "").as_deref(),
            Some("\x1b]7501;state=clear\x1b\\")
        );
        let mut status = queried_status();
        status.set_state(ProgramState::Blocked, "");
        assert_eq!(status.set_support(takes(b"7501;?:states=idle,working")), None);
        assert_eq!(status.set_state(ProgramState::Idle, ""), None);
        assert_eq!(takes(b"7501;?:states="), takes(b"7501;?:kinds=permission:states="));
        for other in [&b"7501;state=idle"[..], b"11;?", b"7501;?x", b"7501;?:\xff"] {
            assert_eq!(StatusSupport::read(other), None);
        }
    }
}
