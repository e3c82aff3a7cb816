//! What the benches share: a machine of its own, policies as people write them, and calls as doors make them.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use mayi_core::call::{
    Access, AgentId, Call, Diff, Door, McpAccess, PathAccess, SessionId, Surroundings, WriteKind, shell,
};
use mayi_core::config::{Folders, Sources, load};
use mayi_core::policy::Policy;
use serde_json::{Value, json};

/// What the benches return.
pub(crate) type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Thirty rules. Each call of the benches and of the demo agent's loop is allowed by one of them.
const RULES: &str = r#"
[rules]
allow = [
  "read(**)", "write(*.txt)", "write(src/**)", "write(tests/**)", "shell(cargo build *)", "shell(cargo test *)",
  "shell(cargo clippy *)", "shell(git status *)", "shell(git diff *)", "shell(git log *)", "shell(ls *)", "shell(rg *)",
  "fetch(https://docs.rs/**)", "fetch(https://*.rust-lang.org/**)", "mcp(files/read_*)", "mcp(search/*)",
]
ask = [
  "write(Cargo.toml)", "write(**/build.rs)", "write(.github/**)", "shell(cargo publish *)", "shell(git push *)",
  "shell(npm install *)", "mcp(files/write_*)",
]
deny = [
  "read(**/.env)", "read(**/*.pem)", "write(**/*.lock)", "shell(sudo *)", "shell(git push --force *)",
  "fetch(http://169.254.169.254/**)",
]

[[rule]]
effect = "deny"
pattern = "shell(/curl .*\\| *(ba)?sh/)"
reason = "nothing from the net is run unread"
"#;

/// A machine of its own: a home without anything, and a workspace with some files.
pub(crate) struct Machine {
    folder: tempfile::TempDir,
    /// The folder that is worked in.
    pub(crate) work: PathBuf,
}

impl Machine {
    pub(crate) fn new() -> Outcome<Self> {
        let folder = tempfile::tempdir()?;
        let top = folder.path().canonicalize()?;
        let work = top.join("home/projects/thing");
        for part in 0..20 {
            let part = work.join(format!("src/part{part}"));
            std::fs::create_dir_all(&part)?;
            std::fs::write(part.join("lines.rs"), "//! Not much.\n")?;
        }
        Ok(Self { work, folder })
    }

    /// A folder of this machine, made if need be.
    pub(crate) fn at(&self, name: &str) -> Outcome<PathBuf> {
        let folder = self.folder.path().canonicalize()?.join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// The policy of a configuration file with `rules` rules, built-in protection and mode `default`.
    pub(crate) fn policy(&self, rules: usize) -> Outcome<Policy> {
        let (home, etc) = (self.at("home")?, self.at("etc")?);
        let file = etc.join(format!("{rules}.toml"));
        std::fs::write(&file, rules_text(rules))?;
        let sources = Sources {
            only: Some(file),
            cwd: self.work.clone(),
            folders: Folders {
                config: Some(home.join(".config/mayi")),
                data: Some(home.join(".local/share/mayi")),
                state: Some(home.join(".local/state/mayi")),
                home: Some(home),
            },
            ..Sources::default()
        };
        let policy = load(&sources).map_err(|errors| format!("{errors:?}"))?.policy;
        if policy.rules.len() != rules {
            return Err(format!("{} rules instead of {rules}", policy.rules.len()).into());
        }
        Ok(policy)
    }

    /// A call that writes a file in the workspace.
    pub(crate) fn write(&self) -> Call {
        let path = PathAccess::new(&self.work, "src/part7/lines.rs");
        let text = "/// What it is.\npub fn number() -> usize {\n    7\n}\n".repeat(4);
        let diff = Diff { path: path.given.clone(), old_text: None, new_text: text.clone() };
        let input = json!({ "file_path": path.given, "content": text });
        call(&self.work, "edit", input, vec![diff], Access::Write(WriteKind::Write, path))
    }

    /// A call that runs a command of plain words.
    pub(crate) fn shell(&self) -> Call {
        let line = "cargo test --workspace --quiet -- --nocapture gate";
        let access =
            shell::line_accesses(line, &Surroundings::new(&self.work, std::slice::from_ref(&self.work)))
                .remove(0);
        call(&self.work, "execute", json!({ "command": line }), Vec::new(), access)
    }

    /// A call of a tool on an MCP server.
    pub(crate) fn mcp(&self) -> Call {
        let arguments = json!({ "query": "permission gate", "limit": 20 });
        let readings = vec![("search".to_owned(), "everything".to_owned())];
        let access = Access::Mcp(McpAccess::new(readings, arguments.clone(), &self.work));
        call(&self.work, "other", arguments, Vec::new(), access)
    }
}

/// The session that the calls belong to.
pub(crate) fn session_id() -> SessionId {
    SessionId("loop-1".to_owned())
}

fn call(work: &Path, kind: &str, raw_input: Value, diffs: Vec<Diff>, access: Access) -> Call {
    Call {
        tool_call_id: Some("call-1".to_owned()),
        roots: vec![work.to_owned()],
        title: "Does a thing".to_owned(),
        kind: kind.to_owned(),
        raw_input,
        diffs,
        accesses: vec![access],
        ..Call::new(Door::AcpPermission, AgentId::from_name("loop"), session_id(), work.to_owned())
    }
}

/// A file with the rules above and as many more as it takes: none of those is about the calls of the loop.
fn rules_text(rules: usize) -> String {
    let mut text = RULES.to_owned();
    for number in 30..rules {
        let (effect, pattern) = match number % 6 {
            0 => ("allow", format!("write(packages/p{number}/**)")),
            1 => ("ask", format!("shell(tool{number} publish *)")),
            2 => ("allow", format!("shell(tool{number} check *)")),
            3 => ("deny", format!("read(**/secret{number}/*.key)")),
            4 => ("allow", format!("fetch(https://host{number}.example.org/**)")),
            _ => ("ask", format!("mcp(server{number}/write_*)")),
        };
        let _ = write!(text, "\n[[rule]]\neffect = \"{effect}\"\npattern = \"{pattern}\"\n");
    }
    text
}
