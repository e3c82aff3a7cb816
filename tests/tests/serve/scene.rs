//! A backend on a machine of its own.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mayi_tests::{LIMIT, Machine, backend, mayi_program};
use serde_json::json;

pub(super) use mayi_tests::backend::{Client, Events, code, pick};

/// A backend that runs, and where.
pub(super) struct Backend {
    pub(super) machine: Machine,
    process: backend::Backend,
}

impl Backend {
    /// Starts one on a machine of its own.
    pub(super) async fn new() -> Self {
        Self::on(Machine::new(), &[]).await
    }

    pub(super) async fn on(machine: Machine, options: &[&str]) -> Self {
        let mut command = tokio::process::Command::new(mayi_program());
        command.arg("serve").args(options).current_dir(machine.work());
        command.env_clear().envs(machine.environment());
        Self { process: backend::Backend::start(command).await, machine }
    }

    /// Kills it, as nothing that it could notice.
    pub(super) async fn kill(self) -> Machine {
        self.process.kill().await;
        self.machine
    }

    /// Ends it, as a person would.
    pub(super) async fn stop(self) -> Machine {
        self.process.stop().await;
        self.machine
    }
}

impl Deref for Backend {
    type Target = backend::Backend;

    fn deref(&self) -> &Self::Target {
        &self.process
    }
}

/// Opens a tab of the demo agent.
pub(super) async fn demo(client: &Client, machine: &Machine) -> String {
    client.tab(json!({"agent": "demo", "cwd": machine.work()})).await
}

/// Whether the file is there before long.
pub(super) async fn appears(path: &Path) {
    let path: PathBuf = path.to_owned();
    let there = async {
        while !path.exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(LIMIT, there).await.unwrap_or_else(|_| panic!("{} does not appear", path.display()));
}
