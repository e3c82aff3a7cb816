//! Agents that people use, how they are started as ACP agents, and what is known of whether they ask.
//!
//! Commands are those of the public ACP agent registry and the agents' own documentation; a user's file may say otherwise
//! (`[agents.NAME] command = ...`). What npx would fetch has the version that was tried: the next one may do without asking
//! what this one asks about.

use std::collections::BTreeMap;

use super::{AgentCommand, AgentLaunch, Layer, OnUnasked};
use mayi_policy::Origin;

/// An agent that mayi knows by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What starts it; empty: this executable.
    pub command: &'static [&'static str],
    /// Variables that are set for it, by which it asks.
    pub env: &'static [(&'static str, &'static str)],
    /// How one of these says that tools of a server are not asked about.
    pub spares: Option<ServerRule>,
    /// Its own mode in which it asks, where it has one to switch to.
    pub asking_mode: Option<&'static str>,
    /// Whether it asks.
    pub asks: Asks,
    /// It takes the protocol's error for a file that is not there as a failure, and so creates no file.
    pub missing_files_are_empty: bool,
    /// How to get it.
    pub install: &'static str,
}

/// What is known of whether an agent asks before it writes files, runs commands and calls tools of servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asks {
    /// It was tried in this version, and asked.
    Tried(&'static str),
    /// Nobody has tried it.
    #[default]
    NotKnown,
}

/// How a variable by which an agent asks says that the tools of one server are not asked about: mayi's gateway judges them where
/// they run, and by what they are called with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerRule {
    /// The variable.
    pub variable: &'static str,
    /// What it stands behind: what comes later counts more.
    pub behind: &'static str,
    /// The rule, with `{}` for the server's name as the agent writes it: letters, digits, `_` and `-`.
    pub rule: &'static str,
}

/// opencode runs everything without asking, unless its settings say otherwise. What only reads in the folder may go on so. Its own
/// names with a `_` stand here too: a server's rule, which matches by a beginning, is none about them.
const OPENCODE_ASKS: &str = r#"{"*":"ask","read":"allow","glob":"allow","grep":"allow","list":"allow","todowrite":"allow","todoread":"allow","external_directory":"ask","doom_loop":"ask","plan_enter":"ask","plan_exit":"ask","apply_patch":"ask"}"#;

/// All of them, by name. Where an agent has modes, `asking_mode` is the one in which it asks before it acts: goose, vibe and
/// newer Claude Codes start in one where they do not, and the "ask" modes of others are for questions. Google's Antigravity
/// is not among them: its program speaks no ACP.
pub const PRESETS: &[Preset] = &[
    new_preset("auggie", "Auggie", &["auggie", "--acp"], "npm install -g @augmentcode/auggie"),
    new_preset(
        "claude",
        "Claude Code",
        &["npx", "-y", "@agentclientprotocol/claude-agent-acp@0.100.0"],
        "install Node.js, which brings npx",
    )
    .asks_in("default", Asks::Tried("0.100.0")),
    new_preset("cline", "Cline", &["cline", "--acp"], "npm install -g cline")
        .asks_in("act", Asks::Tried("3.0.65")),
    new_preset(
        "codex",
        "Codex",
        &["npx", "-y", "@agentclientprotocol/codex-acp@2.6.0"],
        "install Node.js, which brings npx",
    )
    .asks_in("read-only", Asks::Tried("2.6.0")),
    new_preset("copilot", "GitHub Copilot", &["copilot", "--acp"], "npm install -g @github/copilot")
        .asks_in("https://agentclientprotocol.com/protocol/session-modes#agent", Asks::Tried("1.0.102")),
    new_preset("cursor", "Cursor", &["cursor-agent", "acp"], "see cursor.com/cli"),
    new_preset("demo", "the demo agent", &[], "it is built in")
        .asks_in("ask", Asks::Tried(env!("CARGO_PKG_VERSION"))),
    new_preset("gemini", "Gemini CLI", &["gemini", "--acp"], "npm install -g @google/gemini-cli")
        .asks_in("default", Asks::Tried("0.61.0"))
        .missing_files_are_empty(),
    new_preset("goose", "goose", &["goose", "acp"], "see block.github.io/goose")
        .asks_in("approve", Asks::NotKnown),
    new_preset("junie", "Junie", &["junie", "--acp=true"], "see junie.jetbrains.com"),
    new_preset("kimi", "Kimi", &["kimi", "acp"], "npm install -g @moonshot-ai/kimi-code")
        .asks_in("default", Asks::Tried("2.1.0")),
    new_preset("opencode", "opencode", &["opencode", "acp"], "npm install -g opencode-ai")
        .asks_by(&[("OPENCODE_PERMISSION", OPENCODE_ASKS)], Asks::Tried("1.18.33"))
        .spares(ServerRule {
            variable: "OPENCODE_PERMISSION",
            behind: r#"{"*":"ask","#,
            rule: r#""{}_*":"allow","#,
        }),
    new_preset("openhands", "OpenHands", &["openhands", "acp"], "see github.com/OpenHands/OpenHands-CLI"),
    new_preset("qwen", "Qwen Code", &["qwen", "--acp"], "npm install -g @qwen-code/qwen-code")
        .asks_in("default", Asks::Tried("0.24.4")),
    new_preset("vibe", "Mistral Vibe", &["vibe-acp"], "see github.com/mistralai/mistral-vibe")
        .asks_in("ask", Asks::Tried("3.0.3")),
];

const fn new_preset(
    name: &'static str,
    title: &'static str,
    command: &'static [&'static str],
    install: &'static str,
) -> Preset {
    let asks = Asks::NotKnown;
    Preset {
        name,
        title,
        command,
        env: &[],
        spares: None,
        asking_mode: None,
        asks,
        missing_files_are_empty: false,
        install,
    }
}

impl Preset {
    const fn asks_by(self, env: &'static [(&'static str, &'static str)], asks: Asks) -> Self {
        Self { env, asks, ..self }
    }

    const fn asks_in(self, mode: &'static str, asks: Asks) -> Self {
        Self { asking_mode: Some(mode), asks, ..self }
    }

    const fn spares(self, rule: ServerRule) -> Self {
        Self { spares: Some(rule), ..self }
    }

    const fn missing_files_are_empty(self) -> Self {
        Self { missing_files_are_empty: true, ..self }
    }

    /// The preset called `name`.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// How it is started.
    #[must_use]
    pub fn agent_launch(&self) -> AgentLaunch {
        let command = match self.command {
            [] => AgentCommand::BuiltIn,
            words => AgentCommand::Words(words.iter().map(|word| (*word).to_owned()).collect()),
        };
        AgentLaunch {
            name: self.name.to_owned(),
            title: self.title.to_owned(),
            command: Some(command),
            env: self.env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            asking_mode: self.asking_mode.map(str::to_owned),
            asks: self.asks,
            missing_files_are_empty: self.missing_files_are_empty,
            on_unasked: OnUnasked::default(),
            preset: true,
            install: Some(self.install),
            origin: Origin { file: None, line: None, layer: Layer::BuiltIn },
        }
    }
}

/// Has an agent not ask about tools of `servers`, which stand behind mayi's gateway, where a variable says so that mayi itself has
/// set for it. What the user has written there stays.
pub fn spare_servers<'s>(
    env: &mut BTreeMap<String, String>,
    servers: impl IntoIterator<Item = &'s str> + Clone,
) {
    for (preset, rule) in PRESETS.iter().filter_map(|preset| Some((preset, preset.spares?))) {
        let own = preset.env.iter().find(|(name, _)| *name == rule.variable).map(|(_, text)| *text);
        let Some(text) = env.get_mut(rule.variable).filter(|text| Some(text.as_str()) == own) else {
            continue;
        };
        let plain = |c: char| if c.is_ascii_alphanumeric() || "_-".contains(c) { c } else { '_' };
        let named =
            |server: &str| rule.rule.replacen("{}", &server.chars().map(plain).collect::<String>(), 1);
        let rules: String = servers.clone().into_iter().map(named).collect();
        *text = text.replacen(rule.behind, &format!("{}{rules}", rule.behind), 1);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Asks, PRESETS, Preset, spare_servers};
    use crate::names;
    use mayi_policy::aliases::agent_called;

    /// S4.3, attack 768: what is judged at the gateway is not asked about by the agent, and nothing else is spared.
    #[test]
    fn given_servers_behind_the_gateway_then_the_agent_is_told_not_to_ask_about_theirs() {
        let opencode = Preset::by_name("opencode").unwrap().agent_launch();
        let mut env = opencode.env.clone();
        spare_servers(&mut env, ["fs", "my.server"]);
        let text = &env["OPENCODE_PERMISSION"];
        assert!(
            text.starts_with(r#"{"*":"ask","fs_*":"allow","my_server_*":"allow","read":"allow","#),
            "{text}"
        );
        assert!(serde_json::from_str::<serde_json::Value>(text).is_ok(), "{text}");
        // Its own names stay behind what a server could be called.
        assert!(text.rfind("apply_patch") > text.rfind("_*"), "{text}");
        let mut written = BTreeMap::from([("OPENCODE_PERMISSION".to_owned(), r#"{"*":"ask"}"#.to_owned())]);
        spare_servers(&mut written, ["fs"]);
        assert_eq!(written["OPENCODE_PERMISSION"], r#"{"*":"ask"}"#);
    }

    #[test]
    fn given_the_presets_then_their_names_are_allowed_and_sorted() {
        assert!(PRESETS.is_sorted_by_key(|preset| preset.name));
        for preset in PRESETS {
            assert_eq!(names::refuse_agent(preset.name), None);
            // As people write it, it is the same agent, and no other one's.
            for name in [preset.name, preset.title] {
                assert_eq!(agent_called(name), preset.name, "{name}");
            }
        }
    }

    /// Found in review: what is said of an agent was tried with one version of it, and so this is the version that
    /// npx fetches; an agent of which nothing is known is said to be so.
    #[test]
    fn given_a_preset_that_npx_fetches_then_it_is_the_version_that_was_tried() {
        for preset in PRESETS.iter().filter(|preset| preset.command.first() == Some(&"npx")) {
            let Asks::Tried(version) = preset.asks else { panic!("{} was not tried", preset.name) };
            let package = preset.command.last().unwrap();
            assert!(package.ends_with(&format!("@{version}")), "{package}");
        }
        let untried =
            |name: &str| PRESETS.iter().any(|preset| preset.name == name && preset.asks == Asks::NotKnown);
        for name in ["auggie", "cursor", "goose", "junie", "openhands"] {
            assert!(untried(name), "{name}");
        }
    }
}
