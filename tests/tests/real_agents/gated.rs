//! Real harnesses with mayi's own hook, as `mayi hook install` writes it: what is allowed happens and nothing else, with the
//! options by which they ask nobody.

use crate::harness::Harness;
use crate::headless::Headless;

with_each_harness!(
    given_rules_that_allow_then_a_command_runs_and_a_file_is_written,
    given_rules_that_deny_then_nothing_happens_and_the_model_reads_why,
    given_nobody_to_answer_then_what_is_asked_about_does_not_happen,
    given_a_rule_about_a_server_then_it_decides,
    given_a_configuration_with_a_mistake_then_nothing_happens,
);

const CASES: [(&str, &str); 3] =
    [("run command", "ran.txt"), ("write file", "hello.txt"), ("edit file", "notes.txt")];

/// Runs each case under these rules, and holds what has to come of it.
fn each(harness: Harness, rules: &str, happens: bool, told: Option<&str>) {
    for (case, file) in CASES {
        let scene = Headless::new(harness).gated(rules);
        let ran = scene.run(case);
        // Else nothing was tried.
        assert!(!scene.told("No tool for"), "{case}: {}", scene.report(&ran));
        let happened = match file {
            "notes.txt" => scene.text(file) != crate::scene::NOTES,
            _ => scene.has(file),
        };
        assert_eq!(happened, happens, "{case}: {}", scene.report(&ran));
        if let Some(told) = told {
            assert!(scene.told(told), "{case}: {}", scene.report(&ran));
        }
    }
}

fn given_rules_that_allow_then_a_command_runs_and_a_file_is_written(harness: Harness) {
    // Some write and change files by a command of their own for a shell.
    let rules = "[rules]\nallow = [\"shell(touch ran.txt)\", \"write(**)\", \"shell(apply_patch *)\", \"shell(sed *)\", \"shell(cat *)\", \"shell(printf *)\"]\n";
    each(harness, rules, true, None);
}

fn given_rules_that_deny_then_nothing_happens_and_the_model_reads_why(harness: Harness) {
    let rules = "[[rule]]\neffect = \"deny\"\npattern = \"write(**)\"\nreason = \"this folder is frozen\"\n\
                 [[rule]]\neffect = \"deny\"\npattern = \"shell(touch *)\"\nreason = \"this folder is frozen\"\n";
    each(harness, rules, false, Some("this folder is frozen"));
}

fn given_nobody_to_answer_then_what_is_asked_about_does_not_happen(harness: Harness) {
    each(harness, "", false, None);
}

/// "a configuration that is wrong": nothing runs on half a policy (D5.11).
fn given_a_configuration_with_a_mistake_then_nothing_happens(harness: Harness) {
    each(harness, "colour = 1\n[rules]\nallow = [\"*\"]\n", false, None);
}

fn given_a_rule_about_a_server_then_it_decides(harness: Harness) {
    for (rules, calls) in [
        ("[rules]\nallow = [\"mcp(mini/plain)\"]\n", vec!["plain".to_owned()]),
        ("[rules]\nallow = [\"mcp(mini/*)\"]\ndeny = [\"mcp(mini/plain)\"]\n", Vec::new()),
    ] {
        let scene = Headless::new(harness).gated(rules);
        let ran = scene.run("mcp plain");
        assert!(!scene.told("No tool for"), "{rules}: {}", scene.report(&ran));
        assert_eq!(scene.calls(), calls, "{rules}: {}", scene.report(&ran));
    }
}
