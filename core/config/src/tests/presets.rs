//! Agents that are built in.

use mayi_call::{Access, PathAccess, WriteKind};

use super::Machine;
use crate::{PRESETS, load};

/// A file below the home folder that says what the agent runs.
fn settings_of(agent: &str) -> Option<&'static str> {
    Some(match agent {
        "auggie" => ".augment/settings.json",
        "claude" => ".claude/settings.json",
        "cline" => ".cline/data/settings.json",
        "codex" => ".codex/config.toml",
        "copilot" => ".copilot/mcp-config.json",
        "cursor" => ".cursor/mcp.json",
        // It has none.
        "demo" => return None,
        "gemini" => ".gemini/settings.json",
        "goose" => ".config/goose/config.yaml",
        "junie" => ".junie/mcp/mcp.json",
        "kimi" => ".kimi-code/config.toml",
        "opencode" => ".config/opencode/opencode.json",
        "openhands" => ".openhands/settings.json",
        "qwen" => ".qwen/settings.json",
        "vibe" => ".vibe/config.toml",
        new => panic!(
            "which file says what {new} runs? It belongs here, and into the table of what is protected"
        ),
    })
}

/// D4.8: no agent changes unasked what an agent runs.
#[test]
fn given_every_preset_then_the_agents_own_settings_are_protected() {
    let machine = Machine::new();
    let loaded = load(&machine.sources).unwrap();
    let home = machine.sources.folders.home.clone().unwrap();
    for preset in PRESETS {
        let Some(file) = settings_of(preset.name) else { continue };
        let access = Access::Write(WriteKind::Write, PathAccess::new(&home, file));
        let entries = loaded.policy.protection.entries();
        assert!(
            entries.iter().any(|entry| entry.always && entry.pattern.could_match(&access, &[])),
            "{file}"
        );
    }
}
