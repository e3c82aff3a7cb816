//! What people and the policy said yes and no to.

use jiff::Timestamp;

use super::super::call_story::{CallStory, StoryAnswer, call_stories};
use super::super::replay::decide_as_recorded;
use super::super::stats::{selector_word, tool_name};
use crate::record::Recorded;
use crate::record::entry_details::{self, Decided, Proposed};
use mayi_call::{Access, Call, Selector};
use mayi_policy::{Decision, Effect, Finding, Policy};

/// All of it.
pub(super) struct PastAnswers {
    pub(super) approved: Vec<PastApproval>,
    pub(super) denied: Vec<PastDenial>,
    /// Denied calls that can't be judged again, by the texts of their accesses.
    pub(super) denied_texts: Vec<String>,
}

/// A call that a person said yes to, and that would be asked about again.
pub(super) struct PastApproval {
    pub(super) call: Call,
    pub(super) decided: Decided,
    /// What is decided now.
    pub(super) new_decision: Decision,
    pub(super) asked_at: Timestamp,
    /// What it is asked about: the places of those accesses, and how each is written in patterns.
    pub(super) asked: Vec<(usize, AccessText)>,
}

/// An access as patterns write it: for a quick look, since there are many of both.
pub(super) enum AccessText {
    Command(String),
    Path(String),
    Other,
}

impl AccessText {
    fn from_access(access: &Access) -> Self {
        match access {
            Access::Shell(shell) => Self::Command(shell.text()),
            Access::Read(path) | Access::Write(_, path) => {
                path.lexical.to_str().map_or(Self::Other, |path| Self::Path(path.to_owned()))
            }
            _ => Self::Other,
        }
    }
}

/// A call that a person or the policy said no to.
pub(super) struct PastDenial {
    pub(super) call: Call,
    pub(super) decided: Decided,
}

impl PastApproval {
    /// What it is asked about.
    pub(super) fn asked_accesses(&self) -> impl Iterator<Item = &Access> {
        self.asked.iter().filter_map(|(at, _)| self.call.accesses.get(*at))
    }
}

impl PastDenial {
    /// Whether a policy allows it.
    pub(super) fn is_allowed(&self, policy: &Policy) -> bool {
        decide_as_recorded(policy, &self.call, &self.decided).effect == Effect::Allow
    }

    /// The accesses that the no was about: those that were asked about or denied, and all of them where
    /// that was only a part of one.
    pub(super) fn denied_accesses(&self) -> impl Iterator<Item = &Access> {
        let texts: Vec<String> = self.call.accesses.iter().map(Access::text).collect();
        let strict: Vec<&Finding> =
            self.decided.trail.iter().filter(|finding| finding.effect != Effect::Allow).collect();
        let whole = strict.iter().all(|finding| texts.contains(&finding.access));
        let about = move |text: &String| !whole || strict.iter().any(|finding| finding.access == *text);
        self.call.accesses.iter().zip(texts).filter(move |(_, text)| about(text)).map(|(access, _)| access)
    }
}

impl PastAnswers {
    pub(super) fn from_entries(entries: &[Recorded], policy: &Policy) -> Self {
        let mut heard = Self { approved: Vec::new(), denied: Vec::new(), denied_texts: Vec::new() };
        for story in call_stories(entries) {
            let (yes, no) = (story.answer() == Some(StoryAnswer::Yes), said_no(&story));
            if !yes && !no {
                continue;
            }
            match (story.call(), story.decision()) {
                (Ok(call), Some(Ok(decided))) if no => heard.denied.push(PastDenial { call, decided }),
                (Ok(call), Some(Ok(decided))) => heard.add_approved(&story, call, decided, policy),
                _ if no => heard.denied_texts.extend(access_texts(&story)),
                _ => {}
            }
        }
        heard
    }

    fn add_approved(&mut self, story: &CallStory<'_>, call: Call, decided: Decided, policy: &Policy) {
        let now = decide_as_recorded(policy, &call, &decided);
        let at = story.asked.or(story.decided).map(|recorded| recorded.entry.at);
        if let (Effect::Ask, Some(at)) = (now.effect, at) {
            let asked = call.accesses.iter().enumerate().filter(|(_, access)| now.asks_about(access));
            let asked = asked.map(|(at, access)| (at, AccessText::from_access(access))).collect();
            self.approved.push(PastApproval { call, decided, new_decision: now, asked_at: at, asked });
        }
    }

    /// Whether a no that can't be judged again may have been about the like of `access`.
    pub(super) fn may_have_denied(&self, access: &str) -> bool {
        let asked = Selector::from_leading_word(access);
        self.denied_texts.iter().any(|denied| match Selector::from_leading_word(denied) {
            Some(Selector::Shell | Selector::Mcp | Selector::Tool) => {
                Selector::from_leading_word(denied) == asked && tool_name(denied) == tool_name(access)
            }
            // What is written to may be written as an edit or a creation.
            Some(Selector::Write(_)) => matches!(asked, Some(Selector::Write(_)) | None),
            Some(Selector::Read | Selector::Fetch | Selector::Mode) => {
                Selector::from_leading_word(denied) == asked
            }
            None => asked.is_none() && selector_word(denied) == selector_word(access),
        })
    }
}

/// Whether a person or the policy denied it. Nobody's answer is no denial.
fn said_no(story: &CallStory<'_>) -> bool {
    match story.answer() {
        Some(StoryAnswer::No | StoryAnswer::Other(Effect::Deny)) => true,
        Some(_) => false,
        None => {
            let entry = story.decided.or(story.unasked);
            let denied = entry.is_some_and(|recorded| recorded.entry.effect == Some(Effect::Deny));
            let by_policy = match story.decision() {
                Some(Ok(decided)) => decided.effect == Effect::Deny,
                _ => true,
            };
            denied && by_policy
        }
    }
}

fn access_texts(story: &CallStory<'_>) -> Vec<String> {
    let proposed = story.proposed.and_then(|proposed| entry_details::read::<Proposed>(&proposed.entry).ok());
    match proposed {
        Some(proposed) => proposed.accesses,
        None => story.decided.and_then(|decided| decided.entry.access.clone()).into_iter().collect(),
    }
}
