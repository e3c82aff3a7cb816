//! A program with a model loop of its own, and mayi within it: `cargo run -p mayi-core --example host 'rm -rf build'`.
//!
//! What is configured for the folder decides; what it asks about is asked on the terminal, and remembered for the session.
#![allow(clippy::print_stdout, reason = "it speaks to whoever tries it")]

use std::collections::BTreeMap;

use mayi_core::approval::{ApprovalResponse, Card, escape_line};
use mayi_core::call::{AgentId, Call, Dialect, Door, NamedDoor, SessionId, Surroundings, home_folder, shell};
use mayi_core::config::{FileKeeper, Sources, load};
use mayi_core::gate::{Asking, Gate, GateEvent, OnAsk, Session, Verdict};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cwd = std::env::current_dir()?.canonicalize()?;
    let sources = Sources::discover(&cwd, None);
    let policy = load(&sources)?.policy;
    let asking = Asking { on_ask: OnAsk::Prompt, limit: None };
    // `Gate::with_memory` is the same with a record, and answers that outlive the process.
    let gate = Gate::new(policy, asking, Box::new(FileKeeper::new(sources)));
    let session = Session {
        id: SessionId("chat-1".to_owned()),
        agent: AgentId::at_door(NamedDoor::Host, "example"),
        parent: None,
        roots: vec![cwd.clone()],
        cwd: cwd.clone(),
        mode: None,
    };
    gate.open_session(session.clone());
    let mut events = gate.subscribe();
    let surface = gate.clone();
    tokio::spawn(async move {
        while let Some(event) = events.recv().await {
            if let GateEvent::Asked(card) = event {
                let option = ask_person(&card);
                if let Err(refused) = surface.answer(ApprovalResponse::pick(&card, option), "terminal") {
                    println!("not taken: {refused}");
                }
            }
        }
    });
    let home = home_folder();
    for (number, line) in std::env::args().skip(1).enumerate() {
        let at = Surroundings {
            cwd: &cwd,
            roots: &session.roots,
            home: home.as_deref(),
            env: &BTreeMap::new(),
            dialect: Dialect::Bash,
        };
        let call = Call {
            tool_call_id: Some(number.to_string()),
            roots: session.roots.clone(),
            raw_input: serde_json::json!({ "command": line }),
            accesses: shell::line_accesses(&line, &at),
            ..Call::new(Door::Host, session.agent.clone(), session.id.clone(), cwd.clone())
        };
        match gate.submit(call, &[]).verdict().await {
            Verdict::Allowed(allowed) => println!("allowed by {}: run {line}", allowed.decided_by().as_str()),
            Verdict::Denied(refusal) => println!("tell the model: {}", refusal.reason),
            Verdict::Cancelled => println!("nobody wants to know any more"),
        }
    }
    Ok(())
}

/// One of the card's options, as a person picks it.
fn ask_person(card: &Card) -> &str {
    println!("May it? {}", escape_line(&card.tool_call.raw_input.to_string()));
    card.options.iter().enumerate().for_each(|(at, option)| println!("  {at}: {}", option.name));
    let mut typed = String::new();
    let read = std::io::stdin().read_line(&mut typed);
    let picked = read.ok().and_then(|_| typed.trim().parse::<usize>().ok());
    picked.and_then(|at| card.options.get(at)).map_or("deny", |option| option.option_id.as_str())
}
