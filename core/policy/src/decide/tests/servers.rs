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

/// D4.14: what is stricter counts for whoever uses the name. An app that says of its own server that it reads is asked about.
#[test]
fn given_a_server_of_somebody_elses_then_required_counts_and_nothing_that_allows() {
    let mut configured = policy(&[]);
    let tools =
        |tool: &str, approval| BTreeMap::from([(tool.to_owned(), ToolSettings { approval, category: None })]);
    configured.servers = BTreeMap::from([
        (
            "crm".into(),
            ServerSettings { tools: tools("find", Approval::Required), ..ServerSettings::default() },
        ),
        (
            "github".into(),
            ServerSettings {
                approval: Some(Approval::Required),
                tools: tools("free", Approval::NotRequired),
                ..ServerSettings::default()
            },
        ),
    ]);
    let reads = |server: &str, tool: &str| {
        let mut call = mcp(server, tool);
        if let Some(Access::Mcp(mcp)) = call.accesses.first_mut() {
            mcp.claims = Some(Category::Read);
        }
        call
    };
    assert_eq!(effect(&configured, &reads("crm", "find")), Ask);
    assert_eq!(effect(&configured, &reads("crm", "other")), Allow, "as it was claimed, and trusted");
    assert_eq!(effect(&configured, &reads("github", "any")), Ask);
    assert_eq!(effect(&configured, &mcp("github", "free")), Ask, "nothing loosens");
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
