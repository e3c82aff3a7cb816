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
    assert_eq!((decision.effect, decision.always()), (Ask, false));
    assert_eq!(decision.because().unwrap().source, Source::Caveat);
    assert_eq!(in_mode(&quiet, &call, Mode::Auto).effect, Allow);
    assert_eq!(in_mode(&quiet, &call, Mode::Plan).effect, Deny);
    assert_eq!(effect(&policy(&[(Allow, "mcp(s/*)")]), &call), Allow);
    assert_eq!(effect(&policy(&[(Allow, "mcp(s/*)"), (Ask, "mcp(s/t)")]), &call), Ask);
    assert_eq!(with_grant(&quiet, &call, &granted("mcp(s/t)")), Allow);
    assert_eq!(with_grant(&quiet, &call, &granted("mcp(s/u)")), Ask);
}
