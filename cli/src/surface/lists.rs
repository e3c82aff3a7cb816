//! Lists and fields, by dialoguer, on the terminal itself.
//!
//! dialoguer reads its keys where nothing can interrupt it: a list that is open stays until the
//! person has done with it, also when the card was settled elsewhere meanwhile. So there are few
//! of them, the choice that changes nothing comes first, and what they answer is checked by the
//! gate. Every other part of the surface is withdrawn at once.

use std::io;

use console::{Key, Term};
use dialoguer::Input;
use dialoguer::theme::{ColorfulTheme, SimpleTheme, Theme};

/// Rows that a list needs at least, with the card above it.
pub(crate) const LEAST_ROWS: usize = 8;
/// Columns that a list needs at least.
pub(crate) const LEAST_COLUMNS: usize = 20;

/// What dialoguer asks with.
pub(crate) struct ListDialogs {
    term: Term,
    theme: Box<dyn Theme>,
}

impl ListDialogs {
    pub(crate) fn new(term: Term, color: bool) -> Self {
        let theme: Box<dyn Theme> =
            if color { Box::new(ColorfulTheme::default()) } else { Box::new(SimpleTheme) };
        Self { term, theme }
    }

    /// One of `items`, of which `most` are shown at once; the first one is highlighted, and is the way back. The
    /// others have numbers, and a digit highlights its own: dialoguer's `Select` has no digits, so its theme draws and
    /// the keys are read here. Only Enter and space pick: a digit that was meant for something else allows nothing.
    pub(crate) fn pick_item(&self, prompt: &str, items: &[String], most: usize) -> io::Result<Option<usize>> {
        let items: Vec<String> = items.iter().enumerate().map(number_item).collect();
        let last = items.len().saturating_sub(1);
        let mut at = 0_usize;
        self.term.hide_cursor()?;
        let picked = loop {
            let drawn = self.draw_list(prompt, &items, at, most.max(1))?;
            let key = self.term.read_key();
            self.term.clear_last_lines(drawn)?;
            match key {
                Ok(Key::ArrowDown | Key::Tab | Key::Char('j')) => at = if at == last { 0 } else { at + 1 },
                Ok(Key::ArrowUp | Key::BackTab | Key::Char('k')) => at = at.checked_sub(1).unwrap_or(last),
                Ok(Key::Home) => at = 0,
                Ok(Key::End) => at = last,
                Ok(Key::Char(digit)) if digit.is_ascii_digit() => {
                    at = digit.to_digit(10).map_or(at, |digit| digit as usize).min(last);
                }
                Ok(Key::Enter | Key::Char(' ')) => break Ok(Some(at)),
                Ok(Key::Escape | Key::Char('q')) => break Ok(None),
                Ok(_) => {}
                Err(error) => break Err(error),
            }
        };
        self.term.show_cursor()?;
        self.term.flush()?;
        picked
    }

    /// Draws the prompt and the page of `items` that `at` is on. Returns how many rows that took.
    fn draw_list(&self, prompt: &str, items: &[String], at: usize, most: usize) -> io::Result<usize> {
        let mut text = String::new();
        let failed = |_| io::Error::other("the list can't be drawn");
        self.theme.format_select_prompt(&mut text, prompt).map_err(failed)?;
        let page = at / most * most;
        let shown = items.iter().enumerate().skip(page).take(most);
        for (row, item) in shown {
            text.push('\n');
            self.theme.format_select_prompt_item(&mut text, item, row == at).map_err(failed)?;
        }
        self.term.write_line(&text)?;
        self.term.flush()?;
        Ok(text.split('\n').count())
    }

    /// A line of text that `check` accepts. Nothing: the person goes back.
    pub(crate) fn ask_text(
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

/// An item with the digit that highlights it: all but the first, as far as digits go.
fn number_item((at, item): (usize, &String)) -> String {
    match at {
        0 => item.clone(),
        1..10 => format!("{at}  {item}"),
        _ => format!("   {item}"),
    }
}
