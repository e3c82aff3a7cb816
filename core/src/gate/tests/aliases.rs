//! One agent under several names (D1.20), where answers are remembered and doors leave each other passes.

use super::memory::{Kept, remembering, writer};
use super::*;
use crate::call::{McpAccess, ServerId};
use crate::store::{Owner, Store};

/// A process of its own, in which `agent` works in the session `t`.
fn of(kept: &Kept, agent: &str) -> Gate {
    let gate = kept.gate();
    enter(&gate, agent);
    gate
}

fn enter(gate: &Gate, agent: &str) {
    gate.open_session(Session { agent: AgentId::from_name(agent), ..session("t", None) });
}

fn by(agent: &str, call: Call) -> Call {
    Call { agent: AgentId::from_name(agent), session: SessionId("t".into()), ..call }
}

/// A denial that is remembered "holds for all aliases at every door"; an allow is "only for the way of starting it that it was
/// given to". Attack 370.
#[tokio::test]
async fn given_a_remembered_answer_then_a_denial_holds_for_every_name_and_an_allow_for_one() {
    let kept = Kept::new();
    let first = of(&kept, "claude");
    for (id, line, option) in [("1", "make", choice::ALLOW_ALWAYS), ("2", "rm x", choice::DENY)] {
        let ticket = first.submit(by("claude", run(id, line)), &[]);
        let remember = Remember::of_patterns(RememberScope::Workspace, vec![format!("shell({line})")]);
        first.answer(remembering(&first, &ticket, option, remember), "test").unwrap();
    }
    // What it was given to: in another process too.
    let again = of(&kept, "claude");
    let mut ticket = again.submit(by("claude", run("3", "make")), &[]);
    assert!(matches!(ticket.at_once(), Some(Verdict::Allowed(_))));
    for agent in ["Claude Code", "claude-code", "mcp:claude", "mcp:claude-code", "responses:claude"] {
        let gate = of(&kept, agent);
        let mut asked = gate.submit(by(agent, run("4", "make")), &[]);
        assert!(asked.at_once().is_none(), "{agent}");
        let mut denied = gate.submit(by(agent, run("5", "rm x")), &[]);
        assert!(matches!(denied.at_once(), Some(Verdict::Denied(_))), "{agent}");
    }
    for agent in ["codex", "mcp", "mcp:codex", "command:0123456789abcdef"] {
        let gate = of(&kept, agent);
        for line in ["make", "rm x"] {
            assert!(gate.submit(by(agent, run("6", line)), &[]).at_once().is_none(), "{agent}");
        }
    }
}

/// Answers to a client at the gateway are the client's: for the session, for the folder, and for no other name. Attack 370.
#[tokio::test]
async fn given_an_answer_to_a_client_then_it_is_remembered_for_the_client_alone() {
    let kept = Kept::new();
    let gate = of(&kept, "mcp:claude");
    let ticket = gate.submit(by("mcp:claude", run("1", "make")), &[]);
    let remember = Remember::of_patterns(RememberScope::Workspace, vec!["shell(make)".to_owned()]);
    gate.answer(remembering(&gate, &ticket, choice::ALLOW_ALWAYS, remember), "test").unwrap();
    for (agent, runs) in [("mcp:claude", true), ("claude", false), ("mcp", false), ("mcp:codex", false)] {
        let gate = of(&kept, agent);
        let mut ticket = gate.submit(by(agent, run("2", "make")), &[]);
        assert_eq!(matches!(ticket.at_once(), Some(Verdict::Allowed(_))), runs, "{agent}");
    }
}

fn github() -> ServerId {
    ServerId::from_launch(&json!({"command": ["github"]}))
}

fn issue(agent: &str, door: Door) -> Call {
    let readings = vec![("gh".to_owned(), "issue".to_owned())];
    let access = Access::Mcp(McpAccess::new(readings, json!({}), Path::new("/w")));
    Call { door, server: Some(github()), ..by(agent, call("1", access)) }
}

async fn passes(kept: &Kept, agent: &str) -> bool {
    let gate = of(kept, agent);
    let ticket = gate.submit_as(issue(agent, Door::Mcp), &[], OnAsk::Deny);
    matches!(ticket.verdict().await, Verdict::Allowed(authorized) if authorized.decided_by() == DecidedBy::Covered)
}

/// A pass is for the agent that was asked about, under whichever name its own settings have for it: but only for a gateway
/// that it started, not for whoever calls itself so. Attacks 122, 370.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn given_a_pass_then_nobody_takes_it_by_a_name() {
    for (pid, takes) in [(std::process::id(), false), (std::os::unix::process::parent_id(), true)] {
        let kept = Kept::new();
        // The process that ran the agent: this one, or the one that started this one.
        let store: Arc<dyn Store> = kept.store.clone();
        let memory = Memory::attach_owner(Owner { pid, ..Owner::this_process() }, store, writer()).unwrap();
        let asking = Asking { on_ask: OnAsk::Wait, limit: None };
        let first = Gate::with_memory(Policy::default(), asking, Box::new(NoPersistence), memory);
        enter(&first, "claude");
        first.set_own_servers(&SessionId("t".into()), vec![("gh".to_owned(), github())]);
        let ticket = first.submit(issue("claude", Door::AcpPermission), &[]);
        answer(&first, &ticket, choice::ALLOW_ONCE).unwrap();
        for agent in ["mcp", "mcp:codex", "mcp:claude-desktop"] {
            assert!(!passes(&kept, agent).await, "{agent}");
        }
        assert_eq!(passes(&kept, "mcp:claude-code").await, takes, "{pid}");
        assert!(!takes || !passes(&kept, "mcp:claude-code").await, "once");
    }
}
