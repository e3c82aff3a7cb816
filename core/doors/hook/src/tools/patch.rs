//! Patches in the form that Codex made: which files they are about. Every line that could be a header counts, also one that stands
//! where a reader of patches would take it for text: that only adds a file.

use mayi_core::call::WriteKind;

/// The files of `patch`, and what becomes of each.
pub(super) fn patched_files(patch: &str) -> Vec<(WriteKind, String)> {
    let header = |line: &str| {
        let rest = line.trim().strip_prefix("***")?.trim_start();
        let kinds = [
            ("Add File:", WriteKind::Create),
            ("Update File:", WriteKind::Edit),
            ("Delete File:", WriteKind::Delete),
            ("Move to:", WriteKind::Move),
        ];
        kinds.into_iter().find_map(|(word, kind)| {
            let path = rest.strip_prefix(word)?.trim();
            (!path.is_empty()).then(|| (kind, path.to_owned()))
        })
    };
    patch.lines().filter_map(header).collect()
}

/// Whether `text` is such a patch, or a line that holds one: Codex has its `apply_patch` in its shell, too.
pub(super) fn holds_one(text: &str) -> bool {
    text.contains("*** Begin Patch")
}

/// Whether something stands before the patch in it: then it is a line, too.
pub(super) fn begins_otherwise(text: &str) -> bool {
    text.split_once("*** Begin Patch").is_some_and(|(before, _)| !before.trim().is_empty())
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
            holds_one(patch) && holds_one("apply_patch <<E\n*** Begin Patch") && !holds_one("apply_patch x")
        );
    }
}
