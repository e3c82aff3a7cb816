//! Figures: who did what, what was asked, and how long answers took.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::story::{Answer, Story, stories};
use crate::record::detail::{self, Decided, VERSION};
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
pub fn stats(entries: &[Recorded], zone: &TimeZone) -> Stats {
    let mut figures = Figures::new(zone.clone());
    figures.add(entries);
    figures.stats()
}

/// [`stats`] of a long record, a part at a time.
#[derive(Debug)]
pub struct Figures {
    zone: TimeZone,
    sums: Sums,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl Figures {
    /// Nothing yet; days are those of `zone`.
    #[must_use]
    pub fn new(zone: TimeZone) -> Self {
        Self { zone, sums: Sums::default(), since: None, until: None }
    }

    /// More entries: all of a call's are in one part.
    pub fn add(&mut self, entries: &[Recorded]) {
        let times = || entries.iter().map(|recorded| recorded.entry.at);
        self.since = self.since.into_iter().chain(times()).min();
        self.until = self.until.into_iter().chain(times()).max();
        for story in stories(entries) {
            self.sums.add(&story, &self.zone);
        }
    }

    /// What it all comes to.
    #[must_use]
    pub fn stats(mut self) -> Stats {
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
                median: quantile(&sums.took, 50),
                p90: quantile(&sums.took, 90),
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
    fn add(&mut self, story: &Story<'_>, zone: &TimeZone) {
        let Some(main) = story.unasked.or(story.decided) else { return };
        let entry = &main.entry;
        let decided = detail::read::<Decided>(entry).ok();
        let counts = counts(story, entry, decided.as_ref());
        let agent = entry.agent.as_ref().map_or("?", |agent| agent.as_str());
        let access = entry.access.as_deref().unwrap_or("?");
        add(&mut self.all, counts);
        for (sums, name) in [
            (&mut self.agents, agent.to_owned()),
            (&mut self.selectors, selector(access).to_owned()),
            (&mut self.tools, tool(access)),
        ] {
            add(sums.entry(name).or_default(), counts);
        }
        if let Some(asked) = story.asked {
            let day = asked.entry.at.to_zoned(zone.clone()).date().to_string();
            *self.days.entry(day).or_default() += 1;
        }
        if matches!(story.answer(), Some(Answer::Yes | Answer::No)) {
            self.took.extend(story.took());
        }
        self.rules(decided.as_ref());
    }

    fn rules(&mut self, decided: Option<&Decided>) {
        let Some(decided) = decided else { return };
        let because = decided.trail.iter().find(|finding| finding.effect == decided.effect);
        let mut seen: Vec<RuleKey> = Vec::new();
        for finding in decided.trail.iter().filter(|finding| finding.source == Source::Rule) {
            let key = key(finding);
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
            count.decided += u64::from(because.is_some_and(|because| self::key(because) == key));
            seen.push(key);
        }
    }
}

fn key(finding: &Finding) -> RuleKey {
    let file = finding.file.as_ref().map(|file| file.to_string_lossy().into_owned());
    (finding.effect, finding.pattern.clone().unwrap_or_default(), file, finding.line)
}

fn counts(story: &Story<'_>, entry: &Entry, decided: Option<&Decided>) -> Counts {
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
                Some(Answer::Yes | Answer::Other(Effect::Allow)) => counts.approved = 1,
                Some(Answer::No | Answer::Other(_)) => counts.refused = 1,
                Some(Answer::None) | None => counts.unanswered = 1,
            }
        }
    }
    counts
}

fn add(sum: &mut Counts, more: Counts) {
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
pub(super) fn selector(access: &str) -> &str {
    access.split('(').next().unwrap_or(access)
}

/// `rm` of `shell(rm x)`, `github/list_issues` of `mcp(github/list_issues)`; else the selector.
pub(super) fn tool(access: &str) -> String {
    let object = access.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).unwrap_or_default();
    match selector(access) {
        "shell" => {
            let words = mayi_call::shell::split(object).unwrap_or_default();
            let program = words.into_iter().find(|word| !word.contains('=')).unwrap_or_default();
            format!("shell {program}")
        }
        selector @ ("mcp" | "tool") => format!("{selector} {object}"),
        selector => selector.to_owned(),
    }
}

/// The smallest value that so many percent of `sorted` do not exceed.
fn quantile(sorted: &[u64], percent: usize) -> Option<u64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}
