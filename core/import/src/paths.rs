//! Paths and addresses as other tools write them.

use std::path::Path;

use super::SettingsFile;
use super::collector::SkipReason;
use mayi_policy::Effect;
use mayi_policy::pattern::escape_glob;

/// A gitignore-style path as path patterns, without a selector: `//` is absolute, `~/` the home folder, `/` the folder of the
/// settings, anything else the folder that is worked in. Where it is not certain which folder is meant, a denial is about each.
///
/// # Errors
/// Why there is no such pattern.
pub(super) fn convert_gitignore(
    text: &str,
    file: &SettingsFile,
    effect: Effect,
) -> Result<Vec<String>, SkipReason> {
    let text = text.trim();
    let allow = effect == Effect::Allow;
    if text.starts_with('!') {
        return Err("`!` takes something out, which only `unless` of a rule does here".to_owned());
    }
    if text.contains('\\') {
        return Err("what `\\` means in it is not certain".to_owned());
    }
    // Up from the folder that is worked in, a denial is the same; from another one it would not be.
    let climbs = text.split('/').any(|part| part == "..");
    let relative = !text.starts_with(['/', '~']);
    if (climbs && (allow || !relative)) || text.contains('\0') {
        return Err("`..` in a pattern has no counterpart".to_owned());
    }
    // Braces are plain characters there.
    let plain: String =
        text.chars().flat_map(|c| matches!(c, '{' | '}').then_some('\\').into_iter().chain([c])).collect();
    if let Some(rest) = plain.strip_prefix("//") {
        return Ok(vec![format!("/{}", rest.trim_start_matches('/'))]);
    }
    if plain == "~" || plain.starts_with("~/") {
        return Ok(vec![plain]);
    }
    if let Some(rest) = plain.strip_prefix('/') {
        let below =
            |top: &Path| format!("{}/{rest}", escape_glob(&top.display().to_string()).trim_end_matches('/'));
        return match (&file.project, file.path.parent()) {
            (Some(project), _) => Ok(vec![below(project)]),
            (None, _) if allow => Err(
                "it is relative to the folder of the settings, and these are your own: write the path from `//` or `~/`"
                    .to_owned(),
            ),
            (None, beside) => {
                let beside = beside.map(below);
                Ok([format!("./{rest}"), format!("/{rest}")].into_iter().chain(beside).collect())
            }
        };
    }
    if plain.starts_with("./") || climbs {
        return Ok(vec![plain]);
    }
    Ok(vec![match (plain.trim_end_matches('/').contains('/'), effect) {
        (true, _) => format!("./{plain}"),
        // At any depth: below the folder that is worked in, and for a denial everywhere.
        (false, Effect::Allow) if plain == "**" || plain == "*" => "./**".to_owned(),
        (false, Effect::Allow) => format!("./**/{plain}"),
        (false, _) if plain == "*" => "**".to_owned(),
        (false, _) => plain,
    }])
}

/// A pattern for just a host, or for those below one that is written with `*.`.
///
/// # Errors
/// If it is no host.
pub(super) fn exact_host_pattern(host: &str) -> Result<String, SkipReason> {
    let stem = host.strip_prefix("*.").unwrap_or(host);
    if stem.is_empty() || stem.contains(['*', '/', ':', '?']) {
        return Err(format!("`{host}` is not a host, nor one with `*.` before it"));
    }
    Ok(format!("fetch({host})"))
}

/// Patterns that cover a host, for what is denied or asked about: on every port.
///
/// # Errors
/// If it is no host.
pub(super) fn host_patterns(host: &str) -> Result<Vec<String>, SkipReason> {
    let host = host.trim();
    if matches!(host, "*" | "**") {
        return Ok(vec!["fetch(*)".to_owned()]);
    }
    // A name with `**.` is itself and all below.
    let (host, apex) = match host.strip_prefix("**.") {
        Some(host) => (host, true),
        None => (host, false),
    };
    let port = |port: &str| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit() || b == b'*');
    let host = match host.rsplit_once(':') {
        Some((name, number)) if port(number) && !name.contains(':') => name,
        _ => host,
    };
    let bare = if apex { host } else { host.trim_start_matches('.') };
    exact_host_pattern(bare).map(|pattern| vec![pattern])
}

/// Patterns for changes to what `path` matches. Other tools' edits are no removals: an allow is about
/// making and changing files.
pub(super) fn change_patterns(path: &str, effect: Effect) -> Vec<String> {
    match effect {
        Effect::Allow => vec![format!("create({path})"), format!("edit({path})")],
        _ => vec![format!("write({path})")],
    }
}

/// A pattern for the host that a regular expression over addresses begins with: `^https?://docs\.rs/`. To deny, the host has to
/// end there: else the expression is also about others that begin like that.
pub(super) fn host_of_regex(regex: &str, effect: Effect) -> Option<String> {
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
    let ends = effect == Effect::Allow || rest.starts_with(['/', '(']) || rest.starts_with("\\/");
    (ends && open.contains(&rest) && host.contains('.')).then(|| format!("fetch({host})"))
}
