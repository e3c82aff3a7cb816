//! What a run has left to look at, and the laws that every run keeps.

use std::fmt;

use serde_json::Value;

use crate::processes::Process;
use crate::running::Output;
use crate::wire::Wire;

/// A run that has ended.
pub(crate) struct Done {
    pub(crate) code: i32,
    /// What it wrote with `--format stream-json`.
    pub(crate) lines: Vec<Value>,
    /// What went between mayi and the agent.
    pub(crate) wire: Wire,
    err: String,
    /// What the model was asked, in short.
    model: Vec<String>,
}

impl Done {
    /// Checks what holds after every run.
    pub(crate) fn new(output: Output, wire: Wire, left: Vec<Process>, model: Vec<String>) -> Self {
        let parsed = output.lines.iter().map(|line| match serde_json::from_str::<Value>(line) {
            Ok(value) if value.is_object() => value,
            _ => panic!("with --format stream-json every line is an object, but not {line:?}"),
        });
        let done = Self { code: output.code, lines: parsed.collect(), wire, err: output.err, model };
        done.ends_with_its_result();
        done.answered_each_question_once_and_narrowly();
        assert!(left.is_empty(), "processes are left: {left:#?}\n{done}");
        assert!(!done.err.contains("panicked"), "{done}");
        done
    }

    /// S1.2: one stable, documented, versioned shape; the last line is the result, and it says how
    /// the process exited.
    fn ends_with_its_result(&self) {
        let results = self.of("result").count();
        let last = self.lines.last();
        assert!(results == 1 && last.is_some_and(|last| last["type"] == "result"), "{self}");
        assert_eq!(self.result()["version"], 1, "{self}");
        assert_eq!(self.result()["exitCode"], self.code, "{self}");
        assert!(self.of("start").count() <= 1, "{self}");
    }

    /// Architecture, invariant 4: "Every request of an agent gets exactly one answer." D6.26: mayi's own
    /// allow picks only `allow_once`, and a denial picks a `reject_once`; nothing here is answered by a person.
    fn answered_each_question_once_and_narrowly(&self) {
        for question in self.wire.questions() {
            assert_eq!(question.answers(), 1, "{question:?}\n{self}");
            match question.outcome() {
                Some("selected") => {
                    let picked = question.picked();
                    assert!(matches!(picked, Some("allow_once" | "reject_once")), "{question:?}\n{self}");
                }
                outcome => assert_eq!(outcome, Some("cancelled"), "{question:?}\n{self}"),
            }
        }
    }

    /// The lines of one type.
    pub(crate) fn of(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.lines.iter().filter(move |line| line["type"] == kind)
    }

    /// The last line.
    pub(crate) fn result(&self) -> &Value {
        self.lines.last().unwrap()
    }

    /// The agent's answer.
    pub(crate) fn text(&self) -> &str {
        self.result()["text"].as_str().unwrap()
    }

    /// One of the counts.
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.result()["tally"][name].as_u64().unwrap_or_else(|| panic!("no count `{name}`: {self}"))
    }

    /// All tool calls that ran without asking.
    pub(crate) fn unasked(&self) -> u64 {
        self.count("unasked_allowed") + self.count("unasked_ask") + self.count("unasked_denied")
    }

    /// The rules that mayi proposes for what nobody answered.
    pub(crate) fn would_allow(&self) -> Vec<&str> {
        let patterns = self.result()["tally"]["would_allow"].as_array().unwrap();
        patterns.iter().filter_map(Value::as_str).collect()
    }

    /// Whether there is a decision with this effect, and a finding of it that is from this source and on this access.
    pub(crate) fn decided(&self, effect: &str, source: &str, access: &str) -> bool {
        self.of("decision").map(|line| &line["decision"]).any(|decision| {
            let trail = decision["trail"].as_array().into_iter().flatten();
            let named =
                |finding: &Value| finding["access"].as_str().is_some_and(|text| text.contains(access));
            decision["effect"] == effect
                && trail
                    .filter(|finding| finding["effect"] == effect && finding["source"] == source)
                    .any(named)
        })
    }

    /// It went through: everything was allowed by a rule, nothing was refused, and the script came to its end.
    pub(crate) fn is_allowed(&self, calls: u64) {
        assert_eq!(self.code, 0, "{self}");
        assert_eq!(self.result()["stopReason"], "end_turn", "{self}");
        assert_eq!(self.result()["error"], Value::Null, "{self}");
        assert_eq!(self.count("allowed"), calls, "{self}");
        assert_eq!(self.count("denied") + self.count("unanswered") + self.count("cancelled"), 0, "{self}");
        assert!(self.text().contains("Done: "), "{self}");
    }

    /// Exit code 5: "something was denied".
    pub(crate) fn is_denied(&self) {
        assert_eq!(self.code, 5, "{self}");
        assert!(self.count("denied") > 0 && self.count("unanswered") == 0, "{self}");
        self.refused_with_a_reason(false);
    }

    /// Exit code 6: "something needed an answer and nobody gave one".
    pub(crate) fn is_unanswered(&self) {
        assert_eq!(self.code, 6, "{self}");
        assert!(self.count("unanswered") > 0 && self.count("denied") == 0, "{self}");
        self.refused_with_a_reason(true);
    }

    /// D6.30: A deny tells why: `_meta` of the answer.
    fn refused_with_a_reason(&self, unanswered: bool) {
        let questions = self.wire.questions();
        let mut refused =
            questions.iter().filter(|question| question.picked() == Some("reject_once")).peekable();
        assert!(refused.peek().is_some(), "nothing was refused: {self}");
        for question in refused {
            let (reason, of_nobody) =
                question.reason().unwrap_or_else(|| panic!("no reason in {question:?}\n{self}"));
            assert!(!reason.is_empty() && of_nobody == unanswered, "{question:?}\n{self}");
        }
    }
}

/// What happened, for the message of a failed test.
impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "exit code {}; it wrote", self.code)?;
        for line in &self.lines {
            let text: String = line.to_string().chars().take(700).collect();
            writeln!(f, "  {text}")?;
        }
        writeln!(f, "the model was asked\n  {}", self.model.join("\n  "))?;
        for question in self.wire.questions() {
            writeln!(f, "the agent asked {question:?}")?;
        }
        write!(f, "standard error: {}", self.err)
    }
}

/// A run as a person sees it.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) code: i32,
    /// The agent's answer.
    pub(crate) out: String,
    /// What mayi says.
    pub(crate) err: String,
}

impl Told {
    pub(crate) fn new(output: Output) -> Self {
        Self { code: output.code, out: output.lines.join("\n"), err: output.err }
    }
}
