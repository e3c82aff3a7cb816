//! What the terminal says, in mayi's own words.

use mayi_core::approval::{Card, State, choice};
use mayi_core::call::{AgentId, NamedDoor, Selector, WriteKind};
use mayi_core::policy::{Effect, Level};

use super::line::{Break, Line, Tone};

/// Whether nothing but an answer to exactly this call can allow it.
pub(crate) fn always(card: &Card) -> bool {
    card.why.iter().any(|finding| finding.effect == Effect::Ask && finding.always)
}

/// Whether this is a switch of the agent's own mode.
pub(crate) fn switches_mode(card: &Card) -> bool {
    card.accesses.iter().any(|access| access.access == "mode")
}

/// Whether every access is one of `words`.
fn only(card: &Card, words: &[&str]) -> bool {
    card.accesses.iter().all(|access| words.contains(&access.access.as_str()))
}

/// What a line for a shell comes to.
const RUNNING: &[&str] = &["shell", "read", "write", "create", "edit", "delete", "move"];

/// The first line: who wants what.
pub(crate) fn heading(card: &Card) -> Line {
    if let Some(server) = card.server.as_ref().filter(|_| only(card, &["mcp"])) {
        return Line::of(Tone::Strong, "Allow tool call from ")
            .then(Tone::Focus, &server.name)
            .then(Tone::Strong, "?");
    }
    let many = card.accesses.len();
    let first = card.accesses.first().and_then(|access| access.access.parse().ok());
    let commands = card.accesses.iter().filter(|access| access.access == "shell").count();
    let what = match first {
        _ if switches_mode(card) => "to switch its own mode".to_owned(),
        // Files that a line reads and writes come with its commands.
        Some(Selector::Shell) if only(card, RUNNING) && commands > 1 => format!("to run {commands} commands"),
        Some(Selector::Shell) if only(card, RUNNING) => "to run a command".to_owned(),
        _ if only(card, &["write", "create", "edit", "delete", "move"]) && many > 1 => {
            format!("to change {many} files")
        }
        Some(Selector::Read) if only(card, &["read"]) && many > 1 => format!("to read {many} files"),
        _ if many > 1 => format!("to do {many} things at once"),
        Some(Selector::Write(kind)) => format!("to {kind} a file", kind = kind.as_str()),
        Some(Selector::Read) => "to read".to_owned(),
        Some(Selector::Fetch) => "to fetch from the network".to_owned(),
        Some(Selector::Mcp) => "to call a tool of a server".to_owned(),
        Some(Selector::Shell | Selector::Tool | Selector::Mode) | None => "to use a tool".to_owned(),
    };
    Line::of(Tone::Focus, &who(card)).then(Tone::Strong, &format!(" wants {what}"))
}

/// The card's agent, for people: by the name that it came under, if it came to a door; one that is known by its command alone has
/// none.
fn who(card: &Card) -> String {
    let agent = AgentId::named(&card.agent_name);
    match (agent.door(), agent.name()) {
        (Some(door), Some(name)) => format!("{name}, {},", at(door)),
        (_, None) if by_command(card) => OF_COMMAND.to_owned(),
        _ => card.agent_name.clone(),
    }
}

/// Where an agent came to a door, for people.
fn at(door: NamedDoor) -> &'static str {
    match door {
        NamedDoor::Mcp => "at the MCP gateway",
        NamedDoor::Hook => "in its own terminal",
        NamedDoor::Responses => "at the Responses API",
    }
}

/// Whether an answer to the card's agent may be remembered beyond the session.
pub(crate) fn has_name(card: &Card) -> bool {
    AgentId::named(&card.agent_name).name().is_some()
}

/// What is asked about, each once: what a denial that is remembered is about.
pub(crate) fn asked(card: &Card) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for finding in card.why.iter().filter(|finding| finding.effect == Effect::Ask) {
        let access = finding.within.as_ref().unwrap_or(&finding.access);
        if !found.contains(access) {
            found.push(access.clone());
        }
    }
    found
}

/// What "Allow for this session" covers (D6.9).
pub(crate) fn session_covers(card: &Card) -> String {
    if always(card) {
        return "exactly this call, again".to_owned();
    }
    let mut covers: Vec<String> = Vec::new();
    for access in &card.accesses {
        let display = access.display.as_str();
        let one = match access.access.parse() {
            Ok(Selector::Shell) => "exactly these words".to_owned(),
            Ok(Selector::Write(_)) => "changes to this file".to_owned(),
            Ok(Selector::Read) => "reads of this file and of those beside it".to_owned(),
            Ok(Selector::Fetch) => format!("anything from {}", host(display)),
            Ok(Selector::Mcp) => "this tool, with any arguments".to_owned(),
            Ok(Selector::Tool | Selector::Mode) | Err(_) => "this tool, with any input".to_owned(),
        };
        if !covers.contains(&one) {
            covers.push(one);
        }
    }
    covers.join("; ")
}

fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or(rest)
}

/// Whether the card's agent has a name in the configuration: settings are for those alone.
pub(crate) fn is_named(card: &Card) -> bool {
    !card.agent_name.contains(':')
}

/// What an agent that was given by a command is called.
pub(crate) const OF_COMMAND: &str = "the agent of --command";

/// Whether the agent was given by a command: its name is made of that, and says nothing to a person.
pub(crate) fn by_command(card: &Card) -> bool {
    card.agent_name.starts_with("command:")
}

/// Whether there is a session that something could be remembered for.
pub(crate) fn has_session(card: &Card) -> bool {
    card.options.iter().any(|option| option.option_id == choice::ALLOW_SESSION)
}

/// What a bypass of `agent` is, and what it does not cover; `good`: whether it may outlive the session.
pub(crate) fn bypass_means(agent: &str, good: bool) -> String {
    let until =
        if good { format!("; for good, until you say `mayi bypass {agent} off`") } else { String::new() };
    format!(
        "This call runs, and {agent} is not asked about any more: for this session, until it ends{until}. {NOT_BYPASSED}"
    )
}

/// What a bypass does not cover.
pub(crate) const NOT_BYPASSED: &str = "Still asked: what your rules ask about, what is protected (start-up files, hooks, \
     keys, mayi's own files, what lies outside of its folders), and lines that can't be understood. What is denied stays \
     denied.";

/// What a pattern would allow, in words.
pub(crate) fn pattern_covers(pattern: &str) -> String {
    let Some((selector, argument)) = pattern.strip_suffix(')').and_then(|pattern| pattern.split_once('('))
    else {
        return "everything".to_owned();
    };
    let below = argument.strip_suffix("/**");
    let Ok(selector) = selector.parse() else { return argument.to_owned() };
    match selector {
        Selector::Shell => match argument.strip_suffix(" *") {
            Some(words) => format!("`{words}` with any further words"),
            None if argument.contains('*') => format!("commands like `{argument}`"),
            None => "exactly this command".to_owned(),
        },
        Selector::Read | Selector::Write(_) => {
            let verb = match selector {
                Selector::Read => "reading",
                Selector::Write(WriteKind::Create) => "creating",
                Selector::Write(WriteKind::Edit) => "editing",
                Selector::Write(WriteKind::Delete) => "deleting",
                Selector::Write(WriteKind::Move) => "moving",
                _ => "changing",
            };
            match below {
                Some(folder) => format!("{verb} anything below {folder}"),
                None if argument.contains(['*', '?', '[', '{']) => format!("{verb} files like {argument}"),
                None => format!("{verb} this file"),
            }
        }
        Selector::Fetch => format!("anything from {}", host(argument)),
        Selector::Mcp if argument.contains('*') => format!("tools like {argument}, with any arguments"),
        Selector::Mcp => "this tool, with any arguments".to_owned(),
        Selector::Tool => "this tool, with any input".to_owned(),
        Selector::Mode => argument.to_owned(),
    }
}

/// As much of a call is named where it is only mentioned.
const MENTIONED: usize = 120;

/// The call in a few words: `shell(cargo test)`.
pub(crate) fn summary(card: &Card) -> Line {
    let Some(first) = card.accesses.first() else {
        return Line::of(Tone::Plain, &card.tool_call.title).cut(MENTIONED);
    };
    let more = card.accesses.len() - 1;
    let line = Line::of(Tone::Plain, &format!("{}({})", first.access, first.display)).cut(MENTIONED);
    if more > 0 { line.then(Tone::Plain, &format!(" and {more} more")) } else { line }
}

/// What to know about one of the agent's own options.
pub(crate) fn option_kind(kind: &str) -> String {
    match kind {
        "allow_once" => "allows this call".to_owned(),
        "allow_always" => "allows, and the agent asks less from then on".to_owned(),
        "reject_once" => "refuses this call".to_owned(),
        "reject_always" => "refuses, and the agent remembers it".to_owned(),
        other => format!("of a kind mayi does not know ({other})"),
    }
}

/// The line that a card leaves when something else than this terminal's own answer ended it.
pub(crate) fn settled(card: &Card, state: State, by: &str, reason: Option<&str>) -> Line {
    // A reason of the policy's says by itself who spoke.
    let by = if by == "policy" { String::new() } else { format!(" by {by}") };
    let (mark, tone, what) = match state {
        State::Approved => ("✓", Tone::Good, format!("allowed{by}")),
        State::Denied => ("✗", Tone::Bad, format!("denied{by}")),
        State::Expired => ("✗", Tone::Bad, "denied, unanswered".to_owned()),
        State::Cancelled | State::Pending => ("–", Tone::Dim, "withdrawn".to_owned()),
    };
    let line = Line::of(tone, &format!("{mark} {what}: ")).join(summary(card));
    match reason {
        Some(reason) => line.then(Tone::Dim, &format!(" ({reason})")),
        None => line,
    }
}

/// What `?` shows, in rows of at most `width` columns: of keys, those that are `offered`.
pub(crate) fn help(width: usize, offered: &[char]) -> Vec<Line> {
    let keys = [
        ("y", "allow this call, once"),
        ("s", "allow the like until the session ends; the card says what that covers"),
        ("a", "always allow: pick or edit a pattern, which becomes a rule of yours"),
        ("n", "deny this call; the agent goes on without it"),
        ("r", "deny it and tell the agent why"),
        ("d", "always deny: the same from now on, in this session, this folder or everywhere"),
        ("o", "the agent's own options, where it offered some"),
        ("f", "show everything: all of a long diff or command, and the raw input"),
        ("b", "bypass: this agent is asked about no more, in this session or for good"),
        ("t", "one answer, once, for all that are alike: they are listed first"),
        ("l", "the list of what waits, to answer in another order"),
        ("Ctrl-C", "cancel the agent's turn, and all that waits"),
    ];
    let mut rows = vec![Line::of(Tone::Strong, "Keys")];
    let is_offered = |key: &str| key.len() > 1 || key.chars().all(|key| offered.contains(&key));
    for (key, what) in keys.into_iter().filter(|(key, _)| is_offered(key)) {
        let line = Line::of(Tone::Focus, &format!("  {key:<6}  ")).then(Tone::Plain, what);
        rows.extend(line.wrap(width, 10, Break::Words));
    }
    for text in [
        "Arrows and Tab move the highlight, Enter picks it. It starts on Deny, and Esc puts it back there.",
        "For half a second after a question appears or changes, keys do nothing, and what was typed before is thrown away. Pasted text is never an answer.",
        "What the agent or a server says is shown as it is: characters that could hide, reorder or overwrite something appear as escapes, such as \\x1b.",
    ] {
        rows.push(Line::new());
        rows.extend(Line::of(Tone::Plain, text).wrap(width, 0, Break::Words));
    }
    rows
}

/// What a level of a server lets through.
pub(super) fn of_level(server: &str, level: Level) -> String {
    match level {
        Level::None => format!("no tool of {server}"),
        Level::Read => format!("every tool of {server} that reads (level read)"),
        Level::Write => format!("every tool of {server} that reads or writes (level write)"),
        Level::All => format!("every tool of {server} (level all)"),
    }
}
