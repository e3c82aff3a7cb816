//! What a command or a tool touches besides being run: paths and addresses among its words. They count
//! for deny, ask and protection, and never have to be allowed by themselves; only what readers read is
//! judged as a read of its own.

use super::findings::{AskKind, Findings};
use super::mentions;
use super::rules;
use crate::pattern::{AccessForms, Certainty, TouchForms};
use crate::protection::places;
use crate::words;
use crate::{Effect, Finding, Mode, Policy, Source};
use mayi_call::shell::{Caveat, Reach, Touch, TouchedPath, Use, join_word_texts};
use mayi_call::{Access, Category, ShellAccess, UrlAccess, effort};

/// Steps for what is touched, besides those for comparisons. Where they are spent, the decision says so.
const TOUCH: usize = 20;

/// Judges everything that the access touches. `lifted`: an explicit allow of the command itself lifts
/// plain asks; `reader`: what it reads has to be allowed, too.
pub(super) fn judge_touches(policy: &Policy, lifted: bool, reader: bool, found: &mut Findings<'_>) {
    let access = found.access;
    let touches = match access {
        Access::Shell(shell) => &shell.touches,
        Access::Mcp(mcp) => &mcp.touches,
        _ => return,
    };
    for touch in touches.iter().take_while(|_| effort::spend(TOUCH)) {
        let seen = TouchForms::new(touch, &found.call.roots);
        rules::apply_touch_rules(policy, &seen, access, false, found);
        add_grant_denials(&seen, access, false, found);
        // An allow of just this path speaks for it as an allow of the command does.
        let allowed = lifted || is_allowed(policy, &seen, found);
        add_protection(policy, &seen, allowed, found);
        if reader && !allowed && touch.how == Use::Read {
            add_matrix_row(policy, &seen, found);
        }
    }
    judge_addresses(policy, access, false, found);
    if let Access::Mcp(mcp) = access {
        mcp.inside.iter().for_each(|inside| judge_inside(policy, inside, false, found));
        mcp.guesses.iter().for_each(|inside| judge_inside(policy, inside, true, found));
    }
    if let Access::Shell(shell) = access {
        for words in &shell.guesses {
            let (words, line) = (words.clone(), join_word_texts(words));
            let guess = ShellAccess { words, line, understood: true, ..ShellAccess::default() };
            judge_inside(policy, &Access::Shell(guess), true, found);
        }
    }
}

/// The addresses among the words of a command.
fn judge_addresses(policy: &Policy, access: &Access, guess: bool, found: &mut Findings<'_>) {
    let Access::Shell(shell) = access else { return };
    for url in shell.urls.iter().take_while(|_| effort::spend(TOUCH)) {
        rules::apply_part_rules(policy, &Access::Fetch(url.clone()), guess, found);
    }
    for host in mentions::mentioned_hosts(shell) {
        rules::apply_mention_rules(policy, &Access::Fetch(host), found);
    }
}

/// An address that a command certainly reaches, or may be told by a word that is not known, is a `fetch` of its own (D2.37): where
/// no allow is about it, the matrix speaks as it does for any other.
pub(super) fn judge_reached_address(
    policy: &Policy,
    shell: &ShellAccess,
    caveat: &Caveat,
    url: &UrlAccess,
    found: &mut Findings<'_>,
) {
    let reached = Access::Fetch(url.clone());
    let mode = found.standing.mode;
    let effect = policy.matrix.row(mode).effect_for(Category::External);
    if effect == Effect::Allow || allows_access(policy, &reached, found) {
        return;
    }
    // A matrix that asks in auto mode was written so.
    let source = if mode == Mode::Auto { Source::Matrix } else { Source::Caveat };
    let finding =
        found.part_finding(effect, reached.to_string(), source, words::caveat_reason(shell, caveat));
    match effect {
        Effect::Ask => found.add_ask_about(finding, AskKind::Caveat(caveat), Some(&reached)),
        _ => found.list.push(finding),
    }
}

/// Whether a rule allows an access.
fn allows_access(policy: &Policy, access: &Access, found: &Findings<'_>) -> bool {
    let seen = AccessForms::new(access, &found.call.roots);
    policy.rules.rules_about(&seen).any(|rule| {
        rule.effect == Effect::Allow && rule.is_for(&found.call.agent) && rule.matches_forms(&seen)
    })
}

/// What arguments of a tool would reach or run, and what that touches: a denial or an ask that somebody wrote, or gave before,
/// is about it. Nothing else is: it is not known that the server does so. Of a `guess` it is not even known that the text means
/// it: it is asked about at most.
fn judge_inside(policy: &Policy, inside: &Access, guess: bool, found: &mut Findings<'_>) {
    if !effort::spend(TOUCH) {
        return;
    }
    rules::apply_part_rules(policy, inside, guess, found);
    let (grants, call) = (found.standing.grants, found.call);
    let seen = AccessForms::new(inside, &call.roots);
    for (grant, pattern) in grants.forbidding_grants(call, &seen) {
        let reason = format!("denied before, {}", grant.scope);
        if guess {
            let reason = format!("{}: {reason}", rules::A_GUESS);
            let mut finding = found.part_finding(Effect::Ask, inside.to_string(), Source::Grant, reason);
            (finding.pattern, finding.always) = (Some(pattern.to_string()), true);
            found.add_ask(finding, AskKind::Always);
            continue;
        }
        let mut finding = found.part_finding(Effect::Deny, inside.to_string(), Source::Grant, reason);
        finding.pattern = Some(pattern.to_string());
        finding.grant = Some(grant.id);
        found.list.push(finding);
    }
    if let Access::Shell(shell) = inside {
        for touch in shell.touches.iter().take_while(|_| effort::spend(TOUCH)) {
            let seen = TouchForms::new(touch, &found.call.roots);
            rules::apply_touch_rules(policy, &seen, inside, guess, found);
            add_grant_denials(&seen, inside, guess, found);
        }
    }
    judge_addresses(policy, inside, guess, found);
}

/// Whether a rule outside of workspace files allows what is touched.
fn is_allowed(policy: &Policy, touch: &TouchForms<'_>, found: &Findings<'_>) -> bool {
    let write = match touch.touch.how {
        Use::Read => None,
        Use::Write(kind) => Some(kind),
        Use::Either => return false,
    };
    let Some(access) = touch.as_access(write) else { return false };
    let seen = AccessForms::new(&access, &found.call.roots);
    policy.rules.rules_about(&seen).any(|rule| {
        rule.effect == Effect::Allow
            && rule.origin.layer != crate::Layer::Workspace
            && rule.is_for(&found.call.agent)
            && rule.matches_forms(&seen)
    })
}

fn add_grant_denials(touch: &TouchForms<'_>, toucher: &Access, guess: bool, found: &mut Findings<'_>) {
    let (grants, call) = (found.standing.grants, found.call);
    for (grant, pattern, touching) in grants.forbidding_touch(call, touch) {
        let reason = format!("denied before, {}", grant.scope);
        let past = guess || touching.certainty == Certainty::Perhaps;
        if past || rules::is_incidental_read(touch, &touching, toucher) {
            let mut finding = rules::ask_each_time(touch, "it may show something denied", &reason, found);
            finding.pattern = Some(pattern.to_string());
            found.add_ask(finding, AskKind::Never);
            continue;
        }
        let mut finding =
            found.part_finding(Effect::Deny, touch.finding_text(touching.write), Source::Grant, reason);
        finding.pattern = Some(pattern.to_string());
        finding.grant = Some(grant.id);
        found.list.push(finding);
    }
    for (denied, write) in grants.touched_denials(call, touch) {
        let reason = "the like was denied before in this session".to_owned();
        let mut finding = found.part_finding(Effect::Ask, touch.finding_text(write), Source::Grant, reason);
        finding.pattern = Some(denied.pattern.to_string());
        found.add_ask_about(finding, AskKind::Denied(denied), touch.as_access(write).as_ref());
    }
}

fn add_protection(policy: &Policy, touch: &TouchForms<'_>, lifted: bool, found: &mut Findings<'_>) {
    if !matches!(touch.touch.reach, Reach::Said | Reach::Mentioned)
        && let Some(place) = doubtful_touch(touch.touch)
    {
        let mut finding =
            found.part_finding(place.effect, touch.finding_text(None), Source::Protection, place.reason);
        finding.always = place.always;
        found.add_ask(finding, AskKind::Always);
    }
    for against in policy.protection.touch_objections(touch) {
        let write = against.write;
        if against.effect == Effect::Ask && lifted && !against.always {
            continue;
        }
        // A path that a word may only stand for is not changed yet: the reason says which word that is.
        let reason = match (&touch.touch.path, write) {
            (TouchedPath::Known(path), Some(_)) if touch.touch.how == Use::Either => {
                format!(
                    "{} is among its words, and could be changed by it: {}",
                    words::backtick_excerpt(&path.lexical.display().to_string()),
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
        let mut finding =
            found.part_finding(against.effect, touch.finding_text(write), Source::Protection, reason);
        finding.pattern = against.pattern;
        finding.always = against.always;
        match against.effect {
            Effect::Ask => {
                let hold = match (against.always, against.unsure) {
                    (true, _) => AskKind::Always,
                    (false, true) => AskKind::Unsure,
                    (false, false) => AskKind::Plain,
                };
                found.add_ask_about(finding, hold, touch.as_access(write).as_ref());
            }
            _ => found.list.push(finding),
        }
    }
}

/// A text that is only perhaps a path, and could not be one, is nothing to ask about.
fn doubtful_touch(touch: &Touch) -> Option<places::PathObjection> {
    match &touch.path {
        TouchedPath::Known(path) if touch.how == Use::Either => places::alias_path(path),
        TouchedPath::Known(path) => places::doubtful_path(path),
        TouchedPath::Open(open) => places::open_alias(open, touch.reach == Reach::All),
    }
}

/// The row of the matrix for what a reader reads.
fn add_matrix_row(policy: &Policy, touch: &TouchForms<'_>, found: &mut Findings<'_>) {
    let mode = found.standing.mode;
    let effect = policy.matrix.row(mode).effect_for(Category::Read);
    if effect == Effect::Allow {
        return;
    }
    let reason = format!("read in {mode} mode");
    let finding = found.part_finding(effect, touch.finding_text(None), Source::Matrix, reason);
    match effect {
        Effect::Ask => found.add_ask_about(finding, AskKind::Plain, touch.as_access(None).as_ref()),
        _ => found.list.push(finding),
    }
}
