//! Errors of the API, and their codes.

use jsonrpsee::types::ErrorObjectOwned;
use mayi_core::approval::{AnswerError, State};
use serde::Serialize;

/// Why a request was refused. Each has a code of its own, and a line for people.
#[derive(Clone, Debug)]
pub(crate) enum RpcError {
    /// The parameters make no sense.
    Params(String),
    /// The agent could not be started, ended, or broke protocol; or there is no such tab.
    Agent(String),
    /// The answer was not taken.
    Answer(AnswerError),
    /// One of these two, at the host door, with a word for programs (S3.8).
    Host(HostRefusal, &'static str, String),
    /// Not with this credential.
    NotAllowed(String),
    /// Events have no way back over HTTP.
    NoSocket,
    /// The configuration is refused.
    Config(String),
    /// Something went wrong here.
    Internal(String),
}

/// Why the host door refuses something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostRefusal {
    /// The parameters.
    Params,
    /// The session.
    Session,
}

/// What a refused answer tells a program.
#[derive(Serialize)]
struct Detail<'d> {
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<State>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'d str>,
}

impl From<RpcError> for ErrorObjectOwned {
    fn from(refused: RpcError) -> Self {
        let plain = |code, text: String| Self::owned(code, text, None::<()>);
        match refused {
            RpcError::Params(text) => plain(-32602, text),
            RpcError::Agent(text) => plain(-32010, text),
            RpcError::Host(refusal, reason, text) => {
                let code = if refusal == HostRefusal::Params { -32602 } else { -32010 };
                Self::owned(code, text, Some(Detail { reason, state: None, by: None }))
            }
            RpcError::NotAllowed(text) => plain(-32030, text),
            RpcError::NoSocket => {
                plain(-32600, "events come over a WebSocket: connect by one, and subscribe there".to_owned())
            }
            RpcError::Config(text) => plain(-32040, text),
            RpcError::Internal(text) => plain(-32603, text),
            RpcError::Answer(error) => {
                Self::owned(-32020, error.to_string(), Some(answer_error_detail(&error)))
            }
        }
    }
}

fn answer_error_detail(error: &AnswerError) -> Detail<'_> {
    let reason = match error {
        AnswerError::Settled { state, by } => {
            return Detail { reason: "settled", state: Some(*state), by: Some(by) };
        }
        AnswerError::Unknown => "unknown",
        AnswerError::Changed => "changed",
        AnswerError::Option(_) => "option",
        AnswerError::Refused(_) => "refused",
        AnswerError::Unheard => "unheard",
        AnswerError::Remember(_) => "remember",
        AnswerError::Store(_) => "store",
    };
    Detail { reason, state: None, by: None }
}

impl RpcError {
    /// The parameters make no sense, for a `reason` that a program may act on.
    pub(crate) fn of_call(reason: &'static str, text: impl Into<String>) -> Self {
        Self::Host(HostRefusal::Params, reason, text.into())
    }

    /// There is no such session, or no room for one.
    pub(crate) fn of_session(reason: &'static str, text: impl Into<String>) -> Self {
        Self::Host(HostRefusal::Session, reason, text.into())
    }
}

impl From<AnswerError> for RpcError {
    fn from(error: AnswerError) -> Self {
        Self::Answer(error)
    }
}

impl From<mayi_core::config::ConfigErrors> for RpcError {
    fn from(errors: mayi_core::config::ConfigErrors) -> Self {
        let lines: Vec<String> = errors.all().iter().map(mayi_core::config::ConfigError::one_line).collect();
        Self::Config(lines.join("; "))
    }
}

impl From<mayi_core::store::StoreError> for RpcError {
    fn from(error: mayi_core::store::StoreError) -> Self {
        Self::Internal(error.to_string())
    }
}
