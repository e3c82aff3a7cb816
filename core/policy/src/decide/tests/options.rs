//! Options that programs read otherwise than one reader of their words would: variants by the thousand, and
//! the harmless lines beside them.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

/// As many lines each attack is made into, at least.
const ENOUGH: usize = 1_000;

/// Every combination of one of each, with blanks between; an empty part is left out.
fn lines(parts: &[&[&str]]) -> BTreeSet<String> {
    let mut lines = BTreeSet::from([String::new()]);
    for part in parts {
        lines = lines
            .iter()
            .flat_map(|line| {
                part.iter().map(move |word| match (line.is_empty(), word.is_empty()) {
                    (_, true) => line.clone(),
                    (true, _) => (*word).to_owned(),
                    _ => format!("{line} {word}"),
                })
            })
            .collect();
    }
    lines
}

/// Which of the lines are allowed: in plan mode, and where a rule allows the program with any words.
fn allowed<'a>(lines: impl IntoIterator<Item = &'a String>) -> Vec<(&'a str, &'static str)> {
    let none = policy(&[]);
    let mut rules: BTreeMap<&str, Policy> = BTreeMap::new();
    let mut found = Vec::new();
    for line in lines {
        let program = line.split(' ').next().unwrap();
        let rule = rules
            .entry(program)
            .or_insert_with(|| policy(&[(Allow, format!("shell({program} *)").as_str())]));
        let call = shell(line);
        if in_mode(&none, &call, Mode::Plan).effect == Allow {
            found.push((line.as_str(), "plan"));
        }
        if effect(rule, &call) == Allow {
            found.push((line.as_str(), "rule"));
        }
    }
    found
}

fn none_allowed(lines: &BTreeSet<String>) {
    assert!(lines.len() >= ENOUGH, "only {} lines", lines.len());
    let found = allowed(lines);
    assert!(found.is_empty(), "{} of {}: {:#?}", found.len(), lines.len(), &found[..found.len().min(20)]);
}

/// Attack 211.
#[test]
fn given_a_sed_script_behind_an_option_whose_arity_differs_then_it_is_not_allowed() {
    let evil: &[&str] = &[
        "'1e touch pwned'",
        "'w pwned'",
        "'1!w pwned'",
        "'s/x/y/w pwned'",
        "'s/a/touch pwned/e'",
        "'/x/{p;w pwned\n}'",
        "'p;e id'",
    ];
    let first = &["-l", "-nl", "-El", "-snl", "-uzl"];
    let innocent = &["1p", "80", "p", "'1,5p'", "'$p'", "=", "'s/a/b/'"];
    let mut all = lines(&[&["sed"], &["", "-s -u"], first, innocent, evil, &["a.txt", "a.txt b.txt"]]);
    all.extend(lines(&[&["sed"], first, evil, innocent, &["a.txt"]]));
    none_allowed(&all);
}

/// Attack 212.
#[test]
fn given_an_output_of_git_behind_an_option_that_does_not_take_it_then_it_is_not_allowed() {
    let reading = &["log", "show", "diff", "diff-tree", "diff-index", "whatchanged", "rev-list", "reflog"];
    let options = &[
        "--min-parents",
        "--max-parents",
        "--format",
        "--group",
        "--max-depth",
        "--creation-factor",
        "--decorate-refs",
        "--decorate-refs-exclude",
        "-L",
        "-S",
        "--author",
        "--anchored",
        "--grep",
        "--skip",
    ];
    let outputs = &[
        "--output=src/main.rs",
        "--output=../victim",
        "--outpu=pwned",
        "--output pwned",
        "--output=.git/index",
    ];
    let mut all = lines(&[&["git"], reading, options, outputs, &["", "HEAD"]]);
    all.retain(|line| !line.contains("rev-list") || !line.contains("--outpu="));
    none_allowed(&all);
}

/// Attack 213.
#[test]
fn given_a_first_parser_of_git_archive_that_knows_fewer_options_then_its_own_are_not_allowed() {
    let before = &["--prefix", "--format", "--mtime", "--add-file", "--add-virtual-file"];
    let evil = &[
        "--exec='touch pwned;git-upload-archive'",
        "--exec ./evil",
        "--exe=./evil",
        "--remote=.",
        "--remote=ssh://evil/x",
        "--rem=host:x",
        "--output=../victim",
        "--output=src/main.rs",
        "--outp=pwned",
        "--output pwned",
        "-o pwned",
        "-opwned",
        "-vo pwned",
    ];
    let twice = &["", "--prefix --remote=.", "-v", "-9"];
    let tail = &["HEAD", "x/ HEAD", "HEAD src", "tar HEAD", "now HEAD -- src"];
    none_allowed(&lines(&[&["git archive"], before, evil, twice, tail]));
}

/// Attack 214.
#[test]
fn given_letters_of_tree_that_take_the_next_words_in_order_then_an_output_among_them_is_not_allowed() {
    let letters =
        &["-Lo", "-Po", "-Io", "-To", "-aLo", "-dPo", "-LPo", "-aPoI", "-LoP", "-ILo", "-oL", "-PLo"];
    let values = &["2", "'*'", "src", "2 '*.rs'", "x y", "-a"];
    let file = &["pwned", "src/main.rs", "../victim", ".git/hooks/pre-commit"];
    none_allowed(&lines(&[&["tree"], &["", "-a", "-d -f", "-L 2"], letters, values, file]));
}

/// Attack 215.
#[test]
fn given_a_number_that_is_optional_to_ack_then_what_stands_in_its_place_is_not_allowed() {
    let before = &["-A", "-B", "-C", "-iA", "-lC", "-wB", "--type", "-nC"];
    let evil = &[
        "--pager='touch pwned'",
        "--pager=./x",
        "--pager ./x",
        "--pag=./x",
        "--ackrc=./evil",
        "--ackrc ./evil",
        "--ack=x",
        "-p ./x",
    ];
    let tail = &["foo", "foo src", "-- foo", "-i foo", "foo a b"];
    none_allowed(&lines(&[&["ack", "ag"], &["", "--hidden"], before, evil, tail]));
}

/// Attack 216.
#[test]
fn given_a_flag_that_takes_a_value_only_in_one_tar_then_a_program_behind_it_is_not_allowed() {
    let before =
        &["-tH", "-tvH", "-t -H", "-ts", "-tb", "-tN", "-t --exclude", "-tvV", "-t --format", "-tW", "tH"];
    let evil = &[
        "--use-compress-program=./x",
        "--use-comp=./x",
        "--use-compress-program ./x",
        "-I ./x",
        "-I./x",
        "--to-command=./x",
        "--checkpoint-action=exec=./x",
        "--info-script=./x",
        "-F ./x",
        "--rsh-command=./x",
        "--rmt-command=./x",
        "-g x",
        "--index-file=x",
        "--one-top-level=/etc",
    ];
    let tail = &["-f a.tar", "-f a.tar src", "--file=a.tar", "-z -f a.tgz"];
    none_allowed(&lines(&[&["tar", "bsdtar"], before, evil, tail]));
}

/// The same programs and options without the attack: asking always would be no answer.
#[test]
fn given_the_same_options_without_an_attack_then_the_line_stays_allowed() {
    let parts: &[&[&[&str]]] = &[
        &[&["sed"], &["-n", "-En", "-ns"], &["", "-l 80", "-l80"], &["1p", "'1,5p'", "'$p'"], &["a.txt"]],
        &[&["sed"], &["-l 80"], &["-n"], &["1p", "p", "'/x/p'"], &["a.txt", "src/a.rs"]],
        &[
            &["git log"],
            &[
                "--min-parents=1",
                "--max-count 3",
                "--format=%h",
                "--author bob",
                "-S foo",
                "-Soutput",
                "-n 3",
            ],
            &["", "--oneline", "--skip 2"],
        ],
        &[&["git diff", "git show"], &["-U5", "--stat", "--anchored x", "-G foo"], &["", "HEAD"]],
        &[&["tree"], &["-L 2", "-L2", "-aL 2", "-LP 2 '*.rs'", "-I target", "-d"], &["src"]],
        &[&["ack"], &["-C 2", "-A 3 -B 3", "-i", "-C2"], &["foo"], &["src"]],
        &[&["tar"], &["-tf", "-tvf", "-tzf", "tf", "-t -H ustar -f"], &["a.tar"]],
        &[&["sort"], &["-k2", "-k 2", "-t: -k1,1n", "-t, -u", "-to"], &["a.txt"]],
        &[&["awk"], &["-F:", "-F: -v i=1", "-vi=1", "-vx=-o"], &["'{print $1}'"], &["a.txt"]],
        &[&["rg"], &["-tzig", "-C3", "-A 2", "-g '*.rs'", "-e a -e b"], &["foo src"]],
        &[&["ls"], &["-I target", "-w 80", "-T 4"], &["src"]],
    ];
    let mut wrong = Vec::new();
    for parts in parts {
        let lines = lines(parts);
        let allowed: BTreeSet<_> = allowed(&lines).into_iter().collect();
        let both = lines.iter().flat_map(|line| [(line.as_str(), "plan"), (line.as_str(), "rule")]);
        wrong.extend(both.filter(|each| !allowed.contains(each)).map(|each| format!("{each:?}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Programs that compress and unpack, with the end of a packed file's name. Their last mode counts, or one of them always.
const PACKERS: &[(&str, &str)] = &[
    ("gzip", "gz"),
    ("gunzip", "gz"),
    ("bzip2", "bz2"),
    ("bunzip2", "bz2"),
    ("xz", "xz"),
    ("unxz", "xz"),
    ("lzma", "lzma"),
    ("zstd", "zst"),
    ("unzstd", "zst"),
];

/// What makes them spare files.
const SPARING: &[&str] = &["-c", "--stdout", "-l", "--list", "-t", "--test"];

/// Lines with a sparing option and another one, in both orders and in one word, beside what they are run on.
fn packer_lines(others: &[&str]) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    for (program, end) in PACKERS {
        for (spares, other) in
            SPARING.iter().flat_map(|spares| others.iter().map(move |other| (spares, other)))
        {
            let glued =
                (spares.len() == 2 && other.len() == 2).then(|| format!("-{}{}", &spares[1..], &other[1..]));
            let pairs =
                [format!("{spares} {other}"), format!("{other} {spares}"), format!("{spares} x {other}")];
            for options in pairs.into_iter().chain(glued) {
                for file in [format!("a.{end}"), "plain".to_owned()] {
                    lines.push((
                        *program,
                        format!("{program} {options} {file}").replace(" x ", &format!(" {file} ")),
                    ));
                }
            }
        }
    }
    lines
}

/// D2.28, attack 77: `xz -t -d` decompresses, and removes the packed file.
#[test]
fn given_an_option_that_spares_files_and_a_mode_that_takes_it_back_then_it_counts_for_nothing() {
    let modes = ["-d", "--decompress", "-z", "--decomp"];
    let lines = packer_lines(&modes)
        .into_iter()
        .filter(|(_, line)| !line.contains("-c") && !line.contains("--stdout"));
    let lines: Vec<_> =
        lines.filter(|(program, line)| !(*program == "gzip" && line.contains("gz"))).collect();
    let none = policy(&[]);
    let denying = policy(&[(Deny, "write(**)")]);
    let wrong: Vec<_> = lines
        .iter()
        .filter(|(_, line)| {
            in_mode(&none, &shell(line), Mode::Plan).effect == Allow
                || in_mode(&denying, &shell(line), Mode::Auto).effect == Allow
        })
        .collect();
    assert!(lines.len() > 500, "{}", lines.len());
    assert!(wrong.is_empty(), "{} of {}: {wrong:?}", wrong.len(), lines.len());
    // Two ways to say the same, and what goes with any mode.
    for line in [
        "xz -dc a.xz",
        "xz -t a.xz",
        "zstd -dc -q a.zst",
        "gzip -lv a.gz",
        "bzip2 -tv a.bz2",
        "xz -l -v a.xz",
        "zstd -t -q a.zst",
    ] {
        assert_eq!(in_mode(&none, &shell(line), Mode::Plan).effect, Allow, "{line}");
    }
    // A word that may take it back.
    for line in
        ["git clean -n --no-dry-run -fd", "git clean -fd --dry-run $X", "patch --dry-run --no-x < a.patch"]
    {
        assert_ne!(in_mode(&denying, &shell(line), Mode::Auto).effect, Allow, "{line}");
    }
    assert_eq!(in_mode(&denying, &shell("git clean -nfd"), Mode::Auto).effect, Allow);
}

/// D2.28, attack 77: whatever plan mode allows of the packers that are installed changes no file. Attack 594.
#[test]
fn given_a_packer_that_is_installed_then_what_plan_mode_allows_changes_no_file() {
    let others = [
        "-d",
        "-z",
        "-k",
        "-f",
        "-q",
        "-v",
        "-r",
        "-n",
        "-N",
        "-1",
        "-9",
        "--best",
        "--decompress",
        "-l",
        "-t",
        "-T1o",
        "-T1fo",
        "-T1d",
        "-T0z",
        "-Tz",
        "-M1MBo",
        "-of",
    ];
    let folder = tempfile::tempdir().unwrap();
    let run = |line: &str| {
        let words: Vec<_> = line.split(' ').collect();
        let mut command = std::process::Command::new(words[0]);
        command.args(&words[1..]).current_dir(folder.path()).stdin(std::process::Stdio::null()).output()
    };
    let contents = || {
        let files = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        files.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect::<BTreeMap<_, _>>()
    };
    let fill = |program: &str, end: &str| {
        for (path, _) in contents() {
            std::fs::remove_file(path).unwrap();
        }
        let plain = folder.path().join("plain");
        std::fs::write(&plain, "the same line\n".repeat(40)).unwrap();
        std::fs::write(
            folder.path().join(format!("a.{end}")),
            run(&format!("{program} -c plain")).unwrap().stdout,
        )
        .unwrap();
        contents()
    };
    let none = policy(&[]);
    let (mut before, mut tried) = (BTreeMap::new(), 0);
    let mut last = "";
    for (program, line) in packer_lines(&others) {
        if run(&format!("{program} --version")).is_err() {
            continue;
        }
        if program != last {
            let (_, end) = PACKERS.iter().find(|(name, _)| *name == program).unwrap();
            let packs =
                program.trim_start_matches("un").replace("gunzip", "gzip").replace("bunzip2", "bzip2");
            before = fill(&packs, end);
            last = program;
        }
        if in_mode(&none, &shell(&line), Mode::Plan).effect == Allow {
            tried += 1;
            run(&line).unwrap();
            assert_eq!(contents(), before, "{line}");
        }
    }
    // gzip is on every system.
    assert!(tried > 100, "{tried}");
}
