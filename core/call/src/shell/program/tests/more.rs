//! What programs read and run besides what their words seem to say.

use super::{hold, look, look_in};
use crate::shell::{CaveatSubject, TouchedPath, Use};
use std::path::Path;

/// Whether some path that no word says could be touched.
fn could_be_any(line: &str) -> bool {
    look(line).touches.iter().any(|touch| match &touch.path {
        TouchedPath::Open(open) => open.pieces.first() == Some(&None) && open.slashes,
        TouchedPath::Known(_) => false,
    })
}

fn touched(line: &str, name: &str) -> bool {
    let known = look(line);
    let written = known.writes.iter().any(|(_, path)| path == name);
    written
        || known
            .touches
            .iter()
            .any(|touch| matches!(&touch.path, TouchedPath::Known(path) if path.given.ends_with(name)))
}

/// D2.28: A simple command that fits it entirely: behind the first operand some programs
/// take no options, so that what looks like one is a file or a value.
/// Attacks 77 and 582.
#[test]
fn given_an_option_behind_an_operand_then_it_counts_only_where_the_program_reads_on() {
    let others = [
        "unzip x.zip -x -t",
        "unzip -o h.zip -x -t",
        "unzip x.zip -l",
        "unzip x.zip -Z1",
        "unzip x.zip a -x b -l",
        "xxd f -p",
        "xxd f -s5",
        "xxd -s 5 f -p",
        "uniq f -c",
        "uniq f -w 5",
    ];
    hold(others, |line| look(line).reader.then(|| line.to_owned()));
    // Where options end at the first operand, that is the script.
    hold(["sed 'w out' f -e p", "sed '1e rm x' f -e p", "sed 'r .env' f --expression=p"], |line| {
        let known = look(line);
        (known.reader || known.caveats.is_empty()).then(|| line.to_owned())
    });
    let readers = ["unzip -l x.zip -x a", "unzip -t x.zip", "xxd -s5 f", "uniq -c f", "zipinfo x.zip -x a"];
    hold(readers, |line| (!look(line).reader).then(|| line.to_owned()));
    // What begins as a long name takes the next word.
    let long = ["seek", "skip", "len", "cols", "group", "groupsize", "offset", "name"];
    hold(long.map(|name| format!("xxd -r -p -{name}x -o a.hex b")), |line| {
        let known = look(&line);
        let written = known.touches.iter().any(|touch| matches!(touch.how, Use::Write(_)));
        (known.reader || !written && known.writes.is_empty()).then_some(line)
    });
    hold(["xxd a --", "xxd -d a --"], |line| look(line).reader.then(|| line.to_owned()));
    for (line, name) in [
        ("xxd f -p", "-p"),
        ("xxd f -s5", "-s5"),
        ("awk 1 -v /etc/hostname", "/etc/hostname"),
        ("awk 1 -F /etc/passwd", "/etc/passwd"),
        ("mawk 1 -F/etc/passwd x", "x"),
        ("grep x f -e .env", ".env"),
        ("unzip x.zip -x -t -d .git/hooks", ".git/hooks"),
        ("unzip x.zip -x -t", "-t"),
    ] {
        assert!(touched(line, name), "{line}: {:?}", look(line).touches);
    }
}

/// D2.25: Words that are, contain ... a path: the names of files may stand in another file
/// or come from the input, so that they could be any.
/// Attacks 77 and 108.
#[test]
fn given_names_of_files_in_a_file_or_the_input_then_they_could_be_any() {
    let lines = [
        "sort --files0-from=X",
        "sort --files0-from X",
        "sort --files0=X",
        "wc -l --files0-from=-",
        "du --files0-from=X",
        "find -files0-from X -type f",
        "md5sum -c sums",
        "sha256sum --check sums",
        "sha256sum --che sums",
        "shasum -qc sums",
        "b2sum -c sums",
        "cksum --check sums",
        "file -f X",
        "tar -T - -cf a.tar",
        "tar cfT a.tar X",
        "tar -tf a.tar -T X",
        "zip -@ a.zip",
        "cpio -o",
        "cpio -pd out",
        "git add --pathspec-from-file=-",
        "git add --pathspec-fr=-",
        "git commit --pathspec-from-file=X",
        "git reset --pathspec-from-file X",
        "git log -p --stdin",
        "git cat-file --batch",
        "rsync --files-from=- a b",
        "7z a out.7z @X",
        "7z l a.7z @X",
        "gcc @X",
        "nm @X",
        "clang-format --files=X",
    ];
    hold(lines, |line| {
        let known = look(line);
        let plain = known.caveats.iter().any(|caveat| !caveat.always);
        (known.reader || !plain || !could_be_any(line)).then(|| format!("{line}: {known:?}"))
    });
    for line in ["sort f", "wc -l f", "md5sum f", "tar cf a.tar f", "cpio -i", "git add f", "find . -name x"]
    {
        assert!(!could_be_any(line), "{line}");
    }
    // A name that could be such an option.
    assert!(could_be_any("wc *") && !could_be_any("cat *"));
}

/// D2.28: a table of commands that only read: a page may include other files.
/// Attack 77.
#[test]
fn given_a_file_that_may_include_others_then_it_is_no_reader() {
    for line in
        ["man ./x.1", "man -l x.1", "man /tmp/x.1", "man -- ./x.1", "groff x.1", "nroff x", "soelim x"]
    {
        assert!(!look(line).reader, "{line}");
    }
    assert!(!look("man ls -L ./x.1").reader && touched("man ls -L ./x.1", "./x.1"), "pages, to some");
    for line in ["man ./x.1", "man -l x.1"] {
        assert!(could_be_any(line), "{line}");
    }
    assert!(look("man ls").reader && look("man -a ls").reader);
    assert!(!look("yq f.yml 'load(\"x\")'").reader);
}

/// D2.28: A simple command that fits it entirely: `--` ends the search for a sub-command.
/// Attack 77.
#[test]
fn given_a_word_behind_the_end_of_options_then_it_is_no_sub_command() {
    for line in ["git stash -- list", "git stash -q -- show", "git -- status", "git remote -- get-url x"] {
        let known = look(line);
        assert!(!known.reader && !known.caveats.is_empty(), "{line}: {known:?}");
    }
    assert!(touched("git stash -- list", "list"));
    assert!(look("git stash -- src").caveats.is_empty(), "a path, and what stash does is asked about anyhow");
    assert!(look("git log -- src").reader && look("git stash list -- src").reader);
}

/// D2.12: command words that are not literal are caveats with `always`.
/// Attack 105.
#[test]
fn given_a_command_word_from_a_search_or_the_input_then_it_is_always_asked_about() {
    let always = [
        "find . -exec {} x ';'",
        "find . -exec env {} x ';'",
        "find . -exec env {} +",
        "find . -exec sh -c '{}' ';'",
        "find . -exec sudo {} ';'",
        "find . -execdir sh {} +",
        "xargs env",
        "xargs -n1 env",
        "xargs sh -c",
        "xargs -I% sh -c '% x'",
        "xargs -I% %",
        "xargs nice",
        "parallel {}",
        "parallel",
    ];
    let is = |line: &str| {
        let known = look_in(line, Path::new("/"), true);
        known.caveats.iter().any(|caveat| caveat.always && caveat.named == CaveatSubject::Nothing)
    };
    hold(always, |line| (!is(line)).then(|| line.to_owned()));
    let plain =
        ["xargs cat", "find . -exec cat {} ';'", "xargs -I{} mv {} x", "parallel gzip {}", "parallel ::: ls"];
    hold(plain, |line| is(line).then(|| line.to_owned()));
}

/// D2.29: with its operands as `read` accesses: what is edited in place is shown, too.
/// Attack 108.
#[test]
fn given_a_file_that_is_edited_then_it_counts_as_read_too() {
    let lines = [
        "sed -i 'w /dev/stdout' .env",
        "sed -n -i p .env",
        "ed .env",
        "ed -s .env",
        "perl -i -pe 'print STDERR' .env",
        "ruby -i -pe x .env",
        "sd -p a b .env",
        "vim .env",
        "view .env",
        "nano .env",
        "code .env",
        "black --diff .env",
        "ruff format --diff .env",
        "ruff check --fix .env",
        "rustfmt --check .env",
        "patch -o - .env x",
        "yq -i .a .env",
        "gzip -c .env",
        "prettier -w .env",
        "go fmt .env",
        "deno fmt --check .env",
    ];
    let read = |line: &str| {
        look(line).touches.iter().any(|touch| {
            let same = matches!(&touch.path, TouchedPath::Known(path) if path.given == ".env");
            same && matches!(touch.how, Use::Read | Use::Either)
        })
    };
    hold(lines, |line| (!read(line)).then(|| format!("{line}: {:?}", look(line).touches)));
    for line in ["chmod 600 .env", "chown me .env", "truncate -s 0 .env", "rm .env", "touch .env"] {
        assert!(!read(line), "{line}");
    }
}
