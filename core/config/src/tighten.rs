//! What a layer may not say: a file in a repository and the environment only tighten, and nobody
//! loosens what a managed file locks (D5.3).

use std::path::PathBuf;

use super::Layer;
use super::scalars::{LayerMerge, Reach, ScalarEntry, ScalarValue, Scalars, TABLE, WithOrigin, keys};
use mayi_policy::Mode;

/// Something that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IgnoredSetting {
    /// As it is written, and of what.
    pub(super) what: String,
    /// The managed file that locks it; none: the layer only tightens.
    pub(super) locked_by: Option<PathBuf>,
}

/// Takes out of `scalars` what `layer` may not say over what is there already; `tightens` if it may
/// not loosen anything at all.
pub(super) fn remove_disallowed(
    merge: &LayerMerge,
    layer: Layer,
    tightens: bool,
    scalars: &mut Scalars,
) -> Vec<IgnoredSetting> {
    let mut ignored = Vec::new();
    if layer <= Layer::Managed {
        return ignored;
    }
    restrict_modes(merge, tightens, scalars, &mut ignored);
    for entry in entries_in_order(scalars) {
        if let Some(of) = find_refusal(merge, tightens, &entry) {
            ignored.push(of);
            scalars.remove(&entry);
        }
    }
    ignored
}

/// What can be locked, then the rest, by section, name and the table's order.
fn entries_in_order(scalars: &Scalars) -> Vec<ScalarEntry> {
    let mut entries: Vec<ScalarEntry> = scalars.entries().cloned().collect();
    let section = |path: &'static str| path.split('.').next();
    entries.sort_by_cached_key(|entry| {
        let first = TABLE.iter().position(|row| section(row.path) == section(entry.row.path));
        let row = TABLE.iter().position(|row| row.path == entry.row.path);
        (!entry.row.lockable, first, entry.names.clone(), row)
    });
    entries
}

/// Why `entry` does not count, if it does not.
fn find_refusal(merge: &LayerMerge, tightens: bool, entry: &ScalarEntry) -> Option<IgnoredSetting> {
    let ScalarEntry { row, value, .. } = entry;
    let names: Vec<&str> = entry.names.iter().map(String::as_str).collect();
    let is_looser_than = |there: &Scalars| {
        let before = there.effective_value(row, &names).and_then(|value| value.strictness());
        // What can't be compared may be looser.
        value.strictness().zip(before).is_none_or(|(is, was)| is < was)
    };
    let refused = |locked_by| Some(IgnoredSetting { what: describe_entry(entry), locked_by });
    let too_loose = match row.reach {
        Reach::Mode => return None,
        Reach::Stricter => is_looser_than(&merge.current),
        Reach::Users | Reach::Refused | Reach::NoEffect => true,
    };
    if let Some(by) = merge.locks.find_lock(row, names.first().copied())
        && is_looser_than(&merge.managed)
    {
        return refused(Some(by.to_owned()));
    }
    if tightens && too_loose { refused(None) } else { None }
}

/// As it is written, and of what.
fn describe_entry(entry: &ScalarEntry) -> String {
    let names: Vec<&str> = entry.names.iter().map(String::as_str).collect();
    let (_, key) = entry.row.split_path();
    let value = match &entry.value {
        ScalarValue::Flag(_) => entry.value.as_str().to_owned(),
        _ => format!("\"{}\"", entry.value.as_str()),
    };
    match (entry.row.path, names.as_slice(), &entry.value) {
        ("matrix.*.*", [mode, category], _) => format!("`{category} = {value}` of the matrix for {mode}"),
        ("tools.*", [tool], _) => format!("the category of the tool {tool}"),
        ("agents.*.tools.*", [agent, tool], _) => format!("the category of the tool {tool} of {agent}"),
        ("servers.*.tools.*.approval", [server, tool], _) => format!("`{tool} = {value}` of {server}"),
        ("servers.*.tools.*.category", [server, tool], _) => format!("the category of {server}/{tool}"),
        // What a text says is not told: a repository may have written it.
        (_, names, ScalarValue::Text(_)) => format!("`{key}`{}", of_names(names)),
        (_, names, _) => format!("`{key} = {value}`{}", of_names(names)),
    }
}

fn of_names(names: &[&str]) -> String {
    if names.is_empty() { String::new() } else { format!(" of {}", names.join("/")) }
}

/// Modes of all agents and of single ones. The nearest layer counts, so a mode for all also takes
/// the place of the modes that layers below gave to single agents.
fn restrict_modes(
    merge: &LayerMerge,
    tightens: bool,
    scalars: &mut Scalars,
    ignored: &mut Vec<IgnoredSetting>,
) {
    let lock = merge.locks.mode_lock();
    // The least strict mode that this layer may give to an agent, or to all.
    let floor = |agent: Option<&str>| {
        let locked = lock.map(|by| (merge.managed.mode_of(agent), Some(by.to_owned())));
        let here = tightens.then(|| (merge.current.mode_of(agent), None));
        locked.into_iter().chain(here).max_by_key(|(mode, _)| *mode).unwrap_or((Mode::Auto, None))
    };
    if let Some(mode) = scalars.find(keys::MODE, &[]) {
        for name in merge.current.names_in(&["agents"]) {
            let has_own = merge.current.get(keys::AGENT_MODE, &[name]).is_some();
            if has_own && scalars.get(keys::AGENT_MODE, &[name]).is_none() {
                let nearest = mode.value.max(floor(Some(name)).0);
                let nearest = WithOrigin::new(nearest, mode.origin.clone());
                scalars.set(keys::AGENT_MODE, &[name], Some(nearest));
            }
        }
    }
    // The mode of all is the first: those of agents may be left with it.
    for entry in entries_in_order(scalars) {
        let (Reach::Mode, ScalarValue::Mode(mode)) = (entry.row.reach, &entry.value) else { continue };
        let agent = entry.names.first().map(String::as_str);
        let (mut least, locked_by) = floor(agent);
        // Without a mode of its own so far, an agent has the one of all, which may just have changed.
        if tightens
            && let Some(agent) = agent
            && merge.current.get(keys::AGENT_MODE, &[agent]).is_none()
        {
            least = least.max(scalars.get(keys::MODE, &[]).unwrap_or(least));
        }
        if *mode < least {
            ignored.push(IgnoredSetting { what: describe_entry(&entry), locked_by });
            scalars.remove(&entry);
        }
    }
}
