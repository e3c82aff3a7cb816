//! Values that no assignment of the line gives, and that a shell evaluates as numbers all the same: what it sets by itself, and
//! the arguments of a line that a program runs (D2.18).

use super::*;

/// What a shell keeps by itself of a text from elsewhere, and under which names.
const KEPT: &[(&str, &[&str])] = &[
    ("echo \"$(cat f)\"; ", &["_"]),
    ("cat \"$(cat f)\" && ", &["_"]),
    (": \"$(cat f)\"; ", &["_"]),
    ("ls d/p*; ", &["_"]),
    ("for i in d/*; do echo \"$i\"; done; ", &["_"]),
    ("set -- -a \"$(cat f)\"; getopts a: y; ", &["OPTARG"]),
    ("getopts a: y -a \"$(cat f)\"; ", &["OPTARG"]),
    ("[[ \"$(cat f)\" =~ .* ]]; ", &["BASH_REMATCH", "MATCH", "match"]),
    ("[[ $(cat f) =~ ([0-9]+) ]] && ", &["BASH_REMATCH", "MATCH", "match"]),
    ("cd d && cd p* && ", &["PWD", "OLDPWD", "DIRSTACK", "dirstack"]),
    ("set -- $(cat f); ", &["argv", "_"]),
    ("select y in $(cat f); do break; done < f; ", &["REPLY"]),
    ("", &["BASH_COMMAND", "BASH_ARGV", "BASH_EXECUTION_STRING", "ZSH_SCRIPT", "HISTFILE", "jobtexts"]),
];

/// Where a shell evaluates what the variable N holds.
const EVALUATED: &[&str] = &[
    "[[ N -eq 1 ]]",
    "[[ $N -eq 1 ]]",
    "[[ 1 -lt \"$N\" ]]",
    "[[ ${N#a} -lt 2 ]]",
    "[[ ${N##*/} -gt 2 ]]",
    "[[ ${N[0]} -eq 1 ]]",
    "echo $((N))",
    "echo $((N + 1))",
    "echo $(( 1 + $N ))",
    "echo $((N[1]))",
    "echo $[N]",
    "((N > 3))",
    "let \"y=N\"",
    "let y=$N+1",
    "echo ${a[N]}",
    "for ((i=N;i<3;i++)); do echo y; done",
];

/// D2.18, attack 78: the last word, what matched, an option's value, the name of a folder.
#[test]
fn given_what_a_shell_sets_by_itself_where_it_evaluates_then_it_is_asked_about_always() {
    let of = |before: &str, name: &str| {
        let line = |use_: &&str| format!("{before}{}", use_.replace('N', name));
        let lines: Vec<_> = EVALUATED.iter().map(line).collect();
        lines
            .into_iter()
            .flat_map(|line| [line.clone(), format!("{line} && echo y"), format!("{line}; ls")])
            .collect::<Vec<_>>()
    };
    let names = KEPT.iter().flat_map(|(before, names)| names.iter().map(move |name| (before, name)));
    let mut lines: BTreeSet<String> = names.flat_map(|(before, name)| of(before, name)).collect();
    for parameter in ["$1", "$@", "$*", "${1#a}", "${=1}", "${(f)1}", "${1:-5}", "argv[1]"] {
        for source in ["set -- \"$(cat f)\"; ", "set -- d/*; ", "set a $(cat f); shift; "] {
            for line in ["[[ @ -eq 1 ]]", "echo $((@))", "let y=@", "((@ > 1))", "[[ 1 -lt @ ]] || ls"] {
                lines.insert(format!("{source}{}", line.replace('@', parameter)));
            }
        }
    }
    for dialect in [Dialect::Bash, Dialect::Zsh, Dialect::Unknown] {
        none_allowed(dialect, &lines);
    }
}

/// D2.18, attack 78: the arguments of a line that a program runs, which may come from a file or be called as one.
#[test]
fn given_arguments_of_a_line_that_is_run_then_where_it_evaluates_them_it_is_asked_about_always() {
    let lines = [
        "[[ $1 -eq 1 ]]",
        "[[ 1 -lt \"$1\" ]]",
        "[[ ${1#d/} -eq 1 ]]",
        "echo $(($1))",
        "echo $((1 + $1))",
        "echo $[$1]",
        "for i; do echo $((i)); done",
        "for i in \"$@\"; do [[ $i -gt 1 ]]; done",
        "while [[ $1 -gt 1 ]]; do break; done",
        "x=$1; echo $((x))",
        "x=$1; [[ $x -gt 1 ]]",
        "let \"y=$1\"",
        "echo ${a[$1]}",
        "(($1 > 3))",
        "[[ $* -eq 1 ]]",
        "shift; echo $(($1))",
    ];
    let runs = [
        "bash -c 'LINE' _ \"$(cat f)\"",
        "bash -c 'LINE' _ $(cat f)",
        "bash -c 'LINE' _ 1 \"$(cat f)\"",
        "bash -c 'LINE' _ d/*",
        "bash -ec 'LINE' _ \"$(git log -1 --format=%s)\"",
        "bash --norc -c 'LINE' bash \"$(cat f)\"",
        "zsh -c 'LINE' _ \"$(cat f)\"",
        "env bash -c 'LINE' _ \"$(cat f)\"",
        "timeout 5 bash -c 'LINE' _ \"$(cat f)\"",
        "nice bash -c 'LINE' _ \"$(cat f)\"",
        "x=$(cat f); bash -c 'LINE' _ \"$x\"",
        "x=$(cat f); export x; bash -c 'LINE' _ x",
        "while read -r x; do bash -c 'LINE' _ \"$x\"; done < f",
        "for x in d/*; do bash -c 'LINE' _ \"$x\"; done",
        "xargs bash -c 'LINE' _ < f",
        "xargs -d '\\n' bash -c 'LINE' _ < f",
        "xargs -d '\\n' -I{} bash -c 'LINE' _ {} < f",
        "cat f | xargs -n 1 bash -c 'LINE' _",
        "find d -type f -exec bash -c 'LINE' _ {} \\;",
        "find d -type f -exec bash -c 'LINE' _ {} +",
        "find d -execdir bash -c 'LINE' _ {} \\;",
        "find d -printf '%f\\n' | xargs -d '\\n' bash -c 'LINE' _",
        "ls d | xargs -I% bash -c 'LINE' _ %",
        "bash -s \"$(cat f)\" <<< 'LINE'",
        "bash -s -- \"$(cat f)\" <<'E'\nLINE\nE\n",
        "echo 'LINE' | bash -s x \"$(cat f)\"",
    ];
    let of = |run: &&str| {
        let one = |line: &str| {
            [run.replace("LINE", line), format!("{} && echo y", run.replace("LINE", line).trim_end())]
        };
        lines.iter().flat_map(|line| one(line)).collect::<Vec<_>>()
    };
    let mut all: BTreeSet<String> = runs.iter().flat_map(of).collect();
    for run in [
        "bash -c 'LINE' \"$(cat f)\"",
        "bash -c 'LINE' d/*",
        "xargs bash -c 'LINE' < f",
        "find d -exec bash -c 'LINE' {} \\;",
    ] {
        for line in ["[[ $0 -eq 1 ]]", "echo $(($0))", "[[ ${0#d/} -gt 1 ]]", "let y=$0", "x=$0; echo $((x))"]
        {
            all.insert(run.replace("LINE", line));
        }
    }
    all.retain(|line| !line.contains("\nE\n &&"));
    for dialect in [Dialect::Bash, Dialect::Zsh, Dialect::Unknown] {
        let asked =
            |line: &&String| in_mode(&policy(&[]), &line_for(dialect, line), Mode::Auto).effect != Allow;
        let allowed: Vec<_> = all.iter().filter(|line| !asked(line)).collect();
        assert!(allowed.is_empty(), "{dialect:?}: {} of {}: {allowed:#?}", allowed.len(), all.len());
    }
}

/// D2.18, attack 78: zsh's numbers with a point, and what `read` of zsh takes for numbers.
#[test]
fn given_a_number_with_a_point_or_an_option_that_takes_one_then_zsh_evaluates_it() {
    let mut lines = Vec::new();
    for declare in ["typeset", "declare", "local", "export", "readonly"] {
        for flag in ["-F", "-E", "-gF", "-F2", "-xE", "-i"] {
            for value in ["y=\"$(cat f)\"", "y=$(cat f)", "y=`cat f`"] {
                lines.push(format!("{declare} {flag} {value}"));
            }
            lines.push(format!("x=$(cat f); {declare} {flag} y=x"));
            lines.push(format!("x=$(cat f); {declare} {flag} x y=1"));
            lines.push(format!("{declare} {flag} y; read y < f"));
            lines.push(format!("{declare} {flag} y; y=$(cat f)"));
        }
    }
    for option in ["-t", "-rt", "-u", "-n"] {
        lines.push(format!("read {option} \"$(cat f)\" y < f"));
        lines.push(format!("x=$(cat f); read {option} $x y < f"));
        lines.push(format!("x=$(cat f); read {option} x y < f"));
    }
    for dialect in [Dialect::Zsh, Dialect::Unknown] {
        for line in &lines {
            assert_ne!(
                in_mode(&policy(&[]), &line_for(dialect, line), Mode::Auto).effect,
                Allow,
                "{dialect:?} {line}"
            );
        }
    }
}

/// What a shell counts by itself, and arguments that nothing evaluates. Attack 78.
#[test]
fn given_counts_and_arguments_that_are_only_used_then_nothing_is_asked_about() {
    let none = policy(&[]);
    let version = line_for(Dialect::Bash, "((BASH_VERSINFO[0] >= 4)) && echo new");
    assert_eq!(in_mode(&none, &version, Mode::Auto).effect, Allow);
    for dialect in [Dialect::Bash, Dialect::Zsh, Dialect::Unknown] {
        for line in [
            "echo \"$(cat f)\"; [[ $? -eq 0 ]] && echo y",
            "[[ $(git status --short | wc -l) -gt 0 ]] && echo dirty",
            "[[ $(ls match | wc -l) -gt 3 ]] && echo many",
            "[[ $(ls $PWD | wc -l) -gt 3 ]] && echo many",
            "[[ $(wc -l < words) -gt 3 ]] && echo many",
            "[[ $SECONDS -gt 5 ]] && echo slow",
            "[[ $SHLVL -gt 1 ]] && echo y",
            "echo $((RANDOM % 6))",
            "[[ \"$(cat f)\" =~ ^v[0-9] ]] && echo y",
            "[[ $(cat f) =~ ^v[0-9] ]] && echo \"${BASH_REMATCH[0]}\"",
            "cd d && echo \"$PWD\"",
            "bash -c 'echo $(( $1 + 1 ))' 0 5",
            "bash -c 'wc -l \"$1\"' _ f",
            "bash -c 'for i in \"$@\"; do echo \"$i\"; done' _ a b",
            "bash -c '[[ $# -gt 0 ]] && echo y' _ f",
            "bash -c 'i=0; i=$((i+1)); echo $i' _ f",
            "find d -name '*.rs' -exec bash -c 'wc -l \"$1\"' _ {} \\;",
            "read -t 5 y < f",
            "typeset -F y=1",
        ] {
            assert_eq!(
                in_mode(&none, &line_for(dialect, line), Mode::Auto).effect,
                Allow,
                "{dialect:?} {line}"
            );
        }
    }
}
