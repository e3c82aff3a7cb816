//! Attack 23: "a web page, another origin, a re-bound host name, a squatted port of a dead server, a token in a URL"; and
//! floods of what is not let in.

use std::time::Duration;

use mayi_tests::{LIMIT, Machine};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::scene::{Backend, Client, appears, demo};

/// What is sent back to these bytes, until the connection is closed or nothing more comes.
async fn raw(address: &str, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let mut some = [0; 4096];
    while let Ok(Ok(read)) = tokio::time::timeout(Duration::from_secs(2), stream.read(&mut some)).await {
        if read == 0 || answer.len() > 1 << 20 {
            break;
        }
        answer.extend_from_slice(&some[..read]);
        // All that is awaited here are heads.
        if answer.windows(4).any(|window| window == b"\r\n\r\n") && answer.ends_with(b"}") {
            break;
        }
    }
    String::from_utf8_lossy(&answer).into_owned()
}

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}"#;

fn post(host: &str, headers: &[(&str, &str)]) -> Vec<u8> {
    let more: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = CALL.len();
    format!("POST / HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{more}\r\n{CALL}")
        .into_bytes()
}

fn upgrade(host: &str, headers: &[(&str, &str)]) -> Vec<u8> {
    let more: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!(
        "GET / HTTP/1.1\r\nhost: {host}\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
         sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n{more}\r\n"
    )
    .into_bytes()
}

/// What is answered to this body, with this token.
pub(super) async fn post_with(address: &str, token: &str, body: &str) -> String {
    let head = format!(
        "POST / HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\nauthorization: Bearer {token}\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    raw(address, format!("{head}{body}").as_bytes()).await
}

#[track_caller]
fn is_refused(answer: &str, status: u16) {
    assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    assert!(!answer.contains("\"result\""), "{answer}");
    assert!(!answer.to_lowercase().contains("access-control-allow-origin"), "{answer}");
}

/// S3.2: `Host` and `Origin` are checked; a wrong one gets a clear refusal. Attack 23.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_wrong_token_host_or_origin_then_nothing_is_answered() {
    for options in [&[][..], &["--ui"][..]] {
        let backend = Backend::on(Machine::new(), options).await;
        let at = backend.address();
        let bearer = format!("Bearer {}", backend.token("answerTokenFile"));
        let good = ("authorization", bearer.as_str());
        assert!(raw(&at, &post(&at, &[good])).await.contains("\"result\":[]"));
        let stale = format!("Bearer {}", "0".repeat(64));
        for headers in [
            &[][..],
            &[("authorization", stale.as_str())],
            &[("authorization", &bearer[..bearer.len() - 1])],
            &[("authorization", "Basic YTpi")],
            &[good, good],
        ] {
            is_refused(&raw(&at, &post(&at, headers)).await, 401);
            is_refused(&raw(&at, &upgrade(&at, headers)).await, 401);
        }
        // In the address it counts for nothing.
        let token = backend.token("answerTokenFile");
        let sly =
            String::from_utf8(post(&at, &[])).unwrap().replace("POST /", &format!("POST /?token={token}"));
        is_refused(&raw(&at, sly.as_bytes()).await, 401);
        let port = at.rsplit_once(':').unwrap().1;
        for host in ["evil.example", "127.0.0.1.evil.example", "", &format!("evil.example:{port}")] {
            is_refused(&raw(&at, &post(host, &[good])).await, 403);
            is_refused(&raw(&at, &upgrade(host, &[good])).await, 403);
        }
        for origin in ["https://evil.example", "null", "http://127.0.0.1:1", "vscode-webview://x", "file://"]
        {
            is_refused(&raw(&at, &post(&at, &[good, ("origin", origin)])).await, 403);
            is_refused(&raw(&at, &upgrade(&at, &[good, ("origin", origin)])).await, 403);
        }
        let asks_first = format!(
            "OPTIONS / HTTP/1.1\r\nhost: {at}\r\norigin: https://evil.example\r\naccess-control-request-method: POST\r\n\r\n"
        );
        is_refused(&raw(&at, asks_first.as_bytes()).await, 403);
        let proof = format!(
            "GET /proof?nonce={} HTTP/1.1\r\nhost: {at}\r\norigin: https://evil.example\r\n\r\n",
            "0".repeat(32)
        );
        is_refused(&raw(&at, proof.as_bytes()).await, 403);
    }
}

/// A message of 64 MiB is refused, and the others are not disturbed. Attack 172.
#[tokio::test(flavor = "multi_thread")]
async fn given_a_message_of_64_mib_then_it_is_refused_and_the_others_go_on() {
    let backend = Backend::new().await;
    let client = backend.client("test").await;
    let at = backend.address();
    let bearer = format!("Bearer {}", backend.token("answerTokenFile"));
    let size = 64 << 20;
    let head = format!(
        "POST / HTTP/1.1\r\nhost: {at}\r\nauthorization: {bearer}\r\ncontent-type: application/json\r\ncontent-length: {size}\r\n\r\n"
    );
    let mut long = head.into_bytes();
    long.resize(long.len() + size, b'a');
    is_refused(&raw(&at, &long).await, 413);
    // In one frame of a WebSocket: its length comes first, and that is enough.
    let mut stream = TcpStream::connect(&at).await.unwrap();
    stream.write_all(&upgrade(&at, &[("authorization", &bearer)])).await.unwrap();
    let mut answer = vec![0; 4096];
    let read = stream.read(&mut answer).await.unwrap();
    assert!(answer[..read].starts_with(b"HTTP/1.1 101 "));
    let mut frame = vec![0x81, 0x80 | 127];
    frame.extend_from_slice(&(size as u64).to_be_bytes());
    frame.extend_from_slice(&[0; 4]);
    frame.resize(frame.len() + size, b'a');
    let (mut reader, mut writer) = stream.into_split();
    let sending = tokio::spawn(async move {
        let _ = writer.write_all(&frame).await;
    });
    let mut told = Vec::new();
    let _ =
        tokio::time::timeout(LIMIT, reader.read_to_end(&mut told)).await.expect("the connection is closed");
    assert!(!String::from_utf8_lossy(&told).contains("\"result\""));
    sending.abort();
    assert_eq!(client.ask("session/list", json!({})).await, json!([]));
}

/// Ten thousand connections: strangers make room for each other, and who has come in stays. Attack 172.
#[tokio::test(flavor = "multi_thread")]
async fn given_ten_thousand_connections_then_whoever_is_in_stays_in_and_others_still_come_in() {
    let backend = Backend::new().await;
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let tab = demo(&client, &backend.machine).await;
    let at = backend.address();
    let flood = tokio::spawn(async move {
        let mut open = std::collections::VecDeque::new();
        for number in 0..10_000_u32 {
            // So many at once as a process may have files.
            if open.len() >= 400 {
                open.pop_front();
            }
            if let Ok(mut stream) = TcpStream::connect(&at).await {
                match number % 3 {
                    0 => {}
                    1 => drop(stream.write_all(b"GET / HTTP/1.1\r\nhost: 127").await),
                    _ => drop(stream.write_all(b"\x16\x03\x01\x02\x00garbage\r\n\r\n").await),
                }
                open.push_back(stream);
            }
        }
        open
    });
    client.prompt(&tab, "demo: write a.txt x").await;
    let card = events.until("approval-request").await;
    client.answer(&card, "allow_once").await.unwrap();
    events.until("turn-ended").await;
    let mut came_in = 0;
    while !flood.is_finished() {
        // The oldest stranger makes room: who says at once who it is comes in.
        if let Ok(one) = Client::connect(&backend.text("ws"), &backend.token("answerTokenFile")).await {
            came_in += usize::from(one.call("session/list", json!({})).await.is_ok());
        }
    }
    let open = flood.await.unwrap();
    assert!(came_in > 0);
    let last = backend.client("late").await;
    assert_eq!(last.ask("session/list", json!({})).await.as_array().unwrap().len(), 1);
    assert_eq!(client.ask("session/list", json!({})).await.as_array().unwrap().len(), 1);
    drop(open);
    assert_eq!(backend.machine.text("a.txt").as_deref(), Some("x\n"));
}

/// "Ten thousand connections: ... the others not disturbed", also where they may ask: agents are given that credential.
/// Attack 175.
#[tokio::test(flavor = "multi_thread")]
async fn given_askers_that_take_all_places_then_whoever_may_answer_still_comes_in() {
    let backend = Backend::new().await;
    let at = backend.address();
    let bearer = format!("Bearer {}", backend.token("askTokenFile"));
    let mut open = Vec::new();
    let refused = loop {
        let mut stream = TcpStream::connect(&at).await.unwrap();
        stream.write_all(&upgrade(&at, &[("authorization", &bearer)])).await.unwrap();
        let mut head = [0; 12];
        stream.read_exact(&mut head).await.unwrap();
        if !head.ends_with(b"101") {
            break head;
        }
        open.push(stream);
        assert!(open.len() < 1024, "nobody else finds a place any more");
    };
    assert!(refused.ends_with(b"503") && open.len() >= 64, "{refused:?} after {}", open.len());
    assert_eq!(backend.client("test").await.ask("session/list", json!({})).await, json!([]));
    // Whoever goes makes room.
    drop(open);
    let room = async {
        while Client::connect(&backend.text("ws"), &backend.token("askTokenFile")).await.is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(LIMIT, room).await.unwrap();
}

/// D6.8: Answers from a descendant of a gated agent are refused. Attack 170: the agent "reads the token and
/// posts an answer".
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn given_an_agent_that_has_read_the_token_then_its_answer_is_refused() {
    const SCRIPT: &str = r#"
import glob, json, os, urllib.request
folder = os.path.expanduser("~/../state/mayi/serve/")
token = open(glob.glob(folder + "*.answer")[0]).read().strip()
url = open("url.txt").read().strip()
def call(method, params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    headers = {"authorization": "Bearer " + token, "content-type": "application/json"}
    return urllib.request.urlopen(urllib.request.Request(url, body, headers)).read().decode()
try:
    waiting = json.loads(call("approval/list", {"pending": True}))["result"]
    card = waiting[0]["card"]
    said = call("approval/respond", {"approvalId": card["approvalId"], "digest": card["digest"],
        "response": {"outcome": {"outcome": "selected", "optionId": "allow_once"}}})
except urllib.error.HTTPError as error:
    said = str(error.code) + " " + error.read().decode()
open("said.tmp", "w").write(said)
os.rename("said.tmp", "said.txt")
"#;
    let rule = "version = 1\n[[rule]]\neffect = \"allow\"\npattern = \"shell(python3 evil.py)\"\n";
    let machine = Machine::new().user(rule).file("evil.py", SCRIPT);
    let backend = Backend::on(machine, &[]).await;
    std::fs::write(backend.machine.work().join("url.txt"), backend.text("url")).unwrap();
    let client = backend.client("test").await;
    let mut events = client.events(None).await;
    let (one, two) = (demo(&client, &backend.machine).await, demo(&client, &backend.machine).await);
    client.prompt(&one, "demo: write a.txt x").await;
    let card = events.until("approval-request").await;
    client.prompt(&two, "demo: run python3 evil.py").await;
    appears(&backend.machine.work().join("said.txt")).await;
    let said = backend.machine.text("said.txt").unwrap();
    assert!(said.starts_with("403 ") && said.contains("an agent can't answer"), "{said}");
    let waiting = client.ask("approval/list", json!({"pending": true})).await;
    assert_eq!(waiting[0]["card"]["approvalId"], card["approvalId"]);
    client.answer(&card, "deny").await.unwrap();
}

/// What an agent has started is no backend either: its credential would answer for the person. Attack 170.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn given_an_agent_that_starts_a_backend_of_its_own_then_it_does_not_start() {
    const SCRIPT: &str = r#"
import os, subprocess
ran = subprocess.run([open("mayi.txt").read().strip(), "serve"], capture_output=True, text=True, timeout=30)
open("said.tmp", "w").write(str(ran.returncode) + ran.stdout + ran.stderr)
os.rename("said.tmp", "said.txt")
"#;
    let rule = "version = 1\n[[rule]]\neffect = \"allow\"\npattern = \"shell(python3 evil.py)\"\n";
    let machine = Machine::new().user(rule).file("evil.py", SCRIPT);
    let program = mayi_tests::mayi_program();
    let backend = Backend::on(machine.file("mayi.txt", program.to_str().unwrap()), &[]).await;
    let client = backend.client("test").await;
    let tab = demo(&client, &backend.machine).await;
    client.prompt(&tab, "demo: run python3 evil.py").await;
    appears(&backend.machine.work().join("said.txt")).await;
    let said = backend.machine.text("said.txt").unwrap();
    assert!(said.starts_with('2') && said.contains("an agent can't answer"), "{said}");
    // By its name it is denied before that.
    let decision = client.ask("check", json!({"call": {"kind": "shell", "command": "mayi serve"}})).await;
    assert_eq!(decision["effect"], "deny", "{decision}");
    let token = backend.text("answerTokenFile");
    let decision = client.ask("check", json!({"call": {"kind": "read", "path": token}})).await;
    assert_eq!(decision["effect"], "deny", "{decision}");
}

/// "pairing by a one-time code typed on the page, never a secret in a URL." Attack 23.
#[tokio::test(flavor = "multi_thread")]
async fn given_the_page_then_only_one_that_was_paired_comes_in_and_only_from_its_own_address() {
    let backend = Backend::on(Machine::new(), &["--ui"]).await;
    let at = backend.address();
    let own = format!("http://{at}");
    let index =
        raw(&at, format!("GET /ui/ HTTP/1.1\r\nhost: {at}\r\nconnection: close\r\n\r\n").as_bytes()).await;
    assert!(index.contains("content-security-policy: default-src 'none'"), "{index}");
    let client = backend.client("test").await;
    let code = client.ask("ui/pair", json!({})).await["code"].as_str().unwrap().to_owned();
    let pair = |code: &str, origin: &str| {
        let body = json!({ "code": code }).to_string();
        format!("POST /ui/pair HTTP/1.1\r\nhost: {at}\r\norigin: {origin}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes()
    };
    is_refused(&raw(&at, &pair(&code, "https://evil.example")).await, 403);
    is_refused(&raw(&at, &pair("aaaaa-aaaaa", &own)).await, 403);
    let paired = raw(&at, &pair(&code, &own)).await;
    let body: Value = serde_json::from_str(paired.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    let protocols = format!("mayi, mayi.token.{}", body["token"].as_str().unwrap());
    is_refused(&raw(&at, &pair(&code, &own)).await, 403);
    let with = |origin: &str, protocols: &str| {
        upgrade(&at, &[("origin", origin), ("sec-websocket-protocol", protocols)])
    };
    assert!(raw(&at, &with(&own, &protocols)).await.starts_with("HTTP/1.1 101 "));
    // It sees what waits and answers it; it starts nothing, and changes nothing else.
    let listed = raw(&at, &post(&at, &[("origin", &own), ("sec-websocket-protocol", &protocols)])).await;
    assert!(listed.contains("-32030"), "{listed}");
    is_refused(&raw(&at, &with("https://evil.example", &protocols)).await, 403);
    is_refused(&raw(&at, &with(&own, "mayi, mayi.token.0000")).await, 401);
    // Without a page, the page's token is none; and the page is not let in by the editor's.
    is_refused(&raw(&at, &upgrade(&at, &[("sec-websocket-protocol", &protocols)])).await, 401);
    let bearer = format!("Bearer {}", backend.token("answerTokenFile"));
    is_refused(&raw(&at, &upgrade(&at, &[("origin", &own), ("authorization", &bearer)])).await, 401);
    let none = Backend::new().await;
    let at = none.address();
    is_refused(&raw(&at, format!("GET /ui/ HTTP/1.1\r\nhost: {at}\r\n\r\n").as_bytes()).await, 404);
}
