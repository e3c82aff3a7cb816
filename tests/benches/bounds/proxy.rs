//! `mayi acp`: this program is the editor, which denies what it is asked, and the agent.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ChildStdin;
use std::time::Duration;

use mayi_tests::heavy::Input;
use serde_json::{Value, json};

use crate::common::Outcome;
use crate::running::Running;
use crate::sides::{Side, Sides, asks, is_answer, reads};
use crate::watch::{Told, Watch};
use crate::{Bench, Door, PUPPET};

struct Proxy {
    running: Running,
    editor: ChildStdin,
    sides: Sides,
    work: PathBuf,
    asked: usize,
}

pub(crate) fn open(bench: &Bench, rules: &Path, folder: &Path) -> Outcome<Box<dyn Door>> {
    let socket = folder.join("socket");
    let sides = Sides::at(&socket)?;
    let (rules, socket) = (rules.display().to_string(), socket.display().to_string());
    let mut running =
        Running::start(bench.mayi(&["acp", "--config", &rules, "--", PUPPET, &socket], folder))?;
    let (editor, stdout) = running.streams()?;
    reads(Side::Editor, stdout, sides.to.clone());
    let mut proxy = Proxy { running, editor, sides, work: bench.machine.work.clone(), asked: 1_000 };
    proxy.request(1, "initialize", &json!({ "protocolVersion": 1, "clientCapabilities": {} }))?;
    // The second one is nobody's harm.
    for id in 2..4 {
        proxy.request(id, "session/new", &json!({ "cwd": proxy.work, "mcpServers": [] }))?;
    }
    for (id, session) in [(4, "s1"), (5, "s2")] {
        let prompt = json!({ "sessionId": session, "prompt": [{ "type": "text", "text": "do it" }] });
        proxy.asks(id, "session/prompt", &prompt)?;
        proxy.sides.until_prompted(0)?;
    }
    Ok(Box::new(proxy))
}

impl Proxy {
    fn line(&mut self, message: &Value) -> Outcome<()> {
        Ok(self.editor.write_all(format!("{message}\n").as_bytes())?)
    }

    fn asks(&mut self, id: usize, method: &str, params: &Value) -> Outcome<()> {
        self.line(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
    }

    /// The same, and waits for the answer.
    fn request(&mut self, id: usize, method: &str, params: &Value) -> Outcome<()> {
        self.asks(id, method, params)?;
        self.sides.until(Side::Editor, |message| is_answer(message, id)).map(drop)
    }

    fn ask(&mut self, session: &str, input: &Input) -> Outcome<Told> {
        self.asked += 1;
        let id = self.asked;
        let request = asks(id, session, &input.acp(&format!("call-{id}"), &self.work));
        let watch = Watch::begin(self.running.id())?;
        self.sides.says(0, &request)?;
        let mut first: Option<(Duration, bool)> = None;
        loop {
            let heard = self.sides.next()?;
            match heard.side {
                Side::Editor
                    if heard.message.get("method").is_some_and(|it| it == "session/request_permission") =>
                {
                    first = first.or(Some((watch.took(heard.at), true)));
                    let outcome = denied(&heard.message);
                    let id = heard.message.get("id").cloned().unwrap_or_default();
                    self.line(&json!({ "jsonrpc": "2.0", "id": id, "result": { "outcome": outcome } }))?;
                }
                Side::Agent(0) if is_answer(&heard.message, id) => {
                    let (took, card) = first.unwrap_or((watch.took(heard.at), false));
                    return watch.end(took, card);
                }
                _ => {}
            }
        }
    }
}

/// The answer that denies.
fn denied(question: &Value) -> Value {
    let options = question.pointer("/params/options").and_then(Value::as_array).cloned().unwrap_or_default();
    let option = options.iter().find(|option| option.get("kind").is_some_and(|kind| kind == "reject_once"));
    match option.and_then(|option| option.get("optionId")) {
        Some(option) => json!({ "outcome": "selected", "optionId": option }),
        None => json!({ "outcome": "cancelled" }),
    }
}

impl Door for Proxy {
    fn tell(&mut self, input: &Input, _: usize) -> Outcome<Told> {
        self.ask("s1", input)
    }

    fn ends_well(&mut self) -> Outcome<()> {
        self.ask("s2", &Input::Line("ls src".to_owned())).map(drop)
    }
}
