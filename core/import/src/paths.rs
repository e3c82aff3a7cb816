//! Paths and addresses as other tools write them.

use std::path::Path;

use super::SkipReason;
use mayi_policy::Effect;
use mayi_policy::pattern::escape_glob;

/// A gitignore-style path as a path pattern, without a selector: `//` is absolute, `~/` the home folder,
/// `/` the folder of the settings (`top`), anything else the folder that is worked in.
///
/// # Errors
/// Why there is no such pattern.
pub(super) fn convert_gitignore(
    text: &str,
    top: Option<&Path>,
    effect: Effect,
) -> Result<String, SkipReason> {
    let text = text.trim();
    if text.starts_with('!') {
        return Err("`!` takes something out, which only `unless` of a rule does here".to_owned());
    }
    if text.contains('\\') {
        return Err("what `\\` means in it is not certain".to_owned());
    }
    if text.contains("..") || text.contains('\0') {
        return Err("`..` in a pattern has no counterpart".to_owned());
    }
    // Braces are plain characters there.
    let plain: String =
        text.chars().flat_map(|c| matches!(c, '{' | '}').then_some('\\').into_iter().chain([c])).collect();
    if let Some(rest) = plain.strip_prefix("//") {
        return Ok(format!("/{}", rest.trim_start_matches('/')));
    }
    if plain == "~" || plain.starts_with("~/") {
        return Ok(plain);
    }
    if let Some(rest) = plain.strip_prefix('/') {
        let top = top.ok_or(
            "it is relative to the folder of the settings, and these are your own: write the path from `//` or `~/`",
        )?;
        return Ok(format!("{}/{rest}", escape_glob(&top.display().to_string()).trim_end_matches('/')));
    }
    if let Some(rest) = plain.strip_prefix("./") {
        return Ok(format!("./{rest}"));
    }
    Ok(match (plain.trim_end_matches('/').contains('/'), effect) {
        (true, _) => format!("./{plain}"),
        // At any depth: below the folder that is worked in, and for a denial everywhere.
        (false, Effect::Allow) if plain == "**" || plain == "*" => "./**".to_owned(),
        (false, Effect::Allow) => format!("./**/{plain}"),
        (false, _) if plain == "*" => "**".to_owned(),
        (false, _) => plain,
    })
}

/// Patterns for changes to what `path` matches. Other tools' edits are no removals: an allow is about
/// making and changing files.
pub(super) fn change_patterns(path: &str, effect: Effect) -> Vec<String> {
    match effect {
        Effect::Allow => vec![format!("create({path})"), format!("edit({path})")],
        _ => vec![format!("write({path})")],
    }
}

/// A pattern for the host that a regular expression over addresses begins with: `^https?://docs\.rs/`.
pub(super) fn host_of_regex(regex: &str) -> Option<String> {
    let rest = regex.strip_prefix('^')?;
    let rest = ["https?://", "https://", "https?:\\/\\/", "https:\\/\\/", "https?:\\/\\/(?:www\\.)?"]
        .iter()
        .find_map(|start| rest.strip_prefix(start))?;
    let mut host = String::new();
    let mut chars = rest.chars();
    let rest = loop {
        let here = chars.as_str();
        match chars.next() {
            Some('\\') => match chars.next() {
                Some(c @ ('.' | '-')) => host.push(c),
                _ => break here,
            },
            Some(c) if c.is_ascii_alphanumeric() || c == '-' => host.push(c),
            _ => break here,
        }
    };
    // What follows has to leave the path open: only then the whole host is meant.
    let open = [
        "",
        "/",
        "/.*",
        "/.*$",
        "\\/",
        "\\/.*",
        "\\/.*$",
        "\\b",
        "\\b.*",
        "(/|$)",
        "(?:/|$)",
        "(\\/|$)",
        "(?:\\/|$)",
    ];
    (open.contains(&rest) && host.contains('.')).then(|| format!("fetch({host})"))
}
