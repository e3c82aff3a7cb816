//! Pairing the page: a code that counts once, typed on the page, becomes a token of this backend. No secret is ever in an
//! address.

use std::io;
use std::sync::Mutex;

use jiff::{SignedDuration, Timestamp};
use mayi_doors::web::same_token;

use crate::backend::lock_mutex;
use crate::credentials::random_token;

/// How long a code counts.
const CODE: SignedDuration = SignedDuration::from_mins(5);
/// So many wrong codes, and the one that is out counts no more.
const TRIES: u32 = 5;
/// So many pages at a time; the oldest has to pair again.
const PAGES: usize = 16;
/// Letters and digits that nobody takes for another one: 32 of them.
const ALPHABET: &[u8; 32] = b"23456789abcdefghjkmnpqrstuvwxyz-";

/// Codes and pages.
#[derive(Debug, Default)]
pub(crate) struct Pairings(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    code: Option<PairingCode>,
    pages: Vec<String>,
}

#[derive(Debug)]
struct PairingCode {
    text: String,
    until: Timestamp,
    wrong: u32,
}

/// Why a code is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WrongCode {
    /// It is another one, or there is none, or its time is over.
    Wrong,
    /// Too many were wrong.
    TooMany,
}

impl Pairings {
    /// A new code; an earlier one counts no more.
    ///
    /// # Errors
    /// If there is no randomness.
    pub(crate) fn offer_code(&self) -> io::Result<(String, Timestamp)> {
        let text = random_code()?;
        let until = Timestamp::now().saturating_add(CODE).map_err(io::Error::other)?;
        lock_mutex(&self.0).code = Some(PairingCode { text: text.clone(), until, wrong: 0 });
        Ok((text, until))
    }

    /// The token for whoever types the code: once.
    pub(super) fn redeem_code(&self, typed: &str, now: Timestamp) -> Result<String, WrongCode> {
        let mut inner = lock_mutex(&self.0);
        let Some(code) = &mut inner.code else { return Err(WrongCode::Wrong) };
        if code.wrong >= TRIES {
            return Err(WrongCode::TooMany);
        }
        if now >= code.until {
            return Err(WrongCode::Wrong);
        }
        if !same_token(&normalize_code(typed), &normalize_code(&code.text)) {
            code.wrong += 1;
            return Err(WrongCode::Wrong);
        }
        let page = random_token().map_err(|_| WrongCode::Wrong)?;
        inner.code = None;
        if inner.pages.len() >= PAGES {
            inner.pages.remove(0);
        }
        inner.pages.push(page.clone());
        Ok(page)
    }

    /// Whether the token is of a page that was paired.
    pub(super) fn is_paired(&self, token: &str) -> bool {
        // All are compared, whichever it is.
        lock_mutex(&self.0).pages.iter().filter(|page| same_token(token, page)).count() > 0
    }
}

/// A code as it is compared: people leave out the dash, and write capitals.
fn normalize_code(code: &str) -> String {
    code.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

/// Two groups of five: 50 bits, of which five tries are of no use.
fn random_code() -> io::Result<String> {
    let mut text = String::new();
    while text.len() < 11 {
        let mut bytes = [0_u8; 16];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        for byte in bytes {
            let letter = ALPHABET.get(usize::from(byte & 31)).copied().map_or('-', char::from);
            if letter == '-' || text.len() >= 11 {
                continue;
            }
            if text.len() == 5 {
                text.push('-');
            }
            text.push(letter);
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "pairing by a one-time code typed on the page". Attack 174.
    #[test]
    fn given_a_code_then_it_pairs_one_page_and_no_second() {
        let pairings = Pairings::default();
        let (code, _) = pairings.offer_code().unwrap();
        assert_eq!(code.len(), 11);
        let now = Timestamp::now();
        let page = pairings.redeem_code(&code.replace('-', "").to_uppercase(), now).unwrap();
        assert!(pairings.is_paired(&page));
        assert!(!pairings.is_paired("") && !pairings.is_paired(&code));
        assert_eq!(pairings.redeem_code(&code, now), Err(WrongCode::Wrong));
    }

    /// Attack: a page that tries codes one after the other. Attack 174.
    #[test]
    fn given_wrong_codes_then_the_right_one_counts_no_more() {
        let pairings = Pairings::default();
        let (code, _) = pairings.offer_code().unwrap();
        let now = Timestamp::now();
        for _ in 0..TRIES {
            assert_eq!(pairings.redeem_code("aaaaa-aaaaa", now), Err(WrongCode::Wrong));
        }
        assert_eq!(pairings.redeem_code(&code, now), Err(WrongCode::TooMany));
    }

    #[test]
    fn given_a_code_whose_time_is_over_then_it_does_not_count() {
        let pairings = Pairings::default();
        let (code, until) = pairings.offer_code().unwrap();
        assert_eq!(pairings.redeem_code(&code, until), Err(WrongCode::Wrong));
    }
}
