//! How a confined command ends: with its own code, with what it is told by signals, and with whoever started it.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use mayi_tests::until;
use rustix::process::{Pid, Signal, kill_process};

use super::place::{Project, Who};

fn script(project: &Project, code: &str) -> Command {
    fs::write(project.machine.work().join("try.py"), code).unwrap();
    project.mayi(&["exec", "--mode", "auto", "--quiet", "--", "/usr/bin/python3", "try.py"])
}

/// Signals and exit codes as `timeout` and `env` pass them.
#[test]
fn given_a_command_then_mayi_ends_as_it_ended() {
    let project = Project::new(Who::Myself);
    for (code, expected) in
        [("raise SystemExit(3)", 3), ("import os; os.kill(os.getpid(), 9)", 137), ("pass", 0)]
    {
        assert_eq!(script(&project, code).status().unwrap().code(), Some(expected), "{code}");
    }
    let missing =
        project.mayi(&["exec", "--mode", "auto", "--quiet", "--", "no-such-program"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(127), "{}", String::from_utf8_lossy(&missing.stderr));
    let denied = project.mayi(&["exec", "--mode", "plan", "--", "touch", "x"]).output().unwrap();
    assert_eq!(denied.status.code(), Some(5), "{}", String::from_utf8_lossy(&denied.stderr));
    let unanswered = project.mayi(&["exec", "--", "touch", "x"]).output().unwrap();
    assert_eq!(unanswered.status.code(), Some(6), "{}", String::from_utf8_lossy(&unanswered.stderr));
    assert!(!project.machine.work().join("x").exists());
}

/// What is read and written is the command's own.
#[test]
fn given_streams_and_a_temporary_folder_then_the_command_has_them() {
    let project = Project::new(Who::Myself);
    // Nothing of anybody else's is in it: only this file, and the way to the project where that is there too.
    let code = "import os, sys, tempfile\nfile = tempfile.NamedTemporaryFile()\nfolder = tempfile.gettempdir()\nothers = [name for name in os.listdir(folder) if not file.name.endswith(name) and not os.getcwd().startswith(os.path.join(folder, name))]\nprint(sys.stdin.read() + str(others))";
    let mut child = script(&project, code).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"told ").unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(said.trim(), "told []");
    assert!(output.status.success());
}

/// A started one, once it has said that it runs; it would go on for ever.
fn running(project: &Project) -> Child {
    let code = "import signal, sys, time\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(41))\nopen('runs', 'w').close()\nwhile True: time.sleep(1)";
    let child = script(project, code).spawn().unwrap();
    until(Duration::from_secs(30), || {
        project.machine.work().join("runs").exists().then_some(()).ok_or_else(|| "it does not run".to_owned())
    });
    child
}

#[test]
fn given_a_signal_then_the_command_is_told() {
    let project = Project::new(Who::Myself);
    let mut child = running(&project);
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(41));
    project.machine.is_quiet();
}

/// "A killed mayi leaves nothing running or mounted."
#[test]
fn given_a_mayi_that_is_killed_then_nothing_runs_any_more() {
    let project = Project::new(Who::Myself);
    let mut child = running(&project);
    child.kill().unwrap();
    child.wait().unwrap();
    project.machine.is_quiet();
    let mounted = fs::read_to_string("/proc/self/mountinfo").unwrap();
    assert!(!mounted.contains(project.machine.outside("").to_str().unwrap()), "{mounted}");
}

/// D7.2: the record says what ran, and how it ended.
#[test]
fn given_a_confined_command_then_the_record_has_it() {
    let project = Project::new(Who::Myself);
    assert!(script(&project, "pass").status().unwrap().success());
    let log = project.mayi(&["log", "--json"]).output().unwrap();
    let log = String::from_utf8_lossy(&log.stdout).into_owned();
    assert!(log.contains("try.py") && log.contains("completed"), "{log}");
}

/// The kernel takes a mount away where somebody else puts another file in its place, as an editor does that saves.
#[test]
fn given_a_hidden_file_that_is_replaced_from_outside_then_it_is_hidden_again() {
    let project = Project::new(Who::Myself);
    if project.tiers().first() != Some(&"full") {
        return;
    }
    let code = "import os, time\nopen('runs', 'w').close()\nwhile not os.path.exists('replaced'): time.sleep(0.01)\nfor n in range(3000):\n    try: open('.env').read()\n    except PermissionError: break\n    time.sleep(0.01)\nelse: raise SystemExit(9)";
    let mut child = script(&project, code).spawn().unwrap();
    let work = project.machine.work();
    until(Duration::from_secs(30), || {
        work.join("runs").exists().then_some(()).ok_or_else(|| "it does not run".to_owned())
    });
    fs::write(work.join("new"), "SECRET=2").unwrap();
    fs::rename(work.join("new"), work.join(".env")).unwrap();
    fs::write(work.join("replaced"), "").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A folder that is denied is hidden also where it is a mount of its own, and where what is in it is kept besides.
#[test]
fn given_a_denied_folder_with_something_kept_in_it_then_it_is_hidden() {
    let project = Project::new(Who::Myself);
    if project.tiers().first() != Some(&"full") {
        return;
    }
    let rules = "[[rule]]\neffect = \"deny\"\npattern = \"read(private/**)\"\n\n[[rule]]\neffect = \"deny\"\npattern = \"write(private/a/b/**)\"\n\n[[rule]]\neffect = \"allow\"\npattern = \"shell(/usr/bin/python3 try.py *)\"\n";
    project.machine.configuration("config/mayi/config.toml", rules);
    let folder = project.machine.work().join("private/a/b");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("key"), "").unwrap();
    let output = script(&project, "import os\nassert os.listdir('private') == []").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// What a command makes does not weaken how the next one is held: it is not run, and not run by less.
#[test]
fn given_more_than_can_be_held_then_nothing_is_run_by_less() {
    let project = Project::new(Who::Myself);
    if project.tiers().first() != Some(&"full") {
        return;
    }
    for number in 0..200 {
        let folder = project.machine.work().join(format!("d{number}"));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(".env"), "").unwrap();
    }
    let output = script(&project, "open('.env').read()").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(125) && said.contains("can't hold all of it"), "{said}");
}

/// A link to what is denied hides what it leads to, by whichever name.
#[test]
fn given_a_link_with_a_denied_name_then_what_it_leads_to_is_hidden() {
    let project = Project::new(Who::Myself);
    if project.tiers().first() != Some(&"full") {
        return;
    }
    let work = project.machine.work();
    fs::rename(work.join(".env"), work.join("dev.txt")).unwrap();
    std::os::unix::fs::symlink("dev.txt", work.join(".env")).unwrap();
    for code in ["open('.env').read()", "open('dev.txt').read()"] {
        let output = script(&project, code).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains("PermissionError"), "{code}: {said}");
    }
}
