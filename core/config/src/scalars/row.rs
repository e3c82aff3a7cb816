//! What the table says of a setting, and how code names one.

use std::marker::PhantomData;

use super::table::TABLE;
use super::value::{ScalarKind, ScalarType, ScalarValue};

/// All that there is to say of a setting.
#[derive(Debug)]
pub(crate) struct ScalarRow {
    /// Its place in a file, a star standing for a name: `agents.*.mode`.
    pub(crate) path: &'static str,
    pub(crate) kind: ScalarKind,
    /// What counts where no layer says anything.
    pub(crate) unset: Unset,
    /// What may be said by those who only tighten.
    pub(crate) reach: Reach,
    /// Whether a managed file can lock it.
    pub(crate) lockable: bool,
    /// Whether an editor's settings may say it.
    pub(crate) editor: bool,
    /// The description in the schema.
    pub(crate) about: &'static str,
}

/// What counts where no layer says anything.
#[derive(Debug)]
pub(crate) enum Unset {
    /// This, which `config show` lists as built in.
    BuiltIn(ScalarValue),
    /// This.
    Is(ScalarValue),
    /// What counts for another setting: of an agent, what is said for all.
    As(&'static str),
    /// Whatever the code that asks makes of it.
    Nothing,
}

/// What a file in a repository and the environment may say: they only tighten (D5.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// What is at least as strict as what counts without them.
    Stricter,
    /// A mode: the same, and a mode for all takes the place of those that farther layers gave to single agents.
    Mode,
    /// Nothing: it is the user's to say.
    Users,
    /// Nothing, and a file in a repository that says anything has a mistake: its whole section is the user's.
    Refused,
    /// Accepted for one release more, without effect whoever says it.
    NoEffect,
}

impl ScalarRow {
    /// The header of the section that it stands in, `agents.*`, and its key there; no header for the file itself.
    pub(crate) fn split_path(&self) -> (&'static str, &'static str) {
        self.path.rsplit_once('.').unwrap_or(("", self.path))
    }

    /// Its place with `names` for the stars.
    pub(super) fn path_with(&self, names: &[&str]) -> Vec<String> {
        let mut names = names.iter();
        let part = |part: &str| match part {
            "*" => names.next().map_or_else(|| part.to_owned(), |name| (*name).to_owned()),
            part => part.to_owned(),
        };
        self.path.split('.').map(part).collect()
    }
}

/// The settings that stand in the section `header` under keys of their own.
pub(crate) fn rows_in(header: &str) -> impl Iterator<Item = &'static ScalarRow> {
    TABLE.iter().filter(move |row| {
        let (section, key) = row.split_path();
        section == header && key != "*"
    })
}

/// The row of `path`.
pub(crate) const fn find_row(path: &str) -> Option<&'static ScalarRow> {
    let mut rows: &'static [ScalarRow] = TABLE;
    while let [row, rest @ ..] = rows {
        if is_same_text(row.path, path) {
            return Some(row);
        }
        rows = rest;
    }
    None
}

/// `==`, while compiling.
const fn is_same_text(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    while let ([first, rest @ ..], [second, more @ ..]) = (one, other) {
        if *first != *second {
            return false;
        }
        (one, other) = (rest, more);
    }
    one.is_empty() && other.is_empty()
}

/// A setting where it is used: its row, and the type of its values.
#[derive(Debug)]
pub(crate) struct ScalarKey<T> {
    pub(crate) row: &'static ScalarRow,
    values: PhantomData<T>,
}

impl<T> Clone for ScalarKey<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ScalarKey<T> {}

impl<T: ScalarType> ScalarKey<T> {
    /// The setting at `path`, for constants.
    ///
    /// # Panics
    /// While compiling: if no row has that path, or its values have another type.
    #[allow(clippy::panic, reason = "only while compiling: every use is a constant")]
    pub(crate) const fn at(path: &'static str) -> Self {
        match find_row(path) {
            Some(row) if row.kind.has_type_of(T::KIND) => Self { row, values: PhantomData },
            Some(_) => panic!("the setting has values of another type"),
            None => panic!("no setting is there"),
        }
    }
}
