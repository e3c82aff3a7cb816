//! Examples of a rule, `match` and `not_match`: checked whenever the file is read.

use std::path::{Path, PathBuf};

use serde_json::Value;
use toml::Spanned;

use super::ConfigReader;
use mayi_call::shell::{self, Surroundings};
use mayi_call::{Access, Category, McpAccess, PathAccess, Selector, UrlAccess};
use mayi_policy::{Effect, Rule};

/// Where relative paths of examples are: no such folder exists, and none is looked for.
const ROOT: &str = "/workspace";

/// Notes every example that `rule` matches although it should not, or the other way round.
pub(super) fn check_examples(
    reader: &ConfigReader<'_>,
    rule: &Rule,
    examples: &[Spanned<String>],
    expected: bool,
) {
    for example in examples {
        let text = example.get_ref();
        let accesses = match example_accesses(reader, rule, text) {
            Ok(accesses) => accesses,
            Err((message, help)) => {
                reader.add_mistake(example.span(), message, Some(help));
                continue;
            }
        };
        let roots = [PathBuf::from(ROOT)];
        let matches = |access: &Access| rule.matches(access, &roots);
        // As a line is judged: all of it has to be allowed, and one part is enough to deny it.
        let matched = match rule.effect {
            Effect::Allow => accesses.iter().all(matches),
            Effect::Ask | Effect::Deny => accesses.iter().any(matches),
        };
        if matched == expected {
            continue;
        }
        let pattern = &rule.pattern;
        let (message, help) = if expected {
            (format!("`{pattern}` does not match this example"), why_not(rule, &accesses, &roots))
        } else {
            (
                format!("`{pattern}` matches this example, which it should not"),
                "make the pattern narrower, except it with `unless`, or move the example to `match`"
                    .to_owned(),
            )
        };
        reader.add_mistake(example.span(), message, Some(help));
    }
}

fn why_not(rule: &Rule, accesses: &[Access], roots: &[PathBuf]) -> String {
    let Some(access) = accesses.iter().find(|access| !rule.matches(access, roots)).or(accesses.first())
    else {
        return "change the pattern or the example".to_owned();
    };
    let excepted = rule.unless.as_ref().filter(|_| rule.pattern.could_match(access, roots));
    if let Some(unless) = excepted {
        return format!("`unless = \"{unless}\"` takes it out; change one of them");
    }
    match access {
        Access::Shell(shell) if !shell.understood => {
            "the line is not understood, and an allow never matches that".to_owned()
        }
        Access::Shell(_) => {
            "words are compared one by one; a last word `*` stands for any more words".to_owned()
        }
        Access::Read(_) | Access::Write(..) => {
            "`*` stays within one folder, `**` goes deeper; a path with `/` starts at the workspace"
                .to_owned()
        }
        _ => "change the pattern or the example".to_owned(),
    }
}

type ExampleError = (String, String);

/// The access that an example means: what the rule's own selector is about.
fn example_accesses(reader: &ConfigReader<'_>, rule: &Rule, text: &str) -> Result<Vec<Access>, ExampleError> {
    let pattern = rule.pattern.as_str();
    match pattern.split_once('(') {
        Some((selector, _)) => build_accesses(reader, selector.trim(), text),
        // `*` is about everything, so its examples say what they are.
        None => {
            match text.split_once('(').and_then(|(selector, rest)| Some((selector, rest.strip_suffix(')')?)))
            {
                Some((selector, object)) => build_accesses(reader, selector.trim(), object),
                None => Err((
                    format!("`{text}` does not say what kind of call it is"),
                    "for `*`, write examples as selector(object), such as `shell(ls)`".to_owned(),
                )),
            }
        }
    }
}

fn build_accesses(
    reader: &ConfigReader<'_>,
    selector: &str,
    text: &str,
) -> Result<Vec<Access>, ExampleError> {
    let path = || example_path(reader, text);
    let selector: Selector = selector.parse().map_err(|_| {
        let help = "write it as in a pattern, such as `shell(ls)`".to_owned();
        (format!("no selector is called `{selector}`"), help)
    })?;
    Ok(vec![match selector {
        Selector::Read => Access::Read(path()),
        Selector::Write(kind) => Access::Write(kind, path()),
        Selector::Shell => {
            let roots = [PathBuf::from(ROOT)];
            let at = Surroundings {
                home: reader.places.home.as_deref(),
                ..Surroundings::new(Path::new(ROOT), &roots)
            };
            return Ok(shell::line_accesses(text, &at));
        }
        Selector::Fetch => Access::Fetch(example_url(text)?),
        Selector::Mcp => Access::Mcp(example_mcp_access(text)?),
        Selector::Tool => Access::Tool { name: text.to_owned(), category: Category::Execute },
        Selector::Mode => Access::Mode { id: text.to_owned() },
    }])
}

/// By text alone: an example does not depend on what is on this machine's disk.
fn example_path(reader: &ConfigReader<'_>, text: &str) -> PathAccess {
    let home = reader.places.home.as_deref().unwrap_or(Path::new("/home"));
    let whole = match text.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None => Path::new(ROOT).join(text.strip_prefix("./").unwrap_or(text)),
    };
    PathAccess { given: text.to_owned(), ..PathAccess::without_lookup(&whole, "") }
}

fn example_url(text: &str) -> Result<UrlAccess, ExampleError> {
    let whole = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    UrlAccess::parse(&whole).map_err(|error| {
        (format!("`{text}` is not an address: {error}"), "write it as `https://docs.rs/serde`".to_owned())
    })
}

fn example_mcp_access(text: &str) -> Result<McpAccess, ExampleError> {
    let (name, arguments) = match text.find([' ', '{']) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let help =
        "write `server/tool`, with arguments as JSON after it: `github/list_issues {\"repo\": \"me/x\"}`";
    let (server, tool) = name
        .split_once('/')
        .ok_or_else(|| (format!("`{text}` names no tool of a server"), help.to_owned()))?;
    let arguments = match arguments.trim() {
        "" => Value::Object(serde_json::Map::new()),
        json => serde_json::from_str(json)
            .map_err(|error| (format!("the arguments are not JSON: {error}"), help.to_owned()))?,
    };
    Ok(McpAccess::new(vec![(server.to_owned(), tool.to_owned())], arguments, Path::new(ROOT)))
}
