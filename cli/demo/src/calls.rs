//! Tool calls: announced, asked for, done, reported.

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionId, PermissionOptionKind, RequestPermissionOutcome,
    RequestPermissionRequest, SessionUpdate, ToolCall, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use serde_json::Value;

use crate::turn::{DemoStop, Turn};

/// The options of an ordinary question: id, name, kind.
const OPTIONS: [(&str, &str, PermissionOptionKind); 3] = [
    ("allow", "Allow", PermissionOptionKind::AllowOnce),
    ("allow-always", "Always allow", PermissionOptionKind::AllowAlways),
    ("reject", "Reject", PermissionOptionKind::RejectOnce),
];

/// What became of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CallOutcome {
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
pub(crate) enum PermissionAnswer {
    Chosen(PermissionOptionId),
    /// No answer but this error.
    Error(String),
}

/// The options of an ordinary question.
pub(crate) fn permission_options() -> Vec<PermissionOption> {
    OPTIONS.map(|(id, name, kind)| PermissionOption::new(id, name, kind)).to_vec()
}

impl Turn {
    /// Announces a call, asks for it, and does the work if it may. The work's error is the call's failure.
    ///
    /// In mode `free` nothing is asked.
    pub(crate) async fn run_gated(
        &self,
        call: ToolCall,
        work: impl Future<Output = Result<String, String>>,
    ) -> Result<CallOutcome, DemoStop> {
        self.announce_call(&call)?;
        let outcome = match self.check_permission(&call).await? {
            CallOutcome::Done(_) => self.run_work(&call, work).await?,
            no => no,
        };
        self.finish_call(&call, &outcome)?;
        Ok(outcome)
    }

    /// Announces a call and does the work without asking.
    pub(crate) async fn run_unasked(
        &self,
        call: ToolCall,
        work: impl Future<Output = Result<String, String>>,
    ) -> Result<CallOutcome, DemoStop> {
        self.announce_call(&call)?;
        let outcome = self.run_work(&call, work).await?;
        self.finish_call(&call, &outcome)?;
        Ok(outcome)
    }

    /// Announces a call, pending.
    pub(crate) fn announce_call(&self, call: &ToolCall) -> Result<(), DemoStop> {
        self.call_opened(&call.tool_call_id);
        self.send_update(SessionUpdate::ToolCall(call.clone()))
    }

    /// Reports how a call ended.
    pub(crate) fn finish_call(&self, call: &ToolCall, outcome: &CallOutcome) -> Result<(), DemoStop> {
        let (status, output) = match outcome {
            CallOutcome::Done(output) => (ToolCallStatus::Completed, output.as_str()),
            CallOutcome::Denied => (ToolCallStatus::Failed, "not allowed"),
            CallOutcome::Failed(why) | CallOutcome::Skipped(why) => (ToolCallStatus::Failed, why.as_str()),
        };
        self.call_closed(&call.tool_call_id);
        let fields = ToolCallUpdateFields::new().status(status).raw_output(Value::from(output));
        self.update_call(&call.tool_call_id, fields)
    }

    /// Asks with these options. An answer `cancelled` ends the turn.
    pub(crate) async fn request_permission(
        &self,
        call: &ToolCall,
        options: Vec<PermissionOption>,
    ) -> Result<PermissionAnswer, DemoStop> {
        let request = RequestPermissionRequest::new(
            self.session.id.clone(),
            ToolCallUpdate::from(call.clone()),
            options,
        );
        match self.client.send_request(request).block_task().await {
            Ok(response) => match response.outcome {
                RequestPermissionOutcome::Selected(selected) => {
                    Ok(PermissionAnswer::Chosen(selected.option_id))
                }
                _ => Err(DemoStop::Cancelled),
            },
            Err(error) => Ok(PermissionAnswer::Error(one_line_error(&error))),
        }
    }

    /// `Done` if the call may be made.
    async fn check_permission(&self, call: &ToolCall) -> Result<CallOutcome, DemoStop> {
        if self.session.is_free() {
            return Ok(CallOutcome::Done(String::new()));
        }
        Ok(match self.request_permission(call, permission_options()).await? {
            PermissionAnswer::Chosen(id) if is_allowing_option(&id) => CallOutcome::Done(String::new()),
            PermissionAnswer::Chosen(_) => CallOutcome::Denied,
            PermissionAnswer::Error(error) => CallOutcome::Failed(format!("nobody could be asked: {error}")),
        })
    }

    async fn run_work(
        &self,
        call: &ToolCall,
        work: impl Future<Output = Result<String, String>>,
    ) -> Result<CallOutcome, DemoStop> {
        let started = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress);
        self.update_call(&call.tool_call_id, started)?;
        Ok(match work.await {
            Ok(output) => CallOutcome::Done(output),
            Err(why) => CallOutcome::Failed(why),
        })
    }
}

/// Whether an answer to [`permission_options`] allows; one that was not offered does not.
fn is_allowing_option(id: &PermissionOptionId) -> bool {
    OPTIONS.iter().any(|(offered, _, kind)| {
        *offered == &*id.0
            && matches!(kind, PermissionOptionKind::AllowOnce | PermissionOptionKind::AllowAlways)
    })
}

/// An error in one line.
pub(crate) fn one_line_error(error: &Error) -> String {
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
            .map(|id| is_allowing_option(&PermissionOptionId::new(id)))
            .to_vec();
        assert_eq!(allowed, [true, true, false, false, false, false]);
    }

    #[test]
    fn given_an_error_with_data_then_the_reason_has_both() {
        assert_eq!(one_line_error(&Error::invalid_params().data("no path")), "Invalid params: no path");
        assert_eq!(one_line_error(&Error::invalid_params()), "Invalid params");
    }
}
