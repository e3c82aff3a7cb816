//! Which program a command's first word means.

/// Folders where the system keeps its programs.
const SYSTEM: &[&str] = &["/usr/bin/", "/bin/", "/usr/local/bin/"];

/// The name that a program is looked up by: without folder and `.exe`.
pub(super) fn base_name(name: &str) -> &str {
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = base.len().checked_sub(4).and_then(|at| base.split_at_checked(at));
    match stem {
        Some((stem, end)) if !stem.is_empty() && end.eq_ignore_ascii_case(".exe") => stem,
        _ => base,
    }
}

/// The names that a program has without the version behind its name: `pip3` and `pip` for `pip3.12`. Whether a program is called
/// so, the table says.
pub(super) fn without_version(base: &str) -> impl Iterator<Item = &str> {
    let minor = base.rsplit_once('.').filter(|(_, minor)| minor.bytes().all(|b| b.is_ascii_digit()));
    let bare = base.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let shorter = move |name: &&str| !name.is_empty() && *name != base;
    minor.map(|(major, _)| major).into_iter().filter(move |name| *name != bare).chain([bare]).filter(shorter)
}

/// Whether `name` is certainly the program that it says: the bare name, or its full name where the
/// system keeps it. `./cat` and `cat.exe` may be anything.
pub(super) fn is_trusted_name(name: &str) -> bool {
    let bare = SYSTEM.iter().find_map(|folder| name.strip_prefix(folder)).unwrap_or(name);
    bare == base_name(bare)
}

#[cfg(test)]
mod tests {
    use super::{base_name, is_trusted_name, without_version};

    #[test]
    fn given_a_name_with_a_version_then_those_without_it_are_told() {
        for (name, names) in [
            ("pip3.12", &["pip3", "pip"][..]),
            ("pip3", &["pip"]),
            ("gcc-12", &["gcc"]),
            ("python3.13", &["python3", "python"]),
            ("pip", &[]),
            ("12", &[]),
            ("", &[]),
        ] {
            assert_eq!(without_version(name).collect::<Vec<_>>(), names, "{name}");
        }
    }

    #[test]
    fn given_a_name_then_its_base_is_looked_up_and_only_plain_names_are_trusted() {
        for (name, of, plain) in [
            ("cat", "cat", true),
            ("/usr/bin/cat", "cat", true),
            ("./cat", "cat", false),
            ("/usr/bin/../../tmp/cat", "cat", false),
            ("/tmp/cat", "cat", false),
            ("cat.exe", "cat", false),
            ("cat.EXE", "cat", false),
            (".exe", ".exe", true),
            ("ü.é", "ü.é", true),
            ("", "", true),
        ] {
            assert_eq!((base_name(name), is_trusted_name(name)), (of, plain), "{name}");
        }
    }
}
