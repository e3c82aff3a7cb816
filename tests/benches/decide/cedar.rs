//! The yardstick: the same rules and calls in cedar-policy.
//!
//! What is compared: an evaluation of all policies on a request that was made beforehand. Cedar knows no shell lines,
//! so the five commands of the line are five requests, as text; it knows no effect between permit and forbid, so asks
//! are forbids; paths are text, and links are nobody's business. Its validation, its schema and its entities are left
//! out. What mayi does besides (findings with their reasons, protection, caveats, words that could be paths) is in
//! mayi's figures and not in Cedar's.

use std::hint::black_box;

use cedar_policy::{
    Authorizer, Context, Decision, Entities, EntityUid, Policy, PolicyId, PolicySet, Request,
};
use criterion::{BenchmarkId, Criterion};
use mayi_core::policy::Effect;
use serde_json::{Value, json};

use crate::SIZES;
use crate::common::{Machine, Outcome};
use crate::rules::{Sample, samples};

/// The five commands of the line.
const COMMANDS: [&str; 5] =
    ["cargo test -p core", "tail -20", "git status --short", "rg -n TODO src", "head -5"];

pub(crate) fn judging(criterion: &mut Criterion, _: &Machine) -> Outcome<()> {
    let mut group = criterion.benchmark_group("cedar");
    let (authorizer, entities) = (Authorizer::new(), Entities::empty());
    let plain = [request("write", json!({ "path": "/w/src/part7/lines.rs" }))?];
    let line = COMMANDS.map(|command| request("shell", json!({ "command": command })));
    let line = line.into_iter().collect::<Outcome<Vec<Request>>>()?;
    // All policies are looked at each time: of very many, a few rounds say enough.
    let quick = std::env::args().any(|argument| argument == "--quick");
    for size in SIZES.into_iter().filter(|size| !quick || *size <= 1_000) {
        if size > 1_000 {
            group.sample_size(10);
        }
        let policies = policies(size)?;
        for (what, requests) in [("plain", &plain[..]), ("line", &line[..])] {
            let allowed = |request: &Request| {
                authorizer.is_authorized(request, &policies, &entities).decision() == Decision::Allow
            };
            if !requests.iter().all(allowed) {
                return Err(format!("{what} with {size} policies is not allowed").into());
            }
            group.bench_function(BenchmarkId::new(what, size), |bencher| {
                bencher.iter(|| black_box(requests).iter().all(allowed));
            });
        }
    }
    group.finish();
    Ok(())
}

fn request(action: &str, context: Value) -> Outcome<Request> {
    let uid = |kind: &str, name: &str| format!("{kind}::\"{name}\"").parse::<EntityUid>();
    let context = Context::from_json_value(context, None)?;
    let (principal, resource) = (uid("Agent", "claude")?, uid("Workspace", "w")?);
    Ok(Request::new(principal, uid("Action", action)?, resource, context, None)?)
}

fn policies(size: usize) -> Outcome<PolicySet> {
    let mut set = PolicySet::new();
    for (at, Sample { effect, action, condition, .. }) in samples(size).into_iter().enumerate() {
        let effect = if effect == Effect::Allow { "permit" } else { "forbid" };
        let text =
            format!("{effect}(principal, action == Action::\"{action}\", resource) when {{ {condition} }};");
        set.add(Policy::parse(Some(PolicyId::new(format!("p{at}"))), text)?)?;
    }
    Ok(set)
}
