//! One test's world: an endpoint, `mayi responses` before it, an app that knows only bytes, and a person at a terminal.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;

use mayi_tests::endpoint::{Endpoint, KEY};
use mayi_tests::{LIMIT, Machine, mayi_program, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::pty::Terminal;

pub(crate) struct Scene {
    pub(crate) endpoint: Endpoint,
    pub(crate) machine: Machine,
    options: Vec<String>,
    door: Door,
}

/// A `mayi responses`.
struct Door {
    child: Child,
    at: String,
    token: String,
}

impl Drop for Door {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What an app got.
#[derive(Debug)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Scene {
    pub(crate) fn new(options: &[&str]) -> Self {
        Self::with("", options)
    }

    /// With a configuration.
    pub(crate) fn with(user: &str, options: &[&str]) -> Self {
        let (endpoint, machine) = (Endpoint::start(), Machine::new());
        if !user.is_empty() {
            machine.configuration("config/mayi/config.toml", &format!("version = 1\n{user}"));
        }
        let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
        let door = start(&machine, &endpoint.url, &options);
        Self { endpoint, machine, options, door }
    }

    /// Before something else than the endpoint.
    pub(crate) fn before(upstream: &str, options: &[&str]) -> Self {
        let (endpoint, machine) = (Endpoint::start(), Machine::new());
        let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
        let door = start(&machine, upstream, &options);
        Self { endpoint, machine, options, door }
    }

    /// What is asked and got is recorded, in a file outside of the folder to work in.
    pub(crate) fn recording(options: &[&str]) -> Self {
        let (endpoint, machine) = (Endpoint::start(), Machine::new());
        let file = machine.outside_text("recording");
        let options = ["record", file.as_str()]
            .iter()
            .chain(options)
            .map(|&option| option.to_owned())
            .collect::<Vec<_>>();
        let door = start(&machine, &endpoint.url, &options);
        Self { endpoint, machine, options, door }
    }

    /// In place of mayi before the endpoint, the recording is played.
    pub(crate) fn replay(&mut self) {
        let _ = self.signal(Signal::TERM);
        let file = self.machine.outside_text("recording");
        self.door = opened(&self.machine, command(&self.machine, &["responses", "replay", &file]));
    }

    /// Starts mayi again, at another port.
    pub(crate) fn restart(&mut self) {
        let _ = self.signal(Signal::TERM);
        self.door = start(&self.machine, &self.endpoint.url, &self.options);
    }

    /// The same, with other options.
    pub(crate) fn restart_as(&mut self, options: &[&str]) {
        self.options = options.iter().map(|&option| option.to_owned()).collect();
        self.restart();
    }

    /// The same after it was ended otherwise.
    pub(crate) fn start_again(&mut self) {
        self.door = start(&self.machine, &self.endpoint.url, &self.options);
    }

    /// Sends mayi a signal, and waits for its end.
    pub(crate) fn signal(&mut self, signal: Signal) -> ExitStatus {
        kill_process(Pid::from_child(&self.door.child), signal).unwrap();
        self.door.child.wait().unwrap()
    }

    /// `mayi`, as the person starts it.
    pub(crate) fn mayi(&self, words: &[&str]) -> Command {
        command(&self.machine, words)
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}/v1", self.door.at)
    }

    /// Where mayi listens.
    pub(crate) fn address(&self) -> &str {
        &self.door.at
    }

    pub(crate) fn token(&self) -> &str {
        &self.door.token
    }

    /// Has a response made.
    pub(crate) fn create(&self, body: &Value) -> Got {
        self.begin(body).end()
    }

    /// The same, read as it comes.
    pub(crate) fn begin(&self, body: &Value) -> Reading {
        self.send("POST", "/v1/responses", "", &body.to_string())
    }

    /// Sends a request with mayi's token.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> Reading {
        let own = format!("host: {}\r\nauthorization: Bearer {}\r\n", self.door.at, self.door.token);
        self.raw(method, path, &format!("{own}{headers}"), body)
    }

    /// Sends a request with just these headers.
    pub(crate) fn raw(&self, method: &str, path: &str, headers: &str, body: &str) -> Reading {
        let mut stream = TcpStream::connect(&self.door.at).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        // Without chunks, which this version does not have.
        let length =
            if body.is_empty() { String::new() } else { format!("content-length: {}\r\n", body.len()) };
        let kind = "content-type: application/json\r\n";
        let head = format!("{method} {path} HTTP/1.0\r\n{kind}{headers}{length}\r\n");
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
        Reading { stream: BufReader::new(stream), read: String::new() }
    }

    /// What mayi has said on its error output so far.
    pub(crate) fn said(&self) -> String {
        std::fs::read_to_string(self.machine.outside("errors")).unwrap()
    }

    /// What waits in the inbox.
    pub(crate) fn inbox(&self) -> Vec<Value> {
        self.lines(&["inbox", "--json"])
    }

    /// The JSON lines that a command prints.
    pub(crate) fn lines(&self, words: &[&str]) -> Vec<Value> {
        let out = self.mayi(words).output().unwrap();
        let text = String::from_utf8(out.stdout).unwrap();
        assert!(out.status.success(), "{text}{}", String::from_utf8_lossy(&out.stderr));
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line}")))
            .collect()
    }

    /// Waits until so many calls wait for a person.
    #[track_caller]
    pub(crate) fn waits(&self, count: usize) -> Vec<Value> {
        until(LIMIT, || match self.inbox() {
            waiting if waiting.len() == count => Ok(()),
            waiting => Err(format!("{} wait: {waiting:?}", waiting.len())),
        });
        self.inbox()
    }

    /// A person answers the question about `tool`: `approve` or `deny`.
    #[track_caller]
    pub(crate) fn person(&self, answer: &str, tool: &str) {
        let waiting = self.inbox();
        let card = waiting.iter().find(|card| card["toolCall"]["name"] == tool);
        let id = card.unwrap_or_else(|| panic!("{waiting:?}"))["id"].as_str().unwrap();
        let terminal = Terminal::start(self.mayi(&["inbox", answer, id]), (40, 120), false);
        assert!(terminal.exit().success(), "{}", terminal.screen());
    }

    /// The tools that ran at the endpoint.
    pub(crate) fn ran(&self) -> Vec<String> {
        let ran = self.endpoint.ran();
        ran.iter().map(|call| call["tool"].as_str().unwrap().to_owned()).collect()
    }

    /// Waits until an entry of the record says so: what nobody waits for is written a moment later.
    #[track_caller]
    pub(crate) fn recorded(&self, what: &str) {
        until(LIMIT, || {
            let record = self.record();
            let said = record.iter().any(|entry| entry.to_string().contains(what));
            if said { Ok(()) } else { Err(format!("{what:?} is not in the record: {record:?}")) }
        });
    }

    /// The entries of the record about decisions and what followed.
    pub(crate) fn record(&self) -> Vec<Value> {
        self.lines(&["log", "--json"])
    }
}

/// An answer that is being read.
pub(crate) struct Reading {
    stream: BufReader<TcpStream>,
    read: String,
}

impl Reading {
    /// Reads on until the text has come.
    #[track_caller]
    pub(crate) fn until(&mut self, text: &str) {
        while !self.read.contains(text) {
            let mut line = Vec::new();
            let count = self.stream.read_until(b'\n', &mut line).unwrap();
            assert!(count > 0, "{text:?} did not come: {}", self.read);
            self.read.push_str(&String::from_utf8(line).unwrap());
        }
    }

    /// All of it.
    pub(crate) fn end(mut self) -> Got {
        let mut rest = Vec::new();
        // A connection that breaks off has said what it has said.
        let _ = self.stream.read_to_end(&mut rest);
        self.read.push_str(&String::from_utf8(rest).unwrap());
        let (head, body) = self.read.split_once("\r\n\r\n").unwrap_or((&self.read, ""));
        let status =
            head.split_whitespace().nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        Got { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// The id in the first event, which has been read.
    #[track_caller]
    pub(crate) fn response_id(&self) -> String {
        let data = self.read.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
        let event: Value = serde_json::from_str(data).unwrap();
        event["response"]["id"].as_str().unwrap().to_owned()
    }

    /// The app goes.
    pub(crate) fn abort(self) {
        let _ = self.stream.get_ref().shutdown(Shutdown::Both);
    }
}

impl Got {
    /// The body as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|why| panic!("{why}: {self:?}"))
    }

    /// The events. Their numbers, places and end are those of one answer.
    #[track_caller]
    pub(crate) fn events(&self) -> Vec<Value> {
        let events: Vec<Value> = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .map(|data| serde_json::from_str(data).unwrap_or_else(|why| panic!("{why}: {data}")))
            .collect();
        for (number, event) in events.iter().enumerate() {
            assert_eq!(event["sequence_number"], number, "{}", self.body);
        }
        let kinds: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
        let count = |kind: &str| kinds.iter().filter(|&&other| other == kind).count();
        assert_eq!((count("response.created"), count("response.in_progress")), (1, 1), "{kinds:?}");
        assert!(!self.body.contains("mcp_approval_request"), "{}", self.body);
        events
    }

    /// The response at the end of the events: what the app puts together from them is just that.
    #[track_caller]
    pub(crate) fn response(&self) -> Value {
        let events = self.events();
        let last = events.last().unwrap();
        assert_eq!(last["type"], "response.completed", "{}", self.body);
        let response = &last["response"];
        assert_eq!(response["id"], events[0]["response"]["id"]);
        let done: Vec<&Value> =
            events.iter().filter(|event| event["type"] == "response.output_item.done").collect();
        let output = response["output"].as_array().unwrap();
        assert_eq!(done.len(), output.len(), "{}", self.body);
        for (place, (event, item)) in done.iter().zip(output).enumerate() {
            assert_eq!((&event["output_index"], &event["item"]), (&json!(place), item));
        }
        response.clone()
    }
}

/// What the message in a response says.
#[track_caller]
pub(crate) fn message(response: &Value) -> String {
    let output = response["output"].as_array().unwrap_or_else(|| panic!("{response}"));
    let message =
        output.iter().rev().find(|item| item["type"] == "message").unwrap_or_else(|| panic!("{response}"));
    message["content"][0]["text"].as_str().unwrap().to_owned()
}

/// A request in which the model calls tools in these rounds; `stream`: as events.
pub(crate) fn wants(rounds: &Value, stream: bool) -> Value {
    json!({
        "model": "m", "input": rounds.to_string(), "stream": stream, "instructions": "be brief",
        "tools": [server("docs", json!("always"))],
    })
}

pub(crate) fn server(label: &str, require: Value) -> Value {
    json!({
        "type": "mcp", "server_label": label, "server_url": format!("https://{label}.example/mcp"),
        "authorization": "secret-of-the-server", "require_approval": require,
    })
}

fn command(machine: &Machine, words: &[&str]) -> Command {
    let mut command = Command::new(mayi_program());
    command.args(words).current_dir(machine.work()).env_clear().envs(machine.environment());
    command
}

/// `options` may begin with what else to do.
fn start(machine: &Machine, upstream: &str, options: &[String]) -> Door {
    let mut command = command(machine, &["responses"]);
    let (first, rest) =
        options.split_at(if options.first().is_some_and(|word| word == "record") { 2 } else { 0 });
    command.args(first).args(["--upstream", upstream]).args(rest);
    if !options.iter().any(|option| option == "--open") {
        command.args(["--key-env", "UPSTREAM_KEY"]).env("UPSTREAM_KEY", KEY);
    }
    opened(machine, command)
}

fn opened(machine: &Machine, mut command: Command) -> Door {
    let errors =
        std::fs::OpenOptions::new().create(true).append(true).open(machine.outside("errors")).unwrap();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(errors);
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let errors = std::fs::read_to_string(machine.outside("errors")).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap_or_else(|why| panic!("{why}: {line}{errors}"));
    let at = told["url"].as_str().unwrap().trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    // Without a key of mayi's, the app has the endpoint's.
    let token =
        told["tokenFile"].as_str().map(|file| std::fs::read_to_string(file).unwrap().trim().to_owned());
    let token = token.unwrap_or_else(|| KEY.to_owned());
    Door { child, at, token }
}

/// An endpoint that gives these answers, one to each connection, and is not there any more after them. Returns its base URL, and the
/// bodies that it was sent.
pub(crate) fn answers(answers: Vec<(&'static str, String)>) -> (String, JoinHandle<Vec<Value>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = format!("http://{}/v1", listener.local_addr().unwrap());
    let mut listener = Some(listener);
    let served = std::thread::spawn(move || {
        let (mut bodies, mut left) = (Vec::new(), answers.len());
        for (kind, answer) in answers {
            let (mut stream, _) = listener.as_ref().unwrap().accept().unwrap();
            left -= 1;
            if left == 0 {
                listener = None;
            }
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut line, mut length) = (String::new(), 0);
            while reader.read_line(&mut line).unwrap() > 2 {
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            bodies.push(serde_json::from_slice(&body).unwrap());
            let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n");
            write!(stream, "{head}content-length: {}\r\n\r\n{answer}", answer.len()).unwrap();
        }
        bodies
    });
    (at, served)
}
