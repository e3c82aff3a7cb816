//! Files that a patch names: a text among a tool's arguments may be one. Every line that could be a header counts, also one
//! that stands where a reader of patches would take it for text.

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

/// The names in `text`, those of git's patches also without the letter before them. Where a time may stand behind a name, it
/// counts with it and without: to others, that is a part of the name.
pub fn patched_names<'t>(text: &'t str) -> impl Iterator<Item = &'t str> {
    text.lines().filter_map(rest_of).flat_map(|rest| {
        let forms = [rest, rest.split('\t').next().unwrap_or(rest).trim()];
        let forms = forms.into_iter().flat_map(|name| [name, name.trim_matches('"')]);
        let mut names: Vec<&str> = forms.filter(|name| !name.is_empty()).collect();
        let bare = |name: &&'t str| ["a/", "b/"].iter().find_map(|letter| name.strip_prefix(letter));
        names.extend(names.iter().filter_map(bare).collect::<Vec<_>>());
        names.sort_unstable();
        names.dedup();
        names
    })
}

fn rest_of(line: &str) -> Option<&str> {
    HEADERS.iter().find_map(|header| line.trim_start().strip_prefix(header)).map(str::trim)
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
            ["x", "y", "a/x", "a/x\t2026-01-01", "x", "x\t2026-01-01", "\"b/y\"", "b/y", "y"]
        );
        // A reader of patches in Codex's form takes all of the line.
        assert_eq!(found("*** Add File: src/x\t/../../k"), ["src/x", "src/x\t/../../k"]);
        assert_eq!(found("*** Add File: \"k\""), ["\"k\"", "k"]);
        assert_eq!(found("a list:\n- one\n+ two\n---\n"), Vec::<&str>::new());
    }
}
