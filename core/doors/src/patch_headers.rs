//! Patches in the form that Codex made: which files they are about. Every line that could be a header counts, also one that stands
//! where a reader of patches would take it for text: that only adds a file.

use mayi_core::call::WriteKind;

/// What is left out around a line: blanks, byte order marks, control characters.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '\u{feff}' | '\u{200b}')
}

/// The files of `patch`, and what becomes of each. With the blanks around them, which [`mayi_core::call::with_and_without_blanks`]
/// takes away.
#[must_use]
pub fn patched_files(patch: &str) -> Vec<(WriteKind, String)> {
    // What ends a line is not the same for everybody.
    let ends = ['\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}'];
    let parted = patch.lines().filter(|line| line.contains(ends)).flat_map(|line| line.split(ends));
    patch.lines().chain(parted).filter_map(header_of).collect()
}

fn header_of(line: &str) -> Option<(WriteKind, String)> {
    let rest = line.trim_start_matches(is_blank).strip_prefix("***")?;
    let (words, path) = rest.split_once(':')?;
    let words: Vec<String> =
        words.split(is_blank).filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let kind = match words.as_slice() {
        ["add" | "create", "file"] => WriteKind::Create,
        ["update", "file"] => WriteKind::Edit,
        ["delete" | "remove", "file"] => WriteKind::Delete,
        ["move", "to"] => WriteKind::Move,
        // As somebody else may have it: `Rename File`, `Copy to`.
        [_, "file" | "to" | "from" | "path"] | ["file"] => WriteKind::Write,
        _ => return None,
    };
    let path = path.trim_matches(|c: char| c.is_whitespace());
    (!path.trim_matches(is_blank).is_empty()).then(|| (kind, path.to_owned()))
}

/// Whether `text` is such a patch, or a line that holds one: Codex has its `apply_patch` in its shell, too.
#[must_use]
pub fn holds_patch(text: &str) -> bool {
    text.contains("*** Begin Patch")
}

/// Whether something stands before the patch in it: then it is a line, too.
#[must_use]
pub fn begins_otherwise(text: &str) -> bool {
    text.split_once("*** Begin Patch").is_some_and(|(before, _)| !before.trim_matches(is_blank).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_a_patch_then_every_file_that_it_names_counts() {
        let patch = "*** Begin Patch\n*** Add File: a.rs\n+x\n  *** Update File: src/b c.rs\n*** Move to: ../c\n@@\n-a\n+b\r\n***Delete File: d\r\n*** End Patch";
        assert_eq!(
            patched_files(patch),
            [
                (WriteKind::Create, "a.rs".to_owned()),
                (WriteKind::Edit, "src/b c.rs".to_owned()),
                (WriteKind::Move, "../c".to_owned()),
                (WriteKind::Delete, "d".to_owned()),
            ]
        );
        assert!(
            holds_patch(patch)
                && holds_patch("apply_patch <<E\n*** Begin Patch")
                && !holds_patch("apply_patch x")
        );
    }

    /// Attack 223.
    #[test]
    fn given_a_header_with_what_readers_leave_out_then_its_file_counts() {
        for header in [
            "*** Add File: \u{feff}/x",
            "*** Add File:\u{feff} /x",
            "\u{feff}*** Add File: /x",
            "***\u{feff}Add File: /x",
            "\u{200b} *** Add  File:/x",
            "*** add file: /x",
            "*** Rename File: /x",
            "*** Copy to: /x",
            "a\r*** Add File: /x",
            "a\u{2028}*** Delete File: /x\u{85}b",
            "*** Create File: /x\u{feff}",
        ] {
            let found =
                patched_files(&format!("*** Begin Patch\n*** Update File: ok\n{header}\n+x\n*** End Patch"));
            let names = |path: &str| mayi_core::call::with_and_without_blanks(path).any(|path| path == "/x");
            assert!(found.iter().any(|(_, path)| names(path)), "{header:?}: {found:?}");
        }
        for text in ["*** Environment ID: x", "*** End of File", "***", "*** note: x", "+*** Add File: x"] {
            assert_eq!(patched_files(text), [], "{text}");
        }
    }
}
