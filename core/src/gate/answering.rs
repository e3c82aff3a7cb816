//! Answers of the user's other processes to what waits here. They come over a socket of this process, which looks at whoever
//! has connected before it reads a word (D6.8). There is no other way in: what anybody writes into the store answers nothing.
//!
//! A thread takes connections in, and looks at each: who asks must not wait for that. What a person's process wants is read by
//! a thread of its own, so that one that is slow holds up no other.

mod wire;

pub(super) use wire::{Request, ask_owner};

use std::io::{self, BufRead, BufReader, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::RecvFlags;

use super::peer_process::{check_answerer, is_stopped};
use super::{Gate, WeakGate};
use crate::approval::AnswerError;
use crate::store::Store;
use wire::Reply;

/// Maximum size of an answer, in bytes.
const MAX_REQUEST: u64 = 1 << 20;

/// Maximum number of answers that are read at once.
const MAX_AT_ONCE: usize = 32;

/// How long an answer may take to come once somebody is connected, and a reply to be read.
const IO_LIMIT: Duration = Duration::from_secs(5);

/// How long a process may take to say whether another one is the person's.
const LOOK_LIMIT: Duration = Duration::from_secs(3);

/// Maximum length of the name of a surface, in characters.
const MAX_NAME: usize = 64;

/// How long to wait where nobody can be let in just now, as where too many files are open.
const PAUSE: Duration = Duration::from_millis(100);

/// Answers are taken as long as it is held.
pub(super) struct Listening {
    /// Its other end tells the thread that it is closed.
    _held: PipeWriter,
}

/// Takes answers at `path` for as long as what is returned is held.
///
/// # Errors
/// If there can be no socket, or no thread.
fn listen(gate: WeakGate, path: &Path) -> io::Result<Listening> {
    let listener = wire::with_short_path(path, |path| UnixListener::bind(path))?;
    // One that is gone again before it is taken in must not be waited for.
    listener.set_nonblocking(true)?;
    let (ended, held) = io::pipe()?;
    thread::Builder::new().name("answers".to_owned()).spawn(move || accept_all(&listener, &gate, &ended))?;
    Ok(Listening { _held: held })
}

fn accept_all(listener: &UnixListener, gate: &WeakGate, ended: &PipeReader) {
    let place = Arc::new(());
    loop {
        let mut waited_for = [PollFd::new(listener, PollFlags::IN), PollFd::new(ended, PollFlags::IN)];
        if poll(&mut waited_for, None).is_err_and(|error| error != rustix::io::Errno::INTR) {
            return;
        }
        if waited_for.last().is_some_and(|ended| !ended.revents().is_empty()) {
            return;
        }
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => continue,
            Err(_) => {
                thread::sleep(PAUSE);
                continue;
            }
        };
        let Some(strong) = gate.upgrade() else { return };
        let checked = prepare_stream(&stream).and_then(|()| strong.check_peer(&stream));
        drop(strong);
        if let Err(error) = checked {
            // Before anything of it is read, and before it takes the place of somebody else.
            send_reply(&stream, &Err(error));
        } else if Arc::strong_count(&place) <= MAX_AT_ONCE {
            let (gate, place) = (gate.clone(), Arc::clone(&place));
            let serving = thread::Builder::new().name("answer".to_owned()).spawn(move || {
                serve_person(&stream, &gate);
                drop(place);
            });
            if let Err(error) = serving {
                tracing::warn!(%error, "an answer of another process could not be taken");
            }
        }
    }
}

fn prepare_stream(stream: &UnixStream) -> Result<(), AnswerError> {
    let limited = || -> io::Result<()> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(IO_LIMIT))?;
        stream.set_write_timeout(Some(IO_LIMIT))
    };
    limited().map_err(|error| AnswerError::Refused(format!("it can't be told who answers: {error}")))
}

/// Reads what a person's process wants, and says what became of it.
fn serve_person(stream: &UnixStream, gate: &WeakGate) {
    let Some(request) = read_request(stream) else { return };
    // Whoever does not wait any more would not hear that the answer was taken: it is withdrawn.
    let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
    if rustix::net::recv(stream, &mut [0; 1], flags) != Err(rustix::io::Errno::AGAIN) {
        return;
    }
    let Request::Answer { response, by } = request else { return send_reply(stream, &Ok(())) };
    let by: String = by.chars().take(MAX_NAME).collect();
    let Some(gate) = gate.upgrade() else { return };
    let taken = gate.lock().answer(&response, &by, || send_reply(stream, &Ok(())));
    if let Err(error) = taken {
        send_reply(stream, &Err(error));
    }
}

fn read_request(stream: &UnixStream) -> Option<Request> {
    let mut line = Vec::new();
    BufReader::new(stream.take(MAX_REQUEST)).read_until(b'\n', &mut line).ok()?;
    serde_json::from_slice(line.strip_suffix(b"\n")?).ok()
}

fn send_reply(mut stream: &UnixStream, reply: &Reply) {
    let Ok(mut text) = serde_json::to_vec(reply) else { return };
    text.push(b'\n');
    // Whoever does not read it does not want to know.
    let _ = stream.write_all(&text);
}

/// Whether this process may do what is the person's alone: every process of the user's that asks is asked, and looks at this one.
/// What this one sees of itself would not do: an agent may have put it where it sees nothing else.
///
/// # Errors
/// Why one of them says that it is not the person's, or that one does not say.
pub fn check_by_those_who_ask(store: &dyn Store) -> Result<(), AnswerError> {
    let live = store.live_owners(Timestamp::now()).map_err(|error| AnswerError::Store(error.to_string()))?;
    for owner in live.into_iter().filter(|owner| owner.pid != std::process::id()) {
        let socket = store.answer_socket(owner.id);
        if socket.exists() && is_stopped(owner.pid) {
            return Err(unanswered(owner.pid, "it is stopped"));
        }
        match ask_owner(&socket, &Request::Look, LOOK_LIMIT) {
            Ok(Some(reply)) => reply?,
            // It ends, or takes no answers. (Who could move its socket away could write the person's settings, too.)
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) => {}
            Ok(None) | Err(_) => return Err(unanswered(owner.pid, "it may be stopped, or hang")),
        }
    }
    Ok(())
}

/// Who is there can't be told without the process that asks.
fn unanswered(pid: u32, why: &str) -> AnswerError {
    AnswerError::Refused(format!(
        "whether this is you or an agent is looked at by each mayi that waits for an answer, and process {pid} does not answer: \
         {why}; have it go on (`fg` in its terminal, or `kill -CONT {pid}`) or end it, and try again"
    ))
}

impl Gate {
    /// Takes answers of other processes from now on, until this one leaves its store.
    pub(super) fn take_answers(&self) {
        let mut state = self.lock();
        let Some(memory) = state.ledger.memory_mut().filter(|memory| memory.listening.is_none()) else {
            return;
        };
        match listen(self.downgrade(), &memory.store.answer_socket(memory.owner.id)) {
            Ok(listening) => memory.listening = Some(listening),
            Err(error) => {
                tracing::warn!(%error, "what this process asks can't be answered from other windows")
            }
        }
    }

    /// Whether who has connected is the person, as far as can be told.
    fn check_peer(&self, stream: &UnixStream) -> Result<(), AnswerError> {
        let known =
            self.lock().ledger.memory().map(|memory| (Arc::clone(&memory.store), memory.owner.clone()));
        let Some((store, owner)) = known else { return Err(AnswerError::Unheard) };
        check_answerer(stream, &*store, &owner).map_err(|why| AnswerError::Refused(why.to_string()))
    }
}
