//! The proxy: its listeners, its clients, and what all connections share.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use std::{fmt, io};

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::client::{AlreadyRegistered, Client, Clients, Known};
use crate::connection;
use crate::environment::environment;
use crate::event::Observe;
use crate::judge::{Judge, Wish};
use crate::limits::Limits;
use crate::questions::{Outcome, Questions};
use crate::resolve::{Dialler, Resolve};
use crate::strangers::Strangers;

/// When a listener fails, such as for want of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) clients: Clients,
    questions: Arc<Questions>,
    pub(crate) dialler: Dialler,
    pub(crate) observer: Arc<dyn Observe>,
    pub(crate) limits: Limits,
    pub(crate) strangers: Arc<Strangers>,
    pub(crate) places: Arc<Semaphore>,
    pub(crate) closing: CancellationToken,
    pub(crate) tasks: TaskTracker,
    opened: AtomicU64,
}

impl Shared {
    pub(crate) fn next_number(&self) -> u64 {
        self.opened.fetch_add(1, Ordering::Relaxed)
    }

    /// Asks about a wish for as long as its command is there.
    pub(crate) async fn ask(&self, client: &Arc<Known>, wish: &Arc<Wish>) -> Outcome {
        let asking = self.questions.ask(client.asker(), wish);
        tokio::pin!(asking);
        tokio::select! {
            biased;
            outcome = &mut asking => outcome,
            // Also if the command ended just before it asked.
            () = client.ended.cancelled() => {
                self.questions.end(&client.id);
                Outcome::Waiting
            }
        }
    }
}

/// A proxy of confined commands. Clones are the same proxy.
///
/// ```no_run
/// use std::sync::Arc;
///
/// use async_trait::async_trait;
/// use mayi_egress::{Allowance, Answer, Client, Event, Judge, Lasts, Limits, Observe, Proxy, SystemResolver, Wish};
///
/// struct Docs;
///
/// #[async_trait]
/// impl Judge for Docs {
///     async fn judge(&self, wish: &Wish) -> Answer {
///         if wish.host == "docs.example" && wish.port == 443 {
///             return Answer::Allow(Allowance { lasts: Lasts::Command, ..Allowance::default() });
///         }
///         Answer::Deny { words: format!("mayi: nobody has allowed {}.", wish.host), lasts: Lasts::Once }
///     }
/// }
///
/// struct Silent;
///
/// impl Observe for Silent {
///     fn observe(&self, _: Event) {}
/// }
///
/// # async fn run(listener: std::net::TcpListener) -> Result<(), Box<dyn std::error::Error>> {
/// let proxy = Proxy::new(Arc::new(Docs), Arc::new(Silent), Arc::new(SystemResolver), Limits::default());
/// let command = proxy.register(Client::new("command-1", Some("session-1 curl"))?)?;
/// let variables = command.environment(listener.local_addr()?);
/// let serving = tokio::spawn({
///     let proxy = proxy.clone();
///     async move { proxy.serve(listener).await }
/// });
/// // The command runs with these variables.
/// # drop(variables);
/// command.end().await;
/// proxy.shut_down().await;
/// # serving.await??;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Proxy {
    shared: Arc<Shared>,
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy").field("limits", &self.shared.limits).finish_non_exhaustive()
    }
}

impl Proxy {
    /// A proxy that has `judge` decide, `resolver` find addresses, and tells `observer` what happens.
    #[must_use]
    pub fn new(
        judge: Arc<dyn Judge>,
        observer: Arc<dyn Observe>,
        resolver: Arc<dyn Resolve>,
        limits: Limits,
    ) -> Self {
        let shared = Shared {
            clients: Clients::default(),
            questions: Arc::new(Questions::new(judge, &limits)),
            dialler: Dialler::new(resolver, &limits),
            observer,
            strangers: Strangers::new(limits.strangers),
            places: Arc::new(Semaphore::new(limits.connections)),
            closing: CancellationToken::new(),
            tasks: TaskTracker::new(),
            opened: AtomicU64::new(1),
            limits,
        };
        Self { shared: Arc::new(shared) }
    }

    /// Lets a command in, until what is returned is dropped.
    ///
    /// # Errors
    /// If there is a command of that id.
    pub fn register(&self, client: Client) -> Result<Registration, AlreadyRegistered> {
        let known = self.shared.clients.add(&client, &self.shared.limits, &self.shared.closing)?;
        Ok(Registration { shared: Arc::clone(&self.shared), known, client })
    }

    /// Takes the connections of `listener`, which may be of another network namespace, until the proxy shuts down. Dropping the
    /// future takes no more of them; those that are there go on. Several listeners may be served at once.
    ///
    /// # Errors
    /// If it is no listener that can be waited for.
    pub async fn serve(&self, listener: TcpListener) -> io::Result<()> {
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        loop {
            let accepted = tokio::select! {
                () = self.shared.closing.cancelled() => return Ok(()),
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, _)) => {
                    // Small messages are not to wait for more; it is slower without, and works.
                    let _ = stream.set_nodelay(true);
                    self.shared.tasks.spawn(connection::serve(Arc::clone(&self.shared), stream));
                }
                Err(error) => {
                    tracing::warn!(%error, "can't take a connection of a confined command");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// Forgets every answer that is remembered, such as when rules have changed. What is open stays open.
    pub fn forget_answers(&self) {
        self.shared.questions.forget_answers();
    }

    /// Ends everything, and waits until it has.
    pub async fn shut_down(&self) {
        self.shared.closing.cancel();
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
    }
}

/// A command that may use the proxy. Dropped, its secret counts no more, its connections end, and so do its questions that no other
/// command has.
#[must_use = "dropped, the command is not let in"]
pub struct Registration {
    shared: Arc<Shared>,
    known: Arc<Known>,
    client: Client,
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration").field("client", &self.client).finish_non_exhaustive()
    }
}

impl Registration {
    /// Which command it is.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The variables by which programs find the proxy, at the address that its listener has for them.
    #[must_use]
    pub fn environment(&self, listener: SocketAddr) -> Vec<(&'static str, String)> {
        environment(listener, self.client.secret())
    }

    /// Takes the registration back, and waits until all that the command had open has ended.
    pub async fn end(self) {
        let tasks = self.known.tasks.clone();
        drop(self);
        tasks.close();
        tasks.wait().await;
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.shared.clients.remove(self.client.id());
        self.known.ended.cancel();
        self.shared.questions.end(&self.known.id);
    }
}
