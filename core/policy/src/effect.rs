//! Effects, and the evidence for them.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::grant_id::GrantId;
use mayi_call::Category;

/// What becomes of a call. Ordered by strictness, so that the strictest of many is their maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// It runs.
    Allow,
    /// A person decides.
    Ask,
    /// It does not run.
    Deny,
}

impl Effect {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a finding comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "FindingSource")]
pub enum Source {
    /// A rule that somebody wrote.
    Rule,
    /// What mayi protects by itself.
    Protection,
    /// A setting of a server or tool.
    Setting,
    /// The matrix of modes and categories.
    Matrix,
    /// Plan mode.
    Plan,
    /// Something was not understood, or could change what runs.
    Caveat,
    /// A remembered answer.
    Grant,
    /// `bypass_permissions` of the agent.
    Bypass,
    /// Mode `auto`.
    Auto,
    /// The kernel holds it to what the rules say, and nobody has said more.
    Confined,
    /// Judging failed.
    Error,
}

/// One reason for an effect on one access: the same value on cards, in `check` and in the record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
pub struct Finding {
    /// What this reason asks for.
    pub effect: Effect,
    /// The access it is about, as text: `shell(rm -rf x)`.
    pub access: String,
    /// Where it comes from.
    pub source: Source,
    /// The pattern that matched.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[ts(optional)]
    pub pattern: Option<String>,
    /// The file the pattern is written in.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[ts(optional)]
    pub file: Option<PathBuf>,
    /// The line in that file, from 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[ts(optional)]
    pub line: Option<u32>,
    /// One line, lower case.
    pub reason: String,
    /// Asked about whatever the mode and the settings.
    pub always: bool,
    /// Only a person allows it, and each time anew: no answer is remembered for it.
    #[serde(skip)]
    pub once: bool,
    /// Its words come from a file in a workspace: people see them, a model never does.
    #[serde(skip)]
    pub of_workspace: bool,
    /// The access of the call that it belongs to, where [`Self::access`] is only a part of that: a file
    /// that a command would read.
    #[serde(skip)]
    pub within: Option<String>,
    /// The remembered answer that speaks here.
    #[serde(skip)]
    pub grant: Option<GrantId>,
}

impl Finding {
    /// A finding without a place in a file.
    #[must_use]
    pub fn new(effect: Effect, access: impl Into<String>, source: Source, reason: impl Into<String>) -> Self {
        Self {
            effect,
            access: access.into(),
            source,
            pattern: None,
            file: None,
            line: None,
            reason: reason.into(),
            always: false,
            once: false,
            of_workspace: false,
            within: None,
            grant: None,
        }
    }

    /// Whether `other` says the same of the same cause: people read it once, however many accesses come by it.
    #[must_use]
    pub fn same_cause(&self, other: &Self) -> bool {
        let says = |of: &Self| (of.effect, of.source, of.always, of.line);
        says(self) == says(other)
            && (&self.reason, &self.pattern, &self.file) == (&other.reason, &other.pattern, &other.file)
            && (self.access == other.access || self.reason.starts_with(crate::words::COMES_IN))
    }

    /// The reason as a model may read it: nothing that a repository wrote (D5.7).
    #[must_use]
    pub fn reason_for_model(&self) -> &str {
        if self.of_workspace { "the workspace's own configuration says so" } else { &self.reason }
    }
}

/// What becomes of a call, with all the reasons.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The strictest over all accesses.
    pub effect: Effect,
    /// The categories touched, each once, in the order of the matrix.
    pub categories: Vec<Category>,
    /// The findings that stand, strictest first.
    pub trail: Vec<Finding>,
}

impl Decision {
    /// Whether nothing but an answer to exactly this call can allow it.
    #[must_use]
    pub fn always_asks(&self) -> bool {
        self.trail.iter().any(|finding| finding.effect == Effect::Ask && finding.always)
    }

    /// Whether a person has to allow it each time anew.
    #[must_use]
    pub fn asks_each_time(&self) -> bool {
        self.trail.iter().any(|finding| finding.effect == Effect::Ask && finding.once)
    }

    /// Whether an ask about `access` stands: what an answer, a grant or a rule has to cover.
    #[must_use]
    pub fn asks_about(&self, access: &mayi_call::Access) -> bool {
        let text = access.to_string();
        let about = |finding: &Finding| *finding.within.as_ref().unwrap_or(&finding.access) == text;
        self.trail.iter().any(|finding| finding.effect == Effect::Ask && about(finding))
    }

    /// The finding that decided: the first of the strictest ones.
    #[must_use]
    pub fn deciding_finding(&self) -> Option<&Finding> {
        self.trail.iter().find(|finding| finding.effect == self.effect)
    }

    /// The remembered answers that turned an ask into an allow, each once.
    #[must_use]
    pub fn spent_grants(&self) -> Vec<GrantId> {
        let allows = self.trail.iter().filter(|finding| finding.effect == Effect::Allow);
        let mut ids: Vec<GrantId> = allows.filter_map(|finding| finding.grant).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// A denial because judging failed (D4.22).
    pub fn denial_on_error(access: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            effect: Effect::Deny,
            categories: Vec::new(),
            trail: vec![Finding::new(Effect::Deny, access, Source::Error, reason)],
        }
    }
}
