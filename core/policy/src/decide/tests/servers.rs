//! What is set for servers and their tools, and hosts.

use super::*;

/// D8: servers, tools and hosts.
#[test]
fn given_servers_and_tools_then_settings_speak_where_no_rule_does() {
    let mut configured = policy(&[]);
    configured.servers.insert(
        "s".into(),
        ServerSettings {
            approval: Some(Approval::Required),
            grant: crate::Level::Read,
            tools: BTreeMap::from([
                ("t".into(), ToolSettings { approval: Approval::NotRequired, category: None }),
                ("r".into(), ToolSettings { approval: Approval::Default, category: Some(Category::Read) }),
            ]),
            ..ServerSettings::default()
        },
    );
    assert_eq!(effect(&configured, &mcp("s", "t")), Allow, "tool over server");
    assert_eq!(effect(&configured, &mcp("s", "u")), Ask, "server default");
    assert_eq!(effect(&configured, &mcp("s", "r")), Allow, "granted level");
    assert_eq!(in_mode(&configured, &mcp("s", "t"), Mode::Plan).effect, Deny, "plan mode");
    assert_eq!(in_mode(&configured, &mcp("s", "u"), Mode::Auto).effect, Allow, "never ask");
    configured.rules.push(rule(Deny, "mcp(s/*)"));
    assert_eq!(effect(&configured, &mcp("s", "t")), Deny, "a rule over settings");
    assert_eq!(effect(&policy(&[(Deny, "fetch(example.com)")]), &fetch("https://sub.example.com/")), Deny);
    assert_eq!(effect(&policy(&[(Allow, "fetch(example.com)")]), &fetch("https://sub.example.com/")), Ask);
}

/// Attack 7: "a repository's MCP server called `github`: no inherited settings".
#[test]
fn given_a_server_that_mayi_did_not_pass_then_it_has_no_settings_of_its_name() {
    let mut configured = policy(&[]);
    let settings = ServerSettings { approval: Some(Approval::NotRequired), ..ServerSettings::default() };
    configured.servers = BTreeMap::from([("s".into(), settings.clone()), ("github".into(), settings)]);
    assert_eq!(effect(&configured, &mcp("s", "t")), Allow);
    assert_eq!(effect(&configured, &mcp("github", "t")), Ask);
}
