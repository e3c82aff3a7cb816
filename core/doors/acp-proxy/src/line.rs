//! One message: a line as it came, and what every reader takes it for. What readers could disagree about is refused.

use std::borrow::Cow;

use serde_json::Value;
use serde_json::value::RawValue;

use super::json_members::{RawMembers, parse_text};
use mayi_core::approval::escape_line;
use mayi_core::policy::fold_text;

/// The id of a request. `1` and `"1"` are two ids.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Id {
    Number(i64),
    Text(String),
}

/// The largest number that all readers of JSON agree on.
const LARGEST: u64 = (1 << 53) - 1;

impl Id {
    /// Reads an id: a text, or a whole number written with digits alone. What else JSON has for it, readers take for different
    /// ids, or for none.
    pub(crate) fn read(raw: &str) -> Option<Self> {
        if raw.starts_with('"') {
            return parse_text(raw).map(|id| Self::Text(id.into_owned()));
        }
        let number: i64 = raw.parse().ok()?;
        (number.to_string() == raw && number.unsigned_abs() <= LARGEST).then_some(Self::Number(number))
    }

    /// As a text.
    pub(crate) fn to_text(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(id) => id.clone(),
        }
    }

    /// As JSON.
    pub(crate) fn to_json(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(id) => Value::from(id.as_str()).to_string(),
        }
    }
}

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageKind {
    Request,
    Notification,
    Response,
}

/// One message.
#[derive(Debug)]
pub(crate) struct Message<'t> {
    /// The line.
    pub(crate) line: &'t str,
    pub(crate) kind: MessageKind,
    /// Of a request or a response; none for a response to what could not be read.
    pub(crate) id: Option<Id>,
    /// Of a request or a notification; empty otherwise.
    pub(crate) method: Cow<'t, str>,
    pub(crate) parts: RawMembers<'t>,
}

/// What is no message that all readers take for the same.
#[derive(Debug)]
pub(crate) struct RefusedLine {
    /// Why; text of others is escaped.
    pub(crate) why: String,
    /// It is JSON, so somebody meant something by it.
    pub(crate) json: bool,
    /// The ids that some reader may find in it.
    pub(crate) ids: Vec<Id>,
    /// Some reader may take it for a request.
    pub(crate) asks: bool,
    /// Some reader may take it for the end of a turn.
    pub(crate) cancels: bool,
    /// The sessions that some reader may find in its parameters.
    pub(crate) sessions: Vec<String>,
}

/// The members that make a message what it is.
const ENVELOPE: &[&str] = &["jsonrpc", "id", "method", "params", "result", "error"];

/// Reads a line.
///
/// # Errors
/// If it is not one JSON-RPC 2.0 message that all readers take for the same.
pub(crate) fn read(line: &str) -> Result<Message<'_>, RefusedLine> {
    let refuse = |why: String| Err(refuse_line(line, why));
    let parts = match RawMembers::parse(line) {
        Ok(parts) => parts,
        Err(error) => return refuse(escape_line(&error.to_string())),
    };
    if let Some(name) = parts.confusable_name(ENVELOPE) {
        return refuse(format!("`{}` can be taken for another member", escape_line(name)));
    }
    if parts.get("jsonrpc") != Some("\"2.0\"") {
        return refuse("`jsonrpc` is not \"2.0\"".to_owned());
    }
    // Older writers say that there is no error.
    let answers = [
        parts.get("result"),
        parts.get("error").filter(|error| *error != "null" || parts.get("result").is_none()),
    ];
    let id = parts.get("id");
    let known = id.and_then(Id::read);
    let (kind, method) = match (parts.get("method"), answers) {
        (Some(_), [Some(_), _] | [_, Some(_)]) => return refuse("both a request and a response".to_owned()),
        (None, [Some(_), Some(_)]) => return refuse("both a result and an error".to_owned()),
        (None, [None, None]) => return refuse("neither a request nor a response".to_owned()),
        (None, _) => {
            if known.is_none() && (id != Some("null") || answers[1].is_none()) {
                return refuse("its `id` is none".to_owned());
            }
            (MessageKind::Response, Cow::Borrowed(""))
        }
        (Some(method), _) => {
            let Some(method) = parse_text(method) else { return refuse("`method` is not a text".to_owned()) };
            match (id, &known) {
                (None, _) => (MessageKind::Notification, method),
                (Some(_), Some(_)) => (MessageKind::Request, method),
                (Some(_), None) => return refuse("its `id` is neither a text nor a whole number".to_owned()),
            }
        }
    };
    Ok(Message { line, kind, id: known, method, parts })
}

impl<'t> Message<'t> {
    /// The parameters, as they stand in the line; an empty object where there are none.
    pub(crate) fn raw_params(&self) -> &'t str {
        self.parts.get("params").unwrap_or("{}")
    }

    /// The parameters, read as every reader does.
    ///
    /// # Errors
    /// Says what readers could disagree about.
    pub(crate) fn strict_params(&self, names: &[&str]) -> Result<Value, String> {
        let params = mayi_core::call::json::parse_strict(self.raw_params());
        require_plain_names(params.map_err(|error| escape_line(&error.to_string()))?, names)
    }

    /// The same, but for numbers in `_meta` that readers disagree on, which are texts: of the agent's requests, in which nothing that is
    /// said there is judged.
    ///
    /// # Errors
    /// Says what readers could disagree about besides.
    pub(crate) fn request_params(&self, names: &[&str]) -> Result<Value, String> {
        let params = super::numbers::strict_but_meta(self.raw_params());
        require_plain_names(params.map_err(|error| escape_line(&error.to_string()))?, names)
    }

    /// The same for a question, of whose call a person may be asked about numbers that readers disagree on: with whether there
    /// are any, which are texts then.
    ///
    /// # Errors
    /// Says what readers could disagree about besides.
    pub(crate) fn question_params(&self, names: &[&str]) -> Result<(Value, bool), String> {
        let (params, big) = super::numbers::strict_but_input(self.raw_params())
            .map_err(|error| escape_line(&error.to_string()))?;
        Ok((require_plain_names(params, names)?, big))
    }

    /// The same for what is only passed on: any number counts.
    ///
    /// # Errors
    /// Says what readers could disagree about besides.
    pub(crate) fn lenient_params(&self, names: &[&str]) -> Result<Value, String> {
        let (params, _) = super::numbers::parse_strict(self.raw_params())
            .map_err(|error| escape_line(&error.to_string()))?;
        require_plain_names(params, names)
    }
}

fn require_plain_names(params: Value, names: &[&str]) -> Result<Value, String> {
    if !params.is_object() {
        return Err("its parameters are no object".to_owned());
    }
    if !super::json_members::is_plain(&params, names) {
        return Err("a name in it can be taken for another one".to_owned());
    }
    Ok(params)
}

/// The session that a message is about, by its parameters.
pub(crate) fn session_of(params: &Value) -> &str {
    params.get("sessionId").and_then(Value::as_str).unwrap_or_default()
}

/// A line that is refused, with what any reader may find in it.
pub(crate) fn refuse_line(line: &str, why: String) -> RefusedLine {
    let json = serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok();
    let mut found =
        RefusedLine { why, json, ids: Vec::new(), asks: false, cancels: false, sessions: Vec::new() };
    if json {
        let each: Vec<&RawValue> = match serde_json::from_str(line) {
            Ok(many) => many,
            Err(_) => serde_json::from_str(line).into_iter().collect(),
        };
        for one in each.into_iter().take(1000) {
            for_each_member(one.get(), |name, value| match name {
                "id" => found.ids.extend(Id::read(value).filter(|id| !found.ids.contains(id))),
                "method" => {
                    found.asks = true;
                    found.cancels |=
                        parse_text(value).is_some_and(|method| fold_text(method.trim()) == CANCEL);
                }
                "params" => found.sessions.extend(possible_sessions(value)),
                _ => {}
            });
        }
    }
    found
}

/// What ends a turn.
pub(crate) const CANCEL: &str = "session/cancel";

/// All sessions that a reader of any kind may find in parameters.
pub(crate) fn possible_sessions(params: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for_each_member(params, |name, value| {
        if name == "sessionid" {
            found.extend(parse_text(value).map(Cow::into_owned).filter(|id| !found.contains(id)));
        }
    });
    found
}

/// The members of an object, by what their names are for the most lenient of readers.
fn for_each_member(object: &str, each: impl FnMut(&str, &str)) {
    struct All<F>(F);
    impl<'de, F: FnMut(&str, &str)> serde::de::Visitor<'de> for All<F> {
        type Value = ();

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(mut self, mut access: A) -> Result<(), A::Error> {
            while let Some((name, value)) = access.next_entry::<String, &'de RawValue>()? {
                (self.0)(&fold_text(name.trim()), value.get());
            }
            Ok(())
        }
    }
    use serde::de::Deserializer as _;
    let _ = serde_json::Deserializer::from_str(object).deserialize_map(All(each));
}

/// A response that says yes.
pub(crate) fn format_result(id: &Id, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, id.to_json())
}

/// JSON-RPC's and ACP's codes, as far as mayi itself answers with them.
pub(crate) mod code {
    pub(crate) const INVALID_REQUEST: i64 = -32600;
    pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
    pub(crate) const INVALID_PARAMS: i64 = -32602;
    pub(crate) const INTERNAL: i64 = -32603;
    pub(crate) const CANCELLED: i64 = -32800;
    pub(crate) const DENIED: i64 = -32003;
}

/// A response that says what went wrong.
pub(crate) fn format_error(id: Option<&Id>, code: i64, message: &str) -> String {
    let id = id.map_or_else(|| "null".to_owned(), Id::to_json);
    let message = Value::from(format!("mayi: {message}"));
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}}}}}"#)
}

/// A notification.
pub(crate) fn format_notification(method: &str, params: &Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":{},"params":{params}}}"#, Value::from(method))
}

/// A request.
pub(crate) fn format_request(id: &Id, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"method":{},"params":{params}}}"#, id.to_json(), Value::from(method))
}
