//! `mayi serve`: this program is an editor, which denies what it is asked, and the agents of two tabs.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::Instant;

use mayi_tests::heavy::Input;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::client::Client;
use crate::common::Outcome;
use crate::running::Running;
use crate::sides::{Heard, Side, Sides, asks, is_answer};
use crate::watch::{Told, Watch};
use crate::{Bench, Door, PUPPET};

struct Backend {
    running: Running,
    runtime: Runtime,
    client: Client,
    sides: Sides,
    work: PathBuf,
    asked: usize,
}

pub(crate) fn open(bench: &Bench, rules: &Path, folder: &Path) -> Outcome<Box<dyn Door>> {
    let socket = folder.join("socket");
    let mut sides = Sides::at(&socket)?;
    let agent = serde_json::to_string(&[PUPPET, &socket.display().to_string()])?;
    let config = Bench::with(rules, &format!("\n[agents.puppet]\ncommand = {agent}\n"))?;
    let words = ["serve", "--listen", "127.0.0.1:0", "--config", &config.display().to_string()];
    let mut running = Running::start(bench.mayi(&words, folder))?;
    let (input, output) = running.streams()?;
    running.keep(input);
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line)?;
    let ready: Value = serde_json::from_str(&line).map_err(|error| format!("{line:?}: {error}"))?;
    let text = |key: &str| ready.get(key).and_then(Value::as_str).ok_or("it does not say where it is");
    let token = std::fs::read_to_string(text("answerTokenFile")?)?.trim().to_owned();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let client = runtime.block_on(Client::connect(text("ws")?, &token, "editor"))?;
    let mut events = runtime.block_on(client.events())?;
    let to = sides.to.clone();
    runtime.spawn(async move {
        while let Some(Ok(batch)) = events.next().await {
            let at = Instant::now();
            for event in batch.events {
                let message = json!({ "type": event.kind, "tab": event.tab_id, "id": event.approval_id, "digest": event.digest });
                let _ = to.send(Heard { side: Side::Editor, at, message });
            }
        }
    });
    let work = bench.machine.work.clone();
    for (number, tab) in ["one", "two"].into_iter().enumerate() {
        runtime.block_on(async {
            let opened = client.open("puppet", tab, &work);
            tokio::pin!(opened);
            loop {
                tokio::select! {
                    opened = &mut opened => return opened,
                    () = tokio::time::sleep(std::time::Duration::from_millis(2)) => {
                        sides.within(std::time::Duration::ZERO)?;
                    }
                }
            }
        })?;
        runtime.block_on(client.prompt(tab))?;
        sides.until_prompted(number)?;
    }
    Ok(Box::new(Backend { running, runtime, client, sides, work, asked: 0 }))
}

impl Backend {
    fn ask(&mut self, agent: usize, input: &Input) -> Outcome<Told> {
        self.asked += 1;
        let id = self.asked;
        let request = asks(id, &format!("s{}", agent + 1), &input.acp(&format!("call-{id}"), &self.work));
        let watch = Watch::begin(self.running.id())?;
        self.sides.says(agent, &request)?;
        let mut first = None;
        loop {
            let heard = self.sides.next()?;
            let text = |key: &str| heard.message.get(key).and_then(Value::as_str);
            match heard.side {
                Side::Editor if text("type") == Some("approval-request") => {
                    first = first.or(Some((watch.took(heard.at), true)));
                    let (Some(approval), Some(digest)) = (text("id"), text("digest")) else {
                        return Err("a card without an id".into());
                    };
                    self.runtime.block_on(self.client.answer(approval, digest, "deny"))?;
                }
                Side::Agent(other) if other == agent && is_answer(&heard.message, id) => {
                    let (took, card) = first.unwrap_or((watch.took(heard.at), false));
                    return watch.end(took, card);
                }
                _ => {}
            }
        }
    }
}

impl Door for Backend {
    fn tell(&mut self, input: &Input, _: usize) -> Outcome<Told> {
        self.ask(0, input)
    }

    fn ends_well(&mut self) -> Outcome<()> {
        self.ask(1, &Input::Line("ls src".to_owned())).map(drop)
    }
}
