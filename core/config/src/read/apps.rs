//! `[apps.NAME]`: apps that use a Responses API.

use super::file::ParsedFile;
use super::scalars;
use super::section::Section;
use crate::names;

pub(super) fn read(top: &mut Section<'_, '_>, file: &mut ParsedFile) {
    for (name, mut section) in top.named_tables("apps") {
        let reader = section.reader();
        if let Some((message, help)) = names::refuse_name("an app", name.get_ref()) {
            reader.add_mistake(name.span(), message, Some(help));
        }
        let name = name.into_inner();
        scalars::read(&mut section, "apps.*", &[&name], &mut file.scalars);
        section.finish();
        file.apps.push(name);
    }
}
