//! What another policy would have decided about the calls of the record.

use jiff::Timestamp;
use serde::Serialize;

use super::call_story::{CallStory, call_stories};
use crate::record::entry_details::{Decided, VERSION};
use crate::record::{CallId, Recorded};
use mayi_call::Call;
use mayi_policy::grant::Grants;
use mayi_policy::{Decision, Effect, Finding, Mode, Policy, SessionStanding, Source, decide};

/// How the decisions of a policy differ from those of the record.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplayReport {
    /// The version of this shape.
    pub v: u32,
    /// So many calls were decided in the record.
    pub calls: usize,
    /// So many would be decided as they were.
    pub same: usize,
    /// Those that would not, by what speaks now; the most frequent first.
    pub differences: Vec<Difference>,
    /// Those that can't be judged again, by why.
    pub not_replayed: Vec<NotReplayed>,
}

/// Calls that would be decided otherwise, for the same reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// What was decided.
    pub from: Effect,
    /// What would be.
    pub to: Effect,
    /// Why, now.
    pub because: Option<DecidingRule>,
    /// So many calls.
    pub count: usize,
    /// Some of them.
    pub examples: Vec<Example>,
}

/// What a finding comes from, without what it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DecidingRule {
    /// What kind of thing.
    pub source: Source,
    /// Its pattern.
    pub pattern: Option<String>,
    /// Its file.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<u32>,
    /// What it says.
    pub reason: String,
}

/// One call of the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Example {
    /// Its entry `decided`.
    pub seq: u64,
    /// Its id.
    pub call: CallId,
    /// When.
    pub at: Timestamp,
    /// The access that decides now.
    pub access: String,
}

/// Calls that can't be judged again.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NotReplayed {
    /// Why.
    pub why: String,
    /// So many.
    pub count: usize,
    /// Some of them.
    pub examples: Vec<Example>,
}

/// As many examples of each are given.
const EXAMPLES: usize = 5;

/// Decides every call of `entries` by `policy`, in the mode and with the servers of then, and without
/// remembered answers: what those discharged counts as asked, in the record too.
#[must_use]
pub fn replay_entries(entries: &[Recorded], policy: &Policy) -> ReplayReport {
    let mut replaying = ReplayBuilder::default();
    replaying.add_entries(entries, policy);
    replaying.finish()
}

/// [`replay_entries`] of a long record, a part at a time; another part may have another policy.
#[derive(Debug)]
pub struct ReplayBuilder(ReplayReport);

impl Default for ReplayBuilder {
    fn default() -> Self {
        Self(ReplayReport {
            v: VERSION,
            calls: 0,
            same: 0,
            differences: Vec::new(),
            not_replayed: Vec::new(),
        })
    }
}

impl ReplayBuilder {
    /// More entries, decided again by `policy`: all of a call's are in one part.
    pub fn add_entries(&mut self, entries: &[Recorded], policy: &Policy) {
        let Self(replay) = self;
        for story in call_stories(entries) {
            let Some(decided) = story.decided else { continue };
            replay.calls += 1;
            match decide_again(&story, policy) {
                Ok(Redecision { recorded_effect: before, new_decision: now }) if before == now.effect => {
                    replay.same += 1
                }
                Ok(Redecision { recorded_effect: before, new_decision: now }) => {
                    replay.add_difference(
                        before,
                        &now,
                        story_example(&story, decided, now.deciding_finding()),
                    );
                }
                Err(why) => replay.not_replayed(why, story_example(&story, decided, None)),
            }
        }
    }

    /// What came of it.
    #[must_use]
    pub fn finish(self) -> ReplayReport {
        let Self(mut replay) = self;
        replay.differences.sort_by_key(|difference| std::cmp::Reverse(difference.count));
        replay.not_replayed.sort_by_key(|of| std::cmp::Reverse(of.count));
        replay
    }
}

/// One call decided again.
struct Redecision {
    recorded_effect: Effect,
    new_decision: Decision,
}

fn decide_again(story: &CallStory<'_>, policy: &Policy) -> Result<Redecision, String> {
    let decided = story.decision().unwrap_or_else(|| Err("not decided".to_owned()))?;
    let call = story.call()?;
    let now = decide_as_recorded(policy, &call, &decided);
    Ok(Redecision { recorded_effect: without_grants(&decided, now.effect)?, new_decision: now })
}

/// Decides `call` by `policy` as the session stood then, without remembered answers.
pub(super) fn decide_as_recorded(policy: &Policy, call: &Call, decided: &Decided) -> Decision {
    let grants = Grants::default();
    let mode = decided.mode.unwrap_or(Mode::Default);
    decide(
        policy,
        call,
        &SessionStanding { mode, bypass: decided.bypass, grants: &grants, servers: &decided.servers },
    )
}

/// What the policy of then had said without remembered answers.
fn without_grants(decided: &Decided, now: Effect) -> Result<Effect, String> {
    let remembered = |effect| {
        let by = |finding: &&Finding| finding.source == Source::Grant && finding.effect == effect;
        decided.trail.iter().filter(by).count()
    };
    // What a remembered yes discharged was an ask.
    if remembered(Effect::Allow) > 0 {
        return Ok(decided.effect.max(Effect::Ask));
    }
    let doubtful = remembered(Effect::Ask) > 0 && decided.effect == Effect::Ask;
    if (doubtful || decided.granted) && now != decided.effect {
        return Err("an answer that was remembered then had a part in it".to_owned());
    }
    Ok(decided.effect)
}

fn story_example(story: &CallStory<'_>, decided: &Recorded, because: Option<&Finding>) -> Example {
    let access = because.map(|finding| finding.access.clone()).or_else(|| decided.entry.access.clone());
    Example { seq: decided.seq, call: story.id, at: decided.entry.at, access: access.unwrap_or_default() }
}

impl ReplayReport {
    fn add_difference(&mut self, from: Effect, now: &Decision, example: Example) {
        let because = now.deciding_finding().map(DecidingRule::from_finding);
        let same = |of: &&mut Difference| of.from == from && of.to == now.effect && of.because == because;
        match self.differences.iter_mut().find(same) {
            Some(difference) => add_example(&mut difference.count, &mut difference.examples, example),
            None => self.differences.push(Difference {
                from,
                to: now.effect,
                because,
                count: 1,
                examples: vec![example],
            }),
        }
    }

    fn not_replayed(&mut self, why: String, example: Example) {
        match self.not_replayed.iter_mut().find(|of| of.why == why) {
            Some(of) => add_example(&mut of.count, &mut of.examples, example),
            None => self.not_replayed.push(NotReplayed { why, count: 1, examples: vec![example] }),
        }
    }
}

fn add_example(count: &mut usize, examples: &mut Vec<Example>, example: Example) {
    *count += 1;
    if examples.len() < EXAMPLES {
        examples.push(example);
    }
}

impl DecidingRule {
    fn from_finding(finding: &Finding) -> Self {
        Self {
            source: finding.source,
            pattern: finding.pattern.clone(),
            file: finding.file.as_ref().map(|file| file.to_string_lossy().into_owned()),
            line: finding.line,
            reason: finding.reason.clone(),
        }
    }
}
