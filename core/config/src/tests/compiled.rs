//! What was compiled before decides just what the file decides, or not at all (D5.13).

mod damage;
mod protected;
mod same;

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::*;
use crate::CompiledFile;

/// A machine on which files are compiled.
struct Compiling {
    machine: Machine,
}

impl Compiling {
    fn new(machine: Machine) -> Self {
        let compiling =
            Self { machine: Machine { sources: Sources { compiled: true, ..machine.sources }, ..machine } };
        compiling.key("5");
        compiling
    }

    /// The user's key is this digit, again and again.
    fn key(&self, digit: &str) {
        let data = self.machine.sources.folders.data.clone().unwrap();
        std::fs::create_dir_all(&data).unwrap();
        let path = data.join("key");
        std::fs::write(&path, format!("{}\n", digit.repeat(64))).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }

    fn user(&self, text: &str) -> &Self {
        put(self.machine.user_file(), text);
        self
    }

    fn folder(&self) -> PathBuf {
        self.machine.sources.folders.state.clone().unwrap().join("compiled")
    }

    /// The files that were compiled.
    fn files(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.folder()).into_iter().flatten();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "policy")).collect()
    }

    fn file(&self) -> PathBuf {
        let [file] = self.files().try_into().unwrap();
        file
    }

    /// As a process does it that decides about one call.
    fn load(&self) -> LoadedConfig {
        self.machine.load()
    }

    /// As a process does it once it has answered.
    fn compile(&self) -> &Self {
        self.load().compiled.iter().for_each(CompiledFile::compile_if_wanted);
        self
    }

    /// What the file says, with nothing compiled.
    fn plain(&self) -> LoadedConfig {
        load(&Sources { compiled: false, ..self.machine.sources.clone() }).unwrap()
    }

    /// Whether what was compiled counts: nothing has to be compiled, and not all rules were read.
    fn counts(&self) -> bool {
        let loaded = self.load();
        assert!(!loaded.compiled.is_empty(), "too small to be compiled");
        !loaded.compiled.iter().any(CompiledFile::is_wanted)
    }
}

/// A file of some rules more than are read as fast.
fn large(more: &str) -> String {
    let mut text = String::from("version = 1\n[rules]\nallow = [\n");
    for number in 0..500 {
        text.push_str(&format!("  \"shell(tool{number} check *)\", # a comment\n"));
    }
    text.push_str("]\n");
    text.push_str(more);
    text
}

/// A call of an agent's.
fn asked(machine: &Machine, agent: &str, accesses: Vec<Access>) -> Call {
    let call = call(&machine.sources.cwd, tool("x"));
    Call { agent: AgentId::from_name(agent), accesses, ..call }
}

/// All of a decision, as it goes into the record.
fn decided(policy: &Policy, call: &Call) -> String {
    let grants = Grants::default();
    let servers = ["files".to_owned()];
    let standing = SessionStanding {
        mode: policy.mode_of(&call.agent, None),
        bypass: false,
        grants: &grants,
        servers: &servers,
    };
    format!("{:?}", decide(policy, call, &standing))
}

fn line(machine: &Machine, text: &str) -> Vec<Access> {
    let roots = [machine.sources.cwd.clone()];
    shell::line_accesses(
        text,
        &Surroundings {
            home: machine.sources.folders.home.as_deref(),
            ..Surroundings::new(&roots[0], &roots)
        },
    )
}
