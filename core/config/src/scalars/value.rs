//! What a setting can be set to: the kinds of values, their words, and which of two is the stricter one.

use config::ValueKind;

use crate::read::join_with_or;
use mayi_call::Category;
use mayi_policy::{Approval, Effect, Level, Mode};

/// What follows when a tool call ran without asking that the policy asks about or denies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum OnUnasked {
    /// It is shown and recorded, and the turn goes on.
    #[default]
    Record,
    /// The turn is cancelled too.
    Stop,
}

impl OnUnasked {
    /// As it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Stop => "stop",
        }
    }
}

/// The words for values of one type.
type Words<T> = &'static [(&'static str, T)];

pub(crate) const MODES: Words<Mode> =
    &[("plan", Mode::Plan), ("default", Mode::Default), ("auto", Mode::Auto)];

const ON_UNASKED_WORDS: Words<OnUnasked> = &[("record", OnUnasked::Record), ("stop", OnUnasked::Stop)];

const APPROVALS: Words<Approval> =
    &[("required", Approval::Required), ("not_required", Approval::NotRequired)];

const TOOL_APPROVALS: Words<Approval> = &[
    ("required", Approval::Required),
    ("not_required", Approval::NotRequired),
    ("default", Approval::Default),
];

const LEVELS: Words<Level> =
    &[("none", Level::None), ("read", Level::Read), ("write", Level::Write), ("all", Level::All)];

pub(crate) const CATEGORIES: Words<Category> = &[
    ("read", Category::Read),
    ("write", Category::Write),
    ("execute", Category::Execute),
    ("external", Category::External),
];

pub(crate) const EFFECTS: Words<Effect> =
    &[("allow", Effect::Allow), ("ask", Effect::Ask), ("deny", Effect::Deny)];

/// What a setting is: true or false, a text, or one of some words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScalarKind {
    Flag,
    Text,
    Mode,
    OnUnasked,
    /// Of a server.
    Approval,
    /// Of a tool, which may also be as its server.
    ToolApproval,
    Level,
    Category,
    Effect,
}

impl ScalarKind {
    /// The words that it can be, with what each stands for; none if it is no word.
    pub(crate) fn words(self) -> Vec<(&'static str, ScalarValue)> {
        fn values<T: ScalarType + Copy>(words: Words<T>) -> Vec<(&'static str, ScalarValue)> {
            words.iter().map(|(name, value)| (*name, value.into_value())).collect()
        }
        match self {
            Self::Flag | Self::Text => Vec::new(),
            Self::Mode => values(MODES),
            Self::OnUnasked => values(ON_UNASKED_WORDS),
            Self::Approval => values(APPROVALS),
            Self::ToolApproval => values(TOOL_APPROVALS),
            Self::Level => values(LEVELS),
            Self::Category => values(CATEGORIES),
            Self::Effect => values(EFFECTS),
        }
    }

    /// A value as the `config` crate keeps it; `None` if it is of another kind.
    pub(super) fn read_config(self, leaf: &ValueKind) -> Option<ScalarValue> {
        match (self, leaf) {
            (Self::Flag, ValueKind::Boolean(is)) => Some(ScalarValue::Flag(*is)),
            (Self::Text, ValueKind::String(text)) => Some(ScalarValue::Text(text.clone())),
            (_, ValueKind::String(text)) => {
                self.words().into_iter().find(|(word, _)| word == text).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// What to write, for who knows JSON.
    pub(crate) fn wanted_json(self) -> String {
        match self {
            Self::Flag => "true or false".to_owned(),
            Self::Text => "a text".to_owned(),
            word => {
                let words: Vec<String> = word.words().iter().map(|(word, _)| format!("{word:?}")).collect();
                join_with_or(words.iter().map(String::as_str))
            }
        }
    }

    /// Whether values of both have one type.
    pub(super) const fn has_type_of(self, other: Self) -> bool {
        self.type_number() == other.type_number()
    }

    const fn type_number(self) -> u8 {
        match self {
            Self::ToolApproval => Self::Approval as u8,
            kind => kind as u8,
        }
    }
}

/// A value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ScalarValue {
    Flag(bool),
    Text(String),
    Mode(Mode),
    OnUnasked(OnUnasked),
    Approval(Approval),
    Level(Level),
    Category(Category),
    Effect(Effect),
}

impl ScalarValue {
    /// It without quotes, as it is written.
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Flag(true) => "true",
            Self::Flag(false) => "false",
            Self::Text(text) => text,
            Self::Mode(mode) => mode.as_str(),
            Self::OnUnasked(on_unasked) => on_unasked.as_str(),
            Self::Approval(approval) => approval_word(*approval),
            Self::Level(level) => level.as_str(),
            Self::Category(category) => category.as_str(),
            Self::Effect(effect) => effect.as_str(),
        }
    }

    /// For the `config` crate: a flag as a flag, anything else as a text.
    pub(super) fn to_config(&self) -> ValueKind {
        match self {
            Self::Flag(is) => ValueKind::Boolean(*is),
            other => ValueKind::from(other.as_str()),
        }
    }

    /// The same for `config show`.
    pub(super) fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Flag(is) => (*is).into(),
            other => other.as_str().into(),
        }
    }

    /// Of two values of one kind, the higher one is the stricter one. A flag that is on loosens. `None`: each may be looser
    /// than another one somewhere.
    pub(crate) fn strictness(&self) -> Option<u8> {
        match self {
            Self::Flag(is) => Some(u8::from(!*is)),
            Self::Mode(mode) => Some(*mode as u8),
            Self::OnUnasked(on_unasked) => Some(*on_unasked as u8),
            Self::Approval(Approval::NotRequired) => Some(0),
            Self::Approval(Approval::Default) => Some(1),
            Self::Approval(Approval::Required) => Some(2),
            Self::Level(level) => Some(Level::All as u8 - *level as u8),
            Self::Effect(effect) => Some(*effect as u8),
            Self::Text(_) | Self::Category(_) => None,
        }
    }
}

/// A type that values of settings have.
pub(crate) trait ScalarType: Sized {
    const KIND: ScalarKind;

    fn into_value(self) -> ScalarValue;

    /// `None` if the value has another type.
    fn from_value(value: &ScalarValue) -> Option<Self>;
}

macro_rules! scalar_type {
    ($type:ty, $kind:ident) => {
        impl ScalarType for $type {
            const KIND: ScalarKind = ScalarKind::$kind;

            fn into_value(self) -> ScalarValue {
                ScalarValue::$kind(self)
            }

            fn from_value(value: &ScalarValue) -> Option<Self> {
                match value {
                    ScalarValue::$kind(value) => Some(value.clone()),
                    _ => None,
                }
            }
        }
    };
}

scalar_type!(bool, Flag);
scalar_type!(String, Text);
scalar_type!(Mode, Mode);
scalar_type!(OnUnasked, OnUnasked);
scalar_type!(Approval, Approval);
scalar_type!(Level, Level);
scalar_type!(Category, Category);
scalar_type!(Effect, Effect);

pub(crate) fn approval_word(approval: Approval) -> &'static str {
    match approval {
        Approval::Required => "required",
        Approval::NotRequired => "not_required",
        Approval::Default => "default",
    }
}
