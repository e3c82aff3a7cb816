//! Figures: who did what, what was asked, and how long answers took.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::call_story::{CallStory, StoryAnswer, call_stories};
use crate::record::entry_details::{self, Decided, VERSION};
use crate::record::{Entry, Recorded};
use mayi_policy::{Effect, Finding, Source};

/// Figures of a part of the record.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// The version of this shape.
    pub v: u32,
    /// The first entry.
    #[ts(type = "string | null")]
    pub since: Option<Timestamp>,
    /// The last entry.
    #[ts(type = "string | null")]
    pub until: Option<Timestamp>,
    /// Everything together.
    pub all: Counts,
    /// By agent, the most calls first.
    pub agents: Vec<Counted>,
    /// By the word before the bracket of the access that decided: `shell`, `write`.
    pub selectors: Vec<Counted>,
    /// By tool: the program of a command, a server's tool, else the selector.
    pub tools: Vec<Counted>,
    /// Rules that spoke, the most often deciding ones first.
    pub rules: Vec<RuleCount>,
    /// Questions by day, oldest first; days without any are left out.
    pub days: Vec<Day>,
    /// How long people took.
    pub answers: Answers,
}

/// What became of calls. A call is in one of `allowed`, `denied`, `asked` and `unasked`, and one that was
/// asked about in one of the other three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// All of them.
    pub calls: u64,
    /// Allowed without a question.
    pub allowed: u64,
    /// Denied without a question.
    pub denied: u64,
    /// Needed an answer.
    pub asked: u64,
    /// Of these: somebody or something said yes.
    pub approved: u64,
    /// Of these: somebody or something said no.
    pub refused: u64,
    /// Of these: nobody was there, nobody answered, or it was withdrawn.
    pub unanswered: u64,
    /// Done by an agent without asking.
    pub unasked: u64,
}

/// [`Counts`] of something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct Counted {
    /// Of what.
    pub name: String,
    /// How many.
    #[serde(flatten)]
    pub counts: Counts,
}

/// How often a rule spoke.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct RuleCount {
    /// What it asks for.
    pub effect: Effect,
    /// Its pattern.
    pub pattern: String,
    /// The file it is written in.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<u32>,
    /// In so many calls it was among the findings.
    pub spoke: u64,
    /// So often it was the one that decided.
    pub decided: u64,
}

/// Questions of one day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct Day {
    /// Such as `2026-07-28`.
    pub day: String,
    /// So many.
    pub asked: u64,
}

/// How long people took to answer, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
pub struct Answers {
    /// So many answers.
    pub count: u64,
    /// Half of them took no longer.
    pub median: Option<u64>,
    /// Nine of ten took no longer.
    pub p90: Option<u64>,
}

/// Figures of `entries`; days are those of `zone`.
#[must_use]
pub fn compute_stats(entries: &[Recorded], zone: &TimeZone) -> Stats {
    let mut figures = StatsBuilder::new(zone.clone());
    figures.add_entries(entries);
    figures.finish()
}

/// [`compute_stats`] of a long record, a part at a time.
#[derive(Debug)]
pub struct StatsBuilder {
    zone: TimeZone,
    sums: Sums,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl StatsBuilder {
    /// Nothing yet; days are those of `zone`.
    #[must_use]
    pub fn new(zone: TimeZone) -> Self {
        Self { zone, sums: Sums::default(), since: None, until: None }
    }

    /// More entries: all of a call's are in one part.
    pub fn add_entries(&mut self, entries: &[Recorded]) {
        let times = || entries.iter().map(|recorded| recorded.entry.at);
        self.since = self.since.into_iter().chain(times()).min();
        self.until = self.until.into_iter().chain(times()).max();
        for story in call_stories(entries) {
            self.sums.add_story(&story, &self.zone);
        }
    }

    /// What it all comes to.
    #[must_use]
    pub fn finish(mut self) -> Stats {
        self.sums.took.sort_unstable();
        let sums = self.sums;
        let mut rules: Vec<RuleCount> = sums.rules.into_values().collect();
        rules.sort_by_key(|rule| std::cmp::Reverse((rule.decided, rule.spoke)));
        Stats {
            v: VERSION,
            since: self.since,
            until: self.until,
            all: sums.all,
            agents: most_first(sums.agents),
            selectors: most_first(sums.selectors),
            tools: most_first(sums.tools),
            rules,
            days: sums.days.into_iter().map(|(day, asked)| Day { day, asked }).collect(),
            answers: Answers {
                count: sums.took.len() as u64,
                median: percentile_of(&sums.took, 50),
                p90: percentile_of(&sums.took, 90),
            },
        }
    }
}

type RuleKey = (Effect, String, Option<String>, Option<u32>);

#[derive(Debug, Default)]
struct Sums {
    all: Counts,
    agents: BTreeMap<String, Counts>,
    selectors: BTreeMap<String, Counts>,
    tools: BTreeMap<String, Counts>,
    rules: BTreeMap<RuleKey, RuleCount>,
    days: BTreeMap<String, u64>,
    took: Vec<u64>,
}

impl Sums {
    fn add_story(&mut self, story: &CallStory<'_>, zone: &TimeZone) {
        let Some(main) = story.unasked.or(story.decided) else { return };
        let entry = &main.entry;
        let decided = entry_details::read::<Decided>(entry).ok();
        let counts = story_counts(story, entry, decided.as_ref());
        let agent = entry.agent.as_ref().map_or("?", |agent| agent.as_str());
        let access = entry.access.as_deref().unwrap_or("?");
        add_counts(&mut self.all, counts);
        for (sums, name) in [
            (&mut self.agents, agent.to_owned()),
            (&mut self.selectors, selector_word(access).to_owned()),
            (&mut self.tools, tool_name(access)),
        ] {
            add_counts(sums.entry(name).or_default(), counts);
        }
        if let Some(asked) = story.asked {
            let day = asked.entry.at.to_zoned(zone.clone()).date().to_string();
            *self.days.entry(day).or_default() += 1;
        }
        if matches!(story.answer(), Some(StoryAnswer::Yes | StoryAnswer::No)) {
            self.took.extend(story.answer_millis());
        }
        self.add_rules(decided.as_ref());
    }

    fn add_rules(&mut self, decided: Option<&Decided>) {
        let Some(decided) = decided else { return };
        let because = decided.trail.iter().find(|finding| finding.effect == decided.effect);
        let mut seen: Vec<RuleKey> = Vec::new();
        for finding in decided.trail.iter().filter(|finding| finding.source == Source::Rule) {
            let key = rule_key(finding);
            if seen.contains(&key) {
                continue;
            }
            let count = self.rules.entry(key.clone()).or_insert_with(|| RuleCount {
                effect: key.0,
                pattern: key.1.clone(),
                file: key.2.clone(),
                line: key.3,
                spoke: 0,
                decided: 0,
            });
            count.spoke += 1;
            count.decided += u64::from(because.is_some_and(|because| self::rule_key(because) == key));
            seen.push(key);
        }
    }
}

fn rule_key(finding: &Finding) -> RuleKey {
    let file = finding.file.as_ref().map(|file| file.to_string_lossy().into_owned());
    (finding.effect, finding.pattern.clone().unwrap_or_default(), file, finding.line)
}

fn story_counts(story: &CallStory<'_>, entry: &Entry, decided: Option<&Decided>) -> Counts {
    let mut counts = Counts { calls: 1, ..Counts::default() };
    if story.unasked.is_some() {
        counts.unasked = 1;
        return counts;
    }
    // An ask with nobody to ask is denied: it needed an answer all the same.
    let needed = decided.is_some_and(|decided| decided.effect == Effect::Ask);
    match (story.answer(), entry.effect) {
        (None, Some(Effect::Allow)) => counts.allowed = 1,
        (None, Some(Effect::Deny)) if !needed => counts.denied = 1,
        (answer, _) => {
            counts.asked = 1;
            match answer {
                Some(StoryAnswer::Yes | StoryAnswer::Other(Effect::Allow)) => counts.approved = 1,
                Some(StoryAnswer::No | StoryAnswer::Other(_)) => counts.refused = 1,
                Some(StoryAnswer::None) | None => counts.unanswered = 1,
            }
        }
    }
    counts
}

fn add_counts(sum: &mut Counts, more: Counts) {
    sum.calls += more.calls;
    sum.allowed += more.allowed;
    sum.denied += more.denied;
    sum.asked += more.asked;
    sum.approved += more.approved;
    sum.refused += more.refused;
    sum.unanswered += more.unanswered;
    sum.unasked += more.unasked;
}

fn most_first(sums: BTreeMap<String, Counts>) -> Vec<Counted> {
    let mut all: Vec<Counted> = sums.into_iter().map(|(name, counts)| Counted { name, counts }).collect();
    all.sort_by_key(|counted| std::cmp::Reverse(counted.counts.calls));
    all
}

/// `shell` of `shell(rm x)`.
pub(super) fn selector_word(access: &str) -> &str {
    access.split('(').next().unwrap_or(access)
}

/// `rm` of `shell(rm x)`, `github/list_issues` of `mcp(github/list_issues)`; else the selector.
pub(super) fn tool_name(access: &str) -> String {
    let object = access.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or_default();
    match selector_word(access) {
        "shell" => {
            let words = mayi_call::shell::split_words(object).unwrap_or_default();
            let program = words.into_iter().find(|word| !word.contains('=')).unwrap_or_default();
            format!("shell {program}")
        }
        selector @ ("mcp" | "tool") => format!("{selector} {object}"),
        selector => selector.to_owned(),
    }
}

/// The smallest value that so many percent of `sorted` do not exceed.
fn percentile_of(sorted: &[u64], percent: usize) -> Option<u64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}
