//! Recordings: what apps asked and got, and what was asked and answered in between, as JSON lines. Each line is written when it
//! happens, so an exchange goes on over the wait for an answer, and has its `record_end` only when all of it is there. Without secrets:
//! what the record would leave out, and what a request tells the endpoint of its MCP servers.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use mayi_core::record::Redactor;
use serde_json::{Value, json};

use crate::events::{BlockReader, EventBlock};

/// In the place of a credential.
const REMOVED: &str = "[redacted]";

/// A shorter key than this, in bytes, is in every other text.
const SHORTEST_KEY: usize = 8;

/// Members of an MCP server that hold credentials.
const CREDENTIALS: &[&str] = &["authorization", "headers"];

/// Writes a recording.
pub struct Recorder {
    file: Mutex<File>,
    next: AtomicU64,
    redactor: Redactor,
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").field("file", &self.file).finish_non_exhaustive()
    }
}

impl Recorder {
    /// A recording in a new file, which only this user can read.
    ///
    /// # Errors
    /// If there is such a file already, or it can't be made.
    pub fn create(path: &Path, redactor: Redactor) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.append(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = Mutex::new(options.open(path)?);
        let recorder = Self { file, next: AtomicU64::new(1), redactor };
        recorder.write(&json!({ "kind": "recording", "version": 1 }));
        Ok(recorder)
    }

    fn write(&self, line: &Value) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = writeln!(file, "{line}") {
            tracing::warn!(%error, "the recording can't be written");
        }
    }
}

/// One exchange in a recording, if there is one. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Recording(Option<Arc<RecordedExchange>>);

struct RecordedExchange {
    recorder: Arc<Recorder>,
    number: u64,
    /// The key that the app has sent. Where it is the endpoint's, nobody else here knows it.
    key: Option<String>,
}

impl Recording {
    /// An exchange that begins with this request, of an app with this key.
    pub(crate) fn begin_exchange(
        recorder: Option<&Arc<Recorder>>,
        request: &[u8],
        key: Option<&str>,
    ) -> Self {
        let Some(recorder) = recorder else { return Self(None) };
        let number = recorder.next.fetch_add(1, Ordering::Relaxed);
        let key = key.filter(|key| key.len() >= SHORTEST_KEY).map(str::to_owned);
        let recording =
            Self(Some(Arc::new(RecordedExchange { recorder: Arc::clone(recorder), number, key })));
        recording.record_entry("request", "body", serde_json::from_slice(request).unwrap_or_default());
        recording
    }

    /// Whether anything is recorded.
    pub(crate) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Something happens.
    pub(crate) fn record_entry(&self, kind: &str, name: &str, value: Value) {
        let Some(RecordedExchange { recorder, number, key }) = self.0.as_deref() else { return };
        let value = redact_value(value, &recorder.redactor, key.as_deref());
        recorder.write(&json!({ "exchange": number, "kind": kind, name: value }));
    }

    /// The answer is a JSON text, and whole.
    pub(crate) fn record_body(&self, status: u16, text: &[u8]) {
        if self.is_on() {
            let body = serde_json::from_slice(text);
            let body = body.unwrap_or_else(|_| json!(String::from_utf8_lossy(text)));
            self.record_entry("begin", "status", json!(status));
            self.record_entry("body", "body", body);
            self.record_entry("end", "whole", json!(true));
        }
    }
}

/// The events of one answer, as the app gets them.
pub(crate) struct EventRecording {
    recording: Recording,
    blocks: Mutex<Option<BlockReader>>,
}

impl EventRecording {
    pub(crate) fn new(recording: Recording, longest: usize) -> Self {
        if recording.is_on() {
            recording.record_entry("begin", "status", json!(200));
        }
        Self { blocks: Mutex::new(recording.is_on().then(|| BlockReader::new(longest))), recording }
    }

    /// The app gets these bytes.
    pub(crate) fn record_bytes(&self, bytes: &[u8]) {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(reading) = blocks.as_mut() else { return };
        for block in reading.take_blocks(bytes).unwrap_or_default() {
            let Some(data) = block.data() else { continue };
            let data = serde_json::from_str(&data).unwrap_or(Value::String(data));
            self.recording.record_entry("event", "data", data);
        }
    }

    /// Nothing comes any more: the whole answer is there, or it broke off.
    pub(crate) fn record_end(&self, whole: bool) {
        self.recording.record_entry("end", "whole", json!(whole));
    }
}

/// A value without its secrets, and without `key`.
pub(crate) fn redact_value(value: Value, redactor: &Redactor, key: Option<&str>) -> Value {
    match value {
        Value::String(text) => {
            let text = key.map_or_else(|| text.clone(), |key| text.replace(key, REMOVED));
            Value::String(redactor.redact(&text).into_owned())
        }
        Value::Array(items) => items.into_iter().map(|item| redact_value(item, redactor, key)).collect(),
        Value::Object(members) => {
            let server = members.get("type").and_then(Value::as_str) == Some("mcp");
            let clean = |(name, value): (String, Value)| {
                let removed = server && CREDENTIALS.contains(&&*name) && !value.is_null();
                let value = if removed { json!(REMOVED) } else { redact_value(value, redactor, key) };
                (key.map_or_else(|| name.clone(), |key| name.replace(key, REMOVED)), value)
            };
            Value::Object(members.into_iter().map(clean).collect())
        }
        value => value,
    }
}

/// An event of a recording, as it is sent again.
pub(crate) fn format_event(data: &Value) -> Vec<u8> {
    let text = match data {
        Value::String(text) => format!("data: {text}\n\n"),
        data => format!(
            "event: {}\ndata: {data}\n\n",
            data.get("type").and_then(Value::as_str).unwrap_or("message")
        ),
    };
    EventBlock { raw: text.into_bytes() }.raw
}
