//! What is protected is what it is for a process that stays, whatever of it is compiled.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::*;

/// The places of all that is protected, as far as they are names.
fn protected_places(policy: &Policy, home: &Path, work: &Path) -> BTreeSet<PathBuf> {
    let mut places = BTreeSet::new();
    for entry in policy.protection.entries() {
        let text = entry.pattern.as_str();
        let path = text.split_once('(').unwrap().1.strip_suffix(')').unwrap();
        let path = path.replace("\\", "").replace("/**", "/x").replace('*', "some");
        places.insert(match path.strip_prefix("~/") {
            Some(rest) => home.join(rest),
            None => work.join(path.trim_start_matches("somesome/")),
        });
    }
    places
}

/// Whatever is protected, and what lies around it, by path and in commands.
fn accesses_around(policy: &Policy, machine: &Machine) -> Vec<Vec<Access>> {
    let (home, work) = (machine.sources.folders.home.clone().unwrap(), machine.sources.cwd.clone());
    let mut paths = BTreeSet::new();
    for place in protected_places(policy, &home, &work) {
        let parent = place.parent().unwrap();
        // Where links of this machine lead.
        for (from, to) in [(".ssh", "keys"), (".config", "settings"), (".vimrc", "dot/vimrc")] {
            if let Ok(rest) = place.strip_prefix(home.join(from)) {
                paths.insert(home.join(to).join(rest));
            }
        }
        paths.extend([place.clone(), parent.to_owned(), place.join("y"), place.with_extension("other")]);
        let upper = place.to_str().unwrap().to_uppercase();
        if let Some(rest) = upper.strip_prefix(&work.to_str().unwrap().to_uppercase()) {
            paths.insert(PathBuf::from(format!("{}{rest}", work.display())));
        }
    }
    let mut all = Vec::new();
    for path in &paths {
        let text = path.to_str().unwrap();
        let access = PathAccess::new(&work, text);
        let folder = PathAccess { folder: true, ..access.clone() };
        all.extend([vec![Access::Read(access.clone())], vec![Access::Write(WriteKind::Edit, access)]]);
        all.push(vec![Access::Write(WriteKind::Move, folder)]);
        for command in ["cat P", "rm -rf P", "tar c P/*", "cp x P*", "grep -r x P", "echo x > P/$y"] {
            all.push(line(machine, &command.replace('P', &format!("'{text}'"))));
        }
    }
    all
}

/// D4.5, D5.13: a process that decides about one call decides as one that has all of it compiled: about each thing that is protected,
/// what lies above it, below it and beside it, also where links lead.
#[test]
fn given_all_that_is_protected_then_one_call_is_decided_as_by_a_process_that_stays() {
    for elsewhere in [false, true] {
        let mut compiling = Compiling::new(Machine::new());
        let home = compiling.machine.sources.folders.home.clone().unwrap();
        std::fs::create_dir_all(home.join("keys")).unwrap();
        std::fs::create_dir_all(home.join("dot")).unwrap();
        symlink("dot/vimrc", home.join(".vimrc")).unwrap();
        symlink(home.join("keys"), home.join(".ssh")).unwrap();
        if elsewhere {
            std::fs::rename(home.join(".config"), home.join("settings")).unwrap();
            symlink("settings", home.join(".config")).unwrap();
            let config = home.join("another/place/mayi");
            std::fs::create_dir_all(&config).unwrap();
            symlink("../../keys", home.join("another/place/fish")).unwrap();
            compiling.machine.sources.folders.config = Some(config);
        }
        let (plain, lazily) = (compiling.plain(), compiling.load());
        let all = accesses_around(&plain.policy, &compiling.machine);
        assert!(all.len() > 5000, "{}", all.len());
        let mut objected = 0;
        // Nine for each place: of each another few.
        for accesses in all.into_iter().step_by(4) {
            let call = asked(&compiling.machine, "claude", accesses);
            let said = decided(&plain.policy, &call);
            objected += usize::from(said.contains("source: Protection"));
            assert_eq!(decided(&lazily.policy, &call), said, "{:?}", call.accesses);
        }
        assert!(objected > 500, "{objected}");
        let entries = |loaded: &LoadedConfig| {
            let entries = loaded.policy.protection.entries().into_iter();
            entries.map(|entry| (entry.effect, entry.always, entry.pattern.to_string())).collect::<Vec<_>>()
        };
        assert_eq!(entries(&lazily), entries(&plain));
    }
}
