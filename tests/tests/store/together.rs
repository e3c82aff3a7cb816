//! Several processes at once.

use std::collections::HashSet;

use jiff::Timestamp;
use mayi_core::call::AgentId;
use mayi_core::grant::Scope;
use mayi_core::policy::Effect;
use mayi_core::store::{
    ApprovalQuery, Change, EntryQuery, GrantId, GrantQuery, Options, SqliteStore, Store, StoredGrant,
};

use super::{Data, verify, wrong};

/// D7.4: a MAC over itself and the entry before it: one chain, whoever writes.
#[test]
fn given_several_processes_that_append_at_once_then_the_chain_has_no_gap() {
    let data = Data::new();
    let names = ["a", "b", "c"];
    let mut workers: Vec<_> = names.iter().map(|name| data.worker(&["append", name, "150"])).collect();
    for worker in &mut workers {
        worker.begin();
    }
    for worker in workers {
        assert_eq!(worker.end().len(), 150);
    }
    let report = verify(&data.open());
    assert_eq!(wrong(&data.path()), [""; 0]);
    assert_eq!((report.entries, report.first, report.last), (900, Some(1), Some(900)));
    let pairs: Vec<u64> = (1..=150).flat_map(|number| [number, number]).collect();
    for name in names {
        assert_eq!(data.numbers(name), pairs, "{name}: its own entries are in its order");
    }
}

/// Attack 17: "two processes spend the last use": one wins, ten thousand times.
#[test]
fn given_two_processes_and_ten_thousand_grants_then_each_is_used_once() {
    const GRANTS: usize = 10_000;
    let data = Data::new();
    let store = data.open();
    let grant = || StoredGrant {
        id: GrantId::new(),
        effect: Effect::Allow,
        agent: AgentId::from_name("claude"),
        scope: Scope::User,
        owner: None,
        session: None,
        workspace: None,
        pattern: Some("shell(make)".to_owned()),
        fingerprint: None,
        level: None,
        server: None,
        scripts: Vec::new(),
        created_at: Timestamp::now(),
        expires_at: None,
        uses_left: Some(1),
        used: 0,
        used_at: None,
        revoked_at: None,
        approval: None,
    };
    store.commit((0..GRANTS).map(|_| Change::Grant(Box::new(grant()))).collect()).unwrap();
    let mut workers = [data.worker(&["spend"]), data.worker(&["spend"])];
    for worker in &mut workers {
        worker.begin();
    }
    // Both are read at once: one that can't tell does not go on.
    let [one, other] = workers.map(|worker| std::thread::spawn(|| worker.end()));
    let (one, other) = (one.join().unwrap(), other.join().unwrap());
    let spent: HashSet<&String> = one.iter().chain(&other).collect();
    assert_eq!((one.len() + other.len(), spent.len()), (GRANTS, GRANTS), "{} {}", one.len(), other.len());
    let grants = store.query_grants(&GrantQuery::default()).unwrap();
    assert!(grants.iter().all(|grant| grant.uses_left == Some(0) && grant.used == 1));
    assert_eq!(store.query_entries(&EntryQuery::default()).unwrap().len(), GRANTS);
    assert!(verify(&store).is_sound());
}

/// D6.16: Waiting approvals hold leases: a killed process counts as gone at once, without waiting for
/// its lease to end.
#[test]
fn given_a_process_that_is_killed_then_its_question_is_abandoned_at_once() {
    let data = Data::new();
    let store = data.open();
    let mut worker = data.worker(&["own"]);
    worker.begin();
    let id = worker.line().unwrap();
    let pending = ApprovalQuery { pending: true, ..ApprovalQuery::default() };
    assert_eq!(store.query_approvals(&pending).unwrap()[0].id.to_string(), id);
    assert_eq!(store.abandoned_approvals(Timestamp::now()).unwrap(), []);
    assert_eq!(store.live_owners(Timestamp::now()).unwrap().len(), 1);
    worker.kill();
    let abandoned = store.abandoned_approvals(Timestamp::now()).unwrap();
    assert_eq!(abandoned.iter().map(|asked| asked.id.to_string()).collect::<Vec<_>>(), [id]);
    assert_eq!(store.live_owners(Timestamp::now()).unwrap(), []);
}

/// Rule: "nobody hangs behind a stopped process for ever".
#[test]
fn given_a_process_that_is_stopped_while_it_writes_then_others_give_up_after_a_while() {
    let data = Data::new();
    let mut worker = data.worker(&["append", "a", "1000000"]);
    let busy = std::time::Duration::from_millis(300);
    let store = SqliteStore::open(&data.path(), Options { busy, ..Options::default() }).unwrap();
    let pid = rustix::process::Pid::from_child(&worker.child);
    worker.begin();
    let lock = std::fs::File::open(data.path().join("lock")).unwrap();
    // Stopped again and again, until it is stopped while it holds the lock.
    for _ in 0..10_000 {
        worker.line().unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
        if lock.try_lock_shared().is_err() {
            break;
        }
        lock.unlock().unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
    }
    let at = Timestamp::now();
    let error = store.commit(vec![Change::Revoke { id: GrantId::new(), at }]).unwrap_err();
    assert!(error.to_string().contains("is locked by another process"), "{error}");
    worker.kill();
    store.commit(vec![Change::Revoke { id: GrantId::new(), at }]).unwrap();
    assert!(verify(&store).is_sound());
}
