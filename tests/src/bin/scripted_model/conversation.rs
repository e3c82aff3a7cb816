//! Where in its script a conversation stands.
//!
//! The server keeps no state: agents send the whole conversation with every request, and everything is found there.
//! So one server serves many sessions, sub-agents and resumed sessions at once.

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// The user, and whatever the agent puts into the user's mouth.
    User,
    /// The model: one entry for its text and its calls together.
    Model,
    /// The result of a call.
    Tool,
    /// Instructions of the agent.
    Agent,
}

impl Speaker {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Model => "model",
            Self::Tool => "tool",
            Self::Agent => "agent",
        }
    }
}

/// A conversation as both wires have it.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    said: Vec<(Speaker, String)>,
}

impl Conversation {
    /// Adds what was said. What the model says in pieces, with nothing between them, is one turn.
    pub(crate) fn push(&mut self, speaker: Speaker, text: impl Into<String>) {
        if speaker == Speaker::Model && self.said.last().is_some_and(|(last, _)| *last == Speaker::Model) {
            return;
        }
        self.said.push((speaker, text.into()));
    }

    pub(crate) fn speakers(&self) -> Vec<&'static str> {
        self.said.iter().map(|(speaker, _)| speaker.name()).collect()
    }

    /// The last case that the user asked for, and how many turns the model took since. `None` without a case.
    pub(crate) fn place(&self) -> Option<Place> {
        let (at, (case, folder)) = self
            .said
            .iter()
            .enumerate()
            .rev()
            .filter(|(_, (speaker, _))| *speaker == Speaker::User)
            .find_map(|(at, (_, text))| text.lines().rev().find_map(case_in).map(|found| (at, found)))?;
        let step = self.said.iter().skip(at).filter(|(speaker, _)| *speaker == Speaker::Model).count();
        Some(Place { case: case.to_owned(), folder: folder.to_owned(), step })
    }
}

/// The script, and the step in it, that is to be played next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) case: String,
    /// Absolute.
    pub(crate) folder: String,
    /// From 0.
    pub(crate) step: usize,
}

/// The name and the folder in `case: NAME in FOLDER`, which ends with the line: folders may have spaces. One agent puts the whole
/// prompt in quotes.
fn case_in(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.split_once("case: ")?;
    let (name, folder) = rest.split_once(" in /")?;
    // The slash belongs to the folder.
    let folder = rest.get(rest.len() - folder.len() - 1..)?;
    let plain = name.chars().all(|c| c.is_ascii_lowercase() || c == ' ');
    (plain && !name.is_empty()).then(|| (name, folder.trim_end().trim_end_matches('"')))
}

#[cfg(test)]
mod tests {
    use super::Speaker::{Agent, Model, Tool, User};
    use super::*;

    fn place(said: &[(Speaker, &str)]) -> Option<(String, String, usize)> {
        let mut conversation = Conversation::default();
        for (speaker, text) in said {
            conversation.push(*speaker, *text);
        }
        conversation.place().map(|place| (place.case, place.folder, place.step))
    }

    fn at(case: &str, folder: &str, step: usize) -> Option<(String, String, usize)> {
        Some((case.to_owned(), folder.to_owned(), step))
    }

    #[test]
    fn given_a_first_prompt_then_it_is_step_0() {
        assert_eq!(
            place(&[(Agent, "be brief"), (User, "case: write file in /p")]),
            at("write file", "/p", 0)
        );
        assert_eq!(place(&[(User, "\"case: write file in /p q\"")]), at("write file", "/p q", 0));
    }

    #[test]
    fn given_turns_of_the_model_then_each_is_a_step() {
        let said = [(User, "case: run twice in /p"), (Model, ""), (Tool, ""), (Model, ""), (Tool, "")];
        assert_eq!(place(&said), at("run twice", "/p", 2));
    }

    #[test]
    fn given_text_and_calls_in_pieces_then_they_are_one_step() {
        let said = [(User, "case: two tools in /p"), (Model, "text"), (Model, ""), (Model, ""), (Tool, "")];
        assert_eq!(place(&said), at("two tools", "/p", 1));
    }

    #[test]
    fn given_a_second_prompt_then_the_steps_start_again() {
        let said = [(User, "case: write file in /p"), (Model, ""), (Tool, ""), (User, "case: text in /p")];
        assert_eq!(place(&said), at("text", "/p", 0));
    }

    #[test]
    fn given_user_text_without_a_case_then_the_earlier_case_goes_on() {
        let said = [(User, "case: write file in /p"), (Model, ""), (Tool, ""), (User, "reminder: be kind")];
        assert_eq!(place(&said), at("write file", "/p", 1));
    }

    #[test]
    fn given_a_case_named_by_the_model_or_a_tool_then_it_does_not_count() {
        assert_eq!(place(&[(User, "hello"), (Model, "case: text in /p"), (Tool, "case: text in /p")]), None);
    }

    #[test]
    fn given_a_case_among_other_lines_then_it_is_found_with_its_whole_folder() {
        let text = "<reminder>x</reminder>\ncase: edit file in /with a space/in it \nthank you";
        assert_eq!(place(&[(User, text)]), at("edit file", "/with a space/in it", 0));
    }

    #[test]
    fn given_two_cases_in_one_text_then_the_last_counts() {
        let text = "earlier: case: text in /a\nnow: case: plan in /b";
        assert_eq!(place(&[(User, text)]), at("plan", "/b", 0));
    }
}
