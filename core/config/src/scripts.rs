//! The scripts that a server's command names, and what they hold.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use mayi_call::digest_of_bytes;

/// So many scripts of one command are looked at, and files up to this length.
const MAX_SCRIPTS: usize = 8;
const MAX_SCRIPT_BYTES: u64 = 4 * 1024 * 1024;

/// Endings of what interpreters run. Other files that a command names are data: they change while it runs.
const ENDINGS: &[&str] = &[
    "bash", "cjs", "cts", "fish", "jar", "js", "jsx", "ksh", "lua", "mjs", "mts", "php", "pl", "ps1", "py",
    "pyz", "r", "rb", "sh", "ts", "tsx", "wasm", "zsh",
];

/// By their paths, links resolved: the SHA-256 of what each holds, or that it is too long.
pub(crate) fn named_in(command: &[String], cwd: &Path) -> BTreeMap<String, String> {
    let words = command.iter().map(|word| match word.split_once('=') {
        // `--import=./hooks.js`
        Some((option, value)) if option.starts_with('-') => value,
        _ => word.as_str(),
    });
    words.filter_map(|word| read_script(&cwd.join(word))).take(MAX_SCRIPTS).collect()
}

fn read_script(path: &Path) -> Option<(String, String)> {
    let path = path.canonicalize().ok()?;
    // What is no file, such as a pipe, may never end.
    let length = path.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
    let mut file = File::open(&path).ok()?;
    let mut bytes = Vec::new();
    file.by_ref().take(2).read_to_end(&mut bytes).ok()?;
    let named = path.extension().and_then(|ending| ending.to_str());
    if bytes != b"#!" && !named.is_some_and(|ending| ENDINGS.contains(&ending.to_ascii_lowercase().as_str()))
    {
        return None;
    }
    let name = path.to_string_lossy().into_owned();
    // It may grow meanwhile.
    file.take(MAX_SCRIPT_BYTES).read_to_end(&mut bytes).ok()?;
    if bytes.len() as u64 > MAX_SCRIPT_BYTES {
        return Some((name, format!("too long to be compared: {length} bytes")));
    }
    Some((name, digest_of_bytes(&bytes).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Found in review: the content of the script that a server is could change unseen.
    #[test]
    fn given_a_command_then_its_scripts_are_known_by_what_they_hold_and_its_data_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        at("srv.py", "print(1)");
        at("tool", "#!/bin/sh\n");
        at("hook.mjs", "1");
        at("data.db", "x");
        at("long.js", &"x".repeat(MAX_SCRIPT_BYTES as usize + 1));
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let all = words(&[
            "python3",
            "srv.py",
            "--import=hook.mjs",
            "./tool",
            "data.db",
            "long.js",
            "/",
            "none.py",
        ]);
        let found = named_in(&all, folder.path());
        let names: Vec<&str> = found.keys().map(|path| path.rsplit('/').next().unwrap()).collect();
        assert_eq!(names, ["hook.mjs", "long.js", "srv.py", "tool"]);
        assert_eq!(found.values().filter(|held| held.len() == 64).count(), 3, "{found:?}");
        at("srv.py", "print(2)");
        assert_ne!(named_in(&all, folder.path()), found);
    }
}
