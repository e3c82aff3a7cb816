//! Leaving plan mode, the question with an option that says far more than "yes".

use agent_client_protocol::v1::schema::{
    CurrentModeUpdate, PermissionOption, PermissionOptionKind, SessionUpdate, ToolCall, ToolKind,
};
use serde_json::json;

use crate::calls::{CallOutcome, PermissionAnswer};
use crate::session::{ASK, FREE};
use crate::turn::{DemoStop, Turn};

const MANUALLY: &str = "exit-plan-default";
const BYPASS: &str = "bypassPermissions";

/// Asks to leave plan mode; in mode `free` there is nothing to ask.
pub(crate) async fn run(turn: &Turn) -> Result<(), DemoStop> {
    const PLAN: &str = "1. Write a file.\n2. Run a command.";
    if turn.session.is_free() {
        return turn.say_slowly("I am in mode free: there is nothing to ask.").await;
    }
    turn.say_slowly("My plan is ready. May I go on?").await?;
    let call = ToolCall::new(turn.next_call(), "Approve plan")
        .name("exit_plan_mode".to_owned())
        .kind(ToolKind::SwitchMode)
        .raw_input(json!({ "plan": PLAN }))
        .content(vec![PLAN.into()]);
    turn.announce_call(&call)?;
    let options = vec![
        PermissionOption::new(MANUALLY, "Yes, manually approve edits", PermissionOptionKind::AllowOnce),
        PermissionOption::new(BYPASS, "Yes, and bypass permissions", PermissionOptionKind::AllowAlways),
        PermissionOption::new("reject", "No, keep planning", PermissionOptionKind::RejectOnce),
    ];
    let (outcome, said) = match turn.request_permission(&call, options).await? {
        PermissionAnswer::Chosen(id) if &*id.0 == MANUALLY => {
            switch_mode(turn, ASK, "I go on, and ask before each step.")?
        }
        PermissionAnswer::Chosen(id) if &*id.0 == BYPASS => {
            switch_mode(turn, FREE, "I go on, and ask nothing from now on.")?
        }
        PermissionAnswer::Chosen(_) => (CallOutcome::Denied, "I keep planning."),
        PermissionAnswer::Error(error) => {
            (CallOutcome::Failed(error), "Nobody could be asked, so I keep planning.")
        }
    };
    turn.finish_call(&call, &outcome)?;
    turn.say_slowly(said).await
}

fn switch_mode(
    turn: &Turn,
    mode: &'static str,
    said: &'static str,
) -> Result<(CallOutcome, &'static str), DemoStop> {
    turn.session.set_mode(mode);
    turn.send_update(SessionUpdate::CurrentModeUpdate(CurrentModeUpdate::new(mode)))?;
    Ok((CallOutcome::Done(mode.to_owned()), said))
}
