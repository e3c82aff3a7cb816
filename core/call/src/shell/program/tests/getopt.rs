//! The table against the options that installed programs themselves give to `getopt`, and against git.
//!
//! An arity that the table has wrong hides a word: what it takes for a value is an option to the program, or
//! the other way round.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::super::form::{OptionMeaning, ValueCount};
use super::super::table::{ProgramEntry, ProgramTable};

/// Programs that end at their first call of `getopt`, so that looking at them does nothing.
const PROGRAMS: &str = "b2sum base32 base64 basename basenc bzgrep cat chgrp chmod chown chrt cksum cmp column comm
    cp csplit cut date df diff dir dirname dmesg du egrep env expand fallocate fgrep file flock fmt fold free grep gzip
    hd head hexdump hostname id install ionice join journalctl kill killall last link ln look ls lsblk lscpu md5sum mkdir
    mkfifo mknod mktemp more mv nice nl nm nohup nproc nsenter objdump od paste patch pgrep pidof pkill pr prlimit
    pstree readelf readlink realpath rev rm rmdir script sed seq setarch setpriv setsid sha1sum sha256sum shred shuf
    size skill sort split stat stdbuf strace strings sum sysctl tac tail taskset tee time timeout touch tr truncate
    tsort tty uname unexpand uniq unlink unshare unxz uptime users vmstat w watch wc who whoami xargs xz xzcat";

/// Options that this version of a program takes otherwise than another that the table is right about.
const EXCEPT: &[(&str, &str)] = &[
    // GNU's `kill` takes the number glued.
    ("killall", "-l"),
    ("skill", "-l"),
];

/// The arity of each option as the program says it.
type Told = BTreeMap<String, ValueCount>;

/// Finds a program that is no script: of a script, another program would tell.
fn installed(name: &str) -> Option<PathBuf> {
    let folders = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];
    let mut paths = folders.iter().map(|folder| Path::new(folder).join(name));
    paths.find(|path| {
        let mut start = [0; 4];
        let read = fs::File::open(path).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut start));
        read.is_ok() && start == *b"\x7fELF"
    })
}

/// Makes the library that asks, in `folder`.
fn library(folder: &Path) -> PathBuf {
    let (source, library) = (folder.join("getopt.c"), folder.join("getopt.so"));
    fs::write(&source, include_str!("getopt.c")).unwrap();
    let cc = Command::new("cc")
        .args(["-shared", "-fPIC", "-w", "-o"])
        .arg(&library)
        .arg(&source)
        .output()
        .expect("there is no cc: install gcc, or run tests/run, which does");
    assert!(cc.status.success(), "{}", String::from_utf8_lossy(&cc.stderr));
    library
}

fn tell(program: &Path, library: &Path, folder: &Path) -> Option<Told> {
    let file = folder.join("told");
    let _ = fs::remove_file(&file);
    Command::new(program)
        .arg("--no-such-option")
        .current_dir(folder)
        .env("LD_PRELOAD", library)
        .env("GETOPT_TOLD", &file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()?;
    told(&fs::read_to_string(file).ok()?)
}

fn told(text: &str) -> Option<Told> {
    let mut lines = text.lines();
    let mut letters = lines.next()?.trim_start_matches(['+', '-', ':']).chars().peekable();
    let mut told = Told::new();
    while let Some(letter) = letters.next() {
        let mut colons = 0;
        while letters.next_if_eq(&':').is_some() {
            colons += 1;
        }
        let takes = match colons {
            0 => ValueCount::Nothing,
            1 => ValueCount::One,
            _ => ValueCount::Perhaps,
        };
        told.insert(format!("-{letter}"), takes);
    }
    for (name, number) in lines.filter_map(|line| line.rsplit_once(' ')) {
        let takes = match number {
            "0" => ValueCount::Nothing,
            "1" => ValueCount::One,
            _ => ValueCount::Perhaps,
        };
        told.insert(format!("--{name}"), takes);
    }
    Some(told)
}

/// Whether the table's arity hides no word from that of the program.
fn fits(option: &str, table: ValueCount, program: ValueCount) -> bool {
    let long = option.starts_with("--");
    match program {
        // Behind `=`, no word can be taken for another.
        ValueCount::Nothing => {
            matches!(table, ValueCount::Nothing | ValueCount::Differs) || long && table == ValueCount::Perhaps
        }
        ValueCount::Perhaps => {
            matches!(table, ValueCount::Perhaps | ValueCount::Differs) || long && table == ValueCount::Nothing
        }
        _ => matches!(table, ValueCount::One | ValueCount::Two | ValueCount::Differs),
    }
}

fn entry(name: &str) -> Option<&'static ProgramEntry> {
    ProgramTable::get().find_program(name)
}

/// Attack 211.
#[test]
fn given_a_program_that_is_installed_then_the_table_has_the_arity_of_its_options() {
    let dir = tempfile::tempdir().unwrap();
    let names: Vec<&str> = PROGRAMS.split_whitespace().collect();
    let (mut wrong, mut missing, mut seen, mut silent) = (Vec::new(), Vec::new(), 0, Vec::new());
    let library = library(dir.path());
    for name in &names {
        let Some(told) = installed(name).and_then(|program| tell(&program, &library, dir.path())) else {
            silent.push(*name);
            continue;
        };
        let form = entry(name).unwrap_or_else(|| panic!("nothing is known of {name}")).form();
        let except = EXCEPT.iter().find(|(of, _)| of == name).map_or("", |(_, options)| options);
        for (option, takes) in told {
            let digit = form.digits && option.len() == 2 && option.ends_with(|c: char| c.is_ascii_digit());
            match form.options.get(&option) {
                Some(known) => {
                    seen += 1;
                    if !fits(&option, known.takes, takes) && !except.split(' ').any(|other| other == option) {
                        wrong.push(format!(
                            "{name} {option}: {:?} in the table, {takes:?} to it",
                            known.takes
                        ));
                    }
                }
                None if digit || option.starts_with("---") => {}
                None => missing.push(format!("{name} {option}")),
            }
        }
    }
    // What is not known makes a line no reader; for other programs it is taken for an option without a value,
    // and the next word is judged by itself.
    let mut out = std::io::stderr();
    writeln!(
        out,
        "{seen} options compared, {} not known to the table: {}",
        missing.len(),
        missing.join(", ")
    )
    .unwrap();
    writeln!(out, "{} of {} programs told nothing: {}", silent.len(), names.len(), silent.join(" ")).unwrap();
    assert!(silent.len() * 4 < names.len(), "too few of these programs are installed: {silent:?}");
    assert!(wrong.is_empty(), "{} of {seen}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn given_what_a_program_tells_then_its_arities_are_read() {
    let found = told("+:ab:c::W;\nall 0\nwidth 1\ncolor 2\n").unwrap();
    let found: Vec<String> = found.into_iter().map(|(name, takes)| format!("{name} {takes:?}")).collect();
    assert_eq!(
        found,
        [
            "--all Nothing",
            "--color Perhaps",
            "--width One",
            "-; Nothing",
            "-W Nothing",
            "-a Nothing",
            "-b One",
            "-c Perhaps",
        ]
    );
}

/// A repository with one commit in it.
fn repository() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.txt"), "a\n").unwrap();
    let commit = ["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "a"];
    let steps: [&[&str]; 3] = [&["init", "-q"], &["add", "a.txt"], &commit];
    for args in steps {
        assert!(git(dir.path(), args), "git {args:?}: install git, or run tests/run, which does");
    }
    dir
}

fn git(folder: &Path, args: &[&str]) -> bool {
    let mut command = Command::new("git");
    let own = command
        .args(args)
        .current_dir(folder)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    let own = own.env("HOME", folder).env("GIT_CONFIG_NOSYSTEM", "1");
    own.stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// git has several parsers: that a page names an option's value does not say that the value is the next word.
/// Where it is not, an `--output=FILE` behind the option opens the file.
/// Attack 212.
#[test]
fn given_an_option_of_git_that_takes_the_next_word_then_git_does_not_open_what_that_names() {
    let dir = repository();
    let file = dir.path().join("opened");
    let output = format!("--output={}", file.display());
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for sub in ["log", "diff", "diff-index", "rev-list", "blame", "shortlog", "format-patch", "reflog"] {
        let form = entry("git").and_then(|git| git.sub_command(sub)).unwrap().form();
        assert!(
            form.options.get("--output").is_some_and(|known| known.meaning == OptionMeaning::Outputs),
            "{sub}"
        );
        for (option, known) in &form.options {
            if known.takes != ValueCount::One || known.meaning == OptionMeaning::Outputs {
                continue;
            }
            seen += 1;
            git(dir.path(), &[sub, option, &output]);
            if fs::remove_file(&file).is_ok() {
                wrong.push(format!("git {sub} {option}"));
            }
        }
    }
    assert!(seen > 150, "{seen}");
    assert!(wrong.is_empty(), "{} of {seen}:\n{}", wrong.len(), wrong.join("\n"));
}
