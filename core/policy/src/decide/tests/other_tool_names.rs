//! Tools by their older and newer names, and words as they are written.

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
