//! One test's world: a machine of its own, what is installed, and the ways from a client to a server.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use mayi_tests::conformance::Suite;
use mayi_tests::{Machine, mayi_program};
use serde_json::Value;

use crate::program::Program;

/// What the gateway is told in all of these tests: nobody answers, nothing is kept.
const QUIETLY: &[&str] = &["--on-ask", "deny", "--no-record"];

/// What the servers are called behind the gateway.
const SERVERS: &[&str] =
    &["conformance", "everything", "filesystem", "fs", "git", "memory", "piped", "reached", "suite", "time"];

/// Tools that their server calls destructive run too: a wildcard does not allow them.
const TRUSTED: &str = "grant = \"all\"\n";

pub(crate) struct Ground {
    installed: PathBuf,
    machine: Machine,
}

/// What is on the other side of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The server itself.
    Direct,
    /// `mayi mcp` in front of it.
    Gateway,
}

/// A command line, with variables of its own.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) words: Vec<String>,
    pub(crate) variables: Vec<(&'static str, String)>,
}

/// A server that is reached by an address, and whatever it needs.
pub(crate) struct Served {
    pub(crate) url: String,
    // In the order in which they end.
    programs: Vec<Program>,
}

impl Ground {
    pub(crate) fn new() -> Self {
        let machine = Machine::new();
        let servers = SERVERS.iter().map(|name| format!("[servers.{name}]\n{TRUSTED}"));
        machine.configuration(
            "config/mayi/config.toml",
            &format!("version = 1\n{}", servers.collect::<String>()),
        );
        Self { installed: installed(), machine }
    }

    pub(crate) fn suite(&self) -> Suite {
        Suite::new(&self.installed)
    }

    /// A folder of this test's.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let folder = self.machine.outside(name);
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// The same, and empty.
    pub(crate) fn emptied(&self, name: &str) -> PathBuf {
        let folder = self.folder(name);
        std::fs::remove_dir_all(&folder).unwrap();
        self.folder(name)
    }

    /// A program for Node.js, by its place in an installed package.
    pub(crate) fn node(&self, program: &str, arguments: &[&str]) -> Line {
        let program = self.installed.join("node_modules").join(program);
        assert!(program.is_file(), "{} is not there: run tests/mcp/install", program.display());
        let words = [text(&self.installed.join("bin/node")), text(&program)];
        Line::new(words.into_iter().chain(arguments.iter().map(|&word| word.to_owned())))
    }

    /// Python, with the installed packages.
    pub(crate) fn python(&self, arguments: &[&str]) -> Line {
        let python = text(&self.installed.join("venv/bin/python"));
        Line::new([python].into_iter().chain(arguments.iter().map(|&word| word.to_owned())))
    }

    /// The conformance server.
    pub(crate) fn conformance(arguments: &[&str]) -> Line {
        let server = env!("CARGO_BIN_EXE_conformance_server").to_owned();
        Line::new([server].into_iter().chain(arguments.iter().map(|&word| word.to_owned())))
    }

    /// `mayi mcp`, with what is behind it: `["--", COMMAND…]` or `["--url", URL]`. All tools are allowed, but for what
    /// the options say.
    pub(crate) fn gateway(name: &str, options: &[&str], behind: &[&str]) -> Line {
        let allowed = format!("mcp({name}/*)");
        let mut words = vec!["mcp", "--name", name, "--allow", &allowed];
        words.extend(QUIETLY.iter().chain(options).chain(behind));
        let mayi = text(&mayi_program());
        Line::new([mayi].into_iter().chain(words.into_iter().map(str::to_owned)))
    }

    /// What a client starts to reach a server by standard input and output.
    pub(crate) fn reached(way: Way, name: &str, server: &Line) -> Line {
        if way == Way::Direct {
            return server.clone();
        }
        server.behind(Self::gateway(name, &[], &["--"]))
    }

    /// Starts a program with this test's folders.
    pub(crate) fn start(&self, line: &Line) -> Program {
        let [program, arguments @ ..] = line.words.as_slice() else { panic!("{line:?} is empty") };
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(self.environment(line)).current_dir(self.folder("work"));
        Program::start(command)
    }

    /// The variables that a program is started with.
    pub(crate) fn environment(&self, line: &Line) -> Vec<(&'static str, OsString)> {
        let own = line.variables.iter().map(|(name, value)| (*name, OsString::from(value)));
        self.machine.environment().into_iter().chain(own).collect()
    }

    /// Starts a server that says where it is as a line of JSON, and ends it in the end.
    pub(crate) fn serve(&self, line: &Line) -> Served {
        let mut program = self.start(line).ended_by_signal();
        let told = program.line().unwrap_or_else(|| panic!("{line:?} told no address: {}", program.errors()));
        let told: Value = serde_json::from_str(&told).unwrap_or_else(|error| panic!("{error}: {told}"));
        let url = told["url"].as_str().unwrap_or_else(|| panic!("{told} is no address"));
        Served { url: url.to_owned(), programs: vec![program] }
    }

    /// server-everything, over Streamable HTTP.
    pub(crate) fn serve_everything(&self) -> Served {
        self.serve_everything_by("streamableHttp", "/mcp")
    }

    /// server-everything, over a transport that it knows, at a path.
    pub(crate) fn serve_everything_by(&self, transport: &str, path: &str) -> Served {
        // It does not say which port it got, so it is given one that was free a moment ago.
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut line = self.node("@modelcontextprotocol/server-everything/dist/index.js", &[transport]);
        line.variables.push(("PORT", port.to_string()));
        let program = self.start(&line).ended_by_signal();
        program.until_it_warns(&port.to_string());
        Served { url: format!("http://127.0.0.1:{port}{path}"), programs: vec![program] }
    }

    /// The gateway over Streamable HTTP, with a server that is reached by its address.
    pub(crate) fn in_front_of(&self, name: &str, served: Served) -> Served {
        let options = ["--http", "127.0.0.1:0", "--open"];
        let mut front = self.serve(&Self::gateway(name, &options, &["--url", &served.url]));
        front.programs.extend(served.programs);
        front
    }

    /// The gateway over Streamable HTTP, with a server that it starts.
    pub(crate) fn in_front_of_started(&self, name: &str, server: &Line) -> Served {
        self.serve(&server.behind(Self::gateway(name, &["--http", "127.0.0.1:0", "--open"], &["--"])))
    }

    /// A server of an agent's session, reached through the relay that its agent is told to start; the suite, which speaks
    /// HTTP, reaches that through a gateway of its own.
    pub(crate) fn in_a_session(&self, name: &str, server: &Line) -> Served {
        assert!(server.variables.is_empty(), "{server:?}");
        self.in_a_session_with(name, &format!("command = {:?}", server.words))
    }

    /// The same with what the configuration says of the server.
    pub(crate) fn in_a_session_with(&self, name: &str, settings: &str) -> Served {
        self.machine.configuration(
            "config/mayi/config.toml",
            &format!("version = 1\n[servers.{name}]\n{TRUSTED}{settings}\n[servers.suite]\n{TRUSTED}"),
        );
        let never = text(&self.folder("work").join("never"));
        let script = format!("do: show {name} ;; wait {never}");
        let allowed = format!("mcp({name}/*)");
        let agent = env!("CARGO_BIN_EXE_server_agent");
        let mayi = text(&mayi_program());
        let words = [
            &mayi,
            "run",
            "--command",
            agent,
            "--allow",
            &allowed,
            "--no-record",
            "--on-ask",
            "deny",
            &script,
        ];
        let mut session = self.start(&Line::new(words.map(str::to_owned))).ended_by_signal();
        let shown = session.line().unwrap_or_else(|| panic!("nothing was shown: {}", session.errors()));
        let shown = shown.strip_prefix(&format!("{name} = ")).unwrap_or_else(|| panic!("{shown}"));
        let given: Value = serde_json::from_str(shown).unwrap();
        let of = |name: &str| {
            let own = given["env"].as_array().unwrap().iter().find(|variable| variable["name"] == name);
            own.unwrap()["value"].as_str().unwrap().to_owned()
        };
        let mut relay = Line::new([mayi, "relay".to_owned()]);
        relay.variables = ["RELAY_ADDRESS", "RELAY_TOKEN"].map(|name| (name, of(name))).to_vec();
        let mut front = self.in_front_of_started("suite", &relay);
        front.programs.push(session);
        front
    }

    /// Nothing that was started here is running any more.
    #[track_caller]
    pub(crate) fn is_quiet(&self) {
        self.machine.is_quiet();
    }
}

impl Line {
    pub(crate) fn new(words: impl IntoIterator<Item = String>) -> Self {
        Self { words: words.into_iter().collect(), variables: Vec::new() }
    }

    /// This line as the last words of a gateway's.
    pub(crate) fn behind(&self, gateway: Self) -> Self {
        let mut line = gateway;
        line.words.extend(self.words.iter().cloned());
        line.variables.extend(self.variables.iter().cloned());
        line
    }
}

pub(crate) fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// Where servers and clients are installed.
fn installed() -> PathBuf {
    let Some(folder) = std::env::var_os("MAYI_TEST_MCP").filter(|folder| !folder.is_empty()) else {
        panic!(
            "MAYI_TEST_MCP is not set, so there are no servers to test with: run `just test-mcp`, or set it to the \
             folder that tests/mcp/install prints"
        );
    };
    let folder = PathBuf::from(folder);
    assert!(
        folder.join("node_modules").is_dir(),
        "MAYI_TEST_MCP is {}, where nothing is installed: set it to the folder that tests/mcp/install prints",
        folder.display()
    );
    folder
}
