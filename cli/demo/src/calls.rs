//! Tool calls: announced, asked for, done, reported.

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionId, PermissionOptionKind, RequestPermissionOutcome,
    RequestPermissionRequest, SessionUpdate, ToolCall, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use serde_json::Value;

use crate::turn::{Stop, Turn};

/// The options of an ordinary question: id, name, kind.
const OPTIONS: [(&str, &str, PermissionOptionKind); 3] = [
    ("allow", "Allow", PermissionOptionKind::AllowOnce),
    ("allow-always", "Always allow", PermissionOptionKind::AllowAlways),
    ("reject", "Reject", PermissionOptionKind::RejectOnce),
];

/// What became of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Done; with what came out of it.
    Done(String),
    /// The client said no.
    Denied,
    /// It was tried, or could not be asked for, and this went wrong.
    Failed(String),
    /// There was nothing to do, for this reason.
    Skipped(String),
}

/// What the client chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    Chosen(PermissionOptionId),
    /// No answer but this error.
    Error(String),
}

/// The options of an ordinary question.
pub(crate) fn options() -> Vec<PermissionOption> {
    OPTIONS.map(|(id, name, kind)| PermissionOption::new(id, name, kind)).to_vec()
}

impl Turn {
    /// Announces a call, asks for it, and does the work if it may. The work's error is the call's failure.
    ///
    /// In mode `free` nothing is asked.
    pub(crate) async fn gated(
        &self,
        call: ToolCall,
        work: impl Future<Output = Result<String, String>>,
    ) -> Result<Outcome, Stop> {
        self.open(&call)?;
        let outcome = match self.permitted(&call).await? {
            Outcome::Done(_) => self.work(&call, work).await?,
            no => no,
        };
        self.close(&call, &outcome)?;
        Ok(outcome)
    }

    /// Announces a call and does the work without asking.
    pub(crate) async fn unasked(
        &self,
        call: ToolCall,
        work: impl Future<Output = Result<String, String>>,
    ) -> Result<Outcome, Stop> {
        self.open(&call)?;
        let outcome = self.work(&call, work).await?;
        self.close(&call, &outcome)?;
        Ok(outcome)
    }

    /// Announces a call, pending.
    pub(crate) fn open(&self, call: &ToolCall) -> Result<(), Stop> {
        self.call_opened(&call.tool_call_id);
        self.update(SessionUpdate::ToolCall(call.clone()))
    }

    /// Reports how a call ended.
    pub(crate) fn close(&self, call: &ToolCall, outcome: &Outcome) -> Result<(), Stop> {
        let (status, output) = match outcome {
            Outcome::Done(output) => (ToolCallStatus::Completed, output.as_str()),
            Outcome::Denied => (ToolCallStatus::Failed, "not allowed"),
            Outcome::Failed(why) | Outcome::Skipped(why) => (ToolCallStatus::Failed, why.as_str()),
        };
        self.call_closed(&call.tool_call_id);
        let fields = ToolCallUpdateFields::new().status(status).raw_output(Value::from(output));
        self.update_call(&call.tool_call_id, fields)
    }

    /// Asks with these options. An answer `cancelled` ends the turn.
    pub(crate) async fn ask(&self, call: &ToolCall, options: Vec<PermissionOption>) -> Result<Answer, Stop> {
        let request = RequestPermissionRequest::new(
            self.session.id.clone(),
            ToolCallUpdate::from(call.clone()),
            options,
        );
        match self.client.send_request(request).block_task().await {
            Ok(response) => match response.outcome {
                RequestPermissionOutcome::Selected(selected) => Ok(Answer::Chosen(selected.option_id)),
                _ => Err(Stop::Cancelled),
            },
            Err(error) => Ok(Answer::Error(reason(&error))),
        }
    }

    /// `Done` if the call may be made.
    async fn permitted(&self, call: &ToolCall) -> Result<Outcome, Stop> {
        if self.session.is_free() {
            return Ok(Outcome::Done(String::new()));
        }
        Ok(match self.ask(call, options()).await? {
            Answer::Chosen(id) if allows(&id) => Outcome::Done(String::new()),
            Answer::Chosen(_) => Outcome::Denied,
            Answer::Error(error) => Outcome::Failed(format!("nobody could be asked: {error}")),
        })
    }

    async fn work(
        &self,
        call: &ToolCall,
        work: impl Future<Output = Result<String, String>>,
    ) -> Result<Outcome, Stop> {
        let started = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress);
        self.update_call(&call.tool_call_id, started)?;
        Ok(match work.await {
            Ok(output) => Outcome::Done(output),
            Err(why) => Outcome::Failed(why),
        })
    }
}

/// Whether an answer to [`options`] allows; one that was not offered does not.
fn allows(id: &PermissionOptionId) -> bool {
    OPTIONS.iter().any(|(offered, _, kind)| {
        *offered == &*id.0
            && matches!(kind, PermissionOptionKind::AllowOnce | PermissionOptionKind::AllowAlways)
    })
}

/// An error in one line.
pub(crate) fn reason(error: &Error) -> String {
    match &error.data {
        Some(Value::String(data)) => format!("{}: {data}", error.message),
        Some(data) => format!("{}: {data}", error.message),
        None => error.message.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_an_answer_then_only_the_two_offered_allows_allow() {
        let allowed: Vec<bool> = ["allow", "allow-always", "reject", "Allow", "allow_once", ""]
            .map(|id| allows(&PermissionOptionId::new(id)))
            .to_vec();
        assert_eq!(allowed, [true, true, false, false, false, false]);
    }

    #[test]
    fn given_an_error_with_data_then_the_reason_has_both() {
        assert_eq!(reason(&Error::invalid_params().data("no path")), "Invalid params: no path");
        assert_eq!(reason(&Error::invalid_params()), "Invalid params");
    }
}
