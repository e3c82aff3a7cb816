//! One test's world: a home for mayi, one for the agent, a project, a model, and an MCP server.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use mayi_tests::Loose;
use mayi_tests::backend::Backend;
use serde_json::{Value, json};

use crate::agent::{self, Agent};
use crate::done::{Done, Told};
use crate::model::Model;
use crate::processes;
use crate::pty::Terminal;
use crate::running::Running;
use crate::wire::Wire;

/// What the project holds at first.
pub(crate) const NOTES: &str = "line one\nline two\n";

pub(crate) struct Scene {
    agent: Agent,
    model: Model,
    /// How mayi is told to start the agent.
    by: By,
    // Ends after everything in it has.
    folder: tempfile::TempDir,
}

/// How mayi is told to start the agent.
enum By {
    /// `--command`.
    Command,
    /// A name, from the user's file.
    Name(&'static str),
}

impl Scene {
    pub(crate) fn new(agent: Agent) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // The model is outside of it: it is not what a run may leave behind.
        let model = Model::start(folder.path());
        let scene = Self { agent, model, by: By::Command, folder };
        for name in ["home/.config/mayi", "agent", "project", "wire"] {
            std::fs::create_dir_all(scene.at(name)).unwrap();
        }
        std::fs::write(scene.at("project/notes.txt"), NOTES).unwrap();
        scene.servers(&["mini"], "")
    }

    pub(crate) fn agent(&self) -> Agent {
        self.agent
    }

    /// Writes the user's file: MCP servers by these names, which are all the same program, and more lines.
    pub(crate) fn servers(self, names: &[&str], more: &str) -> Self {
        let mut text = String::new();
        for name in names {
            // A string of JSON is one of TOML.
            let (program, log) = (json!(env!("CARGO_BIN_EXE_mini_mcp")), json!(self.log_of(name)));
            text += &format!("[servers.{name}]\ncommand = [{program}]\nenv = {{ MINI_MCP_LOG = {log} }}\n");
        }
        std::fs::write(self.user_file(), text + more).unwrap();
        self
    }

    /// Adds the agent to the user's file under a name, with more lines of its section, and starts it by that name.
    pub(crate) fn named(mut self, name: &'static str, more: &str) -> Self {
        let mut text = std::fs::read_to_string(self.user_file()).unwrap();
        text += &format!("[agents.{name}]\ncommand = {}\n{more}\n", json!(self.tapped()));
        std::fs::write(self.user_file(), text).unwrap();
        self.by = By::Name(name);
        self
    }

    /// Writes a file of the agent's own, below its home.
    pub(crate) fn agents_own(self, name: &str, text: &str) -> Self {
        let path = self.at("agent").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    /// Runs a case to its end.
    pub(crate) fn run(&self, case: &str, options: &[&str]) -> Done {
        let running = self.start(case, options);
        self.ended(running)
    }

    /// Starts a case.
    pub(crate) fn start(&self, case: &str, options: &[&str]) -> Running {
        for name in ["wire/to_agent.jsonl", "wire/from_agent.jsonl"] {
            let _ = std::fs::remove_file(self.at(name));
        }
        Running::start(self.command(case, "stream-json", options))
    }

    /// Waits for the end of what was started, and sees that the laws of every run were kept.
    pub(crate) fn ended(&self, running: Running) -> Done {
        let output = running.end();
        let left = processes::left(&self.stage(), Duration::from_secs(20));
        let model = self.model.asked().iter().map(|asked| asked.short()).collect();
        Done::new(output, Wire::read(&self.at("wire")), left, model)
    }

    /// Runs a case to its end, as a person sees it.
    pub(crate) fn told(&self, case: &str, options: &[&str]) -> Told {
        Told::new(Running::start(self.command(case, "text", options)).end())
    }

    fn command(&self, case: &str, format: &str, options: &[&str]) -> Command {
        let mut command = Command::new(agent::mayi());
        command.env_clear().current_dir(self.at("home"));
        command.env("HOME", self.at("home")).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.arg("run").arg("--cwd").arg(self.project());
        command.args(["--format", format]).args(options);
        match self.by {
            By::Command => command.arg("--command").arg(quoted(&self.tapped())),
            By::Name(name) => command.arg(name),
        };
        command.arg(self.prompt(case));
        command
    }

    /// The same, as a person starts it in a terminal.
    pub(crate) fn in_terminal(&self, case: &str, options: &[&str]) -> Terminal {
        Terminal::start(self.command(case, "text", options), (40, 120), false)
    }

    /// `mayi` with these words, as the same person.
    pub(crate) fn person(&self, words: &[&str]) -> Command {
        let mut command = Command::new(agent::mayi());
        command.env_clear().current_dir(self.at("home")).args(words).stdin(Stdio::null());
        command.env("HOME", self.at("home")).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
    }

    /// Starts the backend of editors, which knows what the user's file has.
    pub(crate) async fn backend(&self) -> Backend {
        self.backend_with(&[]).await
    }

    /// The same with options.
    pub(crate) async fn backend_with(&self, options: &[&str]) -> Backend {
        Backend::start(self.person(&[&["serve"], options].concat()).into()).await
    }

    /// What of the agent's is to answer in the person's place, and is started by the project's `loose.sh`.
    pub(crate) fn loose(&self) -> Loose {
        let folders = [
            ("HOME", ""),
            ("XDG_CONFIG_HOME", ".config"),
            ("XDG_STATE_HOME", ".local/state"),
            ("XDG_DATA_HOME", ".local/share"),
        ];
        let folders = folders.map(|(name, folder)| (name, self.home().join(folder).into_os_string()));
        let path = ("PATH", std::env::var_os("PATH").unwrap_or_default());
        let loose = Loose::at(self.at("loose"), folders.into_iter().chain([path]));
        // What stays holds no pipe of which the agent awaits the end.
        let script = format!("{{ {}}} </dev/null >/dev/null 2>&1\n", loose.starts());
        std::fs::write(self.project().join("loose.sh"), script).unwrap();
        loose
    }

    /// What the model plays `case` for.
    pub(crate) fn prompt(&self, case: &str) -> String {
        format!("case: {case} in {}", self.project().display())
    }

    /// The agent's command line, with the tap before it.
    fn tapped(&self) -> Vec<String> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let text = |path: PathBuf| path.into_os_string().into_string().unwrap();
        vec![
            text(here.join("tests/real_agents/tap")),
            text(self.at("wire")),
            text(here.join("agents/launch")),
            self.agent.name().to_owned(),
            text(agent::packages()),
            self.model.port().to_string(),
            text(self.at("agent")),
            text(self.project()),
        ]
    }

    /// What the agent told its model.
    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// A file of the project's; none if it is not there.
    pub(crate) fn file(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.project().join(name)).ok()
    }

    /// The names of everything in the project, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.project()).unwrap().flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The user's home folder.
    pub(crate) fn home(&self) -> PathBuf {
        self.at("home")
    }

    /// The project's folder.
    pub(crate) fn project(&self) -> PathBuf {
        self.at("project")
    }

    /// The tools of an MCP server that were really called; none if it was never started.
    pub(crate) fn calls(&self, server: &str) -> Option<Vec<String>> {
        let log = std::fs::read_to_string(self.log_of(server)).ok()?;
        let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let calls = lines.filter(|line| line["event"] == "call");
        Some(calls.map(|call| call["params"]["name"].as_str().unwrap().to_owned()).collect())
    }

    /// The processes that belong to this test.
    pub(crate) fn processes(&self) -> Vec<processes::Process> {
        processes::of(&self.stage())
    }

    fn log_of(&self, server: &str) -> PathBuf {
        self.at(&format!("{server}.jsonl"))
    }

    fn user_file(&self) -> PathBuf {
        self.at("home/.config/mayi/config.toml")
    }

    /// Everything that a run may touch.
    fn stage(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("stage")
    }

    fn at(&self, name: &str) -> PathBuf {
        self.stage().join(name)
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // Also when the test has failed, and whatever mayi left behind.
        processes::end(&self.stage());
    }
}

/// As one line for `--command`.
fn quoted(words: &[String]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect();
    quoted.join(" ")
}
