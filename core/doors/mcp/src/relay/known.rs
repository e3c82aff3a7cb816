//! What is known of the tools of a session's servers, where the agent asks about one at another door before it calls it.

use std::sync::Arc;

use crate::door::Shared;
use crate::members::Members;
use crate::session::{Meant, described, unfold};
use mayi_core::call::{Access, Call, Category, McpAccess};
use mayi_core::gate::Behind;
use mayi_core::policy::Policy;

/// All servers of a session, as their gateways know them.
pub(super) struct Known {
    doors: Vec<Arc<Shared>>,
    /// The name of the two tools in place of all.
    toolbelt: Option<String>,
}

impl Known {
    pub(super) fn new(doors: Vec<Arc<Shared>>, toolbelt: Option<String>) -> Self {
        Self { doors, toolbelt }
    }

    /// A call of the toolbelt is the call of the tool that it runs.
    fn unfolded(&self, call: &mut Call) {
        let Some(toolbelt) = &self.toolbelt else { return };
        let cwd = call.cwd.clone();
        for access in &mut call.accesses {
            let Access::Mcp(mcp) = access else { continue };
            let Some((server, tool)) = mcp.certain().filter(|(server, _)| server == toolbelt) else {
                continue;
            };
            let arguments = serde_json::json!({ "arguments": mcp.arguments });
            let Ok(params) = Members::parse(&arguments.to_string()) else { continue };
            match unfold(tool, params) {
                Meant::Tool(name, params) => {
                    let meant = self.doors.iter().find_map(|door| door.tool_called(&name));
                    if let Some((server, tool)) = meant {
                        let arguments = params.value("arguments").unwrap_or_else(|| serde_json::json!({}));
                        *mcp = McpAccess::new(vec![(server, tool)], arguments, &cwd);
                    }
                }
                // It looks into lists that the agent may see anyhow.
                Meant::Find(_) => mcp.claims = Some(Category::Read),
                Meant::Wrong(_) => tracing::debug!(server, "a call of the toolbelt that means nothing"),
            }
        }
    }
}

impl Behind for Known {
    fn complete(&self, call: &mut Call, policy: &Policy) {
        self.unfolded(call);
        let [Access::Mcp(mcp)] = call.accesses.as_mut_slice() else { return };
        let Some((server, tool)) = mcp.certain() else { return };
        let Some((door, server)) = self.doors.iter().find_map(|door| Some((door, door.running(server)?)))
        else {
            return;
        };
        let listed = server.listed();
        let said = listed.as_ref().and_then(|listed| listed.get(tool));
        let found = described(door, &server, tool, said, policy);
        mcp.claims = mcp.claims.or(found.claims);
        call.flagged.extend(found.flagged);
        call.cautions.extend(found.cautions);
        // What is not listed yet, or was by another process of this server, is the gateway's to say when it is called.
        if said.is_some() {
            call.blocked = call.blocked.take().or(found.blocked);
        }
        call.about = Some(found.about);
    }
}

impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Known").field("toolbelt", &self.toolbelt).finish_non_exhaustive()
    }
}
