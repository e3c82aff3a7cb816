//! Words that settings can be, with what each means.

use schemars::JsonSchema;
use serde::Serialize;

/// How much is asked.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Mode {
    /// Only reads; everything else is denied.
    Plan,
    /// Reads run, everything else is asked about.
    Default,
    /// Dangerous: asks only where a rule or protection says so, and before what destroys elsewhere.
    Auto,
}

/// What follows when an agent did something without asking.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum OnUnasked {
    /// It is shown and recorded.
    Record,
    /// The turn is cancelled too.
    Stop,
}

/// What becomes of a call.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Effect {
    /// It runs.
    Allow,
    /// A person decides.
    Ask,
    /// It does not run.
    Deny,
}

/// Whether calls need an answer.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Approval {
    /// They are asked about.
    Required,
    /// They run.
    NotRequired,
}

/// Whether a tool's calls need an answer.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ToolApproval {
    /// They are asked about.
    Required,
    /// They run.
    NotRequired,
    /// As its server.
    Default,
}

/// The level that was granted to a server.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Level {
    /// Nothing.
    None,
    /// Tools of category read.
    Read,
    /// Tools of category read and write.
    Write,
    /// Every tool.
    All,
}

/// What a tool does.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Category {
    /// It only looks.
    Read,
    /// It changes files.
    Write,
    /// It runs something.
    Execute,
    /// It reaches something outside of this machine.
    External,
}

/// What is denied in any case.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Denied {
    /// It does not run.
    Deny,
}
