//! Cards as clients get them.

use mayi_core::approval::{Card, CardAccess, choice};

use crate::api::TabCard;

/// A card of a tab.
pub(crate) fn of_tab(card: Card, tab: &str) -> TabCard {
    let alike = alike(&card).map(|key| format!("{tab} {key}"));
    TabCard { tab_id: Some(tab.to_owned()), alike, card }
}

/// A card of another process: it is answered by itself.
pub(crate) fn of_another(card: Card) -> TabCard {
    TabCard { tab_id: None, alike: None, card }
}

/// What several cards have in common that may be answered together. Decisions, section 6: never one with an `always`
/// ask, and never a switch of modes.
fn alike(card: &Card) -> Option<String> {
    let by_itself = card.why.iter().any(|finding| finding.always)
        || card.accesses.iter().any(|access| access.access == "mode")
        || !card.options.iter().any(|option| option.option_id == choice::ALLOW_ONCE);
    if by_itself {
        return None;
    }
    let mut kinds: Vec<String> = card.accesses.iter().map(kind).collect();
    kinds.sort();
    kinds.dedup();
    let server = card.server.as_ref().map(|server| format!(" {}/{}", server.name, server.tool));
    Some(format!("{} {}{}", card.agent_name, kinds.join(" "), server.unwrap_or_default()))
}

/// The kind of an access: of a command its program, of an address its host, else the word.
fn kind(access: &CardAccess) -> String {
    let of = match access.access.as_str() {
        "shell" => access.display.split_whitespace().next().map(str::to_owned),
        "fetch" => url::Url::parse(&access.display).ok().and_then(|url| url.host_str().map(str::to_owned)),
        _ => None,
    };
    of.map_or_else(|| access.access.clone(), |of| format!("{}:{of}", access.access))
}
