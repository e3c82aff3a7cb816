//! `[apps.NAME]`: apps that use a Responses API.

use std::collections::BTreeMap;

use super::section::Section;
use crate::names;
use crate::scalars::{AppScalars, At};

pub(super) fn read(top: &mut Section<'_, '_>) -> BTreeMap<String, AppScalars> {
    let mut apps = BTreeMap::new();
    for (name, mut section) in top.named_tables("apps") {
        let reader = section.reader();
        if let Some((message, help)) = names::refuse("an app", name.get_ref()) {
            reader.mistake(name.span(), message, Some(help));
        }
        let trust = section.boolean("trust_require_approval");
        let trust = trust.map(|value| At::new(*value.get_ref(), reader.origin(&value.span())));
        section.finish();
        apps.insert(name.into_inner(), AppScalars { trust_require_approval: trust });
    }
    apps
}
