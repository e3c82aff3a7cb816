//! What the terminal says, in mayi's own words.

use mayi_core::approval::{Card, CardAccess, OptionKind, PermissionType, State, choice, relative_path};
use mayi_core::call::{AgentId, NamedDoor, Selector};
use mayi_core::policy::{Effect, Level};

use super::NOT_BYPASSED;
use super::line::{Break, Line, Tone};

/// Whether this is a switch of the agent's own mode.
pub(crate) fn switches_mode(card: &Card) -> bool {
    card.accesses.iter().any(|access| access.access == "mode")
}

/// Whether every access is one of `words`.
fn has_only_accesses(card: &Card, words: &[&str]) -> bool {
    card.accesses.iter().all(|access| words.contains(&access.access.as_str()))
}

/// What a line for a shell comes to.
const RUNNING: &[&str] = &["shell", "read", "write", "create", "edit", "delete", "move"];

/// What changes files.
const CHANGING: &[&str] = &["write", "create", "edit", "delete", "move"];

/// Whether it is a call to a tool of a server, and nothing besides.
pub(super) fn is_server_call(card: &Card) -> bool {
    card.server.is_some() && !card.accesses.is_empty() && has_only_accesses(card, &["mcp"])
}

/// Whether what comes from outside is read, or a server is called: then the card warns (S2.5).
pub(super) fn is_from_outside(card: &Card) -> bool {
    card.server.is_some()
        || card.accesses.iter().any(|access| matches!(access.access.as_str(), "mcp" | "fetch"))
}

/// Whether the first line names the one thing that is touched.
pub(super) fn is_in_heading(card: &Card) -> bool {
    let named = |access: &CardAccess| {
        matches!(access.access.as_str(), "read" | "fetch" | "tool" | "mode")
            || CHANGING.contains(&access.access.as_str())
    };
    matches!(card.accesses.as_slice(), [only] if named(only))
}

/// Whether the call says what kind of thing it is, and not which.
pub(super) fn has_no_substance(card: &Card) -> bool {
    card.server.is_none() && has_only_accesses(card, &["tool", "mode"])
}

/// Whether only the agent's title names its tool: then the access has the word for its kind.
pub(super) fn is_titled(card: &Card) -> bool {
    let call = &card.tool_call;
    let nameless = call.name.is_none() && !call.title.trim().is_empty();
    nameless
        && matches!(card.accesses.as_slice(), [only] if only.access == "tool" && only.display == call.kind)
}

/// Who wants what: the first line, but for how much of a file changes.
pub(crate) fn card_heading(card: &Card) -> Line {
    if let Some(server) = card.server.as_ref().filter(|_| is_server_call(card)) {
        return Line::with_text(Tone::Strong, "Allow tool call from ")
            .append_text(Tone::Focus, &server.name)
            .append_text(Tone::Strong, "? Run ")
            .append_text(Tone::Focus, &server.tool)
            .append_text(Tone::Strong, " from ")
            .append_text(Tone::Strong, &server.name)
            .append_text(Tone::Strong, ", for ")
            .append_text(Tone::Strong, &agent_label(card));
    }
    let (verb, object) = wanted_action(card);
    let line =
        Line::with_text(Tone::Focus, &agent_label(card)).append_text(Tone::Strong, &format!(" wants {verb}"));
    match object {
        Some(object) => line.append_text(Tone::Strong, " ").append_text(Tone::Focus, object),
        None => line,
    }
}

/// What is wanted, and the thing, where that does not stand below as it was written.
fn wanted_action(card: &Card) -> (String, Option<&str>) {
    let many = card.accesses.len();
    let first = card.accesses.first();
    let commands = card.accesses.iter().filter(|access| access.access == "shell").count();
    let plain = |verb: &str| (verb.to_owned(), None);
    // Files that a line reads and writes come with its commands.
    match first.and_then(|access| access.access.parse().ok()) {
        _ if switches_mode(card) => {
            ("to switch its own mode to".to_owned(), first.map(|access| access.display.as_str()))
        }
        _ if commands > 1 && has_only_accesses(card, RUNNING) => {
            (format!("to run {commands} commands"), None)
        }
        _ if commands > 0 && has_only_accesses(card, RUNNING) => plain("to run a command"),
        _ if many > 1 && has_only_accesses(card, CHANGING) => (format!("to change {many} files"), None),
        _ if many > 1 && has_only_accesses(card, &["read"]) => (format!("to read {many} files"), None),
        _ if many > 1 => (format!("to do {many} things at once"), None),
        Some(Selector::Write(_) | Selector::Read) => {
            let word = first.map(|access| access.access.as_str()).unwrap_or_default();
            (format!("to {word}"), first.map(|access| relative_path(&access.display, &card.cwd)))
        }
        Some(Selector::Fetch) => ("to fetch".to_owned(), first.map(|access| access.display.as_str())),
        Some(Selector::Mcp) => plain("to call a tool of a server"),
        Some(Selector::Tool) if is_titled(card) => {
            ("to use a tool that it calls".to_owned(), Some(card.tool_call.title.as_str()))
        }
        Some(Selector::Tool) => ("to use its tool".to_owned(), first.map(|access| access.display.as_str())),
        Some(Selector::Shell | Selector::Mode) | None => plain("to use a tool"),
    }
}

/// What a call asks for, in a word: the first line begins with it.
pub(super) fn permission_word(permission: PermissionType) -> &'static str {
    match permission {
        PermissionType::Read => "[read] ",
        PermissionType::Write => "[write] ",
        PermissionType::All => "[all] ",
    }
}

/// The same in words of mayi's own alone, for those who only show that a question waits.
pub(super) fn waiting_words(card: &Card) -> &'static str {
    match card.accesses.first().and_then(|access| access.access.parse().ok()) {
        _ if switches_mode(card) => "An agent wants to switch its mode",
        _ if is_server_call(card) => "An agent wants to call a tool of a server",
        Some(Selector::Shell) if has_only_accesses(card, RUNNING) => "An agent wants to run a command",
        Some(Selector::Write(_)) if has_only_accesses(card, CHANGING) => "An agent wants to change a file",
        Some(Selector::Read) if has_only_accesses(card, &["read"]) => "An agent wants to read a file",
        Some(Selector::Fetch) if has_only_accesses(card, &["fetch"]) => {
            "An agent wants to fetch from the network"
        }
        _ => "An agent wants to use a tool",
    }
}

/// The card's agent, for people: by the name that it came under, if it came to a door; one that is known by its command alone has
/// none.
fn agent_label(card: &Card) -> String {
    let agent = AgentId::from_name(&card.agent_name);
    match (agent.door(), agent.name()) {
        (Some(door), Some(name)) => format!("{name}, {},", door_phrase(door)),
        (_, None) if by_command(card) => OF_COMMAND.to_owned(),
        _ => card.agent_name.clone(),
    }
}

/// Where an agent came to a door, for people.
fn door_phrase(door: NamedDoor) -> &'static str {
    match door {
        NamedDoor::Mcp => "at the MCP gateway",
        NamedDoor::Hook => "in its own terminal",
        NamedDoor::Responses => "at the Responses API",
        NamedDoor::Host => "an app",
    }
}

/// Whether an answer to the card's agent may be remembered beyond the session.
pub(crate) fn has_name(card: &Card) -> bool {
    AgentId::from_name(&card.agent_name).name().is_some()
}

/// What is asked about, each once: what a denial that is remembered is about.
pub(crate) fn asked_accesses(card: &Card) -> Vec<String> {
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
pub(crate) fn session_covers(card: &Card) -> &str {
    let offered = card.options.iter().find(|option| option.option_id == choice::ALLOW_SESSION);
    offered.and_then(|option| option.covers.as_deref()).unwrap_or_default()
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

/// As much of a call is named where it is only mentioned.
const MENTIONED: usize = 120;

/// The call in a few words: `shell(cargo test)`.
pub(crate) fn call_summary(card: &Card) -> Line {
    let Some(first) = card.accesses.first() else {
        return Line::with_text(Tone::Plain, &card.tool_call.title).cut_to_width(MENTIONED);
    };
    let more = card.accesses.len() - 1;
    let line =
        Line::with_text(Tone::Plain, &format!("{}({})", first.access, first.display)).cut_to_width(MENTIONED);
    if more > 0 { line.append_text(Tone::Plain, &format!(" and {more} more")) } else { line }
}

/// What to know about one of the agent's own options.
pub(crate) fn option_kind(kind: OptionKind) -> &'static str {
    match kind {
        OptionKind::AllowOnce => "allows this call",
        OptionKind::AllowAlways => "allows, and the agent asks less from then on",
        OptionKind::RejectOnce => "refuses this call",
        OptionKind::RejectAlways => "refuses, and the agent remembers it",
        OptionKind::Unknown => "of a kind mayi does not know, which allows nothing",
    }
}

/// The line that a card leaves when something else than this terminal's own answer ended it.
pub(crate) fn settled_line(card: &Card, state: State, by: &str, reason: Option<&str>) -> Line {
    // A reason of the policy's says by itself who spoke.
    let by = if by == "policy" { String::new() } else { format!(" by {by}") };
    let (mark, tone, what) = match state {
        State::Approved => ("✓", Tone::Good, format!("allowed{by}")),
        State::Denied => ("✗", Tone::Bad, format!("denied{by}")),
        State::Expired => ("✗", Tone::Bad, "denied, unanswered".to_owned()),
        State::Cancelled | State::Pending => ("–", Tone::Dim, "withdrawn".to_owned()),
    };
    let line = Line::with_text(tone, &format!("{mark} {what}: ")).append_line(call_summary(card));
    match reason {
        Some(reason) => line.append_text(Tone::Dim, &format!(" ({reason})")),
        None => line,
    }
}

/// What `?` shows, in rows of at most `width` columns: of keys, those that are `offered`.
pub(crate) fn help_rows(width: usize, offered: &[char]) -> Vec<Line> {
    let keys = [
        ("y", "allow this call, once"),
        ("s", "allow the like until the session ends; the card says what that covers"),
        ("a", "always allow: pick or edit a pattern, which becomes a rule of yours"),
        ("n", "deny this call; the agent goes on without it"),
        ("r", "deny it and tell the agent why"),
        ("d", "always deny: the same from now on, in this session, this folder or everywhere"),
        ("o", "the agent's own options, where it offered some"),
        ("f", "show everything: all of a long diff or command, every reason, and the raw input"),
        ("b", "bypass: this agent is asked about no more, in this session or for good"),
        ("t", "one answer, once, for all that are alike: they are listed first"),
        ("l", "the list of what waits, to answer in another order"),
        ("Ctrl-C", "cancel the agent's turn, and all that waits"),
    ];
    let mut rows = vec![Line::with_text(Tone::Strong, "Keys")];
    let is_offered = |key: &str| key.len() > 1 || key.chars().all(|key| offered.contains(&key));
    for (key, what) in keys.into_iter().filter(|(key, _)| is_offered(key)) {
        let line = Line::with_text(Tone::Focus, &format!("  {key:<6}  ")).append_text(Tone::Plain, what);
        rows.extend(line.wrap(width, 10, Break::Words));
    }
    for text in [
        "Arrows and Tab move the highlight, Enter picks it. It starts on Deny, and Esc puts it back there.",
        "What does not fit here has to be read with f before it can be allowed; denying needs no look. Without a, either exactly this is asked about each time, or no rule would be narrow enough.",
        "A question begins with what it asks for: [read] only reads, [write] changes files, [all] runs something or reaches out.",
        "For half a second after a question appears or changes, keys do nothing, and what was typed before is thrown away. Pasted text is never an answer.",
        "What the agent or a server says is shown as it is: characters that could hide, reorder or overwrite something appear as escapes, such as \\x1b.",
    ] {
        rows.push(Line::new());
        rows.extend(Line::with_text(Tone::Plain, text).wrap(width, 0, Break::Words));
    }
    rows
}

/// What a level of a server lets through.
pub(super) fn level_description(server: &str, level: Level) -> String {
    match level {
        Level::None => format!("no tool of {server}"),
        Level::Read => format!("every tool of {server} that reads (level read)"),
        Level::Write => format!("every tool of {server} that reads or writes (level write)"),
        Level::All => format!("every tool of {server} (level all)"),
    }
}
