//! Real processes at the other end.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::process::{Child, ChildStdin, Command, Stdio};

use super::*;
use crate::store::{Options, Owner, SqliteStore};

/// A process that ends with the test.
struct Started(Child);

impl Started {
    fn of(mut command: Command) -> Self {
        Self(command.spawn().unwrap())
    }

    /// A shell that does what `line` says and then waits until it is told to end.
    fn shell(line: &str) -> (Self, ChildStdin) {
        let mut command = Command::new("bash");
        command.args(["-c", line]).stdin(Stdio::piped());
        let mut started = Self::of(command);
        let input = started.0.stdin.take().unwrap();
        (started, input)
    }

    fn id(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A listener, and a connection that somebody makes to it.
fn accepted(at: &str, connect: impl FnOnce(SocketAddr)) -> TcpStream {
    let listener = TcpListener::bind(at).unwrap();
    connect(listener.local_addr().unwrap());
    listener.accept().unwrap().0
}

fn ends(stream: &TcpStream) -> (SocketAddr, SocketAddr) {
    (stream.local_addr().unwrap(), stream.peer_addr().unwrap())
}

fn within(asking: &[u32], stream: &TcpStream) -> bool {
    let (local, peer) = ends(stream);
    is_within(asking, local, peer).unwrap()
}

fn holder(stream: &TcpStream) -> Option<u32> {
    let (local, peer) = ends(stream);
    peer_of(local, peer)
}

#[test]
fn given_this_process_then_its_parents_go_up_to_the_first_one() {
    let parents = ancestor_pids(std::process::id());
    assert_eq!(parents.first(), Some(&std::os::unix::process::parent_id()));
    assert!(!parents.contains(&std::process::id()));
}

/// Attack 2: "the agent runs `mayi inbox approve`": what an agent starts has mayi among its parents.
#[test]
fn given_a_process_that_asks_among_the_parents_then_nobody_answers() {
    let own = std::process::id();
    let (child, _input) = Started::shell("read line");
    assert!(is_started_by(&[1_000_000_000, own], child.id()));
    assert!(!is_started_by(&[child.id()], own), "a child that asks is no parent");
}

/// Attack 2, over a connection: whoever starts the backend is no agent, and what an agent starts is within it.
#[test]
fn given_a_child_that_connects_then_it_is_within_whoever_started_it() {
    let own = std::process::id();
    let mut there = None;
    let line = |at: SocketAddr| format!("exec 3<>/dev/tcp/127.0.0.1/{}; read line", at.port());
    let stream = accepted("127.0.0.1:0", |at| there = Some(Started::shell(&line(at))));
    let (child, _input) = there.unwrap();
    assert_eq!(holder(&stream), Some(child.id()));
    assert!(within(&[own], &stream));
    assert!(within(&[1_000_000_000, own], &stream));
    assert!(!within(&[child.id()], &stream), "who asks is not within itself");
    assert!(!within(&[], &stream));
}

/// At any depth.
#[test]
fn given_a_child_of_a_child_then_it_is_within_too() {
    let own = std::process::id();
    let mut there = None;
    let line =
        |at: SocketAddr| format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{}; read line; true'; true", at.port());
    let stream = accepted("127.0.0.1:0", |at| there = Some(Started::shell(&line(at))));
    let (child, _input) = there.unwrap();
    let inner = holder(&stream).unwrap();
    assert!(inner != child.id() && ancestor_pids(inner).starts_with(&[child.id(), own]));
    assert!(within(&[own], &stream) && within(&[child.id()], &stream));
}

/// Somebody else's connection stays somebody else's while agents run.
#[test]
fn given_a_connection_of_this_process_then_its_children_do_not_hold_it() {
    let own = std::process::id();
    for (at, to) in [("127.0.0.1:0", "127.0.0.1"), ("[::1]:0", "[::1]"), ("[::]:0", "127.0.0.1")] {
        let Ok(listener) = TcpListener::bind(at) else {
            // A machine without IPv6.
            assert!(at.starts_with('['), "{at}");
            continue;
        };
        let client = TcpStream::connect(format!("{to}:{}", listener.local_addr().unwrap().port())).unwrap();
        let stream = listener.accept().unwrap().0;
        let (_child, _input) = Started::shell("read line");
        assert_eq!(holder(&stream), Some(own), "{at}");
        assert_eq!(holder(&client), Some(own), "{at}");
        assert!(!within(&[own], &stream), "{at}");
        // It is within whoever started this process.
        assert!(within(&ancestor_pids(own), &stream), "{at}");
    }
}

/// A connection that is shared with an agent's process is the agent's too: it can write there.
#[test]
fn given_a_connection_that_a_child_was_given_then_it_is_within() {
    let own = std::process::id();
    let mut client = None;
    let stream = accepted("127.0.0.1:0", |at| client = Some(TcpStream::connect(at).unwrap()));
    let client = client.unwrap();
    assert!(!within(&[own], &stream));
    let mut command = Command::new("bash");
    command.args(["-c", "echo ready; read line"]);
    command.stdin(OwnedFd::from(client.try_clone().unwrap())).stdout(Stdio::piped());
    let mut child = Started::of(command);
    let mut ready = String::new();
    BufReader::new(child.0.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    assert!(within(&[own], &stream), "both hold it");
    (&stream).write_all(b"end\n").unwrap();
    child.0.wait().unwrap();
    assert!(!within(&[own], &stream));
}

/// A thread that has open files of its own does not show them among those of its process.
#[test]
fn given_a_thread_with_files_of_its_own_then_it_is_looked_at() {
    let script = "import ctypes,socket,sys,threading\n\
        def run():\n    assert ctypes.CDLL(None).unshare(0x400) == 0\n    \
        s = socket.create_connection(('127.0.0.1', int(sys.argv[1])))\n    s.recv(1)\n\
        t = threading.Thread(target=run)\nt.start()\nt.join()\n";
    let mut child = None;
    let stream = accepted("127.0.0.1:0", |at| {
        let mut command = Command::new("python3");
        command.args(["-c", script, &at.port().to_string()]).stderr(Stdio::null());
        child = Some(Started::of(command));
    });
    assert_eq!(holder(&stream), None, "its process does not show it");
    assert!(within(&[std::process::id()], &stream));
    drop(child);
}

/// Attack 785: a connection that no process has while it is looked at, since it is on its way from one to another: nobody but an
/// agent's process hides it.
#[test]
fn given_a_connection_on_its_way_between_processes_then_it_is_within() {
    let script = "import socket,sys\n\
        s = socket.create_connection(('127.0.0.1', int(sys.argv[1])))\n\
        here, there = socket.socketpair()\n\
        socket.send_fds(here, [b'x'], [s.fileno()])\n\
        s.close()\nprint('away', flush=True)\nsys.stdin.read()\n";
    let mut child = None;
    let stream = accepted("127.0.0.1:0", |at| {
        let mut command = Command::new("python3");
        command.args(["-c", script, &at.port().to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut started = Started::of(command);
        let mut away = String::new();
        BufReader::new(started.0.stdout.take().unwrap()).read_line(&mut away).unwrap();
        child = Some(started);
    });
    assert_eq!(holder(&stream), None, "nobody shows it");
    assert!(within(&[std::process::id()], &stream));
    assert_eq!(looked_up(&[&stream]), [Some((false, true))], "no agent is there that could have it");
    drop(child);
}

/// Attack 785: what nobody shows is let in only where somebody else could have it, who lets nobody look.
#[test]
fn given_processes_that_show_nothing_then_only_some_of_them_could_have_a_connection() {
    let own = rustix::process::geteuid().as_raw();
    let other = own + 1;
    let could = |user, parent_user, of| {
        holders::Hidden { user, parent_user }.could_have(&socket::Socket { inode: 1, user: of })
    };
    assert!(could(Some(other), Some(other), other), "a server of another user's");
    assert!(could(Some(own), Some(other), own), "one of a login, which another user has started");
    assert!(could(None, None, other), "another user's, where these are hidden");
    for (user, parent) in [(Some(own), Some(own)), (Some(own), None), (Some(other), Some(own)), (None, None)]
    {
        assert!(!could(user, parent, own), "{user:?} {parent:?}");
    }
}

/// Whoever sends something and leaves at once is not let in for it. Attack 785.
#[test]
fn given_an_end_that_is_closed_then_nobody_can_say() {
    let mut client = None;
    let stream = accepted("127.0.0.1:0", |at| client = Some(TcpStream::connect(at).unwrap()));
    drop(client);
    let (local, peer) = ends(&stream);
    assert!(matches!(is_within(&[std::process::id()], local, peer), Err(PeerError::Gone)));
    assert_eq!(peer_of(local, peer), None);
    let [elsewhere, here] = ["192.0.2.1:9", "192.0.2.2:9"].map(|end| end.parse().unwrap());
    assert!(!is_within(&[std::process::id()], here, elsewhere).unwrap(), "another machine");
    // None of those comes to an address that only this one has: whoever does was made here, as by a device of an agent's own.
    assert!(matches!(is_within(&[std::process::id()], local, elsewhere), Err(PeerError::Gone)));
}

/// What is told of the other ends, in one pass: whether they are within an agent, and of this user.
fn looked_up(streams: &[&TcpStream]) -> Vec<Option<(bool, bool)>> {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("mayi"), Options::default()).unwrap();
    looked_up_by(&store, streams)
}

fn looked_up_by(store: &SqliteStore, streams: &[&TcpStream]) -> Vec<Option<(bool, bool)>> {
    let all: Vec<_> = streams.iter().map(|stream| ends(stream)).collect();
    let facts = look_up_peers(store, &all).into_iter();
    facts.map(|facts| facts.map(|facts| (facts.within_an_agent, facts.of_this_user))).collect()
}

/// Attack 774: many connections are looked up at once, and each is told of by itself.
#[test]
fn given_connections_of_several_processes_then_each_is_told_of_in_one_pass() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("mayi"), Options::default()).unwrap();
    let line = |at: SocketAddr| format!("exec 3<>/dev/tcp/127.0.0.1/{}; read line", at.port());
    let mut children = Vec::new();
    let of_child = accepted("127.0.0.1:0", |at| children.push(Started::shell(&line(at))));
    let asking = format!("{}; true", "bash -c 'exec 3<>/dev/tcp/127.0.0.1/PORT; read line; true'");
    let within = accepted("127.0.0.1:0", |at| {
        children.push(Started::shell(&asking.replace("PORT", &at.port().to_string())));
    });
    let (mut own, mut gone) = (None, None);
    let of_this = accepted("[::]:0", |at| own = Some(TcpStream::connect(("127.0.0.1", at.port())).unwrap()));
    let closed = accepted("127.0.0.1:0", |at| gone = Some(TcpStream::connect(at).unwrap()));
    drop(gone);
    store.attach_owner(&Owner::serving_client(children[1].0.id())).unwrap();
    // This process asks, too, so that what it has started is within an agent.
    let told = looked_up_by(&store, &[&of_this, &within, &closed, &of_child, &within]);
    assert_eq!(told, [Some((false, true)), Some((true, true)), None, Some((true, true)), Some((true, true))]);
    drop((own, children));
}

/// Whose socket it is, is told; where nobody has it any more, nobody can say. Attack 381.
#[test]
fn given_a_connection_of_this_user_or_another_one_then_that_is_told() {
    let mut there = None;
    let line = |at: SocketAddr| format!("exec 3<>/dev/tcp/127.0.0.1/{}; read line", at.port());
    let stream = accepted("127.0.0.1:0", |at| there = Some(Started::shell(&line(at))));
    assert_eq!(looked_up(&[&stream]), [Some((false, true))]);
    drop(there);
    let mut client = None;
    let stream = accepted("127.0.0.1:0", |at| client = Some(TcpStream::connect(at).unwrap()));
    drop(client);
    assert_eq!(looked_up(&[&stream]), [None]);
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let mut there = None;
    let stream = accepted("127.0.0.1:0", |at| {
        let mut command = Command::new("bash");
        std::os::unix::process::CommandExt::uid(
            command.args(["-c", &line(at)]).current_dir("/").stdin(Stdio::piped()),
            65534,
        );
        there = Some(Started::of(command));
    });
    assert_eq!(looked_up(&[&stream]), [Some((false, false))]);
    drop(there);
}

/// Who asks is what the store says: a gate's process, and the one that it works for.
#[test]
fn given_processes_in_the_store_then_what_they_started_is_within() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("mayi"), Options::default()).unwrap();
    let mut there = None;
    let line = |at: SocketAddr| format!("exec 3<>/dev/tcp/127.0.0.1/{}; read line", at.port());
    let stream = accepted("127.0.0.1:0", |at| there = Some(Started::shell(&line(at))));
    let (local, peer) = ends(&stream);
    assert!(!is_within_an_agent(&store, local, peer).unwrap(), "nobody asks");
    let owner = Owner::serving_client(1_000_000_000);
    store.attach_owner(&owner).unwrap();
    assert_eq!(asking_pids(&store).unwrap(), [std::process::id(), 1_000_000_000]);
    assert!(is_within_an_agent(&store, local, peer).unwrap());
    store.detach_owner(owner.id).unwrap();
    assert!(!is_within_an_agent(&store, local, peer).unwrap());
    drop(there);
}

/// Attack 322: mayi is killed, and the supervisor is about to end what the agent has started. Until then nothing of that
/// answers.
#[test]
fn given_a_supervisor_whose_mayi_is_gone_then_what_is_below_it_is_within_an_agent() {
    let line = format!("printf {SUPERVISOR} >/proc/self/comm; bash -c 'echo $$; read line; true'; true");
    let mut command = Command::new("bash");
    command.args(["-c", &line]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut supervisor = Started::of(command);
    let _input = supervisor.0.stdin.take().unwrap();
    let mut told = String::new();
    BufReader::new(supervisor.0.stdout.take().unwrap()).read_line(&mut told).unwrap();
    let below: u32 = told.trim().parse().unwrap();
    assert!(is_started_by(&[], below));
    assert!(!is_started_by(&[], supervisor.id()), "it is not within itself");
    let tree = ProcessTree::snapshot().unwrap();
    assert!(tree.within_agents(&[]).contains(&below));
    assert!(!tree.descendants_of(&[below]).contains(&below));
}
