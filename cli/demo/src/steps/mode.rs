//! Leaving plan mode, the question with an option that says far more than "yes".

use agent_client_protocol::v1::schema::{
    CurrentModeUpdate, PermissionOption, PermissionOptionKind, SessionUpdate, ToolCall, ToolKind,
};
use serde_json::json;

use crate::calls::{Answer, Outcome};
use crate::session::{ASK, FREE};
use crate::turn::{Stop, Turn};

const MANUALLY: &str = "exit-plan-default";
const BYPASS: &str = "bypassPermissions";

/// Asks to leave plan mode; in mode `free` there is nothing to ask.
pub(crate) async fn run(turn: &Turn) -> Result<(), Stop> {
    const PLAN: &str = "1. Write a file.\n2. Run a command.";
    if turn.session.is_free() {
        return turn.say("I am in mode free: there is nothing to ask.").await;
    }
    turn.say("My plan is ready. May I go on?").await?;
    let call = ToolCall::new(turn.next_call(), "Approve plan")
        .name("exit_plan_mode".to_owned())
        .kind(ToolKind::SwitchMode)
        .raw_input(json!({ "plan": PLAN }))
        .content(vec![PLAN.into()]);
    turn.open(&call)?;
    let options = vec![
        PermissionOption::new(MANUALLY, "Yes, manually approve edits", PermissionOptionKind::AllowOnce),
        PermissionOption::new(BYPASS, "Yes, and bypass permissions", PermissionOptionKind::AllowAlways),
        PermissionOption::new("reject", "No, keep planning", PermissionOptionKind::RejectOnce),
    ];
    let (outcome, said) = match turn.ask(&call, options).await? {
        Answer::Chosen(id) if &*id.0 == MANUALLY => switch(turn, ASK, "I go on, and ask before each step.")?,
        Answer::Chosen(id) if &*id.0 == BYPASS => {
            switch(turn, FREE, "I go on, and ask nothing from now on.")?
        }
        Answer::Chosen(_) => (Outcome::Denied, "I keep planning."),
        Answer::Error(error) => (Outcome::Failed(error), "Nobody could be asked, so I keep planning."),
    };
    turn.close(&call, &outcome)?;
    turn.say(said).await
}

fn switch(turn: &Turn, mode: &'static str, said: &'static str) -> Result<(Outcome, &'static str), Stop> {
    turn.session.set_mode(mode);
    turn.update(SessionUpdate::CurrentModeUpdate(CurrentModeUpdate::new(mode)))?;
    Ok((Outcome::Done(mode.to_owned()), said))
}
