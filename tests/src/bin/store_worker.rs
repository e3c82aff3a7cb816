//! A process of its own that uses a store: what several processes do to one record, and what is left when one of
//! them is killed, can't be seen from within one.
//!
//! usage: `store_worker FOLDER WHAT`, where WHAT is one of
//!
//! | what | |
//! |---|---|
//! | `append NAME COUNT` | commits COUNT decisions, two entries each, with numbers from 1; each number is told once it is committed |
//! | `spend` | tries to use every grant once, each together with an entry; tells the ids of those that it could use |
//! | `stay NAME COUNT` | the same, and goes on to live until its input ends |
//! | `own` | asks one question, tells its id, and goes on to live |
//! | `read` | tells how many entries there are, and what is wrong with them |
//!
//! Behind them, `power` makes commits survive a failure of the power, with `silent` no number is told, and `limit BYTES` is what
//! the database may grow to.
//!
//! It says `ready` once the store is open, and begins when a line comes on standard input; what goes wrong is the last
//! line, after `error: `. Each line is one write: what was told before a kill was told.

use std::io::{self, BufRead, Write};
use std::path::Path;

use jiff::Timestamp;
use mayi_core::approval::{ApprovalId, State};
use mayi_core::call::{AgentId, SessionId, digest_of};
use mayi_core::policy::Effect;
use mayi_core::record::{CallId, Entry, Kind};
use mayi_core::store::{
    Change, Conflict, Durability, EntryQuery, GrantQuery, Limits, Options, Owner, SqliteStore, Store,
    StoreError, StoredApproval,
};
use serde_json::json;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() {
    if let Err(error) = run() {
        // Whoever started this one may be gone.
        let _ = tell(&format!("error: {error}"));
        std::process::exit(1);
    }
}

fn run() -> Outcome<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let [folder, what @ ..] = words.as_slice() else { return Err("which folder?".into()) };
    let option = |option: &str| what.contains(&option);
    let durability = if option("power") { Durability::Power } else { Durability::Process };
    let limit =
        what.iter().skip_while(|word| **word != "limit").nth(1).map(|bytes| bytes.parse()).transpose()?;
    let limits = limit.map(|max_bytes| Limits { max_bytes, ..Limits::default() });
    let options = Options { durability, limits, ..Options::default() };
    let folder = Path::new(folder);
    if *what == ["read"] {
        return read(folder, options);
    }
    let store = SqliteStore::open(folder, options)?;
    tell("ready")?;
    io::stdin().lock().read_line(&mut String::new())?;
    match what {
        ["append", name, count, ..] => append(&store, name, count.parse()?, option("silent")),
        ["stay", name, count, ..] => {
            append(&store, name, count.parse()?, option("silent"))?;
            tell("written")?;
            io::stdin().lock().read_line(&mut String::new())?;
            Ok(())
        }
        ["spend"] => spend(&store),
        ["own"] => own(&store),
        _ => Err("what to do?".into()),
    }
}

/// One line, in one write.
fn tell(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(format!("{line}\n").as_bytes())?;
    out.flush()
}

fn append(store: &SqliteStore, name: &str, count: u64, silent: bool) -> Outcome<()> {
    for number in 1..=count {
        store.commit(decision(name, number))?;
        if !silent {
            tell(&number.to_string())?;
        }
    }
    Ok(())
}

/// What the gate commits for a call that it allows: it was proposed, and it was decided.
fn decision(name: &str, number: u64) -> Vec<Change> {
    let (at, call) = (Timestamp::now(), CallId::new());
    let entry = |kind, effect, detail| Entry {
        call: Some(call),
        session: Some(SessionId("session-1".to_owned())),
        agent: Some(AgentId::from_name("claude")),
        workspace: Some("/home/me/work".to_owned()),
        effect,
        access: Some("shell(cargo test --workspace)".to_owned()),
        ..Entry::new(at, kind, detail)
    };
    let proposed = json!({ "worker": name, "number": number, "preview": "x".repeat(400) });
    let decided = json!({ "worker": name, "number": number, "trail": "y".repeat(500) });
    vec![
        Change::Append(entry(Kind::Proposed, None, proposed)),
        Change::Append(entry(Kind::Decided, Some(Effect::Allow), decided)),
    ]
}

fn spend(store: &SqliteStore) -> Outcome<()> {
    for grant in store.query_grants(&GrantQuery::default())? {
        let at = Timestamp::now();
        let entry = Entry::new(at, Kind::Decided, json!({ "grant": grant.id }));
        match store.commit(vec![Change::Use { id: grant.id, at }, Change::Append(entry)]) {
            Ok(()) => tell(&grant.id.to_string())?,
            Err(StoreError::Conflict(Conflict::Ended(_))) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn own(store: &SqliteStore) -> Outcome<()> {
    let owner = Owner::this_process();
    store.attach_owner(&owner)?;
    let asked = StoredApproval {
        id: ApprovalId::new(),
        owner: owner.id,
        agent: AgentId::from_name("claude"),
        session: SessionId("session-1".to_owned()),
        workspace: None,
        digest: digest_of(&json!("what is asked")),
        card: json!({}),
        state: State::Pending,
        asked_at: Timestamp::now(),
        settled_at: None,
        by: None,
        reason: None,
    };
    let id = asked.id;
    store.commit(vec![Change::Ask(Box::new(asked))])?;
    tell(&id.to_string())?;
    io::stdin().lock().read_line(&mut String::new())?;
    Ok(())
}

fn read(folder: &Path, options: Options) -> Outcome<()> {
    let Some(store) = SqliteStore::open_existing(folder, options)? else { return Ok(tell("nothing")?) };
    tell(&store.query_entries(&EntryQuery::default())?.len().to_string())?;
    for finding in store.verify_record(&mut |_, _| {})?.findings {
        tell(&finding.to_string())?;
    }
    Ok(())
}
