//! A command, from the decision to its end.

use mayi_core::approval::escape_line;
use mayi_core::call::Call;
use mayi_core::gate::{Authorized, Gate, Refusal, Session, Verdict};
use mayi_core::policy::Source;
use mayi_sandbox::{Launch, Network as Reached};

use super::super::sandbox::{self, Before, Derived, Profile, Reading, Tier};
use super::ExecArgs;
use super::kept::Kept;
use super::named::named_places;
use super::network::Network;
use super::person::{Person, ask};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::print;

/// What an agent is told of a command that failed: it may have been for want of access.
const HELD: &str =
    "mayi: this ran without access outside of the project; a person can widen it. Do not try another way.";

/// What a command is decided about and run with.
pub(super) struct Running {
    pub(super) gate: Gate,
    pub(super) session: Session,
    pub(super) tier: Tier,
    /// Why it is not held by a stronger tier.
    pub(super) weaker: Option<String>,
    pub(super) network: Reached,
    pub(super) person: Person,
    pub(super) args: ExecArgs,
    pub(super) ctx: Context,
}

impl Running {
    fn derive(&self, reading: Reading<'_>, network: Reached) -> Derived {
        let of = (&self.gate, &self.session);
        let mut derived = sandbox::profile_of(of, &self.args.keep_variable, reading, &self.ctx);
        derived.profile.network = network;
        derived
    }

    /// Has it decided about, and asked about where it must be; then it runs.
    ///
    /// # Errors
    /// If it could not be confined: it was not started.
    pub(super) async fn decide_and_run(self, call: Call) -> Result<Exit, CliError> {
        let programs = sandbox::program_folders();
        // What nobody has allowed runs only where all of it is held, and reads no more than it needs.
        let mut alone = (self.tier == Tier::Full && self.gate.policy().allow_confined)
            .then(|| self.derive(Reading::Needed { programs: &programs, named: &[] }, self.network))
            .filter(Derived::is_whole);
        let call = Call { held: alone.is_some(), ..call };
        let mut verdict = ask(&self.gate, call.clone(), &self.person).await;
        let mut kept = Kept::default();
        if let Verdict::Allowed(authorized) = &verdict
            && is_confined(authorized)
        {
            match Kept::keep(&self.session, &call, &self.ctx) {
                Ok(taken) => kept = taken,
                // Then a person has to say that it may run all the same.
                Err(why) => {
                    self.gate.begin_execution(authorized).finish("failed: it was never run");
                    alone = None;
                    let cautions = call.cautions.iter().cloned().chain([why]).collect();
                    verdict = ask(&self.gate, Call { held: false, cautions, ..call }, &self.person).await;
                }
            }
        }
        match verdict {
            Verdict::Allowed(authorized) => {
                let derived = alone.filter(|_| is_confined(&authorized));
                let derived = derived.unwrap_or_else(|| {
                    // What can send reads no more than it needs.
                    let named = named_places(authorized.call()).filter(|_| self.network == Reached::Proxied);
                    match &named {
                        Some(named) => {
                            self.derive(Reading::Needed { programs: &programs, named }, self.network)
                        }
                        None => self.derive(Reading::Everything, Reached::None),
                    }
                });
                self.run(&authorized, derived, kept).await
            }
            Verdict::Denied(refusal) => Ok(refused(&refusal)),
            Verdict::Cancelled => Ok(Exit::Interrupted),
        }
    }

    async fn run(
        self,
        authorized: &Authorized<Call>,
        derived: Derived,
        kept: Kept,
    ) -> Result<Exit, CliError> {
        let notes = sandbox::what_is_not_held(self.tier, &derived).inspect_err(|_| {
            self.gate.begin_execution(authorized).finish("failed: it was never run");
        })?;
        for text in self.weaker.iter().chain(&notes).filter(|_| !self.ctx.quiet) {
            print::stderr_line(format!("mayi: {}", escape_line(text)));
        }
        let before = Before::of(&derived.profile);
        let ended = self.carry_out(authorized, derived.profile).await;
        sandbox::take_back(&self.gate, &self.session, &before, &self.ctx);
        kept.finish(&self.ctx);
        ended
    }

    /// Starts it, and waits for its end.
    async fn carry_out(&self, authorized: &Authorized<Call>, profile: Profile) -> Result<Exit, CliError> {
        let network = match profile.network {
            Reached::Proxied => {
                Some(Network::open(&self.gate, &self.session, authorized.call(), self.person.clone())?)
            }
            Reached::None => None,
        };
        let variables = network.as_ref().map(Network::variables).unwrap_or_default();
        let take_listener = network.as_ref().map(Network::take_listener);
        let carrying = self.gate.begin_execution(authorized);
        let (words, cwd, tier) = (self.args.words(), self.session.cwd.clone(), self.tier);
        let ended = tokio::task::spawn_blocking(move || {
            mayi_sandbox::run(&profile, tier, Launch { words: &words, cwd, variables, take_listener })
        });
        let ended = ended.await.map_err(|error| CliError::internal(error.to_string()));
        let ended = ended.and_then(|ended| ended.map_err(|error| CliError::confinement(error.to_string())));
        carrying.finish(match &ended {
            Ok(0) => "completed",
            Ok(_) => "failed",
            Err(_) => "failed: it was never run",
        });
        if let Some(network) = network {
            for line in network.end().await {
                print::stderr_line(format!("mayi: {line}"));
            }
        }
        if tier != Tier::None && !self.ctx.quiet && ended.as_ref().is_ok_and(|code| *code != 0) {
            print::stderr_line(HELD);
        }
        ended.map(Exit::Command)
    }
}

/// Whether nobody has allowed it, and the kernel stands for them.
fn is_confined(authorized: &Authorized<Call>) -> bool {
    authorized.decision().trail.iter().any(|finding| finding.source == Source::Confined)
}

/// Says why it was not run.
fn refused(refusal: &Refusal) -> Exit {
    print::stderr_line(format!("mayi: not run: {}", escape_line(&refusal.reason)));
    if let [first, ..] = refusal.would_allow.as_slice() {
        // A string of JSON is one of TOML.
        print::stderr_line(format!("mayi: this would allow it: allow = [{}]", serde_json::json!(first)));
    }
    if refusal.unanswered { Exit::Unanswered } else { Exit::Denied }
}
