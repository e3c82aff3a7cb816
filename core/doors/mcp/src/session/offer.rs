//! What the client and its model are told of mayi itself.

use super::Session;
use mayi_core::policy::Mode;

impl Session {
    /// All instructions: the servers', then mayi's.
    pub(super) fn instructions(&self, mut said: Vec<String>) -> String {
        said.push(self.own_instructions());
        said.join("\n\n")
    }

    fn own_instructions(&self) -> String {
        let rules = match self.shared.gate.mode(&self.id) {
            Mode::Plan => {
                "Mode: plan. Only tools that the user counts as reading may be called. All others are denied: say \
                 what you would do, as a plan, and do not try."
            }
            Mode::Default => {
                "Mode: default. Calls of tools may be allowed by the user's rules, or be asked about, which takes as \
                 long as the user needs."
            }
            Mode::Auto => {
                "Mode: auto. Most calls are allowed without asking; what is dangerous or protected is asked about or \
                 denied."
            }
        };
        let toolbelt = if self.shared.options.toolbelt {
            "\nTools are not listed one by one: look for them with find_tools, and call them with run_tool. A call \
             through run_tool is judged as the tool that it runs."
        } else {
            ""
        };
        format!(
            "[mayi] The user's permission gate judges each call of a tool here.\n{rules}\nA refusal is final for that \
             call: do not retry it in another way or through another tool. Go on with what is allowed, or say what \
             you need and why.{toolbelt}"
        )
    }
}
