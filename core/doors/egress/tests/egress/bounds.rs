//! Bounds: nobody holds more than a share, and nobody for ever.

use std::io::ErrorKind;
use std::time::Duration;

use mayi_egress::{Allowance, Answer, Client, Lasts, Limits};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::origin::{Origin, echo};
use crate::world::{PATIENCE, World, read_all, read_head, with_secret};

fn raw() -> Answer {
    Answer::Allow(Allowance { own_addresses: true, raw: true, ..Allowance::default() })
}

/// A head is as long and takes as long as its bounds say.
#[tokio::test]
async fn given_a_head_without_end_then_its_connection_ends() {
    let limits = Limits { head: Duration::from_millis(200), ..Limits::default() };
    let world = World::within(limits);
    let mut slow = world.connect().await;
    slow.write_all(b"GET http://a.exa").await.unwrap();
    read_all(&mut slow).await;
    let mut silent = world.connect().await;
    read_all(&mut silent).await;
    assert_eq!(world.rules.count(), 0);
    let world = World::new();
    let long = format!("GET http://a.example/ HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(128 * 1024));
    assert!(world.send(&long).await.starts_with("HTTP/1.1 431 "));
    let long = format!("GET http://a.example/{} HTTP/1.1\r\n\r\n", "x".repeat(128 * 1024));
    assert!(world.send(&long).await.starts_with("HTTP/1.1 4"));
    let many = format!("GET http://a.example/ HTTP/1.1\r\n{}\r\n", "X: y\r\n".repeat(1000));
    assert!(world.send(&many).await.starts_with("HTTP/1.1 431 "));
    assert_eq!(world.rules.count(), 0);
}

/// A host's head is bounded too.
#[tokio::test]
async fn given_a_host_whose_head_has_no_end_then_it_is_told() {
    let world = World::new();
    let long: &'static str =
        Box::leak(format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(256 * 1024)).into_boxed_str());
    let origin = Origin::new("\r\n\r\n", long).await;
    let host = format!("a.example:{}", origin.port());
    let answer = world.send(&format!("GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\nAUTH\r\n\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 502 mayi: a.example has not answered with HTTP"), "{answer:.200}");
}

/// A client that sends requests and reads no answers is let go.
#[tokio::test]
async fn given_a_client_that_reads_nothing_then_its_connection_ends() {
    let world = World::within(Limits { idle: Duration::from_secs(1), ..Limits::default() });
    world.answer(Answer::Deny { words: "x".repeat(1000), lasts: Lasts::Once });
    let mut stream = world.connect().await;
    let request = "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nAUTH\r\n\r\n";
    let requests = with_secret(&world.command, request).repeat(1000);
    let writing = async { while stream.write_all(requests.as_bytes()).await.is_ok() {} };
    tokio::time::timeout(PATIENCE, writing).await.unwrap();
}

/// A host that says nothing more is let go.
#[tokio::test]
async fn given_a_request_in_which_nothing_moves_then_it_ends() {
    let limits = Limits { idle: Duration::from_secs(1), ..Limits::default() };
    let world = World::within(limits);
    let origin = Origin::holding("\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok").await;
    let host = format!("a.example:{}", origin.port());
    let answer = world.send(&format!("GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\nAUTH\r\n\r\n")).await;
    assert!(answer.ends_with("\r\n\r\nok"), "{answer}");
}

/// Connections of a command are bounded, and leave others theirs.
#[tokio::test]
async fn given_too_many_connections_of_a_command_then_it_is_told_and_others_are_not_held() {
    let world = World::within(Limits { connections_each: 2, ..Limits::default() });
    world.answer(raw());
    let authority = format!("a.example:{}", echo("").await);
    let first = world.tunnel(&authority).await.unwrap();
    let _second = world.tunnel(&authority).await.unwrap();
    let head = world.tunnel(&authority).await.unwrap_err();
    assert!(head.starts_with("HTTP/1.1 503 mayi: too many connections at once."), "{head}");
    let other = world.proxy.register(Client::new("two", None).unwrap()).unwrap();
    world.tunnel_as(&other, &authority).await.unwrap();
    drop(first);
    // It is given back a moment after.
    let again = async {
        while world.tunnel(&authority).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, again).await.unwrap();
}

/// All connections together are bounded.
#[tokio::test]
async fn given_too_many_connections_together_then_it_is_told() {
    let world = World::within(Limits { connections: 1, ..Limits::default() });
    world.answer(raw());
    let authority = format!("a.example:{}", echo("").await);
    let _first = world.tunnel(&authority).await.unwrap();
    let head = world.tunnel(&authority).await.unwrap_err();
    assert!(head.starts_with("HTTP/1.1 503 mayi: too many connections at once."), "{head}");
}

/// Thousands who show nothing keep nobody out, and are not all kept.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn given_ten_thousand_connections_then_few_are_kept_and_who_has_a_secret_is_served() {
    // None of them ends by itself.
    let world = World::within(Limits { head: Duration::from_secs(3600), ..Limits::default() });
    let origin = Origin::ok().await;
    let host = format!("a.example:{}", origin.port());
    let request = format!("GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\nAUTH\r\n\r\n");
    // As many at once as a process may have files, and the rest after them.
    let mut kept: Vec<TcpStream> = Vec::new();
    for round in 0..50 {
        kept.drain(..kept.len().saturating_sub(200));
        for _ in 0..200 {
            kept.push(world.connect().await);
        }
        if round % 10 == 0 {
            let mut stream = world.connect().await;
            stream.write_all(with_secret(&world.command, &request).as_bytes()).await.unwrap();
            let head = read_head(&mut stream).await;
            assert!(head.starts_with("HTTP/1.1 200 OK"), "{head}");
        }
    }
    // Of the last ones all but a few are closed, as soon as that has got around.
    let most = Limits::default().strangers;
    let is_open = |stream: &TcpStream| matches!(stream.try_read(&mut [0]), Err(error) if error.kind() == ErrorKind::WouldBlock);
    let closing = async {
        while kept.iter().filter(|stream| is_open(stream)).count() > most {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, closing).await.unwrap();
}
