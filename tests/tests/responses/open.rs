//! `--open`: no key of mayi's, and the app's own goes to the endpoint. Each of the conditions under which that is.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::process::Command;

use mayi_tests::endpoint::KEY;
use mayi_tests::{LIMIT, skipped};
use serde_json::{Value, json};

use crate::pty::Terminal;
use crate::scene::{Scene, message, wants};

/// A connection that stays.
struct Kept {
    stream: BufReader<TcpStream>,
    at: String,
}

impl Kept {
    fn new(scene: &Scene) -> Self {
        let at = scene.base().trim_start_matches("http://").trim_end_matches("/v1").to_owned();
        let stream = TcpStream::connect(&at).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        Self { stream: BufReader::new(stream), at }
    }

    /// Has a response made: the status, and the body.
    fn create(&mut self, body: &Value) -> (u16, Value) {
        let (at, body) = (&self.at, body.to_string());
        let head = format!(
            "POST /v1/responses HTTP/1.1\r\nhost: {at}\r\nauthorization: Bearer {KEY}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        self.stream.get_mut().write_all(format!("{head}{body}").as_bytes()).unwrap();
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.stream.read_line(&mut line).unwrap() > 0, "it was closed: {lines:?}");
            if line.trim().is_empty() {
                break;
            }
            lines.push(line.to_ascii_lowercase());
        }
        let length = lines
            .iter()
            .find_map(|line| line.strip_prefix("content-length: "))
            .unwrap_or_else(|| panic!("{lines:?}"));
        let mut text = vec![0; length.trim().parse().unwrap()];
        self.stream.read_exact(&mut text).unwrap();
        let status = lines[0].split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_slice(&text).unwrap())
    }
}

/// `--open` passes the app's own key through instead: [...] warned and recorded, and the key is not.
#[test]
fn given_open_then_the_apps_own_key_goes_up_which_is_warned_of_and_recorded() {
    let scene = Scene::new(&["--open", "--allow", "mcp(docs/search)"]);
    for stream in [true, false] {
        let got = scene.create(&wants(&json!([["search"]]), stream));
        let response = if stream { got.response() } else { got.json() };
        assert_eq!(message(&response), "search ran");
    }
    assert!(
        scene.endpoint.headers().iter().all(|sent| sent["authorization"] == format!("Bearer {KEY}").as_str())
    );
    // Another key is the endpoint's to refuse.
    let at = scene.base().trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    let body = wants(&json!("hi"), false).to_string();
    for key in ["authorization: Bearer other\r\n", ""] {
        let got = scene.raw("POST", "/v1/responses", &format!("host: {at}\r\n{key}"), &body).end();
        assert_eq!(
            (got.status, &got.json()["error"]["message"]),
            (401, &json!("Incorrect API key provided"))
        );
    }
    assert!(scene.said().contains("every program of this user can have tools called"), "{}", scene.said());
    scene.recorded("every program of this user can have tools called");
    scene.recorded("open:responses");
    assert!(!format!("{:?}{}", scene.record(), scene.said()).contains(KEY));
}

/// "loopback only", never with a key that the app does not have, and not as an app that has settings: nobody has shown that it
/// is that one.
#[test]
fn given_open_with_what_it_does_not_go_with_then_it_does_not_start() {
    let scene = Scene::new(&[]);
    for (words, says) in [
        (
            vec!["--upstream", "http://127.0.0.1:9/v1", "--listen", "0.0.0.0:0"],
            "could be reached from other machines",
        ),
        (vec!["--upstream", "http://127.0.0.1:9/v1", "--key-env", "HOME"], "cannot be used with"),
        (vec!["--upstream", "http://127.0.0.1:9/v1", "--token-file", "x"], "cannot be used with"),
        (vec!["--upstream", "http://127.0.0.1:9/v1", "--app", "chat"], "cannot be used with"),
        (vec!["--upstream", "http://api.example/v1"], "has to begin with https://"),
    ] {
        let out = scene.mayi(&[&["responses", "--open"], words.as_slice()].concat()).output().unwrap();
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(out.status.code() == Some(2) && said.contains(says), "{words:?} {said}");
    }
}

/// "no `Origin`, JSON only, the API's own methods only": nothing of it reaches the endpoint. Attack 381.
#[test]
fn given_open_then_pages_other_content_and_other_methods_are_refused() {
    let scene = Scene::new(&["--open", "--allow", "mcp(docs/*)"]);
    let at = scene.base().trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    let own = format!("host: {at}\r\nauthorization: Bearer {KEY}\r\n");
    let body = wants(&json!([["search"]]), false).to_string();
    for (method, path, headers, status) in [
        ("POST", "/v1/responses", format!("{own}origin: http://{at}\r\n"), 403),
        ("POST", "/v1/responses", format!("{own}origin: null\r\n"), 403),
        ("POST", "/v1/responses", format!("{own}sec-fetch-site: none\r\n"), 403),
        ("POST", "/v1/responses", format!("host: evil.example\r\nauthorization: Bearer {KEY}\r\n"), 403),
        ("POST", "/v1/chat/completions", own.clone(), 403),
        ("POST", "/v1/files", own.clone(), 403),
        ("POST", "/v1/realtime/calls", own.clone(), 403),
    ] {
        let got = scene.raw(method, path, &headers, &body).end();
        assert_eq!(got.status, status, "{method} {path} {headers} {got:?}");
    }
    assert!(scene.endpoint.requests().is_empty());
    assert_eq!(scene.raw("GET", "/v1/models", &own, "").end().status, 200);
}

/// "only connections of this user": another user's program has the same way in, and is not let in. Attack 381.
#[test]
fn given_open_then_another_users_program_is_not_let_in() {
    if !rustix::process::geteuid().is_root() {
        return skipped("only root can be another user too");
    }
    let scene = Scene::new(&["--open", "--allow", "mcp(docs/*)"]);
    let program = format!(
        "import json, urllib.request, urllib.error\n\
         headers = {{'authorization': 'Bearer {KEY}', 'content-type': 'application/json'}}\n\
         request = urllib.request.Request('{}/responses', json.dumps({{'model': 'm', 'input': 'hi'}}).encode(), headers)\n\
         try:\n    print(urllib.request.urlopen(request).status)\n\
         except urllib.error.HTTPError as error:\n    print(error.code, error.read().decode())\n",
        scene.base()
    );
    let run = |user: u32| {
        let out = Command::new("/usr/bin/env")
            .args(["python3", "-c", &program])
            .current_dir("/")
            .uid(user)
            .output()
            .unwrap();
        String::from_utf8(out.stdout).unwrap() + &String::from_utf8(out.stderr).unwrap()
    };
    assert_eq!(run(0).trim(), "200");
    let said = run(65534);
    assert!(said.starts_with("403") && said.contains("this comes from another user"), "{said}");
    assert_eq!(scene.endpoint.requests().len(), 1);
}

/// "one caller without grants, bypass or session scope": an answer counts once, and nothing else is offered or taken.
#[test]
fn given_open_then_an_answer_is_remembered_for_nobody() {
    let bypassed = "[agents.responses_open]\nbypass_permissions = true\n";
    let scene = Scene::with(bypassed, &["--open"]);
    let body = wants(&json!([["search"]]), false);
    let reading = scene.begin(&body);
    let [card] = <[Value; 1]>::try_from(scene.waits(1)).unwrap();
    let offered: Vec<&str> = card["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|option| option["optionId"].as_str().unwrap())
        .collect();
    assert_eq!(offered, ["allow_once", "deny"], "{card}");
    assert_eq!((&card["suggestions"], &card["agentName"]), (&json!([]), &json!("open:responses")));
    let id = card["id"].as_str().unwrap();
    for scope in ["--session", "--workspace", "--user"] {
        let terminal =
            Terminal::start(scene.mayi(&["inbox", "approve", id, scope, "mcp(docs/*)"]), (40, 120), false);
        assert!(!terminal.exit().success(), "{scope}: {}", terminal.screen());
    }
    scene.person("approve", "search");
    assert_eq!(message(&reading.end().json()), "search ran");
    let again = scene.begin(&body);
    scene.waits(1);
    scene.person("deny", "search");
    assert_eq!(message(&again.end().json()), "search was not approved");
    assert!(scene.lines(&["grants", "--json"]).is_empty());
}

/// "never answering approvals of another connection's chain": who was asked answers, and a retry joins nobody else's
/// question. Attack 383.
#[test]
fn given_open_then_no_connection_answers_or_takes_what_another_one_is_asked() {
    let scene = Scene::new(&["--open", "--allow", "mcp(docs/search)"]);
    let mut body = wants(&json!([["search"]]), false);
    body["background"] = json!(true);
    let (mut first, mut second) = (Kept::new(&scene), Kept::new(&scene));
    let (status, response) = first.create(&body);
    assert_eq!(status, 200, "{response}");
    let asked = response["output"]
        .as_array()
        .unwrap()
        .iter()
        .find(|item| item["type"] == "mcp_approval_request")
        .unwrap();
    let mut answer = wants(&json!(""), false);
    answer["previous_response_id"] = response["id"].clone();
    for approve in [true, false] {
        answer["input"] = json!([{ "type": "mcp_approval_response", "approval_request_id": asked["id"], "approve": approve }]);
        let (status, refused) = second.create(&answer);
        assert!(status == 403 && refused.to_string().contains("another connection"), "{status} {refused}");
    }
    assert_eq!(scene.endpoint.requests().len(), 1);
    answer["input"][0]["approve"] = json!(true);
    let (status, done) = first.create(&answer);
    assert_eq!((status, message(&done).as_str()), (200, "search ran"));
    // What an app says of itself was asked of nobody.
    let mut own = wants(&json!(""), false);
    own["store"] = json!(false);
    let request = json!({
        "type": "mcp_approval_request", "id": "mcpr_own", "server_label": "docs", "name": "search", "arguments": "{}",
    });
    own["input"] = json!([request, { "type": "mcp_approval_response", "approval_request_id": "mcpr_own", "approve": true }]);
    assert_eq!(first.create(&own).0, 403);
    // A conversation that another one has begun.
    let mut body = wants(&json!("hi"), false);
    body["conversation"] = json!("conv_1");
    assert_eq!(first.create(&body).0, 200);
    answer.as_object_mut().unwrap().remove("previous_response_id");
    answer["conversation"] = json!({ "id": "conv_1" });
    assert_eq!(second.create(&answer).0, 403);

    // The same words with another key are no retry of whoever is gone.
    let waits = wants(&json!([["read"]]), false);
    let gone = scene.begin(&waits);
    scene.waits(1);
    gone.abort();
    let at = scene.base().trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    let headers = format!("host: {at}\r\nauthorization: Bearer other\r\n");
    assert_eq!(scene.raw("POST", "/v1/responses", &headers, &waits.to_string()).end().status, 401);
}
