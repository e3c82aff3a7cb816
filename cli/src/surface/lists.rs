//! Lists and fields, by dialoguer, on the terminal itself.
//!
//! dialoguer reads its keys where nothing can interrupt it: a list that is open stays until the
//! person has done with it, also when the card was settled elsewhere meanwhile. So there are few
//! of them, the choice that changes nothing comes first, and what they answer is checked by the
//! gate. Every other part of the surface is withdrawn at once.

use std::io;

use console::Term;
use dialoguer::theme::{ColorfulTheme, SimpleTheme, Theme};
use dialoguer::{Input, Select};

/// Rows that a list needs at least, with the card above it.
pub(crate) const LEAST_ROWS: usize = 8;
/// Columns that a list needs at least.
pub(crate) const LEAST_COLUMNS: usize = 20;

/// What dialoguer asks with.
pub(crate) struct Lists {
    term: Term,
    theme: Box<dyn Theme>,
}

impl Lists {
    pub(crate) fn new(term: Term, color: bool) -> Self {
        let theme: Box<dyn Theme> =
            if color { Box::new(ColorfulTheme::default()) } else { Box::new(SimpleTheme) };
        Self { term, theme }
    }

    /// One of `items`, of which `most` are shown at once; the first one is highlighted.
    pub(crate) fn pick(&self, prompt: &str, items: &[String], most: usize) -> io::Result<Option<usize>> {
        let select = Select::with_theme(&*self.theme).with_prompt(prompt).items(items).default(0);
        Ok(select.max_length(most.max(1) + 2).report(false).interact_on_opt(&self.term)?)
    }

    /// A line of text that `check` accepts. Nothing: the person goes back.
    pub(crate) fn text(
        &self,
        prompt: &str,
        initial: &str,
        check: impl Fn(&str) -> Result<(), String>,
    ) -> io::Result<Option<String>> {
        let text: String = Input::with_theme(&*self.theme)
            .with_prompt(prompt)
            .with_initial_text(initial)
            .allow_empty(true)
            .report(false)
            .validate_with(|text: &String| if text.trim().is_empty() { Ok(()) } else { check(text.trim()) })
            .interact_text_on(&self.term)?;
        Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
    }
}
