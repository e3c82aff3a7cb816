//! Whether files around a folder tell cargo, rustup or go what to run, or hold options that another program obeys.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// As many folders upwards.
const MOST: usize = 64;
/// The longest file that is looked into.
const LONGEST: u64 = 64 * 1024;

/// A file that may be there.
enum FoundFile {
    Nothing,
    Text(String),
    /// It can't be read, or is too long.
    Unknown,
}

fn look_up_file(file: &Path) -> FoundFile {
    let gone = |kind: ErrorKind| matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory);
    match fs::symlink_metadata(file) {
        Err(error) if gone(error.kind()) => FoundFile::Nothing,
        _ => fs::metadata(file)
            .ok()
            .filter(|meta| meta.is_file() && meta.len() <= LONGEST)
            .and_then(|_| fs::read_to_string(file).ok())
            .map_or(FoundFile::Unknown, FoundFile::Text),
    }
}

/// The folder itself, in which links are followed, and all above it; none if these are too many.
fn ancestor_folders(cwd: &Path) -> Option<Vec<PathBuf>> {
    let folders: Vec<PathBuf> = cwd.ancestors().take(MOST + 1).map(Path::to_owned).collect();
    (folders.len() <= MOST).then_some(folders)
}

/// Whether no configuration from here upwards, but for the user's own, tells cargo what to run, and none
/// tells rustup of a toolchain in a folder.
pub(super) fn plain_cargo(cwd: &Path) -> bool {
    let home = crate::home_folder();
    let quiet = |folder: &PathBuf| {
        let own = home.as_deref() == Some(folder);
        let none = |name: &str| matches!(look_up_file(&folder.join(name)), FoundFile::Nothing);
        own || none(".cargo/config.toml")
            && none(".cargo/config")
            && ["rust-toolchain.toml", "rust-toolchain"].iter().all(|name| {
                match look_up_file(&folder.join(name)) {
                    FoundFile::Nothing => true,
                    FoundFile::Text(text) => is_published_channel(text.trim()) || plain_toolchain(&text),
                    FoundFile::Unknown => false,
                }
            })
    };
    ancestor_folders(cwd).is_some_and(|folders| folders.iter().all(quiet))
}

/// `stable`, `nightly-2025-01-01`, `1.85.0-x86_64-unknown-linux-gnu`: what the project itself publishes.
fn is_published_channel(name: &str) -> bool {
    let published = ["stable", "beta", "nightly"].iter().any(|channel| name.starts_with(channel));
    let number = name.starts_with(|c: char| c.is_ascii_digit());
    (published || number) && plain_word(name)
}

fn plain_word(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
}

/// Whether a toolchain file asks for a published toolchain, and for parts of it.
fn plain_toolchain(text: &str) -> bool {
    let Ok(file) = text.parse::<toml::Table>() else { return false };
    let word = |value: &toml::Value| value.as_str().is_some_and(plain_word);
    let known = |(key, value): (&String, &toml::Value)| match key.as_str() {
        "channel" => value.as_str().is_some_and(is_published_channel),
        "profile" => word(value),
        "components" | "targets" => value.as_array().is_some_and(|words| words.iter().all(word)),
        _ => false,
    };
    file.iter().all(|(key, value)| {
        key == "toolchain" && value.as_table().is_some_and(|table| table.iter().all(known))
    })
}

/// Whether no module or work space from here upwards has `go` fetch and run another version of itself.
pub(super) fn plain_go(cwd: &Path) -> bool {
    let quiet = |folder: &PathBuf| {
        ["go.mod", "go.work"].iter().all(|name| match look_up_file(&folder.join(name)) {
            FoundFile::Nothing => true,
            FoundFile::Text(text) => old_go(&text),
            FoundFile::Unknown => false,
        })
    };
    ancestor_folders(cwd).is_some_and(|folders| folders.iter().all(quiet))
}

/// Whether a module is content with any version since 1.20: from 1.21 on, an older `go` fetches a newer.
fn old_go(text: &str) -> bool {
    let old = |version: &str| {
        let minor = version.strip_prefix("1.").map(|rest| rest.split('.').next().unwrap_or_default());
        minor.and_then(|minor| minor.parse::<u32>().ok()).is_some_and(|minor| minor < 21)
    };
    !text.contains("toolchain")
        && text.lines().all(|line| {
            let mut words = line.split_whitespace();
            match words.next() {
                Some("go") => words.next().is_some_and(old),
                Some(word) => !word.starts_with("go("),
                None => true,
            }
        })
}

/// Whether no file of one of these names lies here or further up, but for the user's own.
pub(super) fn without_guides(cwd: &Path, names: &[String]) -> bool {
    let home = crate::home_folder();
    let none =
        |folder: &PathBuf, name: &String| matches!(look_up_file(&folder.join(name)), FoundFile::Nothing);
    let quiet =
        |folder: &PathBuf| home.as_deref() == Some(folder) || names.iter().all(|name| none(folder, name));
    ancestor_folders(cwd).is_some_and(|folders| folders.iter().all(quiet))
}

/// Whether no file from here upwards has a version manager's stand-in for a program start one in a folder of the project:
/// `nodejs path:./x` in `.tool-versions`.
pub(super) fn plain_versions(cwd: &Path) -> bool {
    let quiet = |folder: &PathBuf| {
        [
            ".tool-versions",
            "mise.toml",
            ".mise.toml",
            "mise.local.toml",
            ".mise.local.toml",
            ".config/mise.toml",
            ".config/mise/config.toml",
            "mise/config.toml",
            ".mise/config.toml",
            ".rtx.toml",
        ]
        .iter()
        .all(|name| match look_up_file(&folder.join(name)) {
            FoundFile::Nothing => true,
            FoundFile::Text(text) => {
                !["path:", "ref:", "path", "env", "{{"].iter().any(|mark| text.contains(mark))
            }
            FoundFile::Unknown => false,
        })
    };
    ancestor_folders(cwd).is_some_and(|folders| folders.iter().all(quiet))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    fn plain_cargo(cwd: &Path) -> bool {
        super::plain_cargo(&crate::resolve_path(cwd).unwrap())
    }

    fn plain_go(cwd: &Path) -> bool {
        super::plain_go(&crate::resolve_path(cwd).unwrap())
    }

    /// Attack 76: a toolchain in a folder of the workspace is a program.
    #[test]
    fn given_a_toolchain_file_then_only_a_published_one_is_harmless() {
        let plain = |name: &str, text: &str| {
            let dir = tempfile::tempdir().unwrap();
            fs::write(dir.path().join(name), text).unwrap();
            fs::create_dir(dir.path().join("src")).unwrap();
            plain_cargo(&dir.path().join("src"))
        };
        for name in ["rust-toolchain.toml", "rust-toolchain"] {
            for text in [
                "[toolchain]\nchannel = \"1.85\"\n",
                "[toolchain]\nchannel = \"nightly-2025-01-01\"\nprofile = \"minimal\"\ncomponents = [\"clippy\"]\n",
                "# path\n[toolchain]\ntargets = [\"wasm32-unknown-unknown\"]\n",
                "stable\n",
                "",
            ] {
                assert!(plain(name, text), "{name}: {text}");
            }
            for text in [
                "[toolchain]\npath = \"/x\"\n",
                "[toolchain]\n\"p\\u0061th\" = \"/x\"\n",
                "toolchain.\"p\\u0061th\" = \"/x\"\n",
                "[toolchain]\nchannel = \"../x\"\n",
                "[toolchain]\nchannel = \"mine\"\n",
                "[toolchain]\nchannel = \"stable\"\nunknown = 1\n",
                "[other]\n",
                "[toolchain",
                "/x",
                "stable/../x",
            ] {
                assert!(!plain(name, text), "{name}: {text}");
            }
        }
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("rust-toolchain.toml"), [0xff]).unwrap();
        assert!(!plain_cargo(dir.path()));
        let dir = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("nowhere", dir.path().join("rust-toolchain")).unwrap();
        assert!(!plain_cargo(dir.path()));
    }

    /// Attack 76: from above where a link led.
    #[test]
    fn given_a_link_then_what_is_above_its_target_counts() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("a/b")).unwrap();
        fs::create_dir_all(dir.path().join("a/.cargo")).unwrap();
        fs::write(dir.path().join("a/.cargo/config.toml"), "").unwrap();
        std::os::unix::fs::symlink("a/b", dir.path().join("way")).unwrap();
        assert!(!plain_cargo(&dir.path().join("way")));
        assert!(plain_cargo(dir.path()));
    }

    /// Attack 76: `go version` may fetch another `go`.
    #[test]
    fn given_a_module_that_wants_another_go_then_it_is_not_plain() {
        let plain = |text: &str| {
            let dir = tempfile::tempdir().unwrap();
            fs::write(dir.path().join("go.mod"), text).unwrap();
            plain_go(dir.path())
        };
        assert!(plain("module x\n\ngo 1.20\n\nrequire example.com/y v1.0.0\n"));
        for text in [
            "module x\ngo 1.99\n",
            "module x\ngo 1.20\ntoolchain go1.99\n",
            "go (\n1.99\n)\n",
            "go(\n1.99\n)\n",
        ] {
            assert!(!plain(text), "{text}");
        }
    }
}
