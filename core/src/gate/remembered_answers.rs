//! What is remembered of an answer.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::JudgedCall;
use super::queue::Question;
use crate::approval::{
    AnswerError, ApprovalResponse, EXACTLY_THIS_CALL, Outcome, Remember, RememberScope, State, choice,
    session_patterns,
};
use crate::call::{Access, AgentId, Call, SessionId, shell};
use crate::grant::{Grant, GrantId, Scope, exact_pattern};
use crate::policy::{Decision, Effect, Level, Pattern, pattern::PatternBases};

/// The longest that an answer with a time limit is remembered.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 3600);

/// Whether what is remembered is a rule of the user's file, and nothing of the store.
pub(super) fn is_rule(remember: &Remember) -> bool {
    remember.scope == RememberScope::User && !remember.is_limited() && remember.level.is_none()
}

/// The option that was chosen; none if the person cancelled.
pub(super) fn chosen_option_id(response: &ApprovalResponse) -> &str {
    match &response.response {
        Outcome::Selected { option_id } => option_id,
        Outcome::Cancelled => "",
    }
}

/// The grants that `response` makes of the question.
///
/// # Errors
/// If they would be about something else, or can't be kept that long.
pub(super) fn grants_from_answer(
    question: &Question,
    response: &ApprovalResponse,
    how: State,
    now: Timestamp,
) -> Result<Vec<Grant>, AnswerError> {
    let refuse = |text: &str| Err(AnswerError::Remember(text.to_owned()));
    let chosen = chosen_option_id(response);
    let remember = response.remember.as_ref();
    let call = &question.judged.call;
    let mut found = match how {
        State::Approved if chosen == choice::ALLOW_SESSION => {
            if remember.is_some_and(|remember| remember.scope != RememberScope::Session) {
                return refuse("an answer for this session is remembered for the session, not longer");
            }
            allow_grants(&question.judged, &question.card.levels, remember, now)
        }
        State::Approved if chosen == choice::ALLOW_ALWAYS => match remember {
            Some(remember) if remember.level.is_some() || !remember.patterns.is_empty() => {
                if is_rule(remember) {
                    Ok(Vec::new())
                } else {
                    allow_grants(&question.judged, &question.card.levels, Some(remember), now)
                }
            }
            _ => refuse("\"always\" needs a pattern: pick one of the suggestions"),
        },
        State::Denied => remember.map_or(Ok(Vec::new()), |remember| deny_grants(question, remember, now)),
        _ => Ok(Vec::new()),
    }?;
    if response.bypass_session {
        found.push(bypass_grant(call.agent.clone(), call.session.clone()));
    }
    Ok(found)
}

/// The bypass of `agent` in `session`.
pub(super) fn bypass_grant(agent: AgentId, session: SessionId) -> Grant {
    Grant { bypass: true, ..Grant::of_session(agent, session) }
}

/// What an answer grants beyond its call, as people read it: the grants that it made, and the rules or the bypass that
/// were written for it.
pub(super) fn describe_permissions(
    question: &Question,
    response: &ApprovalResponse,
    grants: &[Grant],
    written: bool,
) -> Vec<String> {
    if written && response.bypass_all {
        return vec![format!("bypass {} (user)", question.judged.call.agent)];
    }
    if written {
        let rules = response.remember.iter().flat_map(|remember| &remember.patterns);
        return rules.map(|pattern| format!("{pattern} (user)")).collect();
    }
    describe_grants(grants)
}

/// The permissions among `grants`, as people read them.
fn describe_grants(grants: &[Grant]) -> Vec<String> {
    let allowing = || grants.iter().filter(|grant| grant.effect == Effect::Allow);
    // Beside a pattern, the call itself says nothing more.
    let exact = allowing().all(|grant| grant.fingerprint.is_some() || grant.bypass);
    let mut found: Vec<String> = Vec::new();
    for grant in allowing().filter(|grant| exact || grant.fingerprint.is_none()) {
        let what = match (&grant.pattern, &grant.level) {
            _ if grant.bypass => format!("bypass {}", grant.agent),
            (Some(pattern), _) => pattern.to_string(),
            (None, Some((server, level))) => format!("{server}: {}", level.as_str()),
            (None, None) => EXACTLY_THIS_CALL.to_owned(),
        };
        let mut reach = grant.scope.as_str().to_owned();
        if let Some(end) = grant.expires_at {
            reach.push_str(&format!(", until {end:.0}"));
        }
        if let Some(uses) = grant.uses_left {
            reach.push_str(&format!(", uses: {uses}"));
        }
        let text = format!("{what} ({reach})");
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

/// Permissions: what always asks, only for exactly this call.
fn allow_grants(
    judged: &JudgedCall,
    levels: &[Level],
    remember: Option<&Remember>,
    now: Timestamp,
) -> Result<Vec<Grant>, AnswerError> {
    let JudgedCall { call, decision, .. } = judged;
    if decision.asks_each_time() {
        let reason = "this is asked about each time anew: it can be allowed once, and not be remembered";
        return Err(AnswerError::Remember(reason.to_owned()));
    }
    let like = grant_template(call, remember, now)?;
    let fingerprint =
        Grant { fingerprint: Some(call.fingerprint()), server: call.server.clone(), ..with_new_id(&like) };
    let of_session = like.scope == Scope::Session;
    if decision.always_asks() {
        return if of_session {
            Ok(vec![fingerprint])
        } else {
            Err(AnswerError::Remember(
                "this is asked about each time: it can be allowed once, or exactly so for this session"
                    .to_owned(),
            ))
        };
    }
    if let Some(level) = remember.and_then(|remember| remember.level) {
        let level = level_grant(call, level)?.level.filter(|(_, level)| levels.contains(level));
        return match level {
            Some(level) => {
                Ok(vec![Grant { level: Some(level), server: call.server.clone(), ..with_new_id(&like) }])
            }
            None => Err(AnswerError::Remember("this level would not allow the call".to_owned())),
        };
    }
    let given = remember.map(|remember| remember.patterns.as_slice()).unwrap_or_default();
    let patterns: Vec<Pattern> = if given.is_empty() {
        session_patterns(call, decision)
    } else {
        check_patterns_cover(call, decision, given)?
    };
    let limited = like.uses_left.is_some();
    let mut found = Vec::new();
    // Counted uses are of the pattern; the same call again is one of them.
    if of_session && (patterns.is_empty() || !limited) {
        found.push(fingerprint);
    }
    let of_server = |pattern: &Pattern| {
        let tools = call.accesses.iter().filter(|access| matches!(access, Access::Mcp(_)));
        tools.into_iter().any(|access| pattern.certainly_matches(access, &call.roots))
    };
    found.extend(patterns.into_iter().map(|pattern| {
        let server = call.server.clone().filter(|_| of_server(&pattern));
        Grant { pattern: Some(pattern), server, ..with_new_id(&like) }
    }));
    Ok(found)
}

/// Denials: of what was asked about, or of patterns that concern it.
fn deny_grants(question: &Question, remember: &Remember, now: Timestamp) -> Result<Vec<Grant>, AnswerError> {
    let JudgedCall { call, decision, .. } = &question.judged;
    let like = Grant { effect: Effect::Deny, ..grant_template(call, Some(remember), now)? };
    if like.uses_left.is_some() || remember.level.is_some() {
        return Err(AnswerError::Remember("a denial has no uses and no level".to_owned()));
    }
    let patterns = if remember.patterns.is_empty() {
        let asked = call.accesses.iter().filter(|access| decision.asks_about(access));
        asked.filter_map(|access| exact_pattern(access).ok().flatten()).collect()
    } else {
        let patterns = parse_patterns(&remember.patterns)?;
        let concerns =
            |pattern: &Pattern| call.accesses.iter().any(|access| pattern.could_match(access, &call.roots));
        if let Some(other) = patterns.iter().find(|pattern| !concerns(pattern)) {
            return Err(AnswerError::Remember(format!("`{other}` is about something else")));
        }
        patterns
    };
    if patterns.is_empty() {
        return Err(AnswerError::Remember(
            "there is no pattern for just this: deny it once, or write a rule".to_owned(),
        ));
    }
    Ok(patterns.into_iter().map(|pattern| Grant { pattern: Some(pattern), ..with_new_id(&like) }).collect())
}

/// A level for the server of the tool that is called, for the session.
pub(super) fn level_grant(call: &Call, level: Level) -> Result<Grant, AnswerError> {
    let certain = |access: &Access| match access {
        Access::Mcp(mcp) => mcp.unique_reading().map(|(server, _)| server.to_owned()),
        _ => None,
    };
    let like = Grant::of_session(call.agent.clone(), call.session.clone());
    match call.accesses.iter().find_map(certain) {
        Some(name) if level != Level::None => {
            Ok(Grant { level: Some((name, level)), server: call.server.clone(), ..like })
        }
        Some(_) => Err(AnswerError::Remember("the level is read, write or all".to_owned())),
        None => Err(AnswerError::Remember("only a tool of an MCP server has a level".to_owned())),
    }
}

/// A grant about nothing yet, with the scope and the limits of `remember`.
fn grant_template(call: &Call, remember: Option<&Remember>, now: Timestamp) -> Result<Grant, AnswerError> {
    let refuse = |text: String| Err(AnswerError::Remember(text));
    let mut grant = Grant::of_session(call.agent.clone(), call.session.clone());
    grant.scripts = shell::shell_accesses(&call.accesses).flat_map(|shell| shell.scripts.clone()).collect();
    grant.scripts.retain(|script| script.digest.is_some());
    let Some(remember) = remember else { return Ok(grant) };
    grant.scope = match remember.scope {
        RememberScope::Session => Scope::Session,
        RememberScope::Workspace => Scope::Workspace,
        RememberScope::User => Scope::User,
    };
    if grant.scope != Scope::Session {
        grant.session = None;
        if call.agent.name().is_none() {
            return refuse(
                "this agent has no name in the configuration: answers are remembered for the session only"
                    .to_owned(),
            );
        }
    }
    if grant.scope == Scope::Workspace {
        grant.workspace = call.workspace();
        if grant.workspace.is_none() {
            return refuse("this session has no folder that it could be remembered for".to_owned());
        }
    }
    if let Some(text) = &remember.expires_in {
        let Ok(duration) = text.parse::<SignedDuration>() else {
            return refuse(format!("`{text}` is no duration: write 30m, 2h or 90 minutes"));
        };
        let fits = duration > SignedDuration::ZERO && duration.unsigned_abs() <= LONGEST;
        match now.checked_add(duration) {
            Ok(end) if fits => grant.expires_at = Some(end),
            _ => return refuse(format!("`{text}` is no time that an answer can be remembered for")),
        }
    }
    if remember.uses == Some(0) {
        return refuse("an answer that can be used no times is none".to_owned());
    }
    grant.uses_left = remember.uses;
    Ok(grant)
}

/// The same with an id of its own.
fn with_new_id(grant: &Grant) -> Grant {
    Grant { id: GrantId::new(), ..grant.clone() }
}

fn parse_patterns(patterns: &[String]) -> Result<Vec<Pattern>, AnswerError> {
    let places = PatternBases { home: crate::call::home_folder(), ..PatternBases::default() };
    let parse = |text: &String| {
        Pattern::parse(text, &places).map_err(|error| AnswerError::Remember(error.to_string()))
    };
    patterns.iter().map(parse).collect()
}

/// The patterns, if together they allow all that `decision` asks about: one for something else is a slip
/// of the hand.
pub(super) fn check_patterns_cover(
    call: &Call,
    decision: &Decision,
    patterns: &[String],
) -> Result<Vec<Pattern>, AnswerError> {
    let compiled = parse_patterns(patterns)?;
    let mut asked = call.accesses.iter().filter(|access| decision.asks_about(access));
    match asked.find(|access| !compiled.iter().any(|pattern| pattern.certainly_matches(access, &call.roots)))
    {
        Some(access) => Err(AnswerError::Remember(format!("this does not cover {access}"))),
        None => Ok(compiled),
    }
}
