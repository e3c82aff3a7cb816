//! A machine, the servers on it, and what they were sent.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use mayi_tests::{Machine, mayi_program, until};
use serde_json::Value;

use crate::client::{Gateway, LIMIT};

pub(crate) struct Scene {
    pub(crate) machine: Machine,
}

impl Scene {
    /// A person's machine, with this configuration.
    pub(crate) fn new(user: &str) -> Self {
        let machine = Machine::new().user(&format!("version = 1\n{user}"));
        for name in ["rogue", "other"] {
            std::fs::create_dir_all(machine.outside(name)).unwrap();
        }
        Self { machine }
    }

    /// The same, with servers of the configuration.
    pub(crate) fn with_servers(servers: &[&str], user: &str) -> Self {
        let scene = Self::new("");
        scene.configure(&format!("{}{user}", scene.servers(servers)));
        scene
    }

    /// `[servers.NAME]` for each.
    pub(crate) fn servers(&self, names: &[&str]) -> String {
        let server = |name: &&str| {
            std::fs::create_dir_all(self.machine.outside(name)).unwrap();
            format!("[servers.{name}]\ncommand = {:?}\n", self.command(name, "plain"))
        };
        names.iter().map(server).collect()
    }

    /// Writes the user's configuration anew.
    pub(crate) fn configure(&self, user: &str) {
        self.machine.configuration("config/mayi/config.toml", &format!("version = 1\n{user}"));
    }

    /// The command of a server whose folder is `name`.
    pub(crate) fn command(&self, name: &str, behaviour: &str) -> Vec<String> {
        let server = env!("CARGO_BIN_EXE_rogue_server").to_owned();
        vec![server, self.machine.outside_text(name), behaviour.to_owned()]
    }

    /// `mayi` with these words.
    pub(crate) fn mayi(&self, words: &[&str]) -> Command {
        let mut command = Command::new(mayi_program());
        command.args(words).current_dir(self.machine.work()).env_clear().envs(self.machine.environment());
        command.stdin(Stdio::null());
        command
    }

    /// `mayi mcp` in front of one server that is called `rogue`.
    pub(crate) fn gateway(&self, options: &[&str]) -> Gateway {
        self.in_front("plain", options)
    }

    /// The same, with another behaviour.
    pub(crate) fn in_front(&self, behaviour: &str, options: &[&str]) -> Gateway {
        let mut command = self.mayi(&["mcp", "--name", "rogue"]);
        command.args(options).arg("--").args(self.command("rogue", behaviour));
        Gateway::start(command)
    }

    /// The same, for a client that is another process than this test: what the client of a gateway starts can't answer for
    /// the person.
    pub(crate) fn for_another(&self, behaviour: &str, options: &[&str]) -> Gateway {
        let mut command = self.mayi(&[]);
        let mut shell = Command::new("sh");
        // Not the last command: a shell would become it.
        shell.args(["-c", "\"$0\" \"$@\"; exit $?"]).arg(command.get_program());
        shell.args(["mcp", "--name", "rogue"]).args(options).arg("--").args(self.command("rogue", behaviour));
        command = {
            shell.current_dir(self.machine.work()).env_clear().envs(self.machine.environment());
            shell
        };
        Gateway::start(command)
    }

    /// `mayi mcp` in front of the servers of the configuration.
    pub(crate) fn joint(&self, options: &[&str]) -> Gateway {
        let mut command = self.mayi(&["mcp"]);
        command.args(options);
        Gateway::start(command)
    }

    /// A file of a server's.
    pub(crate) fn file(&self, server: &str, name: &str) -> PathBuf {
        self.machine.outside(server).join(name)
    }

    /// Has a server say something else from now on.
    pub(crate) fn put(&self, server: &str, name: &str, text: &str) {
        std::fs::write(self.file(server, name), text).unwrap();
    }

    /// The lines that a server got.
    pub(crate) fn lines(&self, server: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.file(server, "log")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The messages of this method that a server got.
    pub(crate) fn messages(&self, server: &str, method: &str) -> Vec<Value> {
        let read = |line: &String| serde_json::from_str::<Value>(line).ok();
        self.lines(server).iter().filter_map(read).filter(|message| message["method"] == method).collect()
    }

    /// The names of the tools that were called, and so ran.
    pub(crate) fn ran(&self) -> Vec<String> {
        let name = |call: Value| call["params"]["name"].as_str().unwrap_or_default().to_owned();
        self.messages("rogue", "tools/call").into_iter().map(name).collect()
    }

    /// Nothing that a server got could be read as a call, by the most careless reader.
    #[track_caller]
    pub(crate) fn nothing_ran(&self) {
        let lines = self.lines("rogue");
        let calls: Vec<&String> =
            lines.iter().filter(|line| line.replace("\\u002f", "/").contains("tools/call")).collect();
        assert!(calls.is_empty(), "{calls:?}");
    }

    /// What waits in the inbox.
    pub(crate) fn inbox(&self) -> Vec<Value> {
        let out = self.mayi(&["inbox", "--json"]).output().unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}")))
            .collect()
    }

    /// Waits until so much is in the inbox.
    #[track_caller]
    pub(crate) fn waits(&self, count: usize) -> Vec<Value> {
        until(LIMIT, || match self.inbox() {
            waiting if waiting.len() == count => Ok(()),
            waiting => Err(format!("{} wait: {waiting:?}", waiting.len())),
        });
        self.inbox()
    }

    /// Waits until it holds.
    #[track_caller]
    pub(crate) fn soon(&self, what: &str, holds: impl Fn() -> bool) {
        until(Duration::from_secs(20), || if holds() { Ok(()) } else { Err(what.to_owned()) });
    }
}
