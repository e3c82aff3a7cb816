//! Whether it is a person who answers: at a terminal, and not from within an agent, as this process and those that ask see it.

#[cfg(unix)]
use mayi_core::gate::check_by_those_who_ask;
use mayi_core::gate::{asking_pids, is_started_by};
use mayi_core::store::Store;

use crate::context::Context;
use crate::error::CliError;
use crate::memory::open_existing_store;

/// Where it can't be told who is at a terminal, nor what an agent has started.
#[cfg(not(unix))]
pub(crate) const ELSEWHERE: &str =
    "in a terminal mayi takes answers only on Linux and macOS so far: answer in the editor or on the page";

/// Refuses to answer for anybody but the person at a terminal (D6.8): "Answers from a
/// descendant of a gated agent are refused."
///
/// # Errors
/// Says who may answer, and how.
#[cfg(unix)]
pub(crate) fn require_person(store: &dyn Store) -> Result<(), CliError> {
    require_answerer(store)?;
    ask_others(store)
}

/// The same for whoever answers a question: the process that asks looks at this one by itself, and no other needs to.
///
/// # Errors
/// Says who may answer, and how.
#[cfg(unix)]
pub(crate) fn require_answerer(store: &dyn Store) -> Result<(), CliError> {
    if !crate::surface::terminal_is_there() {
        return Err(CliError::usage("only a person at a terminal can answer, and there is no terminal here"));
    }
    refuse_descendants_of(&asking_pids(store)?)
}

/// Refuses.
///
/// # Errors
/// Always: says where a person can answer.
#[cfg(not(unix))]
pub(crate) fn require_person(_: &dyn Store) -> Result<(), CliError> {
    Err(CliError::usage(ELSEWHERE))
}

/// Refuses.
///
/// # Errors
/// Always: says where a person can answer.
#[cfg(not(unix))]
pub(crate) fn require_answerer(_: &dyn Store) -> Result<(), CliError> {
    Err(CliError::usage(ELSEWHERE))
}

/// Refuses what an agent, or something that one started, wants in the person's place.
///
/// # Errors
/// Says so.
pub(crate) fn refuse_agent(store: &dyn Store) -> Result<(), CliError> {
    refuse_descendants_of(&asking_pids(store)?)?;
    ask_others(store)
}

/// The same before the person's own settings are loosened, whether or not anything is recorded yet.
///
/// # Errors
/// Says so, or what is wrong with the store.
pub(crate) fn refuse_agent_to_loosen(ctx: &Context) -> Result<(), CliError> {
    open_existing_store(ctx)?.map_or(Ok(()), |store| refuse_agent(&store))
}

/// Has the processes that ask look at this one, which an agent may have put where it sees none of them.
#[cfg(unix)]
fn ask_others(store: &dyn Store) -> Result<(), CliError> {
    check_by_those_who_ask(store).map_err(|error| CliError::usage(error.to_string()))
}

/// Nobody looks at others here.
#[cfg(not(unix))]
fn ask_others(_: &dyn Store) -> Result<(), CliError> {
    Ok(())
}

/// Refuses what one of these processes has started, or a supervisor, wants in the person's place.
///
/// # Errors
/// Says so.
pub(crate) fn refuse_descendants_of(asking: &[u32]) -> Result<(), CliError> {
    if is_started_by(asking, std::process::id()) {
        return Err(CliError::usage(
            "an agent can't answer for the person: this was started by one, or by the program that it works in; use a \
             terminal outside of that",
        ));
    }
    Ok(())
}

/// Refuses to be an editor's backend for what an agent has started: whoever has the backend's credential answers for the
/// person. An editor may be the client of a gateway too, and starts its backend itself.
///
/// # Errors
/// Says so.
pub(crate) fn check_may_serve(store: &dyn Store) -> Result<(), CliError> {
    let present = store.present_owners(jiff::Timestamp::now())?;
    let pids: Vec<u32> = present.iter().map(|owner| owner.pid).collect();
    let clients: Vec<u32> = present.iter().filter_map(|owner| owner.client).collect();
    #[cfg(unix)]
    let parent = std::os::unix::process::parent_id();
    #[cfg(not(unix))]
    let parent = std::process::id();
    if is_started_by(&pids, std::process::id()) || is_started_by(&clients, parent) {
        return Err(CliError::usage(
            "an agent can't answer for the person: this was started by one; start it in a terminal outside of that",
        ));
    }
    ask_others(store)
}
