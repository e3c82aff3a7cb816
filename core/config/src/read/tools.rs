//! `[tools]` and `[agents.NAME.tools]`: what the user says that agents' own tools are.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::DeValue;

use super::section::{Section, find_word};
use crate::scalars::{CATEGORIES, WithOrigin};
use mayi_call::{Category, Names};

/// `web_search = "read"`, for each tool.
pub(super) fn read(section: &mut Section<'_, '_>) -> BTreeMap<String, WithOrigin<Category>> {
    let mut tools = BTreeMap::new();
    for (name, value) in section.take_entries("tools") {
        let reader = section.reader();
        if !Names::is_plain(name.get_ref()) {
            let help = "use letters, digits, `.`, `_` and `-`, at most 128 of them: a tool of an MCP server is set under `[servers.NAME.tools]`";
            let message = format!("`{}` can't be the name of a tool", name.get_ref());
            reader.add_mistake(name.span(), message, Some(help.to_owned()));
            continue;
        }
        let DeValue::String(text) = value.get_ref() else {
            let help = "write what it does: \"read\", \"write\", \"execute\" or \"external\"".to_owned();
            reader.add_mistake(value.span(), format!("`{}` is a word", name.get_ref()), Some(help));
            continue;
        };
        let text = Spanned::new(value.span(), text.clone().into_owned());
        if let Some(category) = find_word(reader, name.get_ref(), &text, CATEGORIES) {
            let origin = reader.span_origin(&category.span());
            tools.insert(name.into_inner(), WithOrigin::new(category.into_inner(), origin));
        }
    }
    tools
}
