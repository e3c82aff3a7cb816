//! What went between mayi and the agent, as the tap wrote it down.

use std::path::Path;

use serde_json::Value;

/// Both directions of one run.
#[derive(Debug, Default)]
pub(crate) struct Wire {
    to_agent: Vec<Value>,
    from_agent: Vec<Value>,
}

/// One `session/request_permission`, with its answer.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    request: &'a Value,
    answers: Vec<&'a Value>,
}

impl Wire {
    pub(crate) fn read(folder: &Path) -> Self {
        // The last line is cut where the agent was ended while it wrote.
        let read = |name: &str| {
            let text = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
        };
        Self { to_agent: read("to_agent.jsonl"), from_agent: read("from_agent.jsonl") }
    }

    /// The parameters of each call of `method` that mayi made.
    pub(crate) fn sent(&self, method: &str) -> Vec<&Value> {
        let sent = self.to_agent.iter().filter(|message| message["method"] == method);
        sent.map(|message| &message["params"]).collect()
    }

    /// What the agent asked permission for, in order.
    pub(crate) fn questions(&self) -> Vec<Question<'_>> {
        let asked =
            self.from_agent.iter().filter(|message| message["method"] == "session/request_permission");
        let questions = asked.map(|request| {
            // Both sides number their requests as they like: an answer has no method.
            let answers = self
                .to_agent
                .iter()
                .filter(|message| message.get("method").is_none() && message["id"] == request["id"]);
            Question { request, answers: answers.collect() }
        });
        questions.collect()
    }
}

impl Question<'_> {
    /// How often it was answered.
    pub(crate) fn answers(&self) -> usize {
        self.answers.len()
    }

    /// `selected` or `cancelled`.
    pub(crate) fn outcome(&self) -> Option<&str> {
        self.answers.first()?.pointer("/result/outcome/outcome")?.as_str()
    }

    /// The kind of the option that was picked.
    pub(crate) fn picked(&self) -> Option<&str> {
        let picked = self.answers.first()?.pointer("/result/outcome/optionId")?;
        let option = self.offered().find(|option| option["optionId"] == *picked);
        option.unwrap_or_else(|| panic!("{picked} was not offered: {self:?}"))["kind"].as_str()
    }

    /// The kinds of the options.
    pub(crate) fn kinds(&self) -> Vec<&str> {
        self.offered().filter_map(|option| option["kind"].as_str()).collect()
    }

    /// What mayi says to a refusal, for agents that read it, and whether it is that nobody answered.
    pub(crate) fn reason(&self) -> Option<(&str, bool)> {
        let said = self.answers.first()?.pointer("/result/_meta/mayi")?;
        Some((said["denied"].as_str()?, said["unanswered"].as_bool()?))
    }

    /// The kind of the tool call, as the agent says.
    pub(crate) fn tool_kind(&self) -> Option<&str> {
        self.request.pointer("/params/toolCall/kind")?.as_str()
    }

    fn offered(&self) -> impl Iterator<Item = &Value> {
        let options = self.request.pointer("/params/options").and_then(Value::as_array);
        options.into_iter().flatten()
    }
}
