//! `mayi inbox`: what waits in any of the user's processes, and answers to it.

mod alike;
mod args;

pub(super) use self::args::{AFTER, InboxArgs};
use self::args::{ApproveArgs, DenyArgs, InboxCommand};

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use mayi_core::approval::{ApprovalResponse, Card, Remember, RememberScope, choice, escape_line};
use mayi_core::gate::Questions;
use mayi_core::gate::{RemoteQuestions, in_view, parse_stored_card};
use mayi_core::policy::Level;
use mayi_core::store::{ApprovalQuery, SqliteStore, Store, StoredApproval};

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::memory::{self, WritableStore};
use crate::{person, print};

/// This surface, as others hear of it.
const NAME: &str = "inbox";

pub(super) async fn run(args: InboxArgs, ctx: &Context) -> Result<Exit, CliError> {
    match args.command {
        None => list_questions(args.json, ctx),
        Some(InboxCommand::List { json }) => list_questions(json, ctx),
        Some(InboxCommand::Approve(args)) => approve_question(&args, ctx),
        Some(InboxCommand::Deny(args)) => deny_question(&args, ctx),
        Some(InboxCommand::Watch) => watch_questions(ctx).await,
    }
}

/// The ID that the list shows: the end of the approval's own, and a seal of what was shown.
fn listed_id(approval: &StoredApproval, store: &SqliteStore) -> String {
    let id: String = approval.id.to_string().chars().filter(char::is_ascii_hexdigit).collect();
    format!("{}.{}", id.get(id.len().saturating_sub(6)..).unwrap_or_default(), question_seal(approval, store))
}

/// Binds an ID to the question and to its digest as they were listed. An agent knows what goes into a digest, and
/// could look for two calls that begin alike; the key it does not have.
fn question_seal(approval: &StoredApproval, store: &SqliteStore) -> String {
    let Some(key) = store.questions_key() else { return String::new() };
    let text = format!("{} {}", approval.id, approval.digest.as_str());
    key.seal(text.as_bytes()).0.iter().take(SEALED).map(|byte| format!("{byte:02x}")).collect()
}

/// A question as `--json` has it: its card, and the ID that answers take.
#[derive(serde::Serialize)]
struct ListedQuestion<'a> {
    id: String,
    #[serde(flatten)]
    card: &'a serde_json::Value,
}

/// So many bytes of a seal are shown.
const SEALED: usize = 5;

/// What waits and is shown: as the surfaces of its process show it.
fn shown_approvals(store: &dyn Store) -> Result<Vec<StoredApproval>, CliError> {
    Ok(pending_approvals(store)?.0)
}

/// The same, and how many more wait in line.
fn pending_approvals(store: &dyn Store) -> Result<(Vec<StoredApproval>, usize), CliError> {
    Ok(in_view(store.query_approvals(&ApprovalQuery { pending: true, ..ApprovalQuery::default() })?))
}

fn list_questions(json: bool, ctx: &Context) -> Result<Exit, CliError> {
    let store = match memory::open_for_changes(ctx) {
        Ok(kept) => kept.map(|kept| kept.store),
        // What can't be changed can still be looked at.
        Err(_) => memory::open_existing_store(ctx)?.map(Arc::new),
    };
    let (approvals, line) = match &store {
        Some(store) => pending_approvals(&**store)?,
        None => (Vec::new(), 0),
    };
    if json {
        for approval in &approvals {
            let id = store.as_ref().map(|store| listed_id(approval, store)).unwrap_or_default();
            print::stdout_json(&print::Versioned::new(ListedQuestion { id, card: &approval.card }))?;
        }
        return Ok(Exit::Done);
    }
    if approvals.is_empty() {
        ctx.print_note("nothing is waiting");
        return Ok(Exit::Done);
    }
    let head = ["ID", "SINCE", "AGENT", "WHAT", "WHY"].map(str::to_owned).to_vec();
    let now = Timestamp::now();
    let rows = approvals.iter().map(|approval| {
        let card = parse_stored_card(approval);
        let what = card.as_ref().map_or_else(|| "?".to_owned(), card_summary);
        let why = card.as_ref().and_then(|card| card.why.first()).map(|finding| finding.reason.clone());
        vec![
            store.as_ref().map(|store| listed_id(approval, store)).unwrap_or_default(),
            elapsed_text(approval.asked_at, now),
            escape_line(approval.agent.as_str()),
            escape_line(&what),
            escape_line(&why.unwrap_or_default()),
        ]
    });
    for line in print::align_columns(&std::iter::once(head).chain(rows).collect::<Vec<_>>()) {
        print::stdout_line(line)?;
    }
    if line > 0 {
        ctx.print_note(format!("and {line} more in line: they are shown as these are answered"));
    }
    ctx.print_note("answer with: mayi inbox approve ID, mayi inbox deny ID, or mayi inbox watch");
    Ok(Exit::Done)
}

/// What a card is about: every access that is asked about.
fn card_summary(card: &Card) -> String {
    let all: Vec<String> =
        card.accesses.iter().map(|access| format!("{}({})", access.access, access.display)).collect();
    if all.is_empty() { card.tool_call.title.clone() } else { all.join(" and ") }
}

/// How long ago, in the largest unit that says something.
pub(super) fn elapsed_text(then: Timestamp, now: Timestamp) -> String {
    let seconds = now.duration_since(then).max(SignedDuration::ZERO).as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// What an answer has to say of the question that it is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IdMatch {
    /// All of its ID, as it was listed: an allow is of what was shown.
    FullId,
    /// Enough to find it: a denial allows nothing.
    PartialId,
}

/// The questions that `ids` name, each once.
fn find_approvals(
    store: &SqliteStore,
    ids: &[String],
    naming: IdMatch,
) -> Result<Vec<StoredApproval>, CliError> {
    let mut found: Vec<StoredApproval> = Vec::new();
    for id in ids {
        let one = find_approval(store, id, naming)?;
        if !found.iter().any(|other| other.id == one.id) {
            found.push(one);
        }
    }
    Ok(found)
}

/// The question that `id` names: as the list shows it.
fn find_approval(store: &SqliteStore, id: &str, naming: IdMatch) -> Result<StoredApproval, CliError> {
    let approvals = shown_approvals(store)?;
    let (name, sealed) = id.split_once('.').map_or((id, None), |(name, sealed)| (name, Some(sealed)));
    let found: Vec<&StoredApproval> = approvals.iter().filter(|of| is_named(of, name)).collect();
    let one = match found.as_slice() {
        [one] => (*one).clone(),
        [] => return Err(not_waiting_error(store, name)),
        _ => {
            return Err(CliError::usage(format!(
                "`{}` names several; write more of the ID",
                escape_line(id)
            )));
        }
    };
    match sealed {
        Some(sealed) if sealed.to_ascii_lowercase() != question_seal(&one, store) || sealed.is_empty() => {
            Err(CliError::new(
                Exit::Unanswered,
                format!(
                    "the call has changed since it was listed, or the ID is not whole; it is {} now: look at it again",
                    listed_id(&one, store)
                ),
            ))
        }
        None if naming == IdMatch::FullId => {
            Err(CliError::usage("write the whole ID, as `mayi inbox` lists it: it stands for what was shown"))
        }
        _ => Ok(one),
    }
}

fn is_named(approval: &StoredApproval, name: &str) -> bool {
    let whole = approval.id.to_string();
    let plain: String = whole.chars().filter(|c| *c != '-').collect();
    whole == name || (name.len() >= 4 && plain.ends_with(&name.to_ascii_lowercase()))
}

/// Says what became of a question that does not wait any more.
fn not_waiting_error(store: &dyn Store, name: &str) -> CliError {
    let settled = store.query_approvals(&ApprovalQuery::default()).unwrap_or_default();
    match settled.iter().rev().find(|of| is_named(of, name)) {
        Some(approval) => CliError::usage(format!(
            "already settled by {}: {}",
            escape_line(approval.by.as_deref().unwrap_or("mayi")),
            approval.state.as_str()
        )),
        None => CliError::usage(format!(
            "nothing that waits has the ID `{}`; `mayi inbox` lists what does",
            escape_line(name)
        )),
    }
}

fn open_for_change(ctx: &Context) -> Result<WritableStore, CliError> {
    memory::open_for_changes(ctx)?.ok_or_else(|| CliError::usage("nothing is waiting"))
}

fn approve_question(args: &ApproveArgs, ctx: &Context) -> Result<Exit, CliError> {
    let kept = open_for_change(ctx)?;
    person::require_answerer(&*kept.store)?;
    let approvals = find_approvals(&kept.store, &args.ids, IdMatch::FullId)?;
    let level = args.level.map(Level::from);
    let (option, scope, patterns) = if args.for_session {
        (choice::ALLOW_SESSION, RememberScope::Session, Vec::new())
    } else if !args.always.is_empty() {
        (choice::ALLOW_ALWAYS, RememberScope::User, args.always.clone())
    } else if !args.workspace.is_empty() {
        (choice::ALLOW_ALWAYS, RememberScope::Workspace, args.workspace.clone())
    } else if level.is_some() {
        (choice::ALLOW_ALWAYS, RememberScope::Workspace, Vec::new())
    } else {
        if args.expires_in.is_some() || args.uses.is_some() {
            return Err(CliError::usage(
                "a limit needs something that is remembered: --for-session, --workspace, --level or --always",
            ));
        }
        (choice::ALLOW_ONCE, RememberScope::Session, Vec::new())
    };
    let remembers = option != choice::ALLOW_ONCE;
    let remember = remembers.then(|| Remember {
        expires_in: duration_text(args.expires_in),
        uses: args.uses,
        level,
        ..Remember::of_patterns(scope, patterns)
    });
    let said = match option {
        choice::ALLOW_ONCE => "allowed once",
        choice::ALLOW_SESSION => "allowed for its session",
        _ => "allowed, and remembered",
    };
    match approvals.as_slice() {
        [approval] if args.alike => alike::answer_alike(kept, approval, option, None, args.yes),
        [approval] => answer_question(kept, approval, option, remember, None, said),
        _ if args.alike || remembers => Err(CliError::usage(
            "several IDs are allowed once each: what is remembered, and what is alike, is said of one",
        )),
        several => alike::answer_named(kept, several, option, None),
    }
}

/// A time limit as answers have it.
fn duration_text(limit: Option<Duration>) -> Option<String> {
    limit.and_then(|time| SignedDuration::try_from(time).ok()).map(|time| time.to_string())
}

fn deny_question(args: &DenyArgs, ctx: &Context) -> Result<Exit, CliError> {
    let kept = open_for_change(ctx)?;
    person::require_answerer(&*kept.store)?;
    let approvals = find_approvals(&kept.store, &args.ids, IdMatch::PartialId)?;
    let reason = args.reason.as_deref();
    let remember = args.remember.map(|scope| Remember {
        expires_in: duration_text(args.expires_in),
        ..Remember::of_patterns(scope.into(), args.pattern.clone())
    });
    let said = if remember.is_some() { "denied, and remembered" } else { "denied" };
    match approvals.as_slice() {
        [approval] if args.alike => alike::answer_alike(kept, approval, choice::DENY, reason, args.yes),
        [approval] => answer_question(kept, approval, choice::DENY, remember, args.reason.clone(), said),
        _ if args.alike || remember.is_some() => Err(CliError::usage(
            "several IDs are denied once each: what is remembered, and what is alike, is said of one",
        )),
        several => alike::answer_named(kept, several, choice::DENY, reason),
    }
}

fn answer_question(
    kept: WritableStore,
    approval: &StoredApproval,
    option: &str,
    remember: Option<Remember>,
    reason: Option<String>,
    said: &str,
) -> Result<Exit, CliError> {
    let Some(card) = parse_stored_card(approval) else {
        return Err(CliError::usage("another version of mayi asks this: answer it there"));
    };
    let response = ApprovalResponse { remember, reason, ..ApprovalResponse::pick(&card, option) };
    let remote = RemoteQuestions::new(kept.store, Arc::new(kept.writer));
    match remote.answer(response, NAME) {
        Ok(()) => {
            print::stderr_line(format!(
                "{said}: {} ({})",
                escape_line(&card_summary(&card)),
                escape_line(&card.agent_name)
            ));
            Ok(Exit::Done)
        }
        Err(error) => Err(CliError::new(Exit::Unanswered, escape_line(&error.to_string()))),
    }
}

#[cfg(unix)]
async fn watch_questions(ctx: &Context) -> Result<Exit, CliError> {
    use crate::surface::{BackgroundState, Screen, TerminalSurface};
    use mayi_core::store::Surfaces;

    let loaded = ctx.load()?;
    let kept = memory::open(ctx, &loaded)?;
    person::require_answerer(&*kept.store)?;
    let screen = Screen::new(ctx.is_stderr_colored(), true);
    ctx.print_note("waiting for questions; Ctrl-C ends it, and leaves them waiting");
    let surface = TerminalSurface::open(screen, ctx.is_stderr_colored(), BackgroundState::Waits)
        .map_err(|error| CliError::usage(format!("the terminal can't be opened: {error}")))?;
    // Whoever has to know whether somebody could answer sees it from here on.
    let _open = Surfaces::in_folder(kept.store.folder())?;
    let remote = Arc::new(RemoteQuestions::new(kept.store, Arc::new(kept.writer)));
    let (over, mut ended) = tokio::sync::mpsc::unbounded_channel();
    let closer = surface.closer();
    let serving = surface.serve(remote, move || {
        let _ = over.send(());
    });
    let result = tokio::select! {
        result = serving => result,
        _ = ended.recv() => Ok(()),
        _ = tokio::signal::ctrl_c() => Ok(()),
    };
    let _ = tokio::task::spawn_blocking(move || closer.close()).await;
    match result {
        Ok(()) => Ok(Exit::Done),
        Err(error) if error.kind() == std::io::ErrorKind::Interrupted => Ok(Exit::Interrupted),
        Err(error) => Err(CliError::internal(format!("the terminal is gone: {error}"))),
    }
}

#[cfg(not(unix))]
async fn watch_questions(_: &Context) -> Result<Exit, CliError> {
    Err(CliError::usage(person::ELSEWHERE))
}
