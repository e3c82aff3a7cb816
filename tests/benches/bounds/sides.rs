//! Those who speak with mayi: lines of JSON, each with the moment when it was there.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::Outcome;

/// Nothing takes longer, unless it is lost.
const PATIENCE: Duration = Duration::from_secs(60);

/// Who has heard something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Side {
    /// An agent, by the order in which they came.
    Agent(usize),
    /// The editor.
    Editor,
    /// One has come.
    Comes(usize),
}

/// What was heard.
pub(crate) struct Heard {
    pub(crate) side: Side,
    pub(crate) at: Instant,
    pub(crate) message: Value,
}

/// The agents that mayi starts, and an editor.
pub(crate) struct Sides {
    pub(crate) to: Sender<Heard>,
    heard: Receiver<Heard>,
    agents: Receiver<UnixStream>,
    streams: Vec<UnixStream>,
    sessions: usize,
}

impl Sides {
    /// Agents come at this socket.
    pub(crate) fn at(socket: &Path) -> Outcome<Self> {
        let listener = UnixListener::bind(socket)?;
        let (to, heard) = channel();
        let (comes, agents) = channel();
        let telling = to.clone();
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                let Ok(own) = stream.try_clone() else { return };
                if comes.send(own).is_err() {
                    return;
                }
                let came = Heard { side: Side::Comes(number), at: Instant::now(), message: Value::Null };
                let _ = telling.send(came);
                reads(Side::Agent(number), stream, telling.clone());
            }
        });
        Ok(Self { to, heard, agents, streams: Vec::new(), sessions: 0 })
    }

    /// What an agent says.
    pub(crate) fn says(&mut self, agent: usize, message: &str) -> Outcome<()> {
        let stream = self.streams.get_mut(agent).ok_or("there is no such agent")?;
        Ok(stream.write_all(format!("{message}\n").as_bytes())?)
    }

    /// What is heard next that nobody answers by itself.
    pub(crate) fn next(&mut self) -> Outcome<Heard> {
        let end = Instant::now() + PATIENCE;
        loop {
            let heard = self.within(end.saturating_duration_since(Instant::now()))?;
            if let Some(heard) = heard {
                return Ok(heard);
            }
            if Instant::now() > end {
                return Err("nothing more is heard".into());
            }
        }
    }

    /// The same, if there is anything so soon.
    pub(crate) fn within(&mut self, limit: Duration) -> Outcome<Option<Heard>> {
        let heard = match self.heard.recv_timeout(limit) {
            Ok(heard) => heard,
            Err(RecvTimeoutError::Timeout) => return Ok(None),
            Err(RecvTimeoutError::Disconnected) => return Err("nobody is there any more".into()),
        };
        if let Side::Comes(_) = heard.side {
            self.streams.push(self.agents.recv()?);
            return Ok(None);
        }
        if heard.message.is_null() {
            return Err(format!("{:?} hears nothing more", heard.side).into());
        }
        let answered = self.answer(&heard)?;
        Ok((!answered).then_some(heard))
    }

    /// Answers what any agent is asked at first.
    fn answer(&mut self, heard: &Heard) -> Outcome<bool> {
        let Side::Agent(agent) = heard.side else { return Ok(false) };
        let (Some(method), Some(id)) =
            (heard.message.get("method").and_then(Value::as_str), heard.message.get("id"))
        else {
            return Ok(false);
        };
        let result = match method {
            "initialize" => json!({ "protocolVersion": 1, "agentCapabilities": {}, "authMethods": [] }),
            "session/new" => {
                self.sessions += 1;
                json!({ "sessionId": format!("s{}", self.sessions) })
            }
            "session/prompt" => return Ok(false),
            _ => json!({}),
        };
        self.says(agent, &json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string())?;
        Ok(true)
    }

    /// Waits until `side` hears what fits.
    pub(crate) fn until(&mut self, side: Side, fits: impl Fn(&Value) -> bool) -> Outcome<Heard> {
        loop {
            let heard = self.next()?;
            if heard.side == side && fits(&heard.message) {
                return Ok(heard);
            }
        }
    }

    /// Waits until an agent has got the prompt of a session.
    pub(crate) fn until_prompted(&mut self, agent: usize) -> Outcome<()> {
        self.until(Side::Agent(agent), |message| {
            message.get("method").is_some_and(|it| it == "session/prompt")
        })
        .map(drop)
    }
}

/// Tells of each line; in the end of none.
pub(crate) fn reads(side: Side, from: impl Read + Send + 'static, to: Sender<Heard>) {
    std::thread::spawn(move || {
        let mut lines = BufReader::new(from);
        loop {
            let mut line = Vec::new();
            let count = lines.read_until(b'\n', &mut line);
            let at = Instant::now();
            let message =
                if matches!(count, Ok(1..)) { serde_json::from_slice(&line) } else { Ok(Value::Null) };
            let (Ok(message), Ok(count)) = (message, count) else { return };
            if to.send(Heard { side, at, message }).is_err() || count == 0 {
                return;
            }
        }
    });
}

/// The agent's request for permission.
pub(crate) fn asks(number: usize, session: &str, call: &Value) -> String {
    let options = json!([
        { "optionId": "once", "name": "Yes", "kind": "allow_once" },
        { "optionId": "no", "name": "No", "kind": "reject_once" },
    ]);
    let params = json!({ "sessionId": session, "toolCall": call, "options": options });
    json!({ "jsonrpc": "2.0", "id": number, "method": "session/request_permission", "params": params })
        .to_string()
}

/// Whether it answers this request.
pub(crate) fn is_answer(message: &Value, id: usize) -> bool {
    message.get("method").is_none() && message.get("id").and_then(Value::as_u64) == u64::try_from(id).ok()
}
