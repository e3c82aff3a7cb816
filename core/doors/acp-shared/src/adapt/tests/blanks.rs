//! Blanks around what an agent names: somebody may leave them out, and somebody may not.

use super::*;

/// D1.4: a command with blanks beside a list of words is a file's name for who starts it so, and a line for others: both count.
#[test]
fn given_a_command_with_blanks_beside_words_then_it_counts_as_a_file_and_as_a_line() {
    let found = |input: Value| accesses(json!({"toolCallId": "t", "kind": "execute", "rawInput": input}));
    let both = found(json!({"command": "rm -rf", "args": ["x"]}));
    assert_eq!(both, ["shell('rm -rf' x)", "shell(rm -rf)", "shell(rm -rf x)"]);
    assert_eq!(found(json!({"command": "make", "args": ["x"]})), ["shell(make x)"]);
}

/// D1.4, D2.25, attack 223: an agent may leave out what is blank around a path or a folder, and look for `~` only then.
#[test]
fn given_blanks_around_a_path_then_it_is_judged_with_them_and_without() {
    let edit = |input: Value| accesses(json!({"toolCallId": "t", "kind": "edit", "rawInput": input}));
    for blank in [" ", "\t", "\n", "\u{a0}", "\u{feff}"] {
        let found = edit(json!({"file_path": format!("{blank}/etc/x{blank}")}));
        assert!(found.contains(&"edit(/etc/x)".to_owned()), "{found:?}");
        let found = edit(json!({"file_path": "z", "workdir": format!("{blank}secret")}));
        assert!(found.contains(&"edit(/w/secret/z)".to_owned()), "{found:?}");
        for path in ["~/x".to_owned(), format!("{blank}~/x")] {
            let home = mayi_core::call::home_folder().unwrap().join("x");
            let found = edit(json!({"file_path": path}));
            assert!(found.contains(&format!("edit({})", home.display())), "{found:?}");
        }
    }
    let patch = "*** Begin Patch\n*** Add File: secret/z\n+x\n*** End Patch";
    let found = edit(json!({"path": "src/a.rs", "patch": patch}));
    assert!(found.contains(&"create(/w/secret/z)".to_owned()), "{found:?}");
    let found =
        format!("{:?}", call_after(&[], json!({
        "toolCallId": "t", "kind": "execute", "rawInput": {"command": "touch z", "cwd": " secret"},
    })).accesses);
    assert!(found.contains("\"/w/secret/z\"") && found.contains("\"/w/ secret/z\""), "{found}");
}
