//! Which session of the gate's the calls of a conversation belong to: one of its own, or that of an agent whose servers these
//! are.

use tokio::sync::watch;

use mayi_core::call::SessionId;

/// The session that calls belong to. Cheap to clone.
#[derive(Clone, Debug)]
pub enum SessionBinding {
    /// A session that the conversation opened, and ends.
    Own(SessionId),
    /// An agent's session, which another door opens and ends. An agent starts its servers before it says what its session
    /// is called: until then nothing is judged.
    Agents(watch::Receiver<Option<SessionId>>),
}

impl SessionBinding {
    /// An agent's session that is not open yet, and who says when it is.
    #[must_use]
    pub fn pending_agent() -> (watch::Sender<Option<SessionId>>, Self) {
        let (opened, session) = watch::channel(None);
        (opened, Self::Agents(session))
    }

    /// The session, if it is known by now.
    pub(super) fn current_session(&self) -> Option<SessionId> {
        match self {
            Self::Own(id) => Some(id.clone()),
            Self::Agents(session) => session.borrow().clone(),
        }
    }

    /// The session, once it is known; `None` if it never will be.
    pub(super) async fn wait_for_session(&self) -> Option<SessionId> {
        match self {
            Self::Own(id) => Some(id.clone()),
            Self::Agents(session) => {
                session.clone().wait_for(Option::is_some).await.ok().and_then(|id| id.clone())
            }
        }
    }
}
