//! Cards as clients get them.

use mayi_core::approval::{Card, change_lines, likeness_key};

use crate::api::TabCard;

/// A card of a tab.
pub(crate) fn of_tab(card: Card, tab: &str) -> TabCard {
    let alike = likeness_key(&card).map(|key| format!("{tab} {key}"));
    TabCard { tab_id: Some(tab.to_owned()), alike, lines: change_lines(&card), card }
}

/// A card of another process: it is answered by itself.
pub(crate) fn of_another(card: Card) -> TabCard {
    TabCard { tab_id: None, alike: None, lines: change_lines(&card), card }
}
