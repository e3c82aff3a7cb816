//! What the model is told about the gate: one text block before the first prompt, and after each
//! change of mode.

use mayi_core::policy::Mode;

/// The text for `mode`. mayi's own words: nothing of a repository's.
#[must_use]
pub fn briefing(mode: Mode) -> String {
    let rules = match mode {
        Mode::Plan => {
            "Mode: plan. You may read. Writing files, running commands, fetching and calling tools of servers are \
             denied: say what you would do, as a plan, and do not try."
        }
        Mode::Default => {
            "Mode: default. Reading is allowed; writing files, running commands, fetching and calling tools of \
             servers may be allowed by the user's rules, or be asked about."
        }
        Mode::Auto => {
            "Mode: auto. Most actions are allowed without asking; what is dangerous or protected is asked about or \
             denied."
        }
    };
    format!(
        "[mayi] The user's permission gate answers your permission requests in this session.\n{rules}\nA refusal is \
         final for that action: do not retry it in another way or through another tool. Go on with what is allowed, \
         or say what you need and why."
    )
}
