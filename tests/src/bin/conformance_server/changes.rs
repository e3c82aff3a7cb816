//! Changes that a client asks for, and who hears of them: a session's own client at once, and whoever listens.
//!
//! The lists themselves stay as they are. Only the notifications are what the suite looks at.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::ErrorData;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{RequestContext, RoleServer, ServiceError, SubscriptionContext, SubscriptionSendError};
use serde_json::Value;
use tokio::sync::broadcast;

use crate::server::{Server, stateless};
use crate::text;

/// The resource that `test_trigger_resource_change` is about.
pub(crate) const WATCHED: &str = "test://watched-resource";

/// As many changes may wait for a slow listener.
const ROOM: usize = 64;

#[derive(Clone, Copy)]
enum Change {
    Tools,
    Prompts,
    Watched,
}

/// All listeners.
#[derive(Clone)]
pub(crate) struct Changes {
    sender: broadcast::Sender<Change>,
    /// What listeners hear that are about to be told that they are subscribed.
    beginning: Arc<Mutex<VecDeque<broadcast::Receiver<Change>>>>,
}

impl Changes {
    pub(crate) fn new() -> Self {
        Self { sender: broadcast::Sender::new(ROOM), beginning: Arc::default() }
    }

    /// A listener begins. `rmcp` acknowledges a subscription before it asks for what is to be told: what changes in between
    /// was lost, since nobody had listened yet.
    pub(crate) fn begin(&self) {
        self.lock_beginning().push_back(self.sender.subscribe());
    }

    fn lock_beginning(&self) -> MutexGuard<'_, VecDeque<broadcast::Receiver<Change>>> {
        self.beginning.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells one listener of everything that it asked for, until it leaves.
    pub(crate) async fn tell(&self, listener: &SubscriptionContext) {
        // All that have begun hear the same: which of them this one is does not matter.
        let begun = self.lock_beginning().pop_front();
        let mut changes = begun.unwrap_or_else(|| self.sender.subscribe());
        loop {
            let change = tokio::select! {
                change = changes.recv() => change,
                () = listener.cancelled() => return,
            };
            let sent = match change {
                Ok(Change::Tools) => listener.sink().notify_tool_list_changed().await,
                Ok(Change::Prompts) => listener.sink().notify_prompt_list_changed().await,
                Ok(Change::Watched) => listener.sink().notify_resource_updated(WATCHED).await,
                Err(broadcast::error::RecvError::Lagged(_)) => continue,
                Err(broadcast::error::RecvError::Closed) => return,
            };
            match sent {
                // What it did not ask for is not for it.
                Ok(()) | Err(SubscriptionSendError::NotificationNotAccepted(_)) => {}
                Err(_) => return,
            }
        }
    }
}

impl Server {
    /// Makes known that something changed.
    pub(crate) async fn trigger(
        &self,
        tool: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<Value, ErrorData> {
        let change = match tool {
            "test_trigger_tool_change" => Change::Tools,
            "test_trigger_prompt_change" => Change::Prompts,
            _ => Change::Watched,
        };
        // Nobody may be listening.
        let _ = self.shared.changes.sender.send(change);
        if !stateless(context) {
            self.tell_session(change, context).await.map_err(failed)?;
        }
        Ok(text("Whoever listens was told."))
    }

    async fn tell_session(
        &self,
        change: Change,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ServiceError> {
        match change {
            Change::Tools => context.peer.notify_tool_list_changed().await,
            Change::Prompts => context.peer.notify_prompt_list_changed().await,
            Change::Watched if self.watches(WATCHED) => {
                context.peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(WATCHED)).await
            }
            Change::Watched => Ok(()),
        }
    }
}

/// What went wrong between server and client.
pub(crate) fn failed(error: ServiceError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
