//! Cards as clients get them.

use mayi_core::approval::{Card, alike, places};

use crate::api::TabCard;

/// A card of a tab.
pub(crate) fn of_tab(card: Card, tab: &str) -> TabCard {
    let alike = alike(&card).map(|key| format!("{tab} {key}"));
    TabCard { tab_id: Some(tab.to_owned()), alike, lines: places(&card), card }
}

/// A card of another process: it is answered by itself.
pub(crate) fn of_another(card: Card) -> TabCard {
    TabCard { tab_id: None, alike: None, lines: places(&card), card }
}
