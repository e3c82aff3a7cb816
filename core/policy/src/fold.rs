//! Names as a careless file system compares them (D4.12): NFKC-casefolded, and without
//! characters that show nothing. Deny, ask and protection compare these; an allow compares bytes.

use std::borrow::Cow;

use icu_casemap::CaseMapper;
use icu_normalizer::ComposingNormalizerBorrowed;
use icu_properties::CodePointSetData;
use icu_properties::props::DefaultIgnorableCodePoint;

/// `text` without differences of case and of compatible characters.
#[must_use]
pub fn fold_text(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        // All of them, and not up to the first: that is done in a few steps for many at once.
        return if text.bytes().fold(false, |any, b| any | b.is_ascii_uppercase()) {
            Cow::Owned(text.to_ascii_lowercase())
        } else {
            Cow::Borrowed(text)
        };
    }
    // Folding makes new pairs to compose, and composing new characters to fold: twice is enough.
    let once = plain_owned(&CaseMapper::new().fold_string(&plain_owned(text)));
    Cow::Owned(plain_owned(&CaseMapper::new().fold_string(&once)))
}

/// `text` without differences of compatible characters; its case stays: options differ by case.
pub(crate) fn fold_compatible(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(plain_owned(text)) }
}

fn plain_owned(text: &str) -> String {
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    let shown: String = text.chars().filter(|c| !ignorable.contains(*c)).collect();
    ComposingNormalizerBorrowed::new_nfkc().normalize(&shown).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{fold_compatible, fold_text};

    /// D4.12: Deny, ask and protection compare names NFKC-casefolded and without ignorable
    /// characters.
    /// Attack 50: "`.g<U+200D>it/hooks`: protected".
    #[test]
    fn given_other_spellings_of_a_name_then_they_fold_to_one() {
        for name in [".GIT", ".git", ".g\u{200d}it", ".ｇｉｔ", ".g\u{ad}it", ".gi\u{fe0f}t", "\u{feff}.git"]
        {
            assert_eq!(fold_text(name), ".git", "{name:?}");
        }
        assert_eq!(fold_text("STRASSE"), fold_text("straße"));
        assert_eq!(fold_text("ﬁle"), "file");
        assert_eq!(fold_text("e\u{301}"), fold_text("É"));
        assert_ne!(fold_text("gіt"), "git", "a letter of another script stays itself");
    }

    #[test]
    fn given_an_option_then_its_case_stays() {
        assert_eq!(fold_compatible("-Ｄ"), "-D");
        assert_ne!(fold_compatible("-D"), fold_compatible("-d"));
    }

    proptest::proptest! {
        /// Folding what was folded changes nothing: patterns and names meet whichever came first.
        #[test]
        fn folding_twice_is_folding_once(text in "\\PC{0,8}") {
            let once = fold_text(&text).into_owned();
            proptest::prop_assert_eq!(fold_text(&once), once.clone());
        }
    }
}
