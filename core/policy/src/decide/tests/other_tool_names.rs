//! Tools by their older and newer names and by those that their harness has for them, and words as they are written.

use super::*;

fn tool(name: &str) -> Call {
    call(Access::Tool { name: name.to_owned(), category: mayi_call::Category::Execute })
}

/// Attack 742.
#[test]
fn given_a_renamed_tool_then_a_denial_holds_for_each_of_its_names_and_an_allow_for_one() {
    for (rule, name, expected) in [
        ("tool(Task)", "Agent", Deny),
        ("tool(Agent)", "Task", Deny),
        ("tool(agent)", "Task", Deny),
        ("tool(Ta*)", "Agent", Deny),
        ("tool(KillShell)", "TaskStop", Deny),
        ("tool(Task)", "TaskCreate", Ask),
    ] {
        assert_eq!(effect(&policy(&[(Deny, rule)]), &tool(name)), expected, "{rule} {name}");
    }
    let allows = policy(&[(Allow, "tool(Task)")]);
    assert_eq!((effect(&allows, &tool("Task")), effect(&allows, &tool("Agent"))), (Allow, Ask));
}

/// D3.14. Attack 830.
#[test]
fn given_a_denial_of_a_tool_of_the_harness_then_it_holds_whatever_the_call_was_read_into() {
    let named = |name: &str, call: Call| Call { name: Some(name.to_owned()), ..call };
    for (rule, call) in [
        ("tool(Bash)", named("Bash", shell("make"))),
        ("tool(bash)", named("Bash", shell("ls"))),
        ("tool(KillShell)", named("TaskStop", shell("make"))),
        ("tool(Read)", named("Read", read("a"))),
        ("tool(WebFetch)", named("WebFetch", fetch("https://a.example/"))),
        ("tool({glob,list_directory})", named("list_directory", read("."))),
        ("tool(grep_*)", named("grep_search", read("."))),
    ] {
        for stricter in [Ask, Deny] {
            let policy = policy(&[(Allow, "*"), (stricter, rule)]);
            assert_eq!(effect(&policy, &call), stricter, "{rule}");
        }
        let alone = effect(&policy(&[]), &call);
        assert_eq!(
            effect(&policy(&[(Allow, rule)]), &call),
            alone,
            "an allow of {rule} is about what is no more"
        );
    }
    let other = |rule: &str, call: &Call| effect(&policy(&[(Allow, "*"), (Deny, rule)]), call);
    assert_eq!(other("tool(*)", &named("Bash", shell("make"))), Allow, "about what is nothing but a tool");
    assert_eq!(other("tool(Bash)", &named("Read", read("a"))), Allow);
}

/// D2.14. Attack 831.
#[test]
fn given_a_denial_of_an_assignment_then_it_holds_also_where_that_changes_nothing() {
    for rule in ["shell(NODE_ENV=production npm run *)", "shell(/NODE_ENV=production npm run/)"] {
        for stricter in [Ask, Deny] {
            let policy = policy(&[(Allow, "shell(*)"), (stricter, rule)]);
            for line in [
                "NODE_ENV=production npm run x",
                "NODE_ENV=production timeout 5 npm run x",
                "CI=1 NODE_ENV=production npm run x",
                "true && NODE_ENV=production npm run x",
                "env NODE_ENV=production npm run x",
            ] {
                assert_eq!(effect(&policy, &shell(line)), stricter, "{rule} {line}");
            }
            for line in ["npm run x", "NODE_ENV=test npm run x"] {
                assert_eq!(effect(&policy, &shell(line)), Allow, "{rule} {line}");
            }
        }
    }
    let one = |rule: &str, line: &str| effect(&policy(&[(Allow, "shell(*)"), (Deny, rule)]), &shell(line));
    assert_eq!(one("shell(PYTHONPATH=. *)", "PYTHONPATH=. pytest"), Deny);
    assert_eq!(one("shell(FOO=1 a && b)", "FOO=1 a && b"), Deny, "a rule of a whole line has its own");
    // Allows see what counts.
    let allows = policy(&[(Allow, "shell(npm run *)")]);
    assert_eq!(effect(&allows, &shell("NODE_ENV=production npm run x")), Allow);
}

/// D2.5. Attack 832.
#[test]
fn given_a_denial_of_a_shell_then_it_holds_for_a_line_that_it_carries() {
    let words = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let at = Surroundings::new(Path::new("/w"), &[]);
        Call { accesses: shell::argv_accesses(&words, &at), ..shell("true") }
    };
    let calls = [shell("bash -c \"make\""), shell("bash -lc 'make && ls'"), shell("/bin/bash -c make")];
    // How a harness starts each line is nothing that a rule is about.
    let transported = words(&["bash", "-lc", "make"]);
    let denying = policy(&[(Allow, "shell(*)"), (Deny, "shell(bash *)")]);
    assert_eq!(effect(&denying, &transported), Allow, "{:?}", transported.accesses);
    for call in &calls {
        for stricter in [Ask, Deny] {
            for rule in ["shell(bash *)", "shell(/^bash -l?c/)"] {
                let policy = policy(&[(Allow, "shell(*)"), (stricter, rule)]);
                assert_eq!(effect(&policy, call), stricter, "{rule} {:?}", call.accesses);
            }
        }
        let inside = policy(&[(Allow, "shell(make)"), (Allow, "shell(ls)"), (Deny, "shell(zsh *)")]);
        assert_eq!(effect(&inside, call), Allow, "{:?}", call.accesses);
    }
    // So it is with every wrapper that is looked through.
    for line in ["timeout 5 make", "nice make", "time make", "sudo make", "env make", "xargs make"] {
        let rule = format!("shell({} *)", line.split(' ').next().unwrap());
        assert_eq!(effect(&policy(&[(Allow, "shell(*)"), (Deny, &rule)]), &shell(line)), Deny, "{line}");
    }
}

/// Attack 744.
#[test]
fn given_an_expression_then_it_denies_words_whether_they_are_quoted_or_not() {
    let policy = policy(&[
        (Allow, "shell(*)"),
        (Allow, "write(./**)"),
        (Deny, r"shell(/dd\s+if=/)"),
        (Deny, "shell(/DROP TABLE/)"),
    ]);
    for line in [
        "dd if=/dev/zero",
        "dd 'if=x' of=y",
        "/bin/dd  if=x",
        "psql -c \"DROP TABLE x\"",
        "psql -c DROP\\ TABLE",
    ] {
        assert_eq!(effect(&policy, &shell(line)), Deny, "{line}");
    }
    assert_eq!(effect(&policy, &shell("dd of=y")), Allow);
}
