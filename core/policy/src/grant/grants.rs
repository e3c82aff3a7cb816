//! All answers that count now.

use std::cell::OnceCell;

use jiff::Timestamp;

use super::patterns::exact_pattern;
use super::{Grant, GrantId, Scope};
use crate::pattern::{AccessForms, Certainty, PatternAuthor, TouchForms, TouchMatch};
use crate::{Effect, Level, Pattern};
use mayi_call::shell::Reach;
use mayi_call::{Access, AgentId, Call, Category, Caveat, Digest, SessionId, WriteKind};

/// Something that a person said no to, once.
#[derive(Clone, Debug)]
pub(crate) struct SessionDenial {
    session: SessionId,
    pub(crate) pattern: Pattern,
    call: Digest,
    /// An answer that was given before this does not speak about it.
    pub(crate) since: GrantId,
}

/// All remembered answers.
#[derive(Clone, Debug, Default)]
pub struct Grants {
    grants: Vec<Grant>,
    denied: Vec<SessionDenial>,
    /// Those that are nowhere else.
    only_here: Vec<GrantId>,
}

impl Grants {
    /// Remembers an answer.
    pub fn add(&mut self, grant: Grant) {
        // Those whose uses are counted come last: they are spent only where nothing else covers.
        let at = self.grants.iter().position(|other| grant.uses_left.is_none() && other.uses_left.is_some());
        self.grants.insert(at.unwrap_or(self.grants.len()), grant);
    }

    /// Remembers an answer that is kept nowhere else.
    pub fn add_only_here(&mut self, grant: Grant) {
        self.only_here.push(grant.id);
        self.add(grant);
    }

    /// Whether it is kept nowhere else.
    #[must_use]
    pub fn is_only_here(&self, id: GrantId) -> bool {
        self.only_here.contains(&id)
    }

    /// Takes the answers of `others` in place of these; what is only here stays, and what was denied once. Whether any is another
    /// one than before.
    pub fn replace(&mut self, others: Self) -> bool {
        let before = std::mem::replace(&mut self.grants, others.grants);
        let known = sorted_uses(&before);
        let only_here = std::mem::take(&mut self.only_here);
        for grant in before.into_iter().filter(|grant| only_here.contains(&grant.id)) {
            self.add_only_here(grant);
        }
        known != sorted_uses(&self.grants)
    }

    /// Forgets one.
    pub fn remove(&mut self, id: GrantId) {
        self.grants.retain(|grant| grant.id != id);
    }

    /// Forgets what has ended at `now`; whether there was any.
    pub fn remove_expired(&mut self, now: Timestamp) -> bool {
        let before = self.grants.len();
        self.grants.retain(|grant| {
            grant.expires_at.is_none_or(|end| now < end) && grant.uses_left.is_none_or(|left| left > 0)
        });
        self.grants.len() < before
    }

    /// One was used.
    pub fn record_use(&mut self, id: GrantId) {
        for grant in self.grants.iter_mut().filter(|grant| grant.id == id) {
            grant.uses_left = grant.uses_left.map(|left| left.saturating_sub(1));
        }
        self.grants.retain(|grant| grant.uses_left != Some(0));
    }

    /// Remembers that a person said no: the like is asked about again in this session, in every
    /// mode (D6.20). `categories`: what the call is. Returns the permissions that are gone by it.
    pub fn record_denial(&mut self, call: &Call, categories: &[Category]) -> Vec<GrantId> {
        let exact = call.fingerprint();
        let of_server = |name: &str| {
            let is = |access: &Access| matches!(access, Access::Mcp(mcp) if mcp.unique_reading().is_some_and(|(server, _)| server == name));
            call.accesses.iter().any(is)
        };
        // What covered it, and nothing else: an answer about something else in this session stays.
        let covered = |grant: &Grant| match (&grant.pattern, &grant.level) {
            (Some(pattern), _) => {
                call.accesses.iter().any(|access| pattern.certainly_matches(access, &call.roots))
            }
            (None, Some((server, level))) => {
                grant.server == call.server
                    && of_server(server)
                    && categories.iter().all(|category| level.covers(*category))
            }
            (None, None) => grant.fingerprint.as_ref() == Some(&exact),
        };
        let over = |grant: &Grant| {
            grant.effect == Effect::Allow
                && grant.scope == Scope::Session
                && !grant.bypass
                && grant.applies_to(call)
                && covered(grant)
        };
        let gone = self.grants.iter().filter(|grant| over(grant)).map(|grant| grant.id).collect();
        self.grants.retain(|grant| !over(grant));
        let since = GrantId::new();
        for access in &call.accesses {
            if let Ok(Some(pattern)) = exact_pattern(access) {
                let session = call.session.clone();
                self.denied.push(SessionDenial { session, pattern, call: exact.clone(), since });
            }
        }
        gone
    }

    /// Forgets what belongs to a session.
    pub fn forget_session(&mut self, session: &SessionId) {
        self.grants.retain(|grant| grant.session.as_ref() != Some(session));
        self.denied.retain(|denied| denied.session != *session);
    }

    /// What is remembered.
    #[must_use]
    pub fn all(&self) -> &[Grant] {
        &self.grants
    }

    /// A grant that covers `access` as an allow rule would.
    #[must_use]
    pub fn covering_grant(&self, call: &Call, access: &Access) -> Option<&Grant> {
        self.live_allows(call)
            .find(|grant| {
                grant.matches_target(call, access)
                    && grant
                        .pattern
                        .as_ref()
                        .is_some_and(|pattern| pattern.certainly_matches(access, &call.roots))
            })
            .or_else(|| self.exact_call_grant(call, access))
    }

    /// A grant that covers `access` and names it: exactly, or with the pattern `written`. One for exactly this call has to
    /// be given after `since`, if that is said.
    #[must_use]
    pub fn naming_grant(
        &self,
        call: &Call,
        access: &Access,
        written: Option<&str>,
        since: Option<GrantId>,
    ) -> Option<&Grant> {
        self.live_allows(call)
            .find(|grant| {
                grant.matches_target(call, access)
                    && grant.pattern.as_ref().is_some_and(|pattern| {
                        pattern.certainly_matches(access, &call.roots)
                            && (pattern.is_exact() || written == Some(pattern.as_str()))
                    })
            })
            .or_else(|| self.exact_call_grant_since(call, access, since))
    }

    /// A grant that covers `access`, and names what `caveat` is about.
    #[must_use]
    pub fn naming_caveat(&self, call: &Call, access: &Access, caveat: &Caveat) -> Option<&Grant> {
        let Access::Shell(shell) = access else { return self.exact_call_grant(call, access) };
        self.live_allows(call)
            .find(|grant| {
                grant.matches_target(call, access)
                    && grant.pattern.as_ref().is_some_and(|pattern| pattern.names_caveat(shell, caveat))
            })
            .or_else(|| self.exact_call_grant(call, access))
    }

    /// A grant of exactly this call.
    #[must_use]
    pub fn exact_call_grant(&self, call: &Call, access: &Access) -> Option<&Grant> {
        self.exact_call_grant_since(call, access, None)
    }

    fn exact_call_grant_since(&self, call: &Call, access: &Access, since: Option<GrantId>) -> Option<&Grant> {
        if matches!(access, Access::Mode { .. }) {
            return None;
        }
        let holds = |grant: &&Grant| call.accesses.iter().all(|access| grant.matches_target(call, access));
        let after = |grant: &&Grant| since.is_none_or(|since| grant.id > since);
        let mut bound = self
            .live_allows(call)
            .filter(|grant| grant.fingerprint.is_some() && after(grant) && holds(grant))
            .peekable();
        bound.peek()?;
        let fingerprint = call.fingerprint();
        bound.find(|grant| grant.fingerprint.as_ref() == Some(&fingerprint))
    }

    /// Denials of the like in this session.
    pub(crate) fn session_denials<'a>(
        &'a self,
        call: &Call,
        seen: &AccessForms<'_>,
    ) -> impl Iterator<Item = &'a SessionDenial> {
        let exact = OnceCell::new();
        self.denied.iter().filter(move |denied| {
            denied.session == call.session
                && denied.pattern.could_match_forms(seen)
                && (!matches!(seen.access, Access::Mcp(_))
                    || denied.call == *exact.get_or_init(|| call.fingerprint()))
        })
    }

    /// Denials in this session of something that a command only touches.
    pub(crate) fn touched_denials<'a>(
        &'a self,
        call: &'a Call,
        touch: &'a TouchForms<'a>,
    ) -> impl Iterator<Item = (&'a SessionDenial, Option<WriteKind>)> {
        self.denied.iter().filter(|denied| denied.session == call.session).filter_map(|denied| {
            let touching = denied.pattern.match_touch(touch, PatternAuthor::ByHand)?;
            (touching.certainty == Certainty::Known).then_some((denied, touching.write))
        })
    }

    /// Remembered denials that are about an access: what a deny rule would match.
    pub(crate) fn forbidding_grants<'a>(
        &'a self,
        call: &Call,
        seen: &AccessForms<'_>,
    ) -> impl Iterator<Item = (&'a Grant, &'a Pattern)> {
        self.live_denials(call).filter(|(_, pattern)| pattern.could_match_forms(seen))
    }

    /// Remembered denials of something that a command only touches.
    pub(crate) fn forbidding_touch<'a>(
        &'a self,
        call: &'a Call,
        touch: &'a TouchForms<'a>,
    ) -> impl Iterator<Item = (&'a Grant, &'a Pattern, TouchMatch)> {
        self.live_denials(call).filter_map(|(grant, pattern)| {
            let touching = pattern.match_touch(touch, PatternAuthor::ByHand)?;
            let known = touching.certainty == Certainty::Known || touch.touch.reach == Reach::Past;
            known.then_some((grant, pattern, touching))
        })
    }

    /// The bypass of `agent` in this very session, if there is one.
    #[must_use]
    pub fn bypass_grant(&self, agent: &AgentId, session: &SessionId) -> Option<GrantId> {
        let of = |grant: &&Grant| {
            grant.bypass
                && grant.effect == Effect::Allow
                && grant.session.as_ref() == Some(session)
                && grant.agent == *agent
        };
        self.grants.iter().find(of).map(|grant| grant.id)
    }

    /// The highest level that was granted to the server `name`, which is known to be the one that is called.
    #[must_use]
    pub fn level_grant(&self, call: &Call, name: &str) -> Option<(&Grant, Level)> {
        call.server.as_ref()?;
        self.live_allows(call)
            .filter_map(|grant| match &grant.level {
                Some((server, level)) if server == name && grant.server == call.server => {
                    Some((grant, *level))
                }
                _ => None,
            })
            .max_by_key(|(_, level)| *level)
    }

    fn live_allows(&self, call: &Call) -> impl Iterator<Item = &Grant> {
        self.grants.iter().filter(|grant| grant.effect == Effect::Allow && grant.applies_to(call))
    }

    fn live_denials(&self, call: &Call) -> impl Iterator<Item = (&Grant, &Pattern)> {
        self.grants
            .iter()
            .filter(|grant| grant.effect == Effect::Deny && grant.applies_to(call))
            .filter_map(|grant| Some((grant, grant.pattern.as_ref()?)))
    }
}

/// What can differ between two lists of answers: which there are, and how often each can be used.
fn sorted_uses(grants: &[Grant]) -> Vec<(GrantId, Option<u32>)> {
    let mut uses: Vec<_> = grants.iter().map(|grant| (grant.id, grant.uses_left)).collect();
    uses.sort_unstable();
    uses
}
