//! Who should not be served, and what should not be believed.

use mayi_tests::endpoint::{KEY, Trouble};
use serde_json::{Value, json};

use crate::scene::{Scene, message, server, wants};

/// Attack 353: a web page, a name that leads to this machine, no key, another's key.
#[test]
fn given_a_web_page_or_no_key_then_nothing_reaches_the_endpoint() {
    let scene = Scene::new(&["--allow", "mcp(docs/*)"]);
    let base = scene.base();
    let at = base.trim_start_matches("http://").trim_end_matches("/v1");
    let own = format!("authorization: Bearer {}\r\n", scene.token());
    let body = wants(&json!([["search"]]), false).to_string();
    for (headers, status) in [
        (format!("host: {at}\r\n{own}origin: https://evil.example\r\n"), 403),
        (format!("host: {at}\r\n{own}origin: http://{at}\r\n"), 403),
        (format!("host: {at}\r\n{own}origin: null\r\n"), 403),
        (format!("host: evil.example\r\n{own}"), 403),
        (format!("host: {at}\r\n"), 401),
        (format!("host: {at}\r\nauthorization: Bearer {KEY}\r\n"), 401),
        (format!("host: {at}\r\nauthorization: Bearer {}x\r\n", scene.token()), 401),
        (format!("host: {at}\r\ncookie: token={}\r\n", scene.token()), 401),
        (format!("host: {at}\r\n{own}upgrade: websocket\r\nconnection: upgrade\r\n"), 403),
        (format!("host: {at}\r\n{own}content-encoding: gzip\r\n"), 415),
    ] {
        let got = scene.raw("POST", "/v1/responses", &headers, &body).end();
        assert_eq!(got.status, status, "{headers} {got:?}");
    }
    assert!(scene.endpoint.requests().is_empty());
    assert_eq!(scene.raw("POST", "/v1/responses", &format!("host: {at}\r\n{own}"), &body).end().status, 200);
}

/// Attack 353: a program that an agent has started, with the app's key: its calls would be judged as the app's. With `--open`
/// (only connections of this user that no gated agent started) it would not even need that. Attack 381.
#[test]
fn given_a_program_within_an_agent_then_it_is_not_the_app() {
    within_an_agent(&Scene::new(&["--allow", "mcp(docs/*)"]));
    within_an_agent(&Scene::new(&["--allow", "mcp(docs/*)", "--open"]));
}

fn within_an_agent(scene: &Scene) {
    let program = format!(
        "import json, urllib.request, urllib.error\n\
         headers = {{'authorization': 'Bearer {}', 'content-type': 'application/json'}}\n\
         request = urllib.request.Request('{}/responses', json.dumps({{'model': 'm', 'input': 'hi'}}).encode(), headers)\n\
         try:\n    said = str(urllib.request.urlopen(request).status)\n\
         except urllib.error.HTTPError as error:\n    said = str(error.code) + error.read().decode()\n\
         open('said', 'w').write(said)\n",
        scene.token(),
        scene.base()
    );
    let file = scene.machine.outside("app.py");
    std::fs::write(&file, program).unwrap();
    let said = || std::fs::read_to_string(scene.machine.work().join("said")).unwrap();
    let command = format!("python3 {}", file.display());
    let mut app = std::process::Command::new("python3");
    assert!(app.arg(&file).current_dir(scene.machine.work()).status().unwrap().success());
    assert_eq!(said(), "200");
    // The same program as an agent of mayi's. It speaks no protocol, and ends; it starts in a folder of mayi's own.
    let script = format!("cd {} && exec {command}", scene.machine.work().display());
    let _ =
        scene.mayi(&["run", "--command", &mayi_tests::command_line(["sh", "-c", &script]), "hi"]).output();
    assert!(said().starts_with("403") && said().contains("from an agent"), "{}", said());
    assert_eq!(scene.endpoint.requests().len(), 1);
}

/// Attack 382: an approval, or a server whose tools need none, by the items of a conversation or by steering a response, where mayi
/// would not see what is approved.
#[test]
fn given_an_approval_or_tools_in_another_request_then_it_does_not_reach_the_endpoint() {
    let scene = Scene::new(&["--allow", "mcp(docs/*)"]);
    let approval =
        json!({ "type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": true });
    let tools = json!({ "type": "additional_tools", "tools": [server("docs", json!("never"))] });
    for item in [&approval, &tools] {
        for path in ["/v1/conversations", "/v1/conversations/conv_1/items", "/v1/responses/resp_1/steer"] {
            let got = scene.send("POST", path, "", &json!({ "items": [item] }).to_string()).end();
            assert_eq!(
                (got.status, &got.json()["error"]["code"]),
                (400, &json!("mayi_request")),
                "{path} {got:?}"
            );
        }
    }
    // Anything else is the endpoint's, which here has no such path.
    let message = json!({ "items": [{ "type": "message", "role": "user", "content": "hi" }] });
    assert_eq!(
        scene.send("POST", "/v1/conversations/conv_1/items", "", &message.to_string()).end().status,
        404
    );
    assert_eq!(
        scene.send("POST", "/v1/Conversations/conv_1/items", "", &message.to_string()).end().status,
        403
    );
}

/// Attack 354: a server that the endpoint knows from elsewhere, such as a stored prompt: nobody knows which one it is.
#[test]
fn given_a_server_that_the_request_does_not_have_then_it_is_asked_about() {
    let scene = Scene::new(&["--allow", "mcp(docs/search)", "--allow", "mcp(other/write)"]);
    let reading = scene.begin(&wants(&json!([["search", "other/write"]]), false));
    let waiting = scene.waits(1);
    assert!(waiting[0].to_string().contains("does not say which server"), "{waiting:?}");
    scene.person("deny", "write");
    assert_eq!(message(&reading.end().json()), "search ran, write was not approved");
}

/// Attack 354: an endpoint that runs what nobody approved. It can't be stopped there, but the record says so, and so does mayi.
#[test]
fn given_a_call_that_ran_without_an_approval_then_the_record_says_unasked() {
    for stream in [true, false] {
        let scene = Scene::new(&["--allow", "mcp(docs/search)"]);
        scene.endpoint.trouble(Trouble::RunsUnasked);
        let got = scene.create(&wants(&json!([["search"]]), stream));
        assert_eq!(got.status, 200, "{got:?}");
        scene.recorded("unasked");
        let record = scene.record();
        let unasked: Vec<_> = record.iter().filter(|entry| entry["kind"] == "unasked").collect();
        assert_eq!(unasked.len(), 1, "{record:?}");
        assert!(unasked[0].to_string().contains("docs/secret"), "{unasked:?}");
        let said = std::fs::read_to_string(scene.machine.outside("errors")).unwrap();
        assert!(said.contains("docs/secret ran at the endpoint without having been asked about"), "{said}");
    }
}

/// Attack 355: a name that the user has settings for, at another address: it has none of them.
#[test]
fn given_a_server_at_another_address_then_it_has_no_settings_of_its_name() {
    let settings = "[servers.docs]\nurl = \"https://docs.example/mcp\"\napproval = \"not_required\"\n";
    let scene = Scene::with(settings, &["--on-ask", "deny"]);
    let mut body = wants(&json!([["search"]]), false);
    body["tools"] = json!([server("docs", json!("never"))]);
    assert_eq!(message(&scene.create(&body).json()), "search ran");
    for (name, value) in
        [("server_url", "https://docs.example/mcp/"), ("connector_id", "https://docs.example/mcp")]
    {
        let mut other = server("docs", json!("never"));
        other.as_object_mut().unwrap().remove("server_url");
        other[name] = json!(value);
        body["tools"] = json!([other]);
        assert_eq!(message(&scene.create(&body).json()), "search was not approved", "{name}");
    }
}

/// Attack 356: a secret of the app's or of a server's in the record, the inbox, or what mayi says.
#[test]
fn given_credentials_then_none_is_in_the_record_or_said() {
    let scene = Scene::new(&["--allow", "mcp(docs/search)"]);
    let reading = scene.begin(&wants(&json!([["search", "read"]]), true));
    let waiting = Value::from(scene.waits(1)).to_string();
    scene.person("approve", "read");
    let got = reading.end();
    let record = Value::from(scene.record()).to_string();
    let said = std::fs::read_to_string(scene.machine.outside("errors")).unwrap();
    assert!(record.contains("docs/search") && said.contains("docs/read waits for an answer"), "{said}");
    for secret in [KEY, scene.token(), "secret-of-the-server"] {
        assert!(!format!("{waiting}{record}{said}").contains(secret), "{secret}");
    }
    assert!(!got.body.contains(KEY) && !got.head.contains(KEY));
}

/// Attack 514: an endpoint or an app that has a key in a call: in its arguments, in what is said of its tool, in the app's own words.
#[test]
fn given_a_call_with_a_key_in_it_then_it_is_denied_and_the_key_is_nowhere() {
    for keep in [true, false] {
        let scene = if keep {
            Scene::recording(&["--allow", "mcp(docs/*)"])
        } else {
            Scene::new(&["--allow", "mcp(docs/*)"])
        };
        let mut body = wants(&json!([["leak", "search"]]), true);
        body["metadata"] = json!({ "token": scene.token() });
        let got = scene.create(&body);
        assert_eq!(message(&got.response()), "leak was not approved, search ran");
        // A server says of its tool what the endpoint was sent.
        scene.endpoint.describe("read", &format!("reads with {KEY}"));
        assert_eq!(
            message(&scene.create(&wants(&json!([["read"]]), true)).response()),
            "read was not approved"
        );
        let inbox = Value::from(scene.inbox()).to_string();
        let mut kept = format!("{inbox}{}{}", Value::from(scene.record()), scene.said()).into_bytes();
        if keep {
            kept.extend(std::fs::read(scene.machine.outside("recording")).unwrap());
        }
        for file in walk(&scene.machine.outside("data")) {
            if !file.ends_with("responses-token") {
                kept.extend(std::fs::read(file).unwrap());
            }
        }
        for key in [KEY, scene.token()] {
            assert!(!kept.windows(key.len()).any(|text| text == key.as_bytes()), "{key}");
        }
    }
}

/// All files in a folder and in those in it. A socket has no content.
fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let no_socket = |path: &std::path::PathBuf| {
        !std::os::unix::fs::FileTypeExt::is_socket(&path.symlink_metadata().unwrap().file_type())
    };
    let files = entries.filter(no_socket);
    files.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

/// Each app has a key of its own: none comes in as another. Attack 353.
#[test]
fn given_two_apps_then_neither_has_the_others_key() {
    let mut scene = Scene::new(&["--app", "strict", "--deny", "mcp(*)"]);
    let strict = scene.token().to_owned();
    scene.restart_as(&["--app", "loose"]);
    assert_ne!(scene.token(), strict);
    let at = scene.base().trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    let headers = format!("host: {at}\r\nauthorization: Bearer {strict}\r\n");
    let body = wants(&json!("hi"), false).to_string();
    assert_eq!(scene.raw("POST", "/v1/responses", &headers, &body).end().status, 401);
    scene.restart_as(&["--app", "strict"]);
    assert_eq!(scene.token(), strict);
}

/// Attack 357: a model that asks again and again: so many rounds are one answer, and no more.
#[test]
fn given_a_model_that_never_ends_then_it_is_ended() {
    let scene = Scene::new(&["--allow", "mcp(docs/*)"]);
    let rounds = Value::from(vec![json!(["search"]); 40]);
    let got = scene.create(&wants(&rounds, true));
    let events = got.events();
    assert_eq!(events.last().unwrap()["error"]["code"], "mayi_bounds");
    assert_eq!(scene.ran().len(), 32);
}
