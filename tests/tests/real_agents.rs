//! With real agents: seven of them through the same eight cases (`eight.rs`), and Claude Code's and Codex's ACP agents
//! through many more. They run without an account against a scripted model on
//! loopback. `mayi run --command …` drives both through write, edit, run, two at once, sub-agent and MCP cases:
//! allowed ones happen, denied ones do not (where the agent asks), and the file system afterwards proves it.
//!
//! Six of them, in their own programs, run a command before every tool (`hooked.rs`).
//!
//! `just test-agents` installs the agents and runs this. Every test has a home and a project of its own; what holds
//! after every run, whatever happened in it, is checked in `done.rs`.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that can't go on has failed, and a missing key of JSON reads as null"
)]

#[path = "real_agents/agent.rs"]
mod agent;
#[path = "real_agents/done.rs"]
mod done;
#[path = "real_agents/harness.rs"]
mod harness;
#[path = "real_agents/headless.rs"]
mod headless;
#[path = "real_agents/model.rs"]
mod model;
#[path = "real_agents/processes.rs"]
mod processes;
#[path = "../../cli/tests/support/pty.rs"]
mod pty;
#[path = "real_agents/running.rs"]
mod running;
#[path = "real_agents/scene.rs"]
mod scene;
#[path = "real_agents/wire.rs"]
mod wire;

/// Makes each law a test with both agents: `claude::LAW` and `codex::LAW`.
macro_rules! with_both_agents {
    ($($law:ident),* $(,)?) => {
        mod claude {
            $(#[test] fn $law() { super::$law($crate::agent::Agent::Claude); })*
        }
        mod codex {
            $(#[test] fn $law() { super::$law($crate::agent::Agent::Codex); })*
        }
    };
}

/// Makes each law a test with each harness: `gated::gemini::LAW`, where it is used in `gated`.
macro_rules! with_each_harness {
    ($($law:ident),* $(,)?) => {
        with_each_harness!(@ claude_code ClaudeCode, [$($law),*]);
        with_each_harness!(@ codex Codex, [$($law),*]);
        with_each_harness!(@ gemini Gemini, [$($law),*]);
        with_each_harness!(@ qwen Qwen, [$($law),*]);
        with_each_harness!(@ copilot Copilot, [$($law),*]);
        with_each_harness!(@ opencode Opencode, [$($law),*]);
    };
    (@ $name:ident $harness:ident, [$($law:ident),*]) => {
        mod $name {
            $(#[test] fn $law() { super::$law($crate::harness::Harness::$harness); })*
        }
    };
}

#[path = "real_agents/answering.rs"]
mod answering;
#[path = "real_agents/backend.rs"]
mod backend;
#[path = "real_agents/commands.rs"]
mod commands;
#[path = "real_agents/day.rs"]
mod day;
#[path = "real_agents/eight.rs"]
mod eight;
#[path = "real_agents/ending.rs"]
mod ending;
#[path = "real_agents/failing.rs"]
mod failing;
#[path = "real_agents/files.rs"]
mod files;
#[path = "real_agents/gated.rs"]
mod gated;
#[path = "real_agents/gateway.rs"]
mod gateway;
#[path = "real_agents/hooked.rs"]
mod hooked;
#[path = "real_agents/modes.rs"]
mod modes;
#[path = "real_agents/options.rs"]
mod options;
#[path = "real_agents/servers.rs"]
mod servers;
#[path = "real_agents/sessions.rs"]
mod sessions;
#[path = "real_agents/subagents.rs"]
mod subagents;
#[path = "real_agents/two_at_once.rs"]
mod two_at_once;
#[path = "real_agents/unasked.rs"]
mod unasked;
