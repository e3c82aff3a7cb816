//! Settings of one value each, read by their rows.

use toml::Spanned;

use super::section::Section;
use crate::scalars::{Reach, ScalarKind, ScalarType, ScalarValue, Scalars, WithOrigin, rows_in};
use mayi_policy::Origin;

/// Reads all settings of the section `header` of the table, such as `agents.*`, with `names` for its stars. Returns where a
/// setting stands that has no effect any more.
pub(super) fn read(
    section: &mut Section<'_, '_>,
    header: &str,
    names: &[&str],
    scalars: &mut Scalars,
) -> Option<Origin> {
    let mut dropped = None;
    for row in rows_in(header) {
        let (_, key) = row.split_path();
        let Some(value) = take_value(section, key, row.kind) else { continue };
        let origin = section.reader().span_origin(&value.span());
        if row.reach == Reach::NoEffect {
            dropped = Some(origin);
        } else {
            scalars.insert_value(row, names, WithOrigin::new(value.into_inner(), origin));
        }
    }
    dropped
}

fn take_value(
    section: &mut Section<'_, '_>,
    key: &'static str,
    kind: ScalarKind,
) -> Option<Spanned<ScalarValue>> {
    match kind {
        ScalarKind::Flag => section.take_boolean(key).map(into_value),
        ScalarKind::Text => section.take_string(key).map(into_value),
        word => section.take_word(key, &word.words()),
    }
}

fn into_value<T: ScalarType>(value: Spanned<T>) -> Spanned<ScalarValue> {
    Spanned::new(value.span(), value.into_inner().into_value())
}
