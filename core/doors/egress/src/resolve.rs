//! From a name to addresses that may be dialled: once, and all of them are looked at.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use async_trait::async_trait;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use crate::address::{AddressKind, kind_of, may_be_named};
use crate::client::Known;
use crate::limits::Limits;

/// Finds the addresses of names.
#[async_trait]
pub trait Resolve: Send + Sync + 'static {
    /// All addresses of `host`, a name in ASCII.
    ///
    /// # Errors
    /// If it has none, or none can be found.
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The resolver of the system, in the network that this process is in.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

#[async_trait]
impl Resolve for SystemResolver {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.map(|found| found.ip()).collect())
    }
}

/// Why a host was not reached.
#[derive(Debug)]
pub(crate) enum NotReached {
    /// It has no address, or none was found in time.
    Unresolved,
    /// It leads where only what is named may lead.
    Address(IpAddr, AddressKind),
    /// None of its addresses answers.
    Unreachable,
}

/// Reaches hosts.
pub(crate) struct Dialler {
    resolver: Arc<dyn Resolve>,
    lookups: Arc<Semaphore>,
    limits: Limits,
}

impl Dialler {
    pub(crate) fn new(resolver: Arc<dyn Resolve>, limits: &Limits) -> Self {
        Self { resolver, lookups: Arc::new(Semaphore::new(limits.lookups)), limits: limits.clone() }
    }

    /// Finds the addresses of `host` and dials one that was looked at. `own_addresses` if the judge says that this machine or a
    /// private network is meant.
    pub(crate) async fn dial(
        &self,
        client: &Known,
        host: &str,
        port: u16,
        own_addresses: bool,
    ) -> Result<(TcpStream, SocketAddr), NotReached> {
        let literal = literal(host);
        let found = match literal {
            Some(address) => vec![address],
            None => {
                let looked_up = self.look_up(client, host.to_owned());
                let in_time = tokio::time::timeout(self.limits.lookup, looked_up).await;
                in_time.ok().flatten().ok_or(NotReached::Unresolved)?
            }
        };
        let own = own_addresses_of_machine().await;
        for address in &found {
            if let Some(kind) = kind_of(*address, &own)
                && !(own_addresses && may_be_named(kind, literal.is_some()))
            {
                return Err(NotReached::Address(*address, kind));
            }
        }
        if found.is_empty() {
            return Err(NotReached::Unresolved);
        }
        let reaching = self.reach(&found, port);
        let reached = tokio::time::timeout(self.limits.dial_all, reaching).await;
        reached.ok().flatten().ok_or(NotReached::Unreachable)
    }

    /// Dials addresses in turn, until one answers.
    async fn reach(&self, addresses: &[IpAddr], port: u16) -> Option<(TcpStream, SocketAddr)> {
        for address in addresses.iter().take(self.limits.addresses) {
            let to = SocketAddr::new(*address, port);
            if let Ok(Ok(stream)) = tokio::time::timeout(self.limits.dial, TcpStream::connect(to)).await {
                // Small messages are not to wait for more; it is slower without, and works.
                let _ = stream.set_nodelay(true);
                return Some((stream, to));
            }
        }
        None
    }

    /// The system's lookups can't be stopped: a place is given back when one is over, not when nobody waits for it any more.
    async fn look_up(&self, client: &Known, host: String) -> Option<Vec<IpAddr>> {
        let mine = Arc::clone(&client.lookups).acquire_owned().await.ok()?;
        let place = Arc::clone(&self.lookups).acquire_owned().await.ok()?;
        let resolver = Arc::clone(&self.resolver);
        let looking = tokio::spawn(async move {
            let found = resolver.resolve(&host).await;
            drop((mine, place));
            found
        });
        looking.await.ok()?.ok()
    }
}

/// The address that a host is, if it is not a name.
fn literal(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// The addresses of this machine's interfaces, which change. Without them, those that are known by their range remain.
async fn own_addresses_of_machine() -> Vec<IpAddr> {
    let found = tokio::task::spawn_blocking(if_addrs::get_if_addrs).await;
    let Ok(Ok(interfaces)) = found else {
        tracing::warn!("can't list the addresses of this machine");
        return Vec::new();
    };
    interfaces.iter().map(if_addrs::Interface::ip).collect()
}
