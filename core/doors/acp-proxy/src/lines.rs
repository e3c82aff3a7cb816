//! Lines as they come: bounded, and held to what one line is for every reader.

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

use mayi_acp_shared::LONGEST;

/// What comes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line, without what ends it.
    Text(String),
    /// One that is not UTF-8.
    Bytes,
}

/// The next line; none at the end.
///
/// # Errors
/// If it can't be read, or is longer than any line that is taken.
pub(crate) async fn next(reader: &mut (impl AsyncBufRead + Unpin)) -> std::io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    let most = u64::try_from(LONGEST).unwrap_or(u64::MAX).saturating_add(2);
    let read = AsyncReadExt::take(&mut *reader, most).read_until(b'\n', &mut bytes).await?;
    if read == 0 {
        return Ok(None);
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    }
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
    Ok(Some(String::from_utf8(bytes).map_or(Line::Bytes, Line::Text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Attack 397: a message hidden behind a carriage return, for readers that end a line there.
    #[tokio::test]
    async fn given_a_carriage_return_within_a_line_then_no_reader_ends_the_line_there() {
        let mut input: &[u8] = b"{\"a\":\r{\"b\":1}\r}\r\nnext\n\xff\nlast";
        let mut read = async || next(&mut input).await.unwrap();
        assert_eq!(read().await, Some(Line::Text("{\"a\": {\"b\":1} }".to_owned())));
        assert_eq!(read().await, Some(Line::Text("next".to_owned())));
        assert_eq!(read().await, Some(Line::Bytes));
        assert_eq!(read().await, Some(Line::Text("last".to_owned())));
        assert_eq!(read().await, None);
    }
}
