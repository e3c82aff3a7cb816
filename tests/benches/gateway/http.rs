//! Streamable HTTP over one connection that is kept: requests as one write each, answers as JSON or as events.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::client::{self, Client, is_answer};
use crate::common::Outcome;

/// A client of an address.
pub(crate) struct Http {
    at: SocketAddr,
    path: String,
    session: Option<String>,
    connection: Option<BufReader<TcpStream>>,
    /// The rest of the last body: how it is written.
    left: Left,
    /// More connections of the same session, for calls at once.
    others: Vec<Http>,
}

/// What is still to be read of a body.
enum Left {
    Nothing,
    /// So many bytes.
    Bytes(usize),
    Chunks,
}

/// The head of an answer.
#[derive(Default)]
struct Head {
    status: u16,
    events: bool,
    length: Option<usize>,
    chunked: bool,
    close: bool,
}

impl Http {
    /// For `url`, such as `http://127.0.0.1:8080/mcp`.
    pub(crate) fn new(url: &str) -> Outcome<Self> {
        let (at, path) = url
            .strip_prefix("http://")
            .and_then(|rest| rest.split_once('/'))
            .ok_or_else(|| format!("not an address: {url}"))?;
        let (at, path) = (at.parse()?, format!("/{path}"));
        Ok(Self { at, path, session: None, connection: None, left: Left::Nothing, others: Vec::new() })
    }

    /// A connection of its own for the same session.
    fn beside(&self) -> Self {
        let (path, session) = (self.path.clone(), self.session.clone());
        Self { at: self.at, path, session, connection: None, left: Left::Nothing, others: Vec::new() }
    }

    /// One call after the other, as long as there are any left; the nanoseconds of each.
    fn call_while(&mut self, left: &AtomicU64, id: u64) -> Outcome<Vec<i64>> {
        let mut times = Vec::new();
        let next = || left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        while let Ok(left) = next() {
            times.push(i64::try_from(client::call(self, "", id + left)?.as_nanos())?);
        }
        Ok(times)
    }

    fn post(&mut self, body: &str) -> Outcome<Head> {
        let session = self.session.as_deref().map_or_else(String::new, |session| {
            format!("mcp-session-id: {session}\r\nmcp-protocol-version: 2025-06-18\r\n")
        });
        let request = format!(
            "POST {} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\n{session}content-length: {}\r\n\r\n{body}",
            self.path,
            self.at,
            body.len()
        );
        // One that nobody used for some seconds may have been closed.
        let kept = match self.connection.take() {
            Some(mut kept) => self.send(&mut kept, &request).ok().map(|head| (kept, head)),
            None => None,
        };
        let (connection, head) = match kept {
            Some(kept) => kept,
            None => {
                let stream = TcpStream::connect(self.at)?;
                stream.set_nodelay(true)?;
                let mut connection = BufReader::new(stream);
                let head = self.send(&mut connection, &request)?;
                (connection, head)
            }
        };
        self.left = match (head.chunked, head.length) {
            (true, _) => Left::Chunks,
            (false, Some(length)) => Left::Bytes(length),
            (false, None) => Left::Nothing,
        };
        self.connection = Some(connection);
        Ok(head)
    }

    fn send(&mut self, connection: &mut BufReader<TcpStream>, request: &str) -> Outcome<Head> {
        connection.get_mut().write_all(request.as_bytes())?;
        self.head(connection)
    }

    fn head(&mut self, connection: &mut BufReader<TcpStream>) -> Outcome<Head> {
        let mut head = Head::default();
        let mut line = String::new();
        loop {
            line.clear();
            if connection.read_line(&mut line)? == 0 {
                return Err("the connection was closed".into());
            }
            let text = line.trim_end();
            if text.is_empty() {
                return Ok(head);
            }
            let Some((name, value)) = text.split_once(':') else {
                head.status = text.split(' ').nth(1).ok_or("no status")?.parse()?;
                continue;
            };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-type" => head.events = value.starts_with("text/event-stream"),
                "content-length" => head.length = Some(value.parse()?),
                "transfer-encoding" => head.chunked = value.eq_ignore_ascii_case("chunked"),
                "connection" => head.close = value.eq_ignore_ascii_case("close"),
                "mcp-session-id" => self.session = Some(value.to_owned()),
                _ => {}
            }
        }
    }

    /// The next piece of the body; none at its end.
    fn piece(&mut self) -> Outcome<Option<String>> {
        let Some(connection) = &mut self.connection else { return Ok(None) };
        let length = match self.left {
            Left::Nothing => return Ok(None),
            Left::Bytes(length) => {
                self.left = Left::Nothing;
                length
            }
            Left::Chunks => {
                let mut line = String::new();
                connection.read_line(&mut line)?;
                usize::from_str_radix(line.trim(), 16)?
            }
        };
        let mut piece = vec![0; length];
        connection.read_exact(&mut piece)?;
        if matches!(self.left, Left::Chunks) {
            connection.read_exact(&mut [0; 2])?;
            if length == 0 {
                self.left = Left::Nothing;
                return Ok(None);
            }
        }
        Ok(Some(String::from_utf8(piece)?))
    }
}

impl Client for Http {
    fn ask(&mut self, request: &str, id: u64) -> Outcome<String> {
        let head = self.post(request)?;
        let mut body = String::new();
        while let Some(piece) = self.piece()? {
            body.push_str(&piece);
            // Whatever comes after the answer in its stream is left for later.
            if head.events
                && let Some(answer) = answer(&body, id)
            {
                return Ok(answer.to_owned());
            }
        }
        if head.close {
            self.connection = None;
        }
        if head.status == 200 && is_answer(&body, id) {
            return Ok(body);
        }
        Err(format!("no answer, {}: {body}", head.status).into())
    }

    fn tell(&mut self, notification: &str) -> Outcome<()> {
        let head = self.post(notification)?;
        self.settle()?;
        if (200..300).contains(&head.status) { Ok(()) } else { Err(format!("{}", head.status).into()) }
    }

    fn settle(&mut self) -> Outcome<()> {
        while self.piece()?.is_some() {}
        Ok(())
    }

    fn call_at_once(&mut self, flight: usize, calls: usize, id: u64) -> Outcome<Vec<i64>> {
        while self.others.len() + 1 < flight {
            self.others.push(self.beside());
        }
        let left = AtomicU64::new(u64::try_from(calls)?);
        let mut others: Vec<Self> = self.others.drain(..).collect();
        let times = std::thread::scope(|scope| {
            let started: Vec<_> = others
                .iter_mut()
                .take(flight.saturating_sub(1))
                .map(|other| scope.spawn(|| other.call_while(&left, id).map_err(|error| error.to_string())))
                .collect();
            let mut times = self.call_while(&left, id)?;
            for other in started {
                times.append(&mut other.join().map_err(|_| "a client has panicked")??);
            }
            Ok(times)
        });
        self.others = others;
        times
    }
}

/// The answer to `id` among the events that are complete.
fn answer(body: &str, id: u64) -> Option<&str> {
    let body = body.get(..body.rfind("\n\n").or_else(|| body.rfind("\r\n\r\n"))?)?;
    let mut data = body.lines().filter_map(|line| line.strip_prefix("data:"));
    data.find(|data| is_answer(data, id))
}
