//! What the head of the table says: names of keys, variables and modules.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

/// The head of the table.
const HEAD: &str = include_str!("../programs.toml");

/// What the head of the table says.
#[derive(Debug, Default)]
pub(super) struct NameLists {
    /// Keys of a repository's configuration that name no program, in lower case; `*` is any name.
    pub(super) harmless_keys: HashSet<String>,
    /// Variables that change only how a program's output looks.
    pub(super) inert: Vec<String>,
    /// The words that values of some others consist of, with which they are such too.
    pub(super) inert_values: HashMap<String, Vec<String>>,
    /// Variables that change what later words run; `*` at the end is any.
    pub(super) rebinding: Vec<String>,
    /// Variables that zsh ties to what it runs.
    pub(super) zsh: Vec<String>,
    /// Modules of Python's own library.
    pub(super) python_modules: HashSet<String>,
    /// Variables whose values shells evaluate.
    pub(super) evaluated: HashSet<String>,
    /// Variables that hold no secrets.
    pub(super) telling: HashSet<String>,
    #[cfg_attr(not(test), allow(dead_code, reason = "a test looks at it"))]
    pub(super) version: u32,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Head {
    version: u32,
    harmless_git_keys: String,
    inert_variables: String,
    rebinding_variables: String,
    zsh_variables: String,
    evaluated_variables: String,
    telling_variables: String,
    python_modules: String,
    inert_values: HashMap<String, String>,
}

/// Read when it is first needed: few lines have to do with it.
static NAMES: LazyLock<NameLists> = LazyLock::new(|| NameLists::read().unwrap_or_default());

impl NameLists {
    pub(super) fn get() -> &'static Self {
        &NAMES
    }

    pub(super) fn read() -> Result<Self, toml::de::Error> {
        let head: Head = toml::from_str(HEAD)?;
        let list = |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        let values = head.inert_values.iter();
        Ok(Self {
            version: head.version,
            harmless_keys: list(&head.harmless_git_keys).into_iter().collect(),
            inert: list(&head.inert_variables),
            inert_values: values.map(|(name, words)| (name.clone(), list(words))).collect(),
            rebinding: list(&head.rebinding_variables),
            zsh: list(&head.zsh_variables),
            python_modules: list(&head.python_modules).into_iter().collect(),
            evaluated: list(&head.evaluated_variables).into_iter().collect(),
            telling: list(&head.telling_variables).into_iter().collect(),
        })
    }

    /// Whether this is the name of a module of Python's own library, whatever its case.
    pub(super) fn is_python_module(&self, lower: &str) -> bool {
        self.python_modules.contains(lower)
            || self.python_modules.iter().any(|name| name.eq_ignore_ascii_case(lower))
    }
}
