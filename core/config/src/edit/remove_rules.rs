//! Rules of the user's file by name, so that an answer which was remembered for good can be taken back.

use std::path::Path;

use toml_edit::{Item, TableLike, Value};

use super::{EditError, change_file};
use mayi_call::{AgentId, digest_of};
use mayi_policy::Rule;
use mayi_policy::aliases::same_agent;
use mayi_policy::pattern::PatternBases;

/// A name for what `rule` says: rules that say the same have the same one.
#[must_use]
pub fn rule_id(rule: &Rule) -> String {
    let unless = rule.unless.as_ref().map(ToString::to_string);
    let said = serde_json::json!([rule.effect, rule.pattern.to_string(), unless, rule.agents]);
    let digest = digest_of(&said);
    format!("rule-{}", digest.short())
}

/// Takes out of the file at `path` what says the same as `rule`: an entry of its own, or one of the short lists. Comments
/// above an entry go with it. Returns whether there was any.
///
/// # Errors
/// If the file has mistakes, is not safe or can't be written.
pub fn remove_rule(path: &Path, places: &PatternBases, rule: &Rule) -> Result<bool, EditError> {
    change_file(path, places, |document| {
        let mut found = false;
        if let Some(rules) = document.get_mut("rule") {
            match rules {
                Item::ArrayOfTables(tables) => {
                    let before = tables.len();
                    tables.retain(|table| !table_matches_rule(table, rule));
                    found |= tables.len() < before;
                }
                Item::Value(Value::Array(array)) => {
                    let before = array.len();
                    array.retain(|entry| {
                        !entry.as_inline_table().is_some_and(|table| table_matches_rule(table, rule))
                    });
                    found |= array.len() < before;
                }
                _ => return Err("`rule` is not a list of tables"),
            }
        }
        // The short form says nothing but the pattern.
        if rule.agents.is_empty() && rule.unless.is_none() {
            let lists = document.get_mut("rules").and_then(Item::as_table_like_mut);
            let list = lists.and_then(|lists| lists.get_mut(rule.effect.as_str()));
            if let Some(list) = list.and_then(Item::as_array_mut) {
                let before = list.len();
                let pattern = rule.pattern.to_string();
                list.retain(|text| text.as_str() != Some(&pattern));
                found |= list.len() < before;
            }
        }
        Ok(found)
    })
}

fn table_matches_rule(table: &dyn TableLike, rule: &Rule) -> bool {
    let text = |key: &str| table.get(key).and_then(Item::as_str);
    let agents: Vec<&str> = table
        .get("agents")
        .and_then(Item::as_array)
        .map(|agents| agents.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let unless = rule.unless.as_ref().map(ToString::to_string);
    text("effect") == Some(rule.effect.as_str())
        && text("pattern") == Some(rule.pattern.as_str())
        && text("unless") == unless.as_deref()
        && same_agents(&agents, &rule.agents)
        // Limits of arguments are not part of the pattern: such a rule is changed by hand.
        && !["args", "paths"].iter().any(|key| table.contains_key(key))
}

/// Whether both are about the same agents: a file may call them by other names than their ids.
fn same_agents(names: &[&str], ids: &[String]) -> bool {
    let mut both = names.iter().zip(ids);
    names.len() == ids.len() && both.all(|(name, id)| same_agent(name, &AgentId::from_name(id)))
}
