//! The one answer that an app sees, made of the responses that the endpoint gave: one id, one count of events and of items,
//! one end, and the usage of all.

use std::collections::{BTreeMap, BTreeSet};

use mayi_doors::members::{Members, to_raw_json};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::events::EventBlock;
use crate::request::SpentCounts;

/// An item that asks for an approval.
const REQUEST: &str = "mcp_approval_request";

/// What of a call is judged.
const JUDGED: [&str; 3] = ["server_label", "name", "arguments"];
/// An item that says that a call ran.
const RAN: &str = "mcp_call";

/// What the app had at first of what a later response could say otherwise, because it was asked otherwise.
const FIRST: &[&str] =
    &["created_at", "previous_response_id", "tool_choice", "max_output_tokens", "max_tool_calls"];

/// What becomes of an event.
#[derive(Debug)]
pub(crate) enum Step {
    /// It goes to the app, like this.
    Send(Vec<u8>),
    /// It is not the app's.
    Hide,
    /// A response has ended, and asks for approvals.
    Asks(HeldResponse),
    /// The answer has ended; this goes to the app.
    Close(Vec<u8>),
}

/// Why nobody answers what is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum UnansweredReason {
    /// The answer just ends.
    Same,
    /// The app's limit is reached.
    Limit,
    /// The app has cancelled it.
    Cancelled,
}

/// The end of a response that asks for approvals: kept back.
#[derive(Debug)]
pub(crate) struct HeldResponse {
    /// The response that asks.
    pub(crate) id: String,
    /// What it asks, each in every version that was said of it, by their ids.
    pub(crate) requests: BTreeMap<String, Vec<Value>>,
    response: Members,
    block: Option<EventBlock>,
}

/// What the app has seen, and what it has not.
#[derive(Debug, Default)]
pub(crate) struct JoinedAnswer {
    /// The app's own words for what it goes on from, where the endpoint was told others.
    previous: Option<Option<String>>,
    /// The head of the first response.
    first: Option<Members>,
    /// The endpoint's responses, in order.
    pub(crate) responses: Vec<String>,
    /// The number of the next event.
    pub(crate) sequence: Option<u64>,
    /// So many items the app has seen of the responses before this one.
    base: u64,
    /// What the app does not see of this one: places of items.
    hidden: BTreeSet<u64>,
    /// The approvals that were asked for in this one.
    requests: BTreeMap<String, Vec<Value>>,
    /// All items, and those of them that the app sees.
    items: Vec<Box<RawValue>>,
    output: Vec<Box<RawValue>>,
    /// Calls that ran, by the events of the response that is being read.
    ran_calls: Vec<Value>,
    /// Those of them that no response had at its end.
    unlisted: Vec<Box<RawValue>>,
    usage: Option<Value>,
    /// A response has ended, and another one goes on.
    continues: bool,
    /// Something was not shown to the app.
    has_hidden: bool,
    pub(crate) spent: SpentCounts,
}

impl JoinedAnswer {
    /// An answer to a request in which the app goes on from `previous`; `mapped`: the endpoint was told something else.
    pub(crate) fn new(previous: Option<&str>, mapped: bool) -> Self {
        Self { previous: mapped.then(|| previous.map(str::to_owned)), ..Self::default() }
    }

    /// Calls that ran, and that no response had at its end: each is handed out once.
    pub(crate) fn take_unlisted(&mut self) -> Vec<Box<RawValue>> {
        std::mem::take(&mut self.unlisted)
    }

    /// Nothing more comes of the response that is being read: what ran in it, ran.
    pub(crate) fn breaks_off(&mut self) {
        self.unlisted.extend(self.ran_calls.drain(..).map(|item| to_raw_json(&item)));
    }

    /// All items of all responses that have ended.
    pub(crate) fn items(&self) -> &[Box<RawValue>] {
        &self.items
    }

    /// What becomes of an event of the endpoint's.
    pub(crate) fn add_event(&mut self, block: EventBlock) -> Step {
        let event = block.data().and_then(|data| Members::parse(&data).ok());
        // What nobody here can read changes nothing here either.
        let Some(mut event) = event else { return Step::Send(block.raw) };
        let kind = event.string_member("type").unwrap_or_default();
        match kind.as_str() {
            "response.created" | "response.queued" | "response.in_progress" => {
                let response = event.object_member("response").unwrap_or_default();
                self.begin_response(&response);
                if self.continues {
                    return Step::Hide;
                }
            }
            "response.output_item.added" | "response.output_item.done" => {
                let place = item_index(&event);
                let item = event.parsed_member("item").unwrap_or_default();
                if kind_of(&item) == Some(RAN) && kind.ends_with("done") {
                    self.ran_calls.push(item);
                } else if kind_of(&item) == Some(REQUEST) {
                    // What is only begun says nothing yet.
                    let begun = match item.get("arguments") {
                        None | Some(Value::Null) => true,
                        Some(arguments) => arguments.as_str().is_some_and(str::is_empty),
                    };
                    self.add_request(item, begun && kind.ends_with("added"));
                    self.hidden.extend(place);
                    return Step::Hide;
                }
            }
            "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => {
                let response = event.object_member("response").unwrap_or_default();
                return self.end_response(response, kind == "response.completed", Some((block, event)));
            }
            _ => {}
        }
        if item_index(&event).is_some_and(|place| self.hidden.contains(&place)) {
            return Step::Hide;
        }
        let mut changed = self.renumber_item(&mut event);
        changed |= self.renumber_event(&mut event);
        if let (Some(previous), Some(mut response)) = (&self.previous, event.object_member("response")) {
            response.set("previous_response_id", to_raw_json(previous));
            event.set("response", response.to_raw_value());
            changed = true;
        }
        Step::Send(if changed { block.with_data(event.to_raw_value().get()) } else { block.raw })
    }

    /// What becomes of a response that came as one text; an error, if it is no object.
    pub(crate) fn add_whole(&mut self, text: Vec<u8>) -> Step {
        let read = std::str::from_utf8(&text).ok().and_then(|text| Members::parse(text).ok());
        let Some(response) = read else { return Step::Close(text) };
        self.begin_response(&response);
        let complete = response.string_member("status").is_none_or(|status| status == "completed");
        match self.end_response(response, complete, None) {
            // Nothing had to be changed.
            Step::Close(same) if same.is_empty() => Step::Close(text),
            step => step,
        }
    }

    /// The answer ends with `held` as it is, though nobody answers what it asks.
    pub(crate) fn close(&mut self, held: HeldResponse, over: UnansweredReason) -> Vec<u8> {
        let HeldResponse { mut response, block, .. } = held;
        let status = match over {
            UnansweredReason::Same => None,
            UnansweredReason::Limit => {
                response.set("incomplete_details", to_raw_json(&json!({ "reason": "max_output_tokens" })));
                Some("incomplete")
            }
            // The official clients know no event for an answer that was cancelled: this is the end for them.
            UnansweredReason::Cancelled if block.is_some() => {
                response.set("incomplete_details", RawValue::NULL.to_owned());
                Some("incomplete")
            }
            UnansweredReason::Cancelled => Some("cancelled"),
        };
        if let Some(status) = status {
            response.set("status", to_raw_json(status));
        }
        let event = block.and_then(|block| {
            let mut event = Members::parse(&block.data()?).ok()?;
            let Some(status) = status else { return Some((block, event)) };
            let kind = format!("response.{status}");
            event.set("type", to_raw_json(&*kind));
            let text = String::from_utf8(block.raw).ok()?.replace("response.completed", &kind);
            Some((EventBlock { raw: text.into_bytes() }, event))
        });
        self.final_bytes(response, event)
    }

    /// What was asked is answered. For an endpoint that keeps nothing: what was approved is said again as the call that it
    /// became, and never as an approval, which could run it once more.
    pub(crate) fn record_answers(&mut self, approved: &[&str], denials: Vec<Value>) {
        let is_approved = |item: &RawValue| {
            let item: Value = serde_json::from_str(item.get()).unwrap_or_default();
            let id = item.get("id").and_then(Value::as_str);
            kind_of(&item) == Some(REQUEST) && id.is_some_and(|id| approved.contains(&id))
        };
        self.items.retain(|item| !(item.get().contains(REQUEST) && is_approved(item)));
        self.items.extend(denials.iter().map(to_raw_json));
    }

    /// The next response is a part of the same answer.
    pub(crate) fn continue_answer(&mut self) {
        self.continues = true;
        self.hidden.clear();
        self.requests.clear();
    }

    fn begin_response(&mut self, response: &Members) {
        if let Some(id) = response.string_member("id")
            && self.responses.last() != Some(&id)
        {
            self.responses.push(id);
        }
        if self.first.is_none() {
            let mut first = Members::default();
            for name in FIRST.iter().chain(&["id"]) {
                if let Some(value) = response.get(name) {
                    first.set(name, value.to_owned());
                }
            }
            self.first = Some(first);
        }
    }

    /// An approval is asked for. An item that has no id can't be answered, and is no approval of anything.
    fn add_request(&mut self, item: Value, begun: bool) {
        let Some(id) = item.get("id").and_then(Value::as_str).map(str::to_owned) else { return };
        let versions = self.requests.entry(id).or_default();
        if begun || versions.len() > 2 {
            return;
        }
        // Of what is judged: other members change while an item is made.
        let judged = |item: &Value| JUDGED.map(|name| item.get(name).cloned());
        let said = judged(&item);
        if versions.iter().any(|version| judged(version) == said) {
            return;
        }
        // A third one is as good as any number, and is none that can be read.
        versions.push(if versions.len() == 2 { Value::Null } else { item });
    }

    /// Puts an item's place where the app sees it; says whether that is another one.
    fn renumber_item(&self, event: &mut Members) -> bool {
        let Some(place) = item_index(event) else { return false };
        let hidden = u64::try_from(self.hidden.range(..place).count()).unwrap_or_default();
        let seen = (self.base + place).saturating_sub(hidden);
        if seen != place {
            event.set("output_index", to_raw_json(&seen));
        }
        seen != place
    }

    /// Gives an event the next number, if it has one; says whether it is another one.
    fn renumber_event(&mut self, event: &mut Members) -> bool {
        let Some(number) = event.parsed_member("sequence_number").and_then(|number| number.as_u64()) else {
            return false;
        };
        let next = self.sequence.unwrap_or(number);
        self.sequence = Some(next + 1);
        if next != number {
            event.set("sequence_number", to_raw_json(&next));
        }
        next != number
    }

    /// A response has ended.
    fn end_response(
        &mut self,
        response: Members,
        complete: bool,
        event: Option<(EventBlock, Members)>,
    ) -> Step {
        let items: Vec<Box<RawValue>> = response
            .get("output")
            .and_then(|output| serde_json::from_str(output.get()).ok())
            .unwrap_or_default();
        self.has_hidden |= !self.requests.is_empty();
        for item in items {
            let value: Value = serde_json::from_str(item.get()).unwrap_or_default();
            let kind = kind_of(&value).unwrap_or_default();
            if kind == REQUEST {
                self.has_hidden = true;
                self.add_request(value.clone(), false);
            } else {
                self.spent.tool_calls += u64::from(kind.ends_with("_call") && kind != "function_call");
                self.output.push(item.clone());
                self.base = u64::try_from(self.output.len()).unwrap_or_default();
            }
            self.ran_calls.retain(|ran| *ran != value);
            self.items.push(item);
        }
        self.breaks_off();
        if let Some(usage) = response.parsed_member("usage") {
            let tokens = usage.get("output_tokens").and_then(Value::as_u64);
            self.spent.output_tokens += tokens.unwrap_or_default();
            self.usage = Some(match self.usage.take() {
                Some(before) => sum_usage(before, usage),
                None => usage,
            });
        }
        let id = response.string_member("id");
        if complete
            && !self.requests.is_empty()
            && let Some(id) = id
        {
            let requests = std::mem::take(&mut self.requests);
            return Step::Asks(HeldResponse { id, requests, response, block: event.map(|(block, _)| block) });
        }
        Step::Close(self.final_bytes(response, event))
    }

    /// The end of the answer: empty, where the whole text that came can be passed on.
    fn final_bytes(&mut self, mut response: Members, event: Option<(EventBlock, Members)>) -> Vec<u8> {
        let joins = self.continues || self.has_hidden;
        let changed = joins || self.previous.is_some();
        if joins {
            let first = self.first.clone().unwrap_or_default();
            for name in FIRST.iter().chain(&["id"]) {
                if let Some(value) = first.get(name) {
                    response.set(name, value.to_owned());
                }
            }
            response.set("output", to_raw_json(&self.output));
            if let Some(usage) = &self.usage {
                response.set("usage", to_raw_json(usage));
            }
        }
        if let Some(previous) = &self.previous {
            response.set("previous_response_id", to_raw_json(previous));
        }
        let Some((block, mut event)) = event else {
            return if changed { response.to_raw_value().get().as_bytes().to_vec() } else { Vec::new() };
        };
        let numbered = self.renumber_event(&mut event);
        if changed {
            event.set("response", response.to_raw_value());
        }
        if changed || numbered { block.with_data(event.to_raw_value().get()) } else { block.raw }
    }
}

fn kind_of(item: &Value) -> Option<&str> {
    item.get("type")?.as_str()
}

fn item_index(event: &Members) -> Option<u64> {
    event.parsed_member("output_index")?.as_u64()
}

/// Two counts of tokens together, in every part that they have.
fn sum_usage(one: Value, other: Value) -> Value {
    match (one, other) {
        (Value::Object(mut all), Value::Object(more)) => {
            for (name, value) in more {
                let before = all.get_mut(&name).map(Value::take);
                all.insert(name, before.map_or(value.clone(), |before| sum_usage(before, value)));
            }
            Value::Object(all)
        }
        (Value::Number(one), Value::Number(other)) => match (one.as_u64(), other.as_u64()) {
            (Some(one), Some(other)) => json!(one.saturating_add(other)),
            _ => Value::Number(other),
        },
        (one, Value::Null) => one,
        (_, other) => other,
    }
}

#[cfg(test)]
mod tests;
