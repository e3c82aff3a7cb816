//! The library, in this process.

use std::collections::BTreeMap;

use mayi_check::{CheckError, Checker, Request};
use mayi_core::call::{AgentId, SessionId};
use mayi_core::grant::{Grant, Grants};
use mayi_core::policy::pattern::PatternBases;
use mayi_core::policy::{Decision, Pattern, SessionStanding, decide};
use serde_json::{Value, json};

use super::drivers::{Answer, Driver};
use super::{Case, World};

pub(crate) struct Library;

impl Driver for Library {
    fn name(&self) -> &'static str {
        "the library"
    }

    fn takes(&self, _: &Case) -> bool {
        true
    }

    fn answers(&mut self, world: &World, cases: &[&Case]) -> BTreeMap<String, Answer> {
        let mut checker = Checker::new(world.sources(), true);
        let mut answer = |case: &Case| {
            let line = world.request(case);
            match decision(&mut checker, world, case, &line) {
                Ok(decision) => Answer::of(&serde_json::to_value(decision).unwrap()),
                Err(error) => Answer::of(&json!({ "error": error.to_string() })),
            }
        };
        cases.iter().map(|case| (case.id.clone(), answer(case))).collect()
    }
}

fn decision(checker: &mut Checker, world: &World, case: &Case, line: &Value) -> Result<Decision, CheckError> {
    let judged = checker.check_request(&Request::from_json(&line.to_string())?)?;
    if case.grants.is_empty() {
        return Ok(judged.decision);
    }
    // Requests know nothing of remembered answers: the same call, with them.
    let places = PatternBases { home: Some(world.home()), ..PatternBases::default() };
    let mut grants = Grants::default();
    for pattern in &case.grants {
        grants.add(Grant {
            pattern: Some(Pattern::parse(pattern, &places).unwrap()),
            ..Grant::of_session(AgentId::from_name("claude"), SessionId("check".to_owned()))
        });
    }
    let standing = SessionStanding { mode: judged.mode, bypass: false, grants: &grants, servers: &[] };
    assert!(
        case.request["rules"] == json!({ "allow": [], "ask": [], "deny": [] }),
        "{}: rules and grants",
        case.id
    );
    Ok(decide(&judged.loaded.expect("grants need a policy from files").policy, &judged.call, &standing))
}
