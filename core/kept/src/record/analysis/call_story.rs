//! The entries of one call, put together.

use std::collections::HashMap;

use crate::approval::ApprovalId;
use crate::record::entry_details::{self, Answered, Decided, Proposed};
use crate::record::{CallId, Kind, Recorded};
use mayi_call::Call;
use mayi_policy::Effect;

/// What the record says of one call. Of several entries of a kind, the first counts: later decisions were
/// made while it waited.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallStory<'a> {
    pub(super) id: CallId,
    pub(super) proposed: Option<&'a Recorded>,
    pub(super) decided: Option<&'a Recorded>,
    pub(super) asked: Option<&'a Recorded>,
    /// `answered`, `expired` or `cancelled`.
    pub(super) ended: Option<&'a Recorded>,
    pub(super) unasked: Option<&'a Recorded>,
}

/// How a question ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoryAnswer {
    /// A person said yes.
    Yes,
    /// A person said no.
    No,
    /// A rule, a grant or a new policy answered.
    Other(Effect),
    /// Nobody did.
    None,
}

/// The calls of `entries`, in the order in which they came.
pub(super) fn call_stories(entries: &[Recorded]) -> Vec<CallStory<'_>> {
    let mut found: Vec<CallStory<'_>> = Vec::new();
    let mut places: HashMap<CallId, usize> = HashMap::new();
    let mut approvals: HashMap<ApprovalId, CallId> = HashMap::new();
    for recorded in entries {
        let entry = &recorded.entry;
        // What ended because its process did names the question alone.
        let by_approval = entry.approval.and_then(|approval| approvals.get(&approval)).copied();
        let Some(id) = entry.call.or(by_approval) else { continue };
        if let Some(approval) = entry.approval {
            approvals.insert(approval, id);
        }
        let place = *places.entry(id).or_insert(found.len());
        if place == found.len() {
            found.push(CallStory {
                id,
                proposed: None,
                decided: None,
                asked: None,
                ended: None,
                unasked: None,
            });
        }
        let Some(story) = found.get_mut(place) else { continue };
        let member = match entry.kind {
            Kind::Proposed => &mut story.proposed,
            Kind::Decided => &mut story.decided,
            Kind::Asked => &mut story.asked,
            Kind::Answered | Kind::Expired | Kind::Cancelled => &mut story.ended,
            Kind::Unasked => &mut story.unasked,
            _ => continue,
        };
        member.get_or_insert(recorded);
    }
    found
}

impl CallStory<'_> {
    /// What was decided at first.
    pub(super) fn decision(&self) -> Option<Result<Decided, String>> {
        let read =
            |recorded: &Recorded| entry_details::read(&recorded.entry).map_err(|error| error.to_string());
        self.decided.map(read)
    }

    /// The call as it was judged, or why there is none.
    pub(super) fn call(&self) -> Result<Call, String> {
        let Some(proposed) = self.proposed else {
            return Err("its beginning is not in the record".to_owned());
        };
        let proposed: Proposed = entry_details::read(&proposed.entry).map_err(|error| error.to_string())?;
        match (proposed.frozen, proposed.not_replayable) {
            (Some(frozen), _) => frozen.thaw().map_err(|error| error.to_string()),
            (None, Some(why)) => Err(why),
            (None, None) => Err("not kept".to_owned()),
        }
    }

    /// How the question ended, if one was asked.
    pub(super) fn answer(&self) -> Option<StoryAnswer> {
        self.asked?;
        let Some(ended) = self.ended else { return Some(StoryAnswer::None) };
        let Ok(answered) = entry_details::read::<Answered>(&ended.entry) else {
            return Some(StoryAnswer::None);
        };
        Some(match (ended.entry.kind, ended.entry.effect) {
            (Kind::Answered, Some(Effect::Allow)) if answered.person => StoryAnswer::Yes,
            (Kind::Answered, Some(Effect::Deny)) if answered.person => StoryAnswer::No,
            (Kind::Answered, Some(effect)) => StoryAnswer::Other(effect),
            _ => StoryAnswer::None,
        })
    }

    /// How long the person took, in milliseconds.
    pub(super) fn answer_millis(&self) -> Option<u64> {
        entry_details::read::<Answered>(&self.ended?.entry).ok()?.took
    }
}
