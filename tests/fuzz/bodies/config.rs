//! The configuration loader, on any text: as the user's file, and as a workspace's. No panic; and whatever a workspace
//! file says that nobody trusts, nothing is decided less strictly for it.

use std::cell::OnceCell;
use std::path::PathBuf;

use mayi_check::{Checker, Request};
use mayi_core::config::{Folders, Layer, Sources, check_file};
use mayi_core::policy::Effect;
use mayi_core::policy::pattern::PatternBases;

/// What is asked about: by the index of the answer without any file.
const REQUESTS: &[&str] = &[
    r#"{"kind":"shell","command":"make"}"#,
    r#"{"kind":"shell","command":"ls src && rm -rf src"}"#,
    r#"{"kind":"read","path":"src/a.rs"}"#,
    r#"{"kind":"write","path":"src/a.rs"}"#,
    r#"{"kind":"write","path":".git/config"}"#,
    r#"{"kind":"fetch","url":"https://example.com/"}"#,
    r#"{"kind":"mcp","server":"s","tool":"t"}"#,
    r#"{"kind":"shell","command":"make","agent":"a"}"#,
];

thread_local! {
    static FOLDER: OnceCell<(tempfile::TempDir, Vec<Option<Effect>>)> = const { OnceCell::new() };
}

pub(crate) fn run(bytes: &[u8]) {
    FOLDER.with(|cell| {
        let (folder, before) = cell.get_or_init(|| {
            let folder = tempfile::tempdir().expect("a folder can be made");
            std::fs::create_dir_all(folder.path().join("w/src")).expect("a folder can be made");
            let before = effects(&sources(&folder, None, None));
            assert!(before.iter().all(Option::is_some), "without files, everything is decided");
            (folder, before)
        });
        let file = folder.path().join("w/.mayi.toml");
        std::fs::write(&file, bytes).expect("a file can be written");
        let places = PatternBases { home: Some(folder.path().join("home")), ..PatternBases::default() };
        let fine = [Layer::User, Layer::Workspace].map(|layer| check_file(layer, &file, &places).is_ok());
        // Deciding takes a hundred times longer than reading: of texts that say nothing, a few are enough.
        if fine == [false, false] && !bytes.len().is_multiple_of(16) {
            return;
        }
        // As the user's own: it may say anything, also that it is wrong.
        let _ = effects(&sources(folder, Some(file.clone()), None));
        // As a workspace's, which nobody has trusted.
        let with = effects(&sources(folder, None, Some(file)));
        for ((request, before), with) in REQUESTS.iter().zip(before).zip(with) {
            let with = with.expect("a bad untrusted file means: ask about everything there");
            assert!(Some(with) >= *before, "{request}: {with} instead of {before:?}");
        }
    });
}

fn sources(folder: &tempfile::TempDir, user: Option<PathBuf>, workspace: Option<PathBuf>) -> Sources {
    let home = folder.path().join("home");
    let own = |name: &str| Some(home.join(name).join("mayi"));
    Sources {
        user,
        workspace,
        cwd: folder.path().join("w"),
        folders: Folders {
            config: own(".config"),
            data: own(".local/share"),
            state: own(".local/state"),
            home: Some(home.clone()),
        },
        ..Sources::default()
    }
}

/// What is decided about each request; none where the configuration is refused.
fn effects(sources: &Sources) -> Vec<Option<Effect>> {
    let mut checker = Checker::new(sources.clone(), true);
    let mut decide = |line: &&str| {
        let request = Request::from_json(line).expect("the requests are right");
        checker.decide(&request).ok().map(|decision| decision.effect)
    };
    REQUESTS.iter().map(&mut decide).collect()
}
