//! "A user or managed file that does not parse, has an unknown key, or whose examples fail is refused
//! with the place and what to write instead" (D5.11).

use super::Machine;

fn mistakes(text: &str) -> String {
    Machine::new().user(text).mistakes().replace("/home/.config/mayi/config.toml", "FILE")
}

#[test]
fn given_no_toml_then_the_place_is_named() {
    insta::assert_snapshot!(mistakes("mode = plan\n"), @r#"FILE:1: string values must be quoted, expected literal string (this is TOML: text is written in "quotes", lists in [brackets], one setting a line)"#);
    insta::assert_snapshot!(mistakes("[rules\nallow = []\n"), @r#"FILE:1: unclosed table, expected `]` (this is TOML: text is written in "quotes", lists in [brackets], one setting a line)"#);
    insta::assert_snapshot!(mistakes("mode = \"plan\"\nmode = \"auto\"\n"), @"FILE:2: duplicate key (write it once)");
}

#[test]
fn given_unknown_keys_then_the_nearest_is_offered_and_all_are_named() {
    insta::assert_snapshot!(mistakes("mod = \"plan\"\ncolour = 1\n[rules]\nalow = []\n[agents.x]\nbypass = true\n[matrix.yolo]\n"), @r#"
    FILE:1: no key is called `mod` in a configuration file (did you mean `mode`?)
    FILE:2: no key is called `colour` in a configuration file (a configuration file has version, mode, on_unasked, readers, acp, sandbox, rules, rule, agents, servers, apps, tools, workspaces, workspace, matrix, protection, lock or record)
    FILE:4: no key is called `alow` in [rules] (did you mean `allow`?)
    FILE:6: no key is called `bypass` in [agents.x] (did you mean `bypass_permissions`?)
    FILE:7: no key is called `yolo` in [matrix] ([matrix] has plan, default or auto)
    "#);
}

#[test]
fn given_unknown_words_then_the_nearest_is_offered() {
    insta::assert_snapshot!(
        mistakes("mode = \"paln\"\n[[rule]]\neffect = \"forbid\"\npattern = \"shel(ls)\"\n[servers.s]\napproval = \"always\"\ntools = { t = \"requird\" }\n"),
        @r#"
    FILE:1: `mode` can't be "paln" (did you mean "plan"?)
    FILE:3: `effect` can't be "forbid" (write allow, ask or deny)
    FILE:4: no selector is called `shel` (did you mean `shell(...)`?)
    FILE:6: `approval` can't be "always" (write required or not_required)
    FILE:7: `t` can't be "requird" (did you mean "required"?)
    "#
    );
}

#[test]
fn given_values_of_another_kind_then_the_right_one_is_shown() {
    insta::assert_snapshot!(
        mistakes("version = 2\nmode = 1\nrule = { effect = \"deny\" }\n[rules]\nallow = \"shell(ls)\"\n[agents.x]\ncommand = \"npx -y x\"\nbypass_permissions = \"yes\"\nenv = { A = 1 }\n"),
        @r#"
    FILE:1: version 2 is not known (this mayi reads version 1)
    FILE:2: `mode` is a text, not a number (write `mode = "plan"`)
    FILE:3: `rule` is a list of tables, not a table (write `[[rule]]` before each)
    FILE:5: `allow` is a list of texts, not one text (write `allow = ["shell(ls)"]`)
    FILE:7: `command` is a list of texts, not one text (write `command = ["npx", "-y", "x"]`)
    FILE:8: `bypass_permissions` is true or false, not a text (write `bypass_permissions = true`)
    FILE:9: `A` is a text, not a number (write `A = "..."`)
    "#
    );
}

#[test]
fn given_bad_patterns_then_each_is_explained() {
    insta::assert_snapshot!(
        mistakes("[rules]\nallow = [\"ls\", \"shell()\", \"read(!x)\", \"fetch(a b)\", \"shell('x)\"]\n[protection]\nadd = [\"files(x)\"]\n"),
        @r#"
    FILE:2: `ls` is not a pattern (write selector(argument), such as `shell(cargo test *)` or `write(src/**)`)
    FILE:2: `shell()` needs an argument (`shell(*)` means any, where that is what you want)
    FILE:2: `!` does not negate here (write an exception as `unless` in a [[rule]])
    FILE:2: `a b` is neither a host nor a URL (write `docs.rs`, `*.docs.rs`, `localhost:3000` or `https://docs.rs/serde/*`)
    FILE:2: the quotes in `'x` do not match (close them, as in a shell)
    FILE:4: no selector is called `files` (write read, write, create, edit, delete, move, shell, fetch, mcp, tool or mode)
    "#
    );
}

#[test]
fn given_rules_with_parts_missing_or_out_of_place_then_each_is_named() {
    insta::assert_snapshot!(
        mistakes("[[rule]]\nreason = \"x\"\n[[rule]]\neffect = \"deny\"\npattern = \"shell(x)\"\nalways = true\nargs = { a = \"b\" }\nagents = [\"a:b\"]\n"),
        @r#"
    FILE:1: this rule has no `pattern` (write `pattern = "shell(git push *)"`)
    FILE:1: this rule has no `effect` (write `effect = "deny"`)
    FILE:5: `args` belong to `mcp(...)` alone (leave them out here)
    FILE:6: `always` belongs to `effect = "ask"` (leave it out: it says whether an ask holds in mode auto and for bypassed agents)
    FILE:8: no agent can be called `a:b` (write the name as in [agents.NAME])
    "#
    );
}

/// Examples are "checked whenever the file is loaded".
#[test]
fn given_examples_that_fail_then_the_file_is_refused() {
    insta::assert_snapshot!(
        mistakes(
            r#"
[[rule]]
effect = "deny"
pattern = "shell(git push *)"
unless = "shell(git push --dry-run)"
match = ["git push", "git pull", "git push --dry-run"]
not_match = ["git push origin"]
[[rule]]
effect = "allow"
pattern = "shell(make *)"
match = ["make test", "make 'x"]
[[rule]]
effect = "allow"
pattern = "write(src/*)"
match = ["src/a.rs", "src/deep/b.rs"]
not_match = ["README.md", "~/x", "../src/a.rs"]
[[rule]]
effect = "deny"
pattern = "fetch(example.com)"
match = ["https://sub.example.com/x", "example.com", "https:///"]
[[rule]]
effect = "deny"
pattern = "mcp(github/delete_*)"
match = ["github/delete_repo", "github", "github/delete_x {"]
not_match = ["github/list"]
[[rule]]
effect = "ask"
pattern = "*"
match = ["shell(ls)", "ls"]
"#
        ),
        @r#"
    FILE:6: `shell(git push *)` does not match this example (words are compared one by one; a last word `*` stands for any more words)
    FILE:6: `shell(git push *)` does not match this example (`unless = "shell(git push --dry-run)"` takes it out; change one of them)
    FILE:7: `shell(git push *)` matches this example, which it should not (make the pattern narrower, except it with `unless`, or move the example to `match`)
    FILE:11: `shell(make *)` does not match this example (the line is not understood, and an allow never matches that)
    FILE:15: `write(src/*)` does not match this example (`*` stays within one folder, `**` goes deeper; a path with `/` starts at the workspace)
    FILE:20: `https:///` is not an address: not a URL: empty host (write it as `https://docs.rs/serde`)
    FILE:24: `github` names no tool of a server (write `server/tool`, with arguments as JSON after it: `github/list_issues {"repo": "me/x"}`)
    FILE:24: the arguments are not JSON: EOF while parsing an object at line 1 column 1 (write `server/tool`, with arguments as JSON after it: `github/list_issues {"repo": "me/x"}`)
    FILE:29: `ls` does not say what kind of call it is (for `*`, write examples as selector(object), such as `shell(ls)`)
    "#
    );
}

#[test]
fn given_names_that_are_commands_of_mayi_then_they_are_refused() {
    insta::assert_snapshot!(
        mistakes("[agents.run]\ncommand = [\"x\"]\n[agents.\"a:b\"]\ncommand = [\"\"]\n[servers.inbox]\nurl = \"example.com\"\n[servers.both]\ncommand = [\"x\"]\nurl = \"https://x\"\n[servers.env]\nenv = { A = \"b\" }\n"),
        @r#"
    FILE:1: `run` is a command of mayi and can't be the name of an agent (pick another name, such as `my-run`)
    FILE:3: `a:b` can't be the name of an agent (begin with a letter or a digit; use letters of ASCII, digits, single blanks, `.`, `_`, `-`, `(` and `)`, at most 128 of them)
    FILE:4: `command` names no program (write the program and its arguments: `command = ["npx", "-y", "some-agent"]`)
    FILE:5: `inbox` is a command of mayi and can't be the name of a server (pick another name, such as `my-inbox`)
    FILE:6: `example.com` is not a web address (write it as "https://example.com/mcp")
    FILE:9: a server can't have both `command` and `url` (a server is started with `command` or reached at `url`: leave one out)
    FILE:10: `env` is of no use without `command` (write `command` too)
    "#
    );
}

#[test]
fn given_things_that_belong_elsewhere_then_it_is_said_where() {
    insta::assert_snapshot!(mistakes("lock = [\"mode\"]\n[workspaces.work]\nmode = \"plan\"\n"), @r#"
    FILE:1: only a managed file can lock settings (leave it out, or write it in /etc/mayi/config.toml)
    FILE:2: `work` does not say which folder it is (write the whole path, or one that starts with ~/)
    "#);
    insta::assert_snapshot!(Machine::new().managed("lock = [\"rules\"]\n").mistakes(), @r#"/etc/config.toml:1: `rules` can't be locked (write "mode", "sandbox.allow_confined", "agents.*.bypass_permissions", "apps.*.trust_require_approval" or "apps.*.trust_categories", or a name in place of the star)"#);
}

/// The shape that a person sees.
#[test]
fn given_a_mistake_then_the_report_shows_the_line_and_what_to_write() {
    let machine = Machine::new().user("version = 1\n\n[rules]\nalow = [\"shell(ls)\"]\n");
    let errors = crate::load(&machine.sources).unwrap_err();
    let mut report = String::new();
    let handler =
        miette::GraphicalReportHandler::new_themed(miette::GraphicalTheme::unicode_nocolor()).with_width(100);
    handler.render_report(&mut report, &errors).unwrap();
    insta::assert_snapshot!(machine.plain(&report), @r#"
     × no key is called `alow` in [rules]
      ╭─[/home/.config/mayi/config.toml:4:1]
    3 │ [rules]
    4 │ alow = ["shell(ls)"]
      · ──┬─
      ·   ╰── here
      ╰────
     help: did you mean `allow`?
    "#);
}

#[test]
fn given_options_that_are_no_patterns_then_only_the_options_are_blamed() {
    let mut machine = Machine::new();
    machine.sources.command_line.allow = vec!["shell(ls)".into(), "ls".into()];
    let errors = crate::load(&machine.sources).unwrap_err();
    assert!(errors.only_command_line());
    insta::assert_snapshot!(machine.mistakes(), @"`ls` is not a pattern (write selector(argument), such as `shell(cargo test *)` or `write(src/**)`)");
}

#[test]
fn given_agents_that_nobody_knows_then_a_notice_says_so() {
    let machine = Machine::new().user("[agents.cluade]\nmode = \"plan\"\n[[rule]]\neffect = \"deny\"\npattern = \"*\"\nagents = [\"gemni\"]\n");
    insta::assert_snapshot!(machine.notices(), @r#"
    /home/.config/mayi/config.toml:1: cluade has settings and no command; did you mean claude?
    /home/.config/mayi/config.toml:5: no agent is called gemni; did you mean gemini?
    "#);
}

/// A pattern that was written as a whole line denies that line; as an allow it could never match.
#[test]
fn given_an_allow_of_a_whole_line_then_it_says_to_write_a_rule_for_each_command() {
    insta::assert_snapshot!(
        mistakes("[rules]\nallow = [\"shell(git status && ls)\"]\ndeny = [\"shell(git status && ls)\"]\n"),
        @"FILE:2: `shell(git status && ls)` is about more than one command (commands are allowed one by one: write a rule for each)"
    );
}

/// D3.27, D3.10: what is suggested in the place of another tool's rule is something that can match.
#[test]
fn given_a_whole_line_of_another_tool_then_no_allow_is_suggested_that_matches_nothing() {
    insta::assert_snapshot!(
        mistakes("[rules]\nallow = [\"Bash(curl * | sh)\"]\n"),
        @"FILE:2: `Bash(curl * | sh)` is written as another tool has it (to ask about it or deny it, write `shell(curl * | sh)`; commands are allowed one by one: write a rule for each)"
    );
}

/// D1.3 and D3.9. Attack 246.
#[test]
fn given_what_has_no_effect_or_another_than_it_seems_then_a_notice_says_what_to_write() {
    let machine = Machine::new().user(
        "[rules]\nallow = [\"shell(touch*)\", \"shell(git push *)\"]\ndeny = [\"shell(rm*)\"]\n[agents.claude]\ntrust_kind = true\n",
    );
    insta::assert_snapshot!(machine.notices(), @r#"
    /home/.config/mayi/config.toml:5: `trust_kind` has no effect any more, and will be refused: leave it out
    1 rule can't match what seems to be meant: `mayi config check` says what to write
    "#);
    // Whoever looks for mistakes gets each.
    let full = machine.load().full_notices();
    assert_eq!(full.len(), 2, "{full:?}");
    insta::assert_snapshot!(machine.plain(&full[1]), @"/home/.config/mayi/config.toml:2: `shell(touch*)` is, in an allow, about one word: the last `*` stays within it, so there can be no further ones; did you mean `shell(touch *)`?");
}

/// D3.27: one line, however many rules there are; none of a rule that matches its own line. Attack 732.
#[test]
fn given_many_rules_that_cannot_match_then_one_line_says_so_and_an_exact_one_is_none_of_them() {
    let machine = Machine::new().user(
        "[rules]\nask = [\"shell(npm install)\", \"shell(git push)\"]\ndeny = [\"shell(curl)\", \"shell(x/ *)\", \"shell(touch:*)\"]\n",
    );
    insta::assert_snapshot!(machine.notices(), @"3 rules can't match what seems to be meant: `mayi config check` says what to write");
    assert_eq!(machine.load().full_notices().len(), 3);
    let exact = Machine::new().user("[rules]\nask = [\"shell(npm install)\"]\n");
    assert!(exact.load().full_notices().is_empty());
}
