//! Each row is a way out that is really tried, by a program that reading can't see through: a script of Python. The table in
//! docs/sandbox.md names each row.

use std::fs;
use std::net::TcpListener;
use std::os::unix::net::{UnixDatagram, UnixListener};

use super::place::{Project, Who};

/// What a row says of a tier: it holds, or is known not to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    InBoth,
    InFull,
}
use Held::{InBoth, InFull};

/// A name, where it is held, and what is tried: Python, with `work` and `outside` as folders. It ends by an exception where it is
/// held.
const TRIES: &[(&str, Held, &str)] = &[
    ("a denied file is read", InFull, "open('.env').read()"),
    ("a denied file is read by git", InFull, "run('git', 'hash-object', '-w', '.env')"),
    (
        "a denied file is packed by tar",
        InFull,
        "run('tar', 'cf', 'x.tar', '.env'); open('x.tar', 'rb').read().index(b'SECRET')",
    ),
    ("a denied file is renamed", InFull, "os.rename('.env', 'env')"),
    ("a denied file is linked", InFull, "os.link('.env', 'env')"),
    ("a mask is taken away", InBoth, "run('umount', '.env')"),
    ("a hook is written", InFull, "open('.git/hooks/pre-commit', 'w')"),
    ("git's settings are replaced", InFull, "open('c', 'w').close(); os.rename('c', '.git/config')"),
    ("git's folder is moved away", InFull, "os.rename('.git', '.g2')"),
    ("the folder of hooks is moved away", InFull, "os.rename('.git/hooks', '.git/h2')"),
    ("a file outside is written", InBoth, "open(outside + '/written', 'w')"),
    ("a file outside is written through a link", InBoth, "os.symlink(outside, 'l'); open('l/written', 'w')"),
    ("a file outside is deleted", InBoth, "os.remove(outside + '/kept')"),
    ("a file outside is moved in", InBoth, "os.rename(outside + '/kept', 'moved')"),
    ("a file outside is linked and written", InBoth, "os.link(outside + '/kept', 'l'); open('l', 'w')"),
    ("rights of a file outside are changed", InFull, "os.chmod(outside + '/kept', 0o777)"),
    ("times of a file outside are changed", InFull, "os.utime(outside + '/kept', (1, 1))"),
    (
        "a file outside is written by /proc/PID/root",
        InBoth,
        "open('/proc/1/root' + outside + '/written', 'w')",
    ),
    ("the kernel's settings are written", InBoth, "open('/proc/sys/kernel/hostname', 'w').write('x')"),
    ("what was left open is read", InBoth, "os.read(int(sys.argv[2]), 10)"),
    ("a socket in a file is reached", InBoth, "socket.socket(socket.AF_UNIX).connect(outside + '/socket')"),
    (
        "a datagram goes to a socket in a file",
        InBoth,
        "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'x', outside + '/datagrams')",
    ),
    ("a limit of another process is set", InBoth, "call(302, int(sys.argv[3]), 7, None, None)"),
    ("an abstract socket is reached", InBoth, "socket.socket(socket.AF_UNIX).connect('\\0mayi-test')"),
    (
        "a port of the machine is reached",
        InBoth,
        "socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5)",
    ),
    (
        "a datagram leaves",
        InBoth,
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
    ),
    ("a socket of packets is opened", InBoth, "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)"),
    ("io_uring is set up", InBoth, "call(425, 1, ctypes.create_string_buffer(120))"),
    ("a key of the session is read", InBoth, "call(250, 0, -3, 1)"),
    ("another process is signalled", InBoth, "os.kill(int(sys.argv[3]), 0)"),
    ("a program is traced", InBoth, "call(101, 16, int(sys.argv[3]), 0, 0)"),
    (
        "namespaces are made, and masks taken away in them",
        InBoth,
        "run('unshare', '-Urm', 'umount', '.env'); open('.env').read()",
    ),
    ("something is mounted over", InBoth, "run('unshare', '-Urm', 'mount', '-t', 'tmpfs', 'x', 'src')"),
    ("a terminal is typed into", InBoth, "typed()"),
];

/// What stands before each.
const BEFORE: &str = "
import ctypes, fcntl, os, socket, subprocess, sys
outside = sys.argv[4]
libc = ctypes.CDLL(None, use_errno=True)
def call(*words):
    if libc.syscall(*words) == -1:
        raise OSError(ctypes.get_errno(), 'refused')
def run(*words):
    subprocess.run(words, check=True)
def typed():
    main, other = os.openpty()
    try:
        fcntl.ioctl(other, 0x5412, b'x')
    finally:
        os.close(main)
";

/// "Each row a test that really tries it, as root and as an ordinary user, in both tiers." A row that is held ends with an error
/// of the kernel's, and leaves nothing outside; one that is not held in a tier really gets through there, or the table is wrong.
#[test]
fn given_a_way_out_then_it_is_held_as_the_table_says() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for who in Who::all() {
        for tier in Project::new(*who).tiers() {
            for (name, held, code) in TRIES {
                let holds = *tier == "full" || *held == InBoth;
                let (got_through, said) = attempt(*who, tier, code);
                count += 1;
                if got_through == holds {
                    wrong.push(format!(
                        "{who:?}, {tier}: {name}: {}\n{said}",
                        if holds { "got through" } else { "was held" }
                    ));
                }
            }
        }
    }
    println!("{count} tries of {} ways", TRIES.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Whether it got through, and what it said.
fn attempt(who: Who, tier: &str, code: &str) -> (bool, String) {
    let project = Project::new(who);
    let machine = &project.machine;
    let outside = machine.outside("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("kept"), "kept").unwrap();
    let _datagrams = UnixDatagram::bind(outside.join("datagrams")).unwrap();
    let _socket = UnixListener::bind(outside.join("socket")).unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap();
    let number = port.local_addr().unwrap().port().to_string();
    fs::write(machine.work().join("try.py"), format!("{BEFORE}\n{code}\n")).unwrap();
    let other = std::process::id().to_string();
    // Open in whoever starts it, as a harness may leave something open.
    let script = format!("exec 7<{0}; exec \"$@\"", outside.join("kept").display());
    let command = project.mayi(&[
        "exec",
        "--mode",
        "auto",
        "--tier",
        tier,
        "--",
        "/usr/bin/python3",
        "try.py",
        &number,
        "7",
        &other,
        outside.to_str().unwrap(),
    ]);
    let mut shell = std::process::Command::new("bash");
    shell.arg("-c").arg(script).arg("bash").arg(command.get_program()).args(command.get_args());
    shell
        .current_dir(machine.work())
        .env_clear()
        .envs(machine.environment())
        .stdin(std::process::Stdio::null());
    let output = shell.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code();
    assert!(code == Some(0) || (code == Some(1) && said.contains("Error")), "{code:?}: {said}");
    (code == Some(0), said)
}
