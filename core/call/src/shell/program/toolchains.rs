//! Whether files around a folder tell cargo, rustup or go what to run, or hold options that another program obeys.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// As many folders upwards.
const MOST: usize = 64;
/// As many toolchains.
const MOST_TOOLCHAINS: usize = 1000;
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
    is_plain_cargo(cwd, crate::home_folder().as_deref(), rustup_folder().as_deref())
}

/// Where rustup keeps toolchains.
fn rustup_folder() -> Option<PathBuf> {
    let told = std::env::var_os("RUSTUP_HOME").map(PathBuf::from).filter(|told| told.is_absolute());
    told.or_else(|| Some(crate::home_folder()?.join(".rustup")))
}

fn is_plain_cargo(cwd: &Path, home: Option<&Path>, rustup: Option<&Path>) -> bool {
    let quiet = |folder: &PathBuf| {
        let own = home == Some(folder);
        let none = |name: &str| matches!(look_up_file(&folder.join(name)), FoundFile::Nothing);
        own || none(".cargo/config.toml")
            && none(".cargo/config")
            && ["rust-toolchain.toml", "rust-toolchain"].iter().all(|name| {
                match look_up_file(&folder.join(name)) {
                    FoundFile::Nothing => true,
                    FoundFile::Text(text) => plain_toolchain(&text, rustup),
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

/// The parts of a published toolchain that is installed, each by its name and what it is for; none if it is not: then rustup
/// fetches it. Nobody but the user writes there.
fn installed_parts(rustup: Option<&Path>, channel: &str) -> Option<String> {
    let folder = rustup?.join("toolchains");
    let named = fs::read_dir(&folder).ok()?.take(MOST_TOOLCHAINS).flatten().find(|entry| {
        let name = entry.file_name();
        let of_channel = |name: &str| {
            name == channel
                || name
                    .strip_prefix(channel)
                    .and_then(|rest| rest.strip_prefix('-'))
                    .is_some_and(is_this_machine)
        };
        name.to_str().is_some_and(of_channel)
    })?;
    match look_up_file(&named.path().join("lib/rustlib/components")) {
        FoundFile::Text(parts) => Some(parts),
        FoundFile::Nothing => Some(String::new()),
        FoundFile::Unknown => None,
    }
}

/// `x86_64-unknown-linux-gnu`: the kind of machine that a channel without one is for.
fn is_this_machine(triple: &str) -> bool {
    let (machine, system) = (std::env::consts::ARCH, std::env::consts::OS);
    let machine = if machine == "x86" { "i686" } else { machine };
    let system = if system == "macos" { "darwin" } else { system };
    triple.split('-').next() == Some(machine) && triple.contains(system)
}

/// Whether a toolchain file asks for a published toolchain that is there, with all parts that it asks for.
fn plain_toolchain(text: &str, rustup: Option<&Path>) -> bool {
    let channel = text.trim();
    if is_published_channel(channel) {
        return installed_parts(rustup, channel).is_some();
    }
    let Ok(file) = text.parse::<toml::Table>() else { return false };
    let word = |value: &toml::Value| value.as_str().is_some_and(plain_word);
    let known = |(key, value): (&String, &toml::Value)| match key.as_str() {
        "channel" => value.as_str().is_some_and(is_published_channel),
        "profile" => word(value),
        "components" | "targets" => value.as_array().is_some_and(|words| words.iter().all(word)),
        _ => false,
    };
    let there = |table: &toml::Table| {
        let words = |key: &str| {
            let list = table.get(key).and_then(toml::Value::as_array);
            list.into_iter().flatten().filter_map(toml::Value::as_str).map(str::to_owned).collect::<Vec<_>>()
        };
        let standard = words("targets").into_iter().map(|target| format!("rust-std-{target}"));
        let mut parts = words("components").into_iter().chain(standard).peekable();
        let Some(channel) = table.get("channel").and_then(toml::Value::as_str) else {
            return parts.peek().is_none();
        };
        installed_parts(rustup, channel).is_some_and(|installed| {
            let has = |part: &String| {
                let mut rests = installed.lines().filter_map(|line| line.strip_prefix(part.as_str()));
                rests.any(|rest| rest.is_empty() || rest.starts_with('-'))
            };
            parts.all(|part| has(&part))
        })
    };
    file.iter().all(|(key, value)| {
        let plain = |table: &toml::Table| table.iter().all(known) && there(table);
        key == "toolchain" && value.as_table().is_some_and(plain)
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

    /// With toolchains that are installed.
    fn plain_cargo(cwd: &Path) -> bool {
        let rustup = tempfile::tempdir().unwrap();
        let machine = machine();
        for name in ["stable", "1.85", "nightly-2025-01-01"] {
            let kept = rustup.path().join(format!("toolchains/{name}-{machine}/lib/rustlib"));
            fs::create_dir_all(&kept).unwrap();
            let parts = ["cargo", "clippy-preview", "rust-std"].map(|part| format!("{part}-{machine}\n"));
            fs::write(kept.join("components"), parts.concat() + "rust-src\n").unwrap();
        }
        super::is_plain_cargo(&crate::resolve_path(cwd).unwrap(), None, Some(rustup.path()))
    }

    fn machine() -> String {
        let system = if cfg!(target_os = "macos") { "apple-darwin" } else { "unknown-linux-gnu" };
        format!("{}-{system}", std::env::consts::ARCH)
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

    /// D2.30: the version that a file names is there, with its parts; else rustup fetches it. Attack 601.
    #[test]
    fn given_a_toolchain_that_is_not_installed_then_its_file_is_not_harmless() {
        let plain = |text: &str| {
            let dir = tempfile::tempdir().unwrap();
            fs::write(dir.path().join("rust-toolchain.toml"), text).unwrap();
            plain_cargo(dir.path())
        };
        let own = machine();
        let mut there: Vec<String> = [
            "channel = \"1.85\"\n",
            "channel = \"stable\"\nprofile = \"minimal\"\ncomponents = [\"clippy\", \"rust-src\"]\n",
            "channel = \"nightly-2025-01-01\"\ncomponents = [\"cargo\"]\n",
            "profile = \"minimal\"\n",
        ]
        .map(|text| format!("[toolchain]\n{text}"))
        .into();
        there.push(format!("[toolchain]\nchannel = \"stable\"\ntargets = [\"{own}\"]\n"));
        there.push(format!("[toolchain]\nchannel = \"1.85-{own}\"\n"));
        there.push(format!("stable-{own}\n"));
        there.push("stable\n".to_owned());
        for text in there {
            assert!(plain(&text), "{text}");
        }
        for text in [
            "1.70.0",
            "beta",
            "nightly",
            "stable-mips-unknown-linux-gnu",
            "[toolchain]\nchannel = \"1.70.0\"\n",
            "[toolchain]\nchannel = \"1.8\"\n",
            "[toolchain]\nchannel = \"nightly\"\n",
            "[toolchain]\nchannel = \"nightly-2025-01-0\"\n",
            "[toolchain]\nchannel = \"stable\"\ncomponents = [\"miri\"]\n",
            "[toolchain]\nchannel = \"stable\"\ncomponents = [\"clip\"]\n",
            "[toolchain]\nchannel = \"stable\"\ntargets = [\"wasm32-unknown-unknown\"]\n",
            "[toolchain]\ntargets = [\"wasm32-unknown-unknown\"]\n",
            "[toolchain]\ncomponents = [\"miri\"]\n",
        ] {
            assert!(!plain(text), "{text}");
        }
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("rust-toolchain"), "stable\n").unwrap();
        let at = crate::resolve_path(dir.path()).unwrap();
        assert!(!super::is_plain_cargo(&at, None, None) && !super::is_plain_cargo(&at, None, Some(&at)));
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
