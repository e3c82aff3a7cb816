//! The same decision without any transport: judging alone, and the gate as a whole.

use std::hint::black_box;
use std::time::Instant;

use futures::FutureExt as _;
use mayi_core::call::{AgentId, Call};
use mayi_core::gate::{Asking, Gate, NoPersistence, OnAsk, Session, Verdict};
use mayi_core::grant::Grants;
use mayi_core::policy::{Effect, Mode, Policy, SessionStanding, decide};

use crate::common::{self, Outcome};
use crate::figures::{self, Series};
use crate::{Bench, RULES};

pub(crate) fn measure(bench: &Bench) -> Outcome<()> {
    if !bench.options.wants("inside") {
        return Ok(());
    }
    let rounds = bench.options.rounds(20, 3);
    let calls = 1000;
    println!("\ninside: {rounds} rounds of {} calls, without any transport", figures::grouped(calls));
    println!("{}", figures::head(""));
    for (rules, policy) in RULES.iter().zip(&bench.policies) {
        let machine = &bench.machine;
        for (what, call) in [("write", machine.write()), ("shell", machine.shell()), ("mcp", machine.mcp())] {
            let rules = figures::grouped(*rules);
            let mut series = Series::default();
            for _ in 0..rounds {
                series.rounds.push(deciding(policy, &call, calls)?);
            }
            println!("{}", figures::line(&format!("decide, {what}, {rules} rules"), &series.row()));
            let mut series = Series::default();
            for _ in 0..rounds {
                series.rounds.push(submitting(bench, policy, &call, calls)?);
            }
            println!("{}", figures::line(&format!("gate.submit, {what}, {rules} rules"), &series.row()));
        }
    }
    Ok(())
}

fn deciding(policy: &Policy, call: &Call, calls: usize) -> Outcome<Vec<i64>> {
    let grants = Grants::default();
    let standing = SessionStanding { mode: Mode::Default, bypass: false, grants: &grants, servers: &[] };
    let mut times = Vec::with_capacity(calls);
    for _ in 0..calls {
        let begin = Instant::now();
        let decision = black_box(decide(black_box(policy), black_box(call), &standing));
        times.push(i64::try_from(begin.elapsed().as_nanos())?);
        if decision.effect != Effect::Allow {
            return Err(format!("not allowed: {decision:?}").into());
        }
    }
    Ok(times)
}

/// From the call to its verdict, with a surface that hears of it.
fn submitting(bench: &Bench, policy: &Policy, call: &Call, calls: usize) -> Outcome<Vec<i64>> {
    let gate =
        Gate::new(policy.clone(), Asking { on_ask: OnAsk::Deny, limit: None }, Box::new(NoPersistence));
    gate.open_session(Session {
        id: common::session_id(),
        agent: AgentId::from_name("loop"),
        parent: None,
        roots: vec![bench.machine.work.clone()],
        cwd: bench.machine.work.clone(),
        mode: None,
    });
    let mut told = gate.subscribe();
    let mut times = Vec::with_capacity(calls);
    for _ in 0..calls {
        let call = call.clone();
        let begin = Instant::now();
        let verdict = gate.submit(call, &[]).verdict().now_or_never();
        times.push(i64::try_from(begin.elapsed().as_nanos())?);
        if !matches!(verdict, Some(Verdict::Allowed(_))) || told.try_recv().is_err() {
            return Err(format!("not allowed: {verdict:?}").into());
        }
    }
    Ok(times)
}
