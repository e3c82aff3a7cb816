//! Settings of one value each, described by their rows.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Map;

use super::words::{Approval, Category, Effect, Level, Mode, OnUnasked, ToolApproval};
use crate::scalars::{ScalarKey, ScalarKind, lockable_rows, rows_in};

/// The settings of a section, by their rows.
fn section_scalars(generator: &mut SchemaGenerator, section: &str) -> Schema {
    let mut properties = Map::new();
    for row in rows_in(section) {
        let mut schema = match row.kind {
            ScalarKind::Flag => generator.subschema_for::<Option<bool>>(),
            ScalarKind::Text => generator.subschema_for::<Option<String>>(),
            ScalarKind::Mode => generator.subschema_for::<Option<Mode>>(),
            ScalarKind::OnUnasked => generator.subschema_for::<Option<OnUnasked>>(),
            ScalarKind::Approval => generator.subschema_for::<Option<Approval>>(),
            ScalarKind::ToolApproval => generator.subschema_for::<Option<ToolApproval>>(),
            ScalarKind::Level => generator.subschema_for::<Option<Level>>(),
            ScalarKind::Category => generator.subschema_for::<Option<Category>>(),
            ScalarKind::Effect => generator.subschema_for::<Option<Effect>>(),
        };
        schema.insert("description".to_owned(), row.about.into());
        let (_, key) = row.split_path();
        properties.insert(key.to_owned(), schema.to_value());
    }
    json_schema!({ "type": "object", "properties": properties })
}

pub(super) fn file_scalars(generator: &mut SchemaGenerator) -> Schema {
    section_scalars(generator, "")
}

pub(super) fn acp_scalars(generator: &mut SchemaGenerator) -> Schema {
    section_scalars(generator, "acp")
}

pub(super) fn sandbox_scalars(generator: &mut SchemaGenerator) -> Schema {
    section_scalars(generator, "sandbox")
}

pub(super) fn agent_scalars(generator: &mut SchemaGenerator) -> Schema {
    section_scalars(generator, "agents.*")
}

pub(super) fn server_scalars(generator: &mut SchemaGenerator) -> Schema {
    section_scalars(generator, "servers.*")
}

pub(super) fn tool_scalars(generator: &mut SchemaGenerator) -> Schema {
    section_scalars(generator, "servers.*.tools.*")
}

pub(super) fn app_scalars(generator: &mut SchemaGenerator) -> Schema {
    section_scalars(generator, "apps.*")
}

/// What is set under names instead of under a key of its own.
pub(super) fn about<T>(key: ScalarKey<T>) -> &'static str {
    key.row.about
}

/// What can be locked, by its path.
pub(super) struct LockName;

impl JsonSchema for LockName {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "LockName".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names = |path: &str| match path.split_once('.') {
            Some(("agents", _)) => r"(\*|[A-Za-z0-9][A-Za-z0-9 ._()-]{0,127})",
            _ => r"(\*|[A-Za-z0-9._-]{1,128})",
        };
        let pattern = |path: &str| path.replace('.', r"\.").replace('*', names(path));
        let paths: Vec<String> = lockable_rows().map(|row| pattern(row.path)).collect();
        json_schema!({ "type": "string", "pattern": format!("^({})$", paths.join("|")) })
    }
}
