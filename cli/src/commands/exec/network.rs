//! The network of a confined command: what it wants to reach is decided host by host, by the same rules and the same person.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use mayi_core::approval::escape_line;
use mayi_core::call::{Access, Call, Door, UrlAccess};
use mayi_core::gate::{Authorized, DecidedBy, Gate, Session, Verdict};
use mayi_core::policy::{Effect, Finding, Source};
use mayi_egress::{
    Allowance, Answer, Client, Event, Judge, Lasts, Limits, Observe, Proxy, Registration, SystemResolver,
    Wish,
};
use mayi_sandbox::{PROXY, TakeListener};

use super::super::run::TerminalAsker;
use super::Person;
use crate::error::CliError;

/// Maximum number of hosts that are told of when the command has ended.
const MOST_TOLD: usize = 8;

/// The proxy of one command.
pub(super) struct Network {
    proxy: Proxy,
    registration: Registration,
    refused: Arc<Refused>,
}

impl Network {
    /// A proxy for `call`, which may reach what was decided about with it.
    ///
    /// # Errors
    /// If the system has no random bytes for a secret.
    pub(super) fn open(
        gate: &Gate,
        session: &Session,
        call: &Call,
        person: Person,
    ) -> Result<Self, CliError> {
        let refused = Arc::new(Refused::default());
        let judge = Hosts {
            gate: gate.clone(),
            session: session.clone(),
            line: call.accesses.first().map(Access::object).unwrap_or_default(),
            named: call.accesses.iter().flat_map(addresses).map(host_and_port).collect(),
            person,
            at_terminal: tokio::sync::Mutex::new(()),
        };
        let proxy = Proxy::new(Arc::new(judge), refused.clone(), Arc::new(SystemResolver), Limits::default());
        let client =
            Client::new(&session.id.0, None).map_err(|error| CliError::internal(error.to_string()))?;
        let registration = proxy.register(client).map_err(|error| CliError::internal(error.to_string()))?;
        Ok(Self { proxy, registration, refused })
    }

    /// The variables by which programs find it.
    pub(super) fn variables(&self) -> Vec<(&'static str, String)> {
        self.registration.environment(PROXY)
    }

    /// Serves the listener of the command's network.
    pub(super) fn take_listener(&self) -> TakeListener {
        let (proxy, runtime) = (self.proxy.clone(), tokio::runtime::Handle::current());
        Box::new(move |listener| {
            runtime.spawn(async move {
                if let Err(error) = proxy.serve(listener).await {
                    tracing::warn!(%error, "the network of a confined command can't be served");
                }
            });
        })
    }

    /// Ends it, and gives a line for each host that was refused.
    pub(super) async fn end(self) -> Vec<String> {
        self.registration.end().await;
        self.proxy.shut_down().await;
        let told = self.refused.told.lock().unwrap_or_else(PoisonError::into_inner);
        let more = told.len().saturating_sub(MOST_TOLD);
        let more = (more > 0).then(|| format!("{more} more hosts were not reached"));
        told.iter().take(MOST_TOLD).cloned().chain(more).collect()
    }
}

/// The addresses that a call names, of which it is decided.
fn addresses(access: &Access) -> Vec<&UrlAccess> {
    let urls: Vec<&UrlAccess> = match access {
        Access::Fetch(url) => vec![url],
        Access::Shell(shell) => shell.urls.iter().collect(),
        _ => Vec::new(),
    };
    urls.into_iter().filter(|url| !url.open && !url.unsound && url.other_host.is_none()).collect()
}

fn host_and_port(url: &UrlAccess) -> (String, u16) {
    let own = if url.scheme == "http" { 80 } else { 443 };
    (url.host.clone(), url.port.unwrap_or(own))
}

/// Decides by the rules, and asks the person.
struct Hosts {
    gate: Gate,
    session: Session,
    /// The command, as cards show it.
    line: String,
    /// What was decided about with the command itself.
    named: BTreeSet<(String, u16)>,
    person: Person,
    /// One question at a time has the terminal.
    at_terminal: tokio::sync::Mutex<()>,
}

impl Hosts {
    fn call(&self, url: UrlAccess) -> Call {
        let session = &self.session;
        let nothing = Call::new(Door::Exec, session.agent.clone(), session.id.clone(), session.cwd.clone());
        Call {
            roots: session.roots.clone(),
            title: self.line.clone(),
            kind: "fetch".to_owned(),
            notes: vec![format!("for the running command: {}", self.line)],
            accesses: vec![Access::Fetch(url)],
            ..nothing
        }
    }

    /// The call for a wish. Of a tunnel nothing but host and port is known: where a rule denies a part of the host, a person has to
    /// know that.
    fn call_for(&self, wish: &Wish) -> Option<Call> {
        let Some(url) = wish.url.clone() else {
            let place = format!("https://{}:{}/", wish.host, wish.port);
            let call = self.call(UrlAccess::parse(&place).ok()?);
            let whole = self.call(UrlAccess::from_prefix(&place, &place));
            let denies = |call: &Call| self.gate.preview_effect(call) == Effect::Deny;
            let caution = "a rule denies a part of this host, and what is fetched can't be seen";
            let cautions = if denies(&whole) { vec![caution.to_owned()] } else { Vec::new() };
            return Some(Call { cautions, ..call });
        };
        Some(self.call(url))
    }

    async fn verdict(&self, call: Call) -> Verdict {
        let mut ticket = self.gate.submit(call, &[]);
        if let Some(verdict) = ticket.at_once() {
            return verdict;
        }
        let mut verdict = Box::pin(ticket.verdict());
        let _turn = tokio::select! {
            verdict = &mut verdict => return verdict,
            turn = self.at_terminal.lock() => turn,
        };
        let (asker, mut interrupted) = self.person.asker(&self.gate);
        let surface = TerminalAsker::open_surface(&asker);
        let verdict = tokio::select! {
            verdict = verdict => verdict,
            Some(()) = interrupted.recv() => Verdict::Cancelled,
        };
        surface.close().await;
        verdict
    }
}

#[async_trait]
impl Judge for Hosts {
    async fn judge(&self, wish: &Wish) -> Answer {
        let lasts = Lasts::Command;
        if self.named.contains(&(wish.host.clone(), wish.port)) {
            return Answer::Allow(Allowance { lasts, own_addresses: is_address(&wish.host), raw: false });
        }
        let Some(call) = self.call_for(wish) else {
            return Answer::Deny { words: "mayi: this address was not understood.".to_owned(), lasts };
        };
        match self.verdict(call).await {
            Verdict::Allowed(authorized) => {
                self.gate.begin_execution(&authorized).finish("completed");
                let own_addresses = is_meant(&authorized, &wish.host);
                Answer::Allow(Allowance { lasts, own_addresses, raw: false })
            }
            Verdict::Denied(refusal) => {
                let hint = refusal.would_allow.first().map(|pattern| {
                    format!(" A person can allow it: allow = [{}].", serde_json::json!(pattern))
                });
                let words = format!("mayi: {}.{}", refusal.reason, hint.unwrap_or_default());
                Answer::Deny { words, lasts }
            }
            Verdict::Cancelled => {
                Answer::Deny { words: "mayi: nobody has allowed it.".to_owned(), lasts: Lasts::Once }
            }
        }
    }
}

/// Whether whoever allowed a host meant it also where its name leads to this machine or a private network: a rule of the user's names
/// it, or a person has seen the address itself.
fn is_meant(authorized: &Authorized<Call>, host: &str) -> bool {
    let names = |finding: &Finding| {
        finding.effect == Effect::Allow
            && finding.source == Source::Rule
            && !finding.of_workspace
            && finding.pattern.as_deref().is_some_and(|pattern| names_host(pattern, host))
    };
    let by_person = authorized.decided_by() == DecidedBy::Person && is_address(host);
    by_person || authorized.decision().trail.iter().any(names)
}

/// Whether a host is an address, or this machine by its usual name.
fn is_address(host: &str) -> bool {
    host == "localhost" || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok()
}

/// Whether a pattern has this very host in it.
fn names_host(pattern: &str, host: &str) -> bool {
    let object = pattern.split_once('(').map_or(pattern, |(_, object)| object).trim_end_matches(')');
    let authority = object.split_once("://").map_or(object, |(_, rest)| rest);
    let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
    authority == host || authority.strip_prefix(host).is_some_and(|port| port.starts_with(':'))
}

/// What was refused, a line each.
#[derive(Default)]
struct Refused {
    told: Mutex<BTreeSet<String>>,
}

impl Observe for Refused {
    fn observe(&self, event: Event) {
        let Event::Refused { wish: Some(wish), words, .. } = event else { return };
        let words = words.trim_start_matches("mayi: ");
        let line = format!("{}:{} was not reached: {}", wish.host, wish.port, escape_line(words));
        self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "Loopback, link-local, metadata and own addresses refused unless named": a wildcard names nothing.
    #[test]
    fn given_a_pattern_then_it_names_a_host_only_by_all_of_it() {
        for (pattern, host, named) in [
            ("fetch(http://10.0.0.5:8080/*)", "10.0.0.5", true),
            ("fetch(https://git.corp/**)", "git.corp", true),
            ("fetch(git.corp)", "git.corp", true),
            ("fetch(https://*.corp/*)", "git.corp", false),
            ("fetch(https://git.corp.evil/*)", "git.corp", false),
            ("fetch(*)", "git.corp", false),
            ("fetch(https://x/git.corp)", "git.corp", false),
        ] {
            assert_eq!(names_host(pattern, host), named, "{pattern}");
        }
    }
}
