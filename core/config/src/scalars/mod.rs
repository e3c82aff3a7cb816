//! Settings that have one value each: what one layer says of them, and what counts.
//!
//! Each is a row of [`table`]; what follows from its row needs no line of its own anywhere.

pub(super) mod keys;
mod locks;
mod merge;
mod row;
mod table;
mod value;

use std::collections::{BTreeMap, BTreeSet};

pub use locks::Locks;
pub(super) use locks::lockable_rows;
pub(super) use merge::LayerMerge;
pub use merge::Setting;
pub(super) use row::{Reach, ScalarKey, ScalarRow, Unset, find_row, rows_in};
pub(super) use table::TABLE;
pub use value::OnUnasked;
pub(super) use value::{CATEGORIES, EFFECTS, MODES, ScalarKind, ScalarType, ScalarValue, approval_word};

use mayi_policy::{LeastModes, Matrix, Mode, Origin};

/// A value, and where it is written.
#[derive(Clone, Debug)]
pub(super) struct WithOrigin<T> {
    pub(super) value: T,
    pub(super) origin: Origin,
}

impl<T> WithOrigin<T> {
    pub(super) fn new(value: T, origin: Origin) -> Self {
        Self { value, origin }
    }
}

/// A setting that is set.
#[derive(Clone, Debug)]
pub(super) struct ScalarEntry {
    pub(super) row: &'static ScalarRow,
    /// The names that stand for the stars of its path.
    pub(super) names: Vec<String>,
    pub(super) value: ScalarValue,
    pub(super) origin: Origin,
}

/// Settings by their paths: those of one layer, or of all layers so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Scalars(BTreeMap<Vec<String>, ScalarEntry>);

impl Scalars {
    /// One setting alone, if it is set.
    pub(super) fn of<T: ScalarType>(key: ScalarKey<T>, set: Option<WithOrigin<T>>) -> Self {
        let mut scalars = Self::default();
        scalars.set(key, &[], set);
        scalars
    }

    /// Sets what is said.
    pub(super) fn set<T: ScalarType>(
        &mut self,
        key: ScalarKey<T>,
        names: &[&str],
        set: Option<WithOrigin<T>>,
    ) {
        if let Some(WithOrigin { value, origin }) = set {
            self.insert_value(key.row, names, WithOrigin::new(value.into_value(), origin));
        }
    }

    pub(super) fn insert_value(
        &mut self,
        row: &'static ScalarRow,
        names: &[&str],
        set: WithOrigin<ScalarValue>,
    ) {
        let WithOrigin { value, origin } = set;
        let entry =
            ScalarEntry { row, names: names.iter().map(|name| (*name).to_owned()).collect(), value, origin };
        self.0.insert(row.path_with(names), entry);
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &ScalarEntry> {
        self.0.values()
    }

    fn entry<T>(&self, key: ScalarKey<T>, names: &[&str]) -> Option<&ScalarEntry> {
        self.0.get(&key.row.path_with(names))
    }

    pub(super) fn remove(&mut self, entry: &ScalarEntry) {
        let names: Vec<&str> = entry.names.iter().map(String::as_str).collect();
        self.0.remove(&entry.row.path_with(&names));
    }

    /// What is said, and where.
    pub(super) fn find<T: ScalarType>(&self, key: ScalarKey<T>, names: &[&str]) -> Option<WithOrigin<T>> {
        let entry = self.entry(key, names)?;
        Some(WithOrigin::new(T::from_value(&entry.value)?, entry.origin.clone()))
    }

    /// What is said.
    pub(super) fn get<T: ScalarType>(&self, key: ScalarKey<T>, names: &[&str]) -> Option<T> {
        T::from_value(&self.entry(key, names)?.value)
    }

    /// What counts, whether it is said or not.
    pub(super) fn effective<T: ScalarType + Default>(&self, key: ScalarKey<T>, names: &[&str]) -> T {
        self.effective_value(key.row, names).and_then(|value| T::from_value(&value)).unwrap_or_default()
    }

    /// What counts for `row`; `None` where that is up to the code that asks.
    pub(super) fn effective_value(&self, row: &ScalarRow, names: &[&str]) -> Option<ScalarValue> {
        if let Some(entry) = self.0.get(&row.path_with(names)) {
            return Some(entry.value.clone());
        }
        match &row.unset {
            Unset::BuiltIn(value) | Unset::Is(value) => Some(value.clone()),
            // What is said for all stands under the last names, or under none.
            Unset::As(path) => self.effective_value(find_row(path)?, names.get(1..).unwrap_or_default()),
            Unset::Nothing => None,
        }
    }

    /// The names that stand in the section `path`: `["agents"]`.
    pub(super) fn names_in(&self, path: &[&str]) -> BTreeSet<&str> {
        let name = |at: &'_ Vec<String>| at.iter().zip(path).all(|(part, wanted)| part == wanted);
        let below = self.0.keys().filter(|at| at.len() > path.len() && name(at));
        below.filter_map(|at| at.get(path.len()).map(String::as_str)).collect()
    }

    /// All that is said of `key` under `names`, by the name that comes after them.
    pub(super) fn values_by_name<T: ScalarType>(
        &self,
        key: ScalarKey<T>,
        names: &[&str],
    ) -> BTreeMap<String, T> {
        let of = |entry: &ScalarEntry| {
            let (last, first) = entry.names.split_last()?;
            let is_it = entry.row.path == key.row.path && first == names;
            Some((last.clone(), T::from_value(&entry.value).filter(|_| is_it)?))
        };
        self.0.values().filter_map(of).collect()
    }

    /// Puts what is said of agents under other names.
    pub(super) fn rename_agents(&mut self, id_of: impl Fn(&str) -> String) {
        for mut entry in std::mem::take(&mut self.0).into_values() {
            if let (true, Some(name)) = (entry.row.path.starts_with("agents."), entry.names.first_mut()) {
                *name = id_of(name);
            }
            let names: Vec<&str> = entry.names.iter().map(String::as_str).collect();
            self.0.insert(entry.row.path_with(&names), entry);
        }
    }

    /// The mode of an agent, or the one of all.
    pub(super) fn mode_of(&self, agent: Option<&str>) -> Mode {
        agent.map_or_else(
            || self.effective(keys::MODE, &[]),
            |agent| self.effective(keys::AGENT_MODE, &[agent]),
        )
    }

    /// What follows when the agent does something without asking.
    pub(super) fn on_unasked(&self, agent: Option<&str>) -> OnUnasked {
        agent.map_or_else(
            || self.effective(keys::ON_UNASKED, &[]),
            |agent| self.effective(keys::AGENT_ON_UNASKED, &[agent]),
        )
    }

    /// The modes of all.
    pub(super) fn least_modes(&self) -> LeastModes {
        let of = |name: &str| Some((name.to_owned(), self.get(keys::AGENT_MODE, &[name])?));
        LeastModes {
            mode: self.mode_of(None),
            agents: self.names_in(&["agents"]).into_iter().filter_map(of).collect(),
        }
    }

    pub(super) fn matrix(&self) -> Matrix {
        let mut matrix = Matrix::default();
        for (mode_word, mode) in MODES {
            for (category_word, category) in CATEGORIES {
                if let Some(effect) = self.get(keys::MATRIX, &[mode_word, category_word]) {
                    *matrix.row_mut(*mode).effect_for_mut(*category) = effect;
                }
            }
        }
        matrix
    }
}
