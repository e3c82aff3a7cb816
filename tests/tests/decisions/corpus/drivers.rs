//! Ways to ask mayi about a case.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Case, World};

/// What mayi said.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// `allow`, `ask` or `deny`; `error` if the line was refused.
    pub(crate) effect: String,
    /// The finding that decided.
    pub(crate) why: String,
}

impl Answer {
    /// Nothing was said.
    pub(crate) fn none() -> Self {
        Self { effect: "nothing".to_owned(), why: "no answer".to_owned() }
    }

    /// A line that `check --stdin` writes, or would write.
    pub(crate) fn of(line: &Value) -> Self {
        if let Some(error) = line.get("error").and_then(Value::as_str) {
            return Self { effect: "error".to_owned(), why: error.to_owned() };
        }
        let effect = line["effect"].as_str().unwrap_or("nothing").to_owned();
        let trail = line["trail"].as_array().cloned().unwrap_or_default();
        let because = trail.iter().find(|finding| finding["effect"] == *effect);
        let why = because.map(|finding| {
            let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
            format!("{}: {} {} {}", text("source"), text("access"), text("pattern"), text("reason"))
        });
        Self { effect, why: why.unwrap_or_default() }
    }
}

/// A way to ask. The RPC's `check` will be another one.
pub(crate) trait Driver {
    /// What it is called.
    fn name(&self) -> &'static str;

    /// Whether it can be asked about this case.
    fn takes(&self, case: &Case) -> bool;

    /// The answers, by the ids of the cases.
    fn answers(&mut self, world: &World, cases: &[&Case]) -> BTreeMap<String, Answer>;
}
