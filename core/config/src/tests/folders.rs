//! Folders that sessions work in besides: the person's to name (D1.26, D1.27).

use super::*;
use crate::edit;
use mayi_policy::pattern::PatternBases;

fn folders(machine: &Machine) -> Vec<String> {
    machine.load().folders.iter().map(|folder| machine.plain(&folder.display().to_string())).collect()
}

#[test]
fn given_folders_in_the_users_and_a_managed_file_then_they_add_up() {
    let machine = Machine::new().managed("[workspace]\nfolders = [\"/srv/team\"]\n").user(
        "[workspace]\nfolders = [\"/var/data\", \"~/me\"]\n[workspaces.\"/nowhere\"]\nfolders = [\"/x\"]\n",
    );
    assert_eq!(folders(&machine), ["/srv/team", "/var/data", "/home/me"]);
    let here = machine.sources.cwd.display().to_string();
    let mut machine = machine.user(&format!("[workspaces.{here:?}]\nfolders = [\"/here\"]\n"));
    machine.sources.command_line.folders.push("/once".into());
    assert_eq!(folders(&machine), ["/once", "/srv/team", "/here"]);
}

/// Attack 743. D1.26.
#[test]
fn given_a_repositorys_file_then_it_names_no_folder_to_work_in() {
    for text in ["[workspace]\nfolders = [\"/etc\"]\n", "[workspaces.\"/\"]\nfolders = [\"/etc\"]\n"] {
        let loaded = Machine::new().workspace(text).load();
        assert!(loaded.folders.is_empty() && loaded.policy.ask_all.is_some(), "{text}");
    }
}

/// Attack 743. D1.27.
#[test]
fn given_a_link_to_the_home_folder_then_it_is_no_folder_to_work_in() {
    let machine = Machine::new();
    let link = machine.sources.cwd.join("link");
    std::os::unix::fs::symlink("/", &link).unwrap();
    let machine = machine.user(&format!("[workspace]\nfolders = [{link:?}, \"/\"]\n"));
    assert_eq!(folders(&machine), ["/"], "named as such, it counts");
    assert!(machine.notices().contains("leads to /, and is no folder to work in"), "{}", machine.notices());
}

#[test]
fn given_folders_that_are_none_then_the_mistake_says_what_to_write() {
    let mistakes = Machine::new().user("[workspace]\nfolders = [\"data\"]\n").mistakes();
    assert!(mistakes.contains("`data` does not say which folder it is"), "{mistakes}");
    assert!(Machine::new().user("[workspace]\nfolder = [\"/x\"]\n").mistakes().contains("folders"));
    let notices = Machine::new().user("[workspace]\nfolders = [\"/no/such\"]\n").notices();
    assert!(notices.contains("/no/such is not a folder"), "{notices}");
}

/// D4.10: what no rule does outside of the folders is said with the way that does. Attack 732.
#[test]
fn given_rules_for_changes_elsewhere_then_it_is_said_that_they_have_no_effect() {
    let text = "[rules]\nallow = [\"write(/var/data/**)\", \"edit(/srv/a b/x*)\", \"write(src/**)\", \"write(~/work/x)\", \"read(/var/**)\"]\n";
    let machine = Machine::new().user(text);
    let lines = |machine: &Machine| {
        machine.load().rules_outside(&machine.sources.cwd, machine.sources.folders.home.as_deref())
    };
    let said = lines(&machine);
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said[0].contains("`folders = [\"/var/data\"]` under [workspace]"), "{said:?}");
    assert!(said[1].contains("`folders = [\"/srv/a b\"]`"), "{said:?}");
    let machine =
        machine.user(&format!("{text}[workspace]\nfolders = [\"/var/data\", \"/srv\", \"~/work\"]\n"));
    assert!(lines(&machine).is_empty());
    // A relative one that leads out of the folder, and one that holds it.
    let machine = Machine::new().user("[rules]\nallow = [\"write(../x/**)\", \"write(../**)\"]\n");
    let said = lines(&machine);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("`write(../x/**)` has no effect") && said[0].contains("/x\"]`"), "{said:?}");
}

#[test]
fn given_folders_that_are_added_then_the_rest_of_the_file_stays() {
    let machine = Machine::new().user("# mine\nmode = \"plan\"\n\n[workspace]\n# ours\nfolders = [\"/a\"]\n");
    let places = PatternBases::default();
    let change = edit::preview_append(
        machine.user_file(),
        &places,
        &[(None, "/b\u{202e}".into()), (None, "/a".into()), (Some("/w".into()), "/c".into())],
        |_| String::new(),
    )
    .unwrap();
    edit::apply_append(machine.user_file(), &change).unwrap();
    let text = machine.text();
    assert!(
        text.starts_with("# mine\nmode = \"plan\"\n\n[workspace]\n# ours\nfolders = [\"/a\", "),
        "{text}"
    );
    assert!(!text.contains('\u{202e}') && text.contains("[workspaces.\"/w\"]\nfolders = [\"/c\"]"), "{text}");
    assert_eq!(folders(&machine), ["/a", "/b\u{202e}"]);
}
