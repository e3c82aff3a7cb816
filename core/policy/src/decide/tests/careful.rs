//! What a door is careful about.

use super::*;

/// What a door is careful about is a plain ask: grants, bypass, auto mode and explicit rules discharge it, a setting
/// and plan mode do not.
#[test]
fn given_a_caution_then_it_is_asked_about_like_other_plain_caveats() {
    let careful = |call: Call| Call { cautions: vec!["its description hides something".into()], ..call };
    let call = careful(mcp("s", "t"));
    let mut quiet = policy(&[]);
    quiet.servers.insert(
        "s".into(),
        ServerSettings { approval: Some(Approval::NotRequired), ..ServerSettings::default() },
    );
    assert_eq!(effect(&quiet, &mcp("s", "t")), Allow);
    let decision = in_mode(&quiet, &call, Mode::Default);
    assert_eq!((decision.effect, decision.always_asks()), (Ask, false));
    assert_eq!(decision.deciding_finding().unwrap().source, Source::Caveat);
    assert_eq!(in_mode(&quiet, &call, Mode::Auto).effect, Allow);
    assert_eq!(in_mode(&quiet, &call, Mode::Plan).effect, Deny);
    assert_eq!(effect(&policy(&[(Allow, "mcp(s/*)")]), &call), Allow);
    assert_eq!(effect(&policy(&[(Allow, "mcp(s/*)"), (Ask, "mcp(s/t)")]), &call), Ask);
    assert_eq!(with_grant(&quiet, &call, &granted("mcp(s/t)")), Allow);
    assert_eq!(with_grant(&quiet, &call, &granted("mcp(s/u)")), Ask);
}

/// Found in review: mode auto ran flagged tools without a question, and a wildcard allow silenced the
/// flags. D4.23: asked about in every mode until the pin is accepted; no wildcard allow silences them.
/// Attack 121.
#[test]
fn given_a_tool_that_is_flagged_then_nothing_but_a_person_lets_it_run() {
    let call = Call { flagged: vec!["its description speaks to the model".into()], ..mcp("s", "t") };
    let mut quiet = policy(&[(Allow, "mcp(s/*)"), (Allow, "mcp(s/t)"), (Allow, "*")]);
    quiet.servers.insert(
        "s".into(),
        ServerSettings { approval: Some(Approval::NotRequired), ..ServerSettings::default() },
    );
    for grants in [granted("mcp(s/*)"), granted("mcp(s/t)"), granted("*")] {
        for mode in [Mode::Default, Mode::Auto] {
            for bypass in [false, true] {
                let standing = SessionStanding { mode, bypass, grants: &grants, servers: passed() };
                assert_eq!(decide(&quiet, &mcp("s", "t"), &standing).effect, Allow);
                let decision = decide(&quiet, &call, &standing);
                assert_eq!((decision.effect, decision.always_asks()), (Ask, true), "{mode:?} {bypass}");
            }
        }
    }
    assert_eq!(in_mode(&quiet, &call, Mode::Plan).effect, Deny);
    assert_eq!(effect(&policy(&[(Deny, "mcp(s/*)")]), &call), Deny);
}
