//! Real processes at the other end of a real socket.

use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Child, Command, Stdio};

use super::origin::check_origin;
use super::{AskingProcesses, NotHeard, peer_of};

/// Connects, and waits until this test has ended.
const CONNECT: &str = "import os, socket, sys\n\
    def connect():\n    \
        s = socket.socket(socket.AF_UNIX)\n    s.connect(sys.argv[1])\n    s.recv(1)\n";

/// A process that ends with the test, and the connection that it, or what it has started, has made.
struct Connected {
    child: Child,
    stream: UnixStream,
    _folder: tempfile::TempDir,
}

impl Connected {
    /// `then` is a line in Python that calls `connect()`; `before` is the command that Python is started by.
    fn by(before: &[&str], then: &str) -> Self {
        let script = format!("{CONNECT}{then}\n");
        let mut words = before.iter().copied().chain(["python3", "-c", &script]);
        let mut command = Command::new(words.next().unwrap());
        command.args(words);
        Self::start(command, tempfile::tempdir().unwrap())
    }

    /// Another program under the name `mayi`, which is started like the backend of an editor.
    fn by_planted_backend() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // What Python runs is a file of this name.
        std::fs::write(folder.path().join("serve"), format!("{CONNECT}connect()\n")).unwrap();
        let planted = folder.path().join("mayi");
        let plant = "import os, sys; os.symlink(os.readlink('/proc/self/exe'), sys.argv[1])";
        assert!(can(&["python3", "-c", plant, planted.to_str().unwrap()]));
        let mut command = Command::new(planted);
        command.arg("serve").current_dir(folder.path());
        Self::start(command, folder)
    }

    /// `command` has the place of the socket as its last word.
    fn start(mut command: Command, folder: tempfile::TempDir) -> Self {
        let path = folder.path().join("s");
        let listener = UnixListener::bind(&path).unwrap();
        let child = command.arg(path).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let (stream, _) = listener.accept().unwrap();
        Self { child, stream, _folder: folder }
    }

    fn checked(&self, owners: &[u32], clients: &[u32]) -> Result<(), NotHeard> {
        let (_, pid) = peer_of(&self.stream).unwrap();
        check_origin(
            &self.stream,
            pid,
            &AskingProcesses { owners: owners.to_vec(), clients: clients.to_vec() },
        )
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn can(words: &[&str]) -> bool {
    let [program, words @ ..] = words else { return false };
    Command::new(program).args(words).status().is_ok_and(|status| status.success())
}

/// Attack 780: whoever connects is looked at by its parents, as this process sees them.
#[test]
fn given_a_child_that_connects_then_it_is_refused_unless_nobody_asks_above_it() {
    let own = std::process::id();
    let connected = Connected::by(&[], "connect()");
    let child = connected.child.id();
    assert!(matches!(connected.checked(&[own], &[]), Err(NotHeard::Agent)));
    assert!(matches!(connected.checked(&[], &[1_000_000_000, own]), Err(NotHeard::Agent)));
    assert!(connected.checked(&[child], &[child]).is_ok(), "who asks is not within itself");
    assert!(connected.checked(&[], &[]).is_ok());
    let connected = Connected::by(&["bash", "-c", "\"$@\"; true", "bash"], "connect()");
    assert!(matches!(connected.checked(&[own], &[]), Err(NotHeard::Agent)), "at any depth");
    assert!(matches!(connected.checked(&[connected.child.id()], &[]), Err(NotHeard::Agent)));
}

/// Attack 780: a namespace of its own, whoever started it.
#[test]
fn given_namespaces_of_its_own_then_it_is_refused_whoever_started_it() {
    let cases: [(&[&str], &str); 4] = [
        (&["unshare", "-Urpf"], "PID"),
        (&["unshare", "-Urpf", "--mount-proc"], "PID"),
        (&["unshare", "-Ur"], "user"),
        (&["unshare", "-m"], "mount"),
    ];
    for (before, which) in cases {
        if !can(&[before, &["true"]].concat()) {
            // Not let: a user without rights has no mount namespace alone, and some systems let nobody have one.
            continue;
        }
        let connected = Connected::by(before, "connect()");
        match connected.checked(&[], &[]) {
            Err(NotHeard::Apart(found)) => assert_eq!(found, which, "{before:?}"),
            other => panic!("{before:?}: {other:?}"),
        }
        assert!(matches!(connected.checked(&[std::process::id()], &[]), Err(NotHeard::Agent)), "{before:?}");
    }
}

/// Attack 780: who has connected is looked at, and not who holds the connection now; and one that has ended can't be.
#[test]
fn given_somebody_who_has_ended_then_nobody_is_listened_to_in_its_place() {
    let mut connected = Connected::by(
        &[],
        "if True:\n    s = socket.socket(socket.AF_UNIX)\n    s.connect(sys.argv[1])\n    \
         if os.fork() == 0:\n        s.recv(1)\n        os._exit(0)\n    os._exit(0)",
    );
    connected.child.wait().unwrap();
    let told = connected.checked(&[], &[]);
    assert!(matches!(told, Err(NotHeard::Unknown(_) | NotHeard::Apart(_))), "{told:?}");
}

/// Attack 782: what is nobody's child any more may be what a harness has let go of: this test is its harness, and was there
/// before.
#[test]
fn given_an_orphan_that_began_after_the_client_then_it_is_refused() {
    let mut connected = Connected::by(
        &[],
        "parent = os.getpid()\nif os.fork() == 0:\n    os.setsid()\n    while os.getppid() == parent: pass\n    connect()",
    );
    connected.child.wait().unwrap();
    let told = connected.checked(&[], &[std::process::id()]);
    assert!(matches!(told, Err(NotHeard::Orphan)), "{told:?}");
    assert!(connected.checked(&[], &[]).is_ok(), "nobody has begun before it");
}

/// D6.8: what the client of a gateway has started is not listened to. Only an editor's backend is, which is known by what is in the
/// program, and not by what it is called.
#[test]
fn given_another_program_that_is_called_mayi_serve_then_it_is_no_backend() {
    let connected = Connected::by_planted_backend();
    let line = std::fs::read(format!("/proc/{}/cmdline", connected.child.id())).unwrap();
    let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
    assert!(words[0].ends_with(b"/mayi") && words[1] == b"serve", "{}", String::from_utf8_lossy(&line));
    let told = connected.checked(&[], &[std::process::id()]);
    assert!(matches!(told, Err(NotHeard::Agent)), "{told:?}");
    assert!(connected.checked(&[], &[]).is_ok(), "nothing else speaks against it");
}
