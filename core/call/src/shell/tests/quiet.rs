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

/// D2.10 c: a name of a glob, in a variable without quotes, is split and read as a glob again.
#[test]
fn given_a_name_of_a_glob_without_quotes_then_it_is_read_where_it_stays_whole() {
    let lines = [
        "for f in *.md; do wc -l $f; done",
        "for f in *.md; do wc -l ${f}; done",
        "for f in ./*.md; do wc -l $f; done",
        "for f in *.md; do cat $f | head -3; done",
        "for f in *.md *.txt; do head -3 $f; done",
    ];
    let plain = folder(&["a.md", "b.md", "c.txt", "src/a.rs"]);
    for text in lines {
        assert!(reads(plain.path(), text), "{text}");
    }
    // Each name that becomes something else.
    for name in [
        "a b.md",
        "-n x.md",
        "-e1e touch pwned.md",
        "a*.md",
        "a\n.md",
        "[a].md",
        "it's.md",
        "\\.md",
        "~a.md",
        "-.md",
    ] {
        let hostile = folder(&["b.md", name]);
        for text in lines.iter().filter(|text| !text.contains("-3") && !text.contains("./")) {
            assert!(!reads(hostile.path(), text), "{name:?} {text}");
        }
    }
    // What is put together of several is no name that was looked up.
    let parts = folder(&["x.md", "y z.txt", "d/x.md"]);
    for text in [
        "for f in *.txt; do cat d/$f; done",
        "for f in *.txt; do cat $f.bak; done",
        "for f in *.md; do for g in *.txt; do cat $f$g; done; done",
        "for f in *.md; do cat $X$f; done",
        "for f in *.md; do cat $f$X; done",
        "for f in *.md; do sort -o $f x; done",
        "for f in *.md; do sort $f; done; touch z",
        "touch z.md; for f in *.md; do cat $f; done",
        "for f in *.md; do rm $f; done",
        "for f in *.md; do cat > $f; done",
        "for f in ../*.md; do cat $f; done",
    ] {
        assert!(!reads(parts.path(), text), "{text}");
    }
}

/// Numbers and variables that the line itself gives, and what is only handed on.
#[test]
fn given_what_the_line_itself_says_then_it_only_reads() {
    let folder = folder(&["a.md", "src/a.rs", "VERSION"]);
    for text in [
        "N=3; echo $((N+1))",
        "N=3; echo \"$((N * 2 - 1))\"",
        "x=5; y=7; echo $((x*y))",
        "for i in 1 2 3; do echo $((i+1)); done",
        "n=$(ls | wc -l); echo $((n+1))",
        "start=$(date +%s); ls; end=$(date +%s); echo $((end-start))",
        "for ((i=0;i<3;i++)); do echo $i; done",
        "for i in $(seq 1 3); do echo $i; done",
        "for i in {1..3}; do echo \"$i\"; done",
        "for d in {src,src}; do ls $d; done",
        "export FOO=bar; echo $FOO",
        "export FOO=bar && echo \"$FOO\"",
        "export D=src; test -d \"$D\"",
        "D=src; ls \"$D\"",
        "n=$(find . -name '*.rs' | wc -l); echo \"files: $n\"",
        "printenv HOME",
        "printenv PATH USER",
        "cat a.md | tee /dev/null",
        "ls | tee -a /dev/null",
        "basename $(pwd)",
        "cat \"$(pwd)/a.md\"",
        "for f in src/*.rs; do stat -c '%s %n' \"$f\"; done",
        "head -n $((2+3)) a.md",
    ] {
        assert!(reads(folder.path(), text), "{text}");
    }
}

/// D2.13, D2.15, D2.18: their hostile twins.
#[test]
fn given_hostile_twins_of_what_the_line_says_itself_then_it_does_more_than_to_read() {
    let folder = folder(&["a.md", "src/a.rs", "x0", "f"]);
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("x2")).unwrap();
    let values =
        ["a[$(id)]", "'a[$(id)]'", "$(cat f)", "`cat f`", "$X", "b", "\"$(cat f)\"", "3x", "PATH", "$(ls)"];
    let uses = ["echo $((N+1))", "echo $((1-N))", "echo \"$((N))\"", "echo $(($N+1))"];
    let mut lines: Vec<String> = Vec::new();
    for use_ in uses {
        for value in values {
            lines.push(format!("N={value}; {use_}"));
            lines.push(format!("for N in 1 {value}; do {use_}; done"));
        }
        for before in [
            "N=3; N=b; ",
            "N=3; read N < f; ",
            "N=3; N+='[x]'; ",
            "N=3; eval \"$(cat f)\"; ",
            "N=3; . ./f; ",
            "(N=3); ",
            "N=3 | ls; ",
            "N=3 & ",
            "if ls; then N=3; fi; ",
            "N=3; unset N; ",
            "declare -n N=Y; ",
            "N=3; declare N=b; ",
            "N=3; read \"$Y\" < f; ",
            "N=3; printf -v N b; ",
            "N=3; : ${N:=b}; ",
            "",
            "ls && N=3; ",
        ] {
            lines.push(format!("{before}{use_}"));
        }
    }
    for change in [
        "i=$(cat f)",
        "read i < f",
        "let i=b",
        "((i=b))",
        "printf -v i b",
        "eval \"$(cat f)\"",
        "for i in $X; do ls; done",
    ] {
        lines.push(format!("for ((i=0;i<3;i++)); do {change}; echo $i; done"));
    }
    for name in [
        "LD_PRELOAD",
        "PATH",
        "GIT_PAGER",
        "GIT_SSH_COMMAND",
        "BASH_ENV",
        "PS4",
        "NODE_OPTIONS",
        "IFS",
        "PAGER",
        "PYTHONPATH",
    ] {
        lines.push(format!("export {name}=x; echo ${name}"));
        lines.push(format!("export {name}=x && ls"));
    }
    let more = [
        "export FOO=$X; echo $FOO",
        "export FOO=b; FOO=$X; echo \"$FOO\"",
        "export FOO=b; read FOO < f; cat \"$FOO\"",
        "export F=x*; cat \"$F\"",
        "export F=../x; cat $F",
        "export F=/etc/passwd; cat $F",
        "FOO=bar; export FOO=$X; echo $FOO",
        "printenv",
        "printenv AWS_SECRET_ACCESS_KEY",
        "printenv HOME GITHUB_TOKEN",
        "printenv \"$X\"",
        "printenv H*",
        "printenv -0",
        "USER=$SECRET; printenv USER",
        "export USER=$SECRET; printenv USER",
        "export U\"S\"ER=$SECRET; printenv USER",
        "read USER < f; printenv USER",
        "env USER=$SECRET printenv USER",
        "USER=$SECRET printenv USER",
        "for USER in $X; do printenv USER; done",
        "export {U,X}SER=$SECRET; printenv USER",
        "printenv() { id; }; printenv HOME",
        "./printenv HOME",
        "for f in @(*); do cat $f; done",
        "cat a.md | tee x",
        "cat a.md | tee /dev/null x",
        "cat a.md | tee -a x /dev/null",
        "cat a.md | tee $X",
        "cat a.md | tee /dev/../x",
        "cat a.md | ./tee /dev/null",
        "cat a.md | tee /dev/null > x",
        "cat a.md | tee --output-error /dev/null >(sh)",
        "pwd() { echo /etc; }; cat \"$(pwd)/passwd\"",
        "PWD=/etc; cat \"$(pwd)/passwd\"",
        "cd \"$X\"; cat \"$(pwd)/a.md\"",
        "for i in {1..3}; do touch $i; done",
        "for f in {src,x}; do rm -r $f; done",
        "for f in {/etc,src}; do cat $f/passwd > x; done",
        "echo {1..3} > {a,b}",
        "for f in src/*; do stat -A $f; done",
        "for f in *; do stat \"$f\" x; echo $PWD; done; touch q",
    ];
    lines.extend(more.map(str::to_owned));
    let at = folder.path().canonicalize().unwrap();
    let leads = |text: &str| {
        let found = line_accesses(text, &Surroundings::new(&at, std::slice::from_ref(&at)));
        // Reads elsewhere are judged as that.
        shell_accesses(&found).flat_map(|shell| &shell.touches).any(|touch| match &touch.path {
            crate::shell::TouchedPath::Known(path) => !path.resolved.starts_with(&at),
            crate::shell::TouchedPath::Open(open) => !open.looked_up,
        })
    };
    let passed: Vec<_> = lines.iter().filter(|text| reads(&at, text) && !leads(text)).collect();
    assert!(passed.is_empty(), "{} of {}: {passed:#?}", passed.len(), lines.len());
    for text in ["cat x$((1+1))", "cat \"x$((1+1))\""] {
        assert!(leads(text) || !reads(&at, text), "{text}");
    }
}

/// D2.18: where a shell traces what it runs, that may be in what a substitution gives: no number any more. Attack 562.
#[test]
fn given_a_line_that_is_traced_then_what_is_printed_is_not_known() {
    let folder = folder(&["a.md", "src/a.rs"]);
    let passed: Vec<&str> = [
        "BASH_XTRACEFD=1; l=$(cat a.md); set -x; n=$(ls | wc -l); echo $((n+1))",
        "BASH_XTRACEFD=1; l=$(cat a.md); set -x; n=$(ls | wc -l); [[ $n -gt 1 ]] && echo y",
        "set -x; n=$(ls | wc -l); echo $((n+1))",
        "set -e -o xtrace; n=$(ls | wc -l); echo $((n+1))",
        "set -eux; n=$(ls | wc -l); echo $((n+1))",
        "set -x; for f in $(find src -not -path /etc/hostname); do cat \"$f\"; done",
        "set -v; n=$(ls | wc -l); echo $((n+1))",
        "n=$(ls | wc -l); set -x; echo $((n+1))",
        "bash -xc 'n=$(ls | wc -l); echo $((n+1))'",
        "shopt -so xtrace; n=$(ls | wc -l); echo $((n+1))",
        "BASH_XTRACEFD=1; ls",
        "exec {BASH_XTRACEFD}>&1; set -x; n=$(ls | wc -l); echo $n",
    ]
    .into_iter()
    .filter(|text| reads(folder.path(), text))
    .collect();
    assert!(passed.is_empty(), "{passed:#?}");
    for text in ["set -x; ls", "set -e; n=$(ls | wc -l); echo $((n+1))", "set -x; wc -l a.md"] {
        assert!(reads(folder.path(), text), "{text}");
    }
}

/// D2.13, D2.15: what a program makes of a variable that is handed on to it is not known. Attack 563.
#[test]
fn given_a_variable_that_is_handed_on_to_a_program_then_it_does_more_than_to_read() {
    let folder = folder(&["a.md", "src/a.rs", "f"]);
    let passed: Vec<&str> = [
        "export PYTHONPLATLIBDIR=src; python3 -m json.tool f",
        "for BAT_CONFIG_DIR in src; do batcat a.md; done",
        "export BAT_CONFIG_DIR=src; batcat a.md",
        "export TAPE=h.invalid:x; tar t",
        "export BC_ENV_ARGS=f; bc",
        "export ANY=src; cat a.md",
        "export ANY=src && timeout 9 cat a.md",
        "export ANY=src; /bin/echo x",
        "export ANY=src; for f in 1 2; do head -n $f a.md; done",
        "TAPE=h.invalid:x; tar t",
        "LESSHISTFILE=x; cat a.md",
        "export A=1 B=2; wc -l a.md",
    ]
    .into_iter()
    .filter(|text| reads(folder.path(), text))
    .collect();
    assert!(passed.is_empty(), "{passed:#?}");
    for text in [
        "export A=src; echo \"$A\"",
        "A=src; ls \"$A\"",
        "export RUST_BACKTRACE=1; ls",
        "export CI=1; cat a.md",
    ] {
        assert!(reads(folder.path(), text), "{text}");
    }
}

/// D2.18: what a loop counts in is evaluated each time, whatever its body has put there. Attack 78.
#[test]
fn given_a_loop_that_counts_in_what_its_body_reads_then_it_does_more_than_to_read() {
    let folder = folder(&["a.md", "number.txt"]);
    let mut lines: Vec<String> = Vec::new();
    for head in ["x=0; x<1; x++", ";x<1;x++", "x=0;;x++", "x=0;x<1;", "x = 0; x < 9; x += 1", ";x;"] {
        for sets in [
            "read -r x < number.txt",
            "read x < number.txt",
            "x=$(cat number.txt)",
            "x=`cat number.txt`",
            "mapfile -t x < number.txt",
            "printf -v x '%s' \"$(cat number.txt)\"",
            "for x in $(cat number.txt); do ls; done",
        ] {
            lines.push(format!("for (({head})); do {sets}; done"));
            lines.push(format!("for (({head})); do ls; {sets}; head -n \"$x\" a.md; done"));
            lines.push(format!(
                "{sets}; for (({})); do ls; done",
                head.replace("x=0", "").replace("x = 0", "")
            ));
        }
        lines.push(format!("for (({head})); do read x; ls; done < number.txt"));
        lines.push(format!("cat number.txt | while read x; do for (({head})); do ls; done; done"));
    }
    // Where the loop itself gives it a number before it looks, nothing else counts.
    lines.retain(|line| {
        !line.contains("while read x; do for ((x=0") && !line.contains("while read x; do for ((x = 0")
    });
    let passed: Vec<&String> = lines.iter().filter(|text| reads(folder.path(), text)).collect();
    assert!(passed.is_empty(), "{} of {}: {passed:#?}", passed.len(), lines.len());
    for text in ["for ((x=0; x<3; x++)); do echo $x; done", "for ((x=0; x<3; x++)); do ls; done"] {
        assert!(reads(folder.path(), text), "{text}");
    }
}
