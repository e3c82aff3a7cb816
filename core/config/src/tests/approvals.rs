//! Whether the tools of a server ask, written to the user's file: what it is not about stays.

use proptest::prelude::*;

use super::Machine;
use crate::edit::{EditError, set_server_approval, set_tool_approval};
use mayi_policy::Approval;

const FILE: &str = "\
version = 1

# Our tickets.
[servers.jira] # mine
command = [\"jira-mcp\"]   # as installed
# As agreed.
  approval   =   'required'   # for now
grant = \"read\"

[servers.jira.tools] # one by one
list = \"not_required\"   # harmless
wipe = { approval = \"required\" , category = 'execute' } # never
\"odd name\" = { category = \"read\" }
# the end
";

fn server(machine: &Machine, server: &str, approval: Option<Approval>) -> Result<bool, EditError> {
    set_server_approval(machine.user_file(), &machine.sources.pattern_bases(), server, approval)
}

fn tool(machine: &Machine, server: &str, tool: &str, approval: Approval) -> Result<bool, EditError> {
    set_tool_approval(machine.user_file(), &machine.sources.pattern_bases(), server, tool, approval)
}

/// The lines that are in one text and not in the other.
fn changed(before: &str, after: &str) -> String {
    similar::TextDiff::from_lines(before, after)
        .iter_all_changes()
        .filter(|change| change.tag() != similar::ChangeTag::Equal)
        .map(|change| format!("{}{change}", change.tag()))
        .collect::<String>()
}

#[test]
fn given_an_approval_that_is_there_then_only_its_value_changes() {
    let machine = Machine::new().user(FILE);
    assert!(!server(&machine, "jira", Some(Approval::Required)).unwrap());
    assert_eq!(machine.text(), FILE);
    assert!(server(&machine, "jira", Some(Approval::NotRequired)).unwrap());
    insta::assert_snapshot!(changed(FILE, &machine.text()), @r#"
    -  approval   =   'required'   # for now
    +  approval   =   "not_required"   # for now
    "#);
    assert_eq!(machine.load().policy.servers["jira"].approval, Some(Approval::NotRequired));
}

/// "default" is no word of a server's: the line goes, and what was said above it stays.
#[test]
fn given_none_or_default_then_the_approval_is_taken_out() {
    for approval in [None, Some(Approval::Default)] {
        let machine = Machine::new().user(FILE);
        assert!(server(&machine, "jira", approval).unwrap());
        insta::allow_duplicates! {
            insta::assert_snapshot!(changed(FILE, &machine.text()), @r#"
            -  approval   =   'required'   # for now
            "#);
        }
        assert_eq!(machine.load().policy.servers["jira"].approval, None);
        assert!(
            !server(&machine, "jira", approval).unwrap() && !server(&machine, "other", approval).unwrap()
        );
    }
    let (last, alone) = (
        "[servers.a]\ngrant = \"read\" # x\n# why\napproval = \"required\"\n\n[servers.b]\n",
        "[servers.a] # a\n\n  # why\n  approval = \"required\"\n# the end\n",
    );
    for (before, after) in [
        (last, last.replace("approval = \"required\"\n", "")),
        (alone, alone.replace("  approval = \"required\"\n", "")),
        (
            "servers.a.approval = \"required\"\nservers.a.grant = \"read\"\n",
            "servers.a.grant = \"read\"\n".to_owned(),
        ),
        (
            "servers = { a = { approval = \"required\", grant = \"read\" } }\n",
            "servers = { a = { grant = \"read\" } }\n".to_owned(),
        ),
    ] {
        let machine = Machine::new().user(before);
        assert!(server(&machine, "a", None).unwrap());
        assert_eq!(machine.text(), after);
    }
}

#[test]
fn given_a_tool_then_its_entry_keeps_its_form() {
    let machine = Machine::new().user(FILE);
    assert!(!tool(&machine, "jira", "list", Approval::NotRequired).unwrap());
    assert!(!tool(&machine, "jira", "wipe", Approval::Required).unwrap());
    assert_eq!(machine.text(), FILE);
    assert!(tool(&machine, "jira", "list", Approval::Default).unwrap());
    assert!(tool(&machine, "jira", "wipe", Approval::NotRequired).unwrap());
    assert!(tool(&machine, "jira", "odd name", Approval::Required).unwrap());
    assert!(tool(&machine, "jira", "new/tool", Approval::Required).unwrap());
    insta::assert_snapshot!(changed(FILE, &machine.text()), @r#"
    -list = "not_required"   # harmless
    -wipe = { approval = "required" , category = 'execute' } # never
    -"odd name" = { category = "read" }
    +list = "default"   # harmless
    +wipe = { approval = "not_required" , category = 'execute' } # never
    +"odd name" = { category = "read" , approval = "required" }
    +"new/tool" = "required"
    "#);
    let tools = &machine.load().policy.servers["jira"].tools;
    let approval = |name: &str| (tools[name].approval, tools[name].category.is_some());
    assert_eq!(approval("list"), (Approval::Default, false));
    assert_eq!(approval("wipe"), (Approval::NotRequired, true));
    assert_eq!(approval("odd name"), (Approval::Required, true));
    assert_eq!(approval("new/tool"), (Approval::Required, false));
}

/// What stands in another file may be something else: what is asked for is written, also "default".
#[test]
fn given_what_is_not_there_yet_then_it_is_added_as_the_file_is_laid_out() {
    for (before, after) in [
        (
            "version = 1\n",
            "version = 1\n\n[servers.s]\napproval = \"required\"\n\n[servers.s.tools]\nt = \"default\"\n",
        ),
        (
            "[servers.s]\ngrant = \"read\"\n\n[agents.a]\n",
            "[servers.s]\ngrant = \"read\"\napproval = \"required\"\n\n[servers.s.tools]\nt = \"default\"\n\n[agents.a]\n",
        ),
        (
            "servers = { s = { grant = \"read\" } }\n",
            "servers = { s = { grant = \"read\" , approval = \"required\" , tools = { t = \"default\" } } }\n",
        ),
        (
            "servers.s.grant = \"read\"\r\n",
            "servers.s.grant = \"read\"\r\nservers.s.approval = \"required\"\r\nservers.s.tools.t = \"default\"\r\n",
        ),
        (
            "[servers.s.tools.t]\ncategory = \"read\" # r\n",
            "[servers.s]\napproval = \"required\"\n[servers.s.tools.t]\ncategory = \"read\" # r\napproval = \"default\"\n",
        ),
    ] {
        let machine = Machine::new().user(before);
        assert!(server(&machine, "s", Some(Approval::Required)).unwrap());
        assert!(tool(&machine, "s", "t", Approval::Default).unwrap());
        assert_eq!(machine.text(), after, "{before:?}");
        let settings = &machine.load().policy.servers["s"];
        assert_eq!(
            (settings.approval, settings.tools["t"].approval),
            (Some(Approval::Required), Approval::Default)
        );
    }
}

/// "Refuses to touch a file that does not parse", and names that nothing can have.
#[test]
fn given_mistakes_then_the_file_stays_as_it_is() {
    for text in ["mode = \n", "[servers.s]\napproval = \"never\"\n", "servers = 1\n"] {
        let machine = Machine::new().user(text);
        assert!(server(&machine, "s", Some(Approval::Required)).is_err(), "{text}");
        assert!(server(&machine, "s", None).is_err(), "{text}");
        assert!(tool(&machine, "s", "t", Approval::Required).is_err(), "{text}");
        assert_eq!(machine.text(), text);
    }
    let machine = Machine::new().user(FILE);
    for name in ["a b", "serve", ""] {
        assert!(server(&machine, name, Some(Approval::Required)).is_err(), "{name}");
        assert!(tool(&machine, name, "t", Approval::Required).is_err(), "{name}");
    }
    assert_eq!(machine.text(), FILE);
}

/// Pieces of a file in any order.
fn files() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "# a comment\n",
        "\n",
        "[servers.s]\ngrant = \"read\" # g\n# about it\napproval = \"not_required\"\n  # behind\n",
        "[servers.s.tools] # tools\n# of t\nt = \"default\" # t\nu = { category = \"read\" }\n",
        "[servers.r]\n# nothing\n",
        "[agents.claude]\nmode = \"plan\"#x\n",
        "[[rule]]\n  effect='deny'\npattern = '''shell(x)''' # odd\n",
    ]);
    proptest::collection::vec(piece, 0..7).prop_map(|pieces| {
        let mut seen = std::collections::BTreeSet::new();
        // A table may be written once.
        pieces
            .into_iter()
            .filter(|piece| piece.starts_with("[[") || !piece.starts_with('[') || seen.insert(*piece))
            .collect()
    })
}

fn approvals() -> impl Strategy<Value = Approval> {
    proptest::sample::select(vec![Approval::Required, Approval::NotRequired, Approval::Default])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Comments and all other lines survive, and what was set is what counts.
    #[test]
    fn an_edit_only_changes_its_own_lines(text in files(), whole in approvals(), one in approvals()) {
        let machine = Machine::new().user(&text);
        server(&machine, "s", Some(whole)).unwrap();
        tool(&machine, "s", "t", one).unwrap();
        tool(&machine, "s", "u", one).unwrap();
        let after = machine.text();
        let mut lines = after.lines();
        let own = ["approval =", "t =", "u ="];
        for line in text.lines().filter(|line| !own.iter().any(|own| line.starts_with(own))) {
            prop_assert!(lines.any(|other| other == line), "{line:?} of {text:?} is lost in {after:?}");
        }
        let settings = &machine.load().policy.servers["s"];
        prop_assert_eq!(settings.approval, Some(whole).filter(|whole| *whole != Approval::Default));
        prop_assert_eq!((settings.tools["t"].approval, settings.tools["u"].approval), (one, one));
    }
}
