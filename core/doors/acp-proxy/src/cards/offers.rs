//! What a person may pick in the editor's dialog (S4.12): the agent's own allow-once first, nothing wider than
//! the session unless the user has said that this editor shows options as they are, and once only where it is always asked.

use serde_json::{Value, json};

use crate::json_members::RawMembers;
use crate::splice::{TextEdit, apply_edits, quote_json};
use mayi_acp_shared::options;
use mayi_core::approval::{AgentOption, Card, OptionKind, Remember, RememberScope, choice, escape_line};
use mayi_core::policy::Effect;

/// One choice.
#[derive(Clone, Debug)]
pub(super) struct Offer {
    /// Its id in this dialog, and in no other.
    pub(super) id: String,
    /// As it goes to the editor.
    pub(super) raw: String,
    /// Which of the card's choices it is.
    pub(super) choice: String,
    pub(super) remember: Option<Remember>,
}

/// So many patterns are offered for good, and so much of each is shown.
const MOST: usize = 3;
const LONGEST: usize = 120;

/// How an editor shows the options of a dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptionLabels {
    /// It has words of its own for their kinds, or may have them. What grants more than this once is not offered: the protocol
    /// has no kind for "in this session", so that it would be called "Always", or like what allows once.
    ByKind,
    /// By their names, as the protocol has it.
    ByName,
    /// The same, and the user has said so (`--wide-scopes`).
    Vouched,
}

/// Editors that have words of their own for the kinds of options, by what they say of themselves, in small letters. Avante has them
/// too, and says nothing of itself.
const BY_KIND: &[&str] = &["codecompanion"];

impl OptionLabels {
    /// By the name that an editor gives for itself.
    pub(crate) fn of_editor(name: Option<&str>) -> Self {
        let named = name.map(mayi_core::policy::fold_text).filter(|name| !name.trim().is_empty());
        match named {
            Some(name) if !BY_KIND.iter().any(|known| name.contains(known)) => Self::ByName,
            _ => Self::ByKind,
        }
    }
}

/// The choices of `card`. `asked`: the parameters of the agent's own request.
pub(super) fn make_offers(card: &Card, asked: Option<&str>, labels: OptionLabels) -> Vec<Offer> {
    let wide = labels == OptionLabels::Vouched;
    let mut made = OffersBuilder { card, raw: raw_options(asked), offers: Vec::new() };
    let has = |wanted: &str| card.options.iter().any(|option| option.option_id == wanted);
    let always = card.why.iter().any(|finding| finding.effect == Effect::Ask && finding.always);
    let once = options::find_allow_once(&card.agent_options).filter(|_| has(choice::ALLOW_ONCE));
    match once {
        Some(option) => {
            made.push_agent_option(option, choice::ALLOW_ONCE, OptionName::Plainly("Allow once", ALLOWS))
        }
        None if has(choice::ALLOW_ONCE) => {
            made.push_own_option("once", "Allow once", "allow_once", choice::ALLOW_ONCE, None)
        }
        None => {}
    }
    let session = card.options.iter().find(|option| option.option_id == choice::ALLOW_SESSION);
    let said = session
        .filter(|_| !always && labels != OptionLabels::ByKind)
        .and_then(|option| describe_grants(&option.grants));
    if let Some(said) = said {
        let name = format!("Allow for this session: {said}");
        made.push_own_option("session", &name, "allow_always", choice::ALLOW_SESSION, None);
    }
    if !always && wide && has(choice::ALLOW_ALWAYS) {
        for suggestion in card.suggestions.iter().take(MOST) {
            let Some(pattern) = describe_grants(&suggestion.patterns) else { continue };
            for (scope, word) in [(RememberScope::Workspace, "workspace"), (RememberScope::User, "user")] {
                if suggestion.scopes.iter().any(|offered| *offered == word) {
                    let name = match scope {
                        RememberScope::Workspace => format!("Always in this folder: {pattern}"),
                        _ => format!("Always: {pattern}"),
                    };
                    let remember = Remember::of_patterns(scope, suggestion.patterns.clone());
                    made.push_own_option(word, &name, "allow_always", choice::ALLOW_ALWAYS, Some(remember));
                }
            }
        }
    }
    // Where nothing plain allows it, one of the agent's own options has to be picked by hand; each says what it does.
    let by_hand = !has(choice::ALLOW_ONCE);
    let switches = card.accesses.iter().any(|access| access.access == "mode");
    // What allows just this once is enough, where there is such an option.
    let plain = options::find_allow_once(&card.agent_options).filter(|_| !switches);
    let enough = |option: &AgentOption| plain.is_none_or(|plain| plain.option_id == option.option_id);
    for option in card.agent_options.iter().filter(|option| option.kind.allows()) {
        if by_hand && enough(option) || (wide && !always && option.danger.is_some()) {
            made.push_agent_option(
                option,
                &format!("{}{}", choice::AGENT, option.option_id),
                OptionName::WithDanger("Allow"),
            );
        }
    }
    let rejects = card.agent_options.iter().filter(|option| option.kind == OptionKind::RejectOnce);
    let before = made.offers.len();
    for option in rejects {
        made.push_agent_option(
            option,
            &format!("{}{}", choice::AGENT, option.option_id),
            OptionName::Plainly("Deny", DENIES),
        );
    }
    if made.offers.len() == before {
        made.push_own_option("deny", "Deny", "reject_once", choice::DENY, None);
    }
    made.offers
}

/// Names of options that allow once, and that deny, and say nothing else: they are shown as they are. Behind any other one's, mayi's
/// own word stands first, since a name that begins like one of these may go on as it likes.
const ALLOWS: &[&str] = &[
    "allow",
    "allow once",
    "allow this time",
    "accept",
    "accept once",
    "approve",
    "approve once",
    "confirm",
    "ok",
    "permit",
    "proceed",
    "proceed once",
    "run",
    "run once",
    "yes",
    "yes, allow",
    "yes, allow once",
    "yes, once",
    "yes, proceed",
];
const DENIES: &[&str] = &[
    "abort",
    "cancel",
    "decline",
    "deny",
    "deny once",
    "don't allow",
    "no",
    "no, cancel",
    "no, continue without running it",
    "no, and tell codex what to do differently",
    "no, keep planning",
    "no, provide feedback",
    "refuse",
    "reject",
    "reject once",
    "skip",
    "stop",
];

/// So much of an agent's own name for an option is shown, in characters.
const NAME: usize = 80;

/// How an option of the agent's is called.
#[derive(Clone, Copy)]
enum OptionName {
    /// By its own name, where that is one of those that say just this; else so, with its own name behind.
    Plainly(&'static str, &'static [&'static str]),
    /// So, with its own name and what there is to know about it.
    WithDanger(&'static str),
}

impl OptionName {
    /// Its name, where that is to be another one than the agent's.
    fn name(self, option: &AgentOption) -> Option<String> {
        let start: String = option.name.chars().take(NAME).collect();
        let own = escape_line(start.trim()).to_string();
        let behind = |name: &str, own: &str| match own {
            "" => name.to_owned(),
            own => format!("{name} (\u{201c}{own}\u{201d})"),
        };
        match self {
            Self::WithDanger(name) => {
                let name = behind(name, &own);
                Some(option.danger.as_deref().map_or(name.clone(), |danger| format!("{name}: {danger}")))
            }
            Self::Plainly(name, plain) => {
                let is_plain = own == option.name && plain.contains(&own.to_lowercase().as_str());
                (!is_plain).then(|| behind(name, &own))
            }
        }
    }
}

struct OffersBuilder<'c> {
    card: &'c Card,
    raw: Vec<String>,
    offers: Vec<Offer>,
}

impl OffersBuilder<'_> {
    /// One of mayi's own, under an id that no other one has.
    fn push_own_option(
        &mut self,
        id: &str,
        name: &str,
        kind: &str,
        choice: &str,
        remember: Option<Remember>,
    ) {
        let mut id = format!("mayi-{id}");
        let taken = |id: &String| {
            self.card.agent_options.iter().any(|option| option.option_id == *id)
                || self.offers.iter().any(|offer| offer.id == *id)
        };
        while taken(&id) {
            id.push('-');
        }
        let raw = json!({"optionId": id, "name": name, "kind": kind}).to_string();
        self.offers.push(Offer { id, raw, choice: choice.to_owned(), remember });
    }

    /// One of the agent's own, as it came but for its name where that does not say what it does.
    fn push_agent_option(&mut self, option: &AgentOption, choice: &str, said: OptionName) {
        if self.offers.iter().any(|offer| offer.id == option.option_id) {
            return;
        }
        let found = self.raw.iter().find(|raw| {
            RawMembers::parse(raw)
                .ok()
                .and_then(|parts| parts.text_member("optionId"))
                .is_some_and(|id| id == option.option_id)
        });
        let plain =
            json!({"optionId": option.option_id, "name": option.name, "kind": option.kind}).to_string();
        let mut raw = found.cloned().unwrap_or(plain);
        if let Some(name) = said.name(option) {
            let named = RawMembers::parse(&raw)
                .ok()
                .and_then(|parts| TextEdit::set_member(&raw, &raw, &parts, "name", &quote_json(&name)))
                .and_then(|edit| apply_edits(&raw, vec![edit]));
            let plain = json!({"optionId": option.option_id, "name": name, "kind": option.kind});
            raw = named.unwrap_or_else(|| plain.to_string());
        }
        self.offers.push(Offer {
            id: option.option_id.clone(),
            raw,
            choice: choice.to_owned(),
            remember: None,
        });
    }
}

/// The agent's options as they stand in its request.
fn raw_options(asked: Option<&str>) -> Vec<String> {
    let parts = asked.and_then(|asked| RawMembers::parse(asked).ok());
    let list = parts.and_then(|parts| parts.get("options")).unwrap_or("[]");
    let items: Vec<&serde_json::value::RawValue> = serde_json::from_str(list).unwrap_or_default();
    items.into_iter().map(|item| item.get().to_owned()).collect()
}

/// All that is granted, in words. None where that is more than a dialog shows: what is not said is not offered.
fn describe_grants(granted: &[String]) -> Option<String> {
    let one = |what: &String| {
        let tool = what.starts_with("mcp(");
        format!("{}{}", escape_line(what), if tool { " with any arguments" } else { "" })
    };
    let said = granted.iter().map(one).collect::<Vec<_>>().join(", ");
    (!said.is_empty() && said.chars().count() <= LONGEST).then_some(said)
}

/// All of them as a list.
pub(super) fn offers_to_json(offers: &[Offer]) -> String {
    let items: Vec<&str> = offers.iter().map(|offer| offer.raw.as_str()).collect();
    format!("[{}]", items.join(","))
}

/// Whether a value says nothing.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S4.12, attack 495: a name that begins with a word and goes on to say the opposite.
    #[test]
    fn given_names_that_begin_like_plain_ones_then_mayis_own_word_stands_first() {
        let called = |name: &str, said: OptionName| {
            let option = AgentOption {
                option_id: "x".to_owned(),
                name: name.to_owned(),
                kind: OptionKind::AllowOnce,
                danger: None,
            };
            said.name(&option).unwrap_or_else(|| name.to_owned())
        };
        let (allow, deny) = (OptionName::Plainly("Allow once", ALLOWS), OptionName::Plainly("Deny", DENIES));
        for name in
            ["OK, cancel this", "Allow nothing", "Proceed? No: cancel", "Yes\u{200b}", "Yes ", "No", ""]
        {
            assert!(called(name, allow).starts_with("Allow once"), "{name}");
            assert!(called(name, OptionName::WithDanger("Allow")).starts_with("Allow"), "{name}");
        }
        for name in ["No problem, allow it", "Skip asking and run", "Cancel nothing, go on", "Yes"] {
            assert!(called(name, deny).starts_with("Deny (\u{201c}"), "{name}");
        }
        for name in ["Yes", "yes, proceed", "Allow"] {
            assert_eq!(called(name, allow), name);
        }
        assert_eq!(called("No, provide feedback", deny), "No, provide feedback");
    }
}
