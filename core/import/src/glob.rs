//! Texts with wildcards (`*` any text, `?` one character): whether some text fits two of them.

/// The longest that are compared; longer ones are taken to overlap.
const MAX_GLOB_CHARS: usize = 512;

/// Whether there is a text that both match.
pub(super) fn globs_overlap(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len() > MAX_GLOB_CHARS || b.len() > MAX_GLOB_CHARS {
        return true;
    }
    // Whether the rest of `a` from `i` and the rest of `b` from `j` overlap, from the ends on.
    let mut below = vec![false; b.len() + 1];
    for i in (0..=a.len()).rev() {
        let mut row = vec![false; b.len() + 1];
        for j in (0..=b.len()).rev() {
            let (x, y) = (a.get(i), b.get(j));
            let down = || below.get(j).copied().unwrap_or(false);
            let right = row.get(j + 1).copied().unwrap_or(false);
            let both = || below.get(j + 1).copied().unwrap_or(false);
            let fits = match (x, y) {
                (None, None) => true,
                (Some('*'), None) => down(),
                (None, Some('*')) => right,
                (Some('*'), Some(_)) | (Some(_), Some('*')) => down() || right,
                (Some(x), Some(y)) => (x == y || *x == '?' || *y == '?') && both(),
                _ => false,
            };
            if let Some(slot) = row.get_mut(j) {
                *slot = fits;
            }
        }
        below = row;
    }
    below.first().copied().unwrap_or(false)
}

/// Whether everything that `b` matches, `wide` matches too; only certain if it says so.
pub(super) fn glob_covers(wide: &str, b: &str) -> bool {
    let stem = wide.strip_suffix(" *").or_else(|| wide.strip_suffix('*'));
    match stem {
        Some(stem) if !stem.contains(['*', '?']) => b.starts_with(stem),
        _ => wide == b,
    }
}

#[cfg(test)]
mod tests {
    use super::{glob_covers, globs_overlap};

    #[test]
    fn given_two_globs_then_it_is_known_whether_a_text_fits_both() {
        for (a, b, expected) in [
            ("*", "git push", true),
            ("git *", "git push *", true),
            ("git push", "git pull", false),
            ("git *", "npm *", false),
            ("* --force", "git push *", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("", "*", true),
            ("", "a", false),
            ("*a*", "*b*", true),
        ] {
            assert_eq!((globs_overlap(a, b), globs_overlap(b, a)), (expected, expected), "{a} {b}");
        }
        assert!(
            glob_covers("git *", "git push *")
                && glob_covers("*", "x")
                && !glob_covers("git push *", "git *")
        );
    }
}
