//! `--notify`: a person answers by a desktop's notification. A real bus, with a service on it that presses buttons
//! (D6.33).

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use mayi_tests::{LIMIT, until};
use serde_json::{Value, json};
use zbus::object_server::SignalEmitter;

use crate::asking::{ended, harness, waiting};
use crate::scene::Scene;

/// What a service was told.
#[derive(Debug)]
enum Told {
    Show(Shown),
    Hide(u32),
}

#[derive(Debug)]
struct Shown {
    number: u32,
    replaces: u32,
    summary: String,
    body: String,
    buttons: Vec<String>,
    lasts: i32,
}

/// A desktop: a session bus, and what shows notifications there.
struct Desktop {
    runtime: tokio::runtime::Runtime,
    connection: zbus::Connection,
    told: Receiver<Told>,
    bus: Option<Child>,
    socket: PathBuf,
}

struct Notifications {
    told: Sender<Told>,
    last: u32,
}

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Notifications {
    fn get_capabilities(&self) -> Vec<String> {
        ["actions", "body", "body-markup"].map(str::to_owned).into()
    }

    #[allow(clippy::too_many_arguments, reason = "the specification's")]
    fn notify(
        &mut self,
        _app_name: String,
        replaces: u32,
        _app_icon: String,
        summary: String,
        body: String,
        buttons: Vec<String>,
        _hints: HashMap<String, zbus::OwnedVariant>,
        lasts: i32,
    ) -> u32 {
        self.last += 1;
        let number = if replaces == 0 { self.last } else { replaces };
        let _ = self.told.send(Told::Show(Shown { number, replaces, summary, body, buttons, lasts }));
        number
    }

    fn close_notification(&self, number: u32) {
        let _ = self.told.send(Told::Hide(number));
    }

    #[zbus(signal)]
    async fn action_invoked(emitter: &SignalEmitter<'_>, number: u32, key: &str) -> zbus::Result<()>;
}

/// A bus of its own at `socket`, for whoever is the user.
fn bus(socket: &Path) -> Command {
    let settings = socket.with_extension("conf");
    let text = format!(
        "<busconfig><type>session</type><listen>unix:path={}</listen><auth>EXTERNAL</auth>\
         <policy context=\"default\"><allow send_destination=\"*\"/><allow receive_sender=\"*\"/><allow own=\"*\"/></policy></busconfig>",
        socket.display()
    );
    std::fs::write(&settings, text).unwrap();
    let mut bus = Command::new("dbus-daemon");
    bus.arg("--config-file").arg(settings).args(["--nofork", "--nopidfile", "--print-address=1"]);
    bus.stdin(Stdio::null()).stderr(Stdio::null());
    bus
}

impl Desktop {
    fn new(scene: &Scene) -> Self {
        let socket = scene.machine.outside("bus");
        let mut bus = bus(&socket).stdout(Stdio::piped()).spawn().unwrap();
        // It listens once it has said where.
        let mut address = String::new();
        BufReader::new(bus.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Self::on(socket, Some(bus))
    }

    /// The service, on a bus that somebody has started.
    fn on(socket: PathBuf, bus: Option<Child>) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (tell, told) = channel();
        let service = Notifications { told: tell, last: 0 };
        let connection = runtime.block_on(async {
            let stream = std::os::unix::net::UnixStream::connect(&socket).unwrap();
            let builder = zbus::connection::Builder::unix_stream(stream);
            let builder = builder.serve_at("/org/freedesktop/Notifications", service);
            builder.name("org.freedesktop.Notifications").build().await.unwrap()
        });
        Self { runtime, connection, told, bus, socket }
    }

    fn hook(&self, scene: &Scene, tool: &str, input: &Value, limit: &str) -> Child {
        let event = scene.event("PreToolUse", tool, input, "t1");
        let bus = self.socket.to_str().unwrap();
        let options = ["--ask-via", "inbox", "--time-limit", limit, "--notify", bus];
        harness(scene, &options, &event, "event.json")
    }

    /// The next notification that is shown.
    fn shown(&self) -> Shown {
        match self.told.recv_timeout(LIMIT).unwrap() {
            Told::Show(shown) => shown,
            Told::Hide(number) => panic!("{number} was taken away"),
        }
    }

    fn press(&self, number: u32, key: &str) {
        let server = self.connection.object_server();
        self.runtime.block_on(async {
            let interface =
                server.interface::<_, Notifications>("/org/freedesktop/Notifications").await.unwrap();
            Notifications::action_invoked(interface.signal_emitter(), number, key).await.unwrap();
        });
    }

    /// Presses as long as the notification comes back: what comes in its first half second is no answer.
    fn press_until_taken(&self, key: &str, hook: &mut Child) -> usize {
        let mut shown = 0;
        while hook.try_wait().unwrap().is_none() {
            match self.told.recv_timeout(Duration::from_millis(20)) {
                Ok(Told::Show(next)) => {
                    shown += 1;
                    self.press(next.number, key);
                }
                _ => continue,
            }
        }
        shown
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        if let Some(mut bus) = self.bus.take() {
            bus.kill().unwrap();
            bus.wait().unwrap();
        }
    }
}

#[test]
fn given_a_notification_then_its_buttons_answer_once_and_not_in_its_first_moment() {
    for (key, decision) in [("allow", "allow"), ("deny", "deny")] {
        let scene = Scene::new("");
        let desktop = Desktop::new(&scene);
        let mut hook = desktop.hook(&scene, "Bash", &json!({ "command": "make x < a > b" }), "60s");
        let shown = desktop.shown();
        assert_eq!(shown.summary, "claude, in its own terminal, wants to run a command");
        let body = format!("make x &lt; a &gt; b\nin {}", scene.machine.work().display());
        assert_eq!((shown.body, shown.replaces), (body, 0));
        assert_eq!(shown.buttons, ["deny", "Deny", "allow", "Allow once"]);
        assert!((1..=60_000).contains(&shown.lasts), "{}", shown.lasts);
        // A click on the text itself is no answer.
        desktop.press(shown.number, "default");
        desktop.press(shown.number, key);
        let again = desktop.press_until_taken(key, &mut hook);
        assert!(again > 0, "the first press was taken");
        let (code, said, err) = ended(hook);
        assert_eq!((code, &said["permissionDecision"]), (0, &json!(decision)), "{err}");
        // Once: the next one is asked about.
        scene.before("Bash", &json!({ "command": "make x < a > b" })).is("ask");
        let answered =
            scene.entries().into_iter().any(|entry| entry.to_string().contains("desktop notification"));
        assert!(answered, "{:?}", scene.entries());
    }
}

/// "Allowing is offered only if the whole call fits there unescaped and nothing is always asked about". Attack 395.
#[test]
fn given_what_one_look_does_not_show_then_it_can_only_be_denied_there() {
    let long = format!("make {}", "x".repeat(200));
    for (tool, input) in [
        ("Bash", json!({ "command": long })),
        ("Bash", json!({ "command": "make a\nmake b" })),
        ("Bash", json!({ "command": "make \u{202e}x" })),
        ("Bash", json!({ "command": "make a  b" })),
        ("Bash", json!({ "command": "make a", "run_in_background": true })),
        ("Bash", json!({ "command": "echo x >> .git/config" })),
        ("Write", json!({ "file_path": "a.txt", "content": "x" })),
        ("mcp__a__b", json!({ "c": "d" })),
    ] {
        let scene = Scene::new("");
        let desktop = Desktop::new(&scene);
        let mut hook = desktop.hook(&scene, tool, &input, "60s");
        let shown = desktop.shown();
        assert_eq!(shown.buttons, ["deny", "Deny"], "{input}: {}", shown.body);
        assert!(shown.body.ends_with("See all of it: mayi inbox"), "{}", shown.body);
        // A service that presses what is not there.
        desktop.press(shown.number, "allow");
        let again = desktop.shown();
        assert_eq!(waiting(&scene).len(), 1, "{input}");
        desktop.press(again.number, "deny");
        desktop.press_until_taken("deny", &mut hook);
        let (code, said, err) = ended(hook);
        assert_eq!((code, &said["permissionDecision"]), (0, &json!("deny")), "{err}");
    }
}

#[test]
fn given_an_answer_from_elsewhere_then_the_notification_goes() {
    let scene = Scene::new("");
    let desktop = Desktop::new(&scene);
    let hook = desktop.hook(&scene, "Bash", &json!({ "command": "make x" }), "60s");
    let shown = desktop.shown();
    until(LIMIT, || if waiting(&scene).len() == 1 { Ok(()) } else { Err("nothing waits".to_owned()) });
    let mut person = crate::asking::person(&scene, &["inbox", "watch"]);
    person.sees("› n  Deny");
    person.send("n");
    let (_, said, err) = ended(hook);
    assert_eq!(said["permissionDecision"], "deny", "{err}");
    match desktop.told.recv_timeout(LIMIT).unwrap() {
        Told::Hide(number) => assert_eq!(number, shown.number),
        Told::Show(shown) => panic!("{shown:?}"),
    }
    person.hang_up();
}

/// A bus that the harness itself has started would answer for the person. Attack 395.
#[test]
fn given_a_bus_that_an_agent_has_started_then_nothing_is_shown_there() {
    let scene = Scene::new("");
    let socket = scene.machine.outside("bus");
    let settings = format!("{:?}", bus(&socket));
    let event = scene.event("PreToolUse", "Bash", &json!({ "command": "make x" }), "t1");
    let options = ["--ask-via", "inbox", "--time-limit", "8s", "--notify", socket.to_str().unwrap()];
    let line = format!(
        "{settings} > /dev/null & trap \"kill $!\" EXIT; until [ -S {} ]; do /bin/sleep 0.05; done; ",
        socket.display()
    );
    let hook = crate::asking::harness_after(&scene, &line, &options, &event, "event.json");
    // It is there a moment before anybody listens.
    until(LIMIT, || match std::os::unix::net::UnixStream::connect(&socket) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("no bus: {error}")),
    });
    let desktop = Desktop::on(socket, None);
    let (code, said, err) = ended(hook);
    assert!(code == 2 || said["permissionDecision"] == "deny", "{code} {said} {err}");
    assert!(desktop.told.try_recv().is_err(), "something was shown");
}

/// Without a desktop, other surfaces are still asked, and nothing is slower.
#[test]
fn given_no_bus_then_the_question_waits_as_it_does_without() {
    let scene = Scene::new("");
    let bus = scene.machine.outside("bus");
    let event = scene.event("PreToolUse", "Bash", &json!({ "command": "make x" }), "t1");
    let options = ["--ask-via", "inbox", "--time-limit", "60s", "--notify", bus.to_str().unwrap()];
    let hook = harness(&scene, &options, &event, "event.json");
    until(LIMIT, || if waiting(&scene).len() == 1 { Ok(()) } else { Err("nothing waits".to_owned()) });
    let person = crate::asking::person(&scene, &["inbox", "watch"]);
    person.sees("› n  Deny");
    person.send("y");
    let (code, said, err) = ended(hook);
    assert_eq!((code, &said["permissionDecision"]), (0, &json!("allow")), "{err}");
}
