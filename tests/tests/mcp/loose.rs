//! What a server starts stays the server's, however it forks.

use mayi_tests::{Loose, command_line};
use serde_json::json;

use crate::client::{Gateway, is_refused};
use crate::scene::Scene;

impl Scene {
    /// `mayi mcp` in front of a shell that starts all that is loose and becomes the server; its client is another process
    /// than this test.
    fn in_front_of(&self, loose: &Loose, options: &[&str]) -> Gateway {
        let server = self.command("rogue", "plain");
        let line = loose.line(&command_line(server));
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", "\"$0\" \"$@\"; exit $?"]).arg(mayi_tests::mayi_program());
        shell.args(["mcp", "--name", "rogue"]).args(options).args(["--", "sh", "-c", &line]);
        shell.current_dir(self.machine.work()).env_clear().envs(self.machine.environment());
        Gateway::start(shell)
    }
}

/// D6.8: Answers from a descendant of a gated agent are refused: what a server starts is within an agent
/// too. Attack 178. Attack 780.
#[test]
fn given_what_a_server_lets_go_of_then_it_answers_for_nobody_and_ends_with_the_gateway() {
    let scene = Scene::new("");
    let loose = Loose::new(&scene.machine);
    let mut gateway = scene.in_front_of(&loose, &["--on-ask", "wait"]).older();
    let id = gateway.begin("echo", &json!({}));
    let ids = scene.machine.waiting(1);
    loose.are_refused(&ids[0]);
    assert_eq!(scene.machine.waiting(1), ids);
    scene.nothing_ran();
    let denied = crate::pty::Terminal::start(scene.mayi(&["inbox", "deny", &ids[0]]), (24, 100), false);
    assert!(denied.exit().success(), "{}", denied.screen());
    is_refused(&gateway.answer(&json!(id)), "the user said no");
    gateway.end();
    scene.machine.is_quiet();
}
