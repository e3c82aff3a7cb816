//! Each way in which people get a program, up to `mayi run demo`; and what goes when they remove it.

use std::fs;
use std::path::Path;
use std::time::Instant;

use rustix::process::geteuid;
use serde_json::Value;

use crate::home::{Home, VERSION, note, package, python};

/// What stands beside the program says what it says.
#[track_caller]
fn beside(home: &Home, man: &Path, completions: &[(&str, &Path)]) {
    let page = |name: &str| {
        let packed = man.join(format!("{name}.gz"));
        if packed.exists() {
            return home.run("gzip", [Path::new("-dc"), &packed]);
        }
        fs::read_to_string(man.join(name)).unwrap_or_else(|error| panic!("{}/{name}: {error}", man.display()))
    };
    assert!(page("mayi.1").contains(".TH mayi 1"), "the page of the program");
    assert!(page("mayi-run.1").contains("mayi run claude"), "the page of a command, with its examples");
    for (shell, script) in completions {
        let text = fs::read_to_string(script).unwrap_or_else(|error| panic!("{}: {error}", script.display()));
        assert!(text.contains("mayi") && text.contains("uninstall"), "completions of {shell}");
    }
    let (_, bash) = completions.iter().find(|(shell, _)| *shell == "bash").unwrap();
    home.run("bash", [Path::new("-n"), bash]);
}

/// "In an empty home, without Rust: `pip install` of the built wheel into a new venv".
#[test]
fn given_the_wheel_when_pip_installs_it_then_mayi_runs_and_goes_again() {
    let (home, wheel) = (Home::new(), package("mayi-", ".whl"));
    let venv = home.at("venv");
    home.run(python(), ["-m".as_ref(), "venv".as_ref(), venv.as_os_str()]);
    let pip = venv.join("bin/pip");
    let before = fs::read_dir(venv.join("bin")).unwrap().count();
    let begin = Instant::now();
    home.run(&pip, ["install".as_ref(), "--quiet".as_ref(), wheel.as_os_str()]);
    let installed = begin.elapsed();
    let mayi = venv.join("bin/mayi");
    let head = fs::read(&mayi).unwrap();
    assert!(head.starts_with(b"\x7fELF"), "the program itself, and no script before it");
    let tour = home.tour(&mayi);
    assert_eq!(home.way(&mayi), "pip");
    let share = venv.join("share");
    let scripts = [
        ("bash", &*share.join("bash-completion/completions/mayi")),
        ("zsh", &*share.join("zsh/vendor-completions/_mayi")),
        ("fish", &*share.join("fish/vendor_completions.d/mayi.fish")),
    ];
    beside(&home, &share.join("man/man1"), &scripts);
    note("wheel, pip install", &[&wheel], &mayi, installed, tour);
    home.run(&pip, ["uninstall", "--quiet", "--yes", "mayi"]);
    assert!(!mayi.exists() && !share.join("man/man1/mayi.1").exists(), "nothing of it stays");
    assert_eq!(fs::read_dir(venv.join("bin")).unwrap().count(), before);
}

/// "`npm install` of the built packages into an empty folder": without a script of theirs, and the platform's package is the one
/// that the other asks for.
#[test]
fn given_the_npm_packages_when_npm_installs_them_then_mayi_runs_and_goes_again() {
    let (home, main, own) =
        (Home::new(), package(&format!("mayi-{VERSION}"), ".tgz"), package("mayi-linux-", ".tgz"));
    let folder = home.at("project");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("package.json"), "{}").unwrap();
    let prefix = folder.to_str().unwrap();
    let words = ["install", "--prefix", prefix, main.to_str().unwrap(), own.to_str().unwrap()];
    let begin = Instant::now();
    home.run("npm", words);
    let installed = begin.elapsed();
    let mayi = folder.join("node_modules/.bin/mayi");
    let tour = home.tour(&mayi);
    assert_eq!(home.way(&mayi), "npm");
    let package = folder.join("node_modules/mayi");
    let scripts = ["bash", "zsh", "fish"].map(|shell| {
        let name = if shell == "zsh" { "_mayi".to_owned() } else { format!("mayi.{shell}") };
        (shell, package.join("completions").join(name))
    });
    beside(
        &home,
        &package.join("man"),
        &scripts.each_ref().map(|(shell, script)| (*shell, script.as_path())),
    );
    note("npm install", &[&main, &own], &folder.join("node_modules"), installed, tour);
    let listed: Value =
        serde_json::from_str(&home.run("npm", ["ls", "--prefix", prefix, "--json", "--all"])).unwrap();
    let needs = &listed["dependencies"]["mayi"]["dependencies"];
    assert!(needs.as_object().unwrap().values().any(|one| one["version"] == VERSION), "{listed}");
    let names: Vec<&String> = listed["dependencies"].as_object().unwrap().keys().collect();
    home.run(
        "npm",
        ["uninstall", "--prefix", prefix].into_iter().chain(names.into_iter().map(String::as_str)),
    );
    assert!(!mayi.exists() && !package.exists());
}

/// "`npm install` for all projects": the launcher is on the search path, and its manual where `man` looks.
#[test]
fn given_the_npm_packages_when_they_are_installed_for_all_projects_then_the_manual_is_there_too() {
    let (home, main, own) =
        (Home::new(), package(&format!("mayi-{VERSION}"), ".tgz"), package("mayi-linux-", ".tgz"));
    let prefix = home.at("global");
    let words = [
        "install",
        "--global",
        "--prefix",
        prefix.to_str().unwrap(),
        main.to_str().unwrap(),
        own.to_str().unwrap(),
    ];
    home.run("npm", words);
    home.tour(&prefix.join("bin/mayi"));
    assert_eq!(home.way(&prefix.join("bin/mayi")), "npm");
    assert!(prefix.join("share/man/man1/mayi.1").exists(), "{}", home.run("find", [&prefix]));
}

/// "`dpkg -i`", onto a system of its own.
#[test]
fn given_the_debian_package_when_dpkg_installs_it_then_mayi_runs_and_goes_again() {
    let (home, deb) = (Home::new(), package("mayi_", ".deb"));
    let root = home.at("root");
    fs::create_dir_all(root.join("var/lib/dpkg/updates")).unwrap();
    fs::write(root.join("var/lib/dpkg/status"), "").unwrap();
    let dpkg = |words: &[&str]| {
        let place = format!("--root={}", root.display());
        let log = format!("--log={}", home.at("dpkg.log").display());
        // The system has nothing else in it; and whoever runs the tests need not be root.
        let mut all = vec![place.as_str(), &log, "--force-depends", "--force-not-root"];
        all.extend(words);
        home.command("dpkg").env("PATH", "/usr/sbin:/sbin:/usr/bin:/bin").args(all).output().unwrap()
    };
    let begin = Instant::now();
    if geteuid().is_root() {
        let done = dpkg(&["-i", deb.to_str().unwrap()]);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    } else {
        home.run("dpkg-deb", ["-x".as_ref(), deb.as_os_str(), root.as_os_str()]);
    }
    let installed = begin.elapsed();
    let mayi = root.join("usr/bin/mayi");
    let tour = home.tour(&mayi);
    let share = root.join("usr/share");
    let scripts = [
        ("bash", &*share.join("bash-completion/completions/mayi")),
        ("zsh", &*share.join("zsh/vendor-completions/_mayi")),
        ("fish", &*share.join("fish/vendor_completions.d/mayi.fish")),
    ];
    beside(&home, &share.join("man/man1"), &scripts);
    note("Debian package, dpkg -i", &[&deb], &root.join("usr"), installed, tour);
    // What it needs is what this system has, or the demo would not have run here.
    let needs = home.run("dpkg-deb", ["-f".as_ref(), deb.as_os_str(), "Depends".as_ref()]);
    assert!(needs.contains("libc6 (>= 2."), "{needs}");
    if geteuid().is_root() {
        let done = dpkg(&["--remove", "mayi"]);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        assert!(
            !mayi.exists() && !share.join("doc/mayi").exists(),
            "{}",
            home.run("find", [&root.join("usr")])
        );
    }
}

/// "The archive": to be unpacked anywhere.
#[test]
fn given_the_archive_when_it_is_unpacked_then_mayi_runs() {
    let (home, archive) = (Home::new(), package("mayi-", ".tar.gz"));
    let begin = Instant::now();
    home.run("tar", ["-xzf".as_ref(), archive.as_os_str(), "-C".as_ref(), home.at("").as_os_str()]);
    let installed = begin.elapsed();
    let name = archive.file_name().unwrap().to_str().unwrap().strip_suffix(".tar.gz").unwrap().to_owned();
    let folder = home.at(&name);
    let mayi = folder.join("mayi");
    let tour = home.tour(&mayi);
    assert_eq!(home.way(&mayi), "archive");
    let completions = folder.join("completions");
    let scripts = [
        ("bash", &*completions.join("mayi.bash")),
        ("zsh", &*completions.join("_mayi")),
        ("fish", &*completions.join("mayi.fish")),
    ];
    beside(&home, &folder.join("man/man1"), &scripts);
    let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let schema: Value = serde_json::from_str(&text("mayi.schema.json")).unwrap();
    assert!(schema["properties"]["rules"].is_object(), "the schema of the configuration");
    assert!(text("LICENSE-MIT").contains("MIT") && text("LICENSE-APACHE").contains("Apache"));
    let notices = text("THIRD-PARTY.txt");
    for one in ["tokio 1.", "rusqlite 0.", "ring 0."] {
        assert!(notices.lines().any(|line| line.starts_with(one)), "the notice of {one}");
    }
    assert!(!notices.contains("proptest "), "and none of what only tests use");
    note("archive, tar -x", &[&archive], &folder, installed, tour);
}
