//! Paths among the arguments of a tool count for servers that run on this machine (D3.13).

use super::*;
use crate::pattern::ArgumentConditions;

/// Attack 245.
#[test]
fn given_a_path_pattern_then_it_allows_only_for_a_server_that_runs_here() {
    let of =
        || ArgumentConditions { args: None, paths: Some(BTreeMap::from([("path".into(), "src/**".into())])) };
    let mut with = policy(&[]);
    let pattern = Pattern::with_conditions("mcp(s/*)", of(), &places()).unwrap();
    with.rules.push(Rule { pattern: pattern.clone(), ..rule(Allow, "mcp(s/*)") });
    let at = |server: &str, path: &str| {
        let arguments = json!({ "path": path });
        call(Access::Mcp(McpAccess::new(vec![(server.into(), "t".into())], arguments, Path::new("/w"))))
    };
    assert_eq!(effect(&with, &at("s", "src/a")), Ask, "nothing says where it runs");
    with.servers.insert("s".into(), ServerSettings::default());
    assert_eq!(effect(&with, &at("s", "src/a")), Ask, "it is remote");
    with.servers.insert("s".into(), ServerSettings { local: true, ..ServerSettings::default() });
    assert_eq!(effect(&with, &at("s", "src/a")), Allow);
    assert_eq!(effect(&with, &at("s", "src/../../etc/passwd")), Ask);
    // Whatever it could mean has to fit: a list, a pattern, another address.
    for path in [
        "/w/src/a,/w/x",
        "src/a;src/b",
        "src/{a,../../x}",
        "src/*/../../x",
        "src/a|x",
        "sqlite:///w/src/a",
        "'src/a'",
    ] {
        assert_eq!(effect(&with, &at("s", path)), Ask, "{path}");
    }
    assert_eq!(effect(&with, &at("s", "src/[id]/page (1).tsx")), Allow);
    // A denial holds wherever it runs.
    let mut denies = policy(&[]);
    denies.rules.push(Rule { pattern, ..rule(Deny, "mcp(s/*)") });
    assert_eq!(effect(&denies, &at("s", "docs/../src/a")), Deny);
    assert_eq!(effect(&denies, &at("s", "docs/a")), Ask);
}
