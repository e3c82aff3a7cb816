//! What is sealed rightly, and is of something else all the same.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::seal::{self, CompiledSubject};
use super::*;
use crate::scalars::keys;
use mayi_kept::store::compiled_key;

fn folders(top: &Path) -> Folders {
    Folders {
        home: Some(top.to_owned()),
        config: None,
        data: Some(top.to_owned()),
        state: Some(top.join("state")),
    }
}

fn file(top: &Path) -> CompiledFile {
    std::fs::write(top.join("key"), format!("{}\n", "5".repeat(64))).unwrap();
    std::fs::set_permissions(top.join("key"), std::fs::Permissions::from_mode(0o600)).unwrap();
    let rules: String = (0..2000).map(|number| format!("\"shell(t{number} *)\",\n")).collect();
    let text = format!("# rules\n[rules]\ndeny = [\n{rules}]\n\n[agents.claude]\nmode = \"plan\"\n");
    let digest = mayi_call::digest_of_bytes(text.as_bytes()).as_str().to_owned();
    let path = top.join("config.toml");
    std::fs::write(&path, &text).unwrap();
    let text = OnceLock::from(text);
    let source = ConfigFileSource {
        layer: Layer::User,
        path,
        text,
        digest,
        home: Some(top.to_owned()),
        roots: Vec::new(),
    };
    CompiledFile::new(&folders(top), source).unwrap()
}

/// D5.13. Attack 427: another build, another version of it, layer, place, content or home than the one that it was compiled of.
#[test]
fn given_a_seal_of_the_users_key_and_another_subject_then_it_counts_for_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let file = file(dir.path());
    let places = file.source().pattern_bases();
    let open = || {
        let ConfigFileSource { layer, path, home, .. } = file.source();
        let source = ConfigFileSource {
            layer: *layer,
            path: path.clone(),
            text: OnceLock::new(),
            digest: String::new(),
            home: home.clone(),
            roots: Vec::new(),
        };
        CompiledFile::open(&folders(dir.path()), source, &places)
    };
    assert!(open().is_none());
    file.compile_if_wanted();
    let (_, read, _) = open().unwrap();
    let mode = read.scalars.find(keys::AGENT_MODE, &["claude"]).unwrap();
    assert_eq!(mode.origin.line, Some(2007), "each line stands where it stood");
    let key = compiled_key(dir.path()).unwrap();
    let bytes = std::fs::read(file.place.path()).unwrap();
    let (head, body) = bytes.split_at(seal::seal_end(&bytes).unwrap());
    let changes: [fn(&mut CompiledSubject<'_>); 6] = [
        |_| {},
        |subject| subject.build = "0.0.0 0123456789abcdef",
        |subject| subject.layer = "managed",
        |subject| subject.path = "/etc/mayi/config.toml",
        |subject| subject.digest = "00",
        |subject| subject.home = None,
    ];
    for (at, change) in changes.into_iter().enumerate() {
        let mut head = seal::read(head, &key).unwrap();
        change(&mut head.subject);
        let again = [seal::write(&head, &key).unwrap().as_slice(), body].concat();
        std::fs::write(file.place.path(), again).unwrap();
        assert_eq!(open().is_some(), at == 0, "change {at}");
    }
    // Cuts that leave another file.
    let mut lies = seal::read(head, &key).unwrap();
    lies.cuts.clear();
    std::fs::write(file.place.path(), [seal::write(&lies, &key).unwrap().as_slice(), body].concat()).unwrap();
    assert!(open().is_none());
}
