//! What outlives the process: the record before the effect, grants with limits, answers of others.

use super::*;
use crate::call::{Category, McpAccess, ServerId};
use crate::grant::{Grant, Scope};
use crate::policy::{Approval, Level, ServerSettings, ToolSettings};
use crate::record::{Kind, Recorded, Redactor};
use crate::store::{
    ApprovalQuery, Change, Durability, EntryQuery, GrantQuery, Options, Order, SqliteStore, Store,
    StoredGrant,
};
use crate::writer::EntryWriter;

pub(super) struct Kept {
    pub(super) folder: tempfile::TempDir,
    pub(super) store: Arc<SqliteStore>,
}

pub(super) fn writer() -> EntryWriter {
    EntryWriter::new(b"key".to_vec(), Redactor::of_environment([]).unwrap())
}

pub(super) fn options() -> Options {
    Options { durability: Durability::Process, busy: Duration::from_millis(300), ..Options::default() }
}

impl Kept {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(&folder.path().join("mayi"), options()).unwrap());
        Self { folder, store }
    }

    /// Another process of the same user, as far as the store can tell.
    pub(super) fn gate(&self) -> Gate {
        let store = Arc::new(SqliteStore::open(&self.folder.path().join("mayi"), options()).unwrap());
        self.gate_on(store)
    }

    pub(super) fn gate_on(&self, store: Arc<dyn Store>) -> Gate {
        let memory = Memory::attach(store, writer()).unwrap();
        let asking = Asking { on_ask: OnAsk::Wait, limit: None };
        let gate = Gate::with_memory(Policy::default(), asking, Box::new(NoPersistence), memory);
        gate.open_session(session("s", None));
        gate
    }

    pub(super) fn entries(&self) -> Vec<Recorded> {
        self.store.query_entries(&EntryQuery { order: Order::OldestFirst, ..EntryQuery::default() }).unwrap()
    }

    pub(super) fn kinds(&self) -> Vec<Kind> {
        self.entries()
            .into_iter()
            .map(|recorded| recorded.entry.kind)
            .filter(|kind| *kind != Kind::Config)
            .collect()
    }
}

pub(super) fn remembering(
    gate: &Gate,
    ticket: &Ticket,
    option: &str,
    remember: Remember,
) -> ApprovalResponse {
    ApprovalResponse { remember: Some(remember), ..pick(gate, ticket, option) }
}

/// D7.6: Entries: proposed, decided, asked, answered, ..., and an allow is on disk before
/// the agent hears of it.
#[tokio::test]
async fn given_a_store_then_every_step_is_written_before_the_verdict() {
    let kept = Kept::new();
    let gate = kept.gate();
    let allowed = gate.submit(call("1", Access::Read(PathAccess::new(Path::new("/w"), "a"))), &[]);
    assert_eq!(kept.kinds(), [Kind::Proposed, Kind::Decided]);
    assert!(matches!(allowed.verdict().await, Verdict::Allowed(_)));
    let asked = gate.submit(run("2", "make"), &[]);
    assert_eq!(kept.kinds()[2..], [Kind::Proposed, Kind::Decided, Kind::Asked]);
    answer(&gate, &asked, choice::ALLOW_ONCE).unwrap();
    assert_eq!(kept.kinds()[5..], [Kind::Answered]);
    // An agent may say so more than once.
    gate.report_started(&SessionId("s".into()), "2");
    gate.report_started(&SessionId("s".into()), "2");
    gate.report_finished(&SessionId("s".into()), "2", "completed");
    assert_eq!(kept.kinds()[6..], [Kind::Started, Kind::Finished]);
    let entries = kept.entries();
    let calls: Vec<_> = entries.iter().filter_map(|recorded| recorded.entry.call).collect();
    assert_eq!(calls.len(), 8, "every entry belongs to a call");
    assert!(calls[2..].iter().all(|id| *id == calls[2]) && calls[0] != calls[2]);
    drop(asked);
}

/// Nobody waits for it, and nothing that is written later overtakes it.
#[tokio::test]
async fn given_a_call_that_is_carried_out_then_its_begin_and_end_are_written_in_order() {
    let kept = Kept::new();
    let gate = kept.gate();
    let read = |id| gate.submit(call(id, Access::Read(PathAccess::new(Path::new("/w"), "a"))), &[]);
    let carried = async |id| {
        let Verdict::Allowed(authorized) = read(id).verdict().await else { panic!() };
        gate.begin_execution(&authorized).finish("completed");
    };
    let one = [Kind::Proposed, Kind::Decided, Kind::Started, Kind::Finished];
    carried("1").await;
    // What is written next takes it along.
    drop(read("2"));
    assert_eq!(kept.kinds(), [&one[..], &one[..2]].concat());
    carried("3").await;
    // At the latest when mayi ends, whatever the time.
    gate.shut_down();
    assert_eq!(kept.kinds()[6..], one);
}

/// A moment later it is written, also where nothing else is.
#[tokio::test]
async fn given_a_call_that_goes_on_then_its_begin_is_written_soon() {
    let kept = Kept::new();
    let gate = kept.gate();
    let ticket = gate.submit(call("1", Access::Read(PathAccess::new(Path::new("/w"), "a"))), &[]);
    let Verdict::Allowed(authorized) = ticket.verdict().await else { panic!() };
    let carrying = gate.begin_execution(&authorized);
    let begin = std::time::Instant::now();
    while kept.kinds().last() != Some(&Kind::Started) {
        assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", kept.kinds());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    carrying.finish("completed");
}

/// Full disk, read-only folder, locked or damaged database: the call is denied with
/// a clear reason, the agent gets its answer, nothing runs unrecorded.
#[tokio::test]
async fn given_a_record_that_cannot_be_written_then_nothing_runs_and_the_reason_is_told() {
    let kept = Kept::new();
    let gate = kept.gate();
    let asked = gate.submit(run("0", "make"), &[]);
    let database = kept.folder.path().join("mayi/store.db");
    std::fs::rename(&database, kept.folder.path().join("away")).unwrap();
    std::fs::write(&database, b"this is no database at all, and never was one").unwrap();
    let read = gate.submit(call("1", Access::Read(PathAccess::new(Path::new("/w"), "a"))), &[]);
    let Verdict::Denied(refusal) = read.verdict().await else { panic!("it ran unrecorded") };
    assert!(refusal.reason.contains("nothing runs that can't be recorded"), "{}", refusal.reason);
    let command = gate.submit(run("2", "make test"), &[]);
    assert!(matches!(command.verdict().await, Verdict::Denied(_)), "nor is anybody asked");
    let error = answer(&gate, &asked, choice::ALLOW_ONCE).unwrap_err();
    assert!(matches!(error, AnswerError::Store(_)), "{error}");
    assert_eq!(gate.waiting_cards().len(), 1, "an answer that was not written down is none");
    // A cancelled turn needs no record to be over.
    gate.cancel_turn(&SessionId("s".into()));
    assert!(matches!(asked.verdict().await, Verdict::Cancelled));
}

/// D6.13: Scopes once, session, workspace, user: one for the workspace counts in later
/// sessions there, for this agent, and nowhere else.
#[tokio::test]
async fn given_a_grant_for_the_workspace_then_later_processes_have_it_there_alone() {
    let kept = Kept::new();
    let first = kept.gate();
    let asked = first.submit(run("1", "make"), &[]);
    let remember = Remember::of_patterns(RememberScope::Workspace, vec!["shell(make *)".into()]);
    first.answer(remembering(&first, &asked, choice::ALLOW_ALWAYS, remember), "test").unwrap();
    assert!(matches!(asked.verdict().await, Verdict::Allowed(_)));
    drop(first);
    let second = kept.gate();
    let again = second.submit(run("1", "make test"), &[]);
    assert!(matches!(again.verdict().await, Verdict::Allowed(_)));
    let mut elsewhere = run("2", "make test");
    elsewhere.roots = vec![PathBuf::from("/other")];
    assert!(second.submit(elsewhere, &[]).approval_id().is_some());
    let mut other = run("3", "make test");
    other.agent = AgentId::from_name("b");
    assert!(second.submit(other, &[]).approval_id().is_some());
    assert!(second.submit(run("4", "rm make"), &[]).approval_id().is_some());
}

/// D6.14: time and use limits; a use is spent per call, in one transaction with the answer.
/// Attack 17.
#[tokio::test]
async fn given_a_grant_with_two_uses_then_two_processes_have_two_between_them() {
    let kept = Kept::new();
    let (first, second) = (kept.gate(), kept.gate());
    let asked = first.submit(run("1", "make"), &[]);
    let remember = Remember {
        uses: Some(2),
        ..Remember::of_patterns(RememberScope::Workspace, vec!["shell(make *)".into()])
    };
    first.answer(remembering(&first, &asked, choice::ALLOW_ALWAYS, remember), "test").unwrap();
    drop(asked);
    let mut allowed = 0;
    for (at, gate) in [&first, &second, &first, &second, &first].into_iter().enumerate() {
        let ticket = gate.submit(run(&format!("n{at}"), "make x"), &[]);
        if ticket.approval_id().is_none() && matches!(ticket.verdict().await, Verdict::Allowed(_)) {
            allowed += 1;
        }
    }
    assert_eq!(allowed, 2);
    let grants = kept.store.query_grants(&GrantQuery::default()).unwrap();
    assert_eq!((grants[0].uses_left, grants[0].used), (Some(0), 2));
}

/// Grants ... revocable: what another process ends is over for the next call.
#[tokio::test]
async fn given_a_grant_that_another_process_revokes_then_the_next_call_is_asked_about() {
    let kept = Kept::new();
    let gate = kept.gate();
    let asked = gate.submit(run("1", "make"), &[]);
    answer(&gate, &asked, choice::ALLOW_SESSION).unwrap();
    assert!(gate.submit(run("2", "make"), &[]).approval_id().is_none());
    let at = Timestamp::now();
    let grants = kept.store.query_grants(&GrantQuery { live_at: Some(at), ..GrantQuery::default() }).unwrap();
    assert!(!grants.is_empty() && grants.iter().all(|grant| grant.scope == Scope::Session));
    let end = grants.iter().map(|grant| Change::Revoke { id: grant.id, at }).collect();
    kept.store.commit(end).unwrap();
    assert!(gate.submit(run("3", "make"), &[]).approval_id().is_some());
    drop(asked);
}

/// D4.4: A live remembered denial is a deny finding, also for what a command touches.
#[tokio::test]
async fn given_a_remembered_denial_then_it_denies_whatever_else_speaks() {
    let kept = Kept::new();
    let gate = kept.gate();
    let asked = gate.submit(write("1", "/w/secret.txt", "x"), &[]);
    let remember = Remember::of_patterns(RememberScope::Workspace, vec!["write(/w/secret.txt)".into()]);
    gate.answer(remembering(&gate, &asked, choice::DENY, remember), "test").unwrap();
    drop(asked);
    let other = kept.gate();
    other.set_mode(&SessionId("s".into()), Mode::Auto);
    let whole = |id: &str, line: &str| Call {
        accesses: shell::line_accesses(line, &Surroundings::new(Path::new("/w"), &[])),
        ..run(id, line)
    };
    for call in
        [write("2", "/w/secret.txt", "y"), whole("3", "tee secret.txt"), whole("4", "cp a secret.txt")]
    {
        let ticket = other.submit(call, &[]);
        assert!(matches!(ticket.verdict().await, Verdict::Denied(_)));
    }
    assert!(matches!(other.submit(write("5", "/w/b.txt", "y"), &[]).verdict().await, Verdict::Allowed(_)));
}

/// Seed 3 and D4.15: a level that was granted to a server covers its tools of that category.
#[tokio::test]
async fn given_a_level_then_it_is_only_for_a_tool_of_a_server() {
    let kept = Kept::new();
    let gate = kept.gate();
    let asked = gate.submit(run("1", "make"), &[]);
    let remember =
        Remember { level: Some(Level::Read), ..Remember::of_patterns(RememberScope::Session, Vec::new()) };
    let refused = gate.answer(remembering(&gate, &asked, choice::ALLOW_SESSION, remember), "test");
    assert!(matches!(refused, Err(AnswerError::Remember(_))));
    assert_eq!(gate.waiting_cards().len(), 1);
    drop(asked);
}

/// The same: the card offers the levels that would let the call through, and no others are taken. One is kept for the
/// folder, for this server alone.
#[tokio::test]
async fn given_a_level_for_a_folder_then_the_tools_of_that_category_are_not_asked_about() {
    let mut policy = Policy::default();
    let tool = |category| ToolSettings { approval: Approval::Default, category: Some(category) };
    let tools = [("get", Category::Read), ("put", Category::Write)];
    for server in ["s", "u"] {
        let tools = tools.into_iter().map(|(name, category)| (name.to_owned(), tool(category))).collect();
        let settings =
            ServerSettings { approval: Some(Approval::Required), tools, ..ServerSettings::default() };
        policy.servers.insert(server.into(), settings);
    }
    let kept = Kept::new();
    let open = || {
        let gate = kept.gate();
        gate.replace_policy(policy.clone());
        gate.set_own_servers(
            &SessionId("s".into()),
            ["s", "u"]
                .map(|name| (name.to_owned(), ServerId::from_launch(&serde_json::json!(name))))
                .to_vec(),
        );
        gate
    };
    let uses = |id: &str, server: &str, tool: &str| {
        let readings = vec![(server.to_owned(), tool.to_owned())];
        call(id, Access::Mcp(McpAccess::new(readings, Value::Null, Path::new("/w"))))
    };
    let first = open();
    let asked = first.submit(uses("1", "s", "put"), &[]);
    assert_eq!(first.waiting_cards()[0].levels, [Level::Write, Level::All]);
    let level = |level| Remember {
        level: Some(level),
        ..Remember::of_patterns(RememberScope::Workspace, Vec::new())
    };
    let refused = first.answer(remembering(&first, &asked, choice::ALLOW_ALWAYS, level(Level::Read)), "test");
    assert!(matches!(refused, Err(AnswerError::Remember(_))), "{refused:?}");
    let given = remembering(&first, &asked, choice::ALLOW_ALWAYS, level(Level::Write));
    let resolved = first.answer(given, "test").unwrap();
    assert_eq!(resolved.granted_permissions, ["s: write (workspace)"]);
    assert!(matches!(asked.verdict().await, Verdict::Allowed(_)));
    let next = open();
    for (id, server, tool, allowed) in [
        ("2", "s", "put", true),
        ("3", "s", "get", true),
        ("4", "s", "other", false),
        ("5", "u", "get", false),
    ] {
        let ticket = next.submit(uses(id, server, tool), &[]);
        assert_eq!(ticket.approval_id().is_none(), allowed, "{server}/{tool}");
    }
    let mut other = uses("6", "s", "get");
    other.roots = vec![PathBuf::from("/other")];
    assert!(next.submit(other, &[]).approval_id().is_some(), "another folder");
}

/// Pending approvals survive a killed mayi; on restart those whose agent is gone become `cancelled` with
/// reason `interrupted`, never allowed. Attack 17.
#[tokio::test]
async fn given_a_process_that_died_while_it_asked_then_its_question_is_cancelled_as_interrupted() {
    let kept = Kept::new();
    let dead = kept.gate();
    let asked = dead.submit(run("1", "make"), &[]);
    let id = asked.approval_id().unwrap();
    // Dropped without a word, as a killed process ends: the ticket and the gate go, nothing is settled.
    dead.lock().queue = super::super::queue::Queue::default();
    drop(dead.lock().ledger.detach_memory());
    let next = kept.gate();
    let query = ApprovalQuery { id: Some(id), ..ApprovalQuery::default() };
    let approval = kept.store.query_approvals(&query).unwrap().remove(0);
    assert_eq!(
        (approval.state, approval.reason.as_deref()),
        (crate::approval::State::Cancelled, Some("interrupted"))
    );
    assert!(kept.kinds().ends_with(&[Kind::Cancelled]));
    drop((next, asked));
}

/// `unasked` entries for tool calls that an agent ran without asking. Attack 24.
#[tokio::test]
async fn given_a_call_that_only_was_reported_then_it_is_in_the_record() {
    let kept = Kept::new();
    let gate = kept.gate();
    let mut reported = run("1", "make");
    reported.door = Door::AcpReported;
    let _ = gate.judge_reported(&reported, ReportedEnd::Ran);
    assert_eq!(kept.kinds(), [Kind::Unasked]);
}

/// Card, S2.10: history: how often the like was answered before.
#[tokio::test]
async fn given_answers_before_then_the_card_says_how_many() {
    let kept = Kept::new();
    let gate = kept.gate();
    for (id, option) in [("1", choice::ALLOW_ONCE), ("2", choice::ALLOW_ONCE), ("3", choice::DENY)] {
        let asked = gate.submit(run(id, "make"), &[]);
        answer(&gate, &asked, option).unwrap();
        drop(asked);
    }
    let asked = gate.submit(run("4", "make"), &[]);
    let history = gate.waiting_cards()[0].history.clone().unwrap();
    assert_eq!((history.allowed, history.denied), (2, 1));
    drop(asked);
}

/// D4.22: An error while judging is a deny finding with the error as its reason: a remembered answer that can't
/// be read may be a denial, so that nothing is allowed beside it, however often it is tried. Attack 112.
#[tokio::test]
async fn given_a_remembered_answer_that_cannot_be_read_then_every_call_is_denied_until_it_is_revoked() {
    let kept = Kept::new();
    let gate = kept.gate();
    let now = Timestamp::now();
    let broken = Grant {
        effect: Effect::Deny,
        scope: Scope::User,
        session: None,
        ..Grant::of_session(AgentId::from_name("a"), SessionId("s".into()))
    };
    let broken = gate.lock().ledger.memory().unwrap().to_stored_grant(&broken, now);
    let broken = StoredGrant { pattern: Some("shell(".into()), ..broken };
    let id = broken.id;
    kept.store.commit(vec![Change::Grant(Box::new(broken))]).unwrap();
    let read = |call_id: &str| call(call_id, Access::Read(PathAccess::new(Path::new("/w"), "a")));
    // Whatever looked at it before.
    let _ = gate.poll_store();
    for round in ["1", "2", "3"] {
        let ticket = gate.submit(read(round), &[]);
        let Verdict::Denied(refusal) = ticket.verdict().await else { panic!("allowed at try {round}") };
        assert!(refusal.reason.contains("mayi grants revoke"), "{}", refusal.reason);
        assert_eq!(refusal.decision.effect, Effect::Deny);
    }
    kept.store.commit(vec![Change::Revoke { id, at: now }]).unwrap();
    assert!(matches!(gate.submit(read("4"), &[]).verdict().await, Verdict::Allowed(_)));
}
