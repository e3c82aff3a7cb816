//! Who a client says that it is (D1.19): `--agent` in its own configuration "never picks an id that loosens".

use serde_json::json;

use crate::client::{is_refused, ran};
use crate::scene::Scene;

/// The names that a client could take to be the agent `claude`.
const NAMES: &[&str] = &["claude", "Claude", "claude-code", "Claude Code", "CLAUDE_CODE"];

const LOOSE: &str = "[agents.claude]\nmode = \"auto\"\nbypass_permissions = true\n\
    [[rule]]\neffect = \"allow\"\npattern = \"mcp(rogue/*)\"\nagents = [\"claude\"]\n";

/// A bypass, a looser mode and an allow of the agent that mayi starts under the name: none of them is a client's. A denial and a
/// stricter mode are. Attack 370.
#[test]
fn given_a_client_under_the_name_of_an_agent_then_only_what_is_stricter_holds() {
    let scene = Scene::new(LOOSE);
    for name in NAMES {
        let mut gateway = scene.gateway(&["--agent", name]).older();
        is_refused(&gateway.call("echo", &json!({})), "mayi inbox watch");
    }
    scene.nothing_ran();
    scene.configure(&format!("{LOOSE}[[rule]]\neffect = \"allow\"\npattern = \"mcp(rogue/echo)\"\n[[rule]]\neffect = \"deny\"\npattern = \"mcp(rogue/echo)\"\nreason = \"not that one\"\nagents = [\"Claude Code\"]\n"));
    for name in NAMES {
        let mut gateway = scene.gateway(&["--agent", name]).older();
        is_refused(&gateway.call("echo", &json!({})), "not that one");
    }
    scene.configure("[agents.\"Claude Code\"]\nmode = \"plan\"\n");
    for name in NAMES {
        let mut gateway = scene.gateway(&["--agent", name]).older();
        is_refused(&gateway.call("echo", &json!({})), "plan mode");
    }
    scene.nothing_ran();
    // What it says in the protocol is nobody's name: without a name on its command line it is any client.
    let mut gateway = scene.gateway(&["--agent", "codex"]).older();
    is_refused(&gateway.call("echo", &json!({})), "mayi inbox watch");
}

/// What is allowed to a client says the door: then it is for all who are started so.
#[test]
fn given_a_rule_for_a_client_at_the_gateway_then_it_counts_there() {
    let scene = Scene::new(
        "[[rule]]\neffect = \"allow\"\npattern = \"mcp(rogue/echo)\"\nagents = [\"mcp:claude-code\"]\n",
    );
    for name in NAMES {
        let mut gateway = scene.gateway(&["--agent", name]).older();
        ran(&gateway.call("echo", &json!({})), "echo");
    }
    is_refused(&scene.gateway(&["--agent", "codex"]).older().call("echo", &json!({})), "mayi inbox watch");
    is_refused(&scene.gateway(&[]).older().call("echo", &json!({})), "mayi inbox watch");
}

/// Names that are no names of agents: an agent's that was started by a command, say, or one that hides something. Attack 370.
#[test]
fn given_what_nobody_can_be_called_then_the_gateway_does_not_start() {
    let scene = Scene::new("");
    for name in ["command:0123456789abcdef", "mcp:claude", "cla\u{200b}ude", "cl\u{430}ude", "a\nb", ""] {
        let mut command = scene.mayi(&["mcp", "--name", "rogue", "--agent", name, "--"]);
        let done = command.args(scene.command("rogue", "plain")).output().unwrap();
        assert_eq!(done.status.code(), Some(2), "{name:?}");
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(said.contains("no agent can be called"), "{said}");
    }
    scene.nothing_ran();
}
