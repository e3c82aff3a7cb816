//! What somebody wrote: rules about an access, and about what it touches.

use super::findings::{Findings, Hold};
use crate::pattern::path::Fit;
use crate::pattern::{Certainty, Seen, SeenTouch, Touching};
use crate::{Effect, Finding, Policy, Rule, Source};
use mayi_call::Access;
use mayi_call::shell::{Reach, Use};

/// What the rules said of an access itself.
#[derive(Debug, Default)]
pub(super) struct Said<'a> {
    /// One of them matched.
    pub(super) any: bool,
    /// An allow outside of workspace files did.
    pub(super) allowed: bool,
    /// The allows that matched.
    pub(super) allows: Vec<&'a Rule>,
}

/// All rules that match the access are findings.
pub(super) fn on_access<'a>(policy: &'a Policy, found: &mut Findings<'_>) -> Said<'a> {
    let mut said = Said::default();
    for rule in policy.rules.about(&found.seen) {
        if !rule.is_for(&found.call.agent) || !rule.matches_seen(&found.seen) {
            continue;
        }
        // Paths of a server that is not known to run here are no paths of this machine.
        if rule.effect == Effect::Allow && rule.pattern.has_paths() && !runs_here(policy, found) {
            continue;
        }
        said.any = true;
        let finding = placed(rule, found.finding(rule.effect, Source::Rule, reason(rule)));
        match rule.effect {
            Effect::Ask => found.ask(finding, hold(rule)),
            Effect::Allow => {
                said.allowed |= rule.origin.layer != "workspace";
                said.allows.push(rule);
                found.list.push(finding);
            }
            Effect::Deny => found.list.push(finding),
        }
    }
    said
}

/// Whether the server that is called is certain to run on this machine.
fn runs_here(policy: &Policy, found: &Findings<'_>) -> bool {
    let Access::Mcp(mcp) = found.access else { return false };
    super::settings::server_of(policy, mcp, found.standing).is_some_and(|server| server.local)
}

/// Denials and asks about a path that the access touches.
pub(super) fn on_touch(policy: &Policy, touch: &SeenTouch<'_>, found: &mut Findings<'_>) {
    let mut perhaps: Option<&Rule> = None;
    let mut past: Option<&Rule> = None;
    for rule in policy.rules.about_touch(touch) {
        if !rule.is_for(&found.call.agent) {
            continue;
        }
        let Some(touching) = rule.touched(touch) else { continue };
        let by_hand = rule.effect == Effect::Deny && rule.origin.layer != "managed";
        if touching.certainty == Certainty::Perhaps {
            match touch.touch.reach {
                Reach::Past if by_hand => past.get_or_insert(rule),
                Reach::Past if rule.effect == Effect::Deny => {
                    let finding = found.part(Effect::Deny, touch.text(None), Source::Rule, reason(rule));
                    found.list.push(placed(rule, finding));
                    continue;
                }
                _ => perhaps.get_or_insert(rule),
            };
            continue;
        }
        if by_hand && passes_by(touch, &touching, found.access) {
            let finding = passed(touch, "it goes through what holds something denied", &reason(rule), found);
            found.ask(placed(rule, finding), Hold::Never);
            continue;
        }
        let finding = found.part(rule.effect, touch.text(touching.write), Source::Rule, reason(rule));
        take(rule, finding, touch.access(touching.write).as_ref(), found);
    }
    if let Some(rule) = past {
        let finding =
            passed(touch, "what it shows of the past may hold something denied", &reason(rule), found);
        found.ask(placed(rule, finding), Hold::Never);
    }
    // A word that could be any path is no proof of this one, so it is not denied; but it is not allowed
    // either, whatever the mode.
    if let Some(rule) = perhaps {
        let what = match touch.touch.reach {
            Reach::Somewhere => "it may change a path which a rule is about",
            _ => "a word that could be a path which a rule is about",
        };
        let reason = format!("{what}: {}", reason(rule));
        let mut finding = placed(rule, found.part(Effect::Ask, touch.text(None), Source::Rule, reason));
        finding.always = true;
        found.ask(finding, Hold::Always);
    }
}

/// Whether a search only comes by what is denied, and nobody but the agent gets to see it: that is no word that means it,
/// and a person may allow it (D2.26).
pub(super) fn passes_by(touch: &SeenTouch<'_>, touching: &Touching, access: &Access) -> bool {
    let shown = matches!(access, Access::Shell(shell) if shell.reader && shell.shown);
    shown && touch.touch.how == Use::Read && touching.write.is_none() && touching.fit == Fit::Above
}

/// An ask that only a person answers, each time anew.
pub(super) fn passed(touch: &SeenTouch<'_>, what: &str, why: &str, found: &Findings<'_>) -> Finding {
    let reason = format!("{what}: {why}");
    let finding = found.part(Effect::Ask, touch.text(None), Source::Rule, reason);
    Finding { always: true, once: true, ..finding }
}

/// Denials and asks about an address among the words of a command.
pub(super) fn on_address(policy: &Policy, address: &Access, found: &mut Findings<'_>) {
    let seen = Seen::new(address, &found.call.roots);
    for rule in policy.rules.about(&seen) {
        let speaks =
            rule.effect != Effect::Allow && rule.is_for(&found.call.agent) && !rule.pattern.is_everything();
        if speaks && rule.matches_seen(&seen) {
            if rule.effect == Effect::Deny && !rule.pattern.is_certain_of(address) {
                let why = format!("where it leads is not known, and there is a {}", reason(rule));
                let mut finding =
                    placed(rule, found.part(Effect::Ask, address.to_string(), Source::Rule, why));
                finding.always = true;
                found.ask(finding, Hold::Always);
                continue;
            }
            let finding = found.part(rule.effect, address.to_string(), Source::Rule, reason(rule));
            take(rule, finding, Some(address), found);
        }
    }
}

fn take(rule: &Rule, finding: Finding, part: Option<&Access>, found: &mut Findings<'_>) {
    let finding = placed(rule, finding);
    match rule.effect {
        Effect::Ask => found.ask_about(finding, hold(rule), part),
        _ => found.list.push(finding),
    }
}

fn hold(rule: &Rule) -> Hold<'_> {
    if rule.holds { Hold::Written(rule.pattern.as_str()) } else { Hold::Plain }
}

fn reason(rule: &Rule) -> String {
    rule.reason.clone().unwrap_or_else(|| rule.said())
}

fn placed(rule: &Rule, mut finding: Finding) -> Finding {
    finding.pattern = Some(rule.pattern.to_string());
    finding.file.clone_from(&rule.origin.file);
    finding.line = rule.origin.line;
    finding.of_workspace = rule.origin.layer == "workspace";
    finding
}
