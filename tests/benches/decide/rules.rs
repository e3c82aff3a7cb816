//! Rules as many as wanted: the first ten allow what the bench asks about, none of the others is about it.

use mayi_core::policy::pattern::PatternBases;
use mayi_core::policy::{Effect, Origin, Pattern, Policy, Rule};

use crate::common::{Machine, Outcome};

/// What one rule says, for mayi and for the yardstick.
pub(crate) struct Sample {
    pub(crate) effect: Effect,
    /// mayi's pattern.
    pub(crate) pattern: String,
    /// The selector, as an action.
    #[cfg_attr(not(feature = "yardstick"), expect(dead_code, reason = "only the yardstick has actions"))]
    pub(crate) action: &'static str,
    #[cfg_attr(not(feature = "yardstick"), expect(dead_code, reason = "only the yardstick has conditions"))]
    /// The same condition on attributes of the context, with Cedar's `like`.
    pub(crate) condition: String,
}

/// `count` rules. Of those that match nothing, a half is about commands: most of programs of their own, some of one
/// program that also a rule that matches is about. The others are about paths with a fixed or a free beginning, hosts
/// and tools.
pub(crate) fn samples(count: usize) -> Vec<Sample> {
    let ours = ["cargo test", "tail", "git status", "rg", "head", "make", "ls", "cargo build"].map(command);
    let ours = ours.into_iter().map(|(pattern, condition)| Sample {
        effect: Effect::Allow,
        pattern,
        action: "shell",
        condition,
    });
    let paths = [("src", "write"), ("docs", "write")].map(|(folder, action)| Sample {
        effect: Effect::Allow,
        pattern: format!("{action}({folder}/**)"),
        action,
        condition: format!("context.path like \"/w/{folder}/*\""),
    });
    ours.chain(paths).chain((10..count).map(other)).take(count).collect()
}

fn command(words: &str) -> (String, String) {
    let condition = format!("(context.command == \"{words}\" || context.command like \"{words} *\")");
    (format!("shell({words} *)"), condition)
}

fn other(number: usize) -> Sample {
    let (effect, action, (pattern, condition)) = match number % 20 {
        0..6 => (Effect::Allow, "shell", command(&format!("tool{number} check"))),
        6 | 7 => (Effect::Ask, "shell", command(&format!("tool{number} publish"))),
        8 => (Effect::Deny, "shell", command(&format!("tool{number}"))),
        9 => (Effect::Ask, "shell", command(&format!("git sub{number}"))),
        10..13 => (
            Effect::Allow,
            "write",
            (
                format!("write(packages/p{number}/**)"),
                format!("context.path like \"/w/packages/p{number}/*\""),
            ),
        ),
        13 => (
            Effect::Allow,
            "read",
            (format!("read(/srv/data{number}/**)"), format!("context.path like \"/srv/data{number}/*\"")),
        ),
        // Not about reading: the search of the line below could come upon such a file, so it would be denied.
        14 => (
            Effect::Deny,
            "write",
            (
                format!("write(**/secret{number}/*.key)"),
                format!("context.path like \"*/secret{number}/*.key\""),
            ),
        ),
        15 => (
            Effect::Ask,
            "write",
            (format!("write(*.lock{number})"), format!("context.path like \"*.lock{number}\"")),
        ),
        16 | 17 => (
            Effect::Allow,
            "fetch",
            (
                format!("fetch(host{number}.example.org)"),
                format!("context.host == \"host{number}.example.org\""),
            ),
        ),
        18 => (
            Effect::Ask,
            "mcp",
            (
                format!("mcp(server{number}/write_*)"),
                format!("context.server == \"server{number}\" && context.tool like \"write_*\""),
            ),
        ),
        _ => (
            Effect::Allow,
            "mcp",
            (
                format!("mcp(server{number}/list_*)"),
                format!("context.server == \"server{number}\" && context.tool like \"list_*\""),
            ),
        ),
    };
    Sample { effect, pattern, action, condition }
}

/// A policy with these rules and three regular expressions, with built-in protection, in mode `default`.
pub(crate) fn policy(machine: &Machine, count: usize) -> Outcome<Policy> {
    let places = PatternBases { roots: vec![machine.work.clone()], ..PatternBases::default() };
    let parsed = |effect: Effect, pattern: &str| {
        Pattern::parse(pattern, &places).map(|pattern| Rule {
            effect,
            pattern,
            unless: None,
            reason: None,
            agents: Vec::new(),
            holds: true,
            named: false,
            origin: Origin { file: None, line: None, layer: "user" },
        })
    };
    let mut rules = Vec::with_capacity(count + 3);
    for sample in samples(count) {
        rules.push(parsed(sample.effect, &sample.pattern)?);
    }
    for pattern in [r"shell(/curl .*\| *(ba)?sh/)", r"shell(/--no-verify\b/)", r"shell(/\bsecret-[a-z]+\b/)"]
    {
        rules.push(parsed(Effect::Deny, pattern)?);
    }
    let mut policy = machine.policy(30)?;
    policy.rules = rules.into();
    Ok(policy.with_indexes())
}
