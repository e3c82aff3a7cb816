//! The relay itself: what an agent starts in the place of a server. It carries lines between the agent and the process that
//! the server is a child of, and knows nothing: no policy, no server's environment, no user's settings. Where that process or
//! the session is gone, every request is answered with an error: nothing is ever let through from here.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::json;
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

use super::channel::{self, ReadHalf, WriteHalf};
use super::handshake::{self, Hello, Welcome};
use super::{ADDRESS, TOKEN};
use crate::era::meta;
use crate::frame::{Frame, FrameKind, code};
use crate::lines::{Line, Lines};

/// The longest message that is carried: what servers may send, and more than a client may.
const LONGEST: usize = 64 * 1024 * 1024;

/// As many requests may wait.
const WAITING: usize = 8192;

/// So long after the agent has said its last it still gets answers.
const DRAIN: Duration = Duration::from_secs(10);

/// The other end, as long as it is there.
struct OpenChannel {
    from: Lines<BufReader<ReadHalf>>,
    to: WriteHalf,
}

/// Requests that wait for their response, by their ids as they are written.
type WaitingRequests = HashMap<String, Frame>;

/// Is a relay, from the agent's `input` and to its `output`, until the input ends. Where to go, and by which credential, is
/// said by the environment.
///
/// # Errors
/// If the agent can't be read or written to.
pub async fn run_relay<R, W>(input: R, mut output: W) -> std::io::Result<()>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let own = |name: &str| std::env::var(name).unwrap_or_default();
    let mut why = String::new();
    let mut other = match open(&own(ADDRESS), own(TOKEN)).await {
        Ok(open) => Some(open),
        Err(reason) => {
            why = reason;
            None
        }
    };
    let mut agent = Lines::new(input, LONGEST);
    let mut waiting = WaitingRequests::new();
    while let Some(OpenChannel { from, to }) = &mut other {
        let said = tokio::select! {
            said = agent.next() => said?,
            said = from.next() => {
                if let Ok(Some(Line::Text(text))) = said {
                    note_response(&mut waiting, &text);
                    write(&mut output, &text).await?;
                    continue;
                }
                "mayi is not there any more, or the session is over".clone_into(&mut why);
                other = None;
                continue;
            }
        };
        let Some(line) = said else {
            let _ = to.shutdown().await;
            let rest = pass_remaining(from, &mut output, &mut waiting);
            return tokio::time::timeout(DRAIN, rest).await.unwrap_or(Ok(()));
        };
        match line {
            Line::Text(text) => {
                note_request(&mut waiting, &text);
                if write(to, &text).await.is_err() {
                    "mayi is not there any more, or the session is over".clone_into(&mut why);
                    other = None;
                }
            }
            // What mayi says to such a line itself.
            Line::TooLong(_) | Line::NotText => {
                let message = "a message that is too long, or no text, is not passed on";
                let answer = Frame::error(RawValue::NULL, code::INVALID_REQUEST, message);
                write(&mut output, &answer.to_line()).await?;
            }
        }
    }
    // Nothing is behind this relay.
    for (_, request) in waiting.drain() {
        let unknown = format!("{why}. Whether this call was carried out is not known");
        write(&mut output, &refusal_response(&request, &unknown).to_line()).await?;
    }
    let why = format!("{why}. Nothing was run");
    while let Some(line) = agent.next().await? {
        if let Line::Text(text) = line
            && let Ok(frame) = Frame::parse(&text)
            && frame.kind() == FrameKind::Request
        {
            write(&mut output, &refusal_response(&frame, &why).to_line()).await?;
        }
    }
    Ok(())
}

/// Goes to the other end, and is let in.
async fn open(address: &str, token: String) -> Result<OpenChannel, String> {
    let (from, mut to) = channel::connect(address)
        .await
        .map_err(|_| "mayi is not there any more, or the session is over".to_owned())?;
    let mut from = BufReader::new(from);
    let gone = || "mayi did not answer".to_owned();
    handshake::write_first_line(&mut to, &Hello { token }).await.map_err(|_| gone())?;
    match handshake::read_first_line(&mut from).await.ok_or_else(gone)? {
        Welcome::Open => Ok(OpenChannel { from: Lines::new(from, LONGEST), to }),
        Welcome::Refused(why) => Err(why),
    }
}

/// What still comes when the agent has said its last.
async fn pass_remaining<W: AsyncWrite + Unpin>(
    from: &mut Lines<BufReader<ReadHalf>>,
    output: &mut W,
    waiting: &mut WaitingRequests,
) -> std::io::Result<()> {
    while let Ok(Some(line)) = from.next().await {
        if let Line::Text(text) = line {
            note_response(waiting, &text);
            write(output, &text).await?;
        }
    }
    Ok(())
}

/// The agent asks something.
fn note_request(waiting: &mut WaitingRequests, text: &str) {
    if let Ok(frame) = Frame::parse(text)
        && frame.kind() == FrameKind::Request
        && let Some(id) = frame.id()
        && waiting.len() < WAITING
    {
        // What its answer needs of it, and not its arguments, which can be long.
        let brief = Frame::request(0, frame.method().unwrap_or_default(), &era_params(&frame));
        waiting.insert(id.get().to_owned(), brief.with_id(id.to_owned()));
    }
}

/// Which era a request is of: that says how its answer looks.
fn era_params(frame: &Frame) -> serde_json::Value {
    let stateless =
        frame.params().and_then(|params| params.object_member("_meta")?.string_member(meta::VERSION));
    stateless.map_or_else(|| json!({}), |version| json!({ "_meta": { meta::VERSION: version } }))
}

/// An answer has come.
fn note_response(waiting: &mut WaitingRequests, text: &str) {
    if let Ok(frame) = Frame::parse(text)
        && frame.kind() == FrameKind::Response
        && let Some(id) = frame.id()
    {
        waiting.remove(id.get());
    }
}

/// The answer to a request that nobody takes.
fn refusal_response(request: &Frame, why: &str) -> Frame {
    let id = request.id().unwrap_or(RawValue::NULL);
    if request.method() != Some("tools/call") {
        return Frame::error(id, code::INTERNAL, &format!("mayi's relay: {why}"));
    }
    let text = format!("mayi's relay: {why}.");
    let content = json!([{ "type": "text", "text": text }]);
    let stateless = era_params(request).get("_meta").is_some();
    let result = if stateless {
        json!({ "content": content, "isError": true, "resultType": "complete" })
    } else {
        json!({ "content": content, "isError": true })
    };
    Frame::result(id, &result)
}

async fn write<W: AsyncWrite + Unpin>(to: &mut W, text: &str) -> std::io::Result<()> {
    to.write_all(text.as_bytes()).await?;
    to.write_all(b"\n").await?;
    to.flush().await
}
