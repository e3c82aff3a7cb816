//! What the model says next.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value;

use crate::conversation::{Conversation, Place};
use crate::mapping::{self, ToolCall};
use crate::offer::Offer;
use crate::script;

/// A turn of the model, in the words of no wire.
#[derive(Debug)]
pub(crate) struct Turn {
    /// In the pieces that are sent one by one.
    pub(crate) text: Vec<String>,
    /// Before each piece but the first.
    pub(crate) pause: Duration,
    pub(crate) calls: Vec<ToolCall>,
    /// What was played, for the journal.
    pub(crate) place: Option<Place>,
}

impl Turn {
    pub(crate) fn next(conversation: &Conversation, offer: &Offer) -> Self {
        let say =
            |text: String| Self { text: vec![text], pause: Duration::ZERO, calls: Vec::new(), place: None };
        // Agents also ask for titles and the like, without tools: any short text will do.
        let place = conversation.place().filter(|_| !offer.is_empty());
        let Some(place) = place else {
            return say("Fine.".to_owned());
        };
        let turn = match script::turns(&place.case, &place.folder) {
            None => say(format!("There is no case `{}`.", place.case)),
            Some(turns) => match turns.get(place.step) {
                Some(wishes) => Self::wishing(wishes, &place, offer),
                None if place.case == "slow text" && place.step == 0 => slow(),
                None => say(format!("Done: {}.", place.case)),
            },
        };
        Self { place: Some(place), ..turn }
    }

    fn wishing(wishes: &[script::Wish], place: &Place, offer: &Offer) -> Self {
        let mut text = format!("Step {} of {}.", place.step + 1, place.case);
        let mut calls = Vec::new();
        for wish in wishes {
            match mapping::call(wish, offer) {
                Some(call) => calls.push(call),
                None => text += &format!(" No tool for {} among {}.", wish.kind(), offer.names().join(", ")),
            }
        }
        Self { text: vec![text], pause: Duration::ZERO, calls, place: None }
    }

    pub(crate) fn whole_text(&self) -> String {
        self.text.concat()
    }
}

/// Five seconds of text: time enough for a cancellation in the middle.
fn slow() -> Turn {
    let text = (1..=20).map(|n| format!("word {n} ")).collect();
    Turn { text, pause: Duration::from_millis(250), calls: Vec::new(), place: None }
}

/// A piece of a streamed answer. Both wires name the event by the `type` in it.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) pause: Duration,
    pub(crate) data: Value,
}

impl From<Value> for Frame {
    fn from(data: Value) -> Self {
        Self { pause: Duration::ZERO, data }
    }
}

/// An id that this server gives once, with the prefix that the wire has for its kind.
pub(crate) fn fresh_id(prefix: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{prefix}_scripted{:08}", NEXT.fetch_add(1, Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Speaker;
    use crate::offer::{Form, Tool};

    fn conversation(prompt: &str) -> Conversation {
        let mut conversation = Conversation::default();
        conversation.push(Speaker::User, prompt);
        conversation
    }

    fn offer() -> Offer {
        Offer::from_iter([Tool::new("Write", Form::Object, None)])
    }

    #[test]
    fn given_no_tools_then_there_is_only_a_short_text() {
        let turn = Turn::next(&conversation("case: write file in /p"), &Offer::default());
        assert_eq!((turn.whole_text().as_str(), turn.calls.len()), ("Fine.", 0));
    }

    #[test]
    fn given_a_wish_without_a_tool_then_the_text_says_so_and_the_others_are_called() {
        let turn = Turn::next(&conversation("case: two tools in /p"), &offer());
        assert_eq!(turn.calls.len(), 1);
        assert!(turn.whole_text().contains("No tool for run among Write."), "{turn:?}");
    }

    #[test]
    fn given_all_turns_played_then_the_case_is_done() {
        let mut conversation = conversation("case: write file in /p");
        conversation.push(Speaker::Model, "");
        let turn = Turn::next(&conversation, &offer());
        assert_eq!((turn.whole_text().as_str(), turn.calls.len()), ("Done: write file.", 0));
    }

    #[test]
    fn given_an_unknown_case_then_the_text_says_so() {
        let turn = Turn::next(&conversation("case: dance in /p"), &offer());
        assert_eq!(turn.whole_text(), "There is no case `dance`.");
    }
}
