//! Requests over plain HTTP.

use mayi_egress::{End, Event, Reason};
use tokio::io::AsyncWriteExt as _;

use crate::origin::{Origin, nobody};
use crate::world::{PATIENCE, World, denied, read_all, read_head, with_secret};

/// Who shows no secret, or not the right one, gets 407 and nothing else: nobody is asked.
#[tokio::test]
async fn given_no_right_secret_then_it_is_asked_for_and_nothing_else_happens() {
    let (world, origin) = (World::new(), Origin::ok().await);
    let port = origin.port();
    for header in [
        "X: y",
        "Proxy-Authorization: Basic bWF5aTp4",
        "Proxy-Authorization: Basic",
        "Proxy-Authorization: Bearer x",
        "AUTH\r\nAUTH",
        "Authorization: Basic bWF5aTp4",
    ] {
        for line in [format!("GET http://a.example:{port}/"), format!("CONNECT a.example:{port}")] {
            let answer =
                world.send(&format!("{line} HTTP/1.1\r\nHost: a.example:{port}\r\n{header}\r\n\r\n")).await;
            assert!(answer.starts_with("HTTP/1.1 407 "), "{header}: {answer}");
            assert!(answer.contains("proxy-authenticate: Basic realm=\"mayi\""), "{answer}");
            assert!(answer.ends_with("\r\n\r\n"), "{answer}");
        }
    }
    assert_eq!((world.rules.count(), origin.got().len()), (0, 0));
    let wrong = |event: &Event| matches!(event, Event::Refused { reason: Reason::WrongSecret, .. });
    world.record.find(wrong).await;
}

/// What is sent on is the address that was judged, without what is for this proxy alone.
#[tokio::test]
async fn given_an_allowed_request_then_the_host_gets_what_was_judged() {
    let (world, origin) = (World::new(), Origin::ok().await);
    let port = origin.port();
    let answer = world
        .send(&format!(
            "GET http://A.Example.:{port}/x/../y?z HTTP/1.1\r\nHost: a.example:{port}\r\nAUTH\r\n\
             Connection: x-mine\r\nX-Mine: 1\r\nProxy-Connection: close\r\nX-Other: 2\r\n\r\n"
        ))
        .await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\nok"), "{answer}");
    let got = origin.got().pop().unwrap();
    assert!(got.starts_with("GET /y?z HTTP/1.1\r\n"), "{got}");
    assert!(got.contains(&format!("host: a.example:{port}\r\n")), "{got}");
    assert!(got.contains("x-other: 2"), "{got}");
    for gone in ["proxy-", "x-mine", "connection:"] {
        assert!(!got.contains(gone), "{got}");
    }
    let wish = world.rules.asked.lock().unwrap().pop().unwrap();
    assert_eq!((wish.host.as_str(), wish.port, wish.method.as_str()), ("a.example", port, "GET"));
    assert_eq!(wish.url.unwrap().href, format!("http://a.example:{port}/y?z"));
    let ended = world.record.find(|event| matches!(event, Event::Ended { .. })).await;
    let Event::Ended { sent, received, end, .. } = ended else { unreachable!() };
    assert_eq!((sent, end), (u64::try_from(got.len()).unwrap(), End::Closed));
    assert_eq!(received, 40);
}

/// The words of a refusal stand in the body, in a header and in the status line, in one line.
#[tokio::test]
async fn given_a_denied_request_then_it_is_told_in_words() {
    let world = World::new();
    world.answer(denied());
    let answer = world.send("GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nAUTH\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 403 mayi: nobody has allowed this.  X: y\r\n"), "{answer}");
    assert!(answer.contains("\r\nx-mayi-reason: mayi: nobody has allowed this.  X: y\r\n"), "{answer}");
    assert!(answer.ends_with("\r\n\r\nmayi: nobody has allowed this.  X: y\n"), "{answer}");
    assert!(world.names.looked_up.lock().unwrap().is_empty(), "no name leaves before it is allowed");
}

/// Each request of a connection is judged by itself.
#[tokio::test]
async fn given_two_requests_on_a_connection_then_each_is_judged() {
    let (world, origin) = (World::new(), Origin::ok().await);
    let port = origin.port();
    let one = |path: &str, then: &str| {
        format!(
            "GET http://a.example:{port}/{path} HTTP/1.1\r\nHost: a.example:{port}\r\nAUTH\r\nConnection: {then}\r\n\r\n"
        )
    };
    let mut stream = world.connect().await;
    let both = with_secret(&world.command, &(one("1", "keep-alive") + &one("2", "close")));
    stream.write_all(both.as_bytes()).await.unwrap();
    let answers = read_all(&mut stream).await;
    assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 2, "{answers}");
    assert_eq!((world.rules.count(), origin.got().len()), (2, 2));
}

/// A connection stays that of the command that began it.
#[tokio::test]
async fn given_a_connection_of_one_command_then_another_ones_secret_counts_for_nothing_there() {
    let world = World::new();
    world.answer(denied());
    let other = mayi_egress::Client::new("two", None).unwrap();
    let other = world.proxy.register(other).unwrap();
    let request = "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nAUTH\r\n\r\n";
    let mut stream = world.connect().await;
    let both = with_secret(&world.command, request) + &with_secret(&other, request);
    stream.write_all(both.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    let answers = read_all(&mut stream).await;
    assert!(answers.contains("HTTP/1.1 403 ") && answers.contains("HTTP/1.1 407 "), "{answers}");
}

/// A body is sent on whole, whatever it was framed by, and framed once.
#[tokio::test]
async fn given_a_body_then_it_is_framed_anew() {
    let world = World::new();
    let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let plain = Origin::new("hello", ok).await;
    let port = plain.port();
    let head = format!("POST http://a.example:{port}/ HTTP/1.1\r\nHost: a.example:{port}\r\nAUTH\r\n");
    let answer = world.send(&format!("{head}Expect: 100-continue\r\nContent-Length: 5\r\n\r\nhello")).await;
    assert!(answer.contains("HTTP/1.1 200 OK"), "{answer}");
    let got = plain.got().pop().unwrap();
    assert!(got.contains("content-length: 5\r\n") && !got.contains("expect"), "{got}");
    let chunked = Origin::new("0\r\n\r\n", ok).await;
    let port = chunked.port();
    let head = format!("POST http://a.example:{port}/ HTTP/1.1\r\nHost: a.example:{port}\r\nAUTH\r\n");
    world.send(&format!("{head}Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n")).await;
    let got = chunked.got().pop().unwrap();
    assert!(got.contains("transfer-encoding: chunked\r\n") && !got.contains("content-length"), "{got}");
    assert!(got.ends_with("0\r\n\r\n") && got.contains("he") && got.contains("llo"), "{got}");
}

/// A WebSocket over plain HTTP is refused in words; an upgrade that nobody has to follow is left out.
#[tokio::test]
async fn given_an_upgrade_then_it_is_refused_or_left_out() {
    let (world, origin) = (World::new(), Origin::ok().await);
    let port = origin.port();
    let request = |upgrade: &str| {
        format!(
            "GET http://a.example:{port}/ HTTP/1.1\r\nHost: a.example:{port}\r\nAUTH\r\n\
             Connection: Upgrade, HTTP2-Settings\r\nUpgrade: {upgrade}\r\nHTTP2-Settings: x\r\n\r\n"
        )
    };
    let answer = world.send(&request("websocket")).await;
    assert!(answer.starts_with("HTTP/1.1 501 mayi: a WebSocket"), "{answer}");
    let answer = world.send(&request("h2c")).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    let got = origin.got().pop().unwrap();
    assert!(!got.contains("upgrade") && !got.contains("http2-settings"), "{got}");
}

/// A host that nobody answers at, or that does not speak HTTP, is told as that.
#[tokio::test]
async fn given_a_host_that_does_not_answer_then_it_is_told() {
    let world = World::new();
    let port = nobody().await;
    let request = |port: u16| {
        format!("GET http://a.example:{port}/ HTTP/1.1\r\nHost: a.example:{port}\r\nAUTH\r\n\r\n")
    };
    let answer = world.send(&request(port)).await;
    assert!(answer.starts_with("HTTP/1.1 502 mayi: a.example was allowed, and can't be reached"), "{answer}");
    for said in ["SSH-2.0-x\r\n", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", ""] {
        let origin = Origin::new("\r\n\r\n", said).await;
        let answer = world.send(&request(origin.port())).await;
        assert!(
            answer.starts_with("HTTP/1.1 502 mayi: a.example has not answered with HTTP"),
            "{said}: {answer}"
        );
    }
}

/// Headers of an answer that are for one connection are not those of the next, and it is framed once.
#[tokio::test]
async fn given_an_answer_with_two_lengths_then_it_is_framed_once() {
    let world = World::new();
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\nConnection: x-mine\r\n\
                  X-Mine: 1\r\n\r\n2\r\nok\r\n0\r\n\r\n";
    let origin = Origin::new("\r\n\r\n", answer).await;
    let port = origin.port();
    let answer = world
        .send(&format!("GET http://a.example:{port}/ HTTP/1.1\r\nHost: a.example:{port}\r\nAUTH\r\n\r\n"))
        .await;
    assert!(answer.contains("transfer-encoding: chunked") && !answer.contains("content-length"), "{answer}");
    assert!(!answer.contains("x-mine") && answer.ends_with("2\r\nok\r\n0\r\n\r\n"), "{answer}");
}

/// When a command's registration is taken back, what it is being sent ends too.
#[tokio::test]
async fn given_a_command_that_ends_then_so_does_its_request() {
    let world = World::new();
    let origin = Origin::holding("\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok").await;
    let port = origin.port();
    let mut stream = world.connect().await;
    let request = format!("GET http://a.example:{port}/ HTTP/1.1\r\nHost: a.example:{port}\r\nAUTH\r\n\r\n");
    stream.write_all(with_secret(&world.command, &request).as_bytes()).await.unwrap();
    assert!(read_head(&mut stream).await.starts_with("HTTP/1.1 200 OK"));
    tokio::time::timeout(PATIENCE, world.command.end()).await.unwrap();
    assert_eq!(read_all(&mut stream).await, "ok");
    world.record.find(|event| matches!(event, Event::Ended { end: End::Withdrawn, .. })).await;
}
