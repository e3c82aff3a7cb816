//! Lines by their characters, and by what is opened and not closed again.

use super::{LINE, PROGRAMS, command, filled, number, several};
use crate::random::Random;

/// What a parser descends into, and what closes it.
const OPENERS: &[(&str, &str)] = &[
    ("{ ", "; }"),
    ("( ", " )"),
    ("((", "))"),
    ("if ", "; then x; fi"),
    ("for x in a; do ", "; done"),
    ("case x in x) ", ";; esac"),
    ("f() { ", "; }"),
    ("[[ ( ", " ) ]]"),
    ("echo $(", ")"),
    ("echo `", "`"),
    ("echo \"$(", ")\""),
    ("echo $((", "))"),
    ("echo ${a:-", "}"),
    ("echo \"${a:-", "}\""),
    ("echo <(", ")"),
    ("echo {a,", "}"),
    ("echo @(a|", ")"),
    ("x=(", ")"),
    ("git -c alias.x='git ", "'"),
    ("sh -c \"", "\""),
    ("'\"", "\"'"),
];

pub(super) fn nested(random: &mut Random) -> String {
    let (open, close) = OPENERS[random.below(OPENERS.len())];
    let times = number(random, &[9, 30, 60, 200, 900]);
    let closed = if random.once_in(3) { 0 } else { times };
    format!("{}{}{}", open.repeat(times), command(random), close.repeat(closed))
}

pub(super) fn ranges(random: &mut Random) -> String {
    let range =
        random.of(&["{1..1000000}", "{1..999999999}", "{a..z}{a..z}{a..z}", "{001..90000..3}", "{1..9}"]);
    let times = number(random, &[1, 3, 9, 100]);
    let word = random.of(&["R", "x/R/y", "\"\"R", "R.{a,b}", "{R,R}"]).replace('R', range);
    format!("{} {}", random.of(PROGRAMS), vec![word.as_str(); times].join(random.of(&["", " "])))
}

pub(super) fn characters(random: &mut Random) -> String {
    let unit = random.of(&[
        "ü",
        "\u{202e}",
        "\u{200b}",
        "e\u{301}\u{301}\u{301}",
        "😀",
        "\u{fdfa}",
        "\u{1b}[31m",
        "\u{7}",
        "\\x41",
        "$'\\u0041'",
        "\\",
        "%25",
        "&#65;",
        "\u{e0041}",
        "ＡＢ",
        "\r",
        "\t",
    ]);
    filled(unit, &format!("{} ", random.of(PROGRAMS)), number(random, &[80, 900, LINE]))
}

pub(super) fn aliases(random: &mut Random) -> String {
    let times = number(random, &[5, 30, 90]);
    let form =
        random.of(&["alias aN='aM aM'", "aN() { aM; aM; }", "alias aN='aM ' aN='rm '", "hash -p /bin/rm aN"]);
    let mut line = "alias a0=ls".to_owned();
    for at in 1..times {
        line.push_str(random.of(&["; ", "\n"]));
        line.push_str(&form.replace('N', &at.to_string()).replace('M', &(at - 1).to_string()));
    }
    format!("{line}\na{} x", times - 1)
}

pub(super) fn documents(random: &mut Random) -> String {
    let times = number(random, &[5, 60, 400]);
    let quote = random.of(&["", "'"]);
    let heads = (0..times).map(|at| format!("<<{quote}E{at}{quote}")).collect::<Vec<_>>().join(" ");
    let bodies = (0..times)
        .map(|at| format!("$x $(ls) {}\nE{at}", random.of(PROGRAMS)))
        .collect::<Vec<_>>()
        .join("\n");
    format!("{} {heads}\n{bodies}\n", random.of(&["cat", "sh", "tee a", "python3"]))
}

pub(super) fn huge_word(random: &mut Random) -> String {
    let before = random.of(&["", "-", "--x=", "/", "a/", "@", "http://", ":", "k=", "$x", "\"$x\""]);
    let unit = random.of(&["a", "a.", "a/", "a-", "a:", "a=", "a,", "a@", ".", "-", "0", "a\\ "]);
    let size = number(random, &[900, 5_000, LINE]);
    format!("{} {before}{}", random.of(PROGRAMS), unit.repeat(size / unit.len()))
}

pub(super) fn operators(random: &mut Random) -> String {
    let between = random.of(&[" && ", "|", ";", "||", " & ", "\n", " |& "]);
    let word = random.of(&["true", "ls", "rm x", "!", "cat", ":", ""]);
    vec![word; number(random, &[100, 199, 300, 2_000])].join(between)
}

pub(super) fn patched(random: &mut Random) -> String {
    let files = several(random, &[3, 40, 150], "\n", |random| {
        format!(
            "*** Update File: {}{}\n@@\n-a\n+{}",
            random.of(&["", "../", "/", ".git/", "a/"]),
            random.below(999),
            random.of(PROGRAMS)
        )
    });
    let end = random.of(&["*** End Patch", ""]);
    format!("apply_patch <<'E'\n*** Begin Patch\n{files}\n{end}\nE\n")
}
