//! What the packages say of themselves: one version, sums that hold, nothing that runs while they are installed.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::home::{Home, VERSION, good, package, packages, python, top};

fn json(file: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

/// A package, unpacked.
fn unpacked(home: &Home, file: &Path) -> PathBuf {
    let folder = home.at(file.file_name().unwrap().to_str().unwrap());
    fs::create_dir(&folder).unwrap();
    match file.extension().unwrap().to_str().unwrap() {
        "tgz" => home.run("tar", ["-xzf".as_ref(), file.as_os_str(), "-C".as_ref(), folder.as_os_str()]),
        "deb" => home.run("dpkg-deb", ["-R".as_ref(), file.as_os_str(), folder.as_os_str()]),
        _ => home.run(
            python(),
            ["-m".as_ref(), "zipfile".as_ref(), "-e".as_ref(), file.as_os_str(), folder.as_os_str()],
        ),
    };
    folder
}

fn npm() -> [PathBuf; 2] {
    [package(&format!("mayi-{VERSION}"), ".tgz"), package("mayi-linux-", ".tgz")]
}

/// Cargo.toml says the version, once.
#[test]
fn given_the_packages_then_all_of_them_are_of_one_version() {
    let home = Home::new();
    let mut told = Vec::new();
    for file in npm() {
        let manifest = json(&unpacked(&home, &file).join("package/package.json"));
        let needs = manifest["optionalDependencies"].as_object().cloned().unwrap_or_default();
        told.extend(needs.values().map(|version| version.as_str().unwrap().to_owned()));
        told.push(manifest["version"].as_str().unwrap().to_owned());
    }
    assert_eq!(told.len(), 10, "one for each platform, and two of their own");
    let of = |text: &str| text.lines().find_map(|line| line.strip_prefix("Version: ")).unwrap().to_owned();
    let wheel = unpacked(&home, &package("mayi-", ".whl"));
    told.push(of(&fs::read_to_string(wheel.join(format!("mayi-{VERSION}.dist-info/METADATA"))).unwrap()));
    let deb = unpacked(&home, &package("mayi_", ".deb"));
    told.push(of(&fs::read_to_string(deb.join("DEBIAN/control")).unwrap()));
    let vsix = unpacked(&home, &package("mayi-vscode-", ".vsix"));
    told.push(json(&vsix.join("extension/package.json"))["version"].as_str().unwrap().to_owned());
    assert!(told.iter().all(|version| version == VERSION), "{told:?}");
    assert!(package("mayi-", ".tar.gz").to_str().unwrap().contains(&format!("mayi-{VERSION}-")));
}

/// "No package runs anything while it is installed, or brings anything of others along" (S1.24).
#[test]
fn given_the_packages_then_nothing_runs_while_they_are_installed() {
    let home = Home::new();
    for file in npm() {
        let manifest = json(&unpacked(&home, &file).join("package/package.json"));
        assert_eq!(manifest["scripts"], Value::Null, "{}", file.display());
        assert_eq!(manifest["dependencies"], Value::Null, "and it brings nothing of others along");
    }
    let deb = unpacked(&home, &package("mayi_", ".deb"));
    let mut control: Vec<String> = fs::read_dir(deb.join("DEBIAN"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    control.sort();
    assert_eq!(control, ["control", "md5sums"]);
    let manifest = json(&unpacked(&home, &package("mayi-vscode-", ".vsix")).join("extension/package.json"));
    assert_eq!(manifest["scripts"], Value::Null);
}

/// Npm installs only the package that fits, and has to know whom each is for.
#[test]
fn given_the_npm_packages_then_each_says_whom_it_is_for() {
    let home = Home::new();
    let [main, own] = npm();
    let platforms = json(&unpacked(&home, &main).join("package/bin/platforms.json"));
    let manifest = json(&unpacked(&home, &own).join("package/package.json"));
    let mine = platforms.as_array().unwrap().iter().find(|one| one["name"] == manifest["name"]).unwrap();
    for key in ["os", "cpu", "libc"] {
        assert_eq!(manifest[key][0], mine[key], "{key}");
    }
    let needed = json(&home.at(main.file_name().unwrap().to_str().unwrap()).join("package/package.json"));
    assert_eq!(
        needed["optionalDependencies"].as_object().unwrap().len(),
        platforms.as_array().unwrap().len()
    );
}

/// A wheel whose tag promises an older system than its program runs on is one that fails there.
#[test]
fn given_the_wheel_then_its_tag_says_which_glibc_the_program_needs() {
    let home = Home::new();
    let wheel = package("mayi-", ".whl");
    let program = unpacked(&home, &wheel).join(format!("mayi-{VERSION}.data/scripts/mayi"));
    let told = home.run("readelf", ["--wide".as_ref(), "--version-info".as_ref(), program.as_os_str()]);
    let minors = told.split("GLIBC_2.").skip(1).filter_map(|rest| {
        rest.split(|c: char| !c.is_ascii_digit()).next().and_then(|minor| minor.parse::<u32>().ok())
    });
    let newest = minors.max().unwrap().max(17);
    let name = wheel.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(
        name.starts_with(&format!("mayi-{VERSION}-py3-none-manylinux_2_{newest}_")),
        "{name}, and it needs 2.{newest}"
    );
}

/// Checksums are of all files, and hold; one that was changed is noticed. The statement about how they were made names the same.
#[test]
fn given_the_checksums_then_they_are_those_of_all_files() {
    let home = Home::new();
    let folder = packages();
    let sums = fs::read_to_string(folder.join("SHA256SUMS")).unwrap();
    let mut named: Vec<&str> = sums.lines().map(|line| line.split_once("  ").unwrap().1).collect();
    named.push("SHA256SUMS");
    named.sort_unstable();
    let mut there: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    there.sort();
    assert_eq!(named, there);
    good(
        home.command("sha256sum").args(["--check", "--strict", "--quiet", "SHA256SUMS"]).current_dir(&folder),
    );
    let statement = json(&package("mayi-", ".provenance.json"));
    let subjects = statement["subject"].as_array().unwrap();
    for subject in subjects {
        let line = format!(
            "{}  {}",
            subject["digest"]["sha256"].as_str().unwrap(),
            subject["name"].as_str().unwrap()
        );
        assert!(sums.lines().any(|one| one == line), "{line}");
    }
    assert_eq!(subjects.len(), named.len() - 2, "all but the sums and the statement itself");
    let changed = home.at("changed");
    fs::create_dir(&changed).unwrap();
    for name in &there {
        fs::copy(folder.join(name), changed.join(name)).unwrap();
    }
    let victim = changed.join(package("mayi_", ".deb").file_name().unwrap());
    fs::write(&victim, "another").unwrap();
    let noticed = home
        .command("sha256sum")
        .args(["--check", "--quiet", "SHA256SUMS"])
        .current_dir(&changed)
        .output()
        .unwrap();
    assert!(!noticed.status.success());
}

/// The formula has the version and the sums of the archives that were made, or there is none.
#[test]
fn given_the_sums_of_all_archives_then_the_formula_has_them_and_with_one_missing_there_is_none() {
    let home = Home::new();
    let targets = [
        "aarch64-apple-darwin",
        "x86_64-apple-darwin",
        "aarch64-unknown-linux-musl",
        "x86_64-unknown-linux-musl",
    ];
    let lines: Vec<String> = targets
        .iter()
        .zip('a'..)
        .map(|(target, c)| format!("{}  mayi-{VERSION}-{target}.tar.gz\n", c.to_string().repeat(64)))
        .collect();
    let sums = home.at("SHA256SUMS");
    let formula = |lines: &[String]| {
        fs::write(&sums, lines.concat()).unwrap();
        let program = top().join("cli/dist/formula.py");
        home.command(python())
            .arg("-B")
            .arg(program)
            .arg(&sums)
            .arg("https://host.example/mayi/")
            .output()
            .unwrap()
    };
    let made = formula(&lines);
    let text = String::from_utf8(made.stdout).unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    assert!(text.contains(&format!("version \"{VERSION}\"")), "{text}");
    for line in &lines {
        let (sum, name) = line.trim().split_once("  ").unwrap();
        let entry = format!("url \"https://host.example/mayi/{name}\"\n      sha256 \"{sum}\"");
        assert!(text.contains(&entry), "{entry} is not in\n{text}");
    }
    let missing = formula(&lines[1..]);
    assert!(!missing.status.success() && missing.stdout.is_empty());
}
