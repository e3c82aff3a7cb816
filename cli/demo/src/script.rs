//! What a prompt asks the demo agent to do: text in, steps out.

use serde_json::Value;

/// One scenario, with its arguments.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// The tour, with the text that asked for it.
    Tour(String),
    /// The table of scenarios; with the text that was not understood, if that is why.
    Help(Option<String>),
    Say(String),
    Read(String),
    Write {
        file: String,
        content: String,
    },
    Edit(String),
    Run(String),
    Two,
    Fetch(String),
    Mcp {
        server: String,
        tool: String,
        arguments: Value,
    },
    Mode,
    Subagent,
    Unasked(String),
    Loop(u32),
    /// A dot for each 200 ms.
    Slow {
        dots: u32,
    },
}

/// The scenarios as `help` prints them: how they are written, and what they do.
pub(crate) const SCENARIOS: [(&str, &str); 15] = [
    ("demo: tour", "the tour, as for any other text"),
    ("demo: help", "prints this table (so do `help` and `/help`)"),
    ("demo: say TEXT", "says TEXT"),
    ("demo: read FILE", "reads FILE, without asking"),
    ("demo: write FILE CONTENT…", "asks, then writes one line of CONTENT to FILE"),
    ("demo: edit FILE", "asks, then adds a line to FILE"),
    (
        "demo: run COMMAND LINE…",
        "asks, then runs the command; through `sh -c` unless it is made of plain words",
    ),
    ("demo: two", "asks for two things at once: write `two.txt` and run `touch ran.txt`"),
    ("demo: fetch URL", "asks to fetch URL, then only pretends"),
    ("demo: mcp SERVER TOOL JSON", "asks to call an MCP tool with the arguments JSON, then only pretends"),
    ("demo: mode", "asks to leave plan mode; one answer switches to mode `free`"),
    ("demo: subagent", "a sub-agent asks, then writes `sub.txt`"),
    ("demo: unasked FILE", "writes FILE itself, without asking, and only reports it"),
    ("demo: loop N", "asks N times, one after the other, and counts the answers"),
    ("demo: slow SECONDS", "prints a dot every 200 ms"),
];

const DOTS_PER_SECOND: f64 = 5.0;
const LONGEST_SECONDS: f64 = 3600.0;
const DEFAULT_CONTENT: &str = "Hello from the demo agent.";

/// The steps a prompt names; the tour when it names none.
pub(crate) fn parse_script(prompt: &str) -> Vec<Step> {
    let steps: Vec<Step> =
        prompt.lines().flat_map(|line| line.split(";;")).filter_map(|part| parse_part(part.trim())).collect();
    let prompt = prompt.trim();
    match steps.is_empty() {
        // What a client says by itself, in brackets, is no wish: beginning anew would be the wrong answer to a refusal.
        true if prompt.starts_with('[') => {
            vec![Step::Say(format!("You said: {prompt}\nI leave it at that: tell me what to do next."))]
        }
        true => vec![Step::Tour(prompt.to_owned())],
        false => steps,
    }
}

/// One part of a prompt; `None` for plain talk.
fn parse_part(part: &str) -> Option<Step> {
    if matches!(part, "help" | "/help") {
        return Some(Step::Help(None));
    }
    let (prefix, scenario) = part.split_once(':')?;
    if !prefix.eq_ignore_ascii_case("demo") {
        return None;
    }
    let scenario = scenario.trim();
    Some(parse_scenario(scenario).unwrap_or_else(|| Step::Help(Some(scenario.to_owned()))))
}

/// What stands behind `demo:`; `None` when it is unknown, or an argument is missing or wrong.
fn parse_scenario(scenario: &str) -> Option<Step> {
    let (name, rest) = first_word(scenario);
    let argument = || (!rest.is_empty()).then(|| rest.to_owned());
    Some(match name {
        "tour" => Step::Tour(rest.to_owned()),
        "help" => Step::Help(None),
        "say" => Step::Say(rest.to_owned()),
        "read" => Step::Read(argument()?),
        "write" => {
            argument()?;
            let (file, content) = first_word(rest);
            let content = if content.is_empty() { DEFAULT_CONTENT } else { content };
            Step::Write { file: file.to_owned(), content: format!("{content}\n") }
        }
        "edit" => Step::Edit(argument()?),
        "run" => Step::Run(argument()?),
        "two" => Step::Two,
        "fetch" => Step::Fetch(argument()?),
        "mcp" => parse_mcp(rest)?,
        "mode" => Step::Mode,
        "subagent" => Step::Subagent,
        "unasked" => Step::Unasked(argument()?),
        "loop" => Step::Loop(rest.parse().ok()?),
        "slow" => Step::Slow { dots: parse_dots(rest)? },
        _ => return None,
    })
}

/// `SERVER TOOL JSON`; no JSON is an empty object.
fn parse_mcp(rest: &str) -> Option<Step> {
    let (server, rest) = first_word(rest);
    let (tool, json) = first_word(rest);
    if tool.is_empty() {
        return None;
    }
    let json = if json.is_empty() { "{}" } else { json };
    Some(Step::Mcp {
        server: server.to_owned(),
        tool: tool.to_owned(),
        arguments: serde_json::from_str(json).ok()?,
    })
}

/// How many dots fill that many seconds, an hour at most.
fn parse_dots(seconds: &str) -> Option<u32> {
    let seconds: f64 = seconds.parse().ok()?;
    // In range, and `as` saturates: a NaN and a negative number are no dots.
    Some((seconds.min(LONGEST_SECONDS) * DOTS_PER_SECOND).round() as u32)
}

/// The first word, and what follows it.
fn first_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn given_text_that_names_no_scenario_then_it_is_a_tour() {
        for prompt in ["Show me what you can do", "", "see https://example.org", "the demo: is nice"] {
            assert_eq!(parse_script(prompt), [Step::Tour(prompt.to_owned())], "{prompt}");
        }
        assert_eq!(parse_script("demo: tour"), [Step::Tour(String::new())]);
    }

    /// What a person says when denying something comes in brackets, in a prompt of its own: the tour does not begin anew.
    #[test]
    fn given_what_a_client_says_in_brackets_then_it_is_answered_and_nothing_begins() {
        let said = parse_script(
            "[mayi] The user refused what you asked for, and says why:\n- not today\nGo on accordingly.",
        );
        assert!(
            matches!(&said[..], [Step::Say(text)] if text.starts_with("You said: ") && text.contains("not today"))
        );
    }

    #[test]
    fn given_each_scenario_then_its_arguments_are_taken() {
        let cases = [
            ("demo: say two  words", Step::Say("two  words".into())),
            ("demo: read docs/a b.md", Step::Read("docs/a b.md".into())),
            ("demo: edit notes.txt", Step::Edit("notes.txt".into())),
            ("demo: run ls -l | wc", Step::Run("ls -l | wc".into())),
            ("demo: two", Step::Two),
            ("demo: fetch https://example.org/?a=b", Step::Fetch("https://example.org/?a=b".into())),
            ("demo: mode", Step::Mode),
            ("demo: subagent", Step::Subagent),
            ("demo: unasked x.txt", Step::Unasked("x.txt".into())),
            ("demo: loop 1000", Step::Loop(1000)),
            ("demo: slow 1.5", Step::Slow { dots: 8 }),
            ("demo: slow -1", Step::Slow { dots: 0 }),
            ("DEMO:say hi", Step::Say("hi".into())),
            ("help", Step::Help(None)),
            ("/help", Step::Help(None)),
        ];
        for (prompt, step) in cases {
            assert_eq!(parse_script(prompt), [step], "{prompt}");
        }
    }

    #[test]
    fn given_a_write_then_the_content_is_one_line_and_has_a_default() {
        let write = |file: &str, content: &str| Step::Write { file: file.into(), content: content.into() };
        assert_eq!(parse_script("demo: write a.txt some text"), [write("a.txt", "some text\n")]);
        assert_eq!(parse_script("demo: write a.txt"), [write("a.txt", "Hello from the demo agent.\n")]);
    }

    #[test]
    fn given_an_mcp_call_then_its_arguments_are_json() {
        let mcp = |arguments| Step::Mcp { server: "everything".into(), tool: "echo".into(), arguments };
        assert_eq!(
            parse_script(r#"demo: mcp everything echo {"message": "hi mcp"}"#),
            [mcp(json!({"message": "hi mcp"}))]
        );
        assert_eq!(parse_script("demo: mcp everything echo"), [mcp(json!({}))]);
        assert_eq!(
            parse_script("demo: mcp everything echo {oops"),
            [Step::Help(Some("mcp everything echo {oops".into()))]
        );
    }

    #[test]
    fn given_a_scenario_that_is_unknown_or_incomplete_then_the_answer_is_help() {
        for scenario in ["dance", "read", "write", "loop many", "slow", "mcp everything", ""] {
            assert_eq!(parse_script(&format!("demo: {scenario}")), [Step::Help(Some(scenario.to_owned()))]);
        }
    }

    #[test]
    fn given_several_scenarios_then_they_run_in_order_and_talk_is_ignored() {
        assert_eq!(
            parse_script("Please do this:\n demo: say one ;; demo: two\n\ndemo: say three;;thanks"),
            [Step::Say("one".into()), Step::Two, Step::Say("three".into())]
        );
    }

    #[test]
    fn given_the_table_of_scenarios_then_help_and_the_documentation_agree() {
        let documentation = include_str!("lib.rs");
        for (usage, what) in SCENARIOS {
            let row = format!("//! | `{usage}` | {what} |");
            assert!(documentation.contains(&row), "{row}");
        }
        assert_eq!(documentation.matches("//! | `demo: ").count(), SCENARIOS.len());
    }
}
