//! Allowed because confined (D4.32).

use super::*;

/// A policy with which the kernel may stand in for a person.
fn confining(rules: &[(Effect, &str)]) -> Policy {
    Policy { allow_confined: true, ..policy(rules) }
}

fn held(line: &str) -> Call {
    Call { held: true, ..shell(line) }
}

/// D4.32: what nobody has said anything of runs where the kernel holds it, and is asked about where it does not, or where the person
/// has not said so.
#[test]
fn given_a_command_that_is_held_then_nobody_is_asked_about_it() {
    let lines = [
        "cargo test",
        "python x.py",
        "made-up --x y > out",
        "cat $X",
        "cd \"$(git rev-parse --show-toplevel)\" && make",
        "echo `date` | tee log",
        "mv a b",
        "sed -i s/a/b/ a",
    ];
    let policy = confining(&[(Deny, "read(**/.env)")]);
    for line in lines {
        let decision = in_mode(&policy, &held(line), Mode::Default);
        assert_eq!(decision.effect, Allow, "{line}: {:?}", decision.trail);
        assert!(decision.trail.iter().any(|finding| finding.source == Source::Confined), "{line}");
        assert_ne!(effect(&policy, &shell(line)), Allow, "{line}, held by nothing");
        let silent = Policy { allow_confined: false, ..policy.clone() };
        assert_ne!(effect(&silent, &held(line)), Allow, "{line}, where nobody said so");
        assert_ne!(in_mode(&policy, &held(line), Mode::Plan).effect, Allow, "{line} in plan");
    }
}

/// D4.32: what somebody has said, what is always asked about, what a word names, what destroys, and what is elsewhere.
#[test]
fn given_a_word_about_it_then_being_held_changes_nothing() {
    let policy = confining(&[
        (Deny, "read(**/.env)"),
        (Deny, "shell(git push *)"),
        (Ask, "shell(make release *)"),
        (Ask, "read(secrets/**)"),
    ]);
    let lines = [
        "cat .env",
        "git push",
        "make release now",
        "cat secrets/x",
        "git show HEAD",
        "rm a",
        "rm -rf build",
        "git clean -fd",
        "git reset --hard",
        "find . -name x -delete",
        "eval \"$X\"",
        "curl https://docs.rs",
        "psql -h db.example.org",
        "cp a .git/hooks/x",
        "echo x > ~/notes",
        "cat ~/.ssh/id_rsa",
    ];
    for line in lines {
        assert_eq!(effect(&policy, &held(line)), effect(&policy, &shell(line)), "{line}");
        assert_ne!(effect(&policy, &held(line)), Allow, "{line}");
    }
    // What is not a command that the door runs is held by nothing.
    for call in [mcp("s", "t"), fetch("https://docs.rs")] {
        assert_eq!(effect(&policy, &Call { held: true, ..call }), Ask);
    }
}

proptest::proptest! {
    /// D4.32: it turns an ask into an allow, and never a denial into anything.
    #[test]
    fn given_any_call_then_being_held_denies_as_much(call in super::properties::any_call()) {
        let policy = confining(&[(Deny, "read(**/.env)"), (Deny, "shell(git *)"), (Ask, "shell(rm *)")]);
        let plain = effect(&policy, &Call { held: false, ..call.clone() });
        let confined = effect(&policy, &Call { held: true, ..call });
        proptest::prop_assert!(confined == plain || (plain, confined) == (Ask, Allow), "{plain} {confined}");
    }
}
