//! Modes, and the matrix that says what each does where nothing else speaks.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Effect;
use mayi_call::Category;

/// How much is asked. Ordered by strictness: `auto` < `default` < `plan`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ts_rs::TS,
)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Asks only where a rule or protection says so, and before what destroys elsewhere.
    Auto,
    /// Reads run, the rest is asked about.
    #[default]
    Default,
    /// Only reads; everything else is denied.
    Plan,
}

impl Mode {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Default => "default",
            Self::Auto => "auto",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "plan" => Ok(Self::Plan),
            "default" => Ok(Self::Default),
            "auto" => Ok(Self::Auto),
            other => Err(format!("no mode is called `{other}`: write plan, default or auto")),
        }
    }
}

/// One row of the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixRow {
    /// Reads.
    pub read: Effect,
    /// Writes.
    pub write: Effect,
    /// Commands and unknown tools.
    pub execute: Effect,
    /// Fetches and MCP tools.
    pub external: Effect,
}

impl MatrixRow {
    /// The effect for `category`.
    #[must_use]
    pub fn effect_for(&self, category: Category) -> Effect {
        match category {
            Category::Read => self.read,
            Category::Write => self.write,
            Category::Execute => self.execute,
            Category::External => self.external,
        }
    }

    /// The place of `category`, to refine it.
    pub fn effect_for_mut(&mut self, category: Category) -> &mut Effect {
        match category {
            Category::Read => &mut self.read,
            Category::Write => &mut self.write,
            Category::Execute => &mut self.execute,
            Category::External => &mut self.external,
        }
    }
}

/// The matrix (D4.17). Plan mode's denial of everything but reads holds besides it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// The row of mode `plan`.
    pub plan: MatrixRow,
    /// The row of mode `default`.
    pub default: MatrixRow,
    /// The row of mode `auto`.
    pub auto: MatrixRow,
}

impl Default for Matrix {
    fn default() -> Self {
        use Effect::{Allow, Ask, Deny};
        Self {
            plan: MatrixRow { read: Allow, write: Deny, execute: Deny, external: Deny },
            default: MatrixRow { read: Allow, write: Ask, execute: Ask, external: Ask },
            auto: MatrixRow { read: Allow, write: Allow, execute: Allow, external: Allow },
        }
    }
}

impl Matrix {
    /// The row of `mode`.
    #[must_use]
    pub fn row(&self, mode: Mode) -> &MatrixRow {
        match mode {
            Mode::Plan => &self.plan,
            Mode::Default => &self.default,
            Mode::Auto => &self.auto,
        }
    }

    /// The row of `mode`, to refine it.
    pub fn row_mut(&mut self, mode: Mode) -> &mut MatrixRow {
        match mode {
            Mode::Plan => &mut self.plan,
            Mode::Default => &mut self.default,
            Mode::Auto => &mut self.auto,
        }
    }
}
