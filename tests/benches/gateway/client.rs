//! A raw client: no SDK, and no more JSON than it takes to see whose answer it is.

use std::time::{Duration, Instant};

use crate::common::Outcome;

/// What the server's tool says.
const SAID: &str = "This is a simple text response for testing.";

/// A connection to a server, or to what stands before it.
pub(crate) trait Client {
    /// Sends a request, and returns its answer; it is there as soon as it can be read.
    fn ask(&mut self, request: &str, id: u64) -> Outcome<String>;

    /// Sends a notification.
    fn tell(&mut self, notification: &str) -> Outcome<()>;

    /// What an answer leaves to be done before the next request: not counted.
    fn settle(&mut self) -> Outcome<()> {
        Ok(())
    }

    /// Calls the tool so often, under the ids behind `id`, with `flight` calls on their way at once; the nanoseconds of each.
    fn call_at_once(&mut self, flight: usize, calls: usize, id: u64) -> Outcome<Vec<i64>>;
}

/// Begins as clients do, and has the tools listed.
pub(crate) fn begin(client: &mut dyn Client) -> Outcome<()> {
    client.ask(INITIALIZE, 0)?;
    client.settle()?;
    client.tell(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
    let tools = client.ask(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#, 1)?;
    client.settle()?;
    if tools.contains("test_simple_text") { Ok(()) } else { Err(format!("no tools: {tools}").into()) }
}

/// The first request.
pub(crate) const INITIALIZE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"#,
    r#""clientInfo":{"name":"raw","version":"1"}}}"#
);

/// Calls the tool under the id `id`, with `prefix` before its name; how long that took.
pub(crate) fn call(client: &mut dyn Client, prefix: &str, id: u64) -> Outcome<Duration> {
    let request = request(prefix, id);
    let begin = Instant::now();
    let answer = client.ask(&request, id)?;
    let took = begin.elapsed();
    client.settle()?;
    if answer.contains(SAID) { Ok(took) } else { Err(format!("not what the tool says: {answer}").into()) }
}

/// The call of the tool under the id `id`, with `prefix` before its name.
pub(crate) fn request(prefix: &str, id: u64) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"{prefix}test_simple_text\",\
         \"arguments\":{{\"query\":\"permission gate\",\"limit\":20}}}}}}"
    )
}

/// Which of the requests `ids` a message answers with what the tool says.
pub(crate) fn answered(message: &str, mut ids: impl Iterator<Item = u64>) -> Option<u64> {
    ids.find(|id| message.contains(SAID) && is_answer(message, *id))
}

/// Whether `message` answers the request `id`.
pub(crate) fn is_answer(message: &str, id: u64) -> bool {
    if message.contains("\"method\":") {
        return false;
    }
    message.match_indices("\"id\":").any(|(at, key)| {
        let rest = message.get(at + key.len()..).unwrap_or_default().trim_start();
        rest.split([',', '}']).next().is_some_and(|number| number.trim() == id.to_string())
    })
}
