//! Server-sent events (WHATWG HTML, section 9.2) as they came: each with its own bytes, so that what nobody has to change is
//! passed on as it is. With a bound, which parsers of events do not have.

/// The text of one event, or of a comment: up to the empty line that ends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EventBlock {
    /// Its bytes.
    pub(crate) raw: Vec<u8>,
}

/// An event is longer than it may be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Takes bytes as they come, and gives events.
pub(crate) struct BlockReader {
    longest: usize,
    block: Vec<u8>,
    /// So many bytes of the block belong to its last line.
    line: usize,
    /// The last byte was a carriage return: a line feed belongs to it.
    returned: bool,
}

impl BlockReader {
    pub(crate) fn new(longest: usize) -> Self {
        Self { longest, block: Vec::new(), line: 0, returned: false }
    }

    /// The events that end in `chunk`.
    pub(crate) fn take_blocks(&mut self, chunk: &[u8]) -> Result<Vec<EventBlock>, TooLong> {
        let mut blocks = Vec::new();
        for &byte in chunk {
            self.block.push(byte);
            if byte == b'\n' && std::mem::take(&mut self.returned) {
                continue;
            }
            self.returned = byte == b'\r';
            if !matches!(byte, b'\n' | b'\r') {
                self.line += 1;
            } else if std::mem::take(&mut self.line) == 0 {
                blocks.push(EventBlock { raw: std::mem::take(&mut self.block) });
            }
            if self.block.len() > self.longest {
                return Err(TooLong);
            }
        }
        Ok(blocks)
    }

    /// What came after the last event.
    pub(crate) fn remaining_bytes(self) -> Vec<u8> {
        self.block
    }
}

impl EventBlock {
    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let text = self.raw.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.raw);
        text.split(|byte| matches!(byte, b'\n' | b'\r')).filter(|line| !line.is_empty())
    }

    /// Its data, if it has any that is text.
    pub(crate) fn data(&self) -> Option<String> {
        let mut data: Option<String> = None;
        for line in self.lines() {
            let value = match line.strip_prefix(b"data") {
                Some(b"") => &b""[..],
                Some(rest) => match rest.strip_prefix(b":") {
                    Some(value) => value.strip_prefix(b" ").unwrap_or(value),
                    None => continue,
                },
                None => continue,
            };
            let value = std::str::from_utf8(value).ok()?;
            match &mut data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => data = Some(value.to_owned()),
            }
        }
        data
    }

    /// The same event with other data, which is on one line.
    pub(crate) fn with_data(&self, data: &str) -> Vec<u8> {
        let mut text = Vec::with_capacity(self.raw.len() + 16);
        for line in self.lines().filter(|line| !line.starts_with(b"data")) {
            text.extend_from_slice(line);
            text.push(b'\n');
        }
        text.extend_from_slice(b"data: ");
        text.extend_from_slice(data.as_bytes());
        text.extend_from_slice(b"\n\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_in_steps(text: &str, step: usize) -> Vec<EventBlock> {
        let mut blocks = BlockReader::new(1000);
        text.as_bytes().chunks(step).flat_map(|chunk| blocks.take_blocks(chunk).unwrap()).collect()
    }

    /// WHATWG HTML, section 9.2.6; and every byte is in one of them.
    #[test]
    fn given_a_stream_in_any_pieces_then_its_events_and_bytes_are_the_same() {
        let text = "\u{feff}event: a\r\ndata: {\"x\":\r\ndata: \"é\"}\r\n\r\n: comment\n\ndata:y\r\rdata\n\nid: 1\ndata: lost";
        let blocks = parse_in_steps(text, text.len());
        let data: Vec<_> = blocks.iter().map(EventBlock::data).collect();
        let text_of = |text: &str| Some(text.to_owned());
        assert_eq!(data, [text_of("{\"x\":\n\"é\"}"), None, text_of("y"), text_of("")]);
        for step in 1..20 {
            let mut blocks = BlockReader::new(1000);
            let mut bytes: Vec<u8> = Vec::new();
            for chunk in text.as_bytes().chunks(step) {
                blocks.take_blocks(chunk).unwrap().into_iter().for_each(|block| bytes.extend(block.raw));
            }
            bytes.extend(blocks.remaining_bytes());
            assert_eq!(bytes, text.as_bytes(), "{step}");
        }
    }

    /// "passes everything through": an event that is changed keeps its other fields.
    #[test]
    fn given_other_data_then_the_other_fields_stay() {
        let block = EventBlock { raw: b"event: a\nid: 7\ndata: x\ndata: y\n\n".to_vec() };
        assert_eq!(block.with_data("{}"), b"event: a\nid: 7\ndata: {}\n\n");
    }

    /// Attack 350: an event without an end.
    #[test]
    fn given_an_event_that_does_not_end_then_it_is_too_long() {
        let mut blocks = BlockReader::new(1000);
        let long = (0..).map(|_| blocks.take_blocks(b"data: 0123456789\n")).take(200).find(Result::is_err);
        assert_eq!(long, Some(Err(TooLong)));
        let mut blocks = BlockReader::new(1000);
        assert!((0..1000).all(|_| blocks.take_blocks(b": 0123456789\n\n").is_ok()));
    }
}
