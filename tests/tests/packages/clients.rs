//! The client libraries, as an app's author has them: beside the packaged program, with the first examples of docs/hosts.md.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::home::{Home, VERSION, good, package, python, top};

/// The first example of the page in this language.
fn example(language: &str) -> String {
    let page = fs::read_to_string(top().join("docs/hosts.md")).unwrap();
    let (_, rest) = page.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

/// Runs a program in the folder for work, with the program `mayi` of `bin` on the search path.
#[track_caller]
fn told(home: &Home, bin: &Path, program: &Path, script: &str) -> String {
    let path = format!("{}:{}/bin:/usr/bin:/bin", bin.display(), home.at("").display());
    good(home.command(program).arg(script).env("PATH", path))
}

fn client_package() -> PathBuf {
    package(&format!("mayi-client-{VERSION}"), ".tgz")
}

/// Of one version, with nothing that runs while it is installed, and nothing of others.
#[test]
fn given_the_client_of_npm_when_it_is_installed_then_the_pages_example_runs() {
    let home = Home::new();
    let work = home.at("work");
    fs::write(work.join("package.json"), "{}").unwrap();
    let files =
        [package(&format!("mayi-{VERSION}"), ".tgz"), package("mayi-linux-", ".tgz"), client_package()];
    let words = files.iter().map(|file| file.to_str().unwrap());
    home.run("npm", ["install", "--prefix", work.to_str().unwrap()].into_iter().chain(words));
    let installed = work.join("node_modules/mayi-client");
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(installed.join("package.json")).unwrap()).unwrap();
    assert_eq!(manifest["version"], VERSION);
    assert_eq!((&manifest["scripts"], &manifest["dependencies"]), (&Value::Null, &Value::Null));
    assert!(installed.join("LICENSE-MIT").exists() && installed.join("card/ui/card.js").exists());
    assert!(!installed.join("card/build.mjs").exists(), "that is for those who change it");
    fs::write(work.join("app.mjs"), example("js")).unwrap();
    let bin = work.join("node_modules/.bin");
    assert_eq!(told(&home, &bin, &home.at("bin/node"), "app.mjs").trim(), "run it");
}

/// The same of Python.
#[test]
fn given_the_clients_wheel_when_it_is_installed_then_the_pages_example_runs() {
    let home = Home::new();
    let venv = home.at("venv");
    home.run(python(), ["-m".as_ref(), "venv".as_ref(), venv.as_os_str()]);
    let wheels = [package("mayi-", ".whl"), package(&format!("mayi_client-{VERSION}"), ".whl")];
    let words = wheels.iter().map(|file| file.to_str().unwrap());
    home.run(venv.join("bin/pip"), ["install", "--quiet"].into_iter().chain(words));
    fs::write(home.at("work/app.py"), example("python")).unwrap();
    assert_eq!(told(&home, &venv.join("bin"), &venv.join("bin/python"), "app.py").trim(), "run it");
}
