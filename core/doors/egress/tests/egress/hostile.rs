//! Clients that want to be taken for something else.

use tokio::io::AsyncWriteExt as _;

use crate::origin::Origin;
use crate::world::{World, read_all, with_secret};

/// What can be read in two ways is not read at all: nobody is asked, and nothing is sent on.
#[tokio::test]
async fn given_a_request_that_could_be_two_then_it_is_refused() {
    let (world, origin) = (World::new(), Origin::ok().await);
    let port = origin.port();
    let host = format!("a.example:{port}");
    for request in [
        format!("GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\nAUTH\r\n\r\n"),
        format!("GET http://{host}/ HTTP/1.1\r\nHost: b.example:{port}\r\nAUTH\r\n\r\n"),
        format!("GET http://{host}/ HTTP/1.1\r\nAUTH\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nHost: {host}\r\nAUTH\r\n\r\n"),
        format!("GET http://u:p@{host}/ HTTP/1.1\r\nHost: {host}\r\nAUTH\r\n\r\n"),
        format!("GET http://b.example\\@{host}/ HTTP/1.1\r\nHost: {host}\r\nAUTH\r\n\r\n"),
        format!("GET http://a.example%00.b:{port}/ HTTP/1.1\r\nHost: a.example%00.b:{port}\r\nAUTH\r\n\r\n"),
        format!("GET http://a.example\0.b:{port}/ HTTP/1.1\r\nHost: {host}\r\nAUTH\r\n\r\n"),
        format!("GET https://{host}/ HTTP/1.1\r\nHost: {host}\r\nAUTH\r\n\r\n"),
        format!("GET ftp://{host}/ HTTP/1.1\r\nHost: {host}\r\nAUTH\r\n\r\n"),
        "GET http://a.example:0/ HTTP/1.1\r\nHost: a.example:0\r\nAUTH\r\n\r\n".to_owned(),
        format!("CONNECT u:p@{host} HTTP/1.1\r\nAUTH\r\n\r\n"),
        "CONNECT a.example:0 HTTP/1.1\r\nAUTH\r\n\r\n".to_owned(),
        "CONNECT a.example HTTP/1.1\r\nAUTH\r\n\r\n".to_owned(),
        format!("CONNECT http://{host}/ HTTP/1.1\r\nAUTH\r\n\r\n"),
        format!(
            "POST http://{host}/ HTTP/1.1\r\nHost: {host}\r\nAUTH\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"
        ),
        format!("POST http://{host}/ HTTP/1.1\r\nHost: {host}\r\nAUTH\r\nTransfer-Encoding: gzip\r\n\r\nab"),
        format!(
            "POST http://{host}/ HTTP/1.0\r\nHost: {host}\r\nAUTH\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        format!("GET http://{host}/ HTTP/1.1\r\nHost : {host}\r\nAUTH\r\n\r\n"),
        format!("GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\nAUTH\r\n folded\r\n\r\n"),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
        "\u{16}\u{3}\u{1}".to_owned(),
        "GET http://a.exa".to_owned(),
    ] {
        let answer = world.send(&request).await;
        assert!(!answer.starts_with("HTTP/1.1 2"), "{request}: {answer}");
        assert_eq!(world.rules.count(), 0, "{request}: {answer}");
    }
    assert_eq!((world.rules.count(), origin.got().len()), (0, 0));
}

/// Two lengths of a body in one request do not make two requests of it.
#[tokio::test]
async fn given_a_body_with_two_lengths_then_the_host_gets_one_request() {
    let world = World::new();
    let origin = Origin::new("0\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await;
    let host = format!("a.example:{}", origin.port());
    let hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n";
    let lengths = [
        ("Content-Length: 5", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding: chunked", "Content-Length: 5"),
    ];
    for (first, second) in lengths {
        let answers = world
            .send(&format!(
                "POST http://{host}/ HTTP/1.1\r\nHost: {host}\r\nAUTH\r\n{first}\r\n{second}\r\n\r\n0\r\n\r\n{hidden}"
            ))
            .await;
        assert_eq!(answers.matches("HTTP/1.1 200").count(), 1, "{answers}");
    }
    for got in origin.got() {
        assert!(got.contains("transfer-encoding: chunked\r\n"), "{got}");
        assert!(!got.contains("content-length") && !got.contains("hidden"), "{got}");
    }
    assert_eq!(world.rules.count(), 2);
}

/// A body that is cut off is not sent on as a whole one.
#[tokio::test]
async fn given_a_body_that_is_cut_off_then_so_is_the_request_to_the_host() {
    let (world, origin) = (World::new(), Origin::new("\r\n\r\n0\r\n\r\n", "").await);
    let host = format!("a.example:{}", origin.port());
    let mut stream = world.connect().await;
    let request = format!(
        "POST http://{host}/ HTTP/1.1\r\nHost: {host}\r\nAUTH\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"
    );
    stream.write_all(with_secret(&world.command, &request).as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    let answer = read_all(&mut stream).await;
    assert!(!answer.contains("HTTP/1.1 200"), "{answer}");
    assert!(origin.got().iter().all(|got| !got.ends_with("0\r\n\r\n")), "{:?}", origin.got());
}
