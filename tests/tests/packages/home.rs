//! An empty home, with what a person has who has no Rust.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// What all packages have to be.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The top of the checkout.
pub(crate) fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The folder with the packages.
pub(crate) fn packages() -> PathBuf {
    let folder = std::env::var_os("MAYI_PACKAGES");
    folder.unwrap_or_else(|| panic!("MAYI_PACKAGES is not set: run `just test-dist`")).into()
}

/// The one package whose name begins and ends so.
#[track_caller]
pub(crate) fn package(begins: &str, ends: &str) -> PathBuf {
    let folder = packages();
    let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let found: Vec<String> = names.filter(|name| name.starts_with(begins) && name.ends_with(ends)).collect();
    let [one] = found.as_slice() else { panic!("{begins}*{ends} in {}: {found:?}", folder.display()) };
    folder.join(one)
}

pub(crate) struct Home {
    folder: TempDir,
    path: String,
}

impl Home {
    /// With nothing in it, and a search path of the system's programs, Node.js and Python.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "work", "bin", "tmp"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let bin = folder.path().join("bin");
        // Where they are for whoever runs the tests, which may be a folder with much else in it.
        symlink(found("node"), bin.join("node")).unwrap();
        symlink(found("npm"), bin.join("npm")).unwrap();
        let path = format!("{}:/usr/bin:/bin", bin.display());
        for rust in ["cargo", "rustc", "rustup", "mayi"] {
            let there = path.split(':').find(|folder| Path::new(folder).join(rust).exists());
            assert_eq!(there, None, "{rust} would be found there: this shows nothing");
        }
        Self { folder, path }
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.at("work"));
        command.env("HOME", self.at("home")).env("PATH", &self.path).env("LANG", "C.UTF-8");
        command.env("TMPDIR", self.at("tmp"));
        // What is needed is there, or it is an error.
        command.env("PIP_NO_INDEX", "1").env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
        command.env("npm_config_offline", "true").env("npm_config_update_notifier", "false");
        command.env("npm_config_audit", "false").env("npm_config_fund", "false");
        command
    }

    /// Runs a program that ends well, and says what it printed.
    #[track_caller]
    pub(crate) fn run<S: AsRef<OsStr>>(
        &self,
        program: impl AsRef<OsStr>,
        words: impl IntoIterator<Item = S>,
    ) -> String {
        good(self.command(program).args(words))
    }

    /// `mayi run demo` in the folder for work, with its questions answered by rules; and what `mayi update` says of it.
    #[track_caller]
    pub(crate) fn tour(&self, mayi: &Path) -> Duration {
        let version = self.run(mayi, ["--version"]);
        assert_eq!(version.trim(), format!("mayi {VERSION}"));
        let begin = Instant::now();
        let rules = ["--allow", "write(mayi-demo*)", "--allow", "shell(rm mayi-demo.txt)"];
        let told = self.run(mayi, ["run", "demo"].iter().chain(&rules).chain(&["show me what you do"]));
        let took = begin.elapsed();
        assert!(told.contains("That was the tour."), "{told}");
        let left = fs::read_to_string(self.at("work/mayi-demo-notes.txt")).unwrap();
        assert!(!left.is_empty() && !self.at("work/mayi-demo.txt").exists(), "what was allowed was done");
        took
    }

    /// How mayi says that it was installed.
    #[track_caller]
    pub(crate) fn way(&self, mayi: &Path) -> String {
        let told: Value = serde_json::from_str(&self.run(mayi, ["update", "--json"])).unwrap();
        told["installed"].as_str().unwrap().to_owned()
    }
}

/// Where a program is on the search path of whoever runs the tests, without links.
fn found(program: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    let there = std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file());
    there.unwrap_or_else(|| panic!("there is no {program}: run tests/run")).canonicalize().unwrap()
}

/// The Python that whoever runs the tests has, as a person has it: a shim of a version manager would not know this home.
pub(crate) fn python() -> PathBuf {
    let told = good(Command::new("python3").args(["-c", "import sys; print(sys.executable)"]));
    PathBuf::from(told.trim())
}

#[track_caller]
pub(crate) fn good(command: &mut Command) -> String {
    let Output { status, stdout, stderr } =
        command.output().unwrap_or_else(|error| panic!("{error}: {command:?}"));
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{command:?}: {status}\n{stdout}\n{stderr}");
    stdout.into_owned()
}

/// A line of the table that `just test-dist` prints: what, sizes in MB, seconds.
pub(crate) fn note(what: &str, files: &[&Path], folder: &Path, install: Duration, tour: Duration) {
    let packed: u64 = files.iter().map(|file| file.metadata().unwrap().len()).sum();
    let line = format!(
        "{what}\t{:.1}\t{:.1}\t{:.1}\t{:.1}\n",
        mega(packed),
        mega(size(folder)),
        install.as_secs_f64(),
        tour.as_secs_f64()
    );
    if let Some(table) = std::env::var_os("MAYI_PACKAGES_TABLE") {
        let file = fs::OpenOptions::new().create(true).append(true).open(table);
        file.and_then(|mut file| file.write_all(line.as_bytes())).unwrap();
    }
}

#[allow(clippy::cast_precision_loss, reason = "a tenth of a megabyte is shown")]
fn mega(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn size(path: &Path) -> u64 {
    let meta = path.symlink_metadata().unwrap();
    if !meta.is_dir() {
        return meta.len();
    }
    fs::read_dir(path).unwrap().map(|entry| size(&entry.unwrap().path())).sum()
}
