//! The network of a confined command: each host is decided about by the same rules, and by the same person.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::process::Output;
use std::thread;

use super::place::{Project, Who};
use crate::pty::Terminal;

/// A server of this machine that says HELLO.
fn server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ =
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nHELLO\n");
        }
    });
    address
}

/// A project whose `try.py` fetches an address through whatever proxy it is told of, with rules of the user's.
fn project(who: Who, rules: &str, url: &str) -> Project {
    let project = Project::new(who);
    let code = format!(
        "import os, urllib.request, urllib.error
for name in ('no_proxy', 'NO_PROXY'): os.environ.pop(name, None)
try: print(urllib.request.urlopen('{url}', timeout=50).read().decode())
except urllib.error.HTTPError as error: print(error.code, error.read().decode())
except OSError as error: print('Error', error)
"
    );
    fs::write(project.machine.work().join("try.py"), code).unwrap();
    let all = format!("[rules]\nallow = [\"shell(/usr/bin/python3 try.py)\"{rules}]\n");
    project.machine.configuration("config/mayi/config.toml", &all);
    project
}

const FETCH: &[&str] = &["--", "/usr/bin/python3", "try.py"];

fn run(project: &Project, words: &[&str]) -> (String, String) {
    let Output { stdout, stderr, .. } = project.mayi(&[&["exec"], words, FETCH].concat()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (text(stdout), text(stderr))
}

fn projects(rules: &str, url: &str) -> Vec<Project> {
    let all = Who::all().iter().map(|who| project(*who, rules, url));
    all.filter(|project| project.tiers().first() == Some(&"full")).collect()
}

/// S1.32: what a rule names is reached, also on this machine, and nothing else.
#[test]
fn given_a_rule_that_names_a_host_then_it_is_reached_and_nothing_else() {
    let (server, other) = (server(), server());
    let rule = format!(", \"fetch(http://{server}/**)\"");
    for project in projects(&rule, &format!("http://{server}/a")) {
        let (said, told) = run(&project, &[]);
        assert!(said.contains("HELLO"), "{said}{told}");
        let (said, _) = run(&project, &["--network", "none"]);
        assert!(said.contains("Error") && !said.contains("HELLO"), "{said}");
    }
    for project in projects(&rule, &format!("http://{other}/a")) {
        let (said, told) = run(&project, &[]);
        assert!(said.contains("403") && told.contains(&format!("{other} was not reached")), "{said}{told}");
        assert!(told.contains("allow = ["), "it says what would allow it: {told}");
    }
}

/// S1.32: a rule that names no host allows public ones: this machine and private networks are meant by nobody.
#[test]
fn given_a_rule_about_any_host_then_this_machine_is_not_reached() {
    let server = server();
    for project in projects(", \"fetch(*)\"", &format!("http://{server}/")) {
        let (said, told) = run(&project, &[]);
        assert!(!said.contains("HELLO") && told.contains("an address of this machine"), "{said}{told}");
    }
}

/// S1.32: a person is asked while the command waits, and what is answered is remembered until it has ended.
#[test]
fn given_a_host_that_nobody_speaks_of_then_a_person_is_asked_while_the_command_waits() {
    let server = server();
    for (key, expected) in [("y", "HELLO"), ("n", "403")] {
        for project in projects("", &format!("http://{server}/a")) {
            let command = project.mayi(&[&["exec"], FETCH].concat());
            let terminal = Terminal::start(command, (40, 120), false);
            terminal.sees("› n  Deny");
            assert!(terminal.screen().contains("try.py"), "{}", terminal.screen());
            terminal.send(key);
            terminal.sees(expected);
            assert!(terminal.exit().success(), "{}", terminal.screen());
        }
    }
}
