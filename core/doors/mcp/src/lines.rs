//! Lines of messages on byte streams, bounded: MCP's stdio transport, on both sides.

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

use super::frame::Frame;

/// So much of each end of a line that is too long is kept, to see which request it answers.
const ENDS: usize = 512;

/// So much is written at once, if so much waits.
const AT_ONCE: usize = 64 * 1024;

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line, without its end.
    Text(String),
    /// A line longer than the limit was passed over: how it began and how it ended.
    TooLong(String),
    /// A line that is not UTF-8 was passed over.
    NotText,
}

/// Reads lines.
pub(super) struct Lines<R> {
    reader: BufReader<R>,
    limit: usize,
    /// What was read of the line at hand: kept here, so that a read that is given up loses nothing.
    line: Vec<u8>,
    /// The line at hand is too long: only its ends are kept.
    too_long: bool,
}

impl<R: tokio::io::AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(reader: R, limit: usize) -> Self {
        Self { reader: BufReader::with_capacity(AT_ONCE, reader), limit, line: Vec::new(), too_long: false }
    }

    /// The next line that is not empty; `None` at the end. May be given up at any time.
    ///
    /// # Errors
    /// If the stream can't be read.
    pub(super) async fn next(&mut self) -> std::io::Result<Option<Line>> {
        loop {
            let (used, ended) = {
                let chunk = self.reader.fill_buf().await?;
                if chunk.is_empty() {
                    // A last line without its end was not finished.
                    return Ok(None);
                }
                let end = chunk.iter().position(|byte| *byte == b'\n');
                let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
                append_bounded(&mut self.line, &mut self.too_long, self.limit, part);
                (end.map_or(chunk.len(), |end| end + 1), end.is_some())
            };
            std::pin::Pin::new(&mut self.reader).consume(used);
            if !ended {
                continue;
            }
            let line = std::mem::take(&mut self.line);
            if std::mem::take(&mut self.too_long) {
                return Ok(Some(Line::TooLong(String::from_utf8_lossy(&line).into_owned())));
            }
            match String::from_utf8(line) {
                Ok(text) if text.trim().is_empty() => {}
                Ok(text) => return Ok(Some(Line::Text(text))),
                Err(_) => return Ok(Some(Line::NotText)),
            }
        }
    }
}

fn append_bounded(line: &mut Vec<u8>, over: &mut bool, limit: usize, part: &[u8]) {
    line.extend_from_slice(part);
    if !*over && line.len() > limit {
        *over = true;
    }
    if *over && line.len() > 2 * ENDS {
        let tail = line.len() - ENDS;
        line.drain(ENDS.min(tail)..tail);
        line.shrink_to(4 * ENDS);
    }
}

/// Writes what comes, a message a line, until the other end is gone. Tells `taken` how long each message is that does not
/// wait any more.
pub(super) async fn write_all<W: AsyncWrite + Unpin>(
    mut writer: W,
    mut from: mpsc::Receiver<Frame>,
    taken: impl Fn(usize),
) -> std::io::Result<()> {
    let mut batch = String::new();
    while let Some(frame) = from.recv().await {
        batch.push_str(&frame.to_line());
        batch.push('\n');
        taken(frame.approximate_size());
        while batch.len() < AT_ONCE
            && let Ok(frame) = from.try_recv()
        {
            batch.push_str(&frame.to_line());
            batch.push('\n');
            taken(frame.approximate_size());
        }
        writer.write_all(batch.as_bytes()).await?;
        writer.flush().await?;
        batch.clear();
        batch.shrink_to(AT_ONCE);
    }
    writer.shutdown().await
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(text: &[u8], limit: usize) -> Vec<Line> {
        let mut lines = Lines::new(text, limit);
        let mut read = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            read.push(line);
        }
        read
    }

    #[tokio::test]
    async fn given_lines_then_each_comes_by_itself_and_an_unfinished_one_does_not() {
        let text = |text: &str| Line::Text(text.to_owned());
        assert_eq!(read(b"a\n\n b\r\nc", 10).await, [text("a"), text(" b\r")]);
        assert_eq!(read(b"\xff\na\n", 10).await, [Line::NotText, text("a")]);
    }

    /// A line that is too long takes no memory, does not end the connection, and shows whose answer it was.
    #[tokio::test]
    async fn given_a_line_that_is_too_long_then_its_ends_are_kept_and_the_next_one_is_read() {
        let long = format!("{{\"id\":7,\"x\":\"{}\",\"id\":9}}\nnext\n", "x".repeat(3_000_000));
        let lines = read(long.as_bytes(), 100_000).await;
        let [Line::TooLong(ends), Line::Text(next)] = lines.as_slice() else { panic!("{}", lines.len()) };
        assert!(ends.starts_with("{\"id\":7,") && ends.ends_with("\"id\":9}") && ends.len() <= 2 * ENDS);
        assert_eq!(next, "next");
    }
}
