//! Hosts to be reached: one that answers each request and keeps what it got, and one that sends back what it gets.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// A host on plain HTTP that answers once per connection.
pub(crate) struct Origin {
    pub(crate) address: SocketAddr,
    /// The bytes of each connection until it was answered.
    got: Arc<Mutex<Vec<String>>>,
}

impl Origin {
    /// Answers with `answer` what ends with `until`, and hangs up.
    pub(crate) async fn new(until: &'static str, answer: &'static str) -> Self {
        Self::start(until, answer, false).await
    }

    /// The same, and never hangs up.
    pub(crate) async fn holding(until: &'static str, answer: &'static str) -> Self {
        Self::start(until, answer, true).await
    }

    async fn start(until: &'static str, answer: &'static str, holds: bool) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let got = Arc::<Mutex<Vec<String>>>::default();
        let kept = Arc::clone(&got);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let kept = Arc::clone(&kept);
                tokio::spawn(async move {
                    let mut bytes = Vec::new();
                    while !bytes.ends_with(until.as_bytes()) {
                        match stream.read_u8().await {
                            Ok(byte) => bytes.push(byte),
                            Err(_) => break,
                        }
                    }
                    kept.lock().unwrap().push(String::from_utf8_lossy(&bytes).into_owned());
                    let _ = stream.write_all(answer.as_bytes()).await;
                    if holds {
                        std::future::pending::<()>().await;
                    }
                });
            }
        });
        Self { address, got }
    }

    /// One that says `ok` to requests without a body.
    pub(crate) async fn ok() -> Self {
        Self::new("\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(crate) fn got(&self) -> Vec<String> {
        self.got.lock().unwrap().clone()
    }
}

/// A host that sends back what it gets, behind `greeting`.
pub(crate) async fn echo(greeting: &'static str) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let _ = stream.write_all(greeting.as_bytes()).await;
                let (mut from, mut to) = stream.split();
                let _ = tokio::io::copy(&mut from, &mut to).await;
            });
        }
    });
    port
}

/// A port of this machine at which nobody listens.
pub(crate) async fn nobody() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap().local_addr().unwrap().port()
}
