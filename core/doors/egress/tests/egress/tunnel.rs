//! CONNECT: what is in a tunnel has to be for the host that was allowed.

use std::fs;
use std::sync::Arc;

use mayi_egress::{Allowance, Answer, End, Event, Limits, Reason};
use rustls::pki_types::ServerName;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio_rustls::TlsConnector;

use crate::origin::{Origin, echo};
use crate::tls::{Files, hello};
use crate::world::{PATIENCE, World, denied, read_all};

fn raw() -> Answer {
    Answer::Allow(Allowance { own_addresses: true, raw: true, ..Allowance::default() })
}

/// The settings of any client that names its host.
async fn settings() -> rustls::ClientConfig {
    Files::new("a.example", std::path::Path::new("/")).await.client()
}

async fn refused(world: &World) -> Reason {
    let wanted = |event: &Event| matches!(event, Event::Refused { .. });
    let Event::Refused { reason, .. } = world.record.find(wanted).await else { unreachable!() };
    reason
}

/// A TLS connection to the host that was allowed goes through, both ways, and its bytes are counted.
#[tokio::test]
async fn given_the_allowed_name_then_the_tunnel_carries_both_ways() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x"), "content").unwrap();
    let host = Files::new("a.example", folder.path()).await;
    let world = World::new();
    let stream = world.tunnel(&format!("A.example.:{}", host.port)).await.unwrap();
    let connector = TlsConnector::from(Arc::new(host.client()));
    let mut tls = connector.connect(ServerName::try_from("a.example").unwrap(), stream).await.unwrap();
    tls.write_all(b"GET /x HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n").await.unwrap();
    assert!(read_all(&mut tls).await.ends_with("\r\n\r\ncontent"));
    drop(tls);
    let Event::Ended { sent, received, end, wish, .. } =
        world.record.find(|event| matches!(event, Event::Ended { .. })).await
    else {
        unreachable!()
    };
    assert!(sent > 200 && received > 500, "{sent} {received}");
    assert_eq!((end, wish.method.as_str(), wish.host.as_str()), (End::Closed, "CONNECT", "a.example"));
}

/// Another name, or none, is no way to another host of the same server: nothing of it is sent on.
#[tokio::test]
async fn given_another_name_or_none_then_the_tunnel_is_closed_and_told_of() {
    let config = settings().await;
    let mut silent = config.clone();
    silent.enable_sni = false;
    for (settings, named) in [(config, Some("evil.example")), (silent, None)] {
        let world = World::new();
        let port = echo("").await;
        let mut stream = world.tunnel(&format!("a.example:{port}")).await.unwrap();
        stream.write_all(&hello(settings, "evil.example")).await.unwrap();
        let mut told = Vec::new();
        let _ = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut told)).await.unwrap();
        assert_eq!(told, [0x15, 3, 3, 0, 2, 2, 49], "an alert, and no echo");
        assert_eq!(refused(&world).await, Reason::OtherName(named.map(str::to_owned)));
        let Event::Ended { sent, end, .. } =
            world.record.find(|event| matches!(event, Event::Ended { .. })).await
        else {
            unreachable!()
        };
        assert_eq!((sent, end), (0, End::Refused));
    }
}

/// A ClientHello may come byte by byte, and in records as small as they get.
#[tokio::test]
async fn given_a_hello_in_pieces_then_it_is_read_all_the_same() {
    let whole = hello(settings().await, "a.example");
    let message = &whole[5..];
    let records: Vec<u8> = message
        .chunks(1)
        .flat_map(|byte| [0x16, 3, 1, 0, 1].into_iter().chain(byte.iter().copied()))
        .collect();
    for bytes in [whole.clone(), records] {
        let world = World::new();
        let port = echo("").await;
        let mut stream = world.tunnel(&format!("a.example:{port}")).await.unwrap();
        for piece in bytes.chunks(7) {
            stream.write_all(piece).await.unwrap();
            stream.flush().await.unwrap();
            tokio::task::yield_now().await;
        }
        let mut back = vec![0; bytes.len()];
        tokio::time::timeout(PATIENCE, stream.read_exact(&mut back)).await.unwrap().unwrap();
        assert_eq!(back, bytes);
    }
}

/// To an address no name is given, and one that is given is another host's.
#[tokio::test]
async fn given_an_address_then_a_hello_without_a_name_is_fine() {
    let mut silent = settings().await;
    silent.enable_sni = false;
    let port = echo("").await;
    let world = World::new();
    let bytes = hello(silent, "a.example");
    let mut stream = world.tunnel(&format!("127.0.0.1:{port}")).await.unwrap();
    stream.write_all(&bytes).await.unwrap();
    let mut back = vec![0; bytes.len()];
    tokio::time::timeout(PATIENCE, stream.read_exact(&mut back)).await.unwrap().unwrap();
    let mut stream = world.tunnel(&format!("127.0.0.1:{port}")).await.unwrap();
    stream.write_all(&hello(settings().await, "a.example")).await.unwrap();
    read_all(&mut stream).await;
    assert_eq!(refused(&world).await, Reason::OtherName(Some("a.example".to_owned())));
}

/// What is not TLS goes through where that was allowed, and a host that speaks first is heard.
#[tokio::test]
async fn given_something_other_than_tls_then_only_where_it_is_allowed() {
    let port = echo("SSH-2.0-host\r\n").await;
    let world = World::new();
    let mut stream = world.tunnel(&format!("a.example:{port}")).await.unwrap();
    stream.write_all(b"SSH-2.0-me\r\n").await.unwrap();
    assert!(!read_all(&mut stream).await.contains("SSH-2.0-me"));
    assert_eq!(refused(&world).await, Reason::NotTls);

    let world = World::new();
    world.answer(raw());
    let mut stream = world.tunnel(&format!("a.example:{port}")).await.unwrap();
    let mut greeting = [0; 14];
    tokio::time::timeout(PATIENCE, stream.read_exact(&mut greeting)).await.unwrap().unwrap();
    assert_eq!(&greeting, b"SSH-2.0-host\r\n");
    stream.write_all(b"SSH-2.0-me\r\n").await.unwrap();
    stream.shutdown().await.unwrap();
    assert_eq!(read_all(&mut stream).await, "SSH-2.0-me\r\n");
}

/// What begins as TLS has to name its host there too.
#[tokio::test]
async fn given_tls_where_anything_is_allowed_then_it_still_names_the_host() {
    let world = World::new();
    world.answer(raw());
    let port = echo("").await;
    let mut stream = world.tunnel(&format!("a.example:{port}")).await.unwrap();
    stream.write_all(&hello(settings().await, "evil.example")).await.unwrap();
    read_all(&mut stream).await;
    assert_eq!(refused(&world).await, Reason::OtherName(Some("evil.example".to_owned())));
}

/// A beginning that is never whole, too long, or no TLS after all is not sent on.
#[tokio::test]
async fn given_a_hello_that_never_ends_then_the_tunnel_does() {
    let port = echo("").await;
    let endless: Vec<u8> = [0x16, 3, 1, 0x40, 0, 1, 0xff, 0xff, 0xff]
        .into_iter()
        .chain(std::iter::repeat_n(0, 0x4000 - 4))
        .chain(std::iter::repeat_n([0x16, 3, 1, 0x40, 0].into_iter().chain([0; 0x4000]), 8).flatten())
        .collect();
    for bytes in [&[0x16][..], &[0x16, 3, 1, 0, 9, 1, 0, 0], &[0x16; 4096], &[0x16, 0, 0, 0, 0], &endless] {
        let limits = Limits { hello: std::time::Duration::from_millis(300), ..Limits::default() };
        let world = World::within(limits);
        let mut stream = world.tunnel(&format!("a.example:{port}")).await.unwrap();
        // It may be closed before all of it is read.
        let _ = stream.write_all(bytes).await;
        assert_eq!(read_all(&mut stream).await, "");
        assert_eq!(refused(&world).await, Reason::NotTls);
    }
}

/// A hello is bounded in bytes, whatever records it comes in, and not by time alone.
#[tokio::test]
async fn given_a_hello_in_too_many_records_then_the_tunnel_ends_before_its_time() {
    let port = echo("").await;
    let whole = [1, 0, 0xff, 0].into_iter().chain(std::iter::repeat_n(0, 30_000));
    let cut: Vec<u8> = whole.flat_map(|byte| [0x16, 3, 1, 0, 1, byte]).collect();
    let behind_a_beginning = |record: &[u8]| [&[0x16, 3, 1, 0, 2, 1, 0][..], &record.repeat(30_000)].concat();
    let empty = behind_a_beginning(&[0x16, 3, 1, 0, 0]);
    let warnings = behind_a_beginning(&[0x15, 3, 1, 0, 2, 1, 0]);
    let changes = behind_a_beginning(&[0x14, 3, 1, 0, 1, 1]);
    for records in [cut, empty, warnings, changes] {
        let limits = Limits { hello: std::time::Duration::from_secs(3600), ..Limits::default() };
        let world = World::within(limits);
        let mut stream = world.tunnel(&format!("a.example:{port}")).await.unwrap();
        // It may be closed before all of it is read.
        let _ = stream.write_all(&records).await;
        assert_eq!(read_all(&mut stream).await, "");
        assert_eq!(refused(&world).await, Reason::NotTls);
    }
}

/// Who says nothing at all holds a tunnel for a while only.
#[tokio::test]
async fn given_a_tunnel_without_a_byte_then_it_ends() {
    let port = echo("").await;
    let limits = Limits { hello: std::time::Duration::from_millis(100), ..Limits::default() };
    let world = World::within(limits);
    let mut stream = world.tunnel(&format!("a.example:{port}")).await.unwrap();
    assert_eq!(read_all(&mut stream).await, "");

    let limits = Limits { idle: std::time::Duration::from_secs(1), ..Limits::default() };
    let world = World::within(limits);
    world.answer(raw());
    let mut stream = world.tunnel(&format!("a.example:{port}")).await.unwrap();
    assert_eq!(read_all(&mut stream).await, "");
    let idle = |event: &Event| matches!(event, Event::Ended { end: End::Idle, .. });
    world.record.find(idle).await;
}

/// Some clients have a tunnel made for plain HTTP: its requests are judged as those without one, and are for its host alone.
#[tokio::test]
async fn given_plain_http_in_a_tunnel_then_each_request_is_judged() {
    let (world, origin) = (World::new(), Origin::ok().await);
    let authority = format!("a.example:{}", origin.port());
    let mut stream = world.tunnel(&authority).await.unwrap();
    for (path, close) in [("1", ""), ("2", "Connection: close\r\n")] {
        let request = format!("GET /{path} HTTP/1.1\r\nHost: {authority}\r\n{close}\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
    }
    let answers = read_all(&mut stream).await;
    assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 2, "{answers}");
    assert_eq!(origin.got().iter().filter(|got| !got.is_empty()).count(), 2);
    let asked = world.rules.asked.lock().unwrap().clone();
    let methods: Vec<&str> = asked.iter().map(|wish| wish.method.as_str()).collect();
    assert_eq!(methods, ["CONNECT", "GET", "GET"]);
    assert_eq!(asked[2].url.as_ref().unwrap().href, format!("http://{authority}/2"));
    for request in [
        "GET / HTTP/1.1\r\nHost: b.example\r\n\r\n".to_owned(),
        format!("GET / HTTP/1.1\r\nHost: {authority}\r\nHost: {authority}\r\n\r\n"),
        format!("GET http://b.example/ HTTP/1.1\r\nHost: {authority}\r\n\r\n"),
        "GET / HTTP/1.1\r\n\r\n".to_owned(),
    ] {
        let mut stream = world.tunnel(&authority).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let head = crate::world::read_head(&mut stream).await;
        assert!(head.starts_with("HTTP/1.1 400 mayi: not passed on"), "{request}: {head}");
    }
    world.answer(denied());
    assert!(world.tunnel(&authority).await.is_err());
}

/// A denied host is refused before there is a tunnel.
#[tokio::test]
async fn given_a_denied_host_then_there_is_no_tunnel() {
    let world = World::new();
    world.answer(denied());
    let head = world.tunnel("a.example:443").await.unwrap_err();
    assert!(head.starts_with("HTTP/1.1 403 mayi: nobody has allowed this."), "{head}");
    assert_eq!(refused(&world).await, Reason::Denied);
}

/// When a command's registration is taken back, its tunnels end, its secret counts no more, and others' go on.
#[tokio::test]
async fn given_a_command_that_ends_then_its_tunnels_end_and_no_others() {
    let port = echo("").await;
    let world = World::new();
    world.answer(raw());
    let other = world.proxy.register(mayi_egress::Client::new("two", None).unwrap()).unwrap();
    assert!(world.proxy.register(mayi_egress::Client::new("two", None).unwrap()).is_err());
    let mut theirs = world.tunnel_as(&other, &format!("a.example:{port}")).await.unwrap();
    let mut mine = world.tunnel(&format!("a.example:{port}")).await.unwrap();
    let mut waiting = world.connect().await;
    let request = "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nAUTH\r\n\r\n";
    let late = crate::world::with_secret(&world.command, request);
    tokio::time::timeout(PATIENCE, world.command.end()).await.unwrap();
    assert_eq!(read_all(&mut mine).await, "");
    let withdrawn = |event: &Event| matches!(event, Event::Ended { end: End::Withdrawn, .. });
    world.record.find(withdrawn).await;
    waiting.write_all(late.as_bytes()).await.unwrap();
    assert!(crate::world::read_head(&mut waiting).await.starts_with("HTTP/1.1 407 "));
    theirs.write_all(b"x").await.unwrap();
    assert_eq!(theirs.read_u8().await.unwrap(), b'x');
    tokio::time::timeout(PATIENCE, world.proxy.shut_down()).await.unwrap();
    assert_eq!(read_all(&mut theirs).await, "");
}
