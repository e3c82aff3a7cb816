//! The cases: what the model does, turn by turn, in words of no agent.

use std::path::Path;

use serde_json::{Map, Value, json};

/// Something that the model wants done. `mapping` finds the agent's tool for it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Wish {
    Write {
        path: String,
        content: String,
    },
    Edit {
        path: String,
        old: String,
        new: String,
    },
    Read {
        path: String,
    },
    Run {
        command: String,
    },
    /// The same outside of the agent's own sandbox, where it has one.
    RunOutside {
        command: String,
    },
    Fetch {
        url: String,
    },
    Mcp {
        server: String,
        tool: String,
        arguments: Map<String, Value>,
    },
    Subagent {
        prompt: String,
    },
    Ask {
        question: String,
        answers: Vec<String>,
    },
    Plan {
        steps: Vec<String>,
    },
}

impl Wish {
    /// For messages about a wish that no tool fits.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Write { .. } => "write",
            Self::Edit { .. } => "edit",
            Self::Read { .. } => "read",
            Self::Run { .. } | Self::RunOutside { .. } => "run",
            Self::Fetch { .. } => "fetch",
            Self::Mcp { .. } => "mcp",
            Self::Subagent { .. } => "subagent",
            Self::Ask { .. } => "ask",
            Self::Plan { .. } => "plan",
        }
    }
}

/// The turns of a case, each with what is wished in it at once; after the last one the model only says that it is done.
/// `None` for a name that is no case.
///
/// `edit file` and `read file` expect a `notes.txt` with a line `line two`; `delete file` removes it.
pub(crate) fn turns(case: &str, folder: &str) -> Option<Vec<Vec<Wish>>> {
    let at = |name: &str| format!("{}/{name}", folder.trim_end_matches('/'));
    let write = |name: &str, content: &str| Wish::Write { path: at(name), content: content.to_owned() };
    let read = |path: String| Wish::Read { path };
    let run = |command: &str| Wish::Run { command: command.to_owned() };
    let mini = |tool: &str, key: &str, value: String| Wish::Mcp {
        server: "mini".to_owned(),
        tool: tool.to_owned(),
        arguments: Map::from_iter([(key.to_owned(), json!(value))]),
    };

    Some(match case {
        "write file" => vec![vec![write("hello.txt", "hello from the script\n")]],
        // 10 MiB.
        "write large file" => vec![vec![write("large.txt", &"0123456789abcde\n".repeat(10 << 16))]],
        "write outside" => {
            let parent = Path::new(folder).parent()?.join("outside.txt");
            vec![vec![Wish::Write {
                path: parent.to_string_lossy().into_owned(),
                content: "outside\n".into(),
            }]]
        }
        "two writes" => vec![vec![write("a.txt", "a\n"), write("b.txt", "b\n")]],
        "three writes" => ["a.txt", "b.txt", "c.txt"].map(|name| vec![write(name, "x\n")]).into(),
        "edit file" => vec![
            vec![read(at("notes.txt"))],
            vec![Wish::Edit { path: at("notes.txt"), old: "line two".into(), new: "line TWO".into() }],
        ],
        "read file" => vec![vec![read(at("notes.txt"))]],
        "read outside" => vec![vec![read("/etc/hostname".to_owned())]],
        "run command" => vec![vec![run("touch ran.txt && echo it ran")]],
        "run outside" => vec![vec![Wish::RunOutside { command: "touch ran.txt".to_owned() }]],
        "run once" => vec![vec![run("touch ran.txt")]],
        // What the script of the test's starts is there while the second one is asked about.
        "run after script" => vec![vec![run("sh loose.sh")], vec![run("touch ran.txt")]],
        "run twice" => vec![vec![run("touch ran.txt")], vec![run("touch ran.txt")]],
        "run two commands" => vec![vec![run("touch first.txt")], vec![run("touch second.txt")]],
        // Port 9 refuses, so nothing is reached even when it runs.
        "run network" => vec![vec![run("curl -sS -m 2 http://127.0.0.1:9/; echo status $?")]],
        "delete file" => vec![vec![run("rm -f notes.txt")]],
        "two tools" => vec![vec![write("a.txt", "a\n"), run("touch b.txt")]],
        "write then run" => vec![vec![write("c.txt", "c\n")], vec![run("cat c.txt && touch d.txt")]],
        "mcp echo" => vec![vec![mini("echo", "message", "hello mcp".to_owned())]],
        "mcp wipe" => vec![vec![mini("wipe", "path", at("wipe.txt"))]],
        "mcp plain" => vec![vec![mini("plain", "path", at("plain.txt"))]],
        "mcp peek" => vec![vec![mini("peek", "path", at("notes.txt"))]],
        "subagent" => vec![vec![Wish::Subagent { prompt: format!("case: sub write in {folder}") }]],
        "sub write" => vec![vec![write("sub.txt", "from the sub-agent\n")]],
        "fetch" => vec![vec![Wish::Fetch { url: "http://127.0.0.1:9/".to_owned() }]],
        "ask" => vec![vec![Wish::Ask {
            question: "Which colour?".to_owned(),
            answers: vec!["red".to_owned(), "blue".to_owned()],
        }]],
        "plan" => vec![vec![Wish::Plan { steps: vec!["write a file".to_owned(), "run it".to_owned()] }]],
        "text" | "slow text" => Vec::new(),
        _ => day(case.strip_prefix("day of ")?)?.iter().map(|command| vec![run(command)]).collect(),
    })
}

/// What an agent runs in a day with this language.
fn day(language: &str) -> Option<Vec<String>> {
    let days: toml::Value = toml::from_str(include_str!("../../../agents/day.toml")).ok()?;
    let mut days = days["day"].as_array()?.iter();
    let day = days.find(|day| day["language"].as_str() == Some(language))?;
    day["commands"].as_array()?.iter().map(|command| Some(command.as_str()?.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_a_name_that_is_no_case_then_there_are_no_turns() {
        assert_eq!(turns("write fiel", "/p"), None);
    }

    #[test]
    fn given_a_day_then_each_command_is_a_turn() {
        for language in ["rust", "javascript", "python", "go"] {
            assert_eq!(turns(&format!("day of {language}"), "/p").unwrap().len(), 40, "{language}");
        }
    }

    #[test]
    fn given_a_folder_with_a_slash_at_its_end_then_paths_have_one_slash() {
        let wishes = turns("write file", "/p/").unwrap().concat();
        assert!(matches!(&wishes[..], [Wish::Write { path, .. }] if path == "/p/hello.txt"), "{wishes:?}");
    }

    #[test]
    fn given_the_subagent_case_then_its_prompt_is_a_case_of_its_own() {
        let wishes = turns("subagent", "/p").unwrap().concat();
        let [Wish::Subagent { prompt }] = &wishes[..] else { panic!("{wishes:?}") };
        let mut inner = crate::conversation::Conversation::default();
        inner.push(crate::conversation::Speaker::User, prompt.as_str());
        let place = inner.place().unwrap();
        assert!(turns(&place.case, &place.folder).is_some(), "{place:?}");
    }
}
