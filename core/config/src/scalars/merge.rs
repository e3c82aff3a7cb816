//! How the layers' values become one.
//!
//! The `config` crate lays the layers over each other, the nearest last; before a layer is laid, what it may not loosen is
//! taken out of it.

use std::fmt::Display;

use config::builder::DefaultState;
use config::{Config, ConfigBuilder, Map, Value, ValueKind};

use super::{CATEGORIES, Locks, MODES, ScalarEntry, Scalars, TABLE, Unset, WithOrigin, keys};
use crate::{ConfigError, Layer};
use mayi_policy::{Matrix, Origin};

/// One scalar as it counts, for `config show`.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Its place in a file: `agents.claude.mode`.
    pub key: String,
    /// Its value: a text, or true or false.
    pub value: serde_json::Value,
    /// Where it is written.
    pub origin: Origin,
}

/// The layers, laid one over the other.
pub(crate) struct LayerMerge {
    builder: ConfigBuilder<DefaultState>,
    pub(crate) current: Scalars,
    /// As the managed layer left it: what locks hold on to.
    pub(crate) managed: Scalars,
    pub(crate) locks: Locks,
}

#[derive(Clone, Debug)]
struct OneLayer(Map<String, Value>);

impl config::Source for OneLayer {
    fn clone_into_box(&self) -> Box<dyn config::Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, Value>, config::ConfigError> {
        Ok(self.0.clone())
    }
}

impl LayerMerge {
    /// With nothing but what is built in.
    pub(crate) fn new() -> Result<Self, ConfigError> {
        let mut merge = Self {
            builder: Config::builder(),
            current: Scalars::default(),
            managed: Scalars::default(),
            locks: Locks::default(),
        };
        merge.add_layer(Layer::BuiltIn, &built_in())?;
        Ok(merge)
    }

    /// Lays a layer over those that are there; what it may not say was taken out before.
    pub(crate) fn add_layer(&mut self, layer: Layer, scalars: &Scalars) -> Result<(), ConfigError> {
        let failed =
            |why: &dyn Display| ConfigError::new(layer, format!("settings can't be merged: {why}"), None);
        let mut map = Map::new();
        for (path, entry) in &scalars.0 {
            insert(&mut map, path, Value::new(Some(&layer.as_str().to_owned()), entry.value.to_config()));
        }
        self.builder = std::mem::take(&mut self.builder).add_source(OneLayer(map));
        let merged = self.builder.build_cloned().map_err(|error| failed(&error))?;
        self.current.0.extend(scalars.0.iter().map(|(path, entry)| (path.clone(), entry.clone())));
        for (path, entry) in &mut self.current.0 {
            let value = find_leaf(&merged.cache, path).and_then(|leaf| entry.row.kind.read_config(leaf));
            entry.value = value.ok_or_else(|| failed(&path.join(".")))?;
        }
        if layer <= Layer::Managed {
            self.managed = self.current.clone();
        }
        Ok(())
    }

    /// Every scalar with its origin, by key.
    pub(crate) fn settings_with_origin(&self) -> Vec<Setting> {
        let mut settings: Vec<_> = self.current.0.iter().collect();
        // What is about everything comes first.
        settings.sort_by_key(|(path, _)| path.len() > 1);
        let setting = |(path, entry): (&Vec<String>, &ScalarEntry)| Setting {
            key: path.iter().map(|part| toml_key(part)).collect::<Vec<_>>().join("."),
            value: entry.value.to_json(),
            origin: entry.origin.clone(),
        };
        settings.into_iter().map(setting).collect()
    }
}

/// A part of a key as TOML wants it written.
fn toml_key(part: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    if !part.is_empty() && part.bytes().all(plain) { part.to_owned() } else { format!("{part:?}") }
}

/// What mayi itself says.
fn built_in() -> Scalars {
    let origin = Origin { file: None, line: None, layer: Layer::BuiltIn };
    let mut built_in = Scalars::default();
    for row in TABLE {
        if let Unset::BuiltIn(value) = &row.unset {
            built_in.insert_value(row, &[], WithOrigin::new(value.clone(), origin.clone()));
        }
    }
    let matrix = Matrix::default();
    for (mode_word, mode) in MODES {
        for (category_word, category) in CATEGORIES {
            let effect = WithOrigin::new(matrix.row(*mode).effect_for(*category), origin.clone());
            built_in.set(keys::MATRIX, &[mode_word, category_word], Some(effect));
        }
    }
    built_in
}

fn insert(table: &mut Map<String, Value>, path: &[String], leaf: Value) {
    match path {
        [] => {}
        [last] => {
            table.insert(last.clone(), leaf);
        }
        [first, rest @ ..] => {
            let entry =
                table.entry(first.clone()).or_insert_with(|| Value::new(None, ValueKind::Table(Map::new())));
            if let ValueKind::Table(inner) = &mut entry.kind {
                insert(inner, rest, leaf);
            }
        }
    }
}

fn find_leaf<'v>(value: &'v Value, path: &[String]) -> Option<&'v ValueKind> {
    match (path, &value.kind) {
        ([], leaf) => Some(leaf),
        ([first, rest @ ..], ValueKind::Table(table)) => find_leaf(table.get(first)?, rest),
        _ => None,
    }
}
