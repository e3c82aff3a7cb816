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
pub(crate) enum State {
    /// Nothing goes on before the person says what.
    Idle,
    /// Something goes on.
    Working,
    /// Nothing goes on before the person has answered.
    Blocked,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Working => "working",
            Self::Blocked => "blocked",
        }
    }
}

/// What a terminal takes, as it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Takes {
    idle: bool,
    working: bool,
    blocked: bool,
    permission: bool,
}

impl Takes {
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
pub(crate) struct Status {
    asked: Option<Instant>,
    takes: Option<Takes>,
    told: Option<State>,
    now: Option<(State, &'static str)>,
}

impl Status {
    /// What asks the terminal, once.
    pub(crate) fn query(&mut self, term: Option<&str>) -> Option<&'static str> {
        // The console of Linux, and what is no terminal but says that it is one, could show it.
        if self.asked.is_some() || matches!(term, None | Some("" | "dumb" | "linux")) {
            return None;
        }
        self.asked = Some(Instant::now());
        Some(QUERY)
    }

    /// For how long an answer may still come that nobody else should read.
    pub(crate) fn outstanding(&self) -> Option<Duration> {
        let asked = self.asked.filter(|_| self.takes.is_none())?;
        Some(ANSWERS.saturating_sub(asked.elapsed())).filter(|left| !left.is_zero())
    }

    /// The terminal has said what it takes. Returns what to tell it.
    pub(crate) fn answered(&mut self, takes: Takes) -> Option<String> {
        // Nobody asked: this is no answer.
        self.asked?;
        self.takes.get_or_insert(takes);
        self.report()
    }

    /// What goes on from now on, and in which words. Returns what to tell.
    pub(crate) fn set(&mut self, state: State, words: &'static str) -> Option<String> {
        // What is not blocked at first is not worth a word.
        if self.now.is_none() && state != State::Blocked {
            return None;
        }
        self.now = Some((state, words));
        self.report()
    }

    fn report(&mut self) -> Option<String> {
        let (takes, (state, words)) = (self.takes?, self.now?);
        if self.told == Some(state) || !takes.blocked || (self.told.is_none() && state != State::Blocked) {
            return None;
        }
        self.told = Some(state);
        let known = match state {
            State::Idle => takes.idle,
            State::Working => takes.working,
            State::Blocked => true,
        };
        if !known {
            // Whatever else it takes: nothing is blocked any more.
            return Some(sequence("state=clear"));
        }
        let mut body = format!("state={}", state.word());
        if state == State::Blocked && takes.permission {
            body.push_str(":kind=permission");
        }
        body.push_str(":app=mayi");
        if !words.is_empty() {
            body.push_str(&format!(":msg={}", STANDARD.encode(words)));
        }
        Some(sequence(&body))
    }
}

fn sequence(body: &str) -> String {
    format!("\x1b]7501;{body}\x1b\\")
}

#[cfg(test)]
mod tests {
    use super::{State, Status, Takes};

    const WORDS: &str = "An agent wants to run a command";

    fn asked() -> Status {
        let mut status = Status::default();
        assert_eq!(status.query(Some("xterm")), Some("\x1b]7501;?\x1b\\"));
        assert_eq!(status.query(Some("xterm")), None);
        status
    }

    /// Attack 478.
    #[test]
    fn given_a_terminal_that_says_nothing_then_it_is_told_nothing() {
        let mut status = asked();
        for state in [State::Blocked, State::Working, State::Blocked, State::Idle] {
            assert_eq!(status.set(state, WORDS), None);
        }
        for term in [None, Some(""), Some("dumb"), Some("linux")] {
            assert_eq!(Status::default().query(term), None);
        }
        // An answer that nobody asked for is none.
        let mut status = Status::default();
        status.set(State::Blocked, WORDS);
        assert_eq!(status.answered(Takes::read(b"7501;?").unwrap()), None);
    }

    #[test]
    fn given_a_terminal_that_knows_it_then_it_hears_that_it_is_blocked_and_that_it_is_no_more() {
        let mut status = asked();
        assert_eq!(status.set(State::Blocked, WORDS), None);
        let blocked = "\x1b]7501;state=blocked:kind=permission:app=mayi:msg=QW4gYWdlbnQgd2FudHMgdG8gcnVuIGEgY29tbWFuZA==\x1b\\";
        assert_eq!(status.answered(Takes::read(b"7501;?").unwrap()).as_deref(), Some(blocked));
        assert_eq!(status.outstanding(), None);
        assert_eq!(status.set(State::Blocked, WORDS), None, "nothing has changed");
        let told = status.set(State::Working, "");
        assert_eq!(told.as_deref(), Some("\x1b]7501;state=working:app=mayi\x1b\\"));
        assert_eq!(status.set(State::Idle, "").as_deref(), Some("\x1b]7501;state=idle:app=mayi\x1b\\"));
        assert_eq!(status.set(State::Idle, ""), None);
    }

    #[test]
    fn given_an_answer_after_the_question_then_nothing_is_said_of_it() {
        let mut status = asked();
        status.set(State::Blocked, WORDS);
        status.set(State::Working, "");
        assert_eq!(status.answered(Takes::read(b"7501;?").unwrap()), None);
        assert_eq!(status.set(State::Idle, ""), None);
    }

    #[test]
    fn given_a_terminal_that_takes_less_then_it_is_told_no_more() {
        let takes = |body: &[u8]| Takes::read(body).unwrap();
        let mut status = asked();
        status.set(State::Blocked, "");
        let told = status.answered(takes(b"7501;?:states=blocked,done:kinds=auth"));
        assert_eq!(told.as_deref(), Some("\x1b]7501;state=blocked:app=mayi\x1b\\"));
        assert_eq!(status.set(State::Working, "").as_deref(), Some("\x1b]7501;state=clear\x1b\\"));
        let mut status = asked();
        status.set(State::Blocked, "");
        assert_eq!(status.answered(takes(b"7501;?:states=idle,working")), None);
        assert_eq!(status.set(State::Idle, ""), None);
        assert_eq!(takes(b"7501;?:states="), takes(b"7501;?:kinds=permission:states="));
        for other in [&b"7501;state=idle"[..], b"11;?", b"7501;?x", b"7501;?:\xff"] {
            assert_eq!(Takes::read(other), None);
        }
    }
}
