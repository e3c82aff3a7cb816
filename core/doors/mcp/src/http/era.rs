//! Which era of the protocol a message belongs to, and whether its headers agree with it.

use axum::http::{HeaderMap, StatusCode};
use serde_json::value::RawValue;

use super::HttpOptions;
use super::admission::single_header;
use super::refusal::HttpRefusal;
use crate::era::{Era, OLDER, is_known_version, unsupported_version};
use crate::headers::{self, METHOD, SESSION, VERSION};
use crate::{Frame, FrameKind, code};
use mayi_core::approval::escape_line;

/// The version that a request's headers name.
pub(super) fn header_version(sent: &HeaderMap) -> Result<Option<&str>, HttpRefusal> {
    single_header(sent, VERSION).map_err(|message| HttpRefusal::new(StatusCode::BAD_REQUEST, &message))
}

/// Whether a request without a message is one of the newer era, which has none.
pub(super) fn is_stateless(sent: &HeaderMap) -> bool {
    single_header(sent, VERSION).ok().flatten().is_some_and(headers::is_stateless_version)
}

/// The era of `frame`.
pub(super) fn era_of_frame(
    frame: &Frame,
    sent: &HeaderMap,
    options: &HttpOptions,
) -> Result<Era, HttpRefusal> {
    let said = header_version(sent)?;
    // Where header and message disagree, that is what is said.
    let named = headers::version_in(frame);
    if frame.kind() == FrameKind::Request
        && frame.method() != Some("initialize")
        && let Some(version) = said.filter(|said| named.as_deref().is_none_or(|named| named == *said))
        && !is_known_version(version)
    {
        return Err(unsupported_refusal(frame.id(), version));
    }
    let era = match (frame.kind(), frame.method()) {
        // MCP 2026-07-28 has no such method.
        (FrameKind::Request, Some("initialize"))
            if headers::version_in(frame).as_deref().is_some_and(headers::is_stateless_version) =>
        {
            let message = "there is no `initialize` in this version: each request says what it needs";
            return Err(HttpRefusal::for_request(
                frame.id(),
                StatusCode::NOT_FOUND,
                code::METHOD_NOT_FOUND,
                message,
            ));
        }
        (FrameKind::Request, Some("initialize")) => {
            check_initialize(frame, sent, said)?;
            return Ok(Era::Older);
        }
        (FrameKind::Request, method) => era_of_request(frame, method == Some("server/discover"), sent, said)?,
        _ if said.is_some_and(headers::is_stateless_version) => Era::Stateless,
        _ => Era::Older,
    };
    match era {
        Era::Stateless if frame.kind() == FrameKind::Response => {
            let message = "a response, and nothing was asked: answer in the next request";
            return Err(HttpRefusal::new(StatusCode::BAD_REQUEST, message));
        }
        Era::Stateless if said.is_some_and(headers::is_stateless_version) => {
            check_repeated_headers(frame, sent, options)?
        }
        Era::Older => check_known_version(frame.id(), said)?,
        Era::Stateless => {}
    }
    Ok(era)
}

/// The era of a request that is not `initialize`.
fn era_of_request(
    frame: &Frame,
    discover: bool,
    sent: &HeaderMap,
    said: Option<&str>,
) -> Result<Era, HttpRefusal> {
    let Some(named) = headers::version_in(frame) else {
        if discover || said.is_some_and(headers::is_stateless_version) {
            let message = "params._meta lacks io.modelcontextprotocol/protocolVersion";
            return Err(refuse_frame(frame, code::INVALID_PARAMS, message));
        }
        return Ok(Era::Older);
    };
    let Some(said) = said else {
        let message = "there is no MCP-Protocol-Version header: send the version of _meta in it";
        return Err(refuse_frame(frame, code::HEADER_MISMATCH, message));
    };
    if said != named {
        let message = format!(
            "the MCP-Protocol-Version header says {}, and _meta {}",
            escape_line(said),
            escape_line(&named)
        );
        return Err(refuse_frame(frame, code::HEADER_MISMATCH, &message));
    }
    let older = !headers::is_stateless_version(&named) && sent.contains_key(SESSION);
    Ok(if older { Era::Older } else { Era::Stateless })
}

/// `initialize` needs no headers; those that are there have to be right.
fn check_initialize(frame: &Frame, sent: &HeaderMap, said: Option<&str>) -> Result<(), HttpRefusal> {
    let asked = frame.params().and_then(|params| params.string_member("protocolVersion"));
    if let (Some(said), Some(asked)) = (said, &asked)
        && said != asked
    {
        let message = format!(
            "the MCP-Protocol-Version header says {}, and params.protocolVersion {}",
            escape_line(said),
            escape_line(asked)
        );
        return Err(refuse_frame(frame, code::INVALID_REQUEST, &message));
    }
    let method = single_header(sent, METHOD)
        .map_err(|message| refuse_frame(frame, code::HEADER_MISMATCH, &message))?;
    match method {
        Some(method) if said.is_some_and(headers::is_stateless_version) && method != "initialize" => {
            let message =
                format!("the Mcp-Method header says {}, and the message initialize", escape_line(method));
            Err(refuse_frame(frame, code::HEADER_MISMATCH, &message))
        }
        _ => Ok(()),
    }
}

/// In a session the header may lack, and has to be a version with sessions.
pub(super) fn check_known_version(id: Option<&RawValue>, said: Option<&str>) -> Result<(), HttpRefusal> {
    match said {
        Some(version) if !OLDER.contains(&version) => Err(unsupported_refusal(id, version)),
        _ => Ok(()),
    }
}

fn unsupported_refusal(id: Option<&RawValue>, version: &str) -> HttpRefusal {
    let error = unsupported_version(id.unwrap_or(RawValue::NULL), version);
    HttpRefusal::from_frame(StatusCode::BAD_REQUEST, &error)
}

fn check_repeated_headers(frame: &Frame, sent: &HeaderMap, options: &HttpOptions) -> Result<(), HttpRefusal> {
    let schema = match frame.method() {
        Some("tools/call") => headers::name_in(frame).and_then(|name| (options.schemas)(&name)),
        _ => None,
    };
    let annotated = schema.as_ref().map(headers::header_annotations).unwrap_or_default();
    headers::check_headers(frame, &annotated, |name| single_header(sent, name))
        .map_err(|message| refuse_frame(frame, code::HEADER_MISMATCH, &message))
}

fn refuse_frame(frame: &Frame, code: i64, message: &str) -> HttpRefusal {
    let id = frame.id().filter(|_| frame.kind() == FrameKind::Request);
    HttpRefusal::for_request(id, StatusCode::BAD_REQUEST, code, message)
}

/// Whether a request of the newer era says all that such a one has to say (MCP 2026-07-28, SEP-2575). Known before a server is
/// asked, which may take its time: its refusal would come after the status.
pub(super) fn check_complete_meta(frame: &Frame) -> Result<(), HttpRefusal> {
    if frame.kind() != FrameKind::Request || headers::meta_complete(frame) {
        return Ok(());
    }
    let message = "params._meta lacks io.modelcontextprotocol/protocolVersion or clientCapabilities";
    Err(refuse_frame(frame, code::INVALID_PARAMS, message))
}

/// The status of an answer of the newer era. In a session every answer is a 200.
pub(super) fn error_status(error: Option<i64>) -> StatusCode {
    match error {
        Some(code::UNSUPPORTED_VERSION | code::MISSING_CAPABILITY | code::HEADER_MISMATCH) => {
            StatusCode::BAD_REQUEST
        }
        Some(code::METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        _ => StatusCode::OK,
    }
}
