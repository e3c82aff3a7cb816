//! The analysis of shell lines, on any text: no panic, and always an answer that makes sense.

use std::path::{Path, PathBuf};

use mayi_core::call::{Access, ShellAccess, Surroundings, shell};

pub(crate) fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (roots, home) = ([PathBuf::from("/w")], PathBuf::from("/home/me"));
    let at = Surroundings { home: Some(&home), ..Surroundings::new(Path::new("/w"), &roots) };
    let accesses = shell::line_accesses(&text, &at);
    assert!(!accesses.is_empty(), "a call touches at least one thing");
    for access in &accesses {
        let Access::Shell(shell) = access else { continue };
        sensible(shell);
        assert!(!access.to_string().is_empty() || text.trim().is_empty());
    }
    assert_eq!(accesses, shell::line_accesses(&text, &at), "the same line, the same answer");
    // The words as a program gets them, without a shell.
    let words: Vec<String> = text.split('\n').take(16).map(str::to_owned).collect();
    shell::shell_accesses(&shell::argv_accesses(&words, &at)).for_each(sensible);
}

fn sensible(shell: &ShellAccess) {
    if !shell.understood {
        assert!(shell.caveats.iter().any(|caveat| caveat.always), "what is not understood is asked about");
        assert!(!shell.reader, "what is not understood reads nothing");
    }
    for caveat in &shell.caveats {
        assert!(!caveat.reason.is_empty(), "a caveat has its reason");
        if let shell::CaveatSubject::Words(places) = &caveat.named {
            assert!(places.iter().all(|place| *place < shell.words.len()), "{places:?} of {:?}", shell.words);
        }
        if let shell::CaveatSubject::Assignment(place) = &caveat.named {
            assert!(*place < shell.assignments.len(), "{place} of {:?}", shell.assignments);
        }
    }
}
