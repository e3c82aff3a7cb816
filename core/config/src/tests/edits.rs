//! Changes to the user's file keep what they are not about.

use std::path::Path;

use proptest::prelude::*;

use super::Machine;
use crate::edit::{self, EditError, add_rule};
use crate::{FileKeeper, RunningSession, load};
use mayi_call::AgentId;
use mayi_kept::AnswerPersistence;
use mayi_policy::Approval;
use mayi_policy::pattern::PatternBases;

const FILE: &str = "\
# My rules.   Kept   as they are.
version = 1

mode = 'default'   # literal quotes

[agents.claude] # mine
  bypass_permissions   =   false   # for now
mode = \"plan\"

[[rule]]
effect = \"deny\"
pattern = \"shell(rm *)\"   # never
  # indented

[[rule]] # second
effect = \"ask\"
pattern = \"mcp(a/b)\"
[rule.args]
x = \"y\"

[rules]
allow = [
    \"shell(ls)\",   # a
]
# the end
";

/// Sets the bypass of one of the agents that mayi knows, where no file says otherwise.
fn set_bypass(path: &Path, places: &PatternBases, agent: &str, on: bool) -> Result<bool, EditError> {
    edit::set_bypass(path, places, &load(&Machine::new().sources).unwrap(), agent, on)
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
fn given_a_bypass_that_is_there_then_only_its_value_changes() {
    let machine = Machine::new().user(FILE);
    assert!(set_bypass(machine.user_file(), &machine.sources.pattern_bases(), "claude", true).unwrap());
    insta::assert_snapshot!(changed(FILE, &machine.text()), @r#"
    -  bypass_permissions   =   false   # for now
    +  bypass_permissions   =   true   # for now
    "#);
    assert!(!set_bypass(machine.user_file(), &machine.sources.pattern_bases(), "claude", true).unwrap());
    assert!(set_bypass(machine.user_file(), &machine.sources.pattern_bases(), "claude", false).unwrap());
    assert_eq!(machine.text(), FILE);
}

#[test]
fn given_another_agent_then_its_table_is_added() {
    let machine = Machine::new().user(FILE);
    assert!(set_bypass(machine.user_file(), &machine.sources.pattern_bases(), "goose", true).unwrap());
    insta::assert_snapshot!(changed(FILE, &machine.text()), @r#"
    +[agents.goose]
    +bypass_permissions = true
    +
    "#);
}

#[test]
fn given_an_answer_then_a_rule_is_added_once() {
    let machine = Machine::new().user(FILE);
    let patterns = ["shell(cargo test *)".to_owned(), "write(./a\"b)".to_owned()];
    assert!(add_rule(machine.user_file(), &machine.sources.pattern_bases(), "claude", &patterns).unwrap());
    assert!(!add_rule(machine.user_file(), &machine.sources.pattern_bases(), "claude", &patterns).unwrap());
    let date = jiff::Zoned::now().date().to_string();
    insta::assert_snapshot!(changed(FILE, &machine.text()).replace(&date, "DATE"), @r#"
    +[[rule]]
    +effect = "allow"
    +pattern = "shell(cargo test *)"
    +agents = ["claude"]
    +reason = "answered at the prompt on DATE"
    +
    +[[rule]]
    +effect = "allow"
    +pattern = 'write(./a"b)'
    +agents = ["claude"]
    +reason = "answered at the prompt on DATE"
    +
    "#);
    let rules = machine.load().policy.rules;
    assert_eq!(rules.len(), 5);
    assert!(rules.iter().filter(|rule| rule.agents == ["claude"]).count() == 2);
}

#[test]
fn given_no_file_then_one_is_made_for_the_user_alone() {
    let mut machine = Machine::new();
    let folder = machine.sources.folders.home.clone().unwrap().join("new/mayi");
    machine.sources.user = Some(folder.join("config.toml"));
    assert!(!add_rule(machine.user_file(), &machine.sources.pattern_bases(), "demo", &[]).unwrap());
    assert!(!machine.user_file().exists());
    assert!(set_bypass(machine.user_file(), &machine.sources.pattern_bases(), "demo", true).unwrap());
    insta::assert_snapshot!(machine.text(), @r#"
    # The configuration of mayi. `mayi config path` lists all files that count, `mayi config check` looks for mistakes.
    version = 1

    [agents.demo]
    bypass_permissions = true
    "#);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(machine.user_file())), (0o700, 0o600));
    }
    assert!(machine.load().policy.agents["demo"].bypass_permissions);
}

#[test]
fn given_files_laid_out_otherwise_then_they_are_changed_in_their_own_way() {
    for (before, after) in [
        (
            "agents = { claude = { mode = \"plan\" } }",
            "agents = { claude = { mode = \"plan\" , bypass_permissions = true } }\n",
        ),
        (
            "agents.claude.mode = \"plan\"\r\n",
            "agents.claude.mode = \"plan\"\r\nagents.claude.bypass_permissions = true\r\n",
        ),
        ("mode = \"plan\"", "mode = \"plan\"\n\n[agents.claude]\nbypass_permissions = true\n"),
    ] {
        let machine = Machine::new().user(before);
        assert!(set_bypass(machine.user_file(), &machine.sources.pattern_bases(), "claude", true).unwrap());
        assert_eq!(machine.text(), after);
        assert!(machine.load().policy.agents["claude"].bypass_permissions);
    }
}

/// "Refuses to touch a file that does not parse."
#[test]
fn given_a_file_with_mistakes_then_it_stays_as_it_is() {
    for text in [
        "mode = \n",
        "mod = \"plan\"\n",
        "[[rule]]\neffect = \"deny\"\npattern = \"shell(x)\"\nmatch = [\"y\"]\n",
    ] {
        let machine = Machine::new().user(text);
        assert!(set_bypass(machine.user_file(), &machine.sources.pattern_bases(), "claude", true).is_err());
        assert!(
            add_rule(machine.user_file(), &machine.sources.pattern_bases(), "claude", &["shell(ls)".into()])
                .is_err()
        );
        assert_eq!(machine.text(), text);
    }
    let machine = Machine::new().user(FILE);
    assert!(
        add_rule(machine.user_file(), &machine.sources.pattern_bases(), "claude", &["nonsense".into()])
            .is_err()
    );
    assert_eq!(machine.text(), FILE);
}

#[cfg(unix)]
#[test]
fn given_a_link_then_its_target_changes_and_keeps_its_rights() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::new();
    let target = machine.sources.cwd.join("dotfiles.toml");
    super::put(&target, FILE);
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&target, machine.user_file()).unwrap();
    assert!(set_bypass(machine.user_file(), &machine.sources.pattern_bases(), "claude", true).unwrap());
    assert!(machine.user_file().symlink_metadata().unwrap().is_symlink());
    assert_eq!(target.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert_ne!(std::fs::read_to_string(&target).unwrap(), FILE);
}

/// Two processes do not lose each other's change.
#[test]
fn given_changes_at_the_same_time_then_all_of_them_survive() {
    let machine = Machine::new().user(FILE);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let machine = &machine;
            scope.spawn(move || {
                let pattern = format!("shell(run {number})");
                assert!(
                    add_rule(machine.user_file(), &machine.sources.pattern_bases(), "claude", &[pattern])
                        .unwrap()
                );
            });
        }
        scope.spawn(|| {
            assert!(
                set_bypass(machine.user_file(), &machine.sources.pattern_bases(), "claude", true).unwrap()
            )
        });
    });
    let policy = machine.load().policy;
    assert_eq!(policy.rules.len(), 3 + 8);
    assert!(policy.agents["claude"].bypass_permissions);
}

#[test]
fn given_a_keeper_then_answers_hold_from_now_on() {
    let machine = Machine::new().user(FILE);
    let keeper = FileKeeper::new(machine.sources.clone());
    let claude = AgentId::from_name("claude");
    let policy = keeper.allow_patterns(&claude, &["shell(make)".into()]).unwrap();
    assert!(policy.rules.iter().any(|rule| rule.pattern.as_str() == "shell(make)"));
    assert!(keeper.bypass_agent(&claude).unwrap().agents["claude"].bypass_permissions);
    assert!(load(&machine.sources).unwrap().policy.agents["claude"].bypass_permissions);
}

/// Attack 176: what is written for another program, or another server, under the name of one that runs is not for that one.
#[test]
fn given_others_under_the_names_of_what_runs_then_what_is_kept_allows_them_nothing_more() {
    let config = |program: &str| {
        let server = format!("[servers.s]\ncommand = [\"{program}\"]\napproval = \"not_required\"\n");
        format!("[agents.a]\ncommand = [\"{program}\"]\nbypass_permissions = true\n{server}")
    };
    let before = Machine::new().user(&config("old")).load();
    let machine = Machine::new().user(&config("new"));
    let agent = AgentId::from_name("a");
    let keeper = FileKeeper::new(machine.sources.clone());
    let kept = keeper.allow_patterns(&agent, &["shell(make)".into()]).unwrap();
    assert!(kept.agents["a"].bypass_permissions);
    assert_eq!(kept.servers["s"].approval, Some(Approval::NotRequired));
    let text = machine.text();
    let keeper = keeper.with_running(RunningSession::for_session(before.agents.get("a"), &before));
    let kept = keeper.allow_patterns(&agent, &["shell(ls)".into()]).unwrap();
    assert!(!kept.agents["a"].bypass_permissions && kept.rules.len() == 2);
    assert_eq!(kept.servers["s"].approval, Some(Approval::Required));
    assert_ne!(machine.text(), text);
    let text = machine.text();
    insta::assert_snapshot!(keeper.bypass_agent(&agent).unwrap_err(), @"another program is configured for a now: the setting would be for that one");
    assert_eq!(machine.text(), text);
}

#[test]
fn given_an_agent_without_a_name_then_nothing_is_kept_for_it() {
    let machine = Machine::new().user(FILE);
    let keeper = FileKeeper::new(machine.sources.clone());
    let unnamed = AgentId::from_command(&["x".to_owned()]);
    insta::assert_snapshot!(keeper.allow_patterns(&unnamed, &["shell(make)".into()]).unwrap_err(), @"this agent has no name in the configuration: write it down as [agents.NAME] and start it by that name");
    assert!(keeper.bypass_agent(&unnamed).is_err());
    assert_eq!(machine.text(), FILE);
}

#[test]
fn given_a_locked_bypass_then_the_keeper_refuses() {
    let machine = Machine::new().managed("lock = [\"agents.claude.bypass_permissions\"]\n").user(FILE);
    let keeper = FileKeeper::new(machine.sources.clone());
    let error = keeper.bypass_agent(&AgentId::from_name("claude")).unwrap_err().to_string();
    insta::assert_snapshot!(machine.plain(&error), @"/etc/config.toml locks the bypass of claude");
    assert_eq!(machine.text(), FILE);
    assert!(keeper.bypass_agent(&AgentId::from_name("goose")).is_ok());
}

/// Pieces of a file in any order, with comments between them.
fn files() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "# a comment\n",
        "\n",
        "   # indented\n",
        "[rules] # short\nallow = [ \"shell(ls)\" , ] # one\n",
        "[[rule]]\n  effect='deny'\npattern = '''shell(x)''' # odd\n",
        "[agents.claude]\nmode = \"plan\"#x\n",
        "[agents.goose]\n# nothing\n",
        "[matrix.auto]\nread = \"ask\"\n",
        "[servers.s]\ngrant = \"read\"\n[servers.s.tools]\nt = \"default\" # t\n",
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// "Comments survive an edit byte for byte outside of the edited lines."
    #[test]
    fn an_edit_only_adds_lines(text in files()) {
        let machine = Machine::new().user(&text);
        set_bypass(machine.user_file(), &machine.sources.pattern_bases(), "claude", true).unwrap();
        add_rule(machine.user_file(), &machine.sources.pattern_bases(), "claude", &["shell(make)".into()]).unwrap();
        let after = machine.text();
        let mut lines = after.lines();
        for line in text.lines() {
            prop_assert!(lines.any(|other| other == line), "{line:?} of {text:?} is lost in {after:?}");
        }
        let policy = machine.load().policy;
        prop_assert!(policy.agents["claude"].bypass_permissions);
        prop_assert!(policy.rules.iter().any(|rule| rule.pattern.as_str() == "shell(make)"));
    }
}
