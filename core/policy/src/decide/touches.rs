//! What a command or a tool touches besides being run: paths and addresses among its words. They count
//! for deny, ask and protection, and never have to be allowed by themselves; only what readers read is
//! judged as a read of its own.

use super::findings::{Findings, Hold};
use super::rules;
use crate::pattern::{Certainty, Seen, SeenTouch};
use crate::protection::places;
use crate::words;
use crate::{Effect, Finding, Policy, Source};
use mayi_call::shell::{Reach, Touch, TouchedPath, Use};
use mayi_call::{Access, Category, PathAccess};

/// Judges everything that the access touches. `lifted`: an explicit allow of the command itself lifts
/// plain asks; `reader`: what it reads has to be allowed, too.
pub(super) fn judge(policy: &Policy, lifted: bool, reader: bool, found: &mut Findings<'_>) {
    let access = found.access;
    let (touches, urls) = match access {
        Access::Shell(shell) => (&shell.touches, shell.urls.as_slice()),
        Access::Mcp(mcp) => (&mcp.touches, [].as_slice()),
        _ => return,
    };
    for touch in touches {
        let seen = SeenTouch::new(touch, &found.call.roots);
        rules::on_touch(policy, &seen, found);
        denials(&seen, found);
        // An allow of just this path speaks for it as an allow of the command does.
        let allowed = lifted || allowed(policy, &seen, found);
        protection(policy, &seen, allowed, found);
        if reader && !allowed && touch.how == Use::Read {
            matrix(policy, &seen, found);
        }
    }
    for url in urls {
        rules::on_address(policy, &Access::Fetch(url.clone()), found);
    }
}

/// Whether a rule outside of workspace files allows what is touched.
fn allowed(policy: &Policy, touch: &SeenTouch<'_>, found: &Findings<'_>) -> bool {
    let write = match touch.touch.how {
        Use::Read => None,
        Use::Write(kind) => Some(kind),
        Use::Either => return false,
    };
    let Some(access) = touch.access(write) else { return false };
    let seen = Seen::new(&access, &found.call.roots);
    policy.rules.about(&seen).any(|rule| {
        rule.effect == Effect::Allow
            && rule.origin.layer != "workspace"
            && rule.is_for(&found.call.agent)
            && rule.matches_seen(&seen)
    })
}

fn denials(touch: &SeenTouch<'_>, found: &mut Findings<'_>) {
    let (grants, call) = (found.standing.grants, found.call);
    for (grant, pattern, touching) in grants.forbidding_touch(call, touch) {
        let reason = format!("denied before, {}", grant.scope);
        let past = touching.certainty == Certainty::Perhaps;
        if past || rules::passes_by(touch, &touching, found.access) {
            let mut finding = rules::passed(touch, "it may show something denied", &reason, found);
            finding.pattern = Some(pattern.to_string());
            found.ask(finding, Hold::Never);
            continue;
        }
        let mut finding = found.part(Effect::Deny, touch.text(touching.write), Source::Grant, reason);
        finding.pattern = Some(pattern.to_string());
        finding.grant = Some(grant.id);
        found.list.push(finding);
    }
    for (denied, write) in grants.touched_denials(call, touch) {
        let reason = "the like was denied before in this session".to_owned();
        let mut finding = found.part(Effect::Ask, touch.text(write), Source::Grant, reason);
        finding.pattern = Some(denied.pattern.to_string());
        found.ask_about(finding, Hold::Denied(denied), touch.access(write).as_ref());
    }
}

fn protection(policy: &Policy, touch: &SeenTouch<'_>, lifted: bool, found: &mut Findings<'_>) {
    if touch.touch.reach != Reach::Said
        && let TouchedPath::Known(path) = &touch.touch.path
        && let Some(place) = doubtful(touch.touch, path)
    {
        let mut finding = found.part(place.effect, touch.text(None), Source::Protection, place.reason);
        finding.always = place.always;
        found.ask(finding, Hold::Always);
    }
    for against in policy.protection.against_touch(touch) {
        let write = against.write;
        if against.effect == Effect::Ask && lifted && !against.always {
            continue;
        }
        // A path that a word may only stand for is not changed yet: the reason says which word that is.
        let reason = match (&touch.touch.path, write) {
            (TouchedPath::Known(path), Some(_)) if touch.touch.how == Use::Either => {
                format!(
                    "{} is among its words, and could be changed by it: {}",
                    words::quoted(&path.lexical.display().to_string()),
                    against.reason
                )
            }
            _ => against.reason,
        };
        // One word is one cause, however many places it could be.
        let alike = |of: &Finding| {
            of.source == Source::Protection && of.reason == reason && !of.always && of.within.is_some()
        };
        if against.pattern.is_none() && !against.always && found.list.iter().any(alike) {
            continue;
        }
        let mut finding = found.part(against.effect, touch.text(write), Source::Protection, reason);
        finding.pattern = against.pattern;
        finding.always = against.always;
        match against.effect {
            Effect::Ask => {
                let hold = if against.always { Hold::Always } else { Hold::Plain };
                found.ask_about(finding, hold, touch.access(write).as_ref());
            }
            _ => found.list.push(finding),
        }
    }
}

/// A text that is only perhaps a path, and could not be one, is nothing to ask about.
fn doubtful(touch: &Touch, path: &PathAccess) -> Option<places::Place> {
    if touch.how == Use::Either { places::alias(path) } else { places::doubtful(path) }
}

/// The row of the matrix for what a reader reads.
fn matrix(policy: &Policy, touch: &SeenTouch<'_>, found: &mut Findings<'_>) {
    let mode = found.standing.mode;
    let effect = policy.matrix.row(mode).of(Category::Read);
    if effect == Effect::Allow {
        return;
    }
    let reason = format!("read in {mode} mode");
    let finding = found.part(effect, touch.text(None), Source::Matrix, reason);
    match effect {
        Effect::Ask => found.ask_about(finding, Hold::Plain, touch.access(None).as_ref()),
        _ => found.list.push(finding),
    }
}
