//! From what an app asks to the call that is judged.

use std::path::Path;

use mayi_check::{Request, RequestedAction};
use mayi_core::call::{Access, Call, Category, Diff, Door, McpAccess, WriteKind};
use mayi_core::gate::Session;
use serde_json::{Value, json};

use super::session::{HostChat, ToolName};
use crate::api::HostAsk;
use crate::error::RpcError;
use crate::judging_keys::refuse_judging_keys;

/// Maximum number of what all parts of a call touch.
const MOST_ACCESSES: usize = 1000;
/// Maximum number of things that one call does, and of files that it changes.
const MOST_PARTS: usize = 64;

impl HostChat {
    /// The call that `asked` means.
    ///
    /// # Errors
    /// If it makes no sense, or says how to judge it.
    pub(super) fn build_call(&self, asked: HostAsk) -> Result<Call, RpcError> {
        let parts = match asked.call {
            Value::Array(parts) => parts,
            one => vec![one],
        };
        if parts.is_empty() || parts.len() > MOST_PARTS || asked.diffs.len() > MOST_PARTS {
            return Err(RpcError::Params(format!(
                "`call` is one thing or a list of 1 to {MOST_PARTS}, and `diffs` has at most {MOST_PARTS} files"
            )));
        }
        let mut calls = Vec::new();
        for part in parts {
            calls.push(self.part_call(part, asked.category)?);
        }
        let cwd = calls.first().map(|call| call.cwd.clone()).unwrap_or_default();
        // One card, one folder.
        if calls.iter().any(|call| call.cwd != cwd) {
            return Err(RpcError::Params(
                "the things that one call does have one `cwd`: ask for each by itself".to_owned(),
            ));
        }
        for diff in &asked.diffs {
            let kind = if diff.old_text.is_some() { WriteKind::Edit } else { WriteKind::Create };
            let part = json!({ "kind": kind.as_str(), "path": diff.path, "cwd": cwd });
            calls.push(self.part_call(part, None)?);
        }
        let said = calls.len() - asked.diffs.len();
        let mut inputs: Vec<Value> = calls.iter().take(said).map(|call| call.raw_input.clone()).collect();
        let mut calls = calls.into_iter();
        let Some(mut call) = calls.next() else {
            return Err(RpcError::Internal("a call of nothing".to_owned()));
        };
        let further = calls.len();
        for part in calls {
            for access in part.accesses {
                if call.accesses.len() >= MOST_ACCESSES {
                    return Err(RpcError::Params(
                        "this call does too much for one question: ask for its parts".to_owned(),
                    ));
                }
                if !call.accesses.contains(&access) {
                    call.accesses.push(access);
                }
            }
        }
        if further > asked.diffs.len() {
            call.name = None;
        }
        let diffs = asked.diffs.into_iter();
        call.diffs = diffs
            .map(|diff| Diff { path: diff.path, old_text: diff.old_text, new_text: diff.new_text })
            .collect();
        let mut shown = match inputs.as_mut_slice() {
            [one] => one.take(),
            _ => json!(inputs),
        };
        // What is judged is shown, and beside it what the model wrote.
        match (&mut shown, asked.input) {
            (_, None) => {}
            (same, Some(input)) if *same == input => {}
            (Value::Object(members), Some(input)) => drop(members.insert("input".to_owned(), input)),
            (other, Some(input)) => *other = json!([other.take(), { "input": input }]),
        }
        call.raw_input = shown;
        call.door = Door::Host;
        call.tool_call_id = Some(asked.call_id);
        call.title = asked.title.unwrap_or_default();
        call.name = asked.tool.or(call.name);
        Ok(call)
    }

    /// The call that one of the things is.
    fn part_call(&self, part: Value, said: Option<Category>) -> Result<Call, RpcError> {
        refuse_judging_keys(&part)?;
        let request = Request::from_asked(part).map_err(|error| RpcError::Params(error.to_string()))?;
        let tool: Option<ToolName> = match &request.what {
            RequestedAction::Mcp { server, tool, .. } => Some((Some(server.clone()), tool.clone())),
            RequestedAction::Tool { name, .. } => Some((None, name.clone())),
            // What an agent sends is that agent's to send.
            RequestedAction::Acp(_) => {
                return Err(RpcError::Params(
                    "`acp` is no kind of call here: say what the tool does".to_owned(),
                ));
            }
            _ => None,
        };
        let own = self.session();
        let cwd = request.cwd.as_ref().map_or_else(|| own.cwd.clone(), |cwd| own.cwd.join(cwd));
        let session = Session { cwd, ..own };
        let mut call = mayi_check::call_in_session(&request, session)
            .map_err(|error| RpcError::Params(error.to_string()))?;
        if let Some(tool) = tool {
            let category = self.category_of(&tool, said);
            call.accesses.iter_mut().for_each(|access| apply_category(access, category));
        }
        Ok(call)
    }
}

/// A tool without arguments.
pub(super) fn tool_access((server, tool): &ToolName, cwd: &Path) -> Access {
    match server {
        Some(server) => Access::Mcp(McpAccess::new(vec![(server.clone(), tool.clone())], json!({}), cwd)),
        None => Access::Tool { name: tool.clone(), category: Category::Execute },
    }
}

/// Gives a tool the category that counts for it: none, that of what runs or reaches out, whatever it is called.
pub(super) fn apply_category(access: &mut Access, counts: Option<Category>) {
    match access {
        Access::Mcp(mcp) => mcp.claims = counts,
        Access::Tool { category, .. } => *category = counts.unwrap_or(Category::Execute),
        _ => {}
    }
}
