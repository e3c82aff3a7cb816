//! A raw client: no SDK, and no more than it takes to see that an event is there.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::common::Outcome;
use crate::endpoint::{EVENTS, Endpoint};

/// The request: what an app sends that has no tools.
const BODY: &str = r#"{"model":"m","input":"say something","stream":true}"#;

/// An event that has not come after this time never will.
const LIMIT: Duration = Duration::from_secs(30);

pub(crate) struct Client {
    at: String,
    token: String,
    stream: Option<TcpStream>,
}

impl Client {
    pub(crate) fn new(at: &str, token: &str) -> Self {
        Self { at: at.to_owned(), token: token.to_owned(), stream: None }
    }

    /// Has a response made: the nanoseconds from the request to its first event, and that each event after it was on its way.
    pub(crate) fn response(&mut self, endpoint: &Endpoint) -> Outcome<Vec<i64>> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            none => {
                let stream = TcpStream::connect(&self.at)?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(LIMIT))?;
                none.insert(stream)
            }
        };
        let (at, token, length) = (&self.at, &self.token, BODY.len());
        let request = format!(
            "POST /v1/responses HTTP/1.1\r\nhost: {at}\r\nauthorization: Bearer {token}\r\ncontent-type: \
             application/json\r\ncontent-length: {length}\r\n\r\n{BODY}"
        );
        let begin = Instant::now();
        stream.write_all(request.as_bytes())?;
        let mut times = Vec::with_capacity(EVENTS);
        let mut came = String::new();
        let mut bytes = [0; 65536];
        while times.len() < EVENTS || !came.ends_with("0\r\n\r\n") {
            let count = stream.read(&mut bytes)?;
            let now = Instant::now();
            if count == 0 {
                return Err(format!("it broke off: {came}").into());
            }
            came.push_str(std::str::from_utf8(bytes.get(..count).unwrap_or_default())?);
            let number = times.len();
            if number < EVENTS
                && came.contains(&format!("\"sequence_number\":{number},"))
                && came.contains("\n\n")
            {
                let written = endpoint.took(number)?;
                let took = now.duration_since(if number == 0 { begin } else { written });
                times.push(i64::try_from(took.as_nanos())?);
                // The end of it may have come along with the last one.
                if number + 1 < EVENTS {
                    came.clear();
                }
            }
        }
        Ok(times)
    }
}
