//! What a decision with many rules may take (D2.40).

use super::*;

/// Attack 731. An address that could be any host is what every rule of hosts is about, and each of them says it once more.
#[test]
fn given_a_long_address_that_could_be_any_host_then_what_is_said_of_it_is_bounded() {
    let rules: Vec<String> = (0..5_000).map(|at| format!("fetch(host{at}.example.org)")).collect();
    let rules: Vec<(Effect, &str)> = rules.iter().map(|rule| (Deny, rule.as_str())).collect();
    let policy = policy(&rules);
    for (dots, all) in [(10, true), (30_000, false)] {
        let call = fetch(&format!("http://{}", "%2e".repeat(dots)));
        let decision = in_mode(&policy, &call, Mode::Default);
        let said: usize = decision.trail.iter().map(|finding| finding.access.len()).sum();
        assert!(said < 32 << 20, "{said}");
        let denied = decision.trail.iter().filter(|finding| finding.effect == Deny).count();
        assert_eq!((decision.effect, denied == 5_000), (Deny, all), "{denied}");
        let unjudged = |finding: &Finding| finding.reason.contains("more in it than is judged");
        assert_eq!(decision.trail.iter().any(unjudged), !all, "what was not judged is asked about");
    }
}
