//! A stream of server-sent events, read with a bound (WHATWG HTML, section 9.2).
//!
//! The parsers that there are keep as much as a server sends; the bound has to know lines and events, and so does
//! all that a parser does.

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ServerSentEvent {
    /// Its kind; empty if it names none, which is a message.
    pub(super) kind: String,
    /// Its data, which may be empty.
    pub(super) data: String,
    /// The id to come back with, if it has one.
    pub(super) id: Option<String>,
    /// When to come back, in milliseconds, if it says so.
    pub(super) retry: Option<u64>,
}

impl ServerSentEvent {
    /// Whether it is of the kind that MCP's messages are.
    pub(super) fn is_message(&self) -> bool {
        self.kind.is_empty() || self.kind == "message"
    }
}

/// An event is longer than it may be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

/// Takes bytes as they come, and gives events.
pub(super) struct EventParser {
    longest: usize,
    line: Vec<u8>,
    returned: bool,
    started: bool,
    event: ServerSentEvent,
    any: bool,
}

impl EventParser {
    pub(super) fn new(longest: usize) -> Self {
        Self {
            longest,
            line: Vec::new(),
            returned: false,
            started: false,
            event: ServerSentEvent::default(),
            any: false,
        }
    }

    /// The events that end in `chunk`.
    pub(super) fn take_events(&mut self, mut chunk: &[u8]) -> Result<Vec<ServerSentEvent>, TooLong> {
        let mut events = Vec::new();
        while !chunk.is_empty() {
            if std::mem::take(&mut self.returned) && chunk.first() == Some(&b'\n') {
                chunk = chunk.get(1..).unwrap_or_default();
                continue;
            }
            let end = chunk.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (part, rest) = chunk.split_at(end.unwrap_or(chunk.len()));
            if self.line.len() + part.len() + self.event.data.len() > self.longest {
                return Err(TooLong);
            }
            self.line.extend_from_slice(part);
            if end.is_none() {
                break;
            }
            self.returned = rest.first() == Some(&b'\r');
            chunk = rest.get(1..).unwrap_or_default();
            let line = std::mem::take(&mut self.line);
            if let Some(event) = self.end_line(&line) {
                events.push(event);
            }
        }
        Ok(events)
    }

    fn end_line(&mut self, line: &[u8]) -> Option<ServerSentEvent> {
        let line = if std::mem::replace(&mut self.started, true) {
            line
        } else {
            line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
        };
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.any).then_some(event);
        }
        let line = String::from_utf8_lossy(line);
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.any && !self.event.data.is_empty() {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
                self.any = true;
            }
            "id" if !value.contains('\0') => {
                self.event.id = Some(value.to_owned());
                self.any = true;
            }
            "retry" => {
                self.event.retry = value.parse().ok();
                self.any = true;
            }
            "event" => self.event.kind = value.to_owned(),
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_in_steps(text: &str, step: usize) -> Vec<ServerSentEvent> {
        let mut events = EventParser::new(1000);
        text.as_bytes().chunks(step).flat_map(|chunk| events.take_events(chunk).unwrap()).collect()
    }

    /// WHATWG HTML, section 9.2.6.
    #[test]
    fn given_a_stream_in_any_pieces_then_its_events_are_the_same() {
        let text = "\u{feff}: hello\r\nid: 1-0\nretry: 1500\ndata:\n\ndata: {\"a\":\r\ndata: \"é\"}\r\n\r\nevent: ping\ndata: x\n\nid\ndata:y\r\rdata: lost";
        let events = parse_in_steps(text, text.len());
        assert_eq!(events.len(), 4);
        let first =
            ServerSentEvent { id: Some("1-0".into()), retry: Some(1500), ..ServerSentEvent::default() };
        assert_eq!(events[0], first);
        assert_eq!(events[1].data, "{\"a\":\n\"é\"}");
        assert_eq!((events[2].kind.as_str(), events[2].data.as_str()), ("ping", "x"));
        assert_eq!(events.iter().filter(|event| event.is_message()).count(), 3);
        let last =
            ServerSentEvent { data: "y".into(), id: Some(String::new()), ..ServerSentEvent::default() };
        assert_eq!(events[3], last);
        for step in 1..20 {
            assert_eq!(parse_in_steps(text, step), events, "{step}");
        }
    }

    /// Attack: an event without an end.
    #[test]
    fn given_an_event_that_does_not_end_then_it_is_too_long_and_comments_are_not() {
        let mut events = EventParser::new(1000);
        assert_eq!(events.take_events(&[b'x'; 1001]), Err(TooLong));
        let mut events = EventParser::new(1000);
        let long = (0..).map(|_| events.take_events(b"data: 0123456789\n")).take(200).find(Result::is_err);
        assert!(long.is_some());
        let mut events = EventParser::new(1000);
        assert!((0..1000).all(|_| events.take_events(b": 0123456789\n").is_ok()));
    }
}
