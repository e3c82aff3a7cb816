//! Caches of tools: a command reads them, and what it writes is in a layer of its project's.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output};
use std::time::Duration;

use mayi_tests::until;
use serde_json::Value;

use super::place::{Project, Who};

/// The source of a package in a cache.
fn source(project: &Project) -> PathBuf {
    project.machine.outside("home/.cargo/registry/src/x/lib.rs")
}

/// A project with a cache of cargo's: a source, a program that is run from it, and credentials.
fn project(who: Who) -> Project {
    let project = Project::new(who);
    let cargo = project.machine.outside("home/.cargo");
    for (name, text) in
        [("registry/src/x/lib.rs", "good"), ("bin/tool", "good"), ("credentials.toml", "secret")]
    {
        let file = cargo.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    project
}

fn command(project: &Project, code: &str, tier: &str) -> Command {
    let before = "import os, sys, time\ncargo = os.path.expanduser('~/.cargo')\nsource = cargo + '/registry/src/x/lib.rs'\n";
    fs::write(project.machine.work().join("try.py"), format!("{before}{code}\n")).unwrap();
    project.mayi(&["exec", "--mode", "auto", "--quiet", "--tier", tier, "--", "/usr/bin/python3", "try.py"])
}

fn run(project: &Project, code: &str) -> Output {
    command(project, code, "full").output().unwrap()
}

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn has_full(project: &Project) -> bool {
    project.tiers().first() == Some(&"full")
}

/// The same project's `mayi` in another folder: another project of the same user.
fn elsewhere(project: &Project) -> Command {
    let other = project.machine.outside("other");
    fs::create_dir_all(&other).unwrap();
    fs::write(
        other.join("try.py"),
        "import os; print(open(os.path.expanduser('~/.cargo/registry/src/x/lib.rs')).read())",
    )
    .unwrap();
    let words = ["exec", "--mode", "auto", "--quiet", "--tier", "full", "--", "/usr/bin/python3", "try.py"];
    let mut command = project.mayi(&words);
    command.current_dir(other);
    command
}

/// S1.28, attack 901, "a poisoned cache in another project": what a confined command writes in the sources of a registry, its own project sees
/// later, another one does not, confined or not.
#[test]
fn given_a_cache_that_is_poisoned_then_another_project_does_not_see_it() {
    for who in Who::all() {
        let project = project(*who);
        if !has_full(&project) {
            continue;
        }
        assert_eq!(said(&run(&project, "open(source, 'w').write('bad'); print(open(source).read())")), "bad");
        assert_eq!(said(&run(&project, "print(open(source).read())")), "bad", "{who:?}: a later command");
        assert_eq!(said(&elsewhere(&project).output().unwrap()), "good", "{who:?}: another project");
        assert_eq!(fs::read_to_string(source(&project)).unwrap(), "good", "{who:?}: the cache itself");
    }
}

/// S1.28, attack 901: what is run from a cache stays as it is, what is secret in it stays hidden, and what is deleted in it is there.
#[test]
fn given_a_cache_then_what_is_run_or_secret_in_it_is_held() {
    for who in Who::all() {
        let project = project(*who);
        if !has_full(&project) {
            continue;
        }
        for code in [
            "open(cargo + '/bin/tool', 'w')",
            "open(cargo + '/bin/new', 'w')",
            "os.rename(cargo + '/bin', cargo + '/bin2')",
            "open(cargo + '/credentials.toml').read()",
            "os.rename(cargo + '/credentials.toml', cargo + '/c')",
        ] {
            let output = run(&project, code);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.code() == Some(1) && said.contains("Error"), "{who:?}, {code}: {said}");
        }
        assert_eq!(
            said(&run(
                &project,
                "os.remove(source); open(cargo + '/.lock', 'w'); print(os.path.exists(source))"
            )),
            "False"
        );
        assert!(source(&project).exists() && !project.machine.outside("home/.cargo/.lock").exists());
    }
}

/// Attack 901: without mounts there are no layers: a cache is as all else that is outside.
#[test]
fn given_the_kernel_tier_then_a_cache_is_not_written() {
    let project = project(Who::Myself);
    let output = command(&project, "open(source, 'w')", "kernel").output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && told.contains("PermissionError"), "{told}");
}

/// Two commands of one project at the same time: each writes, the second sees what is there, and the first one's is kept.
#[test]
fn given_two_commands_at_once_then_the_second_has_a_layer_of_its_own() {
    for who in Who::all() {
        let project = project(*who);
        if !has_full(&project) {
            continue;
        }
        said(&run(&project, "open(cargo + '/earlier', 'w')"));
        let waits = "open(cargo + '/first', 'w'); open('runs', 'w').close()\nwhile not os.path.exists('go'): time.sleep(0.01)\nprint(os.path.exists(cargo + '/second'))";
        let first: Child =
            command(&project, waits, "full").stdout(std::process::Stdio::piped()).spawn().unwrap();
        let work = project.machine.work();
        until(Duration::from_secs(30), || {
            work.join("runs").exists().then_some(()).ok_or_else(|| "it does not run".to_owned())
        });
        let listed = caches(&project);
        assert_eq!(listed["projects"][0]["inUse"], true, "{listed}");
        let clean = project.mayi(&["sandbox", "clean", "--yes"]).output().unwrap();
        assert!(!clean.status.success(), "{who:?}: what a command uses was deleted");
        let second = "open(cargo + '/second', 'w'); print(os.path.exists(cargo + '/earlier'), os.path.exists(cargo + '/second'))";
        assert_eq!(said(&run(&project, second)), "True True", "{who:?}");
        fs::write(work.join("go"), "").unwrap();
        assert_eq!(said(&first.wait_with_output().unwrap()), "False", "{who:?}");
        let later = "print(os.path.exists(cargo + '/first'), os.path.exists(cargo + '/second'))";
        assert_eq!(said(&run(&project, later)), "True False", "{who:?}");
    }
}

fn caches(project: &Project) -> Value {
    let output = project.mayi(&["sandbox", "caches", "--json"]).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What is kept is listed with its project, and deleted when the person says so.
#[test]
fn given_what_is_kept_then_it_is_listed_and_deleted() {
    for who in Who::all() {
        let project = project(*who);
        if !has_full(&project) {
            continue;
        }
        let code = "open(source, 'w').write('x' * 1000)\nfolder = cargo + '/shut'\nos.makedirs(folder + '/in'); os.chmod(folder, 0)";
        said(&run(&project, code));
        let listed = caches(&project);
        let [kept] = listed["projects"].as_array().unwrap().as_slice() else { panic!("{listed}") };
        let work = project.machine.work().canonicalize().unwrap();
        assert_eq!(kept["roots"][0], work.to_str().unwrap());
        let cargo = kept["caches"].as_array().unwrap().iter().find(|cache| cache["name"] == "cargo").unwrap();
        assert!(cargo["bytes"].as_u64().unwrap() >= 1000, "{listed}");
        let asked = project.mayi(&["sandbox", "clean", "cargo"]).output().unwrap();
        assert!(!asked.status.success(), "it is not deleted before somebody has said so");
        let cleaned = project.mayi(&["sandbox", "clean", "--yes", "cargo"]).output().unwrap();
        assert!(cleaned.status.success(), "{who:?}: {}", String::from_utf8_lossy(&cleaned.stderr));
        assert_eq!(said(&run(&project, "print(open(source).read())")), "good");
    }
}

/// Attack 901: a folder that the environment names as a cache and that is none of the user's own has no layer.
#[test]
fn given_a_variable_that_leads_elsewhere_then_nothing_is_mounted_there() {
    let project = project(Who::Myself);
    if !has_full(&project) {
        return;
    }
    for folder in
        ["/etc", "/", project.machine.outside("").to_str().unwrap(), project.machine.work().to_str().unwrap()]
    {
        let shown = project.mayi(&["sandbox", "show", "--json"]).env("CARGO_HOME", folder).output().unwrap();
        let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
        let caches = shown["profile"]["caches"].as_array().unwrap();
        assert!(caches.iter().all(|cache| cache["name"] != "cargo"), "{folder}: {shown}");
    }
}
