//! `[apps.NAME]`: apps that use a Responses API.

use std::collections::BTreeMap;

use super::section::Section;
use crate::names;
use crate::scalars::{AppScalars, WithOrigin};

pub(super) fn read(top: &mut Section<'_, '_>) -> BTreeMap<String, AppScalars> {
    let mut apps = BTreeMap::new();
    for (name, mut section) in top.named_tables("apps") {
        let reader = section.reader();
        if let Some((message, help)) = names::refuse_name("an app", name.get_ref()) {
            reader.add_mistake(name.span(), message, Some(help));
        }
        let trust = section.take_boolean("trust_require_approval");
        let trust = trust.map(|value| WithOrigin::new(*value.get_ref(), reader.span_origin(&value.span())));
        section.finish();
        apps.insert(name.into_inner(), AppScalars { trust_require_approval: trust });
    }
    apps
}
