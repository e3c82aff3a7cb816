//! What an app wants: its request to make a response, and the requests that go on with it.

use std::collections::{BTreeMap, BTreeSet};

use mayi_core::approval::escape_line;
use mayi_core::call::json::parse_strict;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use url::Url;

use crate::items::{ObjectKind, refuse_confusable, visit_objects};
use crate::require_approval::ApprovalRequirement;

/// An MCP server, as the app describes it to the endpoint.
#[derive(Clone, Debug)]
pub(crate) struct McpServer {
    /// Where it is: `server_url`, `connector_id` or `tunnel_id`, and its value.
    pub(crate) location: Option<(&'static str, String)>,
    pub(crate) require: ApprovalRequirement,
    pub(crate) description: Option<String>,
}

impl McpServer {
    /// Where it is, for people: without what could be a secret.
    pub(crate) fn visible_place(&self) -> Option<String> {
        let (kind, value) = self.location.as_ref()?;
        let mut text = value.clone();
        if let Ok(mut url) = Url::parse(value) {
            let _ = (url.set_username(""), url.set_password(None));
            url.set_query(None);
            url.set_fragment(None);
            text = url.into();
        }
        Some(format!("{kind}: {text}"))
    }
}

/// A request to make a response.
#[derive(Clone, Debug)]
pub(crate) struct CreateRequest {
    body: Map<String, Value>,
    /// The text that came, as long as nothing of it had to be changed.
    original_text: Option<Vec<u8>>,
    /// Events are wanted.
    pub(crate) stream: bool,
    /// The answer is fetched later.
    pub(crate) background: bool,
    /// By their labels.
    pub(crate) servers: BTreeMap<String, McpServer>,
    /// `previous_response_id`, as the app said it.
    pub(crate) previous: Option<String>,
}

/// What is counted of a response that is to go on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SpentCounts {
    pub(crate) output_tokens: u64,
    pub(crate) tool_calls: u64,
}

/// The smallest `max_output_tokens` that the API takes.
const LEAST_TOKENS: u64 = 16;

/// The members that are read here: others must not read them otherwise.
const NAMES: &[&str] = &[
    "tools",
    "input",
    "stream",
    "background",
    "store",
    "previous_response_id",
    "conversation",
    "tool_choice",
    "max_output_tokens",
    "max_tool_calls",
];
/// Members in which nothing is a server or an answer: what the model is to choose, the app's words, the form of the answer.
const PLAIN: &[&str] = &["tool_choice", "metadata", "prompt", "text"];

impl CreateRequest {
    /// Reads a request. Every MCP server in it is then one whose every call is asked about, so that mayi sees it.
    ///
    /// # Errors
    /// If programs could read it differently; one line.
    pub(crate) fn read(bytes: Vec<u8>) -> Result<Self, String> {
        let text = std::str::from_utf8(&bytes).map_err(|_| "the request is no text".to_owned())?;
        let wrong = |error: serde_json::Error| {
            format!("the request can't be read: {}", escape_line(&error.to_string()))
        };
        let Value::Object(mut body) = parse_strict(text).map_err(wrong)? else {
            return Err("the request is no JSON object".to_owned());
        };
        refuse_confusable(&body, NAMES)?;
        if body.get("input").is_some_and(|input| !(input.is_string() || input.is_array() || input.is_null()))
        {
            return Err("`input` is neither a text nor a list".to_owned());
        }
        if body.get("tools").is_some_and(|tools| !(tools.is_array() || tools.is_null())) {
            return Err("`tools` is no list".to_owned());
        }
        let mut found = FoundTools::default();
        for (name, value) in body.iter_mut().filter(|(name, _)| !PLAIN.contains(&&***name)) {
            let item = name == "input";
            visit_objects(value, 0, &mut |is, members, depth| match is {
                ObjectKind::Server => found.add_server(members),
                // Deeper than the items of the input nobody would judge it.
                ObjectKind::Approval if !(item && depth == 1) => {
                    Err("an mcp_approval_response stands where it is no item of the input".to_owned())
                }
                ObjectKind::Approval | ObjectKind::Other => Ok(()),
            })?;
        }
        let is = |name: &str| body.get(name).and_then(Value::as_bool) == Some(true);
        let previous = body.get("previous_response_id").and_then(Value::as_str).map(str::to_owned);
        let (stream, background) = (is("stream"), is("background"));
        let came = (!found.changed).then_some(bytes);
        Ok(Self { stream, background, servers: found.servers, previous, original_text: came, body })
    }

    /// The request for the endpoint, where `previous` is what the app goes on from.
    pub(crate) fn first_body(&mut self, previous: Option<&str>) -> Vec<u8> {
        if previous != self.previous.as_deref() {
            self.original_text = None;
            match previous {
                Some(previous) => self.body.insert("previous_response_id".to_owned(), json!(previous)),
                None => self.body.shift_remove("previous_response_id"),
            };
        }
        self.original_text.clone().unwrap_or_else(|| serialize_body(&self.body))
    }

    /// The items of the input, where they are a list.
    pub(crate) fn input_items(&self) -> &[Value] {
        self.body.get("input").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    /// Puts `item` in the place of the one at `at`.
    pub(crate) fn replace_item(&mut self, at: usize, item: Value) {
        let items = self.body.get_mut("input").and_then(Value::as_array_mut);
        if let Some(old) = items.and_then(|items| items.get_mut(at)) {
            *old = item;
            self.original_text = None;
        }
    }

    /// The conversation that it belongs to.
    pub(crate) fn conversation(&self) -> Option<&str> {
        let conversation = self.body.get("conversation")?;
        conversation.as_str().or_else(|| conversation.get("id")?.as_str())
    }

    /// The endpoint keeps nothing: whoever goes on sends everything again.
    pub(crate) fn is_stateless(&self) -> bool {
        self.body.get("store").and_then(Value::as_bool) == Some(false)
    }

    /// Whether what is left of the app's limits is enough to go on.
    pub(crate) fn can_go_on(&self, spent: SpentCounts) -> bool {
        self.limit_member("max_output_tokens").is_none_or(|most| most >= spent.output_tokens + LEAST_TOKENS)
    }

    /// Whether the app's limit lets one more tool be called.
    pub(crate) fn can_call(&self, spent: SpentCounts) -> bool {
        self.limit_member("max_tool_calls").is_none_or(|most| most > spent.tool_calls)
    }

    fn limit_member(&self, name: &str) -> Option<u64> {
        self.body.get(name).and_then(Value::as_u64)
    }

    /// The request that goes on with `answers` to what `response` asked. `before`: the items of all responses so far, for an
    /// endpoint that keeps none. Everything but its input is said again, since the endpoint carries nothing over, and what is
    /// limited is what is left.
    pub(crate) fn next(
        &self,
        response: &str,
        answers: Vec<Value>,
        before: &[Box<RawValue>],
        spent: SpentCounts,
    ) -> Vec<u8> {
        let mut body = self.body.clone();
        let mut set = |name: &str, value: Value| body.insert(name.to_owned(), value);
        if self.is_stateless() {
            let mut input = match self.body.get("input") {
                Some(Value::Array(items)) => items.clone(),
                Some(Value::String(text)) => vec![json!({ "role": "user", "content": text })],
                _ => Vec::new(),
            };
            remove_approved(&mut input);
            input.extend(before.iter().filter_map(|item| replay_item(item)));
            input.extend(answers);
            set("input", Value::Array(input));
        } else {
            set("input", Value::Array(answers));
            if self.conversation().is_none() {
                set("previous_response_id", json!(response));
            }
        }
        if let Some(most) = self.limit_member("max_output_tokens") {
            set("max_output_tokens", json!(most.saturating_sub(spent.output_tokens).max(LEAST_TOKENS)));
        }
        if let Some(most) = self.limit_member("max_tool_calls") {
            set("max_tool_calls", json!(most.saturating_sub(spent.tool_calls).max(1)));
        }
        if let Some(choice) = self.body.get("tool_choice").and_then(unforce_choice) {
            set("tool_choice", choice);
        }
        serialize_body(&body)
    }
}

/// Leaves out what the app itself approved: it was sent once, and could run once more.
fn remove_approved(input: &mut Vec<Value>) {
    let is = |item: &Value, kind: &str| item.get("type").and_then(Value::as_str) == Some(kind);
    let approves =
        |item: &Value| is(item, "mcp_approval_response") && item.get("approve") != Some(&Value::Bool(false));
    let ids: Vec<Value> = input
        .iter()
        .filter(|item| approves(item))
        .filter_map(|item| item.get("approval_request_id").cloned())
        .collect();
    input.retain(|item| {
        let asked = is(item, "mcp_approval_request") && item.get("id").is_some_and(|id| ids.contains(id));
        !(asked || approves(item))
    });
}

/// An item that a response had, as it is said again. What an endpoint that keeps nothing could not find by its id is left out.
fn replay_item(item: &RawValue) -> Option<Value> {
    let item: Value = serde_json::from_str(item.get()).ok()?;
    let known = item.get("type").and_then(Value::as_str) != Some("reasoning")
        || item.get("encrypted_content").is_some_and(Value::is_string);
    known.then_some(item)
}

/// What a choice that forces a tool is once the tool was called: the model's own. None, if it forces nothing.
fn unforce_choice(choice: &Value) -> Option<Value> {
    match choice {
        Value::String(word) if word == "auto" || word == "none" => None,
        Value::Object(members) if members.get("type").and_then(Value::as_str) == Some("allowed_tools") => {
            let mut members = members.clone();
            members.insert("mode".to_owned(), json!("auto"));
            Some(Value::Object(members))
        }
        _ => Some(json!("auto")),
    }
}

fn serialize_body(body: &Map<String, Value>) -> Vec<u8> {
    // Every map of values can be written.
    serde_json::to_vec(body).unwrap_or_default()
}

/// What is found in the tools of a request.
#[derive(Default)]
struct FoundTools {
    servers: BTreeMap<String, McpServer>,
    labels: BTreeSet<String>,
    changed: bool,
}

impl FoundTools {
    fn add_server(&mut self, members: &mut Map<String, Value>) -> Result<(), String> {
        let label = members.get("server_label").and_then(Value::as_str);
        let label = label.ok_or("an MCP tool has no server_label")?.to_owned();
        if !self.labels.insert(label.clone()) {
            return Err(format!(
                "two MCP tools have the server_label `{}`: give each its own",
                escape_line(&label)
            ));
        }
        let text = |name: &str| members.get(name).and_then(Value::as_str).map(str::to_owned);
        let place = ["server_url", "connector_id", "tunnel_id"];
        let place = place.into_iter().find_map(|name| Some((name, text(name)?)));
        let (require, description) =
            (ApprovalRequirement::read(members.get("require_approval")), text("server_description"));
        self.servers.insert(label, McpServer { location: place, require, description });
        if members.get("require_approval") != Some(&json!("always")) {
            members.insert("require_approval".to_owned(), json!("always"));
            self.changed = true;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &Value) -> Result<CreateRequest, String> {
        CreateRequest::read(value.to_string().into_bytes())
    }

    fn parse_body(bytes: &[u8]) -> Value {
        serde_json::from_slice(bytes).unwrap()
    }

    fn mcp_server(require: Value) -> Value {
        json!({ "type": "mcp", "server_label": "docs", "server_url": "https://d/mcp", "require_approval": require })
    }

    /// "passes everything through": what needs no change is sent as it was written.
    #[test]
    fn given_a_request_that_needs_no_change_then_its_bytes_are_sent() {
        let text = r#"{ "temperature":1.00,"x-new":[ ],"input":"hi" , "tools":[{"type":"mcp","server_label":"d","require_approval":"always"}]}"#;
        let mut asked = CreateRequest::read(text.as_bytes().to_vec()).unwrap();
        assert_eq!(asked.first_body(None), text.as_bytes());
    }

    /// S6.2: on the way up it is "always", so that mayi sees every call. Wherever the server stands. Attack 16.
    #[test]
    fn given_any_require_approval_then_the_endpoint_asks_about_every_call() {
        for require in [json!("never"), json!({"never": {"tool_names": ["t"]}}), json!(null), json!("always")]
        {
            let nested = json!({ "type": "namespace", "tools": [mcp_server(require.clone())] });
            let items = json!([{ "type": "additional_tools", "tools": [mcp_server(require.clone())] }]);
            for body in [
                json!({ "tools": [mcp_server(require.clone())] }),
                json!({ "tools": [nested] }),
                json!({ "input": items }),
            ] {
                let sent = parse_body(&read(&body).unwrap().first_body(None)).to_string();
                assert!(sent.contains(r#""require_approval":"always""#), "{sent}");
                assert!(!sent.contains("never"), "{sent}");
            }
        }
    }

    /// Attack 352: a request that the endpoint reads otherwise than mayi does.
    #[test]
    fn given_a_request_that_could_be_read_otherwise_then_it_is_refused() {
        for body in [
            r#"{"tools":[],"tools":[{"type":"mcp"}]}"#,
            r#"{"Tools":[{"type":"mcp"}]}"#,
            r#"{"tools":[{"type":"MCP","server_label":"d"}]}"#,
            r#"{"tools":[{"type":"mcp","server_label":"d","Require_Approval":"never"}]}"#,
            r#"{"tools":[{"type":"mcp"}]}"#,
            r#"{"tools":{"a":{"type":"mcp","server_label":"d"}}}"#,
            r#"{"input":{"type":"message"}}"#,
            r#"{"tools":[{"type":"mcp","server_label":"d"},{"type":"mcp","server_label":"d"}]}"#,
            "[]",
            "{",
        ] {
            assert!(CreateRequest::read(body.as_bytes().to_vec()).is_err(), "{body}");
        }
    }

    /// S6.4, attack 506: what an item is, its members say. Endpoints fill in a type that is not there, and read names in other
    /// letters.
    #[test]
    fn given_an_approval_or_a_server_that_is_not_plainly_one_then_it_is_refused() {
        let (approval, place) = (json!({ "approval_request_id": "mcpr_1", "approve": true }), "server_url");
        let with = |value: &Value, name: &str, kind: Value| {
            let mut value = value.clone();
            value[name] = kind;
            value
        };
        let tool = json!({ "server_label": "d", place: "https://d/", "require_approval": "never" });
        for item in [
            approval.clone(),
            with(&approval, "type", json!(null)),
            with(&approval, "type", json!("message")),
            with(&approval, "Type", json!("mcp_approval_response")),
            with(&approval, "type", json!("MCP_approval_response")),
            with(&approval, "type", json!("mcp_approval_answer")),
            json!({ "type": "mcp_approval_response", "Approval_Request_ID": "mcpr_1", "approve": true }),
            json!({ "type": "message", "content": [with(&approval, "type", json!("mcp_approval_response"))] }),
            json!({ "Type": "mcp", "type": "function", "server_label": "d" }),
        ] {
            assert!(read(&json!({ "input": [item] })).is_err(), "{item}");
        }
        for tool in [
            tool.clone(),
            with(&tool, "type", json!(null)),
            with(&tool, "type", json!("function")),
            with(&tool, "Type", json!("mcp")),
            json!({ "type": "function", "parameters": { "type": "MCP", place: "https://d/" } }),
            json!({ "Server_URL": "https://d/" }),
        ] {
            assert!(read(&json!({ "tools": [tool] })).is_err(), "{tool}");
            assert!(
                read(&json!({ "input": [{ "type": "x", "deep": { "tools": [tool] } }] })).is_err(),
                "{tool}"
            );
            assert!(read(&json!({ "other_tools": [tool] })).is_err(), "{tool}");
        }
        // What is none of them passes: also arguments of such names, and what an endpoint that keeps nothing is told again.
        for body in [
            json!({ "tools": [{ "type": "function", "name": "f", "parameters": { "properties": { place: { "type": "string" } } } }] }),
            json!({ "tool_choice": { "type": "mcp", "server_label": "d" }, "metadata": { "type": "mcp" }, "input": null }),
            json!({ "input": [with(&approval, "type", json!("mcp_approval_response"))] }),
            json!({ "input": [
                { "type": "mcp_call", "server_label": "d", "approval_request_id": null },
                { "type": "mcp_approval_request", "server_label": "d", "id": "mcpr_1" },
                { "type": "mcp_list_tools", "server_label": "d", "tools": [{ "input_schema": { "properties": { place: {} } } }] },
            ] }),
        ] {
            assert!(read(&body).is_ok(), "{body}: {:?}", read(&body).err());
        }
        // Wherever a plain one stands, each of its calls is asked about.
        let deep = json!({ "input": [{ "type": "x", "deep": [with(&tool, "type", json!("mcp"))] }] });
        assert!(!String::from_utf8(read(&deep).unwrap().first_body(None)).unwrap().contains("never"));
    }

    /// The continuation repeats every field of the request but its input [...]; a forcing `tool_choice` becomes auto;
    /// caps become what is left of them.
    #[test]
    fn given_a_request_that_goes_on_then_every_field_is_said_again_and_limits_are_what_is_left() {
        let body = json!({
            "model": "m", "instructions": "be brief", "input": "hi", "tools": [mcp_server(json!("never"))],
            "tool_choice": "required", "max_output_tokens": 100, "max_tool_calls": 3, "metadata": {"a": "b"},
            "previous_response_id": "resp_0", "stream": true,
        });
        let answer =
            json!({ "type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": true });
        let spent = SpentCounts { output_tokens: 30, tool_calls: 1 };
        let next = parse_body(&read(&body).unwrap().next("resp_1", vec![answer.clone()], &[], spent));
        assert_eq!(
            next,
            json!({
                "model": "m", "instructions": "be brief", "input": [answer], "tools": [mcp_server(json!("always"))],
                "tool_choice": "auto", "max_output_tokens": 70, "max_tool_calls": 2, "metadata": {"a": "b"},
                "previous_response_id": "resp_1", "stream": true,
            })
        );
        assert!(read(&body).unwrap().can_go_on(spent));
        assert!(!read(&body).unwrap().can_go_on(SpentCounts { output_tokens: 90, ..spent }));
    }

    /// `store: false` and conversations are handled: the one says everything again, the other names no response.
    #[test]
    fn given_an_endpoint_that_keeps_nothing_then_all_items_are_said_again() {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let before = [
            raw(r#"{"type":"reasoning","id":"rs_1"}"#),
            raw(r#"{"type":"reasoning","id":"rs_2","encrypted_content":"x"}"#),
            raw(r#"{"type":"mcp_approval_request","id":"mcpr_1"}"#),
        ];
        let asked = read(&json!({ "input": "hi", "store": false })).unwrap();
        let next = parse_body(&asked.next("resp_1", vec![json!({"a": 1})], &before, SpentCounts::default()));
        assert_eq!(next["input"].as_array().unwrap().len(), 4);
        assert_eq!(next["input"][0], json!({ "role": "user", "content": "hi" }));
        assert_eq!(next["input"][1]["id"], "rs_2");
        assert!(next.get("previous_response_id").is_none());
        let asked = read(&json!({ "input": "hi", "conversation": "conv_1" })).unwrap();
        let next = parse_body(&asked.next("resp_1", vec![], &before, SpentCounts::default()));
        assert_eq!(next, json!({ "input": [], "conversation": "conv_1" }));
    }

    /// S6.7, attack 509: what was approved once is not sent again with the answer to another question, the app's own included.
    #[test]
    fn given_an_approval_of_the_apps_own_then_it_is_sent_once() {
        let answer = |id: &str, approve: bool| json!({ "type": "mcp_approval_response", "approval_request_id": id, "approve": approve });
        let request = |id: &str| json!({ "type": "mcp_approval_request", "id": id, "server_label": "docs" });
        let input =
            json!([request("mcpr_a"), request("mcpr_b"), answer("mcpr_a", true), answer("mcpr_b", false)]);
        let asked = read(&json!({ "input": input, "store": false })).unwrap();
        let next =
            parse_body(&asked.next("resp_1", vec![answer("mcpr_c", true)], &[], SpentCounts::default()));
        assert_eq!(
            next["input"],
            json!([request("mcpr_b"), answer("mcpr_b", false), answer("mcpr_c", true)])
        );
    }

    /// A secret in a server's address is not shown.
    #[test]
    fn given_an_address_with_a_secret_then_it_is_shown_without_it() {
        let mut tool = mcp_server(json!("always"));
        tool["server_url"] = json!("https://me:secret@d.example/mcp?token=secret#x");
        let asked = read(&json!({ "tools": [tool] })).unwrap();
        assert_eq!(
            asked.servers["docs"].visible_place().as_deref(),
            Some("server_url: https://d.example/mcp")
        );
    }
}
