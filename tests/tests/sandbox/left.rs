//! What a confined command leaves behind: settings of repositories, and protected places that were not there before.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use mayi_tests::until;

use super::place::{Project, Who};

const BEFORE: &str = "import os, subprocess, sys, time
os.environ.update(GIT_AUTHOR_NAME='a', GIT_AUTHOR_EMAIL='a@b', GIT_COMMITTER_NAME='a', GIT_COMMITTER_EMAIL='a@b')
def git(*words):
    subprocess.run(('git',) + words, check=True, stdout=subprocess.DEVNULL)
def write(path, text):
    os.makedirs(os.path.dirname(path) or '.', exist_ok=True)
    open(path, 'w').write(text)
";

fn command(project: &Project, code: &str) -> Command {
    fs::write(project.machine.work().join("try.py"), format!("{BEFORE}{code}\n")).unwrap();
    project.mayi(&["exec", "--mode", "auto", "--quiet", "--tier", "full", "--", "/usr/bin/python3", "try.py"])
}

fn run(project: &Project, code: &str) -> Output {
    command(project, code).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A project for each user who has the full tier here.
fn projects() -> impl Iterator<Item = (Who, Project)> {
    let all = Who::all().iter().map(|who| (*who, Project::new(*who)));
    all.filter(|(_, project)| project.tiers().first() == Some(&"full"))
}

/// A key of a repository's settings, as git reads it for whoever is not confined.
fn key(folder: &Path, key: &str) -> Option<String> {
    let output = Command::new("git")
        .args(["-c", "safe.directory=*", "config", "--local", "--get", key])
        .current_dir(folder)
        .output()
        .unwrap();
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// What is taken back, below mayi's data folder.
fn taken(project: &Project) -> Vec<String> {
    let folder = project.machine.outside("data/mayi/sandbox/taken-back");
    let mut found = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path)
            } else {
                found.push(path.file_name().unwrap().to_string_lossy().into_owned())
            }
        }
    }
    found.sort();
    found
}

/// S1.29, attack 902: what git does not run is put through when the command has ended; what it runs is not, and that is said.
#[test]
fn given_settings_that_a_command_changes_then_harmless_ones_are_put_through() {
    for (who, project) in projects() {
        let work = project.machine.work();
        let code = "git('init', '-q', '--bare', 'r')
write('f', '1'); git('add', 'f'); git('commit', '-qm', 'x')
git('remote', 'add', 'o', './r'); git('push', '-qu', 'o', 'HEAD'); git('config', 'user.name', 'me')
git('config', 'alias.x', '!evil'); git('config', 'core.hooksPath', 'evil'); git('config', 'filter.x.clean', 'evil')";
        let output = run(&project, code);
        let told = stderr(&output);
        assert!(output.status.success(), "{who:?}: {told}");
        assert_eq!(key(&work, "remote.o.url").as_deref(), Some("./r"), "{who:?}: {told}");
        assert_eq!(key(&work, "user.name").as_deref(), Some("me"), "{who:?}");
        assert!(fs::read_to_string(work.join(".git/config")).unwrap().contains("remote = o"), "{who:?}");
        for refused in ["alias.x", "core.hookspath", "filter.x.clean"] {
            assert_eq!(key(&work, refused), None, "{who:?}: {refused}");
            assert!(told.contains(refused), "{who:?}: {refused}: {told}");
        }
    }
}

/// S1.29, attack 902: "only confined things can read the changed settings" while a command runs: a prompt that runs git does not.
#[test]
fn given_a_command_that_runs_then_nobody_else_reads_what_it_sets() {
    for (who, project) in projects() {
        let work = project.machine.work();
        let before = fs::read(work.join(".git/config")).unwrap();
        let code = "git('config', 'core.fsmonitor', 'touch seen'); git('config', 'user.name', 'me')
write('.git/config', open('.git/config').read())
open('runs', 'w').close()
while not os.path.exists('go'): time.sleep(0.01)";
        let mut child = command(&project, code).stderr(std::process::Stdio::null()).spawn().unwrap();
        until(Duration::from_secs(30), || {
            work.join("runs").exists().then_some(()).ok_or_else(|| "it does not run".to_owned())
        });
        assert_eq!(fs::read(work.join(".git/config")).unwrap(), before, "{who:?}");
        // Whoever is not confined changes something in the meantime: both are there in the end.
        let set = Command::new("git")
            .args(["-c", "safe.directory=*", "config", "user.email", "person@example.org"])
            .current_dir(&work)
            .status();
        assert!(set.unwrap().success());
        fs::write(work.join("go"), "").unwrap();
        assert!(child.wait().unwrap().success(), "{who:?}");
        assert_eq!(key(&work, "user.name").as_deref(), Some("me"), "{who:?}");
        assert_eq!(key(&work, "user.email").as_deref(), Some("person@example.org"), "{who:?}");
        assert_eq!(key(&work, "core.fsmonitor"), None, "{who:?}");
    }
}

/// S1.29: a person's rule is not about harmless keys: what it denies stays as it is.
#[test]
fn given_a_rule_about_settings_then_there_is_no_copy() {
    let project = Project::new(Who::Myself);
    if project.tiers().first() != Some(&"full") {
        return;
    }
    let rules = "[[rule]]\neffect = \"deny\"\npattern = \"write(.git/config)\"\n\n[[rule]]\neffect = \"allow\"\npattern = \"shell(/usr/bin/python3 try.py *)\"\n";
    project.machine.configuration("config/mayi/config.toml", rules);
    let output = run(&project, "git('config', 'user.name', 'me')");
    assert!(!output.status.success(), "{}", stderr(&output));
    assert_eq!(key(&project.machine.work(), "user.name"), None);
}

/// S1.30, attack 903: a name that git follows at once ends the command that makes it, and has no effect.
#[test]
fn given_a_name_that_must_not_appear_then_the_command_is_ended() {
    for (who, project) in projects() {
        for code in [
            "write('.git/commondir', '../evil'); time.sleep(60)",
            "write('.git/x', '../evil'); os.rename('.git/x', '.git/commondir'); time.sleep(60)",
            "write('.git/x', '../evil'); os.link('.git/x', '.git/commondir'); time.sleep(60)",
            "os.symlink('../evil', '.git/commondir')",
            "write('.git/config.worktree', '[core]\\n fsmonitor = evil'); time.sleep(60)",
        ] {
            let output = run(&project, code);
            let told = stderr(&output);
            assert_eq!(output.status.code(), Some(137), "{who:?}, {code}: {told}");
            assert!(told.contains("the command was ended: it made"), "{who:?}, {code}: {told}");
            for name in ["commondir", "config.worktree"] {
                assert!(
                    fs::symlink_metadata(project.machine.work().join(".git").join(name)).is_err(),
                    "{who:?}, {code}"
                );
            }
        }
    }
}

/// S1.30, attack 903: protected places that were not there before are taken back, and each is told of in one line.
#[test]
fn given_protected_places_that_a_command_makes_then_they_are_taken_back() {
    for (who, project) in projects() {
        let code = "write('.vscode/tasks.json', 'evil'); write('sub/.envrc', 'evil'); write('sub/\\nmayi: .idea/x', 'kept')
git('init', '-q', 'n'); git('-C', 'n', 'config', 'user.name', 'me'); git('-C', 'n', 'config', 'core.pager', 'evil')
write('n/.git/hooks/pre-commit', 'evil')
git('init', '-q', '--bare', 'layout'); git('-C', 'layout', 'config', 'core.fsmonitor', 'evil')";
        let output = run(&project, code);
        let told = stderr(&output);
        assert!(output.status.success(), "{who:?}: {told}");
        assert_eq!(
            taken(&project),
            [".envrc", "config", "config", "pre-commit", "tasks.json"],
            "{who:?}: {told}"
        );
        let work = project.machine.work();
        assert!(!work.join(".vscode").exists() && work.join("sub/\nmayi: .idea/x").exists(), "{who:?}");
        assert_eq!(key(&work.join("n"), "user.name").as_deref(), Some("me"), "{who:?}");
        assert_eq!(key(&work.join("n"), "core.pager"), None, "{who:?}");
        assert_eq!(key(&work.join("layout"), "core.fsmonitor"), None, "{who:?}");
        assert_eq!(told.lines().filter(|line| line.contains("taken back")).count(), 5, "{who:?}: {told}");
    }
}

/// What git itself makes stays: working trees, new repositories, what is rebased, stashed, packed.
#[test]
fn given_what_git_makes_itself_then_nothing_is_taken_back() {
    for (who, project) in projects() {
        let code = "write('f', '1'); git('add', 'f'); git('commit', '-qm', 'x')
git('checkout', '-qb', 'b'); write('f', '2'); git('stash', '-q'); git('stash', 'pop', '-q'); git('commit', '-qam', 'y')
git('worktree', 'add', '-q', 'wt', '-b', 'c'); git('gc', '-q'); git('mv', 'f', 'g'); git('commit', '-qm', 'z')
git('init', '-q', 'fresh'); git('-C', 'fresh', 'config', 'user.name', 'me'); git('clone', '-q', '.', 'clone')
git('rebase', '-q', 'c')";
        let output = run(&project, code);
        let told = stderr(&output);
        assert!(output.status.success(), "{who:?}: {told}");
        assert_eq!(taken(&project), [] as [&str; 0], "{who:?}: {told}");
        let work = project.machine.work();
        assert_eq!(key(&work.join("fresh"), "user.name").as_deref(), Some("me"), "{who:?}");
        assert!(work.join(".git/worktrees/wt/commondir").exists(), "{who:?}");
        assert!(!work.join(".git/commondir").exists(), "{who:?}");
    }
}
