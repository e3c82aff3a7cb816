//! From a wish to a call of a tool that this agent offers.

use serde_json::{Map, Value, json};

use crate::offer::{Form, Offer, Tool};
use crate::script::Wish;

/// A call as the agent will get it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolCall {
    pub(crate) tool: Tool,
    pub(crate) input: Input,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Input {
    Object(Map<String, Value>),
    Text(String),
}

impl Input {
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Object(object) => Value::Object(object.clone()),
            Self::Text(text) => json!(text),
        }
    }
}

const SHELLS: &[&str] =
    &["Bash", "exec_command", "shell_command", "shell", "run_shell_command", "bash", "run_commands"];
const PATH: &[&str] = &["file_path", "filePath", "path"];

/// `None` if the agent offers nothing that fits.
pub(crate) fn call(wish: &Wish, offer: &Offer) -> Option<ToolCall> {
    match wish {
        Wish::Write { path, content } => {
            match offer.first(&["Write", "write_file", "write", "create", "editor"]) {
                Some(tool) => Some(fill(
                    tool,
                    &[(PATH, json!(path)), (&["content", "file_text", "new_text"], json!(content))],
                )),
                None => patch(offer, &format!("Add File: {path}"), &marked('+', content)),
            }
        }
        Wish::Edit { path, old, new } => {
            match offer.first(&["Edit", "edit_file", "edit", "replace", "editor"]) {
                Some(tool) => {
                    let old = (&["old_string", "old_text", "oldString", "old_str"][..], json!(old));
                    let new = (&["new_string", "new_text", "newString", "new_str"][..], json!(new));
                    let why = (&["instruction"][..], json!("Change what the script says"));
                    Some(fill(tool, &[(PATH, json!(path)), old, new, why]))
                }
                None => {
                    let change = format!("@@\n{}{}", marked('-', old), marked('+', new));
                    patch(offer, &format!("Update File: {path}"), &change)
                }
            }
        }
        Wish::Read { path } => match offer.first(&["Read", "read_file", "read", "view"]) {
            Some(tool) => Some(fill(tool, &[(PATH, json!(path))])),
            None => shell(offer, &format!("cat {path}")),
        },
        Wish::Run { command } => shell(offer, command),
        Wish::RunOutside { command } => {
            let mut call = shell(offer, command)?;
            if let (Some(key), Input::Object(input)) =
                (call.tool.property(&["sandbox_permissions"]), &mut call.input)
            {
                input.insert(key.to_owned(), json!("require_escalated"));
                input.insert("justification".to_owned(), json!("May the script run this?"));
            }
            Some(call)
        }
        Wish::Fetch { url } => {
            let tool = offer.first(&["WebFetch", "web_fetch"])?;
            Some(fill(tool, &[(&["url"], json!(url)), (&["prompt"], json!("What does it say?"))]))
        }
        Wish::Mcp { server, tool, arguments } => {
            let joined = [
                format!("mcp__{server}__{tool}"),
                format!("{server}__{tool}"),
                format!("mcp_{server}_{tool}"),
                format!("{server}_{tool}"),
                format!("{server}-{tool}"),
            ];
            match offer.first(&joined.each_ref().map(String::as_str)) {
                Some(offered) => {
                    Some(ToolCall { tool: offered.clone(), input: Input::Object(arguments.clone()) })
                }
                None => program(offer, server, tool, arguments),
            }
        }
        Wish::Subagent { prompt } => {
            let tool = offer.first(&["Agent", "Task", "spawn_agent"])?;
            let prompt = (&["prompt", "message"][..], json!(prompt));
            let kind = (&["subagent_type"][..], json!("general-purpose"));
            let name = (&["description", "task_name"][..], json!("scripted"));
            Some(fill(tool, &[name, prompt, kind]))
        }
        Wish::Ask { question, answers } => {
            let tool = offer.first(&["AskUserQuestion", "request_user_input"])?;
            let options: Vec<_> =
                answers.iter().map(|answer| json!({ "label": answer, "description": answer })).collect();
            let mut asked = json!({ "question": question, "header": "Question", "options": options });
            match tool.name.as_str() {
                "AskUserQuestion" => asked["multiSelect"] = json!(false),
                _ => asked["id"] = json!("question"),
            }
            Some(fill(tool, &[(&["questions"], json!([asked]))]))
        }
        Wish::Plan { steps } => {
            let tool = offer.first(&["ExitPlanMode", "update_plan"])?;
            let plan = if tool.takes_list("plan") {
                steps.iter().map(|step| json!({ "step": step, "status": "pending" })).collect()
            } else {
                json!(steps.join("\n"))
            };
            // Newer Claude Code takes the plan without declaring it.
            Some(ToolCall {
                tool: tool.clone(),
                input: Input::Object(Map::from_iter([("plan".to_owned(), plan)])),
            })
        }
    }
}

/// Mistral Vibe has tools of servers called by a program.
fn program(offer: &Offer, server: &str, tool: &str, arguments: &Map<String, Value>) -> Option<ToolCall> {
    let arguments = Value::Object(arguments.clone());
    let code = format!("async function main() {{ return await tools.mcp_{server}.{tool}({arguments}); }}");
    Some(fill(offer.first(&["run_typescript"])?, &[(&["code"], json!(code))]))
}

/// An object with each value under the first of its names that the tool knows, and without the values it knows no
/// name for.
fn fill(tool: &Tool, values: &[(&[&str], Value)]) -> ToolCall {
    let named =
        values.iter().filter_map(|(names, value)| Some((tool.property(names)?.to_owned(), value.clone())));
    ToolCall { tool: tool.clone(), input: Input::Object(named.collect()) }
}

fn shell(offer: &Offer, command: &str) -> Option<ToolCall> {
    let tool = offer.first(SHELLS)?;
    if tool.takes_list("commands") {
        return Some(fill(tool, &[(&["commands"], json!([command]))]));
    }
    let line = if tool.takes_list("command") { json!(["bash", "-lc", command]) } else { json!(command) };
    let why = (&["description"][..], json!("Run what the script says"));
    let waits = (&["is_background"][..], json!(false));
    Some(fill(tool, &[(&["command", "cmd"], line), why, waits]))
}

/// A change of a file in Codex's patch language, by its own tool or through the shell.
fn patch(offer: &Offer, header: &str, lines: &str) -> Option<ToolCall> {
    let patch = format!("*** Begin Patch\n*** {header}\n{lines}*** End Patch\n");
    match offer.first(&["apply_patch"]) {
        Some(tool) if tool.form == Form::Text => {
            Some(ToolCall { tool: tool.clone(), input: Input::Text(patch) })
        }
        Some(tool) => Some(fill(tool, &[(&["input", "patch"], json!(patch))])),
        None => shell(offer, &format!("apply_patch <<'EOF'\n{patch}EOF")),
    }
}

/// Each line with a mark before it, as patches have it.
fn marked(mark: char, text: &str) -> String {
    text.lines().map(|line| format!("{mark}{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, properties: &[&str]) -> Tool {
        let properties: Map<_, _> =
            properties.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
        Tool::new(name, Form::Object, Some(&json!({ "properties": properties })))
    }

    fn offer(tools: impl IntoIterator<Item = Tool>) -> Offer {
        tools.into_iter().collect()
    }

    fn called(wish: &Wish, offer: &Offer) -> (String, Value) {
        let call = call(wish, offer).unwrap();
        (call.tool.name, call.input.to_value())
    }

    fn write() -> Wish {
        Wish::Write { path: "/p/a".into(), content: "one\ntwo\n".into() }
    }

    fn run() -> Wish {
        Wish::Run { command: "touch x".into() }
    }

    #[test]
    fn given_claude_codes_tools_then_its_own_names_are_filled() {
        let offer = offer([
            tool("Write", &["file_path", "content"]),
            tool("Edit", &["file_path", "old_string", "new_string", "replace_all"]),
            tool("Bash", &["command", "description", "timeout"]),
            tool("Agent", &["description", "prompt", "subagent_type"]),
        ]);
        let edit = Wish::Edit { path: "/p/a".into(), old: "x".into(), new: "y".into() };
        assert_eq!(
            called(&write(), &offer),
            ("Write".into(), json!({ "file_path": "/p/a", "content": "one\ntwo\n" }))
        );
        assert_eq!(
            called(&edit, &offer),
            ("Edit".into(), json!({ "file_path": "/p/a", "old_string": "x", "new_string": "y" }))
        );
        assert_eq!(
            called(&run(), &offer),
            ("Bash".into(), json!({ "command": "touch x", "description": "Run what the script says" }))
        );
        assert_eq!(
            called(&Wish::Subagent { prompt: "do".into() }, &offer),
            (
                "Agent".into(),
                json!({ "description": "scripted", "prompt": "do", "subagent_type": "general-purpose" })
            )
        );
    }

    #[test]
    fn given_codexs_tools_then_files_change_by_patches_and_commands_go_to_its_shell() {
        let offer =
            offer([Tool::new("apply_patch", Form::Text, None), tool("exec_command", &["cmd", "workdir"])]);
        let added = "*** Begin Patch\n*** Add File: /p/a\n+one\n+two\n*** End Patch\n";
        assert_eq!(called(&write(), &offer), ("apply_patch".into(), json!(added)));
        let edit = Wish::Edit { path: "/p/a".into(), old: "x".into(), new: "y".into() };
        let edited = "*** Begin Patch\n*** Update File: /p/a\n@@\n-x\n+y\n*** End Patch\n";
        assert_eq!(called(&edit, &offer), ("apply_patch".into(), json!(edited)));
        assert_eq!(
            called(&Wish::Read { path: "/p/a".into() }, &offer),
            ("exec_command".into(), json!({ "cmd": "cat /p/a" }))
        );
        assert_eq!(called(&run(), &offer), ("exec_command".into(), json!({ "cmd": "touch x" })));
    }

    #[test]
    fn given_a_shell_that_takes_a_list_then_the_command_is_wrapped() {
        let schema = json!({ "properties": { "command": { "type": "array" } } });
        let offer = offer([Tool::new("shell", Form::Object, Some(&schema))]);
        assert_eq!(called(&run(), &offer).1, json!({ "command": ["bash", "-lc", "touch x"] }));
    }

    #[test]
    fn given_an_mcp_tool_in_a_namespace_then_the_call_keeps_both_names() {
        let wish = Wish::Mcp { server: "mini".into(), tool: "wipe".into(), arguments: Map::new() };
        for namespace in ["mcp__mini", "mcp__mini__"] {
            let offer = offer([tool("wipe", &["path"]).within(namespace), tool("wipe", &["path"])]);
            let call = call(&wish, &offer).unwrap();
            assert_eq!((call.tool.name.as_str(), call.tool.namespace.as_deref()), ("wipe", Some(namespace)));
        }
        assert!(call(&wish, &offer([tool("wipe", &["path"])])).is_none(), "another server's tool is not it");
        assert!(call(&wish, &offer([tool("mcp__mini__wipe", &["path"])])).is_some());
    }

    #[test]
    fn given_an_agent_whose_tools_of_servers_are_called_by_a_program_then_it_is_one() {
        let arguments = Map::from_iter([("path".to_owned(), json!("/p/a"))]);
        let wish = Wish::Mcp { server: "mini".into(), tool: "wipe".into(), arguments };
        let offer = offer([tool("bash", &["command"]), tool("run_typescript", &["code"])]);
        let code = r#"async function main() { return await tools.mcp_mini.wipe({"path":"/p/a"}); }"#;
        assert_eq!(called(&wish, &offer), ("run_typescript".to_owned(), json!({ "code": code })));
    }

    #[test]
    fn given_no_tool_that_fits_then_there_is_no_call() {
        let offer = offer([tool("Read", &["file_path"])]);
        assert_eq!(call(&run(), &offer), None);
        assert_eq!(call(&write(), &offer), None);
    }
}
