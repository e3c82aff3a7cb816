//! Decisions, section 7: "every stored string redacted: patterns and known secret values".

use proptest::prelude::*;
use serde_json::json;

use super::forms::FORMS;
use super::{Redactor, compiled, secrets_of};

fn plain() -> Redactor {
    Redactor::default()
}

fn knowing(secrets: &[&str]) -> Redactor {
    Redactor::new([""; 0], secrets.iter().copied()).unwrap()
}

#[test]
fn given_the_table_then_every_pattern_compiles_and_fits_in_its_mask() {
    assert!(FORMS.len() <= 64);
    for form in FORMS {
        compiled(form).unwrap_or_else(|error| panic!("{}: {error}", form.name));
        assert!(!form.marks.is_empty() && form.marks.iter().all(|mark| mark.to_ascii_lowercase() == *mark));
    }
}
