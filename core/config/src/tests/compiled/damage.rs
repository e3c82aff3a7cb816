//! What is not just what was written, for just this, counts for nothing, and is written anew.

use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, symlink};
use std::sync::Arc;

use super::*;

/// A file of which most is rules that are denied, and what is asked about them.
fn scene() -> (Compiling, Vec<Call>) {
    let compiling = Compiling::new(Machine::new());
    let rules: String = (0..400)
        .map(|number| format!("[[rule]]\neffect = \"deny\"\npattern = \"read(**/secret{number}/*.key)\"\nreason = \"no {number}\"\n"))
        .collect();
    compiling.user(&large(&rules)).compile();
    let work = compiling.machine.sources.cwd.clone();
    let mut calls = vec![asked(&compiling.machine, "claude", line(&compiling.machine, "tool300 check x"))];
    for number in [0, 199, 399] {
        let path = PathAccess::new(&work, &format!("a/secret{number}/b.key"));
        calls.push(asked(&compiling.machine, "claude", vec![Access::Read(path)]));
    }
    (compiling, calls)
}

fn all(policy: &Policy, calls: &[Call]) -> Vec<String> {
    calls.iter().map(|call| decided(policy, call)).collect()
}

/// What is at hand decides as the file does; whether it has to be written anew.
fn decides(compiling: &Compiling, calls: &[Call]) -> bool {
    let loaded = compiling.load();
    assert_eq!(all(&loaded.policy, calls), all(&compiling.plain().policy, calls));
    // All of it, so that whatever is wrong is seen.
    assert_eq!(loaded.policy.rules.len(), compiling.plain().policy.rules.len());
    let wanted = loaded.compiled.iter().any(CompiledFile::is_wanted);
    loaded.compiled.iter().for_each(CompiledFile::compile_if_wanted);
    assert!(compiling.counts(), "it is as it should be again");
    wanted
}

/// D5.13. Attack 426: a byte that was changed, anywhere.
#[test]
fn given_any_byte_that_was_changed_then_the_file_is_what_counts() {
    let (compiling, calls) = scene();
    let path = compiling.file();
    let whole = std::fs::read(&path).unwrap();
    assert!(!decides(&compiling, &calls));
    let end = whole.len();
    // The magic, the length and the first of the head, then all over the file, and its end.
    let places = (0..40).step_by(3).chain((40..end).step_by(end / 40)).chain((end - 40..end).step_by(13));
    for at in places {
        let mut file = std::fs::File::options().read(true).write(true).open(&path).unwrap();
        let mut byte = [0];
        file.seek(SeekFrom::Start(at as u64)).unwrap();
        file.read_exact(&mut byte).unwrap();
        file.seek(SeekFrom::Start(at as u64)).unwrap();
        file.write_all(&[byte[0] ^ 0x41]).unwrap();
        drop(file);
        // Blocks of keys that nobody asks for are not read.
        let read = decides(&compiling, &calls);
        if !read {
            std::fs::write(&path, &whole).unwrap();
        }
        assert_eq!(std::fs::read(&path).unwrap(), whole, "byte {at}: the same again");
    }
}

/// D5.13. Attack 426: a file that was cut off, or goes on.
#[test]
fn given_a_file_of_another_length_then_it_counts_for_nothing() {
    let (compiling, calls) = scene();
    let path = compiling.file();
    let whole = std::fs::read(&path).unwrap();
    for length in [0, 1, 16, 20, 21, 100, 5000, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(decides(&compiling, &calls), "{length} bytes");
    }
    let mut longer = whole.clone();
    longer.push(0);
    std::fs::write(&path, longer).unwrap();
    assert!(decides(&compiling, &calls));
    // A length of the head that no file has.
    let mut lies = whole;
    lies[16..20].copy_from_slice(&[0xff; 4]);
    std::fs::write(&path, lies).unwrap();
    assert!(decides(&compiling, &calls));
}

/// D5.13. Attack 427: one that was written before, for another file, or by somebody else.
#[test]
fn given_what_was_compiled_of_something_else_then_it_counts_for_nothing() {
    let (compiling, calls) = scene();
    let path = compiling.file();
    let before = std::fs::read(&path).unwrap();
    let text = compiling.machine.text();
    // Of an older content, with a rule that is denied now.
    compiling.user(&text.replace("read(**/secret199/", "read(**/other199/"));
    let old = all(&compiling.load().policy, &calls);
    assert!(decides(&compiling, &calls));
    compiling.user(&text);
    assert!(decides(&compiling, &calls));
    assert_ne!(old, all(&compiling.load().policy, &calls));
    std::fs::write(&path, &before).unwrap();
    assert!(!decides(&compiling, &calls), "of the same content it counts again");
    // Sealed with another key.
    compiling.key("6");
    assert!(decides(&compiling, &calls));
    let other = std::fs::read(&path).unwrap();
    compiling.key("5");
    std::fs::write(&path, other).unwrap();
    assert!(decides(&compiling, &calls));
    // Of another file with the same content, put under this one's name.
    let named = Sources {
        only: Some(compiling.machine.sources.cwd.join("my.toml")),
        ..compiling.machine.sources.clone()
    };
    put(named.only.as_deref().unwrap(), &text);
    load(&named).unwrap().compiled.iter().for_each(CompiledFile::compile_if_wanted);
    let [others] =
        compiling.files().into_iter().filter(|file| *file != path).collect::<Vec<_>>().try_into().unwrap();
    std::fs::copy(others, &path).unwrap();
    assert!(decides(&compiling, &calls));
    // Of another home, which `~` is in patterns.
    let mut moved = compiling.machine.sources.clone();
    moved.folders.home = Some(moved.cwd.clone());
    let loaded = load(&moved).unwrap();
    assert!(loaded.compiled[0].is_wanted());
}

/// D5.13. Attack 427: what others could have written, and a link, are not even opened.
#[test]
fn given_a_link_or_a_file_that_others_can_write_then_it_counts_for_nothing() {
    let (compiling, calls) = scene();
    let path = compiling.file();
    for mode in [0o620, 0o602, 0o640, 0o604] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        assert!(decides(&compiling, &calls), "{mode:o}");
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
    }
    let elsewhere = compiling.machine.sources.cwd.join("elsewhere");
    std::fs::rename(&path, &elsewhere).unwrap();
    symlink(&elsewhere, &path).unwrap();
    assert!(decides(&compiling, &calls));
    assert!(path.symlink_metadata().unwrap().is_file());
    // A folder in its place stays there, and nothing is kept.
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    compiling.compile();
    assert_eq!(all(&compiling.load().policy, &calls), all(&compiling.plain().policy, &calls));
    std::fs::remove_dir(&path).unwrap();
    // What is not finished is never written through a link.
    let victim = compiling.machine.sources.cwd.join("victim");
    std::fs::write(&victim, "mine").unwrap();
    let unfinished = compiling.folder().join("unfinished");
    std::fs::remove_file(&unfinished).unwrap();
    symlink(&victim, &unfinished).unwrap();
    assert!(decides(&compiling, &calls));
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "mine");
    // Nor is a lock that is a link.
    let lock = compiling.folder().join("lock");
    std::fs::remove_file(&lock).unwrap();
    symlink(&victim, &lock).unwrap();
    std::fs::remove_file(&path).unwrap();
    compiling.compile();
    assert!(compiling.files().is_empty());
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "mine");
}

/// D5.13: without the user's key, or with one that others can read, nothing is kept and nothing counts.
#[test]
fn given_no_key_then_nothing_is_compiled() {
    let (compiling, calls) = scene();
    let key = compiling.machine.sources.folders.data.clone().unwrap().join("key");
    std::fs::remove_file(&key).unwrap();
    let loaded = compiling.load();
    assert!(loaded.compiled[0].is_wanted());
    assert_eq!(all(&loaded.policy, &calls), all(&compiling.plain().policy, &calls));
    std::fs::remove_file(compiling.file()).unwrap();
    compiling.compile();
    assert!(compiling.files().is_empty());
    compiling.key("5");
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o640)).unwrap();
    compiling.compile();
    assert!(compiling.files().is_empty());
}

/// D5.13: a file with a mistake is refused, whatever was compiled before.
#[test]
fn given_a_mistake_then_it_is_refused_as_ever() {
    let (compiling, _) = scene();
    let text = compiling.machine.text();
    compiling.user(&format!("{text}[[rule]]\neffect = \"deny\"\npattern = \"shel(x)\"\n"));
    assert!(compiling.machine.mistakes().contains("no selector is called `shel`"));
    // One that others can write is, too.
    compiling.user(&text);
    assert!(compiling.counts());
    std::fs::set_permissions(compiling.machine.user_file(), std::fs::Permissions::from_mode(0o646)).unwrap();
    assert!(compiling.machine.mistakes().contains("can be written by other users"));
}

/// D5.13: many at once write one whole file, and who reads meanwhile decides the same.
#[test]
fn given_many_that_compile_at_once_then_there_is_one_whole_file() {
    let (compiling, calls) = scene();
    let path = compiling.file();
    let (compiling, calls) = (Arc::new(compiling), Arc::new(calls));
    let plain = Arc::new(all(&compiling.plain().policy, &calls));
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let (compiling, calls, plain) = (Arc::clone(&compiling), Arc::clone(&calls), Arc::clone(&plain));
            let path = path.clone();
            std::thread::spawn(move || {
                for _ in 0..5 {
                    let _ = std::fs::remove_file(&path);
                    let loaded = compiling.load();
                    assert_eq!(all(&loaded.policy, &calls), *plain);
                    loaded.compiled.iter().for_each(CompiledFile::compile_if_wanted);
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    compiling.compile();
    assert!(compiling.counts());
    let mut names: Vec<_> =
        std::fs::read_dir(compiling.folder()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names.len(), 2, "{names:?}");
}

/// D5.13: what a process left that was killed while it wrote is in nobody's way, and of many files the last ones are kept.
#[test]
fn given_what_is_left_of_others_then_it_does_not_add_up() {
    let (compiling, calls) = scene();
    std::fs::write(compiling.folder().join("unfinished"), "mayi compiled 1\nhalf").unwrap();
    let text = compiling.machine.text();
    for number in 0..20 {
        let only = compiling.machine.sources.cwd.join(format!("{number}.toml"));
        put(&only, &text);
        let named = Sources { only: Some(only), ..compiling.machine.sources.clone() };
        load(&named).unwrap().compiled.iter().for_each(CompiledFile::compile_if_wanted);
    }
    assert_eq!(compiling.files().len(), 16);
    decides(&compiling, &calls);
    assert!(!compiling.folder().join("unfinished").exists());
}

/// Attack 428: an agent can't write what was compiled, nor the folder that it is in.
#[test]
fn given_the_folder_of_what_was_compiled_then_an_agent_changes_nothing_there() {
    let (compiling, _) = scene();
    let (path, folder) = (compiling.file(), compiling.folder());
    let policy = compiling.load().policy;
    for place in [&path, &folder, &folder.join("new"), &folder.join("unfinished"), &folder.join("lock")] {
        for kind in [WriteKind::Write, WriteKind::Create, WriteKind::Edit, WriteKind::Delete, WriteKind::Move]
        {
            let access = Access::Write(kind, PathAccess::new(Path::new("/"), place.to_str().unwrap()));
            assert_eq!(
                effect(&policy, Path::new("/w"), access),
                Effect::Deny,
                "{kind:?} {}",
                place.display()
            );
        }
    }
    for text in [
        format!("cp x {}", path.display()),
        format!("rm -r {}", folder.display()),
        format!("ln -s x {}/y", folder.display()),
    ] {
        let call = asked(&compiling.machine, "claude", line(&compiling.machine, &text));
        assert!(decided(&policy, &call).contains("Deny"), "{text}");
    }
}
