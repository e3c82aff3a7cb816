//! A rule: an effect for what a pattern matches.

use std::path::PathBuf;

use super::aliases::same_agent;
use super::pattern::path::Fit;
use super::pattern::{AccessForms, Certainty, PatternAuthor, TouchForms, TouchMatch};
use super::{Effect, Pattern};
use mayi_call::{Access, AgentId};

/// Where a rule is written: the nearer layers come later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The file, if it is one.
    pub file: Option<PathBuf>,
    /// The line in that file, from 1.
    pub line: Option<u32>,
    /// The layer: `managed`, `user`, `workspace`, `environment`, `command line`.
    pub layer: &'static str,
}

/// An effect for what a pattern matches (D3.2).
#[derive(Clone, Debug)]
pub struct Rule {
    /// What it asks for.
    pub effect: Effect,
    /// What it is about.
    pub pattern: Pattern,
    /// What it is not about, though the pattern matches.
    pub unless: Option<Pattern>,
    /// Why, in the words of who wrote it.
    pub reason: Option<String>,
    /// The agents it is for, by their ids; empty: all.
    pub agents: Vec<String>,
    /// For an ask: whether it holds in mode `auto` and for bypassed agents. It does unless the
    /// file says `always = false`.
    pub holds: bool,
    /// For an ask or a deny: whether it is only about what is named, or certainly reached. A folder above counts where such a
    /// thing really lies in it, as with what is protected.
    pub named: bool,
    /// Where it is written.
    pub origin: Origin,
}

impl Rule {
    /// What it says, for one that gives no reason.
    #[must_use]
    pub fn default_reason(&self) -> String {
        match self.origin.layer {
            "command line" => ["--", self.effect.as_str(), " on the command line"].concat(),
            layer => [self.effect.as_str(), " rule of the ", layer, " file"].concat(),
        }
    }

    /// Whether it is about `agent`: an allow for the one that is called so, a deny or an ask for whichever name it goes by
    /// (D1.20).
    #[must_use]
    pub fn is_for(&self, agent: &AgentId) -> bool {
        let mut names = self.agents.iter();
        self.agents.is_empty()
            || match self.effect {
                Effect::Allow => names.any(|name| name == agent.as_str()),
                Effect::Ask | Effect::Deny => names.any(|name| same_agent(name, agent)),
            }
    }

    /// Whether it matches `access`, given the session's roots. An allow matches only what is
    /// certain, an ask or a deny whatever could be meant; `unless` is the other way round, since
    /// what it excepts from an allow is stricter.
    #[must_use]
    pub fn matches(&self, access: &Access, roots: &[PathBuf]) -> bool {
        self.matches_forms(&AccessForms::new(access, roots))
    }

    /// As [`Self::matches`], with what was worked out once for many rules.
    pub(crate) fn matches_forms(&self, seen: &AccessForms<'_>) -> bool {
        match self.effect {
            Effect::Allow => {
                self.pattern.certainly_matches_forms(seen)
                    && !self.unless.as_ref().is_some_and(|unless| unless.could_match_forms(seen))
            }
            Effect::Ask | Effect::Deny => {
                self.pattern.fit(seen, self.author()) != Fit::No
                    && !self.excepts(Some(seen.access), seen.roots)
            }
        }
    }

    /// Whether a deny or an ask is about a path that a command or a tool only touches.
    pub(crate) fn match_touch(&self, seen: &TouchForms<'_>) -> Option<TouchMatch> {
        if self.effect == Effect::Allow {
            return None;
        }
        let touching = self.pattern.match_touch(seen, self.author())?;
        if self.named && touching.certainty == Certainty::Perhaps {
            return None;
        }
        let excepted =
            self.unless.is_some() && self.excepts(seen.as_access(touching.write).as_ref(), seen.roots);
        (!excepted).then_some(touching)
    }

    fn author(&self) -> PatternAuthor {
        if self.named { PatternAuthor::Named } else { PatternAuthor::ByHand }
    }

    fn excepts(&self, access: Option<&Access>, roots: &[PathBuf]) -> bool {
        match (&self.unless, access) {
            (Some(unless), Some(access)) => unless.excepts(access, roots),
            _ => false,
        }
    }
}
