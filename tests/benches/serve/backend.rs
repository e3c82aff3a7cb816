//! The backend as a program.

use std::io::{BufRead, BufReader};
use std::process::Command;

use serde_json::Value;

use crate::asking::Asking;
use crate::client::Client;
use crate::common::Outcome;
use crate::running::Running;
use crate::{Bench, RULES, program};

/// A backend that runs, with a home of its own.
pub(crate) struct Backend {
    running: Running,
    address: String,
    token: String,
}

impl Backend {
    /// Starts it with these agents in its configuration.
    pub(crate) fn start(bench: &Bench, name: &str, agents: &[Asking]) -> Outcome<Self> {
        let etc = bench.machine.at("etc")?;
        let mut text = std::fs::read_to_string(etc.join(format!("{RULES}.toml")))?;
        for agent in agents {
            agent.configure(&mut text)?;
        }
        let config = etc.join(format!("{name}.toml"));
        std::fs::write(&config, text)?;
        let home = bench.machine.at(&format!("home-of-{name}"))?;
        let mut command = Command::new(&bench.program.path);
        command.args(["serve", "--listen", "127.0.0.1:0", "--config"]).arg(config);
        command.current_dir(&bench.machine.work);
        program::at_home(&mut command, &home, &std::env::var_os("PATH").unwrap_or_default());
        let mut running = Running::start(command)?;
        let (input, output) = running.streams()?;
        running.keep(input);
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let ready: Value =
            serde_json::from_str(&line).map_err(|error| format!("mayi serve says {line:?}: {error}"))?;
        let text = |key: &str| {
            let text = ready.get(key).and_then(Value::as_str).map(str::to_owned);
            text.ok_or_else(|| format!("mayi serve does not say its {key}: {line}"))
        };
        let token = std::fs::read_to_string(text("answerTokenFile")?)?.trim().to_owned();
        Ok(Self { running, address: text("ws")?, token })
    }

    /// A client that may answer.
    pub(crate) async fn client(&self, name: &str) -> Outcome<Client> {
        Client::connect(&self.address, &self.token, name).await
    }

    pub(crate) fn process(&self) -> u32 {
        self.running.id()
    }
}
