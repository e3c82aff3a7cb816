//! Cards as clients get them.

use mayi_core::approval::{Card, change_lines, likeness_key};

use crate::api::{HostCall, TabCard};

/// A card of a tab.
pub(crate) fn of_tab(card: Card, tab: &str) -> TabCard {
    let alike = likeness_key(&card).map(|key| format!("{tab} {key}"));
    TabCard { tab_id: Some(tab.to_owned()), host: None, alike, lines: change_lines(&card), card }
}

/// A card of another process: it is answered by itself.
pub(crate) fn of_another(card: Card) -> TabCard {
    TabCard { tab_id: None, host: None, alike: None, lines: change_lines(&card), card }
}

/// A card of an app with a loop of its own; `of`: which call of it.
pub(crate) fn of_host(card: Card, of: Option<HostCall>) -> TabCard {
    let alike = likeness_key(&card).map(|key| format!("{} {key}", card.session_id));
    TabCard { tab_id: None, host: of, alike, lines: change_lines(&card), card }
}
