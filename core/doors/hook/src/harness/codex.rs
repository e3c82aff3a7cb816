//! Codex. Its hooks have Claude Code's shape; before a tool only a denial counts, and an "allow" or "ask" there is a failure, after
//! which the tool runs.

use serde_json::Value;

use super::claude;
use super::{Answer, Harness, Output, Say};
use crate::event::{Event, Kind};
use crate::tools::Does;

pub(super) static HARNESS: Harness = Harness {
    name: "codex",
    title: "Codex",
    agent: "codex",
    read,
    write,
    tools: TOOLS,
    servers: claude::servers,
    // Within its sandbox it runs commands without asking, so nothing said is no question.
    asks: |event| event.kind == Kind::Request,
};

const TOOLS: &[(&str, Does)] = &[
    ("Bash", Does::Runs),
    ("Edit", Does::Patches),
    ("Write", Does::Patches),
    ("apply_patch", Does::Patches),
    ("exec_command", Does::Runs),
    ("local_shell", Does::Runs),
    ("read_file", Does::Reads),
    ("list_dir", Does::Lists),
    ("shell", Does::Runs),
    ("shell_command", Does::Runs),
    ("update_plan", Does::Thinks),
    ("view_image", Does::Reads),
    ("web_search", Does::SearchesWeb),
];

fn read(value: &Value) -> Result<Event, String> {
    (claude::HARNESS.read)(value)
}

fn write(event: &Event, answer: &Answer) -> Output {
    match (event.kind, &answer.say) {
        // One member too many beside a denial, and the tool runs; exit code 2 with a reason blocks in any case (0.169.0).
        (Kind::Before, Say::Deny(reason) | Say::Ask(reason)) => {
            Output::blocked(reason.strip_prefix("mayi: ").unwrap_or(reason))
        }
        (Kind::Before, _) => Output::nothing(),
        _ => claude::write(event, answer),
    }
}
