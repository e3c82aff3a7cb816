//! Lines by what they give to variables, and by what stands in each other.

use serde_json::Value;

use super::{LINE, PROGRAMS, WORDS, command, filled, number, several};
use crate::random::Random;

pub(super) fn doubled(random: &mut Random) -> String {
    let form = random.of(&[
        "PP",
        "QQ",
        "\"PP\"",
        "P/P",
        "P P",
        "\"P P\"",
        "P*P",
        "P{a,b}P",
        "${R:-z}${R:-z}",
        "${R%y}${R#y}",
        "$(echo PP)",
        "`echo PP`",
        "P:P",
        "\"Q\"'P'\"Q\"",
        "~/PP",
        "P[P",
        "${R/a/P}P",
        "${R^^}P",
        "PPP",
        "$((P+P))",
    ]);
    let sets = random.of(&["", "export ", "declare ", "local ", "readonly ", "printf -v "]);
    let (seed, between) =
        (random.of(&["ab", "/a", ".e", "a*", "-r", "{a,b}"]), random.of(&["; ", "\n", " && "]));
    let times = number(random, &[12, 20, 26, 40, 60, 100]);
    let mut line = format!("{sets}x0={seed}");
    for at in 1..times {
        let before = format!("x{}", at - 1);
        let value = form
            .replace('P', &format!("${before}"))
            .replace('Q', &format!("${{{before}}}"))
            .replace('R', &before);
        line.push_str(&format!("{between}{sets}x{at}={value}"));
    }
    let end = random.of(&[
        "ls",
        "rm $L",
        "cat \"$L\"",
        "$L",
        "echo $L > f",
        "cp $L $L",
        "for i in $L; do rm $i; done",
        "sh -c \"$L\"",
        "eval $L",
        "git -C $L log",
        "cat <<E\n$L\nE\n",
        "[[ $L == $L ]]",
        "python3 -c \"$L\"",
        "xargs $L",
        "case $L in $L) $L;; esac",
    ]);
    format!("{line}{between}{}", end.replace('L', &format!("x{}", times - 1)))
}

pub(super) fn given_often(random: &mut Random) -> String {
    let times = number(random, &[10, 40, 64, 100]);
    let values: Vec<String> = (0..times)
        .map(|at| format!("x={}{at}{}", random.of(&["a", "/p/", ".e"]), "b".repeat(random.below(90))))
        .collect();
    let uses = "$x".repeat(number(random, &[1, 2, 3, 8]));
    format!(
        "{}; {} {}",
        values.join("; "),
        random.of(PROGRAMS),
        filled(&format!("{uses} "), "", number(random, &[4, 60, 900]))
    )
}

pub(super) fn appended(random: &mut Random) -> String {
    let step = random.of(&[
        "x+=$x",
        "x=$x$x",
        "x+=cd",
        "x=\"$x/$x\"",
        "x+=($x $x)",
        "y=$x; x=$y$y",
        "x=$y$y y=$x$x",
    ]);
    format!("x=ab; y=c; {}; cat $x $y", vec![step; number(random, &[20, 60, 200])].join("; "))
}

pub(super) fn braces(random: &mut Random) -> String {
    let unit = random.of(&[
        "{a,b}",
        "{1..9}",
        "{a,{b,{c,{d,e}}}}",
        "{a,b}{c,d}{e,f}{g,h} ",
        "{1..60} ",
        "{a..z..2}",
        "x{,y}",
    ]);
    filled(unit, &format!("{} ", random.of(PROGRAMS)), number(random, &[20, 60, 300, LINE]))
}

pub(super) fn braces_in_values(random: &mut Random) -> String {
    let uses = filled("$w$y", "", number(random, &[4, 40, 400]));
    format!("x={{a,b}}; y=$x$x$x; z=$y$y; w=$z$z; {} $w {uses}", command(random))
}

pub(super) fn quoted_lines(random: &mut Random) -> String {
    let mut line = random.of(&["ls", "rm -rf x", "cat .env", "$x", "cat a; rm b | tee c"]).to_owned();
    for _ in 0..number(random, &[2, 4, 6, 9]) {
        let quoted = Value::from(line).to_string();
        let form = random.of(&[
            "sh -c Q",
            "bash -c Q",
            "eval Q",
            "ssh h Q",
            "xargs sh -c Q",
            "find . -exec sh -c Q \\;",
            "watch Q",
            "parallel Q",
            "python3 -c Q",
            "unknown Q",
            "git -c alias.x=Q x",
            "echo Q | sh",
        ]);
        line = form.replace('Q', &quoted);
        if line.len() > LINE {
            break;
        }
    }
    line
}

pub(super) fn substitutions(random: &mut Random) -> String {
    match random.below(4) {
        0 => filled("$(echo $x)", "echo ", number(random, &[80, 900, LINE])),
        1 => vec!["x=$(echo $x$x)"; number(random, &[10, 90])].join("; "),
        2 => filled("$(echo a; echo b) ", "cat ", number(random, &[100, 900, LINE])),
        _ => filled("\"$(ls $(find . -name $(echo x)))\" ", "cat ", number(random, &[40, 400, 900])),
    }
}

pub(super) fn arrays(random: &mut Random) -> String {
    let words = several(random, &[10, 60, 400], " ", |random| random.of(WORDS).to_owned());
    let end = random.of(&[
        "cat \"${a[@]}\"",
        "for i in \"${a[@]}\"; do rm $i; done",
        "b=(${a[@]} ${a[@]}); c=(${b[@]} ${b[@]}); cat ${c[*]}",
        "rm ${a[7]}",
        "a+=(${a[@]}); a+=(${a[@]}); a+=(${a[@]}); ls ${a[@]}",
    ]);
    format!("a=({words}); {end}")
}

pub(super) fn functions(random: &mut Random) -> String {
    let times = number(random, &[5, 15, 20, 40]);
    let mut line = "f0() { rm $1; }".to_owned();
    for at in 1..times {
        let body = random
            .of(&["F; F", "F | F", "x=$x$x; F $x $1$1", "F $(F)", "F & F"])
            .replace('F', &format!("f{}", at - 1));
        line.push_str(&format!("; f{at}() {{ {body}; }}"));
    }
    format!("{line}; f{} a", times - 1)
}

pub(super) fn loops(random: &mut Random) -> String {
    let mut line = random
        .of(&["cat $a0$a1$a2$a3", "rm $a0", "x=$x$a0; cat $x", "git $a0 $a1", "[ $a0 = $a1 ] && rm $a2"])
        .to_owned();
    for at in 0..number(random, &[1, 2, 3, 4]) {
        let values = several(random, &[4, 20, 60], " ", |random| {
            format!("{}{}", random.of(&["v", "/p", "-", ".e"]), random.below(99))
        });
        line = format!("for a{at} in {values}; do {line}; done");
    }
    line
}

pub(super) fn document(random: &mut Random) -> String {
    let body = several(random, &[10, 60, 150], "\n", |random| match random.below(3) {
        0 => "$x$x x=$x$x".to_owned(),
        1 => "a".repeat(200),
        _ => command(random),
    });
    let body: String = body.chars().take(9_000).collect();
    let program = random.of(&[
        "cat",
        "sh",
        "bash",
        "python3 -",
        "tee f",
        "psql",
        "ssh h",
        "sqlite3 db",
        "xargs rm",
        "git apply",
    ]);
    format!("{program} <<{}\n{body}\nE\n", random.of(&["E", "'E'"]))
}
