//! Reading what the agent writes: one JSON-RPC message a line, bounded, and read strictly where it
//! will be judged.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use mayi_core::approval::escape_line;
use mayi_core::call::json;

/// The member that stands in for the parameters of a message that must not be judged.
pub(super) const REFUSED: &str = "mayi/refused";

/// Requests whose parameters are judged.
const JUDGED: &[&str] =
    &["session/request_permission", "fs/read_text_file", "fs/write_text_file", "terminal/create"];

/// A line of the agent's.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A message, to be passed on; its parameters may have been replaced by [`REFUSED`].
    Message(String),
    /// Nothing.
    Empty,
    /// Not JSON at all.
    NotJson(String),
    /// JSON, but not one JSON-RPC message.
    NotRpc(String),
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(default)]
    method: Option<String>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// Reads a line.
pub(super) fn read(line: String) -> Line {
    let text = line.trim();
    if text.is_empty() {
        return Line::Empty;
    }
    let envelope: Envelope<'_> = match serde_json::from_str(text) {
        Ok(envelope) => envelope,
        Err(error) => {
            let start: String = escape_line(&text.chars().take(80).collect::<String>());
            // A member that is there twice is an error of the envelope too.
            if text.starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
                return Line::NotRpc(format!("{error}: {start}"));
            }
            if text.starts_with('[') && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
                return Line::NotRpc(format!("an array where one message belongs: {start}"));
            }
            return Line::NotJson(start);
        }
    };
    let fits = envelope.jsonrpc.is_some_and(|version| version.get() == "\"2.0\"")
        && (envelope.method.is_some()
            || (envelope.id.is_some() && (envelope.result.is_some() || envelope.error.is_some())));
    if !fits {
        return Line::NotRpc(format!(
            "no JSON-RPC 2.0 message: {}",
            escape_line(&text.chars().take(80).collect::<String>())
        ));
    }
    let (Some(method), Some(params)) = (envelope.method.as_deref(), envelope.params) else {
        return Line::Message(line);
    };
    let update = method == "session/update";
    if !JUDGED.contains(&method) && !update {
        return Line::Message(line);
    }
    // Updates of tool calls are evidence; streamed text is not worth a second reading.
    if update && !params.get().contains("tool_call") && !params.get().contains("\\u") {
        return Line::Message(line);
    }
    let Err(error) = json::parse_strict(params.get()) else { return Line::Message(line) };
    let id = envelope.id.and_then(|id| serde_json::from_str::<Value>(id.get()).ok());
    let mut message = serde_json::json!({
        "jsonrpc": "2.0", "method": method,
        "params": { REFUSED: error.to_string(), "toolCallId": find_member_text(params.get(), "toolCallId"), "sessionId": find_member_text(params.get(), "sessionId") },
    });
    if let (Some(id), Some(object)) = (id, message.as_object_mut()) {
        object.insert("id".to_owned(), id);
    }
    Line::Message(message.to_string())
}

/// The tool call or session that an ambiguous message is about, so that it taints that one.
fn find_member_text(params: &str, name: &str) -> Option<String> {
    let at = params.find(&format!("\"{name}\""))?;
    let rest = params.get(at..)?.split_once(':')?.1.trim_start();
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    values.next()?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_plain_messages_then_they_pass_as_they_are() {
        for line in [
            r#"{"jsonrpc":"2.0","id":0,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk"}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{"command":"ls"}}"#,
        ] {
            assert_eq!(read(line.to_owned()), Line::Message(line.to_owned()));
        }
        assert_eq!(read("  ".to_owned()), Line::Empty);
    }

    /// Attack 35.
    #[test]
    fn given_something_else_then_it_is_named() {
        assert!(matches!(read("npm warn x".to_owned()), Line::NotJson(_)));
        assert!(matches!(read(r#"{"jsonrpc": oops"#.to_owned()), Line::NotJson(_)));
        for line in [
            "[]",
            r#"[{"jsonrpc":"2.0","method":"x"}]"#,
            "{}",
            r#"{"hello":1}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
        ] {
            assert!(matches!(read(line.to_owned()), Line::NotRpc(_)), "{line}");
        }
    }

    /// Attack 14: "duplicate JSON keys, `1e400`, lone surrogates in arguments: refused". The request
    /// keeps its id, so that the agent gets an answer.
    #[test]
    fn given_an_ambiguous_request_then_its_parameters_are_replaced() {
        for input in [r#"{"command":"ls","command":"rm"}"#, r#"{"n":1e400}"#, r#"{"s":"\ud800"}"#] {
            let line = format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{{"toolCall":{{"toolCallId":"t1","rawInput":{input}}}}}}}"#
            );
            let Line::Message(message) = read(line) else { panic!("{input}") };
            let message: Value = serde_json::from_str(&message).unwrap();
            assert_eq!(message["id"], 7);
            assert!(message["params"][REFUSED].is_string(), "{message}");
            assert_eq!(message["params"]["toolCallId"], "t1");
        }
    }

    /// Attack 14, where the kind of the update is written with an escape. Attack 52.
    #[test]
    fn given_an_update_with_escapes_then_it_is_read_strictly_too() {
        let line = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool\u005fcall","toolCallId":"t","rawInput":{"a":1,"a":2}}}}"#;
        let Line::Message(message) = read(line.to_owned()) else { panic!() };
        let message: Value = serde_json::from_str(&message).unwrap();
        assert!(message["params"][REFUSED].is_string(), "{message}");
        assert_eq!(message["params"]["sessionId"], "s");
    }

    /// Attack 35.
    #[test]
    fn given_a_duplicate_in_the_envelope_then_it_is_no_message() {
        let line = r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"terminal/create","params":{}}"#;
        assert!(matches!(read(line.to_owned()), Line::NotRpc(_)));
    }
}
