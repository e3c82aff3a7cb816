//! What the demo agent can do.

use crate::script::SCENARIOS;
use crate::turn::{DemoStop, Turn};

/// Prints the scenarios; with the text that was not understood, if that is why.
pub(crate) fn run(turn: &Turn, unknown: Option<&str>) -> Result<(), DemoStop> {
    turn.say_at_once(help_text(unknown))
}

fn help_text(unknown: Option<&str>) -> String {
    let mut text = String::new();
    if let Some(unknown) = unknown {
        text += &format!("I don't understand `demo: {unknown}`.\n\n");
    }
    text += "I am a demo agent: a script, no model, no network. I do what the prompt names:\n\n";
    for (usage, what) in SCENARIOS {
        text += &format!("- `{usage}` {what}\n");
    }
    text += "\nAny other text is a tour. Several scenarios, with `;;` between them, run in order.\n";
    text
}
