//! What is known of the tools of a session's servers, where the agent asks about one at another door before it calls it.

use std::sync::Arc;

use crate::door::Shared;
use crate::members::Members;
use crate::session::{ToolbeltCall, tool_facts, unfold_call};
use mayi_core::call::{Access, Call, Category, McpAccess};
use mayi_core::gate::ToolFactsSource;
use mayi_core::policy::Policy;

/// All servers of a session, as their gateways know them.
pub(super) struct SessionTools {
    doors: Vec<Arc<Shared>>,
    /// The name of the two tools in place of all.
    toolbelt: Option<String>,
}

impl SessionTools {
    pub(super) fn new(doors: Vec<Arc<Shared>>, toolbelt: Option<String>) -> Self {
        Self { doors, toolbelt }
    }

    /// A call of the toolbelt is the call of the tool that it runs.
    fn unfold_toolbelt_call(&self, call: &mut Call) {
        let Some(toolbelt) = &self.toolbelt else { return };
        let cwd = call.cwd.clone();
        for access in &mut call.accesses {
            let Access::Mcp(mcp) = access else { continue };
            let Some((server, tool)) = mcp.unique_reading().filter(|(server, _)| server == toolbelt) else {
                continue;
            };
            let arguments = serde_json::json!({ "arguments": mcp.arguments });
            let Ok(params) = Members::parse(&arguments.to_string()) else { continue };
            match unfold_call(tool, params) {
                ToolbeltCall::Tool(name, params) => {
                    let meant = self.doors.iter().find_map(|door| door.tool_called(&name));
                    if let Some((server, tool)) = meant {
                        let arguments =
                            params.parsed_member("arguments").unwrap_or_else(|| serde_json::json!({}));
                        *mcp = McpAccess::new(vec![(server, tool)], arguments, &cwd);
                    }
                }
                // It looks into lists that the agent may see anyhow.
                ToolbeltCall::Find(_) => mcp.claims = Some(Category::Read),
                ToolbeltCall::Wrong(_) => {
                    tracing::debug!(server, "a call of the toolbelt that means nothing")
                }
            }
        }
    }
}

impl ToolFactsSource for SessionTools {
    fn add_tool_facts(&self, call: &mut Call, policy: &Policy) {
        self.unfold_toolbelt_call(call);
        let [Access::Mcp(mcp)] = call.accesses.as_mut_slice() else { return };
        let Some((server, tool)) = mcp.unique_reading() else { return };
        let Some((door, server)) =
            self.doors.iter().find_map(|door| Some((door, door.running_server(server)?)))
        else {
            return;
        };
        let listed = server.last_catalogue();
        let said = listed.as_ref().and_then(|listed| listed.get(tool));
        let found = tool_facts(door, &server, tool, said, policy);
        mcp.claims = mcp.claims.or(found.claims);
        call.flagged.extend(found.flagged);
        // What is not listed yet, or was by another process of this server, is the gateway's to say when it is called.
        if said.is_some() {
            call.blocked = call.blocked.take().or(found.blocked);
        }
        call.about = Some(found.about);
    }
}

impl std::fmt::Debug for SessionTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Known").field("toolbelt", &self.toolbelt).finish_non_exhaustive()
    }
}
