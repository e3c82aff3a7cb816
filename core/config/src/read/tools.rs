//! `[tools]` and `[agents.NAME.tools]`: what the user says that agents' own tools are.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::DeValue;

use super::file::CATEGORIES;
use super::section::{Section, word};
use crate::scalars::At;
use mayi_call::{Category, Names};

/// `web_search = "read"`, for each tool.
pub(super) fn read(section: &mut Section<'_, '_>) -> BTreeMap<String, At<Category>> {
    let mut tools = BTreeMap::new();
    for (name, value) in section.named("tools") {
        let reader = section.reader();
        if !Names::plain(name.get_ref()) {
            let help = "use letters, digits, `.`, `_` and `-`, at most 128 of them: a tool of an MCP server is set under `[servers.NAME.tools]`";
            let message = format!("`{}` can't be the name of a tool", name.get_ref());
            reader.mistake(name.span(), message, Some(help.to_owned()));
            continue;
        }
        let DeValue::String(text) = value.get_ref() else {
            let help = "write what it does: \"read\", \"write\", \"execute\" or \"external\"".to_owned();
            reader.mistake(value.span(), format!("`{}` is a word", name.get_ref()), Some(help));
            continue;
        };
        let text = Spanned::new(value.span(), text.clone().into_owned());
        if let Some(category) = word(reader, name.get_ref(), &text, CATEGORIES) {
            let origin = reader.origin(&category.span());
            tools.insert(name.into_inner(), At::new(category.into_inner(), origin));
        }
    }
    tools
}
