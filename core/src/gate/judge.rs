//! What a call is judged by: the policy, the session that it is made in, and the answers that are remembered.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{JudgedCall, Session, ToolFactsSource, remembered_answers};
use crate::approval::{Card, choice};
use crate::call::{Access, AgentId, Call, Door, ServerId, SessionId};
use crate::grant::{GrantId, Grants};
use crate::policy::{Decision, Effect, Level, Policy, SessionStanding, decide};
use crate::record::CallId;
use crate::writer::Circumstances;

/// All that decisions of a gate are made from.
pub(super) struct Judge {
    pub(super) policy: Arc<Policy>,
    pub(super) sessions: Sessions,
    pub(super) grants: Grants,
}

impl Judge {
    /// Judges by `policy`, in no session yet.
    pub(super) fn with_policy(policy: Policy) -> Self {
        Self { policy: Arc::new(policy), sessions: Sessions::default(), grants: Grants::default() }
    }

    /// Judges `call`, which the record calls `id`.
    pub(super) fn judge(&self, id: CallId, call: Call) -> JudgedCall {
        let (decision, circumstances) = match self.standing(&call.session) {
            Some(standing) => {
                (decide(&self.policy, &call, &standing), Some(Circumstances::new(&call, &standing)))
            }
            None => (Decision::denial_on_error(&*call.title, "the session is not known"), None),
        };
        JudgedCall { id, call, decision, epoch: self.policy.epoch, circumstances }
    }

    /// Fills in what the agent did not say of `call`: which server it is about, and what is known of its tool.
    pub(super) fn add_session_tool_facts(&self, call: &mut Call) {
        if call.door != Door::Mcp
            && let Some(before) = self.sessions.gateway_of(&call.session)
        {
            before.add_tool_facts(call, &self.policy);
        }
        self.sessions.identify_server(call);
    }

    /// What holds in a session, besides the policy; `None`, where it is not known.
    pub(super) fn standing(&self, id: &SessionId) -> Option<SessionStanding<'_>> {
        let session = self.sessions.get(id)?;
        // The strictest mode of the session and its parents; a child is bypassed only if its parents are.
        let (mut mode, mut bypass) = (self.policy.mode_of(&session.agent, session.mode), true);
        for session in self.sessions.self_and_ancestors(session) {
            mode = mode.max(self.policy.mode_of(&session.agent, session.mode));
            let settings =
                self.policy.agents.get(session.agent.as_str()).filter(|_| session.agent.is_named());
            bypass &= settings.is_some_and(|settings| settings.bypass_permissions)
                || self.session_bypass(session).is_some();
        }
        Some(SessionStanding {
            mode,
            bypass,
            grants: &self.grants,
            servers: self.sessions.own_server_names(id),
        })
    }

    /// The bypass that was given to a session, or to one above it with the same agent (D4.26: a child
    /// "reads the parent's bypass").
    pub(super) fn session_bypass(&self, session: &Session) -> Option<GrantId> {
        let mut above =
            self.sessions.self_and_ancestors(session).filter(|above| above.agent == session.agent);
        above.find_map(|above| self.grants.bypass_grant(&above.agent, &above.id))
    }

    /// The levels of the tool's server that would allow the call (D4.15).
    pub(super) fn allowing_levels(&self, call: &Call, decision: &Decision) -> Vec<Level> {
        let Some(standing) = self.standing(&call.session).filter(|_| !decision.always_asks()) else {
            return Vec::new();
        };
        let allows = |level: &Level| {
            let Ok(grant) = remembered_answers::level_grant(call, *level) else { return false };
            let mut grants = self.grants.clone();
            grants.add(grant);
            decide(&self.policy, call, &SessionStanding { grants: &grants, ..standing }).effect
                == Effect::Allow
        };
        [Level::Read, Level::Write, Level::All].into_iter().filter(allows).collect()
    }

    /// Lets `policy` hold from now on.
    pub(super) fn set_policy(&mut self, mut policy: Policy) {
        policy.epoch = self.policy.epoch + 1;
        self.policy = Arc::new(policy);
    }
}

/// The sessions that are known, and what each of them is.
#[derive(Default)]
pub(super) struct Sessions {
    by_id: HashMap<SessionId, Session>,
    /// The servers that mayi itself has put into a session.
    own_servers: HashMap<SessionId, OwnServers>,
    /// Those whose requests stand for themselves.
    alone: HashSet<SessionId>,
    /// The one that calls of sessions belong to that nobody announced.
    root: Option<SessionId>,
}

#[derive(Default)]
struct OwnServers {
    names: Vec<String>,
    identities: Vec<ServerId>,
    /// What they are reached through.
    completer: Option<Arc<dyn ToolFactsSource>>,
}

impl Sessions {
    pub(super) fn open(&mut self, session: Session) {
        if session.parent.is_none() && self.root.is_none() {
            self.root = Some(session.id.clone());
        }
        self.by_id.insert(session.id.clone(), session);
    }

    pub(super) fn close(&mut self, id: &SessionId) {
        self.by_id.remove(id);
        self.own_servers.remove(id);
        self.alone.remove(id);
        if self.root.as_ref() == Some(id) {
            self.root = None;
        }
    }

    pub(super) fn get(&self, id: &SessionId) -> Option<&Session> {
        self.by_id.get(id)
    }

    pub(super) fn get_mut(&mut self, id: &SessionId) -> Option<&mut Session> {
        self.by_id.get_mut(id)
    }

    /// The session that calls under the name `id` belong to: itself, or the root where it was never announced.
    pub(super) fn or_root(&self, id: &SessionId) -> Option<&Session> {
        self.get(id).or_else(|| self.get(self.root.as_ref()?))
    }

    /// Who works in a session.
    pub(super) fn agent_of(&self, id: &SessionId) -> Option<AgentId> {
        self.get(id).map(|session| session.agent.clone())
    }

    /// A session and everything that it started.
    pub(super) fn with_descendants(&self, id: &SessionId) -> Vec<SessionId> {
        let started =
            |other: &&Session| self.self_and_ancestors(other).skip(1).any(|ancestor| ancestor.id == *id);
        let children = self.by_id.values().filter(started).map(|session| session.id.clone());
        std::iter::once(id.clone()).chain(children).collect()
    }

    /// A session, its parent, and so on. An announced child can name any parent, also itself: this never walks further than
    /// there are sessions.
    fn self_and_ancestors<'a>(&'a self, session: &'a Session) -> impl Iterator<Item = &'a Session> {
        let most = self.by_id.len().max(1);
        std::iter::successors(Some(session), |session| self.get(session.parent.as_ref()?)).take(most)
    }

    pub(super) fn set_own_servers(&mut self, id: &SessionId, servers: Vec<(String, ServerId)>) {
        let (names, identities) = servers.into_iter().unzip();
        self.own_servers.insert(id.clone(), OwnServers { names, identities, completer: None });
    }

    pub(super) fn set_gateway(&mut self, id: &SessionId, before: Arc<dyn ToolFactsSource>) {
        self.own_servers.entry(id.clone()).or_default().completer = Some(before);
    }

    /// What the servers of a session are reached through, if mayi stands before them.
    fn gateway_of(&self, id: &SessionId) -> Option<&Arc<dyn ToolFactsSource>> {
        self.own_servers.get(id)?.completer.as_ref()
    }

    /// Whether the servers of a session are reached through mayi alone.
    pub(super) fn has_gateway(&self, id: &SessionId) -> bool {
        self.gateway_of(id).is_some()
    }

    /// The names of the servers that mayi itself has put into a session.
    fn own_server_names(&self, id: &SessionId) -> &[String] {
        self.own_servers.get(id).map(|passed| passed.names.as_slice()).unwrap_or_default()
    }

    /// Fills in which server `call` is about, where mayi itself has put it into the session.
    fn identify_server(&self, call: &mut Call) {
        if call.server.is_some() {
            return;
        }
        let mut servers = call.accesses.iter().filter_map(|access| match access {
            Access::Mcp(mcp) => Some(mcp.unique_reading().map(|(server, _)| server)),
            _ => None,
        });
        let Some(Some(name)) = servers.next() else { return };
        if !servers.all(|other| other == Some(name)) {
            return;
        }
        let Some(passed) = self.own_servers.get(&call.session) else { return };
        let mut named = passed.names.iter().zip(&passed.identities).filter(|(passed, _)| *passed == name);
        let Some((_, identity)) = named.next() else { return };
        // Two by one name are none.
        if named.all(|(_, other)| other == identity) {
            call.server = Some(identity.clone());
        }
    }

    pub(super) fn mark_alone(&mut self, id: &SessionId) {
        self.alone.insert(id.clone());
    }

    /// Whether the requests of a session stand for themselves.
    pub(super) fn has_independent_requests(&self, id: &SessionId) -> bool {
        self.alone.contains(id)
    }

    /// Puts on a card which session started its own, and takes off what its session does not have.
    pub(super) fn adapt_card_to_session(&self, card: &mut Card, id: &SessionId) {
        let session = self.get(id);
        if let Some(parent) = session.and_then(|session| session.parent.as_ref()) {
            (card.parent, card.parent_title) = (Some(parent.to_string()), None);
        }
        if self.has_independent_requests(id) {
            card.options.retain(|option| option.option_id != choice::ALLOW_SESSION);
            for suggestion in &mut card.suggestions {
                suggestion.scopes.retain(|scope| scope != "session");
            }
            card.suggestions.retain(|suggestion| !suggestion.scopes.is_empty());
            // Whoever has no name in the configuration is remembered for a session at most.
            if session.is_none_or(|session| session.agent.name().is_none()) {
                card.options.retain(|option| option.option_id != choice::ALLOW_ALWAYS);
                card.levels.clear();
            }
        }
    }
}
