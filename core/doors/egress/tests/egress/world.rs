//! A proxy with a judge, names and a record that a test can look at, and a client that sends what it is given.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mayi_egress::{
    Allowance, Answer, Client, Event, Judge, Lasts, Limits, Observe, Proxy, Registration, Resolve, Wish,
};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::{Notify, watch};

/// Longer than anything here takes on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Whatever is on this machine may be reached.
pub(crate) fn allowed() -> Answer {
    Answer::Allow(Allowance { own_addresses: true, ..Allowance::default() })
}

pub(crate) fn denied() -> Answer {
    Answer::Deny { words: "mayi: nobody has allowed this.\r\nX: y".to_owned(), lasts: Lasts::Once }
}

/// A judge that says what it is told to, when it is told to.
pub(crate) struct Rules {
    pub(crate) answer: Mutex<Answer>,
    pub(crate) asked: Mutex<Vec<Wish>>,
    /// Whether it takes its time; each change is looked at again.
    pub(crate) holding: watch::Sender<bool>,
    pub(crate) changed: Notify,
    /// How many questions were dropped without an answer.
    pub(crate) dropped: Mutex<usize>,
}

struct Unanswered<'a>(&'a Rules, bool);

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        if !self.1 {
            *self.0.dropped.lock().unwrap() += 1;
            self.0.changed.notify_waiters();
        }
    }
}

#[async_trait]
impl Judge for Rules {
    async fn judge(&self, wish: &Wish) -> Answer {
        self.asked.lock().unwrap().push(wish.clone());
        self.changed.notify_waiters();
        let mut unanswered = Unanswered(self, false);
        self.holding.subscribe().wait_for(|holding| !holding).await.unwrap();
        unanswered.1 = true;
        self.answer.lock().unwrap().clone()
    }
}

impl Rules {
    pub(crate) fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    /// Waits until `holds` of the judge.
    pub(crate) async fn until(&self, holds: impl Fn(&Self) -> bool) {
        wait(&self.changed, || holds(self).then_some(())).await;
    }
}

/// Waits until `look` finds something, looking at each notice.
async fn wait<T>(changed: &Notify, look: impl Fn() -> Option<T>) -> T {
    let waiting = async {
        loop {
            let notice = changed.notified();
            tokio::pin!(notice);
            notice.as_mut().enable();
            if let Some(found) = look() {
                return found;
            }
            notice.await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.expect("it never came")
}

/// All that happened.
#[derive(Default)]
pub(crate) struct Record {
    events: Mutex<Vec<Event>>,
    changed: Notify,
}

impl Observe for Record {
    fn observe(&self, event: Event) {
        self.events.lock().unwrap().push(event);
        self.changed.notify_waiters();
    }
}

impl Record {
    /// The first event that `wanted` knows, once it is there.
    pub(crate) async fn find(&self, wanted: impl Fn(&Event) -> bool) -> Event {
        let look = || self.events.lock().unwrap().iter().find(|event| wanted(event)).cloned();
        wait(&self.changed, look).await
    }
}

/// Names, and what each lookup of them gives: the last list again and again.
#[derive(Default)]
pub(crate) struct Names {
    lists: Mutex<HashMap<String, VecDeque<Vec<IpAddr>>>>,
    pub(crate) looked_up: Mutex<Vec<String>>,
}

impl Names {
    pub(crate) fn set(&self, name: &str, lists: &[&[&str]]) {
        let parse = |list: &&[&str]| list.iter().map(|address| address.parse().unwrap()).collect();
        self.lists.lock().unwrap().insert(name.to_owned(), lists.iter().map(parse).collect());
    }
}

#[async_trait]
impl Resolve for Names {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        self.looked_up.lock().unwrap().push(host.to_owned());
        let mut all = self.lists.lock().unwrap();
        let Some(lists) = all.get_mut(host) else { return Ok(vec![Ipv4Addr::LOCALHOST.into()]) };
        let list = if lists.len() > 1 { lists.pop_front() } else { lists.front().cloned() };
        list.ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// A proxy that serves a listener, with one command.
pub(crate) struct World {
    pub(crate) proxy: Proxy,
    pub(crate) address: SocketAddr,
    pub(crate) rules: Arc<Rules>,
    pub(crate) record: Arc<Record>,
    pub(crate) names: Arc<Names>,
    pub(crate) command: Registration,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::within(Limits::default())
    }

    pub(crate) fn within(limits: Limits) -> Self {
        let rules = Arc::new(Rules {
            answer: Mutex::new(allowed()),
            asked: Mutex::default(),
            holding: watch::Sender::new(false),
            changed: Notify::new(),
            dropped: Mutex::default(),
        });
        let (record, names) = (Arc::<Record>::default(), Arc::<Names>::default());
        let (judge, observer): (Arc<Rules>, Arc<Record>) = (Arc::clone(&rules), Arc::clone(&record));
        let resolver: Arc<Names> = Arc::clone(&names);
        let proxy = Proxy::new(judge, observer, resolver, limits);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let serving = proxy.clone();
        tokio::spawn(async move { serving.serve(listener).await });
        let command = proxy.register(Client::new("one", None).unwrap()).unwrap();
        Self { proxy, address, rules, record, names, command }
    }

    pub(crate) fn answer(&self, answer: Answer) {
        *self.rules.answer.lock().unwrap() = answer;
    }

    pub(crate) fn environment(&self) -> Vec<(&'static str, String)> {
        self.command.environment(self.address)
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends `request`, in which `AUTH` becomes the header with the command's secret and one that ends the connection after it,
    /// and gives the whole answer. Without `AUTH` nothing more is sent.
    pub(crate) async fn send(&self, request: &str) -> String {
        self.send_as(&self.command, request).await
    }

    pub(crate) async fn send_as(&self, command: &Registration, request: &str) -> String {
        let mut stream = self.connect().await;
        let closing = request.replace("AUTH", "Connection: close\r\nAUTH");
        // It may be refused before all of it is read.
        let _ = stream.write_all(with_secret(command, &closing).as_bytes()).await;
        if closing == request {
            let _ = stream.shutdown().await;
        }
        read_all(&mut stream).await
    }

    /// A tunnel to `authority`, or the answer that was no 200.
    pub(crate) async fn tunnel(&self, authority: &str) -> Result<TcpStream, String> {
        self.tunnel_as(&self.command, authority).await
    }

    pub(crate) async fn tunnel_as(
        &self,
        command: &Registration,
        authority: &str,
    ) -> Result<TcpStream, String> {
        let mut stream = self.connect().await;
        let request = format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\nAUTH\r\n\r\n");
        stream.write_all(with_secret(command, &request).as_bytes()).await.unwrap();
        let head = read_head(&mut stream).await;
        if head.starts_with("HTTP/1.1 200") { Ok(stream) } else { Err(head) }
    }
}

pub(crate) fn with_secret(command: &Registration, request: &str) -> String {
    let secret = STANDARD.encode(format!("mayi:{}", command.client().secret()));
    request.replace("AUTH", &format!("Proxy-Authorization: Basic {secret}"))
}

pub(crate) async fn read_all(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut bytes = Vec::new();
    // A connection that is reset has said what it had to say.
    let _ = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut bytes)).await.expect("it never ended");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The head of an answer, and nothing behind it.
pub(crate) async fn read_head(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let reading = async {
        while !bytes.ends_with(b"\r\n\r\n") {
            match stream.read_u8().await {
                Ok(byte) => bytes.push(byte),
                Err(_) => break,
            }
        }
    };
    tokio::time::timeout(PATIENCE, reading).await.expect("it never answered");
    String::from_utf8_lossy(&bytes).into_owned()
}
