//! The ways from the client to the tool.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::{self, Client};
use crate::common::Outcome;
use crate::http::Http;
use crate::pipes::Pipes;
use crate::program;
use crate::relay;
use crate::running::Running;
use crate::{Bench, SERVER};

/// Somebody has to listen after this time.
const PATIENCE: Duration = Duration::from_secs(60);

/// Counts homes.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// How messages are carried.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carried {
    Stdio,
    Http,
}

/// What stands between client and server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Between {
    Nothing,
    Mayi,
    /// A process that copies bytes.
    Relay,
    McpProxy,
    Supergateway,
}

/// A way that is open, with what runs for it.
pub(crate) struct Way {
    pub(crate) client: Box<dyn Client>,
    _running: Vec<Running>,
}

impl Between {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Nothing => "direct",
            Self::Mayi => "mayi",
            Self::Relay => "a relay of bytes",
            Self::McpProxy => "mcp-proxy",
            Self::Supergateway => "supergateway",
        }
    }

    /// Whether it speaks `front` to clients where the server speaks `back`.
    pub(crate) fn can(self, front: Carried, back: Carried) -> bool {
        match self {
            Self::Nothing | Self::Mayi => true,
            Self::Relay => front == Carried::Stdio && back == Carried::Stdio,
            Self::McpProxy | Self::Supergateway => front != back,
        }
    }

    /// The words that start it, stdio on both sides.
    pub(crate) fn stdio(self, bench: &Bench) -> Outcome<Vec<String>> {
        self.words(bench, &Back::Command, 0)
    }

    /// The words that start it, for a server behind `back`; `port` for what listens.
    fn words(self, bench: &Bench, back: &Back, port: u16) -> Outcome<Vec<String>> {
        let peers = || bench.peers.as_deref().ok_or("there are no peers");
        let port = port.to_string();
        let words: Vec<&str> = match (self, back) {
            (Self::Nothing | Self::Relay, _) => vec![SERVER, "--stdio"],
            (Self::Mayi, Back::Command) => vec!["--", SERVER, "--stdio"],
            (Self::Mayi, Back::Url(url)) => vec!["--url", url],
            (Self::McpProxy, Back::Command) => {
                vec!["--log-level", "ERROR", "--pass-environment", "--port", &port, "--", SERVER, "--stdio"]
            }
            (Self::McpProxy, Back::Url(url)) => {
                vec!["--log-level", "ERROR", "--transport", "streamablehttp", url]
            }
            (Self::Supergateway, Back::Command) => {
                let server = format!("{SERVER} --stdio");
                let options = ["--outputTransport", "streamableHttp", "--stateful", "--logLevel", "none"];
                let mut words = vec!["--stdio".to_owned(), server, "--port".to_owned(), port];
                words.extend(options.map(str::to_owned));
                return Ok([node(peers()?), words].concat());
            }
            (Self::Supergateway, Back::Url(url)) => vec!["--streamableHttp", url, "--logLevel", "none"],
        };
        let first = match self {
            Self::Nothing => Vec::new(),
            Self::Mayi => mayi(bench),
            Self::Relay => relay::words()?,
            Self::McpProxy => python(peers()?),
            Self::Supergateway => node(peers()?),
        };
        Ok([first, words.into_iter().map(str::to_owned).collect()].concat())
    }
}

/// The gateway, for a server that a rule of the configuration is about.
fn mayi(bench: &Bench) -> Vec<String> {
    let (path, config) = (bench.program.path.display().to_string(), bench.config.display().to_string());
    [&path, "mcp", "--config", &config, "--name", "search"].map(str::to_owned).to_vec()
}

fn python(peers: &Path) -> Vec<String> {
    vec![peers.join("venv-proxy/bin/python").display().to_string(), "-m".to_owned(), "mcp_proxy".to_owned()]
}

fn node(peers: &Path) -> Vec<String> {
    ["bin/node", "node_modules/supergateway/dist/index.js"]
        .map(|path| peers.join(path).display().to_string())
        .to_vec()
}

/// Where the server is.
enum Back {
    /// It is started by whoever needs it.
    Command,
    /// It listens.
    Url(String),
}

/// Opens the way through `between`, and begins to speak.
pub(crate) fn open(bench: &Bench, between: Between, front: Carried, back: Carried) -> Outcome<Way> {
    // A home for each: what is trusted of one server is not true of the next of this name.
    let home = format!("home-{}", NEXT.fetch_add(1, Ordering::Relaxed));
    let mut running = Vec::new();
    let listens = back == Carried::Http || (between == Between::Nothing && front == Carried::Http);
    let back = match listens {
        true => {
            let (server, url) =
                listening(bench, &home, &[SERVER, "--http", "127.0.0.1:0"].map(str::to_owned))?;
            running.push(server);
            Back::Url(url)
        }
        false => Back::Command,
    };
    let mut client: Box<dyn Client> = match (between, front, &back) {
        (Between::Nothing, _, Back::Url(url)) => Box::new(Http::new(url)?),
        (_, Carried::Stdio, _) => {
            Box::new(Pipes::new(Running::start(command(bench, &home, &between.words(bench, &back, 0)?)?)?)?)
        }
        (Between::Mayi, Carried::Http, _) => {
            let mut words = between.words(bench, &back, 0)?;
            words.splice(2..2, ["--http", "127.0.0.1:0", "--open"].map(str::to_owned));
            let (gateway, url) = listening(bench, &home, &words)?;
            running.push(gateway);
            Box::new(Http::new(&url)?)
        }
        (_, Carried::Http, _) => {
            let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
            let mut gateway = Running::start(command(bench, &home, &between.words(bench, &back, port)?)?)?;
            wait_for(&mut gateway, port)?;
            running.push(gateway);
            let end = if between == Between::McpProxy { "/" } else { "" };
            Box::new(Http::new(&format!("http://127.0.0.1:{port}/mcp{end}"))?)
        }
    };
    client::begin(&mut *client)?;
    Ok(Way { client, _running: running })
}

/// A program with the folders of `home`.
pub(crate) fn command(bench: &Bench, home: &str, words: &[String]) -> Outcome<Command> {
    let (first, rest) = words.split_first().ok_or("no command")?;
    let mut command = Command::new(first);
    command.args(rest).current_dir(&bench.machine.work);
    program::at_home(&mut command, &bench.machine.at(home)?, &bench.path()?);
    Ok(command)
}

/// Starts a program that says where it listens.
fn listening(bench: &Bench, home: &str, words: &[String]) -> Outcome<(Running, String)> {
    let mut running = Running::start(command(bench, home, words)?)?;
    let (stdin, stdout) = running.streams()?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    running.keep(stdin);
    let said: Value = serde_json::from_str(&line).map_err(|error| format!("{words:?}: {line}: {error}"))?;
    let url = said.get("url").and_then(Value::as_str).ok_or("no address")?;
    Ok((running, url.to_owned()))
}

fn wait_for(running: &mut Running, port: u16) -> Outcome<()> {
    let begin = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        if running.has_ended() || begin.elapsed() > PATIENCE {
            return Err("nobody listens".into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
