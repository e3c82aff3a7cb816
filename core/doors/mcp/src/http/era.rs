//! Which era of the protocol a message belongs to, and whether its headers agree with it.

use axum::http::{HeaderMap, StatusCode};

use super::HttpOptions;
use super::admit::single;
use super::refusal::Refusal;
use crate::era::{Era, OLDER};
use crate::headers::{self, METHOD, SESSION, VERSION};
use crate::{Frame, Kind, code};
use mayi_core::approval::visible;

/// The version that a request's headers name.
pub(super) fn version(sent: &HeaderMap) -> Result<Option<&str>, Refusal> {
    single(sent, VERSION).map_err(|message| Refusal::new(StatusCode::BAD_REQUEST, &message))
}

/// Whether a request without a message is one of the newer era, which has none.
pub(super) fn is_stateless(sent: &HeaderMap) -> bool {
    single(sent, VERSION).ok().flatten().is_some_and(headers::stateless)
}

/// The era of `frame`.
pub(super) fn of(frame: &Frame, sent: &HeaderMap, options: &HttpOptions) -> Result<Era, Refusal> {
    let said = version(sent)?;
    let era = match (frame.kind(), frame.method()) {
        // MCP 2026-07-28 has no such method.
        (Kind::Request, Some("initialize"))
            if headers::version_in(frame).as_deref().is_some_and(headers::stateless) =>
        {
            let message = "there is no `initialize` in this version: each request says what it needs";
            return Err(Refusal::about(frame.id(), StatusCode::NOT_FOUND, code::METHOD_NOT_FOUND, message));
        }
        (Kind::Request, Some("initialize")) => {
            opening(frame, sent, said)?;
            return Ok(Era::Older);
        }
        (Kind::Request, method) => request(frame, method == Some("server/discover"), sent, said)?,
        _ if said.is_some_and(headers::stateless) => Era::Stateless,
        _ => Era::Older,
    };
    match era {
        Era::Stateless if frame.kind() == Kind::Response => {
            let message = "a response, and nothing was asked: answer in the next request";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, message));
        }
        Era::Stateless if said.is_some_and(headers::stateless) => agree(frame, sent, options)?,
        Era::Older => known(said)?,
        Era::Stateless => {}
    }
    Ok(era)
}

/// The era of a request that is not `initialize`.
fn request(frame: &Frame, discover: bool, sent: &HeaderMap, said: Option<&str>) -> Result<Era, Refusal> {
    let Some(named) = headers::version_in(frame) else {
        if discover || said.is_some_and(headers::stateless) {
            let message = "params._meta lacks io.modelcontextprotocol/protocolVersion";
            return Err(refuse(frame, code::INVALID_PARAMS, message));
        }
        return Ok(Era::Older);
    };
    let Some(said) = said else {
        let message = "there is no MCP-Protocol-Version header: send the version of _meta in it";
        return Err(refuse(frame, code::HEADER_MISMATCH, message));
    };
    if said != named {
        let message =
            format!("the MCP-Protocol-Version header says {}, and _meta {}", visible(said), visible(&named));
        return Err(refuse(frame, code::HEADER_MISMATCH, &message));
    }
    let older = !headers::stateless(&named) && sent.contains_key(SESSION);
    Ok(if older { Era::Older } else { Era::Stateless })
}

/// `initialize` needs no headers; those that are there have to be right.
fn opening(frame: &Frame, sent: &HeaderMap, said: Option<&str>) -> Result<(), Refusal> {
    let asked = frame.params().and_then(|params| params.string("protocolVersion"));
    if let (Some(said), Some(asked)) = (said, &asked)
        && said != asked
    {
        let message = format!(
            "the MCP-Protocol-Version header says {}, and params.protocolVersion {}",
            visible(said),
            visible(asked)
        );
        return Err(refuse(frame, code::INVALID_REQUEST, &message));
    }
    let method = single(sent, METHOD).map_err(|message| refuse(frame, code::HEADER_MISMATCH, &message))?;
    match method {
        Some(method) if said.is_some_and(headers::stateless) && method != "initialize" => {
            let message =
                format!("the Mcp-Method header says {}, and the message initialize", visible(method));
            Err(refuse(frame, code::HEADER_MISMATCH, &message))
        }
        _ => Ok(()),
    }
}

/// In a session the header may lack, and has to be a version with sessions.
pub(super) fn known(said: Option<&str>) -> Result<(), Refusal> {
    match said {
        Some(version) if !OLDER.contains(&version) => {
            let message = format!(
                "nobody knows the MCP-Protocol-Version {}: send the one that was agreed on",
                visible(version)
            );
            Err(Refusal::new(StatusCode::BAD_REQUEST, &message))
        }
        _ => Ok(()),
    }
}

fn agree(frame: &Frame, sent: &HeaderMap, options: &HttpOptions) -> Result<(), Refusal> {
    let schema = match frame.method() {
        Some("tools/call") => headers::name_in(frame).and_then(|name| (options.schemas)(&name)),
        _ => None,
    };
    let annotated = schema.as_ref().map(headers::annotations).unwrap_or_default();
    headers::agree(frame, &annotated, |name| single(sent, name))
        .map_err(|message| refuse(frame, code::HEADER_MISMATCH, &message))
}

fn refuse(frame: &Frame, code: i64, message: &str) -> Refusal {
    let id = frame.id().filter(|_| frame.kind() == Kind::Request);
    Refusal::about(id, StatusCode::BAD_REQUEST, code, message)
}

/// Whether a request of the newer era says all that such a one has to say (MCP 2026-07-28, SEP-2575). Known before a server is
/// asked, which may take its time: its refusal would come after the status.
pub(super) fn complete(frame: &Frame) -> Result<(), Refusal> {
    if frame.kind() != Kind::Request || headers::meta_complete(frame) {
        return Ok(());
    }
    let message = "params._meta lacks io.modelcontextprotocol/protocolVersion or clientCapabilities";
    Err(refuse(frame, code::INVALID_PARAMS, message))
}

/// The status of an answer of the newer era. In a session every answer is a 200.
pub(super) fn status(error: Option<i64>) -> StatusCode {
    match error {
        Some(code::UNSUPPORTED_VERSION | code::MISSING_CAPABILITY | code::HEADER_MISMATCH) => {
            StatusCode::BAD_REQUEST
        }
        Some(code::METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}
