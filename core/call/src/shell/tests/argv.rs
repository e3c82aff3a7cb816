use std::collections::BTreeMap;
use std::path::Path;

use super::one;
use crate::shell::{Surroundings, argv_accesses, line_accesses};

fn shown(words: &[&str]) -> String {
    let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
    argv_accesses(&words, &Surroundings::new(Path::new("/w"), &[]))
        .iter()
        .map(one)
        .collect::<Vec<_>>()
        .join(" | ")
}

/// D2.5: A harness's outer `sh -c` / `bash -lc` around one literal line is transport:
/// the line inside is judged.
#[test]
fn given_a_harness_shell_then_the_line_inside_is_judged() {
    assert_eq!(shown(&["bash", "-lc", "a && b"]), "a | b");
    assert_eq!(shown(&["/bin/sh", "-c", "a > o"]), "a | write(/w/o)");
    assert_eq!(shown(&["sh", "-c", "a &&"]), "?");
    assert_eq!(shown(&["/tmp/sh", "-c", "a"]), "/tmp/sh -c a | a");
    assert_eq!(super::shown("bash -lc 'a && b'"), "a | b");
    assert_eq!(super::shown("bash -lc 'bash -c a'"), "bash -c a | a");
    assert_eq!(super::shown("x=1 bash -lc 'a'"), "x=1 bash -lc a ~ | a");
}

/// Words that are started without a shell mean what they say.
#[test]
fn given_plain_words_then_no_shell_reads_them() {
    assert_eq!(shown(&["echo", "$(id)", "a;b", "*"]), "echo '$(id)' 'a;b' '*'");
    assert_eq!(shown(&["timeout", "5", "make"]), "make");
    assert_eq!(shown(&["sudo", "rm", "x"]), "sudo rm x | rm x");
    assert_eq!(shown(&["read", "PATH"]), "read PATH");
    assert_eq!(shown(&[]), " !");
    assert_eq!(shown(&["", "x"]), "'' x !");
    assert_eq!(shown(&["a", "b\0c"]), "a 'b\0c' !");
}

/// D1.13: `terminal/create` (its `env` are assignments, its `cwd` counts).
#[test]
fn given_an_environment_then_it_is_judged_as_assignments() {
    let env = BTreeMap::from(
        [("CI", "1"), ("FOO", "bar"), ("PATH", "/x")].map(|(k, v)| (k.to_owned(), v.to_owned())),
    );
    let at = Surroundings { env: &env, ..Surroundings::new(Path::new("/w"), &[]) };
    let all = |found: Vec<_>| found.iter().map(one).collect::<Vec<_>>().join(" | ");
    assert_eq!(all(argv_accesses(&["make".to_owned()], &at)), "FOO=bar PATH=/x make ~!");
    assert_eq!(
        all(line_accesses("B=c make; ls", &at)),
        "FOO=bar PATH=/x B=c make ~!~ | FOO=bar PATH=/x ls ~!"
    );
    assert_eq!(all(line_accesses("make &&", &at)), "?");
    let opaque = line_accesses("make &&", &at);
    assert_eq!(crate::shell::shell_accesses(&opaque).next().unwrap().caveats.len(), 3);
}
