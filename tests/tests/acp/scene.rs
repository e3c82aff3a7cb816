//! An editor, mayi and an agent.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mayi_tests::{LIMIT, Machine, mayi_program, until};
use serde_json::{Value, json};

const PUPPET: &str = env!("CARGO_BIN_EXE_puppet_agent");

/// What one side gets, line by line.
pub(crate) struct Side {
    name: &'static str,
    lines: Receiver<Vec<u8>>,
    /// Held while nothing is read.
    reads: Arc<Mutex<()>>,
}

impl Side {
    fn of(name: &'static str, from: impl std::io::Read + Send + 'static) -> Self {
        let (to, lines) = channel();
        let reads = Arc::new(Mutex::new(()));
        let reading = Arc::clone(&reads);
        std::thread::spawn(move || {
            let mut reader = BufReader::new(from);
            loop {
                drop(reading.lock());
                let mut line = Vec::new();
                match reader.read_until(b'\n', &mut line) {
                    Ok(0) | Err(_) => return,
                    Ok(_) => {
                        line.pop();
                        if to.send(line).is_err() {
                            return;
                        }
                    }
                }
            }
        });
        Self { name, lines, reads }
    }

    /// As long as this is held, it reads one line at the most.
    pub(crate) fn stop_reading(&self) -> Arc<Mutex<()>> {
        Arc::clone(&self.reads)
    }

    /// The next line, as it came.
    #[track_caller]
    pub(crate) fn line(&self) -> String {
        match self.lines.recv_timeout(LIMIT) {
            Ok(line) => String::from_utf8(line).unwrap(),
            Err(why) => panic!("the {} got nothing more: {why}", self.name),
        }
    }

    /// The next message.
    #[track_caller]
    pub(crate) fn next(&self) -> Value {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The next message of this method; what comes before it is passed over.
    #[track_caller]
    pub(crate) fn until(&self, method: &str) -> Value {
        self.find(|message| message["method"] == method, method)
    }

    /// The answer to this id; what comes before it is passed over.
    #[track_caller]
    pub(crate) fn answer(&self, id: impl Into<Value>) -> Value {
        let id = id.into();
        self.find(|message| message["id"] == id && message.get("method").is_none(), &id.to_string())
    }

    #[track_caller]
    pub(crate) fn find(&self, is: impl Fn(&Value) -> bool, what: &str) -> Value {
        let mut passed = Vec::new();
        let deadline = Instant::now() + LIMIT;
        while Instant::now() < deadline {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    let message: Value = serde_json::from_slice(&line).unwrap();
                    if is(&message) {
                        return message;
                    }
                    passed.push(message);
                }
                Err(why) => panic!("the {} got no {what}: {why}; it got {passed:?}", self.name),
            }
        }
        panic!("the {} got no {what}; it got {passed:?}", self.name)
    }

    /// All that comes until nothing more can.
    pub(crate) fn rest(&self) -> Vec<Value> {
        let mut found = Vec::new();
        loop {
            match self.lines.recv_timeout(LIMIT) {
                Ok(line) => found.push(serde_json::from_slice(&line).unwrap()),
                Err(RecvTimeoutError::Disconnected) => return found,
                Err(RecvTimeoutError::Timeout) => {
                    panic!("the {} was not closed; it got {found:?}", self.name)
                }
            }
        }
    }
}

/// An editor, mayi and an agent.
pub(crate) struct Scene {
    pub(crate) machine: Machine,
    mayi: Child,
    to_mayi: Option<ChildStdin>,
    pub(crate) editor: Side,
    as_agent: UnixStream,
    pub(crate) agent: Side,
}

impl Scene {
    /// With these options, and a session `s` that is open.
    pub(crate) fn open(machine: Machine, options: &[&str]) -> Self {
        let mut scene = Self::begin(machine, options);
        scene.initialize();
        scene.session("s");
        scene
    }

    /// With these options.
    pub(crate) fn begin(machine: Machine, options: &[&str]) -> Self {
        let words: Vec<&str> = options.iter().copied().chain(["--", PUPPET]).collect();
        Self::with(machine, &words)
    }

    /// With an agent that a shell starts, behind what else it starts.
    pub(crate) fn starting(machine: Machine, line: &str) -> Self {
        Self::with(machine, &["--", "bash", "-c", line, PUPPET])
    }

    /// `mayi acp` with these words, and the path of the socket behind them.
    fn with(machine: Machine, words: &[&str]) -> Self {
        Self::meeting(machine, words, true)
    }

    fn meeting(machine: Machine, words: &[&str], told: bool) -> Self {
        let socket = machine.outside("socket");
        let listener = UnixListener::bind(&socket).unwrap();
        let mut command = Command::new(mayi_program());
        command.arg("acp").args(words).args(told.then_some(&socket));
        let (mayi, to_mayi, editor) = start(&machine, command);
        listener.set_nonblocking(true).unwrap();
        let accepted = std::cell::RefCell::new(None);
        until(LIMIT, || match listener.accept() {
            Ok((stream, _)) => {
                *accepted.borrow_mut() = Some(stream);
                Ok(())
            }
            Err(error) => Err(error.to_string()),
        });
        let as_agent = accepted.into_inner().unwrap();
        as_agent.set_nonblocking(false).unwrap();
        let agent = Side::of("agent", as_agent.try_clone().unwrap());
        Self { machine, mayi, to_mayi: Some(to_mayi), editor, as_agent, agent }
    }

    /// An agent that is configured under a name, `puppet`, with its socket in its command and `more` settings.
    pub(crate) fn puppet(machine: Machine, more: &str, options: &[&str]) -> Self {
        let socket = machine.outside_text("socket");
        let machine = machine
            .user(&format!("version = 1\n[agents.puppet]\ncommand = [{PUPPET:?}, {socket:?}]\n{more}"));
        let words: Vec<&str> = std::iter::once("puppet").chain(options.iter().copied()).collect();
        Self::meeting(machine, &words, false)
    }

    /// What speaks as the agent, for another thread.
    pub(crate) fn agents_voice(&self) -> UnixStream {
        self.as_agent.try_clone().unwrap()
    }

    /// The same, with these words of the command line.
    pub(crate) fn named_with(machine: Machine, words: &[&str]) -> Self {
        Self::meeting(machine, words, false)
    }

    /// Megabytes of the agent's, as far as anybody takes them.
    pub(crate) fn agent_floods(&mut self, part: &[u8], times: usize) {
        for _ in 0..times {
            if self.as_agent.write_all(part).is_err() {
                return;
            }
        }
    }

    pub(crate) fn initialize(&mut self) {
        self.initialize_as(&json!({"name": "editor", "version": "1"}));
    }

    /// The same for an editor that says this of itself.
    pub(crate) fn initialize_as(&mut self, info: &Value) {
        let mut params = json!({"protocolVersion": 1, "clientCapabilities": {"fs": {"readTextFile": true, "writeTextFile": true}, "terminal": true}});
        if !info.is_null() {
            params["clientInfo"] = info.clone();
        }
        self.ask("init", "initialize", &params);
        self.agent.until("initialize");
        self.agent_answers(
            "init",
            &json!({"protocolVersion": 1, "agentCapabilities": {"loadSession": true}}),
        );
        self.editor.answer("init");
    }

    /// With version 2 of the protocol on both sides, and a session `s` that is open.
    pub(crate) fn open_v2(machine: Machine, options: &[&str]) -> Self {
        let options: Vec<&str> = options.iter().copied().chain(["--protocol-v2"]).collect();
        let mut scene = Self::begin(machine, &options);
        scene.initialize_v2();
        scene.session("s");
        scene
    }

    pub(crate) fn initialize_v2(&mut self) -> Value {
        let params =
            json!({"protocolVersion": 2, "info": {"name": "editor", "version": "1"}, "capabilities": {}});
        self.ask("init", "initialize", &params);
        let asked = self.agent.until("initialize");
        assert_eq!(asked["params"], params);
        let capabilities = json!({"session": {"mcp": {"stdio": {}, "acp": {}}}});
        let info = json!({"name": "agent", "version": "1"});
        self.agent_answers(
            "init",
            &json!({"protocolVersion": 2, "info": info, "capabilities": capabilities}),
        );
        self.editor.answer("init")
    }

    /// What the agent says of its work (version 2).
    pub(crate) fn agent_is(&mut self, state: &str) {
        self.agent_tells(&json!({"sessionUpdate": "state_update", "state": state}));
    }

    /// The agent takes a prompt and begins with it (version 2).
    pub(crate) fn takes(&mut self, prompt: &str) {
        self.agent_answers(prompt, &json!({"messageId": prompt}));
        self.editor.answer(prompt);
        self.agent_is("running");
        self.editor.until("session/update");
    }

    /// Opens a session in the folder to work in; returns what the editor is told of it.
    pub(crate) fn session(&mut self, id: &str) -> Value {
        self.session_with(id, &json!({ "sessionId": id }))
    }

    pub(crate) fn session_with(&mut self, id: &str, result: &Value) -> Value {
        let key = format!("new-{id}");
        let params = json!({"cwd": self.machine.work(), "mcpServers": []});
        self.ask(&*key, "session/new", &params);
        self.agent.until("session/new");
        self.agent_answers(&*key, result);
        self.editor.answer(&*key)
    }

    /// The editor prompts; the agent gets it.
    pub(crate) fn prompt(&mut self, id: &str, text: &str) -> Value {
        let params = json!({"sessionId": "s", "prompt": [{"type": "text", "text": text}]});
        self.ask(id, "session/prompt", &params);
        self.agent.until("session/prompt")
    }

    /// A line of the editor's.
    pub(crate) fn says(&mut self, line: impl AsRef<[u8]>) {
        let to = self.to_mayi.as_mut().unwrap();
        to.write_all(line.as_ref()).and_then(|()| to.write_all(b"\n")).and_then(|()| to.flush()).unwrap();
    }

    /// A line of the agent's.
    pub(crate) fn agent_says(&mut self, line: impl AsRef<[u8]>) {
        let mut bytes = line.as_ref().to_vec();
        bytes.push(b'\n');
        self.as_agent.write_all(&bytes).unwrap();
    }

    pub(crate) fn ask(&mut self, id: impl Into<Value>, method: &str, params: &Value) {
        let line = json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params}).to_string();
        self.says(line);
    }

    pub(crate) fn tell(&mut self, method: &str, params: &Value) {
        self.says(json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    pub(crate) fn editor_answers(&mut self, id: &Value, result: &Value) {
        self.says(json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
    }

    /// The editor picks an option of a question.
    pub(crate) fn pick(&mut self, question: &Value, option: &str) {
        self.editor_answers(
            &question["id"],
            &json!({"outcome": {"outcome": "selected", "optionId": option}}),
        );
    }

    pub(crate) fn agent_asks(&mut self, id: impl Into<Value>, method: &str, params: &Value) {
        let line = json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params}).to_string();
        self.agent_says(line);
    }

    pub(crate) fn agent_answers(&mut self, id: impl Into<Value>, result: &Value) {
        self.agent_says(json!({"jsonrpc": "2.0", "id": id.into(), "result": result}).to_string());
    }

    pub(crate) fn agent_tells(&mut self, update: &Value) {
        let params = json!({"sessionId": "s", "update": update});
        self.agent_says(json!({"jsonrpc": "2.0", "method": "session/update", "params": params}).to_string());
    }

    /// The agent asks to run a command.
    pub(crate) fn agent_wants(&mut self, id: impl Into<Value>, call: &str, command: &str) {
        self.agent_asks(id, "session/request_permission", &wants(call, command));
    }

    /// Nothing has come to the editor that a message behind it would not have come after.
    #[track_caller]
    pub(crate) fn nothing_for_editor(&mut self) {
        self.agent_says(r#"{"jsonrpc":"2.0","method":"_marker","params":{}}"#);
        let next = self.editor.next();
        assert_eq!(next["method"], "_marker", "{next}");
    }

    /// Nothing has come to the agent that a message behind it would not have come after.
    #[track_caller]
    pub(crate) fn nothing_for_agent(&mut self) {
        self.says(r#"{"jsonrpc":"2.0","method":"_marker","params":{}}"#);
        let next = self.agent.next();
        assert_eq!(next["method"], "_marker", "{next}");
    }

    pub(crate) fn editor_leaves(&mut self) {
        self.to_mayi = None;
    }

    pub(crate) fn agent_leaves(&mut self) {
        self.agent_says("exit");
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let id = rustix::process::Pid::from_raw(i32::try_from(self.mayi.id()).unwrap()).unwrap();
        rustix::process::kill_process(id, signal).unwrap();
    }

    /// Waits for mayi's end; its exit code, and its standard error.
    #[track_caller]
    pub(crate) fn end(&mut self) -> (Option<i32>, String) {
        let deadline = Instant::now() + LIMIT;
        let code = loop {
            if let Some(status) = self.mayi.try_wait().unwrap() {
                break status.code();
            }
            assert!(Instant::now() < deadline, "mayi does not end");
            std::thread::sleep(Duration::from_millis(10));
        };
        (code, self.log())
    }

    /// How many files mayi has open.
    pub(crate) fn descriptors(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.mayi.id())).unwrap().count()
    }

    /// What mayi has written to the log so far.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.machine.outside("stderr")).unwrap()
    }

    /// Entries of this kind in the record, once there are so many.
    #[track_caller]
    pub(crate) fn record(&self, kind: &str, count: usize) -> Vec<Value> {
        let found = std::cell::RefCell::new(Vec::new());
        until(LIMIT, || {
            let entries = self.machine.mayi(["log", "--json"]).end().exits(0).lines();
            let of: Vec<Value> = entries.into_iter().filter(|entry| entry["kind"] == kind).collect();
            let enough = of.len() == count;
            *found.borrow_mut() = of;
            if enough { Ok(()) } else { Err(format!("{kind}: {:?}", found.borrow())) }
        });
        found.into_inner()
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        self.to_mayi = None;
        let _ = self.mayi.kill();
        let _ = self.mayi.wait();
        if std::thread::panicking() {
            eprintln!(
                "mayi said: {}",
                std::fs::read_to_string(self.machine.outside("stderr")).unwrap_or_default()
            );
        }
    }
}

/// The parameters of a request to run a command.
pub(crate) fn wants(call: &str, command: &str) -> Value {
    json!({
        "sessionId": "s",
        "toolCall": {"toolCallId": call, "title": command, "kind": "execute", "rawInput": {"command": command}},
        "options": [
            {"optionId": "always", "name": "Always", "kind": "allow_always"},
            {"optionId": "once", "name": "Yes", "kind": "allow_once"},
            {"optionId": "no", "name": "No", "kind": "reject_once"},
        ],
    })
}

/// Starts mayi as an editor does.
pub(crate) fn start(machine: &Machine, mut command: Command) -> (Child, ChildStdin, Side) {
    let log = std::fs::File::create(machine.outside("stderr")).unwrap();
    command.current_dir(machine.work()).env_clear().envs(machine.environment());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log);
    let mut mayi = command.spawn().unwrap();
    let to_mayi = mayi.stdin.take().unwrap();
    let editor = Side::of("editor", mayi.stdout.take().unwrap());
    (mayi, to_mayi, editor)
}

/// A machine that denies and allows some commands.
pub(crate) fn machine() -> Machine {
    Machine::new().user("version = 1\n[rules]\nallow = [\"shell(cargo test)\"]\ndeny = [\"shell(rm *)\"]\n")
}

/// The ids of the options of a question.
pub(crate) fn options(question: &Value) -> Vec<String> {
    let ids = question["params"]["options"].as_array().unwrap().iter();
    ids.map(|option| option["optionId"].as_str().unwrap().to_owned()).collect()
}

/// What the agent was answered to a request for permission.
pub(crate) fn outcome(answer: &Value) -> String {
    let outcome = &answer["result"]["outcome"];
    match outcome["optionId"].as_str() {
        Some(option) => option.to_owned(),
        None => outcome["outcome"].as_str().unwrap_or("error").to_owned(),
    }
}
