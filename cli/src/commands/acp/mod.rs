//! `mayi acp`: an agent for any editor that speaks the Agent Client Protocol, with another one behind it.

mod args;
mod host;

pub(super) use self::args::{AFTER, AcpArgs};

use std::sync::Arc;

use mayi_acp_proxy::{Ended, Options, Why};
use mayi_core::gate::Tally;
use mayi_core::store::Owner;
use tokio::sync::mpsc;

use self::host::{Behind, agent_of};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::memory;

/// Is the agent of an editor until the editor closes its side.
///
/// # Errors
/// For what is wrong with the options or the configuration, and if the agent can't be started or fails.
pub(super) async fn acp(args: AcpArgs, ctx: Context) -> Result<Exit, CliError> {
    let loaded = ctx.load()?;
    ctx.notices(&loaded);
    more_files();
    crate::commands::run::may_be_in(args.mode, &agent_of(&args, &loaded)?.id, &loaded)?;
    let protocol_v2 = args.protocol_v2 || loaded.protocol_v2;
    let options = Options { wide_scopes: args.wide_scopes, protocol_v2 };
    let behind = Behind::new(args, ctx.clone(), &loaded)?;
    let launch = behind.launch();
    // Its agent runs before there is a session.
    let _present = memory::present(&ctx, &Owner::this());
    let (interrupt, mut interrupts) = mpsc::unbounded_channel();
    crate::commands::run::listen_for_signals(&interrupt);
    let interrupted = async move {
        let _ = interrupts.recv().await;
    };
    let ended =
        mayi_acp_proxy::serve(&launch, Arc::new(behind), options, crate::pipes::both(), interrupted).await;
    let Ended { why, tally } = ended.map_err(|error| CliError::agent(error.to_string()))?;
    ctx.note(format!("mayi: {}", summary(&tally)));
    match why {
        Why::Agent(error) => Err(CliError::agent(error.to_string())),
        Why::Interrupted => Ok(Exit::Interrupted),
        Why::EditorGone if tally.unasked_against() > 0 => Ok(Exit::Unasked),
        Why::EditorGone => Ok(Exit::Done),
    }
}

/// So many files are to be open at a time, as far as the system lets them: each session of the editor has one, and more for each MCP
/// server that stands behind its gate; the usual limit is 1,024.
const FILES: u64 = 16_384;

/// Raises the soft limit of open files. Where that can't be done, fewer sessions can be open.
fn more_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let now = getrlimit(Resource::Nofile);
    let wanted = now.maximum.map_or(FILES, |most| most.min(FILES));
    if now.current.is_some_and(|current| current < wanted) {
        let limit = Rlimit { current: Some(wanted), maximum: now.maximum };
        if let Err(error) = setrlimit(Resource::Nofile, limit) {
            tracing::debug!(%error, "the limit of open files stays as it is");
        }
    }
}

/// What there was, in one line.
fn summary(tally: &Tally) -> String {
    let counts = [
        (tally.allowed, "allowed"),
        (tally.approved, "approved by you"),
        (tally.denied, "denied by the policy"),
        (tally.rejected, "denied by you"),
        (tally.unanswered, "not answered"),
        (tally.cancelled, "withdrawn"),
        (tally.unasked_against(), "ran without asking, against the policy"),
    ];
    let told: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if told.is_empty() { "nothing was asked".to_owned() } else { told.join(" · ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_counts_then_only_what_there_was_is_told() {
        assert_eq!(summary(&Tally::default()), "nothing was asked");
        let tally = Tally { allowed: 2, unasked_denied: 1, ..Tally::default() };
        assert_eq!(summary(&tally), "2 allowed · 1 ran without asking, against the policy");
    }
}
