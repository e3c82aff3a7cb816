//! An app with a loop of its own: what asking adds to a call that a rule allows, and very many chats at once.

use std::time::Instant;

use futures::future::try_join_all;
use serde_json::{Value, json};

use crate::backend::Backend;
use crate::client::Client;
use crate::common::Outcome;
use crate::{Bench, figures, line, resident};

/// The first ones warm up, and do not count.
const WARM: usize = 50;

/// A rule of the configuration allows it.
const ALLOWED: &str = "cargo test --workspace --quiet -- --nocapture gate";

/// No rule is about it.
const ASKED: &str = "make deploy";

pub(crate) async fn measure(bench: &Bench) -> Outcome<()> {
    if !bench.options.wants("hosts") {
        return Ok(());
    }
    one(bench).await?;
    many(bench).await
}

/// One chat, one call after the other, beside a request of the same connection that asks for nothing to be decided.
async fn one(bench: &Bench) -> Outcome<()> {
    let rounds = bench.options.rounds(2000, 200);
    let backend = Backend::start(bench, "host", &[])?;
    let client = backend.client("app").await?;
    let key = open(bench, &client, 0).await?;
    let (mut asking, mut bare) = (Vec::new(), Vec::new());
    for at in 0..WARM + rounds {
        let begun = Instant::now();
        client.call("host/get", json!({ "key": key })).await?;
        let between = nanos(begun)?;
        let begun = Instant::now();
        ask(&client, &key, &format!("c-{at}"), ALLOWED).await?;
        if at >= WARM {
            asking.push(nanos(begun)?);
            bare.push(between);
        }
    }
    let added: Vec<i64> = asking.iter().zip(&bare).map(|(asking, bare)| asking - bare).collect();
    println!("\nhosts: one chat, one call after the other, allowed by a rule of 30, record on");
    println!("{}", line("host/ask until its answer", &asking));
    println!("{}", line("host/get until its answer, on the same connection", &bare));
    println!("{}", line("the one after the other: what deciding and recording add", &added));
    Ok(())
}

/// Many chats of one app, some with a question that waits, all asking for what is allowed.
async fn many(bench: &Bench) -> Outcome<()> {
    let (chats, waiting) = (bench.options.rounds(1000, 100), bench.options.rounds(100, 20));
    let calls = bench.options.rounds(4, 2);
    let backend = Backend::start(bench, "hosts", &[])?;
    let client = backend.client("app").await?;
    let [before, _] = resident::of(backend.process())?;
    let begun = Instant::now();
    let keys = try_join_all((0..chats).map(|at| open(bench, &client, at))).await?;
    let opened = nanos(begun)?;
    let [open, _] = resident::of(backend.process())?;

    for (at, key) in keys.iter().take(waiting).enumerate() {
        let outcome = request(&client, key, &format!("w-{at}"), ASKED, false).await?;
        if outcome.get("outcome").and_then(Value::as_str) != Some("asked") {
            return Err(format!("{ASKED} is not asked about: {outcome}").into());
        }
    }
    let [asked, _] = resident::of(backend.process())?;
    let mut times = Vec::new();
    for round in 0..calls {
        for key in &keys {
            let begun = Instant::now();
            ask(&client, key, &format!("m-{round}"), ALLOWED).await?;
            times.push(nanos(begun)?);
        }
    }
    let crowd = keys.iter().map(|key| async {
        let begun = Instant::now();
        ask(&client, key, "together", ALLOWED).await?;
        nanos(begun)
    });
    let together = try_join_all(crowd).await?;
    let [after, most] = resident::of(backend.process())?;
    println!(
        "\nhosts: {} chats of one app, {waiting} with a question that waits, record on",
        figures::grouped(chats)
    );
    println!("{}", line("all are opened, at once", &[opened]));
    println!("{}", line("host/ask until its answer, one chat after the other", &times));
    println!("{}", line("host/ask until its answer, all chats at once", &together));
    println!(
        "  memory of the backend: {} MiB before, {} MiB with all chats, {} MiB with all questions, {} MiB after, {} MiB at most",
        resident::mib(before),
        resident::mib(open),
        resident::mib(asked),
        resident::mib(after),
        resident::mib(most)
    );
    Ok(())
}

/// Opens a chat, and gives its key.
async fn open(bench: &Bench, client: &Client, at: usize) -> Outcome<String> {
    let wanted = json!({ "app": "bench", "chat": format!("chat-{at}"), "cwd": bench.machine.work });
    let session = client.call("host/open", wanted).await?;
    let key = session.get("key").and_then(Value::as_str).map(str::to_owned);
    key.ok_or_else(|| format!("a session without a key: {session}").into())
}

/// Asks for a call that is allowed without anybody.
async fn ask(client: &Client, key: &str, id: &str, command: &str) -> Outcome<()> {
    let outcome = request(client, key, id, command, true).await?;
    match outcome.get("outcome").and_then(Value::as_str) {
        Some("allowed") => Ok(()),
        _ => Err(format!("{command} is not allowed: {outcome}").into()),
    }
}

async fn request(client: &Client, key: &str, id: &str, command: &str, wait: bool) -> Outcome<Value> {
    let call = json!({ "kind": "shell", "command": command });
    client
        .call(
            "host/ask",
            json!({ "key": key, "callId": id, "call": call, "tool": "run_command", "wait": wait }),
        )
        .await
}

fn nanos(since: Instant) -> Outcome<i64> {
    Ok(i64::try_from(since.elapsed().as_nanos())?)
}
