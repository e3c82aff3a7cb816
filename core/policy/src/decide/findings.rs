//! Findings while they are collected, and what turns an ask into an allow.

use std::cell::OnceCell;

use super::SessionStanding;
use crate::grant::SessionDenial;
use crate::pattern::AccessForms;
use crate::{Effect, Finding, Mode, Source};
use mayi_call::{Access, Call, Caveat, effort};

/// How many bytes of a finding's texts are a step: they are written for each rule that is about an access, and copied into the
/// record, cards and events.
const COPIED: usize = 16;

/// What may turn an ask into an allow.
pub(super) enum AskKind<'a> {
    /// A grant, mode `auto` or bypass: matrix, settings and plain protection.
    Plain,
    /// A grant or bypass: what destroys elsewhere.
    Held,
    /// Mode `auto`, bypass, or a grant that names what the caveat is about.
    Caveat(&'a Caveat),
    /// A grant that names it: a written ask, a denial before.
    Written(&'a str),
    /// Bypass, or a grant that names the tool: what its server calls destructive.
    Destructive(&'a str),
    /// A grant that names it, where one for exactly this call was given after the denial.
    Denied(&'a SessionDenial),
    /// As [`Self::Plain`], and the kernel: it may reach what is protected, and none of its words says so.
    Unsure,
    /// Only a grant of exactly this call, or the kernel: it may be a file that a rule is about.
    Perhaps,
    /// Nothing but the kernel: it comes by a file that a rule is about.
    PassedBy,
    /// Only a grant of exactly this call.
    Always,
    /// Nothing: a person answers each time.
    Never,
}

/// The findings on one access.
pub(super) struct Findings<'a> {
    pub(super) call: &'a Call,
    pub(super) access: &'a Access,
    pub(super) seen: AccessForms<'a>,
    pub(super) standing: &'a SessionStanding<'a>,
    pub(super) list: Vec<Finding>,
    /// The kernel may stand for a person.
    confined: bool,
    discharged: Vec<Finding>,
    /// The access as text: written when it is needed.
    text: OnceCell<String>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(
        call: &'a Call,
        access: &'a Access,
        standing: &'a SessionStanding<'a>,
        confined: bool,
    ) -> Self {
        Self {
            call,
            access,
            seen: AccessForms::new(access, &call.roots),
            standing,
            list: Vec::new(),
            confined,
            discharged: Vec::new(),
            text: OnceCell::new(),
        }
    }

    pub(super) fn access_text(&self) -> &str {
        self.text.get_or_init(|| self.access.text())
    }

    /// A finding on the access itself.
    pub(super) fn new_finding(&self, effect: Effect, source: Source, reason: impl Into<String>) -> Finding {
        let text = self.access_text();
        effort::spend(text.len() / COPIED);
        Finding::new(effect, text, source, reason)
    }

    /// A finding on something that the access touches.
    pub(super) fn part_finding(
        &self,
        effect: Effect,
        access: String,
        source: Source,
        reason: String,
    ) -> Finding {
        let within = self.access_text();
        effort::spend((within.len() + access.len()) / COPIED);
        let within = Some(within.to_owned());
        Finding { within, ..Finding::new(effect, access, source, reason) }
    }

    /// So much was found, what was discharged among it.
    pub(super) fn finding_count(&self) -> usize {
        self.list.len() + self.discharged.len()
    }

    pub(super) fn has_findings(&self) -> bool {
        self.finding_count() > 0
    }

    /// Takes an ask about the access, unless something discharges it (D4.19).
    pub(super) fn add_ask(&mut self, finding: Finding, hold: AskKind<'_>) {
        self.add_ask_about(finding, hold, None);
    }

    /// The same for something that it touches: a grant for just that discharges it too.
    pub(super) fn add_ask_about(&mut self, finding: Finding, hold: AskKind<'_>, part: Option<&Access>) {
        let grants = self.standing.grants;
        let by_grant = match &hold {
            AskKind::Never | AskKind::PassedBy => None,
            AskKind::Always | AskKind::Perhaps => grants.exact_call_grant(self.call, self.access),
            AskKind::Caveat(caveat) => grants
                .naming_caveat(self.call, self.access, caveat)
                .or_else(|| grants.covering_grant(self.call, part?)),
            AskKind::Plain | AskKind::Unsure | AskKind::Held => grants
                .covering_grant(self.call, self.access)
                .or_else(|| grants.covering_grant(self.call, part?)),
            // What was shown and allowed word by word names what it touches.
            AskKind::Destructive(tool) => grants.naming_grant(self.call, self.access, Some(*tool), None),
            AskKind::Written(pattern) => grants
                .naming_grant(self.call, self.access, part.is_none().then_some(*pattern), None)
                .or_else(|| grants.naming_grant(self.call, part?, Some(pattern), None)),
            AskKind::Denied(denied) => {
                let (pattern, since) = (Some(denied.pattern.as_str()), Some(denied.since));
                grants
                    .naming_grant(self.call, self.access, pattern.filter(|_| part.is_none()), since)
                    .or_else(|| grants.naming_grant(self.call, part?, pattern, since))
            }
        };
        let yields = matches!(hold, AskKind::Plain | AskKind::Unsure | AskKind::Caveat(_));
        let confined = self.confined
            && match hold {
                AskKind::Plain => finding.source == Source::Matrix,
                AskKind::Caveat(_) | AskKind::Unsure | AskKind::Perhaps | AskKind::PassedBy => true,
                _ => false,
            };
        let stays_in_auto = matches!(hold, AskKind::Held | AskKind::Destructive(_));
        let bypassed = (yields || stays_in_auto) && self.standing.bypass;
        let discharged = |source, reason: String, pattern: Option<String>| Finding {
            pattern,
            within: finding.within.clone(),
            ..Finding::new(Effect::Allow, finding.access.clone(), source, reason)
        };
        let discharge = if let Some(grant) = by_grant {
            let reason = format!("allowed before, {}; else: {}", grant.scope, finding.reason);
            let pattern = grant.pattern.as_ref().map(ToString::to_string);
            Some(Finding { grant: Some(grant.id), ..discharged(Source::Grant, reason, pattern) })
        } else if bypassed {
            let reason = format!("{} is bypassed; else: {}", self.call.agent, finding.reason);
            Some(discharged(Source::Bypass, reason, None))
        } else if yields && self.standing.mode == Mode::Auto && finding.source != Source::Matrix {
            Some(discharged(Source::Auto, format!("auto mode; else: {}", finding.reason), None))
        } else if confined {
            let reason = format!("held by the kernel; else: {}", finding.reason);
            Some(discharged(Source::Confined, reason, None))
        } else {
            None
        };
        match discharge {
            Some(allow) => self.discharged.push(allow),
            None => self.list.push(finding),
        }
    }

    pub(super) fn finish(mut self) -> Vec<Finding> {
        self.list.append(&mut self.discharged);
        self.list
    }
}
