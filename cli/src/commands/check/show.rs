//! A decision as people read it: the effect, the reasons, and what would change it.

use mayi_check::{CheckedCall, Checker, Request};
use mayi_core::approval::suggest_patterns;
use mayi_core::policy::{Decision, Effect, Finding, Source};

use crate::context::Context;
use crate::error::CliError;
use crate::print;
use crate::surface::{Break, Line, Tone};

/// Where the access and its reason begin.
const INDENT: usize = 9;

pub(super) fn print_decision(
    checker: &mut Checker,
    request: &Request,
    judged: &CheckedCall,
    ctx: &Context,
) -> Result<(), CliError> {
    let decision = &judged.decision;
    let said = match decision.effect {
        Effect::Allow => "it would run without a question",
        Effect::Ask => "you would be asked first",
        Effect::Deny => "it would be refused",
    };
    let mut lines =
        vec![effect_line(decision.effect).append_text(Tone::Plain, &format!(": {said}")), Line::new()];
    lines.extend(finding_lines(&decision.trail));
    if !ctx.quiet && decision.effect != Effect::Allow {
        lines.push(Line::new());
        lines.extend(change_advice(checker, request, judged, ctx));
    }
    let color = ctx.is_stdout_colored();
    let width = output_width();
    for line in lines {
        let hang = if line.plain_text().starts_with("  ") { INDENT } else { 2 };
        for row in line.wrap(width, hang, Break::Words) {
            print::stdout_line(row.paint(color))?;
        }
    }
    Ok(())
}

/// As wide as the terminal; where there is none, lines are as long as they are.
fn output_width() -> usize {
    let stdout = console::Term::stdout();
    if !stdout.is_term() {
        return usize::MAX;
    }
    stdout.size_checked().map_or(100, |(_, columns)| usize::from(columns).max(40))
}

fn effect_line(effect: Effect) -> Line {
    let tone = match effect {
        Effect::Allow => Tone::Good,
        Effect::Ask => Tone::Warn,
        Effect::Deny => Tone::Bad,
    };
    Line::with_text(tone, &effect.to_string())
}

/// Each finding: what it is about, and under it why.
pub(in crate::commands) fn finding_lines(trail: &[Finding]) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut last = None;
    for (at, finding) in trail.iter().enumerate() {
        if trail.iter().take(at).any(|before| before.same_cause(finding)) {
            continue;
        }
        let head = (finding.effect, finding.access.as_str());
        if last != Some(head) {
            let effect = effect_line(finding.effect);
            let fill = " ".repeat(INDENT.saturating_sub(2 + effect.width()));
            let line = Line::with_text(Tone::Plain, "  ").append_line(effect).append_text(Tone::Plain, &fill);
            lines.push(line.append_text(Tone::Strong, &finding.access));
            last = Some(head);
        }
        lines.push(reason_line(finding));
    }
    lines
}

fn reason_line(finding: &Finding) -> Line {
    let mut line = Line::with_text(Tone::Plain, &" ".repeat(INDENT))
        .append_text(Tone::Dim, &format!("{}: ", source_word(finding.source)))
        .append_text(Tone::Plain, &finding.reason);
    if let Some(pattern) = &finding.pattern {
        line = line.append_text(Tone::Plain, &format!(", {pattern}"));
    }
    if let Some(place) = finding_location(finding) {
        line = line.append_text(Tone::Dim, &format!(" at {place}"));
    }
    if finding.always && finding.effect == Effect::Ask {
        line = line.append_text(Tone::Warn, " (always asked)");
    }
    line
}

fn source_word(source: Source) -> &'static str {
    match source {
        Source::Rule => "rule",
        Source::Protection => "protection",
        Source::Setting => "setting",
        Source::Matrix => "matrix",
        Source::Plan => "plan",
        Source::Caveat => "caveat",
        Source::Grant => "grant",
        Source::Bypass => "bypass",
        Source::Auto => "auto",
        Source::Confined => "confined",
        Source::Error => "error",
    }
}

fn finding_location(finding: &Finding) -> Option<String> {
    let file = finding.file.as_ref()?;
    Some(match finding.line {
        Some(line) => format!("{}:{line}", file.display()),
        None => file.display().to_string(),
    })
}

/// What would change the decision.
fn change_advice(checker: &mut Checker, request: &Request, judged: &CheckedCall, ctx: &Context) -> Vec<Line> {
    let decision = &judged.decision;
    let allow = allowing_patterns(checker, request, judged);
    if !allow.is_empty() {
        let file = ctx
            .sources
            .own_file()
            .map_or_else(|| "a configuration".to_owned(), |file| file.display().to_string());
        let one = if allow.len() > 1 { " one of these" } else { "" };
        let head = Line::with_text(Tone::Plain, &format!("To allow it, write{one} under [rules] in {file}:"));
        let rows = allow.iter().map(|line| Line::with_text(Tone::Plain, "  ").append_text(Tone::Focus, line));
        return std::iter::once(head).chain(rows).collect();
    }
    let mut advice: Vec<String> = Vec::new();
    let plan = decision.trail.iter().any(|finding| finding.source == Source::Plan);
    let deciding =
        |finding: &&Finding| finding.effect == decision.effect && !(plan && finding.source == Source::Matrix);
    for finding in decision.trail.iter().filter(deciding) {
        let one = advice_on(finding, decision);
        if !advice.contains(&one) {
            advice.push(one);
        }
    }
    advice.iter().map(|text| Line::with_text(Tone::Plain, text)).collect()
}

/// Lists of patterns with which it would be allowed, as TOML: each was tried.
fn allowing_patterns(checker: &mut Checker, request: &Request, judged: &CheckedCall) -> Vec<String> {
    let mut lines = Vec::new();
    for suggestion in suggest_patterns(&judged.call, &judged.decision) {
        let mut with = request.clone();
        with.rules.allow.extend(suggestion.patterns.iter().cloned());
        let allowed = checker.decide(&with).is_ok_and(|decision| decision.effect == Effect::Allow);
        if let (true, Ok(list)) = (allowed, serde_json::to_string(&suggestion.patterns)) {
            lines.push(format!("allow = {list}"));
        }
    }
    lines
}

/// How protection says that a path lies in no folder of the session.
const OUTSIDE: &str = "outside of the session's folders";

const FURTHER_FOLDERS: &str = " To have an agent work there too, name the folder: `folders` under [workspace] of your own file, or --add-dir DIR.";

fn advice_on(finding: &Finding, decision: &Decision) -> String {
    let rule = || match finding_location(finding) {
        Some(place) => format!("the rule at {place}"),
        None => "the rule".to_owned(),
    };
    match (finding.effect, finding.source) {
        (Effect::Deny, Source::Rule) => {
            format!(
                "Nothing allows what a rule denies: change {}, or write an exception into it (`unless`).",
                rule()
            )
        }
        (Effect::Deny, Source::Plan) => {
            "In plan mode only reads are done: leave it, as with --mode default.".to_owned()
        }
        (Effect::Deny, Source::Protection) => {
            "No rule, mode or answer allows this: if you mean it, do it yourself.".to_owned()
        }
        (Effect::Deny, Source::Matrix) => {
            "The matrix denies this category in this mode: an allow rule speaks before it.".to_owned()
        }
        (Effect::Deny, _) => "What can't be judged is denied.".to_owned(),
        (_, _) if decision.always_asks() => {
            let always =
                decision.trail.iter().find(|finding| finding.effect == Effect::Ask && finding.always);
            let why = always.map(|finding| format!(" ({})", finding.reason)).unwrap_or_default();
            let outside = always.is_some_and(|finding| finding.reason.contains(OUTSIDE));
            let instead = if outside { FURTHER_FOLDERS } else { "" };
            format!("Only your answer to exactly this call allows it: no rule, mode or bypass does{why}.{instead}")
        }
        (_, Source::Rule) => format!(
            "An allow does not outweigh {}: write an exception into it (`unless`), or `always = false` to let mode auto pass.",
            rule()
        ),
        (_, Source::Caveat) => {
            "Mode auto lets it pass, and so does an allow rule that names that part of the command itself."
                .to_owned()
        }
        (_, Source::Error) => "Everything is asked about until that is mended.".to_owned(),
        (_, Source::Grant) => "It was denied before: your answer decides again.".to_owned(),
        (_, Source::Matrix | Source::Protection) if finding.reason.contains("known only when the line runs") => {
            "No rule can name what is known only when the line runs: your answer allows it, and so does mode auto."
                .to_owned()
        }
        _ => "Your answer allows it, and so does mode auto.".to_owned(),
    }
}
