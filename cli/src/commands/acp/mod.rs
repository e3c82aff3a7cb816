//! `mayi acp`: an agent for any editor that speaks the Agent Client Protocol, with another one behind it.

mod args;
mod host;

pub(super) use self::args::{AFTER, AcpArgs};

use std::sync::Arc;

use mayi_acp_proxy::{EndReason, ProxyOptions, ProxyOutcome};
use mayi_core::gate::Tally;
use mayi_core::store::Owner;
use tokio::sync::mpsc;

use self::host::{ProxyHost, agent_of};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::memory;

/// Is the agent of an editor until the editor closes its side.
///
/// # Errors
/// For what is wrong with the options or the configuration, and if the agent can't be started or fails.
pub(super) async fn run(args: AcpArgs, ctx: Context) -> Result<Exit, CliError> {
    let loaded = ctx.load()?;
    ctx.print_notices(&loaded);
    #[cfg(unix)]
    raise_file_limit();
    crate::commands::run::check_mode_allowed(args.mode, &agent_of(&args, &loaded)?.id, &loaded)?;
    let protocol_v2 = args.protocol_v2 || loaded.protocol_v2;
    let options = ProxyOptions { wide_scopes: args.wide_scopes, protocol_v2 };
    let behind = ProxyHost::new(args, ctx.clone(), &loaded)?;
    let launch = behind.launch();
    // Its agent runs before there is a session.
    let _present = memory::announce_presence(&ctx, &Owner::this_process());
    let (interrupt, mut interrupts) = mpsc::unbounded_channel();
    crate::commands::run::listen_for_signals(&interrupt);
    let interrupted = async move {
        let _ = interrupts.recv().await;
    };
    let ended = mayi_acp_proxy::serve_editor(
        &launch,
        Arc::new(behind),
        options,
        crate::pipes::client_stdio(),
        interrupted,
    )
    .await;
    let ProxyOutcome { why, tally } = ended.map_err(|error| CliError::agent(error.to_string()))?;
    ctx.print_note(format!("mayi: {}", tally_summary(&tally)));
    match why {
        EndReason::Agent(error) => Err(CliError::agent(error.to_string())),
        EndReason::Interrupted => Ok(Exit::Interrupted),
        EndReason::EditorGone if tally.count_unasked_against() > 0 => Ok(Exit::Unasked),
        EndReason::EditorGone => Ok(Exit::Done),
    }
}

/// So many files are to be open at a time, as far as the system lets them: each session of the editor has one, and more for each MCP
/// server that stands behind its gate; the usual limit is 1,024.
#[cfg(unix)]
const FILES: u64 = 16_384;

/// Raises the soft limit of open files. Where that can't be done, fewer sessions can be open.
#[cfg(unix)]
fn raise_file_limit() {
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
fn tally_summary(tally: &Tally) -> String {
    let counts = [
        (tally.allowed, "allowed"),
        (tally.approved, "approved by you"),
        (tally.denied, "denied by the policy"),
        (tally.rejected, "denied by you"),
        (tally.unanswered, "not answered"),
        (tally.cancelled, "withdrawn"),
        (tally.count_unasked_against(), "ran without asking, against the policy"),
        (tally.unasked_failed, "tried without asking, and failed"),
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
        assert_eq!(tally_summary(&Tally::default()), "nothing was asked");
        let tally = Tally { allowed: 2, unasked_denied: 1, ..Tally::default() };
        assert_eq!(tally_summary(&tally), "2 allowed · 1 ran without asking, against the policy");
    }
}
