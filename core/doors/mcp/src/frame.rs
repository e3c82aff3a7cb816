//! One JSON-RPC message of MCP, as it came.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::members::{Members, to_raw_json};
use mayi_core::approval::escape_line;

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// It has a method and an id, and gets one response.
    Request,
    /// It has a method and no id.
    Notification,
    /// It answers a request.
    Response,
}

/// One message: its members as they were sent, unknown ones too.
#[derive(Clone, Debug)]
pub struct Frame {
    members: Members,
    kind: FrameKind,
    method: Option<String>,
}

/// Why a text is no message. Answered with [`Malformed::error_response`].
#[derive(Clone, Debug)]
pub struct Malformed {
    /// JSON-RPC's code: -32700 for what is no JSON, -32600 for what is no message.
    pub code: i64,
    /// What is wrong with it; text of others is escaped.
    pub message: String,
    /// Its id as it was written, where that can be known all the same.
    pub id: Option<Box<RawValue>>,
}

/// The most messages of a batch.
const BATCH: usize = 1000;

/// The members that make a message what it is.
const ENVELOPE: &[&str] = &["jsonrpc", "id", "method", "params", "result", "error"];

/// JSON-RPC's and MCP's error codes, as far as mayi itself answers with them.
pub mod code {
    /// No JSON.
    pub const PARSE: i64 = -32700;
    /// JSON, and no message.
    pub const INVALID_REQUEST: i64 = -32600;
    /// Nobody here knows the method.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters are wrong.
    pub const INVALID_PARAMS: i64 = -32602;
    /// What should not happen, such as a server that is gone.
    pub const INTERNAL: i64 = -32603;
    /// A header and the body disagree (MCP 2026-07-28).
    pub const HEADER_MISMATCH: i64 = -32020;
    /// The client lacks a capability that is needed (MCP 2026-07-28).
    pub const MISSING_CAPABILITY: i64 = -32021;
    /// The protocol version is not spoken here (MCP 2026-07-28).
    pub const UNSUPPORTED_VERSION: i64 = -32022;
}

impl Malformed {
    /// What is no message, and has no id that could be known.
    #[must_use]
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), id: None }
    }

    fn with_id_of(mut self, members: &Members) -> Self {
        self.id = members.get("id").filter(|id| is_id(id)).map(ToOwned::to_owned);
        self
    }

    /// The response to it. Where its id can't be known, that is `null` (JSON-RPC 2.0, section 5).
    #[must_use]
    pub fn error_response(&self) -> Frame {
        Frame::error(self.id.as_deref().unwrap_or(RawValue::NULL), self.code, &self.message)
    }
}

/// A string or a number that can be read. It goes back as it came, so that its length does not matter.
fn is_id(id: &RawValue) -> bool {
    matches!(serde_json::from_str(id.get()), Ok(Value::String(_) | Value::Number(_)))
}

impl Frame {
    /// Reads one message.
    ///
    /// # Errors
    /// If it is no JSON, no JSON-RPC 2.0 message, or a member of it is there twice.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let text = text.trim();
        let members = match Members::parse(text) {
            Ok(members) => members,
            Err(_) if text.starts_with('[') => {
                let message =
                    "an array where one message belongs: batches are not taken, send the messages one by one";
                return Err(Malformed::new(code::INVALID_REQUEST, message));
            }
            Err(error) => {
                let json = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
                let number = if json { code::INVALID_REQUEST } else { code::PARSE };
                let malformed = Malformed::new(number, escape_line(&error.to_string()));
                return Err(match Members::single_id(text) {
                    Some(id) if is_id(&id) => Malformed { id: Some(id), ..malformed },
                    _ => malformed,
                });
            }
        };
        Self::from_members(members)
    }

    /// The messages of a batch as text (JSON-RPC 2.0, section 6); none for what is no array of as many as anybody sends.
    pub(crate) fn parse_batch(text: &str) -> Option<Vec<Box<RawValue>>> {
        if !text.trim_start().starts_with('[') {
            return None;
        }
        let messages: Vec<Box<RawValue>> = serde_json::from_str(text).ok()?;
        (1..=BATCH).contains(&messages.len()).then_some(messages)
    }

    fn from_members(members: Members) -> Result<Self, Malformed> {
        let refuse =
            |what: &str| Err(Malformed::new(code::INVALID_REQUEST, what.to_owned()).with_id_of(&members));
        if let Some(name) = members.ambiguous_member(ENVELOPE) {
            return refuse(&format!("`{}` can be taken for another member", escape_line(name)));
        }
        let version = members.get("jsonrpc").map(RawValue::get);
        if version != Some("\"2.0\"") {
            return refuse("`jsonrpc` is not \"2.0\"");
        }
        let id = members.get("id").filter(|id| id.get() != "null");
        if id.is_some_and(|id| !is_id(id)) {
            return refuse("`id` is neither a string nor a number");
        }
        let (result, error) = (members.get("result").is_some(), members.get("error").is_some());
        if result && error {
            // Readers disagree about which of them counts.
            return refuse("both a result and an error");
        }
        let answer = result || error;
        let method = match members.get("method") {
            None => None,
            Some(_) if answer => return refuse("both a request and a response"),
            Some(_) => match members.string_member("method") {
                Some(method) => Some(method),
                None => return refuse("`method` is not a string"),
            },
        };
        let kind = match (&method, id) {
            (Some(_), Some(_)) => FrameKind::Request,
            // "id": null is no notification, and no request that MCP knows.
            (Some(_), None) if members.get("id").is_some() => return refuse("`id` is null"),
            (Some(_), None) => FrameKind::Notification,
            (None, _) if answer => FrameKind::Response,
            (None, _) => return refuse("neither a request nor a response"),
        };
        Ok(Self { members, kind, method })
    }

    /// A request.
    #[must_use]
    pub fn request(id: u64, method: &str, params: &impl Serialize) -> Self {
        let mut members = Members::default();
        members.set("jsonrpc", to_raw_json("2.0"));
        members.set("id", to_raw_json(&id));
        members.set("method", to_raw_json(method));
        members.set("params", to_raw_json(params));
        Self { members, kind: FrameKind::Request, method: Some(method.to_owned()) }
    }

    /// A notification.
    #[must_use]
    pub fn notification(method: &str, params: &impl Serialize) -> Self {
        let mut members = Members::default();
        members.set("jsonrpc", to_raw_json("2.0"));
        members.set("method", to_raw_json(method));
        members.set("params", to_raw_json(params));
        Self { members, kind: FrameKind::Notification, method: Some(method.to_owned()) }
    }

    /// A response that says yes.
    #[must_use]
    pub fn result(id: &RawValue, result: &impl Serialize) -> Self {
        let mut members = Members::default();
        members.set("jsonrpc", to_raw_json("2.0"));
        members.set("id", id.to_owned());
        members.set("result", to_raw_json(result));
        Self { members, kind: FrameKind::Response, method: None }
    }

    /// A response that says what went wrong. `message` is mayi's own text, what it quotes escaped.
    #[must_use]
    pub fn error(id: &RawValue, code: i64, message: &str) -> Self {
        Self::error_with(id, code, message, None)
    }

    /// The same, with `data`.
    #[must_use]
    pub fn error_with(id: &RawValue, code: i64, message: &str, data: Option<Value>) -> Self {
        let mut error = serde_json::json!({ "code": code, "message": message });
        if let (Some(data), Some(error)) = (data, error.as_object_mut()) {
            error.insert("data".to_owned(), data);
        }
        let mut members = Members::default();
        members.set("jsonrpc", to_raw_json("2.0"));
        members.set("id", id.to_owned());
        members.set("error", to_raw_json(&error));
        Self { members, kind: FrameKind::Response, method: None }
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> FrameKind {
        self.kind
    }

    /// The method of a request or notification.
    #[must_use]
    pub fn method(&self) -> Option<&str> {
        self.method.as_deref()
    }

    /// The id, as it is written.
    #[must_use]
    pub fn id(&self) -> Option<&RawValue> {
        self.members.get("id")
    }

    /// The id, where it is a number that mayi gave out itself.
    #[must_use]
    pub fn numeric_id(&self) -> Option<u64> {
        self.id()?.get().parse().ok()
    }

    /// A member of the envelope: `params`, `result`, `error`, or one that nobody knows.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&RawValue> {
        self.members.get(name)
    }

    /// The parameters, if they are an object.
    #[must_use]
    pub fn params(&self) -> Option<Members> {
        self.members.object_member("params")
    }

    /// The result, if it is an object.
    #[must_use]
    pub fn result_object(&self) -> Option<Members> {
        self.members.object_member("result")
    }

    /// The same message under another id.
    #[must_use]
    pub fn with_id(mut self, id: Box<RawValue>) -> Self {
        self.members.set("id", id);
        self
    }

    /// The same message with another member.
    #[must_use]
    pub fn with_member(mut self, name: &str, value: Box<RawValue>) -> Self {
        self.members.set(name, value);
        self
    }

    /// About how long it is as text, in bytes.
    #[must_use]
    pub fn approximate_size(&self) -> usize {
        self.members.iter().map(|(name, value)| name.len() + value.get().len() + 4).sum()
    }

    /// The message as text, on one line.
    #[must_use]
    pub fn to_line(&self) -> String {
        // A member that came with line breaks between its tokens would end the line too early.
        let text = serde_json::to_string(&self.members).unwrap_or_default();
        if text.contains(['\n', '\r']) { text.replace(['\n', '\r'], " ") } else { text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_messages_then_each_is_what_it_is() {
        for (text, kind) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#, FrameKind::Request),
            (r#"{"jsonrpc":"2.0","id":"a","method":"x","params":{}}"#, FrameKind::Request),
            (r#"{"jsonrpc":"2.0","method":"x"}"#, FrameKind::Notification),
            (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, FrameKind::Response),
            (r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}"#, FrameKind::Response),
        ] {
            let frame = Frame::parse(text).unwrap();
            assert_eq!(frame.kind(), kind, "{text}");
            assert_eq!(frame.to_line(), text);
        }
    }

    /// JSON-RPC 2.0, sections 4 and 5; attack 14.
    #[test]
    fn given_something_else_then_it_is_refused_with_the_code_for_it() {
        for (text, number) in [
            ("{", code::PARSE),
            ("hello", code::PARSE),
            ("[]", code::INVALID_REQUEST),
            ("{}", code::INVALID_REQUEST),
            (r#"{"jsonrpc":"1.0","method":"x"}"#, code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1}"#, code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#, code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":{},"method":"x"}"#, code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1,"method":"x","result":1}"#, code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}"#, code::INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, code::INVALID_REQUEST),
            // Found in review: passed on as it came, though readers disagree about what it says.
            (
                r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#,
                code::INVALID_REQUEST,
            ),
            // Attack 141: "ping" for mayi, `tools/call` for a server that compares names without regard to case.
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}"#, code::INVALID_REQUEST),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{},"PARAMS":{}}"#,
                code::INVALID_REQUEST,
            ),
        ] {
            assert_eq!(Frame::parse(text).unwrap_err().code, number, "{text}");
        }
    }

    #[test]
    fn given_line_breaks_between_tokens_then_it_is_one_line() {
        let text = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\n\t\"a\":\r\n1}}";
        let frame = Frame::parse(text).unwrap();
        assert!(!frame.to_line().contains(['\n', '\r']));
        assert_eq!(Frame::parse(&frame.to_line()).unwrap().params().unwrap().string_member("a"), None);
    }
}
