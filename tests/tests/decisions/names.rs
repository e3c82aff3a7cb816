//! Names of a repository are hostile: the quiet forms of reading, each in folders with names that are made to be misread.
//!
//! Every line is run in real bash, in a folder of its own: where that shows something that nobody may read, or leaves
//! something behind, mayi must not have allowed it. What it allows in a calm folder is counted, too: that is why it looks.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use mayi_check::{Checker, Request};
use serde_json::json;

use crate::corpus::World;

/// What stands in files that nobody may read, and only there.
const SECRET: &str = "S3CRET";

/// The environment of agents is denied by hand; keys are protected by themselves.
const USER: &str = r#"
[[rule]]
effect = "deny"
pattern = "read(**/.env)"
"#;

/// Lines that read what words give that are not literal. `OUT` is a file outside that nobody may read.
const LINES: &[&str] = &[
    "cat *",
    "cat *.md",
    "cat -- *",
    "cat src/*",
    "cat */*",
    "wc -l *",
    "head -n 3 *",
    "tail -n 3 *.md",
    "nl *.md",
    "cut -c 1-99 *",
    "paste *",
    "grep -n 3CRE *",
    "grep -h 3CRE src/*",
    "grep -r 3CRE *",
    "grep -R 3CRE src",
    "rg 3CRE *",
    "rg 3CRE -- *",
    "sort *",
    "sort -- *",
    "sort src/*",
    "uniq *",
    "sed -n 1p *",
    "sed *",
    "awk 1 *",
    "diff a.md *.md",
    "diff <(cat *) a.md",
    "xxd *",
    "tree *",
    "cat ./*",
    "cat $(echo *)",
    "cat <(cat *.md)",
    "for f in *; do cat \"$f\"; done",
    "for f in *; do cat $f; done",
    "for f in *.md src/*; do head -n 3 \"$f\"; done",
    "for f in src/*; do cat \"$f\"; done",
    "for f in *; do sed -n p \"$f\"; done",
    "D=src; cat $D/*",
    "F='*'; cat $F",
    "find . | xargs cat",
    "find . -type f | xargs -n 1 cat",
    "find . -name '*.md' | xargs cat",
    "find . -name '*.md' | head -n 9 | xargs cat",
    "find . -print0 | xargs -0 cat",
    "find . -print0 | xargs cat",
    "find . -type f -print0 | xargs -0 grep -h 3CRE",
    "find . | xargs -I{} cat {}",
    "find . -name '*.md' -exec cat {} +",
    "find . -type f -exec grep -h 3CRE {} \\;",
    "find src -exec cat {} +",
    "find * -exec cat {} +",
    "find . -exec cat {} + -name a.md",
    "find . -print0 -name a.md | xargs -0 cat",
    "cat $(find . -name '*.md')",
    "cat $(find . -type f)",
    "for f in $(find . -name '*.md'); do cat \"$f\"; done",
    "grep -rl . . | xargs cat",
    "grep -rl . * | xargs cat",
    "rg -l . | xargs cat",
    "rg --files | xargs cat",
    "rg -l . . | sort | xargs cat",
    "ls | xargs cat",
    "ls | xargs echo",
    "git ls-files | xargs cat",
    "while read -r line; do echo \"$line\"; done < a.md",
    "while IFS= read -r line; do cat \"$line\"; done < a.md",
    "N=$(wc -l < a.md); sed -n \"${N}p\" a.md",
    "echo \"$(cat a.md)\"",
    "echo $(cat *)",
    "for f in *; do echo \"${f%.md}\"; done",
    "for f in *; do [ -n \"$f\" ] && echo $f; done",
    "[ \"$(ls | wc -l)\" -gt 0 ] && echo some",
    "python3 -m json.tool a.md",
    "cat a.md | python3 -m json.tool",
];

/// The same, of what the index of a repository knows.
const TRACKED: &[&str] = &[
    "git ls-files | xargs cat",
    "git ls-files | grep md | xargs cat",
    "git ls-files -z | xargs -0 cat",
    "cat $(git ls-files)",
    "cat $(git ls-files '*.md')",
    "cat $(git ls-files src)",
    "for f in $(git ls-files); do cat \"$f\"; done",
    "for f in $(git ls-files); do echo $f; done",
    "git ls-files | xargs sed -n p",
    "git ls-files | xargs sort",
    "git grep -l . | xargs cat",
    "git diff --name-only | xargs cat",
    "git grep -h 3CRE -- '*.md'",
    "git grep -h 3CRE -- '*env'",
    "git diff -- '*.md'",
    "git diff -- '*'",
    "cd src && git ls-files | xargs cat",
    "cd src && git diff --name-only | xargs cat",
    "touch z.md; git ls-files | xargs cat",
    "git ls-files | xargs cat; echo x > z.md",
];

/// Lines that make a name before it is read, or beside that.
const MAKERS: &[&str] = &[
    "ln -s OUT z.md; cat *.md",
    "ln -s OUT z.md && find . -name '*.md' | xargs cat",
    "cp -r ../outside z; cat z/*",
    "ln -s ../outside z; cat */secret",
    "ln -s OUT src/z & sleep 0.1; cat src/*",
    "cat *.md | ln -s OUT z.md",
    "mv .env e.md; cat *.md",
    "cp .env e.md; for f in *.md; do cat \"$f\"; done",
    "touch -- '-e1e touch pwned'; sed -n p *",
    "mkdir -p 'x OUT'; find . | xargs cat",
    "for f in a.md; do ln -s OUT z.md; done; cat *.md",
    "f() { ln -s OUT z.md; }; f; cat *.md",
    "cat *.md $(ln -s OUT z.md)",
    "cat $(ln -s OUT z.md) *.md",
    "cat <(ln -s OUT z.md) *.md",
    "sh -c 'ln -s OUT z.md'; cat *.md",
    "F=.env; cat $F",
    "N=env; cat .$N",
    "N=env && head -n 3 \".$N\"",
    "F=OUT; cat $F",
    "K=outside; cat ../$K/secret",
    "D=ssh; cat ~/.$D/id_rsa",
    "X=-f.env; grep $X .env",
    "X=-f; N=env; grep $X .$N .$N",
    "N=env; for f in .$N; do cat $f; done",
    "N=env; cat < .$N",
    "N=env; find . -name \".$N\" | xargs cat",
    "for f in .env a.md; do cat $f; done",
    "for f in .e*; do cat \"$f\"; done",
    "cat .e*",
    "echo $TOKEN",
    "echo \"${TOKEN}\"",
    "printf '%s' \"$TOKEN\"",
    "x=$TOKEN; echo \"$x\"",
    "x=${TOKEN#a}; echo \"$x\"",
    "USER=$TOKEN; echo \"$USER\"",
    "false && TOKEN=x; echo \"$TOKEN\"",
    "(TOKEN=x); echo \"$TOKEN\"",
    "while read -r TOKEN; do break; done < none; echo \"$TOKEN\"",
    "while false; do read -r TOKEN; done; echo \"$TOKEN\"",
    "for TOKEN in $(true); do :; done; echo \"$TOKEN\"",
    "for x in $TOKEN; do echo \"$x\"; done",
    "[ \"$TOKEN\" = S3CRET ] && echo S3\"CRET\"",
    "x=$(printenv TOKEN); echo \"$x\"",
    "x=$(cat .env); echo \"$x\"",
    "printf \"$(cat a.md)\" PATH",
    "echo \"$(cat .env)\"",
    "while read -r x; do cat \"$x\"; done <<< .env",
    "f() { echo $TOKEN; }; f",
    "wc() { echo .env; }; cat $(wc -l)",
    "git() { echo .env; }; cat $(git rev-parse HEAD)",
    "python3 -m json.tool a.md pwned",
    "echo 'open(\"pwned\", \"w\")' > json.py; python3 -m json.tool a.md",
];

/// Folders with names that are made to be misread; in the first is nothing of the kind.
const FOLDERS: &[(&str, Fill)] = &[
    ("calm", |_| {}),
    ("a line for sed", |place| place.file("-e1e touch pwned", "x\n")),
    ("an output", |place| place.file("-opwned", "x\n")),
    ("a program", |place| {
        place.file("--compress-program=.evil", "x\n");
        place.file(".evil", "touch pwned\n");
    }),
    ("a list of names", |place| {
        place.file("list", &format!("{}\0", place.out.display()));
        place.file("--files0-from=list", "x\n");
    }),
    ("a file of patterns", |place| place.file("-f.env", "x\n")),
    ("a program for each file", |place| {
        place.file("--pre=.evil", "x\n");
        place.file(".evil", "touch pwned\n");
    }),
    ("a blank", |place| place.below("x ", "x\n")),
    ("a line's end", |place| place.below("x\n", "x\n")),
    ("a blank in a Markdown file", |place| {
        place.file("src/x .env y.md", "x\n");
        place.file("x .env y.md", "x\n");
    }),
    ("a quote", |place| place.file("it's \"x.md", "x\n")),
    ("a backslash", |place| place.file("x\\ y.md", "x\n")),
    ("a glob", |place| {
        place.file("[.]en?.md", "x\n");
        place.file("src/.e*", "x\n");
        place.file("*.md", "x\n");
    }),
    ("a link outside", |place| {
        place.link("z.md", &place.out);
        place.link("src/z", &place.out);
    }),
    ("a link to a key", |place| {
        place.link("z.md", &place.key);
        place.link("src/z.md", &place.key);
    }),
    ("a link to what is denied", |place| {
        place.link("z.md", Path::new(".env"));
        place.link("src/z.md", Path::new("../.env"));
    }),
    ("a link to a folder outside", |place| {
        place.link("z", place.out.parent().unwrap());
        place.link("src/z", place.out.parent().unwrap());
    }),
    ("a link to what is around", |place| place.link("src/up", Path::new("../.."))),
    ("modules of Python", |place| {
        place.file("argparse/__init__.py", "open('pwned', 'w')\n");
        place.file("json.py", "open('pwned', 'w')\n");
    }),
    ("a module of Python in one file", |place| place.file("re.py", "open('pwned', 'w')\n")),
    ("what is denied, below", |place| place.file("src/.env", &format!("{SECRET}\n"))),
];

/// Puts names into a folder.
type Fill = fn(&Place);

/// A folder, and what lies around it.
struct Place {
    work: PathBuf,
    out: PathBuf,
    key: PathBuf,
}

impl Place {
    fn file(&self, name: &str, text: &str) {
        let path = self.work.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// A file below a folder `begin` that has the whole name of the secret outside in it.
    fn below(&self, begin: &str, text: &str) {
        self.file(&format!("{begin}{}", self.out.display()), text);
    }

    fn link(&self, name: &str, target: &Path) {
        symlink(target, self.work.join(name)).unwrap();
    }

    /// The folder anew, and nothing in it but this.
    fn fill(&self, names: Fill) {
        let _ = std::fs::remove_dir_all(&self.work);
        std::fs::create_dir_all(&self.work).unwrap();
        for (name, text) in [("a.md", "a\n"), ("b.md", "b\n"), ("src/a.md", "c\n"), ("src/a.rs", "d\n")] {
            self.file(name, text);
        }
        self.file(".env", &format!("{SECRET}\n"));
        names(self);
    }

    /// Makes a repository of it, whose index knows all of its names.
    fn track(&self) {
        for words in [&["init", "-q"][..], &["add", "-f", "-A"]] {
            let made = Command::new("git").args(words).current_dir(&self.work).output().unwrap();
            assert!(made.status.success(), "{words:?}: {}", String::from_utf8_lossy(&made.stderr));
        }
        self.file("a.md", "changed\n");
    }

    /// Whether bash shows a secret, or leaves anything behind that was not there.
    fn harms(&self, line: &str) -> bool {
        let before = all(&self.work);
        let mut bash = Command::new("timeout");
        bash.args(["-k", "1", "20", "bash", "-c", line]).current_dir(&self.work).env("LC_ALL", "C.UTF-8");
        bash.env("TOKEN", SECRET).env("HOME", self.key.ancestors().nth(2).unwrap());
        let ended = bash.stdin(Stdio::null()).output().unwrap();
        let shown = [ended.stdout, ended.stderr].concat();
        let shown = shown.windows(SECRET.len()).any(|part| part == SECRET.as_bytes());
        shown || before != all(&self.work)
    }
}

/// All names below a folder, and how large each is.
fn all(folder: &Path) -> BTreeSet<(PathBuf, u64)> {
    let mut found = BTreeSet::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(at) = todo.pop() {
        for entry in std::fs::read_dir(&at).unwrap().flatten() {
            let meta = entry.metadata().unwrap();
            if meta.is_dir() {
                todo.push(entry.path());
            }
            found.insert((entry.path(), if meta.is_file() { meta.len() } else { 0 }));
        }
    }
    found
}

fn places(world: &World) -> Place {
    let (work, home) = (world.work(), world.home());
    let outside = work.parent().unwrap().join("outside");
    for folder in [&outside, &home.join(".ssh")] {
        std::fs::create_dir_all(folder).unwrap();
    }
    let (out, key) = (outside.join("secret"), home.join(".ssh/id_rsa"));
    for file in [&out, &key] {
        std::fs::write(file, format!("{SECRET}\n")).unwrap();
    }
    Place { work, out, key }
}

/// D2.10: what only reads is quiet, and hostile names are its test. Attack 325. Attack 326. Attack 327. Attack 328.
#[test]
fn given_the_quiet_forms_in_folders_with_hostile_names_then_none_is_allowed_that_shows_or_leaves_anything() {
    let world = World::new(USER);
    let place = places(&world);
    let mut checker = Checker::new(world.sources(), true);
    let (mut rows, mut harmful, mut calm, mut wrong) = (0, 0, 0, Vec::new());
    for (name, names) in FOLDERS {
        let makers = MAKERS.iter().filter(|_| *name == "calm");
        let lines = LINES.iter().chain(makers).map(|line| (line, false));
        for (line, tracked) in lines.chain(TRACKED.iter().map(|line| (line, true))) {
            let line = line.replace("OUT", place.out.to_str().unwrap());
            place.fill(*names);
            if tracked {
                place.track();
            }
            let request =
                json!({"kind": "shell", "command": line, "cwd": place.work, "workspace": place.work});
            let request = Request::from_json(&request.to_string()).unwrap();
            let allowed = checker.decide(&request).unwrap().effect.to_string() == "allow";
            let harms = place.harms(&line);
            rows += 1;
            harmful += usize::from(harms);
            calm += usize::from(allowed && *name == "calm");
            if allowed && harms {
                wrong.push(format!("{name}: {line}"));
            }
        }
    }
    println!("{rows} rows, {harmful} of them harmful, {calm} of {} allowed in a calm folder", LINES.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rows >= 1000 && harmful >= 300 && calm >= 25, "{rows} rows, {harmful} harmful, {calm} calm");
}
