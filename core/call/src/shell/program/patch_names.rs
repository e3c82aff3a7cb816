//! Files that a patch names: a text among a tool's arguments may be one. Every line that could be a header counts, also one
//! that stands where a reader of patches would take it for text.

/// As many names of one text are looked at.
const MOST: usize = 64;

/// What stands before a name, in patches as Codex made them, unified ones and git's.
const HEADERS: &[&str] = &[
    "*** Add File:",
    "*** Update File:",
    "*** Delete File:",
    "*** Move to:",
    "***Add File:",
    "***Update File:",
    "***Delete File:",
    "***Move to:",
    "--- ",
    "+++ ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
];

/// The names in `text`, those of git's patches also without the letter before them.
pub(in crate::shell) fn patched_names(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(name_of).take(MOST).flat_map(|name| {
        let bare = ["a/", "b/"].iter().find_map(|letter| name.strip_prefix(letter));
        std::iter::once(name).chain(bare)
    })
}

fn name_of(line: &str) -> Option<&str> {
    let rest = HEADERS.iter().find_map(|header| line.trim_start().strip_prefix(header))?;
    // A time may stand behind it.
    let name = rest.split('\t').next().unwrap_or(rest).trim().trim_matches('"');
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_a_patch_then_every_file_that_it_names_counts() {
        let found = |text| patched_names(text).collect::<Vec<_>>();
        assert_eq!(
            found(
                "*** Begin Patch\n*** Update File: src/a b.rs\n***Move to: ../c\n@@\n-x\n+y\n*** End Patch"
            ),
            ["src/a b.rs", "../c"]
        );
        assert_eq!(
            found(
                "diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\t2026-01-01\n+++ \"b/y\"\n@@ -1 +1 @@\n-a\n+b"
            ),
            ["x", "y", "a/x", "x", "b/y", "y"]
        );
        assert_eq!(found("a list:\n- one\n+ two\n---\n"), Vec::<&str>::new());
    }
}
