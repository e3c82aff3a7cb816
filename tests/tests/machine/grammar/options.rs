//! Options of readers, and values that are options themselves.

use super::tables::Opt;
use super::{Grammar, Make};

pub(super) const STATEMENTS: &[(&str, Make)] = &[
    ("options of git log", |g| options(g, "git log", GIT)),
    ("options of git diff", |g| options(g, "git diff", GIT)),
    ("options of git show", |g| options(g, "git show", GIT)),
    ("options of git archive", |g| {
        options(g, "git archive", &["HEAD", "x/ HEAD", "HEAD a.txt", "tar HEAD", "now HEAD", "v1", "1 HEAD"])
    }),
    ("options of git grep", |g| {
        options(g, "git grep", &["one", "a", "-e one", "one HEAD", "one -- src", "TODO"])
    }),
    ("options of git blame", |g| options(g, "git blame", &["a.txt", "b.txt", "HEAD a.txt"])),
    ("options of git rev-list", |g| options(g, "git rev-list", &["HEAD", "v1..HEAD", "--all"])),
    ("options of another git command", |g| {
        let names: Vec<String> =
            g.tables.programs().filter(|name| name.starts_with("git ")).map(str::to_owned).collect();
        let name = names[g.random.below(names.len())].clone();
        options(g, &name, &["", "HEAD", "a.txt", "-- src", "v1", "main", "x", "HEAD:a.txt"])
    }),
    ("options of git itself", |g| {
        let option = g.of(&[
            "--no-pager",
            "-p",
            "-C .",
            "-C src",
            "-c color.ui=never",
            "--git-dir=.git",
            "--no-optional-locks",
            "-c core.pager=evil",
            "--exec-path=.",
            "-c alias.x='!touch pwned'",
            "--bare",
            "--literal-pathspecs",
            "--config-env=a=HOME",
            "-P",
            "--paginate",
            "--namespace=a",
            "--super-prefix=a",
            "-c core.fsmonitor=./evil",
        ]);
        format!(
            "git {option} {}",
            g.of(&["status", "log -1", "diff", "show", "ls-files", "x", "branch", "grep one"])
        )
    }),
    ("options of sed", |g| options(g, "sed", SED)),
    ("options of awk", |g| {
        let name = g.of(&["awk", "gawk", "mawk"]);
        options(g, name, AWK).replacen("awk", name, usize::from(name == "awk"))
    }),
    ("options of sort", |g| options(g, "sort", FILES)),
    ("options of grep", |g| {
        options(
            g,
            "grep",
            &[". .", "one a.txt", ". lk", "one src", "-e one a.txt", ". src lk", "-- one a.txt", ". odd"],
        )
    }),
    ("options of rg", |g| options(g, "rg", &[".", "one", ". lk", "one a.txt", ". src", "one odd"])),
    ("options of tar", |g| {
        options(
            g,
            "tar",
            &[
                "-tf a.tar",
                "tf a.tar",
                "-t -f a.tar",
                "--list --file=a.tar",
                "-tvf a.tar",
                "-tf a.tar a.txt",
                "tfv a.tar",
            ],
        )
    }),
    ("options of bsdtar", |g| {
        options(g, "tar", &["-tf a.tar", "tf a.tar", "-tf a.tar a.txt"]).replacen("tar", "bsdtar", 1)
    }),
    ("options of tree", |g| {
        options(g, "tree", &["", "2 pwned", ".", "'*' pwned", "src", "1", "lk", "2 src/x"])
    }),
    ("options of find", |g| find(g)),
    ("options of fd", |g| options(g, "fd", &["", "txt", "a .", ". lk", "x src"])),
    ("options of diff", |g| {
        options(
            g,
            "diff",
            &["a.txt b.txt", "-r lk src", "lk src", "src sub", "a.txt src", "-rN lk src", "odd sub"],
        )
    }),
    ("options of ls", |g| options(g, "ls", &["", "src", "lk", "a.txt", "lk/"])),
    ("options of jq", |g| {
        options(
            g,
            "jq",
            &[
                ". package.json",
                ".name package.json",
                "-r .name package.json",
                "input a.txt",
                "'input_filename' a.txt",
            ],
        )
    }),
    ("options of less and more", |g| {
        let name = g.of(&["less", "more"]);
        options(g, name, FILES)
    }),
    ("options of another reader", |g| {
        let names: Vec<String> =
            g.tables.programs().filter(|name| !name.contains(' ')).map(str::to_owned).collect();
        let name = names[g.random.below(names.len())].clone();
        options(g, &name, FILES)
    }),
];

const GIT: &[&str] =
    &["", "HEAD", "HEAD~1", "-- a.txt", "HEAD -- src", "v1..HEAD", "--stat", "-p", "a.txt", "HEAD~1 HEAD"];
const FILES: &[&str] = &["a.txt", "a.txt b.txt", "-- a.txt", "", "src/lib.rs", "2 pwned", "a.txt pwned", "x"];
const SED: &[&str] = &[
    "1p a.txt",
    "p a.txt",
    "1p '1e touch pwned' a.txt",
    "1p 'w pwned' a.txt",
    "2p 'e touch pwned' a.txt",
    "1d '1e touch pwned' a.txt",
    "1q 'w pwned' b.txt",
    "5p '1w pwned' a.txt",
    "-n 1p a.txt",
    "s/a/b/ a.txt",
    "'w pwned' a.txt",
    "5 '1e evil x' a.txt",
    "'1!G;h;$!d' a.txt",
    "-e p a.txt",
    "'1e touch pwned' a.txt",
];
const AWK: &[&str] = &[
    "1 a.txt",
    "'{print $1}' a.txt",
    "a 'BEGIN{system(\"touch pwned\")}'",
    "'{print > \"pwned\"}' a.txt",
    "x=1 a.txt",
    "a.txt",
];
fn options(g: &mut Grammar, name: &str, operands: &[&'static str]) -> String {
    let entry = g.tables.of(name);
    let mut words = vec![name.to_owned()];
    let before = g.random.once_in(3);
    let operand = g.of(operands);
    if before {
        words.push(operand.to_owned());
    }
    for _ in 0..=g.random.below(3) {
        if entry.harmless.is_empty() {
            break;
        }
        // Those with a value are where programs and tables differ.
        let valued: Vec<&Opt> = entry.harmless.iter().filter(|option| option.takes || option.glued).collect();
        let option = match valued.len() {
            1.. if g.random.once_in(2) => valued[g.random.below(valued.len())].clone(),
            _ => entry.harmless[g.random.below(entry.harmless.len())].clone(),
        };
        let other = |g: &mut Grammar| {
            let all = if entry.effects.is_empty() { &entry.harmless } else { &entry.effects };
            all[g.random.below(all.len())].clone()
        };
        match g.random.below(6) {
            // An option that does something, where a value is expected.
            0 | 1 => {
                let effect = other(g);
                words.push(option.name.clone());
                words.push(effective(g, &effect));
            }
            // Letters in one word, of which one or both take a value: glued, or from the words behind, in order.
            2 => {
                let effect = if g.random.once_in(3) { option.clone() } else { other(g) };
                match (letter(&option), letter(&effect)) {
                    (Some(first), Some(second)) => {
                        words.push(format!("-{first}{second}"));
                        if g.random.once_in(2) {
                            words.push(value(g).to_owned());
                            words.push(target(g).to_owned());
                        }
                    }
                    _ => words.push(option.name.clone()),
                }
            }
            // As it is meant, with a value where it takes one.
            3 | 4 => {
                let value = value(g);
                let long = option.name.starts_with("--");
                words.push(match (option.takes || option.glued, long) {
                    (true, true) => format!("{}={value}", option.name),
                    (true, false) if option.glued && g.random.once_in(3) => option.name.clone(),
                    (true, false) if g.random.once_in(2) => format!("{}{value}", option.name),
                    (true, false) => format!("{} {value}", option.name),
                    (false, _) => option.name.clone(),
                });
            }
            // Cut off, or with a value that it may not take.
            _ => {
                let cut = option
                    .name
                    .chars()
                    .take(option.name.chars().count().saturating_sub(g.random.below(3)))
                    .collect::<String>();
                let text = if option.name.starts_with("--") && g.random.once_in(2) {
                    cut
                } else {
                    format!("{} {}", option.name, value(g))
                };
                words.push(text);
            }
        }
    }
    if !before {
        words.push(operand.to_owned());
    }
    words.join(" ")
}

/// The letter of an option that is one.
fn letter(option: &Opt) -> Option<&str> {
    option.name.strip_prefix('-').filter(|name| name.len() == 1)
}

/// What shows that something was written, or run.
fn target(g: &mut Grammar) -> &'static str {
    g.of(&["pwned", "./evil", "src/main.rs", "../victim", "'touch pwned'", "evil", ".git/index"])
}

/// An option that does something, with a value that shows it.
fn effective(g: &mut Grammar, option: &Opt) -> String {
    let value = target(g);
    match (option.takes || option.glued, option.name.starts_with("--")) {
        (true, true) => format!("{}={value}", option.name),
        (true, false) if g.random.once_in(2) => format!("{}{value}", option.name),
        (true, false) => format!("{} {value}", option.name),
        (false, _) => option.name.clone(),
    }
}

fn value(g: &mut Grammar) -> &'static str {
    g.of(&[
        "1", "2", "a", "x", "'*'", "1p", "HEAD", "a.txt", "never", "'%H'", "5", "--", "-", "0", "auto",
        "'a b'", "tar",
    ])
}

fn find(g: &mut Grammar) -> String {
    let place = g.of(&[".", "src", "lk", "-L .", "-L lk", "-P . ", "-H lk/up", "odd", ""]);
    let mut words = vec!["find".to_owned(), place.to_owned()];
    for _ in 0..=g.random.below(3) {
        words.push(
            g.of(&[
                "-name '*.txt'",
                "-type f",
                "-maxdepth 1",
                "-print",
                "-print0",
                "-follow",
                "-newer a.txt",
                "-size +1",
                "-not -name x",
                "-o",
                "-a",
                "!",
                "\\( -name a \\)",
                "-regex '.*'",
                "-path ./src",
                "-prune",
                "-ls",
                "-printf '%p'",
                "-quit",
                "-name -delete",
                "-newer -delete",
                "-fprint pwned",
                "-fprintf pwned x",
                "-fls pwned",
                "-delete",
                "-exec cat {} +",
                "-exec ./evil {} \\;",
                "-files0-from list.txt",
                "-samefile a.txt",
                "-regextype sed",
                "-printf -fprint pwned",
                "-D x",
                "-O3",
                "-D -delete",
                "-mtime -1",
                "-perm -u+x",
                "-empty",
                "-lname '*'",
                "-xtype l",
                "-iname '-exec' ",
            ])
            .to_owned(),
        );
    }
    words.join(" ")
}
