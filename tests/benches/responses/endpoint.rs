//! An endpoint that says nothing but the text of one message, an event at a time.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use crate::common::Outcome;

/// So many events a response has.
pub(crate) const EVENTS: usize = 200;

pub(crate) struct Endpoint {
    pub(crate) at: String,
    /// When each event of the response was written.
    written: Arc<Mutex<Vec<Instant>>>,
    /// The client has the newest one.
    go_on: Sender<()>,
}

impl Endpoint {
    pub(crate) fn start() -> Outcome<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let at = listener.local_addr()?.to_string();
        let written = Arc::<Mutex<Vec<Instant>>>::default();
        let (go_on, more) = channel();
        let (times, more) = (Arc::clone(&written), Arc::new(Mutex::new(more)));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (times, more) = (Arc::clone(&times), Arc::clone(&more));
                // A connection that breaks off is the client's end.
                thread::spawn(move || serve(stream, &times, &more));
            }
        });
        Ok(Self { at, written, go_on })
    }

    /// The client has the newest event: when it was written.
    pub(crate) fn took(&self, number: usize) -> Outcome<Instant> {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let at = written.get(number).copied().ok_or("an event came that was not written")?;
        self.go_on.send(())?;
        Ok(at)
    }
}

/// Answers each request of a connection.
fn serve(stream: TcpStream, times: &Mutex<Vec<Instant>>, more: &Mutex<Receiver<()>>) -> Outcome<()> {
    stream.set_nodelay(true)?;
    let (mut reader, mut stream) = (BufReader::new(stream.try_clone()?), stream);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let line = line.trim_end().to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse()?;
            }
            if line.is_empty() {
                break;
            }
        }
        std::io::copy(&mut (&mut reader).take(length), &mut std::io::sink())?;
        times.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        stream.write_all(head.as_bytes())?;
        let more = more.lock().unwrap_or_else(PoisonError::into_inner);
        for number in 0..EVENTS {
            let event = event(number);
            let chunk = format!("{:x}\r\n{event}\r\n", event.len());
            times.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
            stream.write_all(chunk.as_bytes())?;
            more.recv()?;
        }
        stream.write_all(b"0\r\n\r\n")?;
    }
}

/// The events of a response with one message, in the API's order.
fn event(number: usize) -> String {
    let response = |status: &str, output: &str| {
        format!(
            "\"response\":{{\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"{status}\",\"output\":[{output}]}}"
        )
    };
    let item = |status: &str, content: &str| {
        format!(
            "{{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"status\":\"{status}\",\"content\":[{content}]}}"
        )
    };
    let part = "{\"type\":\"output_text\",\"text\":\"word \",\"annotations\":[]}";
    let (kind, rest) = match number {
        0 => ("response.created", response("in_progress", "")),
        1 => ("response.in_progress", response("in_progress", "")),
        2 => {
            ("response.output_item.added", format!("\"output_index\":0,\"item\":{}", item("in_progress", "")))
        }
        number if number + 2 == EVENTS => {
            ("response.output_item.done", format!("\"output_index\":0,\"item\":{}", item("completed", part)))
        }
        number if number + 1 == EVENTS => {
            ("response.completed", response("completed", &item("completed", part)))
        }
        _ => (
            "response.output_text.delta",
            "\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\"word \"".to_owned(),
        ),
    };
    format!("event: {kind}\ndata: {{\"type\":\"{kind}\",\"sequence_number\":{number},{rest}}}\n\n")
}
