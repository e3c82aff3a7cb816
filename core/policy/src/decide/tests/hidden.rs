//! Commands that hide in a line: what mayi reads there is not what a shell runs. Each way around that was found is
//! a generator of lines here, of which none may be allowed, beside lines of the same kind that hide nothing.

mod evaluated;
mod open_options;
mod set_by_shells;
mod values;
mod zsh_sets;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::*;
use mayi_call::Dialect;

/// What somebody allows who wants to be asked less, and one denial.
const RULES: &[(Effect, &str)] = &[
    (Allow, "shell(echo *)"),
    (Allow, "shell(cat *)"),
    (Allow, "shell(ls *)"),
    (Allow, "shell(git *)"),
    (Allow, "shell(test *)"),
    (Allow, "shell(printf *)"),
    (Allow, "shell(sh -c *)"),
    (Allow, "shell([[ *)"),
    (Deny, "shell(touch *)"),
    (Deny, "shell(./evil *)"),
];

fn line_for(dialect: Dialect, line: &str) -> Call {
    let roots = [PathBuf::from("/w")];
    let home = Some(Path::new(HOME));
    let at = Surroundings { home, dialect, ..Surroundings::new(Path::new("/w"), &roots) };
    let mut call = call(Access::Mode { id: "replaced".into() });
    call.accesses = shell::line_accesses(line, &at);
    call
}

/// The modes and rules that a line is decided under: plan mode, typical rules, and mode auto with its denials.
fn effects(dialect: Dialect, line: &str) -> [Effect; 3] {
    static POLICIES: LazyLock<[Policy; 3]> = LazyLock::new(|| {
        let denials: Vec<_> = RULES.iter().copied().filter(|(effect, _)| *effect == Deny).collect();
        [policy(&[]), policy(RULES), policy(&denials)]
    });
    let [none, typical, denied] = &*POLICIES;
    let call = line_for(dialect, line);
    [
        in_mode(none, &call, Mode::Plan).effect,
        in_mode(typical, &call, Mode::Default).effect,
        in_mode(denied, &call, Mode::Auto).effect,
    ]
}

fn none_allowed(dialect: Dialect, lines: &BTreeSet<String>) {
    assert!(lines.len() >= 1000, "only {} lines", lines.len());
    let allowed: Vec<_> = lines
        .iter()
        .map(|line| (line, effects(dialect, line)))
        .filter(|(_, effects)| effects.contains(&Allow))
        .collect();
    assert!(
        allowed.is_empty(),
        "{} of {} allowed: {:#?}",
        allowed.len(),
        lines.len(),
        &allowed[..allowed.len().min(20)]
    );
}

/// Holds harmless lines to be allowed by the typical rules.
fn all_allowed(dialect: Dialect, lines: &[&str]) {
    let asked: Vec<_> = lines.iter().filter(|line| effects(dialect, line)[1] != Allow).collect();
    assert!(asked.is_empty(), "{asked:#?}");
}

/// All that `template` becomes with one of each list in the place of `{0}`, `{1}`, ...
fn filled(template: &str, lists: &[&[&str]]) -> BTreeSet<String> {
    lists.iter().enumerate().filter(|(_, list)| !list.is_empty()).fold(
        BTreeSet::from([template.to_owned()]),
        |lines, (at, list)| {
            let mark = format!("{{{at}}}");
            lines
                .iter()
                .flat_map(|line| list.iter().map(|of| line.replace(&mark, of)).collect::<Vec<_>>())
                .collect()
        },
    )
}

/// Attack 193: bash ends a here-document in a substitution at a line that only begins with its word.
#[test]
fn given_a_here_document_that_ends_early_in_a_substitution_then_nothing_behind_it_runs() {
    let hosts = [
        "echo \"$({1}\n)\"",
        "git commit -m \"$({1}\n)\"",
        "echo $({1}\n)",
        "x=\"$({1}\n)\"; echo hi",
        "cat <({1}\n)",
        "[[ -n \"$({1}\n)\" ]]",
        "echo \"$(echo \"$({1}\n)\")\"",
        "printf '%s' \"$( {1}\n )\" | cat",
    ];
    let document = "{2} <<{3}\na (b)\n{4}{5}\n{4}";
    let mut lines = BTreeSet::new();
    for host in hosts {
        for (head, word) in [("'EOF'", "EOF"), ("\"E\"", "E"), ("\\END", "END"), ("E_1", "E_1")] {
            let document = document.replace("{3}", head).replace("{4}", word);
            let behind: &[&str] = &[
                "touch x #)",
                " touch x # )",
                ";touch x )",
                "\ttouch x; echo )",
                " touch x $(ls)",
                " ./evil ()",
            ];
            lines.extend(filled(
                &host.replace("{1}", &document),
                &[&[], &[], &["cat", "cat -", "head -3", "tr a b", "sort -u"], &[], &[], behind],
            ));
        }
        let tabs = "cat <<-'EOF'\n\ta\n\tEOF touch x #)\n\tEOF";
        lines.insert(host.replace("{1}", tabs));
        lines.insert(host.replace("{1}", &tabs.replace("\tEOF touch", "\t\tEOFtouch")));
    }
    // The same lines three deep.
    let deeper: Vec<_> = lines.iter().take(200).map(|line| format!("echo \"$({line}\n)\"")).collect();
    lines.extend(deeper);
    none_allowed(Dialect::Bash, &lines);
    none_allowed(Dialect::Unknown, &lines);
    all_allowed(
        Dialect::Unknown,
        &[
            "echo \"$(cat <<'EOF'\nfix (a)\n\nEOFs are fine\nEOF\n)\"",
            "git commit -m \"$(cat <<'EOF'\nfix (a)\n\n- one\n- two (three)\nEOF\n)\"",
            "git commit -m \"$(cat <<'EOF'\nthe EOF (end of file)\nEOF\n)\" && git status",
            "cat <<EOF\nEOF touch x )\nEOF",
            "cat <<'E'\nEvery line (of it)\nE",
        ],
    );
}

/// Attack 194: behind two dollar signs, a bracket opens nothing.
#[test]
fn given_a_bracket_behind_two_dollar_signs_then_what_it_hides_does_not_run() {
    let mut lines = filled(
        "{0} {1}$$[{2}{3}touch x{4}]",
        &[
            &["echo", "git commit -m", "printf", "ls", "cat"],
            &["", "a", "a b ", "'q'", "$$", "x=", "-"],
            &["", "1", " ", "1+", "x"],
            &[";", "\n", " ; ", "&&", "|", "&"],
            &["; echo ", "\n", " # "],
        ],
    );
    lines.extend(filled("{0} \"$$[{1}$(touch x)]\"", &[&["echo", "cat"], &["", "1", "a"]]));
    none_allowed(Dialect::Bash, &lines);
    none_allowed(Dialect::Unknown, &lines);
    all_allowed(
        Dialect::Unknown,
        &["echo $$", "echo \"$$ [x]\"", "echo $$ [1]", "echo $$-$(ls)", "echo '$$[1;x]'"],
    );
}

/// Attack 190: what a POSIX shell runs of a line that bash reads otherwise.
#[test]
fn given_a_line_that_dash_reads_otherwise_then_what_it_hides_does_not_run() {
    let command = ["touch x", "./evil", "touch 'x y' z", "./evil a &"];
    let mut bare = filled(
        "{0}{1}{2} {3}",
        &[
            &["echo", "ls -l", "cat a", "true", "git status", "printf x", "echo a | cat", "{ echo a; }"],
            &[" &>", " &>>", "&> "],
            &["/dev/null", "out", "\"out\"", "a.log"],
            &command,
        ],
    );
    bare.extend(filled(
        "{0}[[ {1} {2} {3} ]]{4}",
        &[
            &["", "! ", "echo a; ", "if true; then "],
            &["x", "-n x", "-f \"$y\"", "x == y"],
            &["||", "|| x ||", "|| ! x ||"],
            &["touch", "./evil"],
            &["", " && echo b", "; fi"],
        ],
    ));
    bare.extend(filled("! [[ {0} && {1} ]]", &[&["x", "-n x"], &["touch", "./evil"]]));
    bare.extend(filled("(({0} {1}))", &[&["1 >", "x >", "1 ||"], &["touch", "x"]]));
    // Those with `fi` need their `if`, and the other way round.
    bare.retain(|line| line.contains("if true") == line.ends_with("fi"));
    let mut lines = BTreeSet::new();
    for line in &bare {
        for shell in ["sh -c", "/bin/sh -c", "dash -c", "sh -lc"] {
            lines.insert(format!("{shell} {}", mayi_call::shell::quote_word(line)));
        }
    }
    none_allowed(Dialect::Bash, &lines);
    bare.extend(lines.iter().take(600).cloned());
    none_allowed(Dialect::Unknown, &bare);
    all_allowed(
        Dialect::Unknown,
        &[
            "echo a &>/dev/null",
            "sh -c 'ls &>/dev/null'",
            "ls &>/dev/null && echo b || echo c",
            "[[ -f x && -n y ]] && echo a",
            "if [[ -d x ]]; then ls; else echo none; fi",
            "sh -c 'ls | cat'",
            "cat <<<a",
        ],
    );
}

/// Attack 195: a variable that is read as a number runs what stands in a subscript of its value.
#[test]
fn given_a_value_that_runs_as_arithmetic_then_it_does_not_run() {
    let values =
        ["b[$(touch x)]", "b[`touch x`]", "PATH[$(./evil)]", "a[b[$(touch x)]]", "b[${c:-$(touch x)}]"];
    let setters = [
        "a='{1}'",
        "a=('{1}')",
        "a+=('{1}')",
        "a=(['{1}']=1)",
        "a[0]='{1}'",
        "a+='{1}'",
        "declare a='{1}'",
        "export a='{1}'",
        "readonly a='{1}'",
        "declare -a a=('{1}')",
        "declare -ia a=('{1}')",
        "declare -i a='{1}'",
        "declare -A a=(['{1}']='{1}')",
        "read a <<<'{1}'",
        "read -r a <<'E'\n{1}\nE\n",
        "for a in '{1}'; do :; done",
        "printf -v a %s '{1}'",
        "mapfile a <<<'{1}'",
        "set -- '{1}'; a=$1",
        "declare -i a; read a <<<'{1}'",
        "declare -i a; for a in '{1}'; do :; done",
        "declare -i a; printf -v a '{1}'",
        ": \"${a:='{1}'}\"",
        "declare -n a='{1}'; a=1",
        "read a < <(echo '{1}')",
        "echo '{1}' | while read a; do echo $((a)); done",
    ];
    let readers = [
        "echo $((a))",
        "((a))",
        "[[ a -eq 0 ]]",
        "echo ${x:a}",
        "let a",
        "x[a]=1",
        "echo ${x[a]}",
        "declare -i c=a",
        "echo $[a]",
        "[[ -v $a ]]",
    ];
    let mut lines = BTreeSet::new();
    for setter in setters {
        lines.extend(values.iter().flat_map(|value| {
            let setter = setter.replace("{1}", value);
            readers.iter().map(move |reader| format!("{setter}; {reader}"))
        }));
    }
    none_allowed(Dialect::Bash, &lines);
    none_allowed(Dialect::Unknown, &lines);
    let assigned = policy(&[(Allow, "shell(echo *)"), (Allow, "shell(a=1)"), (Deny, "shell(touch *)")]);
    for line in ["echo 'a[$(touch x)]'", "echo \"[$(echo a)]\"", "for i in 'a[1]' b; do echo \"$i\"; done"] {
        assert_eq!(effect(&assigned, &line_for(Dialect::Unknown, line)), Allow, "{line}");
    }
    // And in mode auto, what computes and hides nothing.
    let denied = policy(&[(Deny, "shell(touch *)")]);
    for line in
        ["a=1; echo $((a + 1))", "a=(x y); echo ${a[0]}", "read a <<<b; echo $a", "declare -A m=([k]=v)"]
    {
        assert_eq!(in_mode(&denied, &line_for(Dialect::Bash, line), Mode::Auto).effect, Allow, "{line}");
    }
}

/// Attack 191: zsh evaluates a subscript behind a plain name, whatever quotes are in it.
#[test]
fn given_a_subscript_behind_a_name_then_what_zsh_runs_of_it_does_not_run() {
    let lines = filled(
        "{0} {1}{2}[{3}]{4}",
        &[
            &["echo", "git commit -m", "cat", "ls -l", "printf %s", "test -n"],
            &["", "a", "\"b\""],
            &[
                "$PATH", "$a", "$1", "$@", "$*", "$a$b", "$#PATH", "$#@", "$#*", "$#?", "$#-", "$#0", "$^@",
                "$=*", "$~@", "$^^@", "$=#", "$~!", "$#",
            ],
            &[
                "'$(touch x)'",
                "1'$(touch x)'",
                "'`touch x`'",
                "\"$a\"'$(./evil)'",
                "1,'$(touch x)'",
                "\\$\\(touch\\ x\\)",
            ],
            &["", "c", " d", "; echo e"],
        ],
    );
    none_allowed(Dialect::Zsh, &lines);
    none_allowed(Dialect::Unknown, &lines);
    all_allowed(
        Dialect::Zsh,
        &[
            "echo $PATH",
            "echo \"$PATH:x\"",
            "echo '$PATH[1]'",
            "echo [$a]",
            "echo \"$a [1]\"",
            "echo \\$a[1]",
        ],
    );
    all_allowed(Dialect::Bash, &["echo $PATH[1]", "echo \"$a['x']\""]);
}
