//! What holds of every setting of the table: a new row is held to it without a line here.

use serde_json::{Value, json};

use super::Machine;
use crate::scalars::{Reach, ScalarKind, ScalarRow, ScalarValue, TABLE, Unset, find_row};
use crate::{LoadedConfig, Setting};

/// Names for the stars, which nothing else is called.
const NAMES: [&str; 2] = ["claude", "listed"];

/// Values of a kind as TOML and JSON write them, the loosest first.
fn values(row: &ScalarRow) -> Vec<Value> {
    let words: &[&str] = match row.kind {
        ScalarKind::Flag => return vec![true.into(), false.into()],
        ScalarKind::Text => &["one", "two"],
        ScalarKind::Mode => &["auto", "default", "plan"],
        ScalarKind::OnUnasked => &["record", "stop"],
        ScalarKind::Approval => &["not_required", "required"],
        ScalarKind::ToolApproval => &["not_required", "default", "required"],
        ScalarKind::Level => &["all", "write", "read", "none"],
        ScalarKind::Category => &["read", "write", "execute", "external"],
        ScalarKind::Effect => &["allow", "ask", "deny"],
    };
    words.iter().map(|word| (*word).into()).collect()
}

/// The parts of a setting's place: of the matrix, one that may be anything.
fn parts(row: &ScalarRow) -> Vec<&'static str> {
    let mut names = if row.path == "matrix.*.*" { ["default", "write"] } else { NAMES }.into_iter();
    row.path.split('.').map(|part| if part == "*" { names.next().unwrap() } else { part }).collect()
}

fn key(row: &ScalarRow) -> String {
    parts(row).join(".")
}

fn line(row: &ScalarRow, value: &Value) -> String {
    format!("{} = {value}\n", key(row))
}

fn setting(loaded: &LoadedConfig, row: &ScalarRow) -> Option<Setting> {
    loaded.settings.iter().find(|setting| setting.key == key(row)).cloned()
}

/// All that are set by files and have an effect.
fn rows() -> impl Iterator<Item = &'static ScalarRow> {
    TABLE.iter().filter(|row| row.reach != Reach::NoEffect)
}

#[test]
fn given_the_table_then_each_path_is_there_once_and_each_default_has_its_kind() {
    for row in TABLE {
        assert_eq!(TABLE.iter().filter(|other| other.path == row.path).count(), 1, "{}", row.path);
        let kind = match row.kind {
            ScalarKind::Flag => ScalarValue::Flag(true),
            ScalarKind::Text => ScalarValue::Text(String::new()),
            word => word.words().remove(0).1,
        };
        match &row.unset {
            Unset::BuiltIn(value) | Unset::Is(value) => {
                assert_eq!(std::mem::discriminant(value), std::mem::discriminant(&kind), "{}", row.path);
            }
            Unset::As(path) => assert_eq!(find_row(path).unwrap().kind, row.kind, "{}", row.path),
            Unset::Nothing => {}
        }
    }
}

/// Each can be written down, and `config show` says what it is and where that stands.
#[test]
fn given_each_setting_in_the_users_file_then_it_is_shown_with_its_line() {
    for row in rows() {
        for value in values(row) {
            let loaded = Machine::new().user(&format!("# first\n{}", line(row, &value))).load();
            let shown = setting(&loaded, row).unwrap_or_else(|| panic!("{} is not shown", row.path));
            assert_eq!((&shown.value, shown.origin.line), (&value, Some(2)), "{}", row.path);
        }
    }
}

/// D5.5: a workspace file only tightens. Whatever the user says, what it says counts if it is stricter, and is told if not.
#[test]
fn given_each_setting_in_a_workspace_file_then_it_counts_if_it_tightens_and_is_told_if_not() {
    for row in rows().filter(|row| row.reach != Reach::Refused) {
        for (at, user) in values(row).iter().enumerate() {
            for (other, workspace) in values(row).iter().enumerate() {
                let machine = Machine::new().user(&line(row, user)).workspace(&line(row, workspace));
                let loaded = machine.load();
                let counts = row.reach != Reach::Users && other >= at;
                let what = format!("{}: {user}, then {workspace}", row.path);
                let shown = setting(&loaded, row).unwrap();
                assert_eq!(&shown.value, if counts { workspace } else { user }, "{what}");
                assert_eq!(
                    shown.origin.layer,
                    if counts { crate::Layer::Workspace } else { crate::Layer::User },
                    "{what}"
                );
                assert_eq!(loaded.policy.notices.len(), usize::from(!counts), "{what}");
            }
        }
    }
}

/// The same where the user says nothing: the default is what it may not loosen.
#[test]
fn given_each_setting_in_a_workspace_file_alone_then_the_loosest_is_ignored_unless_it_is_the_default() {
    for row in rows().filter(|row| row.reach != Reach::Refused) {
        let loosest = values(row).remove(0);
        let loaded = Machine::new().workspace(&line(row, &loosest)).load();
        let is_default = matches!(row.path, "readers" | "on_unasked" | "agents.*.on_unasked");
        let counts = setting(&loaded, row).is_some_and(|shown| shown.origin.layer == crate::Layer::Workspace);
        assert_eq!(counts, is_default, "{}", row.path);
    }
}

#[test]
fn given_each_setting_that_is_not_for_repositories_then_a_workspace_file_with_it_is_broken() {
    for row in rows().filter(|row| row.reach == Reach::Refused) {
        let loaded = Machine::new().workspace(&line(row, &values(row).remove(0))).load();
        assert!(loaded.policy.ask_all.is_some(), "{}", row.path);
    }
}

/// "Managed locks hold": of each that can be locked, alone and under a star; no other can be locked.
#[test]
fn given_each_setting_then_a_lock_holds_it_where_it_can_be_locked() {
    for row in rows() {
        for path in [row.path.to_owned(), key(row)] {
            let lock = format!("lock = [{path:?}]\n");
            if !row.lockable {
                assert!(Machine::new().managed(&lock).mistakes().contains("can't be locked"), "{path}");
                continue;
            }
            let (loosest, strictest) = (values(row).remove(0), values(row).pop().unwrap());
            let managed = format!("{lock}{}", line(row, &strictest));
            let loaded = Machine::new().managed(&managed).user(&line(row, &loosest)).load();
            assert_eq!(setting(&loaded, row).unwrap().value, strictest, "{path}");
            assert!(loaded.policy.notices[0].ends_with("/etc/config.toml locks it"), "{path}");
        }
    }
}

/// An editor's settings of `value` at a setting's place, in the editor's spelling.
fn editor_settings(row: &ScalarRow, value: &Value) -> Value {
    let camel = |part: &str| {
        let mut words = part.split('_');
        let first = words.next().unwrap_or_default().to_owned();
        words.fold(first, |so_far, word| format!("{so_far}{}{}", word[..1].to_uppercase(), &word[1..]))
    };
    let mut parts = parts(row);
    if row.path.starts_with("servers.*.tools.*.") {
        // A tool is one word there.
        parts.pop();
    }
    parts.iter().rev().fold(value.clone(), |value, part| json!({ camel(part): value }))
}

/// What an editor may set, it sets; what it may not, nobody knows there.
#[test]
fn given_each_setting_in_an_editors_settings_then_it_counts_where_the_table_says_so() {
    for row in TABLE {
        for value in values(row) {
            let machine = Machine::new().editor(editor_settings(row, &value));
            let loaded = machine.load();
            let shown = setting(&loaded, row).filter(|shown| shown.origin.layer == crate::Layer::Editor);
            assert_eq!(shown.map(|shown| shown.value), row.editor.then_some(value), "{}", row.path);
            let unknown = machine.notices().contains("no key is called");
            assert_eq!(unknown, !row.editor, "{}: {}", row.path, machine.notices());
        }
    }
}

/// Each is in the schema, under its own description.
#[test]
fn given_each_setting_then_the_schema_describes_it() {
    let text = crate::schema_text();
    for row in TABLE {
        let about = serde_json::to_string(row.about).unwrap();
        assert!(!row.about.is_empty() && text.contains(&about), "{}", row.path);
    }
}
