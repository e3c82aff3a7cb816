//! Tools and a prompt that need several rounds, from 2026-07-28: the server says what it needs, and the client asks
//! again with it. What the server has to remember meanwhile goes along, signed.

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, InputRequiredResult, InputResponses, RequestStateCodec,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value, json};

use crate::{result, text, typed};

/// What a tool says in one round.
enum Says {
    /// The result.
    Done(String),
    /// What is needed, by keys of its own, and what to remember.
    Needs(Value, Option<Value>),
}

/// One round of a tool.
struct Round<'r> {
    responses: Option<&'r InputResponses>,
    /// What was remembered, if the client brought it along.
    state: Option<Value>,
    able: ClientCapabilities,
}

/// The response of a tool, if it is one of these.
pub(crate) fn tool(
    states: &RequestStateCodec,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<Option<CallToolResponse>, ErrorData> {
    let name = request.name.as_ref();
    if !name.starts_with("test_input_required_result_") && name != "test_streaming_elicitation" {
        return Ok(None);
    }
    // A state belongs to the tool that it was made for.
    let opened = |sealed: &String| {
        let opened = states.open_json_with(sealed, name.as_bytes());
        opened.map_err(|_| ErrorData::invalid_params("requestState is not what this server gave out", None))
    };
    let round = Round {
        responses: request.input_responses.as_ref(),
        state: request.request_state.as_ref().map(opened).transpose()?,
        able: context.client_capabilities().unwrap_or_default(),
    };
    match round.of(name) {
        None => Ok(None),
        Some(Says::Done(said)) => Ok(Some(result::<CallToolResult>(text(said))?.into())),
        Some(Says::Needs(needs, state)) => {
            let options = rmcp::model::SealOptions::new().associated_data(name.as_bytes());
            let sealed = state.map(|state| states.seal_json_with(&state, &options)).transpose();
            let sealed = sealed.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            Ok(Some(required(&needs, sealed, &round.able)?.into()))
        }
    }
}

/// The response of the prompt that needs an answer at first, if it is that one.
pub(crate) fn prompt(
    request: &GetPromptRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<Option<GetPromptResponse>, ErrorData> {
    if request.name != "test_input_required_result_prompt" {
        return Ok(None);
    }
    let able = context.client_capabilities().unwrap_or_default();
    let round = Round { responses: request.input_responses.as_ref(), state: None, able };
    let Some(given) = round.accepted("user_context", "context") else {
        let needs =
            json!({ "user_context": form("What context should the prompt use?", "context", "string") });
        return Ok(Some(required(&needs, None, &round.able)?.into()));
    };
    let said = format!("Use this context: {}", given.as_str().unwrap_or_default());
    let message = json!({ "role": "user", "content": { "type": "text", "text": said } });
    Ok(Some(result::<GetPromptResult>(json!({ "messages": [message] }))?.into()))
}

impl Round<'_> {
    fn of(&self, tool: &str) -> Option<Says> {
        let name = || form("What is your name?", "name", "string");
        let says = match tool {
            "test_input_required_result_elicitation" | "test_streaming_elicitation" => {
                match self.accepted("user_name", "name") {
                    Some(Value::String(name)) => Says::Done(format!("Hello, {name}!")),
                    _ => Says::Needs(json!({ "user_name": name() }), None),
                }
            }
            "test_input_required_result_sampling" => match self.sampled("capital_question") {
                Some(said) => Says::Done(said.to_owned()),
                None => {
                    let asks = sampling("What is the capital of France?", 100);
                    Says::Needs(json!({ "capital_question": asks }), None)
                }
            },
            "test_input_required_result_list_roots" => match self.roots("client_roots") {
                Some(roots) => Says::Done(format!("The client's roots: {}", json!(roots))),
                None => Says::Needs(json!({ "client_roots": roots() }), None),
            },
            "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
                match (self.accepted("confirm", "ok"), &self.state) {
                    (Some(_), Some(_)) => Says::Done("Confirmed: state-ok".to_owned()),
                    _ => {
                        let asks = form("Please confirm", "ok", "boolean");
                        Says::Needs(json!({ "confirm": asks }), Some(json!({ "asked": "confirm" })))
                    }
                }
            }
            "test_input_required_result_multiple_inputs" => self.three_at_once(name()),
            "test_input_required_result_multi_round" => self.one_after_another(),
            "test_input_required_result_capabilities" => self.what_is_possible(),
            _ => return None,
        };
        Some(says)
    }

    fn three_at_once(&self, name: Value) -> Says {
        let given = (
            self.accepted("user_name", "name"),
            self.sampled("greeting"),
            self.roots("client_roots"),
            &self.state,
        );
        if let (Some(name), Some(greeting), Some(roots), Some(_)) = given {
            return Says::Done(format!("{greeting} to {name}, from {} roots", roots.len()));
        }
        let needs = json!({
            "user_name": name,
            "greeting": sampling("Generate a greeting", 50),
            "client_roots": roots(),
        });
        Says::Needs(needs, Some(json!({ "asked": "all" })))
    }

    fn one_after_another(&self) -> Says {
        // Only what a state says counts as answered before.
        let before = self.state.as_ref().and_then(|state| state.get("name")?.as_str());
        if let Some(name) = before {
            let asks = form("Step 2: What is your favorite color?", "color", "string");
            return match self.accepted("step2", "color") {
                Some(Value::String(color)) => Says::Done(format!("{name} likes {color}.")),
                _ => Says::Needs(json!({ "step2": asks }), self.state.clone()),
            };
        }
        match (self.accepted("step1", "name"), &self.state) {
            (Some(Value::String(name)), Some(_)) => {
                let asks = form("Step 2: What is your favorite color?", "color", "string");
                Says::Needs(json!({ "step2": asks }), Some(json!({ "name": name })))
            }
            _ => {
                let asks = form("Step 1: What is your name?", "name", "string");
                Says::Needs(json!({ "step1": asks }), Some(json!({ "name": null })))
            }
        }
    }

    /// Needs whatever the client can give.
    fn what_is_possible(&self) -> Says {
        let mut needs = Map::new();
        if self.able.elicitation.is_some() {
            needs.insert("user_name".into(), form("What is your name?", "name", "string"));
        }
        if self.able.sampling.is_some() {
            needs.insert("capital_question".into(), sampling("What is the capital of France?", 100));
        }
        if self.able.roots.is_some() {
            needs.insert("client_roots".into(), roots());
        }
        let given = |key: &String| self.responses.is_some_and(|responses| responses.contains_key(key));
        if needs.keys().all(given) {
            return Says::Done("Nothing is needed that the client could give.".to_owned());
        }
        Says::Needs(Value::Object(needs), None)
    }

    /// A field of a form that was filled in.
    fn accepted(&self, key: &str, field: &str) -> Option<&Value> {
        let response = self.responses?.get(key)?;
        let accepted = response.get("action").is_some_and(|action| action == "accept");
        response.get("content")?.get(field).filter(|_| accepted)
    }

    fn sampled(&self, key: &str) -> Option<&str> {
        self.responses?.get(key)?.pointer("/content/text")?.as_str()
    }

    fn roots(&self, key: &str) -> Option<&Vec<Value>> {
        self.responses?.get(key)?.get("roots")?.as_array()
    }
}

/// What is needed, if the client can give it.
fn required(
    needs: &Value,
    state: Option<String>,
    able: &ClientCapabilities,
) -> Result<InputRequiredResult, ErrorData> {
    let wanted = ClientCapabilities::builder();
    for need in needs.as_object().into_iter().flat_map(Map::values) {
        let missing = match need.get("method").and_then(Value::as_str) {
            Some("elicitation/create") if able.elicitation.is_none() => wanted.enable_elicitation().build(),
            Some("sampling/createMessage") if able.sampling.is_none() => wanted.enable_sampling().build(),
            Some("roots/list") if able.roots.is_none() => wanted.enable_roots().build(),
            _ => continue,
        };
        return Err(ErrorData::missing_required_client_capability(missing));
    }
    let mut result = json!({ "resultType": "input_required", "inputRequests": needs });
    if let (Some(state), Value::Object(result)) = (state, &mut result) {
        result.insert("requestState".into(), json!(state));
    }
    typed(result)
}

fn form(message: &str, field: &str, kind: &str) -> Value {
    json!({ "method": "elicitation/create", "params": {
        "mode": "form",
        "message": message,
        "requestedSchema": {
            "type": "object",
            "properties": { field: { "type": kind } },
            "required": [field],
        },
    } })
}

fn sampling(asks: &str, tokens: u32) -> Value {
    json!({ "method": "sampling/createMessage", "params": {
        "messages": [{ "role": "user", "content": { "type": "text", "text": asks } }],
        "maxTokens": tokens,
    } })
}

fn roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}
