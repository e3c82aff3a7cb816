//! Tools that send notifications while they work.

use std::sync::PoisonError;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use crate::changes::failed;
use crate::server::{Server, stateless};
use crate::text;

/// How long a step of the work takes, as the suite asks for it.
const STEP: Duration = Duration::from_millis(50);

/// Works in three steps, and logs each at the level `info`.
pub(crate) async fn logging(
    server: &Server,
    context: &RequestContext<RoleServer>,
) -> Result<Value, ErrorData> {
    let wanted = if stateless(context) {
        // Nothing is logged for a request that does not ask for it.
        context.meta.log_level().is_some_and(takes_info)
    } else {
        server.level.lock().unwrap_or_else(PoisonError::into_inner).is_none_or(takes_info)
    };
    for (step, message) in
        ["Tool execution started", "Tool processing data", "Tool execution completed"].iter().enumerate()
    {
        if step > 0 {
            tokio::time::sleep(STEP).await;
        }
        if wanted {
            let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(message));
            context.peer.notify_logging_message(message).await.map_err(failed)?;
        }
    }
    Ok(text("The tool has logged each of its steps, as far as that was wanted."))
}

fn takes_info(least: LoggingLevel) -> bool {
    matches!(least, LoggingLevel::Debug | LoggingLevel::Info)
}

/// Works in three steps, and reports the progress to a client that gave a token for it.
pub(crate) async fn progress(context: &RequestContext<RoleServer>) -> Result<Value, ErrorData> {
    for done in [0.0, 50.0, 100.0] {
        if done > 0.0 {
            tokio::time::sleep(STEP).await;
        }
        if let Some(token) = context.meta.get_progress_token() {
            let progress = ProgressNotificationParam::new(token, done).with_total(100.0);
            context.peer.notify_progress(progress).await.map_err(failed)?;
        }
    }
    Ok(text("The tool has made its progress."))
}
