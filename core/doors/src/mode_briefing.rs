//! What models are told about the gate, at every door that can tell them.

use mayi_core::policy::Mode;

/// What `mode` means for a model. mayi's own words: nothing of a repository's.
#[must_use]
pub fn mode_briefing(mode: Mode) -> &'static str {
    match mode {
        Mode::Plan => {
            "Mode: plan. You may read. Writing files, running commands, fetching and calling tools of servers are \
             denied: say what you would do, as a plan, and do not try."
        }
        Mode::Default => {
            "Mode: default. Reading is allowed; writing files, running commands, fetching and calling tools of \
             servers may be allowed by the user's rules, or be asked about."
        }
        Mode::Auto => {
            "Mode: auto. Most actions are allowed without asking; what rules or protection hold back, and what \
             destroys elsewhere, is asked about or denied."
        }
    }
}

/// What a model does after a refusal.
pub const AFTER_A_REFUSAL: &str = "A refusal is final for that action: do not retry it in another way or through another tool. \
    Go on with what is allowed, or say what you need and why.";
