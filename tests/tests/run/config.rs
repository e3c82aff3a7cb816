//! Which files and variables count, and for what.

use mayi_tests::Machine;

use crate::{demo, each, rogue};

/// D5.4: `--config FILE` stands in for the user and workspace files.
#[test]
fn given_a_file_on_the_command_line_then_it_stands_in_for_the_others() {
    let user = "[rules]\nallow = [\"write(user.txt)\"]\n";
    let workspace = "[rules]\ndeny = [\"write(only.txt)\"]\n";
    let machine = Machine::new().user(user).file(".mayi.toml", workspace);
    let only = machine.configuration("only.toml", "[rules]\nallow = [\"write(only.txt)\"]\n");
    let prompt = "demo: write user.txt x ;; demo: write only.txt x";
    let _ = demo(&machine, prompt).args(["--config".as_ref(), only.as_os_str()]).end().exits(6);
    assert_eq!((machine.text("user.txt"), machine.text("only.txt").as_deref()), (None, Some("x\n")));
    let missing = machine.outside_text("missing.toml");
    let _ = demo(&machine, "demo: say hi").args(["--config", &missing]).end().exits(3).says("does not exist");
}

/// D3.2: the user's file with rules, a reason, and the place of both.
#[test]
fn given_a_rule_of_the_user_then_its_reason_and_place_are_told() {
    let toml =
        "[[rule]]\neffect = \"deny\"\npattern = \"shell(git push *)\"\nreason = \"push by yourself\"\n";
    let machine = Machine::new().user(toml);
    let ended = demo(&machine, "demo: run git push origin main").end().exits(5);
    let _ = ended.says("push by yourself").says("config.toml:3").tells("Not allowed");
}

/// D5.5: A workspace file ... may only tighten.
#[test]
fn given_a_workspace_file_then_its_denials_count_and_its_allows_do_not() {
    let toml = "[rules]\nallow = [\"write(wanted.txt)\"]\ndeny = [\"write(secret.txt)\"]\n";
    let machine = Machine::new().file(".mayi.toml", toml);
    let ended = demo(&machine, "demo: write wanted.txt x").end().exits(6);
    let _ = ended.says("! ").says(".mayi.toml: 1 allow rule is ignored");
    let ended = demo(&machine, "demo: write secret.txt x").args(["--allow", "*", "--mode", "auto"]).end();
    let _ = ended.exits(5).says(".mayi.toml:3");
    assert_eq!(machine.files().into_iter().collect::<Vec<_>>(), [".mayi.toml"]);
}

/// The same for settings: modes, bypass, commands and servers of a repository.
#[test]
fn given_a_workspace_file_then_it_starts_nothing_and_bypasses_nobody() {
    let toml = "mode = \"auto\"\n[agents.demo]\nbypass_permissions = true\ncommand = [\"/bin/false\"]\n\
                env = { EVIL = \"1\" }\nasking_mode = \"free\"\n[servers.evil]\ncommand = [\"/bin/false\"]\n";
    let machine = Machine::new().file(".mayi.toml", toml);
    let ended =
        demo(&machine, "demo: run touch x.txt ;; demo: run env").args(["--allow", "shell(env)"]).end();
    let ended = ended.exits(6);
    assert!(!ended.text().contains("EVIL"), "{ended}");
    assert!(machine.text("x.txt").is_none());
    let ended = ended.says("`mode = \"auto\"`").says("the command of demo").says("the environment of demo");
    let _ = ended
        .says("`bypass_permissions = true` of demo")
        .says("`asking_mode` of demo")
        .says("the server evil");
    let machine = Machine::new().file(".mayi.toml", "mode = \"plan\"\n");
    let _ = demo(&machine, "demo: run touch x.txt").args(["--allow", "*"]).end().exits(5).says("plan mode");
}

/// D5.8: A bad untrusted file means: ask about everything there.
#[test]
fn given_a_broken_workspace_file_then_everything_is_asked_about() {
    let machine = Machine::new().file(".mayi.toml", "rules = [").file("a.txt", "secret words");
    let behaviours: [&[&str]; 3] =
        [&["side-read", "a.txt"], &["side-write", "b.txt", "x"], &["side-run", "touch", "c.txt"]];
    each(&behaviours, |behaviour| {
        for options in [&[][..], &["--allow", "*"], &["--mode", "auto"]] {
            let ended = rogue(&machine, behaviour).args(options).end().exits(6);
            let ended = ended.says(".mayi.toml:1").says("everything is asked about here");
            assert!(!ended.text().contains("secret words"), "{ended}");
        }
    });
    assert_eq!(machine.files().len(), 2);
}

/// D5.5: the environment "may only tighten".
#[test]
fn given_a_mode_in_the_environment_then_it_only_tightens() {
    let machine = Machine::new();
    let ended = demo(&machine, "demo: run touch x.txt").env("MAYI_MODE", "auto").end().exits(6);
    let _ = ended.says("MAYI_MODE=auto is ignored");
    let ended = demo(&machine, "demo: run touch x.txt").env("MAYI_MODE", "plan").args(["--allow", "*"]).end();
    let _ = ended.exits(5);
    assert!(machine.files().is_empty());
    let _ = demo(&machine, "demo: say hi").env("MAYI_MODE", "fast").end().exits(3).says("MAYI_MODE");
    // Who starts mayi may say more on the command line.
    let ended =
        demo(&machine, "demo: run touch x.txt").env("MAYI_MODE", "plan").args(["--mode", "auto"]).end();
    let _ = ended.exits(0);
}

/// D1.25: agents run "without `MAYI_*` in their environment", and so do the commands of terminals.
#[test]
fn given_secrets_of_mayi_in_the_environment_then_nothing_that_it_starts_has_them() {
    for options in [&[][..], &["--no-terminal"]] {
        let machine = Machine::new();
        let mayi = demo(&machine, "demo: run env").args(["--allow", "shell(env)"]).args(options);
        let mayi = mayi.env("MAYI_TOKEN", "s3cret").env("MAYI_DEMO_STATE", "s3cret").env("OTHER", "kept");
        let ended = mayi.end().exits(0).tells("OTHER=kept");
        assert!(!ended.text().contains("MAYI_") && !ended.text().contains("s3cret"), "{ended}");
    }
}

/// What the user sets for an agent is in its environment.
#[test]
fn given_variables_for_an_agent_then_it_has_them() {
    let machine = Machine::new().user("[agents.demo]\nenv = { ITS_OWN = \"yes\" }\n");
    let options = ["--allow", "shell(env)", "--no-terminal"];
    let _ = demo(&machine, "demo: run env").args(options).end().exits(0).tells("ITS_OWN=yes");
}

/// D3.16: settings of the user's for one agent, and for one folder.
#[test]
fn given_modes_for_an_agent_or_a_folder_then_they_hold_there() {
    let prompt = "demo: run touch x.txt";
    let machine = Machine::new().user("[agents.demo]\nmode = \"auto\"\n");
    let _ = demo(&machine, prompt).end().exits(0);
    let _ = demo(&machine, prompt).args(["--mode", "plan"]).end().exits(5);
    let machine = Machine::new();
    let toml = format!("mode = \"auto\"\n[workspaces.\"{}\"]\nmode = \"plan\"\n", machine.work().display());
    let _ = demo(&machine.user(&toml), prompt).end().exits(5);
}
