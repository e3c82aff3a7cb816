//! How much a card holds of a call: the beginning of what is larger than anybody reads, and how much is missing. What is kept of a
//! question, told to others and looked through for secrets is its card.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{Card, OptionKind};

/// Maximum size of the input on a card, of its changes, of what it would touch and of why it is asked, in bytes each.
const MOST: usize = 512 * 1024;

/// What an item, a member or a number is counted as, in bytes.
const NODE: usize = 8;

/// Where a text is cut that has a blank so many bytes before: there, and not in the middle of a word, which may be a secret.
const WORD: usize = 4096;

/// Leaves out what is too large in `card`, and says so on it. A change is there whole or not at all. Of mayi's own choices, one
/// allows this one call and none more, and no key of an editor gives it (S2.9, S2.14).
pub(super) fn bound_card(card: &mut Card) {
    let call = &mut card.tool_call;
    let mut missing = Room::new().fit_value(&mut call.raw_input);
    missing += call.open_input.as_mut().map_or(0, |open| Room::new().fit_value(open));
    missing += call.content.as_array_mut().map_or(0, leave_out) + leave_out(&mut call.locations);
    // The strictest findings come first. Of what would be touched, that which is asked about is what a person has to see.
    missing += keep_first(&mut card.why, |finding| {
        finding.access.len() + finding.reason.len() + finding.within.as_ref().map_or(0, String::len)
    });
    let asked: HashSet<&str> = card.why.iter().map(|finding| finding.access.as_str()).collect();
    let (first, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut card.accesses)
        .into_iter()
        .enumerate()
        .partition(|(_, of)| asked.contains(format!("{}({})", of.access, of.display).as_str()));
    let mut touched: Vec<_> = first.into_iter().chain(rest).collect();
    missing += keep_first(&mut touched, |(_, access)| access.display.len());
    touched.sort_by_key(|(at, _)| *at);
    card.accesses = touched.into_iter().map(|(_, access)| access).collect();
    missing += keep_first(&mut card.not_shown, String::len);
    if missing == 0 {
        return;
    }
    card.not_shown.insert(0, format!("{missing} bytes: more than a card shows"));
    call.untold = true;
    let own = |id: &str| !id.starts_with(super::choice::AGENT);
    card.options.retain(|option| !(own(&option.option_id) && option.kind == OptionKind::AllowAlways));
    card.suggestions.clear();
}

/// Leaves out the values for which there is no room; their size.
fn leave_out(items: &mut Vec<Value>) -> usize {
    keep_first(items, size_of)
}

/// Leaves out the items for which there is no room behind those before them; their size.
fn keep_first<T>(items: &mut Vec<T>, size_of: impl Fn(&T) -> usize) -> usize {
    let (mut left, mut missing) = (MOST, 0);
    items.retain(|item| {
        let size = size_of(item) + NODE;
        let fits = size <= left;
        if fits {
            left -= size;
        } else {
            missing += size;
        }
        fits
    });
    missing
}

/// What there is room for.
struct Room {
    left: usize,
    missing: usize,
}

impl Room {
    fn new() -> Self {
        Self { left: MOST, missing: 0 }
    }

    /// Cuts a value that is too large; how many bytes are missing.
    fn fit_value(mut self, value: &mut Value) -> usize {
        self.fit(value);
        self.missing
    }

    fn fit_text(&mut self, text: &mut String) {
        let end = text.floor_char_boundary(self.left);
        if end == text.len() {
            self.left -= end;
            return;
        }
        let words = text.floor_char_boundary(end.saturating_sub(WORD))..end;
        let blank = text.get(words.clone()).and_then(|tail| tail.rfind(char::is_whitespace));
        let end = blank.map_or(end, |at| words.start + at);
        self.missing += text.len() - end;
        self.left = 0;
        text.truncate(end);
        text.push('…');
        text.shrink_to_fit();
    }

    fn fit(&mut self, value: &mut Value) {
        self.left = self.left.saturating_sub(NODE);
        match value {
            Value::String(text) => self.fit_text(text),
            Value::Array(items) => {
                let mut kept = 0;
                for item in items.iter_mut() {
                    if self.left == 0 {
                        break;
                    }
                    self.fit(item);
                    kept += 1;
                }
                self.missing += items.drain(kept..).map(|item| size_of(&item)).sum::<usize>();
            }
            Value::Object(members) => {
                let mut kept = Map::new();
                for (name, mut member) in std::mem::take(members) {
                    if self.left < name.len() || self.left == 0 {
                        self.left = 0;
                        self.missing += name.len() + size_of(&member);
                        continue;
                    }
                    self.left -= name.len();
                    self.fit(&mut member);
                    kept.insert(name, member);
                }
                *members = kept;
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// How much a value takes, in bytes; at least one.
fn size_of(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len().max(1),
        Value::Array(items) => NODE + items.iter().map(size_of).sum::<usize>(),
        Value::Object(members) => {
            NODE + members.iter().map(|(name, member)| name.len() + size_of(member)).sum::<usize>()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => NODE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::approval::likeness_key;
    use mayi_call::{Access, AgentId, Call, Category, Diff, Door, SessionId};
    use mayi_policy::grant::Grants;
    use mayi_policy::{Mode, Policy, SessionStanding, decide};
    use serde_json::json;

    fn cut(value: &mut Value) -> usize {
        Room::new().fit_value(value)
    }

    /// S2.9: nothing is cut without a word.
    #[test]
    fn given_a_value_that_is_too_large_then_a_head_is_left_and_what_is_missing_is_counted() {
        let small = json!({ "a": [1, "two", null], "b": { "c": "ü" } });
        let mut same = small.clone();
        assert_eq!(cut(&mut same), 0);
        assert_eq!(same, small);
        let mut long = json!({ "path": "a.rs", "text": "ü".repeat(MOST) });
        let missing = cut(&mut long);
        let text = long["text"].as_str().unwrap();
        assert_eq!(long["path"], "a.rs");
        assert!(text.ends_with("ü…") && text.len() <= MOST, "{}", text.len());
        assert_eq!(missing + text.len() - "…".len(), 2 * MOST);
        let mut many = json!(vec![json!({ "k": 1 }); MOST]);
        let missing = cut(&mut many);
        let left = many.as_array().unwrap().len();
        assert!(left > 1_000 && left < MOST / NODE && missing >= (MOST - left) * NODE, "{left} {missing}");
    }

    /// Attack 731. S2.9, S2.14: what is larger than anybody reads is no reason to read it all, and the answer is about all of it.
    #[test]
    fn given_a_call_of_megabytes_then_its_card_is_small_and_says_so_and_no_key_allows_it() {
        let (agent, session) = (AgentId::from_name("a"), SessionId("s".into()));
        let diff = |at: usize| Diff {
            path: format!("/w/{at}"),
            old_text: Some("a\n".repeat(99)),
            new_text: "b\n".repeat(99),
        };
        let call = Call {
            raw_input: json!({ "content": "x".repeat(4 << 20) }),
            diffs: (0..20_000).map(diff).collect(),
            accesses: (0..5_000)
                .map(|at| Access::Tool { name: format!("t{at}"), category: Category::Execute })
                .collect(),
            ..Call::new(Door::AcpTerminal, agent, session, "/w".into())
        };
        let grants = Grants::default();
        let standing = SessionStanding { mode: Mode::Default, bypass: false, grants: &grants, servers: &[] };
        let decision = decide(&Policy::default(), &call, &standing);
        let card = Card::new(&call, &decision, &[], 1, jiff::Timestamp::UNIX_EPOCH);
        let size = serde_json::to_string(&card).unwrap().len();
        assert!(size < 3 << 20, "{size}");
        assert!(card.tool_call.untold);
        let whole = |item: &Value| item["newText"].as_str().is_some_and(|text| text.len() == 2 * 99);
        let diffs = card.tool_call.content.as_array().unwrap();
        assert!(diffs.len() > 500 && diffs.iter().all(whole), "a change is there whole or not at all");
        let lasts = |option: &crate::approval::CardOption| option.kind == OptionKind::AllowAlways;
        assert!(!card.options.iter().any(lasts) && likeness_key(&card).is_none());
        assert!(
            card.not_shown.iter().any(|of| of.ends_with("bytes: more than a card shows")),
            "{:?}",
            card.not_shown
        );
        assert_eq!(card.digest, call.digest(1), "the answer is about all of it");
    }

    #[test]
    fn given_a_deep_value_that_is_too_large_then_it_is_cut_inside() {
        let mut deep = json!("x".repeat(MOST * 2));
        for _ in 0..100 {
            deep = json!([deep]);
        }
        assert!(cut(&mut deep) > MOST);
        assert!(deep.to_string().len() < MOST + 1_000);
    }
}
