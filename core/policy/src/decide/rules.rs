//! What somebody wrote: rules about an access, and about what it touches.

use super::findings::{AskKind, Findings};
use crate::pattern::path::Fit;
use crate::pattern::{AccessForms, Certainty, Matcher, Pattern, TouchForms, TouchMatch};
use crate::{Effect, Finding, Policy, Rule, Source};
use mayi_call::shell::{Reach, Use};
use mayi_call::{Access, Category};

/// What the rules said of an access itself.
#[derive(Debug, Default)]
pub(super) struct RuleOutcome<'a> {
    /// One of them matched.
    pub(super) any: bool,
    /// An allow outside of workspace files did.
    pub(super) allowed: bool,
    /// The allows that matched.
    pub(super) allows: Vec<&'a Rule>,
}

/// All rules that match the access are findings.
pub(super) fn apply_access_rules<'a>(policy: &'a Policy, found: &mut Findings<'_>) -> RuleOutcome<'a> {
    let mut said = RuleOutcome::default();
    for rule in policy.rules.rules_about(&found.seen) {
        if !rule.is_for(&found.call.agent) || !rule.matches_forms(&found.seen) {
            continue;
        }
        // Paths of a server that is not known to run here are no paths of this machine.
        if rule.effect == Effect::Allow && rule.pattern.has_paths() && !runs_here(policy, found) {
            continue;
        }
        said.any = true;
        let finding = with_rule_origin(rule, found.new_finding(rule.effect, Source::Rule, rule_reason(rule)));
        match rule.effect {
            Effect::Ask => found.add_ask(finding, ask_kind(rule)),
            Effect::Allow => {
                said.allowed |= rule.origin.layer != crate::Layer::Workspace;
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

/// Why somebody is asked about what is denied, where it is only a guess that a text means it.
pub(super) const A_GUESS: &str = "a text that could be a command which a rule is about";

/// Denials and asks about a path that `toucher` touches: the access, or what its arguments would run. Of a `guess` it is not known
/// that the text means it.
pub(super) fn apply_touch_rules(
    policy: &Policy,
    touch: &TouchForms<'_>,
    toucher: &Access,
    guess: bool,
    found: &mut Findings<'_>,
) {
    let mut perhaps: Option<&Rule> = None;
    let mut past: Option<&Rule> = None;
    for rule in policy.rules.about_touch(touch) {
        if !rule.is_for(&found.call.agent) {
            continue;
        }
        let Some(mut touching) = rule.match_touch(touch) else { continue };
        // What a server makes of a text is not known.
        if guess || touch.touch.reach == Reach::Said && matches!(toucher, Access::Mcp(_)) {
            touching.certainty = Certainty::Perhaps;
        }
        let by_hand = rule.effect == Effect::Deny && rule.origin.layer != crate::Layer::Managed;
        if touching.certainty == Certainty::Perhaps {
            match touch.touch.reach {
                Reach::Past if by_hand => past.get_or_insert(rule),
                Reach::Past if rule.effect == Effect::Deny && !guess => {
                    let finding = found.part_finding(
                        Effect::Deny,
                        touch.finding_text(None),
                        Source::Rule,
                        rule_reason(rule),
                    );
                    found.list.push(with_rule_origin(rule, finding));
                    continue;
                }
                _ => perhaps.get_or_insert(rule),
            };
            continue;
        }
        if by_hand && is_incidental_read(touch, &touching, toucher) {
            let finding = ask_each_time(
                touch,
                "it goes through what holds something denied",
                &rule_reason(rule),
                found,
            );
            found.add_ask(with_rule_origin(rule, finding), AskKind::PassedBy);
            continue;
        }
        let finding = found.part_finding(
            rule.effect,
            touch.finding_text(touching.write),
            Source::Rule,
            rule_reason(rule),
        );
        add_rule_finding(rule, finding, touch.as_access(touching.write).as_ref(), found);
    }
    if let Some(rule) = past {
        let finding = ask_each_time(
            touch,
            "what it shows of the past may hold something denied",
            &rule_reason(rule),
            found,
        );
        found.add_ask(with_rule_origin(rule, finding), AskKind::Never);
    }
    // A word that could be any path is no proof of this one, so it is not denied; but it is not allowed
    // either, whatever the mode.
    if let Some(rule) = perhaps {
        let what = match touch.touch.reach {
            Reach::Somewhere => "it may change a path which a rule is about",
            _ => "a word that could be a path which a rule is about",
        };
        let reason = format!("{what}: {}", rule_reason(rule));
        let mut finding = with_rule_origin(
            rule,
            found.part_finding(Effect::Ask, touch.finding_text(None), Source::Rule, reason),
        );
        finding.always = true;
        found.add_ask(finding, AskKind::Perhaps);
    }
}

/// Whether a search only comes by what is denied, and nobody but the agent gets to see it: that is no word that means it,
/// and a person may allow it (D2.26).
pub(super) fn is_incidental_read(touch: &TouchForms<'_>, touching: &TouchMatch, access: &Access) -> bool {
    let shown = matches!(access, Access::Shell(shell) if shell.reader && shell.shown);
    shown && touch.touch.how == Use::Read && touching.write.is_none() && touching.fit == Fit::Above
}

/// An ask that only a person answers, each time anew.
pub(super) fn ask_each_time(touch: &TouchForms<'_>, what: &str, why: &str, found: &Findings<'_>) -> Finding {
    let reason = format!("{what}: {why}");
    let finding = found.part_finding(Effect::Ask, touch.finding_text(None), Source::Rule, reason);
    Finding { always: true, once: true, ..finding }
}

/// Denials and asks about a part of the access: an address among the words of a command, or what arguments of a tool would
/// reach and run.
pub(super) fn apply_part_rules(policy: &Policy, part: &Access, guess: bool, found: &mut Findings<'_>) {
    let seen = AccessForms::new(part, &found.call.roots);
    for rule in policy.rules.rules_about(&seen) {
        let speaks =
            rule.effect != Effect::Allow && rule.is_for(&found.call.agent) && !rule.pattern.is_everything();
        if speaks && rule.matches_forms(&seen) {
            if rule.effect == Effect::Deny && (guess || !rule.pattern.is_certain_of(part)) {
                let why = match guess {
                    true => format!("{A_GUESS}: {}", rule_reason(rule)),
                    false => format!("where it leads is not known, and there is a {}", rule_reason(rule)),
                };
                let mut finding = with_rule_origin(
                    rule,
                    found.part_finding(Effect::Ask, part.to_string(), Source::Rule, why),
                );
                finding.always = true;
                found.add_ask(finding, AskKind::Always);
                continue;
            }
            let finding = found.part_finding(rule.effect, part.to_string(), Source::Rule, rule_reason(rule));
            add_rule_finding(rule, finding, Some(part), found);
        }
    }
}

/// Denials and asks about a tool by the name that its harness calls it, whatever the call was read into (D3.14). One that names
/// none, `tool(*)`, is about what is nothing but a tool.
pub(super) fn apply_tool_name_rules(policy: &Policy, found: &mut Findings<'_>) {
    let call = found.call;
    let Some(name) = call.name.as_ref() else { return };
    let is_first = call.accesses.first().is_some_and(|first| std::ptr::eq(first, found.access));
    // Those are judged by what they are.
    let judged = |access: &Access| match access {
        Access::Mcp(_) => true,
        Access::Tool { name: own, .. } => own == name,
        _ => false,
    };
    if !is_first || call.accesses.iter().any(judged) {
        return;
    }
    let tool = Access::Tool { name: name.clone(), category: Category::Execute };
    let seen = AccessForms::new(&tool, &call.roots);
    for rule in policy.rules.rules_about(&seen) {
        let speaks = rule.effect != Effect::Allow && rule.is_for(&call.agent) && names_tools(&rule.pattern);
        if speaks && rule.matches_forms(&seen) {
            let finding = found.part_finding(rule.effect, tool.text(), Source::Rule, rule_reason(rule));
            add_rule_finding(rule, finding, Some(&tool), found);
        }
    }
}

/// Whether a pattern is about tools of which it says something of the name.
fn names_tools(pattern: &Pattern) -> bool {
    matches!(pattern.matcher(), Matcher::Tool(_))
        && pattern.as_str().split_once('(').is_some_and(|(_, name)| name.contains(char::is_alphanumeric))
}

/// Denials and asks about a machine of which the name stands somewhere in a word: it is not known what the program makes of that,
/// so it is not denied; but it is not allowed either, whatever the mode.
pub(super) fn apply_mention_rules(policy: &Policy, address: &Access, found: &mut Findings<'_>) {
    let seen = AccessForms::new(address, &found.call.roots);
    for rule in policy.rules.rules_about(&seen) {
        let speaks =
            rule.effect != Effect::Allow && rule.is_for(&found.call.agent) && rule.pattern.names_a_machine();
        if !speaks || !rule.matches_forms(&seen) {
            continue;
        }
        let why = format!("a word that could name a machine which a rule is about: {}", rule_reason(rule));
        let mut finding =
            with_rule_origin(rule, found.part_finding(Effect::Ask, address.to_string(), Source::Rule, why));
        finding.always = true;
        return found.add_ask(finding, AskKind::Always);
    }
}

fn add_rule_finding(rule: &Rule, finding: Finding, part: Option<&Access>, found: &mut Findings<'_>) {
    let finding = with_rule_origin(rule, finding);
    match rule.effect {
        Effect::Ask => found.add_ask_about(finding, ask_kind(rule), part),
        _ => found.list.push(finding),
    }
}

fn ask_kind(rule: &Rule) -> AskKind<'_> {
    if rule.holds { AskKind::Written(rule.pattern.as_str()) } else { AskKind::Plain }
}

fn rule_reason(rule: &Rule) -> String {
    rule.reason.clone().unwrap_or_else(|| rule.default_reason())
}

fn with_rule_origin(rule: &Rule, mut finding: Finding) -> Finding {
    finding.pattern = Some(rule.pattern.to_string());
    finding.file.clone_from(&rule.origin.file);
    finding.line = rule.origin.line;
    finding.of_workspace = rule.origin.layer == crate::Layer::Workspace;
    finding
}
