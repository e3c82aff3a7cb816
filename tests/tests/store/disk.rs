//! Disks that are full, and folders that can't be written to.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use super::{Data, WORKER, Worker, wrong};

/// Somebody who is not root.
const NOBODY: u32 = 65_534;

/// Rule: a disk that is full is said so, and nothing was acknowledged that is not there. A limit on the size of files
/// is one that anybody can set.
#[test]
fn given_a_limit_on_the_size_of_files_then_it_ends_with_an_error_and_the_record_is_whole() {
    let data = Data::new();
    drop(data.open());
    let mut command = Command::new("sh");
    // Without the signal, a write beyond the limit fails as one to a full disk does. 512 or 1024 bytes each.
    command.args(["-c", r#"trap "" XFSZ; ulimit -f 4096; exec "$0" "$@""#, WORKER]);
    let mut worker = Worker::start(command, &data.path(), &["append", "a", "1000000"]);
    worker.must_say("ready");
    worker.begin();
    let mut lines = worker.rest();
    let error = lines.pop().unwrap();
    assert!(error.starts_with("error: "), "{error}");
    assert!(error.contains("limits on the size of files") || error.contains("no space left"), "{error}");
    assert!(lines.len() > 20, "{}", lines.len());
    let pairs: Vec<u64> = (1..=lines.len() as u64).flat_map(|number| [number, number]).collect();
    assert_eq!(data.numbers("a"), pairs);
    assert_eq!(wrong(&data.path()), [""; 0]);
    // And it goes on once there is space.
    let mut next = data.worker(&["append", "b", "3"]);
    next.begin();
    assert_eq!(next.end().len(), 3);
    assert_eq!(wrong(&data.path()), [""; 0]);
}

/// The same with a disk that is full: a small one of its own, where the system lets one have it. Attack 113.
#[test]
fn given_a_full_disk_then_it_is_said_and_the_record_is_whole() {
    let data = Data::new();
    fs::create_dir(data.path()).unwrap();
    let root = rustix::process::geteuid().is_root();
    let space = if root { &["--mount"][..] } else { &["--user", "--map-root-user", "--mount"][..] };
    let with_disk = |then: &str| {
        let line = format!(r#"mount -t tmpfs -o size=3m,mode=700 tmpfs "$1" || exit 9; {then}"#);
        let mut command = Command::new("unshare");
        command.args(space).args(["sh", "-c", &line, WORKER]).arg(data.path());
        command.output()
    };
    let had = with_disk("");
    if !had.as_ref().is_ok_and(|output| output.status.success()) {
        // The limit on sizes above takes its place.
        mayi_tests::skipped(&format!("there is no disk of its own to be had: {had:?}"));
        return;
    }
    // The worker begins with what is on its standard input, which a process in the background has from /dev/null.
    let output = with_disk(r#""$0" "$1" append a 1000000 & pid=$!; wait $pid; "$0" "$1" read"#).unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let (told, rest) = text.split_once("error: ").unwrap();
    let told = told.lines().count() - 1;
    let mut rest = rest.lines();
    let error = rest.next().unwrap();
    assert!(error.contains("there is no space left for"), "{error}");
    assert_eq!(
        rest.collect::<Vec<_>>(),
        [(told * 2).to_string()],
        "as many as were told, and nothing is wrong"
    );
    assert!(told > 20, "{told}");
}

/// Rule: "reading must work on a read-only folder", and writing says why it can't.
#[test]
fn given_a_folder_that_cant_be_written_then_it_is_read_and_writing_is_refused() {
    let data = Data::new();
    let mut worker = data.worker(&["append", "a", "5"]);
    worker.begin();
    worker.end();
    let root = rustix::process::geteuid().is_root();
    // Rights don't bind root: then somebody else does the rest, with a program that they can reach.
    let program = data.folder.path().join("worker");
    fs::copy(WORKER, &program).unwrap();
    let protect = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    protect(data.folder.path(), 0o755);
    let mut paths: Vec<_> = fs::read_dir(data.path()).unwrap().map(|file| file.unwrap().path()).collect();
    let mut names: Vec<_> = paths.iter().map(|path| path.file_name().unwrap().to_owned()).collect();
    names.sort();
    assert_eq!(names, ["head", "key", "lock", "store.db"], "who is done leaves no log");
    for path in &paths {
        protect(path, 0o400);
    }
    protect(&data.path(), 0o500);
    paths.push(data.path());
    if root {
        for path in &paths {
            std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
    let start = |words: &[&str]| {
        let mut command = Command::new(&program);
        if root {
            command.uid(NOBODY).gid(NOBODY);
        }
        Worker::start(command, &data.path(), words)
    };
    assert_eq!(start(&["read"]).end(), ["10"]);
    let error = start(&["append", "b", "1"]).rest();
    assert_eq!(error.len(), 1);
    assert!(error[0].contains("can't be written"), "{error:?}");
    assert_eq!(start(&["read"]).end(), ["10"]);
    // Who owns the folder can remove it again.
    protect(&data.path(), 0o700);
}
