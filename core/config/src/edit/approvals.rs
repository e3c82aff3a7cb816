//! Which tools of an MCP server ask, what they do, and what is granted to the server.

use std::path::Path;

use toml_edit::{InlineTable, Item, RawString, Table, TableLike, Value};

use super::{EditError, change_file, set_value};
use crate::scalars::approval_word;
use mayi_call::Category;
use mayi_policy::pattern::PatternBases;
use mayi_policy::{Approval, Level};

/// Sets `approval` of `server` in the file at `path`; `None` and [`Approval::Default`] take it out, so that the matrix
/// counts. Returns whether that changed anything.
///
/// # Errors
/// If the file has mistakes, is not safe or can't be written.
pub fn set_server_approval(
    path: &Path,
    places: &PatternBases,
    server: &str,
    approval: Option<Approval>,
) -> Result<bool, EditError> {
    let approval = approval.filter(|approval| *approval != Approval::Default);
    change_file(path, places, |document| {
        let Some(approval) = approval else {
            let servers = document.get_mut("servers").and_then(Item::as_table_like_mut);
            let settings = servers.and_then(|servers| servers.get_mut(server));
            return Ok(settings.is_some_and(|settings| take_out(settings, "approval")));
        };
        let servers = ensure_table(document.as_table_mut(), "servers", true)?;
        put_word(ensure_table(servers, server, false)?, "approval", approval_word(approval))
    })
}

/// Sets `approval` of the tool `tool` of `server` in the file at `path`, in the form that its entry has, also to what it
/// would be without: what another file says of the tool may be something else. Returns whether that changed anything.
///
/// # Errors
/// If the file has mistakes, is not safe or can't be written.
pub fn set_tool_approval(
    path: &Path,
    places: &PatternBases,
    server: &str,
    tool: &str,
    approval: Approval,
) -> Result<bool, EditError> {
    change_file(path, places, |document| {
        let servers = ensure_table(document.as_table_mut(), "servers", true)?;
        let tools = ensure_table(ensure_table(servers, server, false)?, "tools", false)?;
        put_of_tool(tools, tool, "approval", approval_word(approval))
    })
}

/// Sets what the tool `tool` of `server` does, as the user knows it, in the form that its entry has; `None` takes it out. Returns
/// whether that changed anything.
///
/// # Errors
/// If the file has mistakes, is not safe or can't be written.
pub fn set_tool_category(
    path: &Path,
    places: &PatternBases,
    server: &str,
    tool: &str,
    category: Option<Category>,
) -> Result<bool, EditError> {
    change_file(path, places, |document| {
        let Some(category) = category else {
            let servers = document.get_mut("servers").and_then(Item::as_table_like_mut);
            let settings = servers.and_then(|servers| servers.get_mut(server)?.as_table_like_mut());
            let tools = settings.and_then(|settings| settings.get_mut("tools"));
            return Ok(tools.is_some_and(|tools| take_out_category(tools, tool)));
        };
        let servers = ensure_table(document.as_table_mut(), "servers", true)?;
        let tools = ensure_table(ensure_table(servers, server, false)?, "tools", false)?;
        put_of_tool(tools, tool, "category", category.as_str())
    })
}

/// Sets the level that is granted to `server`. Returns whether that changed anything.
///
/// # Errors
/// If the file has mistakes, is not safe or can't be written.
pub fn set_server_level(
    path: &Path,
    places: &PatternBases,
    server: &str,
    level: Level,
) -> Result<bool, EditError> {
    change_file(path, places, |document| {
        let servers = ensure_table(document.as_table_mut(), "servers", true)?;
        put_word(ensure_table(servers, server, false)?, "grant", level.as_str())
    })
}

/// Sets whether what `server` says of its tools may loosen a decision. Returns whether that changed anything.
///
/// # Errors
/// If the file has mistakes, is not safe or can't be written.
pub fn set_trust_annotations(
    path: &Path,
    places: &PatternBases,
    server: &str,
    on: bool,
) -> Result<bool, EditError> {
    change_file(path, places, |document| {
        let servers = ensure_table(document.as_table_mut(), "servers", true)?;
        let settings = ensure_table(servers, server, false)?;
        if settings.get("trust_annotations").and_then(Item::as_bool) == Some(on) {
            return Ok(false);
        }
        set_value(settings, "trust_annotations", Value::from(on));
        Ok(true)
    })
}

/// Puts a word into the entry of a tool: a table, or one word, which becomes a table where it says the other thing.
fn put_of_tool(
    tools: &mut dyn TableLike,
    tool: &str,
    key: &'static str,
    word: &str,
) -> Result<bool, &'static str> {
    if let Some(entry) = tools.get_mut(tool).and_then(Item::as_table_like_mut) {
        return put_word(entry, key, word);
    }
    let said = tools.get(tool).and_then(Item::as_str).map(str::to_owned);
    let other = if key == "category" { "approval" } else { "category" };
    match said {
        Some(said) if CATEGORIES.contains(&said.as_str()) != (key == "category") => {
            let both = InlineTable::from_iter([(other, said.as_str()), (key, word)]);
            set_value(tools, tool, Value::InlineTable(both));
            Ok(true)
        }
        _ => put_word(tools, tool, word),
    }
}

/// The words for what a tool does.
const CATEGORIES: &[&str] = &["read", "write", "execute", "external"];

/// Takes what a tool does out of its entry, and the entry with it where it says nothing else.
fn take_out_category(tools: &mut Item, tool: &str) -> bool {
    let Some(entry) = tools.as_table_like_mut().and_then(|tools| tools.get_mut(tool)) else { return false };
    let gone = match entry.as_str() {
        Some(word) => CATEGORIES.contains(&word),
        None => take_out(entry, "category"),
    };
    let empty = entry.as_table_like().is_none_or(TableLike::is_empty);
    if gone && empty { take_out(tools, tool) } else { gone }
}

fn put_word(table: &mut dyn TableLike, key: &str, word: &str) -> Result<bool, &'static str> {
    match table.get(key) {
        Some(old) if old.as_str() == Some(word) => return Ok(false),
        Some(old) if !old.is_value() => return Err("what the setting says is not a value"),
        _ => {}
    }
    set_value(table, key, Value::from(word));
    Ok(true)
}

/// The table called `key`, made if need be as the one around it is written; `only_around` if it holds nothing but
/// other tables.
fn ensure_table<'t>(
    table: &'t mut dyn TableLike,
    key: &str,
    only_around: bool,
) -> Result<&'t mut dyn TableLike, &'static str> {
    if !table.contains_key(key) {
        let mut new = Table::new();
        new.set_implicit(only_around);
        new.set_dotted(table.is_dotted());
        // In a table that stands on one line, it becomes one too.
        table.insert(key, Item::Table(new));
    }
    let item = table.get_mut(key).and_then(Item::as_table_like_mut);
    item.ok_or("the settings of servers are not tables")
}

/// Takes `key` out of a table; what was said above it in comments stays. Returns whether it was there.
fn take_out(settings: &mut Item, key: &str) -> bool {
    let Some(table) = settings.as_table_mut() else {
        return settings.as_table_like_mut().is_some_and(|table| table.remove(key).is_some());
    };
    let keys: Vec<String> =
        table.iter().filter(|(_, item)| item.is_value()).map(|(key, _)| key.to_owned()).collect();
    let Some((old, _)) = table.remove_entry(key) else { return false };
    let text = |raw: Option<&RawString>| raw.and_then(|raw| raw.as_str()).unwrap_or_default().to_owned();
    // Whole lines: what stands before the key on its own line goes with it.
    let mut above = text(old.leaf_decor().prefix());
    above.truncate(above.rfind('\n').map_or(0, |end| end + 1));
    if !above.contains('#') {
        return true;
    }
    let at = keys.iter().position(|other| other == key).unwrap_or_default();
    let (next, last) = (keys.get(at + 1), at.checked_sub(1).and_then(|at| keys.get(at)));
    if let Some(mut next) = next.and_then(|next| table.key_mut(next)) {
        let prefix = above + &text(next.leaf_decor().prefix());
        next.leaf_decor_mut().set_prefix(prefix);
        return true;
    }
    // Behind what stands before it: the line above, or the table's own.
    let value = last.and_then(|last| table.get_mut(last)).and_then(Item::as_value_mut);
    let after = |suffix: String| format!("{suffix}\n{}", above.trim_end_matches(['\n', '\r']));
    match value {
        Some(value) => {
            let suffix = after(text(value.decor().suffix()));
            value.decor_mut().set_suffix(suffix);
        }
        None => {
            let suffix = after(text(table.decor().suffix()));
            table.decor_mut().set_suffix(suffix);
        }
    }
    true
}
