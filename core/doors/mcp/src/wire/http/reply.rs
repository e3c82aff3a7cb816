//! Bodies, read within bounds; and what can be wrong with an answer.

use std::error::Error;

use axum::http::header;
use reqwest::Response;

use crate::wire::Incoming;
use crate::{Frame, code};
use mayi_core::approval::escape_line;

/// Why a request has no response from its server.
pub(super) enum RequestFailure {
    /// It has one, that came with an error's status.
    Response(Frame),
    /// It can't be answered.
    Failed {
        /// JSON-RPC's code.
        code: i64,
        /// Why; text of others is escaped.
        message: String,
        /// Whether it may have come to the server: `false` where it is certain that it did not.
        sent: bool,
    },
    /// The server does not know the session any more.
    Ended,
    /// It does not take what begins a conversation by Streamable HTTP; why, as in `Failed`.
    NotStreamable(String),
}

impl RequestFailure {
    /// Its code and its words, for a request of which nothing else is known.
    pub(super) fn into_words(self) -> (i64, String) {
        match self {
            Self::Failed { code, message, .. } => (code, message),
            Self::NotStreamable(message) => (code::INTERNAL, message),
            Self::Response(_) | Self::Ended => (code::INTERNAL, "the server refused it".to_owned()),
        }
    }

    /// That the request `id` failed by it.
    pub(super) fn into_failed(self, id: u64) -> Incoming {
        let sent = !matches!(self, Self::Failed { sent: false, .. });
        let (code, message) = self.into_words();
        Incoming::Failed { id, code, message, sent }
    }

    /// The server did not get it.
    pub(super) fn unsent_failure(message: String) -> Self {
        Self::Failed { code: code::INTERNAL, message, sent: false }
    }

    pub(super) fn internal_failure(message: String) -> Self {
        Self::Failed { code: code::INTERNAL, message, sent: true }
    }
}

/// The type of a body, without parameters, in lower case; empty without one.
pub(super) fn content_type(response: &Response) -> String {
    let value = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = value.unwrap_or_default().split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

/// A body as text, if it is not too long.
pub(super) async fn read_text(mut response: Response, longest: usize) -> Result<String, RequestFailure> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() <= longest => body.extend_from_slice(&chunk),
            Ok(Some(_)) => return Err(too_long(longest)),
            Ok(None) => break,
            Err(error) => {
                return Err(RequestFailure::internal_failure(format!(
                    "the answer broke off: {}",
                    failure_reason(error)
                )));
            }
        }
    }
    String::from_utf8(body)
        .map_err(|_| RequestFailure::internal_failure("the answer is not UTF-8".to_owned()))
}

pub(super) fn too_long(longest: usize) -> RequestFailure {
    RequestFailure::internal_failure(format!("the answer is longer than {longest} bytes"))
}

/// What went wrong, down to its cause, without the address: that may hold a secret.
pub(super) fn failure_reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    escape_line(&text)
}
