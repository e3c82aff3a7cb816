//! Lines as they come: bounded, and held to what one line is for every reader.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use mayi_acp_shared::LONGEST;

/// What comes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line, without what ends it.
    Text(String),
    /// One that is not UTF-8, with a sign in the place of each byte that is none.
    Bytes(String),
}

/// So much is read at a time.
const CHUNK: usize = 64 * 1024;

/// Reads lines. Who stops waiting for one loses nothing of it.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    from: BufReader<R>,
    /// What has come of the line that is being read.
    begun: Vec<u8>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(from: R) -> Self {
        Self { from: BufReader::with_capacity(CHUNK, from), begun: Vec::new() }
    }

    /// The next line; none at the end.
    ///
    /// # Errors
    /// If it can't be read, or is longer than any line that is taken.
    pub(crate) async fn next(&mut self) -> std::io::Result<Option<Line>> {
        loop {
            let (ends, used) = {
                let bytes = self.from.fill_buf().await?;
                if bytes.is_empty() {
                    return if self.begun.is_empty() { Ok(None) } else { self.take_line().map(Some) };
                }
                let end = bytes.iter().position(|byte| *byte == b'\n');
                let part = end.and_then(|end| bytes.get(..end)).unwrap_or(bytes);
                self.begun.extend_from_slice(part);
                (end.is_some(), end.map_or(bytes.len(), |end| end + 1))
            };
            self.from.consume(used);
            if ends || self.begun.len() > LONGEST + 1 {
                return self.take_line().map(Some);
            }
        }
    }

    fn take_line(&mut self) -> std::io::Result<Line> {
        let mut bytes = std::mem::take(&mut self.begun);
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        if bytes.len() > LONGEST {
            return Err(std::io::Error::other(format!("a line longer than {} MiB", LONGEST / 1024 / 1024)));
        }
        // Some readers end a line here too. In a text of JSON it is a blank between tokens, and nothing else.
        for byte in &mut bytes {
            if *byte == b'\r' {
                *byte = b' ';
            }
        }
        let text = String::from_utf8(bytes);
        Ok(text.map_or_else(
            |bytes| Line::Bytes(String::from_utf8_lossy(bytes.as_bytes()).into_owned()),
            Line::Text,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt;

    /// Attack 397: a message hidden behind a carriage return, for readers that end a line there.
    #[tokio::test]
    async fn given_a_carriage_return_within_a_line_then_no_reader_ends_the_line_there() {
        let input: &[u8] = b"{\"a\":\r{\"b\":1}\r}\r\nnext\n\xff!\nlast";
        let mut lines = Lines::new(input);
        let mut read = async || lines.next().await.unwrap();
        assert_eq!(read().await, Some(Line::Text("{\"a\": {\"b\":1} }".to_owned())));
        assert_eq!(read().await, Some(Line::Text("next".to_owned())));
        assert_eq!(read().await, Some(Line::Bytes("\u{fffd}!".to_owned())));
        assert_eq!(read().await, Some(Line::Text("last".to_owned())));
        assert_eq!(read().await, None);
    }

    /// S4.21: the last words of an agent that has ended are read to their end.
    #[tokio::test]
    async fn given_somebody_who_stops_waiting_then_nothing_of_the_line_is_lost() {
        let (mut to, from) = tokio::io::duplex(64);
        let mut lines = Lines::new(from);
        to.write_all(b"first ").await.unwrap();
        tokio::select! {
            biased;
            line = lines.next() => panic!("{line:?}"),
            () = std::future::ready(()) => {}
        }
        to.write_all(b"half\n").await.unwrap();
        assert_eq!(lines.next().await.unwrap(), Some(Line::Text("first half".to_owned())));
    }
}
