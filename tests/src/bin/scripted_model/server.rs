//! The HTTP side.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{Method, StatusCode, Uri};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::{get, post};
use futures::StreamExt as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::conversation::Conversation;
use crate::journal::Journal;
use crate::offer::Offer;
use crate::turn::{Frame, Turn};
use crate::{anthropic, chat, gemini, responses};

/// Serves until the listener fails.
pub(crate) async fn serve(listener: TcpListener, journal: Arc<Journal>) -> std::io::Result<()> {
    let routes = Router::new()
        .route("/v1/messages", post(messages))
        .route("/v1/messages/count_tokens", post(count_tokens))
        .route("/v1/responses", post(respond))
        .route("/v1/chat/completions", post(complete))
        // Where Cline's own server has it.
        .route("/api/v1/chat/completions", post(complete))
        .route("/v1beta/models/{call}", post(generate))
        .route("/v1/models", get(models))
        .fallback(nothing_here)
        // Agents send whole conversations, and all descriptions of their tools.
        .layer(DefaultBodyLimit::disable())
        .with_state(journal);
    axum::serve(listener, routes).await
}

async fn messages(State(journal): State<Arc<Journal>>, body: Bytes) -> Response {
    answer(
        &journal,
        "/v1/messages",
        &body,
        "messages",
        &Wire {
            read: anthropic::read,
            whole: anthropic::whole,
            frames: anthropic::frames,
            streams: in_the_body,
        },
    )
}

async fn respond(State(journal): State<Arc<Journal>>, body: Bytes) -> Response {
    answer(
        &journal,
        "/v1/responses",
        &body,
        "input",
        &Wire {
            read: responses::read,
            whole: responses::whole,
            frames: responses::frames,
            streams: in_the_body,
        },
    )
}

async fn complete(State(journal): State<Arc<Journal>>, body: Bytes) -> Response {
    answer(
        &journal,
        "/v1/chat/completions",
        &body,
        "messages",
        &Wire { read: chat::read, whole: chat::whole, frames: chat::frames, streams: in_the_body },
    )
}

/// `MODEL:METHOD` is the last part of the path on this wire.
async fn generate(State(journal): State<Arc<Journal>>, Path(call): Path<String>, body: Bytes) -> Response {
    let streams: fn(&Value) -> bool = match call.rsplit(':').next() {
        Some("countTokens") => return Json(json!({ "totalTokens": 100 })).into_response(),
        Some("streamGenerateContent") => |_| true,
        _ => |_| false,
    };
    let wire = Wire { read: gemini::read, whole: gemini::whole, frames: gemini::frames, streams };
    answer(&journal, "/v1beta/models", &body, "contents", &wire)
}

fn in_the_body(body: &Value) -> bool {
    body.get("stream") == Some(&json!(true))
}

struct Wire {
    read: fn(&Value) -> (Conversation, Offer),
    whole: fn(&Turn, &Value) -> Value,
    frames: fn(&Turn, &Value) -> Vec<Frame>,
    streams: fn(&Value) -> bool,
}

fn answer(journal: &Journal, path: &str, body: &[u8], said: &str, wire: &Wire) -> Response {
    let Ok(body) = serde_json::from_slice::<Value>(body) else {
        journal.note(json!({ "method": "POST", "path": path, "error": "the body is not JSON" }));
        return (StatusCode::BAD_REQUEST, Json(json!({ "error": { "message": "not JSON" } })))
            .into_response();
    };
    let (conversation, offer) = (wire.read)(&body);
    let turn = Turn::next(&conversation, &offer);
    journal.note(json!({
        "method": "POST",
        "path": path,
        "case": turn.place.as_ref().map(|place| &place.case),
        "step": turn.place.as_ref().map(|place| place.step),
        "said": conversation.speakers(),
        "tools": offer.names(),
        "text": turn.whole_text(),
        "calls": turn.calls.iter().map(|call| json!({
            "name": call.tool.full_name(),
            "input": call.input.to_value(),
        })).collect::<Vec<_>>(),
        // The results of the calls before are in it.
        "last": body.get(said).and_then(Value::as_array).and_then(|said| said.last()),
    }));
    if (wire.streams)(&body) {
        stream((wire.frames)(&turn, &body))
    } else {
        Json((wire.whole)(&turn, &body)).into_response()
    }
}

fn stream(frames: Vec<Frame>) -> Response {
    let events = futures::stream::iter(frames).then(|frame| async move {
        tokio::time::sleep(frame.pause).await;
        let event = match frame.data["type"].as_str() {
            Some(name) => Event::default().event(name),
            None => Event::default(),
        };
        let data = frame.data.as_str().map_or_else(|| frame.data.to_string(), str::to_owned);
        Ok::<_, Infallible>(event.data(data))
    });
    Sse::new(events).into_response()
}

async fn count_tokens() -> Json<Value> {
    Json(json!({ "input_tokens": 100 }))
}

async fn models() -> Json<Value> {
    let model = json!({ "id": "scripted", "object": "model", "type": "model", "display_name": "Scripted" });
    // `models` is the list that Codex looks for; with none it goes on with the model of its configuration.
    Json(json!({ "object": "list", "data": [model], "has_more": false, "models": [] }))
}

async fn nothing_here(State(journal): State<Arc<Journal>>, method: Method, uri: Uri) -> Response {
    journal.note(json!({ "method": method.as_str(), "path": uri.path(), "error": "no such path" }));
    let error = json!({ "type": "error", "error": { "type": "not_found_error", "message": "no such path" } });
    (StatusCode::NOT_FOUND, Json(error)).into_response()
}
