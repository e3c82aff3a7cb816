//! The agents, and what is said of them that a gate has to live with.

use std::path::{Path, PathBuf};

/// A real agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agent {
    /// Claude Code: a refused call is a failed one, and the turn goes on.
    Claude,
    /// Codex: a refused edit or command ends the turn as `cancelled`; after a refused MCP call it goes on.
    Codex,
    /// Codex by the adapter that took over from that one.
    Codex2,
    /// Gemini CLI: its questions about commands do not hold the command.
    Gemini,
    Opencode,
    Qwen,
    Vibe,
    /// GitHub Copilot: its edits are a file's name and a diff, its commands lines in a list.
    Copilot,
    /// Cline: its commands are lines in a list.
    Cline,
    /// Kimi: its questions hold neither the command nor a file that is new.
    Kimi,
}

impl Agent {
    /// As `launch` calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Codex2 => "codex2",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Qwen => "qwen",
            Self::Vibe => "vibe",
            Self::Copilot => "copilot",
            Self::Cline => "cline",
            Self::Kimi => "kimi",
        }
    }

    /// Part of the agent's command line, and of no other process's of a test.
    pub(crate) fn program(self) -> &'static str {
        match self {
            Self::Claude => "claude-agent-acp",
            Self::Codex => "bin/codex-acp",
            Self::Codex2 => "@agentclientprotocol/codex-acp",
            Self::Gemini => "bundle/gemini.js",
            Self::Opencode => "bin/opencode",
            Self::Qwen => "cli-entry.js",
            Self::Vibe => "vibe.acp",
            Self::Copilot => "/copilot",
            Self::Cline => "bin/cline",
            Self::Kimi => "kimi-code/dist/main.mjs",
        }
    }

    /// How a turn ends in which an edit or a command was refused.
    pub(crate) fn stops_after_refusal(self) -> &'static str {
        match self {
            Self::Codex | Self::Codex2 => "cancelled",
            Self::Claude
            | Self::Gemini
            | Self::Opencode
            | Self::Qwen
            | Self::Vibe
            | Self::Copilot
            | Self::Cline
            | Self::Kimi => "end_turn",
        }
    }
}

/// Where the agents are installed.
pub(crate) fn packages() -> PathBuf {
    let Some(folder) = std::env::var_os("MAYI_TEST_AGENTS").filter(|folder| !folder.is_empty()) else {
        panic!(
            "MAYI_TEST_AGENTS is not set, so there are no agents to test with: run `just test-agents`, or set it to the \
             folder that tests/agents/install prints"
        );
    };
    let folder = PathBuf::from(folder);
    assert!(
        folder.join("node_modules").is_dir(),
        "MAYI_TEST_AGENTS is {}, where no agents are installed: set it to the folder that tests/agents/install prints",
        folder.display()
    );
    folder
}

/// The program under test: MAYI_BIN, or the one that was built beside this test.
pub(crate) fn mayi() -> PathBuf {
    let program = std::env::var_os("MAYI_BIN").filter(|program| !program.is_empty());
    let program = program.map_or_else(
        || {
            // target/PROFILE/deps/real_agents-HASH
            let this = std::env::current_exe().unwrap();
            this.parent().and_then(Path::parent).unwrap().join("mayi")
        },
        PathBuf::from,
    );
    assert!(
        program.is_file(),
        "there is no {}: build it with `cargo build -p mayi --bin mayi`, or set MAYI_BIN",
        program.display()
    );
    program
}
