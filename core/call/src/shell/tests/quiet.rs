//! Readers with words that are only known when the line runs (D2.10): in folders with files.

use std::path::Path;

use crate::shell::{Surroundings, line_accesses, shell_accesses};

/// A folder with these files; a name that ends with a slash is a folder.
fn folder(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in names {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if !name.ends_with('/') {
            std::fs::write(path, "x\n").unwrap();
        }
    }
    folder
}

/// Whether all that the line does in the folder is to read.
fn reads(at: &Path, text: &str) -> bool {
    let (at, roots) = (at.canonicalize().unwrap(), [at.canonicalize().unwrap()]);
    let found = line_accesses(text, &Surroundings::new(&at, &roots));
    shell_accesses(&found).all(|shell| shell.reader && shell.caveats.is_empty())
        && shell_accesses(&found).count() == found.len()
}

/// What is known of a word is enough where whatever it gives is read, and nothing else.
#[test]
fn given_a_reader_whose_words_give_names_then_it_is_a_reader() {
    let folder = folder(&["a.md", "b.md", "src/a.rs", "src/deep/b.rs", "x y.txt", "-n"]);
    for text in [
        "ls src/*",
        "wc -l src/*.rs",
        "grep -n foo src/*.rs",
        "cat *.md",
        "cat -- *",
        "head -5 *.md",
        "diff <(ls src) <(ls .)",
        "for f in src/*.rs; do wc -l \"$f\"; done",
        "for f in *.txt; do cat \"$f\"; done",
        "for d in src a.md; do ls $d; done",
        "D=src; ls $D && wc -l $D/a.rs",
        "find . -name '*.rs' -exec wc -l {} +",
        "find src -type f -exec grep -l x {} \\;",
        "find . -name '*.rs' | xargs wc -l",
        "find . -type f -print0 | xargs -0 cat",
        "find . -name '*.rs' | head -5 | xargs cat",
        "find . -name '*.md' | xargs -I{} head -1 {}",
        "cat $(find src -name '*.rs')",
        "rg -l x src | xargs wc -l",
        "grep -rl x src | sort -u | xargs cat",
        "for f in $(find src -name '*.rs'); do head -1 \"$f\"; done",
        "rg --files -g '*.rs' src | xargs wc -l",
        "grep -rli --include='*.rs' x src | xargs wc -l",
        "ls | xargs echo",
        "rg x -- *",
    ] {
        assert!(reads(folder.path(), text), "{text}");
    }
}

/// D2.10: names of a repository are hostile, and a name may be made before it is read. Attack 325.
#[test]
fn given_words_that_may_give_something_else_than_names_of_files_then_it_is_none() {
    let folder = folder(&["a.md", "src/a.rs", "odd/x y", "odd/b", "dash/-n", "quote/it's"]);
    for text in [
        // May become an option that has an effect.
        "sort *",
        "rg x *",
        "find *",
        "tree *",
        // Is a program, or one more operand that is written.
        "sed -n * a.md",
        "awk * a.md",
        "uniq *",
        "xxd *",
        // Somebody else sets it.
        "cat $X",
        "X=$(id); cat $X",
        "X=a.md & cat $X",
        "if x; then F=a.md; fi; cat $F",
        "F=a.md; read F; cat $F",
        "F=a.md; eval x; cat $F",
        // Above, or split again.
        "cat ../*",
        "cat src/*/../*",
        "for f in odd/*; do cat $f; done",
        "find odd | xargs cat",
        "cat $(find odd)",
        "find quote | xargs cat",
        "find . -print0 | xargs cat",
        "find . | xargs -0 cat",
        "(cd dash && cat *)",
        // Names that the line makes.
        "touch z; cat *",
        "ln -s /etc/passwd z.md; cat *.md",
        "cat *.md | tee z.md",
        "find . -name '*.md' | tee z | xargs cat",
        // More than names.
        "find . -printf '%p x' | xargs cat",
        "find . -ls | xargs cat",
        "find . -newer -name -name z.md | tac | xargs cat",
        "rg -l --stats x src | xargs cat",
        "rg -lc x src | xargs cat",
        "rg -c x src | xargs cat",
        "grep -rlc x src | xargs cat",
        "grep -rn x src | xargs cat",
        "grep -Rl x src | xargs cat",
        "find . | sed s/a/b/ | xargs cat",
        "find . | grep -n a | xargs cat",
        "find -L . | xargs cat",
        "{ find .; echo /etc/passwd; } | xargs cat",
        "cat $(find .; echo /etc/passwd)",
        "(find . && cat a.md) | xargs cat",
        // Runs, or writes.
        "find . -name '*.md' | xargs rm",
        "find . -name '*.md' | xargs sort -o x",
        "find . -exec sh -c 'cat {}' \\;",
        "find . -exec {} \\;",
        "find . -name '*.md' -exec cp {} /tmp \\;",
        "find . | xargs",
        "find . | xargs -a list cat",
        "for f in *.md; do cat \"$f\" > x; done",
    ] {
        assert!(!reads(folder.path(), text), "{text}");
    }
}

/// A value that looks like a test is none, and what stands behind an action says nothing of it. Attack 325.
#[test]
fn given_a_value_that_looks_like_a_test_of_find_then_it_is_read_as_a_value() {
    let folder = folder(&["-name", "z/key", "a.md"]);
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("x")).unwrap();
    let at = folder.path().canonicalize().unwrap();
    let roots = [at.clone()];
    let leads = |path: &crate::PathAccess| path.resolved == Path::new("/etc/passwd");
    for text in [
        "find . -newer -name -name x | xargs cat",
        "find . -print -name a.md | xargs cat",
        "find . -print0 -name a.md | xargs -0 cat",
        "find . -exec cat {} + -name a.md",
    ] {
        let found = line_accesses(text, &Surroundings::new(&at, &roots));
        let reads = shell_accesses(&found).flat_map(|shell| &shell.touches).any(|touch| match &touch.path {
            crate::shell::TouchedPath::Known(path) => leads(path),
            crate::shell::TouchedPath::Open(open) => !open.looked_up,
        });
        assert!(reads, "{text}: {found:#?}");
    }
}
