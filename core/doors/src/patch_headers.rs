//! Patches, in the form that Codex made and in that of `diff` and git: which files they are about. In the first, every line that
//! could be a header counts, also one that stands where a reader of patches would take it for text: that only adds a file.

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

/// Whether all of `text` is such a patch, and nothing stands around it or between its parts: the marks of files, of hunks, and lines
/// that are taken out, put in or stay.
#[must_use]
pub fn is_whole_patch(text: &str) -> bool {
    let text = text.trim();
    let (begins, ends) = (text.strip_prefix("*** Begin Patch\n"), text.ends_with("\n*** End Patch"));
    let part = |line: &str| {
        line.is_empty() || line.starts_with("@@") || line.starts_with(['+', '-', ' ']) || {
            let mark = ["*** End Patch", "*** End of File"].contains(&line.trim_end());
            mark || header_of(line).is_some_and(|(kind, _)| kind != WriteKind::Write)
        }
    };
    ends && begins.is_some_and(|rest| rest.lines().all(part)) && !patched_files(text).is_empty()
}

/// The files of a patch as `diff` and git write it, and what becomes of each. Lines of hunks are no headers, whatever they begin
/// with. `named` are the files that something beside it names: git takes the `/` off an absolute one.
#[must_use]
pub fn unified_files(patch: &str, named: &[String]) -> Vec<(WriteKind, String)> {
    let mut found: Vec<(WriteKind, String)> = Vec::new();
    let mut push = |kind, path: Option<String>| {
        let Some(path) = path.filter(|path| !found.iter().any(|(_, known)| known == path)) else { return };
        found.push((kind, path));
    };
    let named_path = |path: &str| {
        let path = path.split('\t').next().unwrap_or_default().trim_end_matches('\r');
        let path = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path);
        let whole = format!("/{path}");
        let nothing = path.is_empty() || path == "/dev/null" || whole == "/dev/null";
        (!nothing).then(|| named.iter().find(|named| **named == whole).cloned().unwrap_or(path.to_owned()))
    };
    let (mut old, mut new) = (0_u64, 0_u64);
    let mut before: Option<Option<String>> = None;
    for line in patch.lines() {
        if old > 0 || new > 0 {
            match line.as_bytes().first() {
                Some(b'-') => old = old.saturating_sub(1),
                Some(b'+') => new = new.saturating_sub(1),
                Some(b'\\') => {}
                _ => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
            }
            continue;
        }
        if let Some(range) = line.strip_prefix("@@ ") {
            (old, new) = hunk_line_counts(range);
        } else if let Some(path) = line.strip_prefix("--- ") {
            if let Some(before) = before.replace(named_path(path)) {
                push(WriteKind::Edit, before);
            }
        } else if let Some(path) = line.strip_prefix("+++ ") {
            match (before.take(), named_path(path)) {
                (Some(None), after) => push(WriteKind::Create, after),
                (Some(before), None) => push(WriteKind::Delete, before),
                (before, after) => {
                    push(WriteKind::Edit, before.flatten());
                    push(WriteKind::Edit, after);
                }
            }
        } else if let Some(path) =
            line.strip_prefix("rename from ").or_else(|| line.strip_prefix("rename to "))
        {
            push(WriteKind::Move, named_path(path));
        } else if let Some(path) = line.strip_prefix("copy to ") {
            push(WriteKind::Create, named_path(path));
        }
    }
    push(WriteKind::Edit, before.flatten());
    found
}

/// How many lines of the old and of the new text a hunk has: `-1,5 +1,6 @@`.
fn hunk_line_counts(range: &str) -> (u64, u64) {
    let mut counts = range.split(' ').take(2).map(|part| {
        let lines = part.split_once(',').map(|(_, lines)| lines.parse().unwrap_or(1));
        lines.unwrap_or(1)
    });
    (counts.next().unwrap_or(0), counts.next().unwrap_or(0))
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

    #[test]
    fn given_a_unified_patch_then_its_files_are_found_and_lines_of_hunks_are_none() {
        let patch = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a/within\n same\n+++ b/within\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-z\nrename from o\nrename to n\n";
        let files = |patch: &str, named: &[&str]| {
            let named: Vec<String> = named.iter().map(|&name| name.to_owned()).collect();
            unified_files(patch, &named)
        };
        let found = |kind, path: &str| (kind, path.to_owned());
        assert_eq!(
            files(patch, &[]),
            [
                found(WriteKind::Edit, "x"),
                found(WriteKind::Delete, "y"),
                found(WriteKind::Move, "o"),
                found(WriteKind::Move, "n")
            ]
        );
        // As Copilot has it: the file is absolute, and one that was not there is a file within `a/`.
        let made = "--- a/dev/null\n+++ b/tmp/p/hello.txt\n@@ -0,0 +1 @@\n+x\n";
        assert_eq!(files(made, &["/tmp/p/hello.txt"]), [found(WriteKind::Create, "/tmp/p/hello.txt")]);
        assert_eq!(files(made, &["/w/hello.txt"]), [found(WriteKind::Create, "tmp/p/hello.txt")]);
        assert_eq!(files("--- /dev/null\n+++ /etc/x\n", &[]), [found(WriteKind::Create, "/etc/x")]);
        assert_eq!(
            files("--- a/x\n+++ b/etc/y\n", &[]),
            [found(WriteKind::Edit, "x"), found(WriteKind::Edit, "etc/y")]
        );
        // A header of which the other half is missing counts too.
        assert_eq!(
            files("--- a/x\n--- a/y\n", &[]),
            [found(WriteKind::Edit, "x"), found(WriteKind::Edit, "y")]
        );
    }

    /// Attack 760.
    #[test]
    fn given_something_around_a_patch_then_it_is_no_whole_one() {
        let patch = "*** Begin Patch\n*** Update File: a\n@@ fn x\n a\n-b\n+c\n\n*** Add File: b\n+x\n*** End of File\n*** End Patch";
        assert!(is_whole_patch(patch) && is_whole_patch(&format!("{patch}\n")));
        for other in [
            patch.replace("*** End Patch", "*** End Patch\nrm -rf x"),
            format!("rm x\n{patch}"),
            format!("{patch}; rm x"),
            patch.replace("@@ fn x", "rm -rf x"),
            patch.replace("@@ fn x", "*** Run: rm"),
            patch.replace("@@ fn x", "*** Environment ID: x"),
            patch.replace("*** Begin Patch", "*** Begin Patch x"),
            "*** Begin Patch\n*** End Patch".to_owned(),
        ] {
            assert!(!is_whole_patch(&other), "{other}");
        }
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
