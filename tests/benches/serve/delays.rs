//! One question after the other: from the agent to a client, and the answer back.

use std::collections::HashMap;

use crate::asking::Asking;
use crate::backend::Backend;
use crate::client::PATIENCE;
use crate::common::Outcome;
use crate::{Bench, between, line, now};

/// The first ones warm up, and do not count.
const WARM: usize = 20;

/// Between an answer and the next question: what the last one has left to be done is over then.
const PAUSE_US: usize = 5_000;

pub(crate) async fn measure(bench: &Bench) -> Outcome<()> {
    if !bench.options.wants("delays") {
        return Ok(());
    }
    let rounds = bench.options.rounds(1000, 200);
    let agent = Asking::new(&bench.machine.at("noted")?, "asking", WARM + rounds, 1, PAUSE_US);
    let backend = Backend::start(bench, "delays", std::slice::from_ref(&agent))?;
    let client = backend.client("editor").await?;
    let mut events = client.events().await?;
    client.open(&agent.name, "one", &bench.machine.work).await?;
    client.prompt("one").await?;
    // When its card was there and when its answer was sent, by call.
    let mut seen: HashMap<String, [u64; 2]> = HashMap::new();
    let mut over = false;
    while !over {
        let batch = tokio::time::timeout(PATIENCE, events.next()).await?.ok_or("the backend is gone")??;
        let there = now()?;
        for event in batch.events {
            over |= event.kind == "turn-ended";
            if event.kind != "approval-request" {
                continue;
            }
            let call = event.call().ok_or("a card without a call")?.to_owned();
            let (Some(approval), Some(digest)) = (&event.approval_id, &event.digest) else {
                return Err("a card without an id".into());
            };
            let sent = now()?;
            client.answer(approval, digest, "allow_once").await?;
            seen.insert(call, [there, sent]);
        }
    }
    let (mut to, mut back) = (Vec::new(), Vec::new());
    for noted in agent.noted()?.iter().skip(WARM) {
        let [there, sent] = seen.get(&noted.call).ok_or("a card was lost")?;
        to.push(between(noted.asked, *there)?);
        back.push(between(*sent, noted.answered)?);
    }
    println!("\ndelays: one agent, one client, 30 rules, record on");
    println!("{}", line("from the agent's request to the client's approval-request", &to));
    println!("{}", line("from the client's approval/respond to the agent's answer", &back));
    Ok(())
}
