//! Words: quoting, expansions and what looks like one.

use super::{Grammar, Make};

pub(super) const WORDS: &[(&str, Make)] = &[
    ("single quotes", |g| format!("'{}'", g.poison())),
    ("quoted text", Grammar::quoted),
    ("locale quotes", |g| {
        let text = g.text().replace('"', "");
        format!("$\"{text}\"")
    }),
    ("ansi quotes", |g| {
        let text = g.of(&[
            "\\x27",
            "\\'",
            "\\n",
            "\\047;touch pwned;\\047",
            "a\\tb",
            "\\cA",
            "\\u27",
            "\\e",
            "\\\\",
            "\\44(touch pwned)",
        ]);
        format!("$'{text}'{}", g.text())
    }),
    ("backslashes", |g| {
        let text = g.of(&[
            "\\$", "\\`", "\\\\", "\\;", "\\\n", "\\&", "\\|", "\\a", "\\>", "\\#", "\\!", "\\'", "\\\"",
        ]);
        format!("{text}{}", g.text())
    }),
    ("arithmetic", |g| {
        let inside = inside(g);
        format!("$(({inside}))")
    }),
    ("old arithmetic", |g| {
        let inside = inside(g);
        format!("$[{inside}]")
    }),
    ("dollars before a bracket", |g| {
        let (dollars, bad) = (g.of(&["$$", "$$", "$$$$", "a$$", "\\$$", "$$$", "$?", "$!", "$#"]), g.bad());
        let inside = match g.random.below(5) {
            0 => format!("[1;{bad};echo ]"),
            1 => format!("[1|{bad} ]"),
            2 => "[1>pwned]".to_owned(),
            3 => format!("[1+2]{}", g.plain()),
            _ => format!("[1 && {bad} ]"),
        };
        format!("{dollars}{inside}")
    }),
    ("quoted subscript behind a name", |g| {
        let (name, text) = (g.of(&["PATH", "HOME", "a", "v", "1", "@", "?", "#", "-", "_"]), g.quoted());
        let form = g.random.below(4);
        match form {
            0 | 1 => format!("${name}[{text}]"),
            2 => format!("\"${name}[{}]\"", text.replace('"', "")),
            _ => format!("${name}[1,{text}]"),
        }
    }),
    ("subscript behind a name", |g| {
        let name = g.of(&["PATH", "HOME", "a", "v"]);
        let inside = g.of(&["1", "b", "(r)*", "(i)a", "(e)x", "$((1))", "-1", "1,2", "x y", "$v", "(w)1"]);
        format!("${name}[{inside}]")
    }),
    ("parameter", |g| {
        let text = g.text();
        let operator = g.of(&[":-", "-", ":+", "+", ":=", "#", "%", "/", "//", ":?", "^^", ",,", ":", "@"]);
        let name = g.of(&["v", "HOME", "PATH", "1", "u", "!v", "#v", "a[1]"]);
        format!("${{{name}{operator}{text}}}")
    }),
    ("parameter in quotes", |g| {
        let text = g.text().replace('"', "");
        format!("\"${{{}{text}}}\"", g.of(&["v:-", "HOME:-", "v:+", "u#", "HOME%", "HOME//a/"]))
    }),
    ("element of an array", |g| {
        let text = g.text();
        format!("${{{}[{text}]}}", g.of(&["a", "PATH", "v", "HOME", "#a", "!a"]))
    }),
    ("flags of a parameter", |g| {
        let flags = g
            .of(&["(e)", "(P)", "(s.:.)", "(f)", "(z)", "(Q)", "(q)", "(%)", "(L)", "(j:,:)", "^", "=", "~"]);
        format!("${{{flags}{}}}", g.of(&["HOME", "v", ":-$(touch pwned)", ":-'$(touch pwned)'", "PATH"]))
    }),
    ("substitution", |g| {
        let inside = g.command();
        let end = if inside.contains('\n') { "\n" } else { "" };
        let quoted = g.random.once_in(2);
        if quoted { format!("\"$({inside}{end})\"") } else { format!("$({inside}{end})") }
    }),
    ("backquotes", |g| {
        let inside = g.good();
        let twist = g.of(&[
            "",
            "",
            "; echo '\\`touch pwned\\`'",
            " # ",
            "; echo \\$(touch pwned)",
            "; echo '\\\\`evil x\\\\`'",
        ]);
        format!("`{inside}{twist}`")
    }),
    ("process substitution", |g| {
        let inside = g.good();
        format!("{}({inside})", g.of(&["<", "<", "<", ">", "="]))
    }),
    ("braces", |g| {
        let text = g.text();
        let braces = g.of(&[
            "{a,b}",
            "{1..3}",
            "{a,",
            "{,}",
            "a{b,c}d",
            "{a..c}",
            "{{a,b},c}",
            "{x,'y z'}",
            "${a,b}",
            "{a,$(echo b)}",
        ]);
        format!("{braces}{text}")
    }),
    ("glob", |g| {
        g.of(&[
            "*.txt",
            "src/*",
            "odd/*",
            "?.txt",
            "[ab].txt",
            "lk/*",
            "odd/-*",
            "./*.txt",
            ".e*",
            "lk/e*",
            "[!x].txt",
            "sub/*",
            "odd/[-a]*",
            "nothing*",
        ])
        .to_owned()
    }),
    ("extended glob", |g| {
        let text = g.plain();
        format!(
            "{}({text}|{})",
            g.of(&["@", "!", "+", "?", "*", ""]),
            g.of(&["b", "b.txt", "*", "'x y'", "touch pwned"])
        )
    }),
    ("glob qualifiers", |g| {
        let bad = g.bad();
        let qualifiers = match g.random.below(9) {
            0 => format!("(e:'{bad}':)"),
            1 => format!("(e'[{bad}]')"),
            2 => "(N)".to_owned(),
            3 => "(.)".to_owned(),
            4 => format!("(+'{bad}')"),
            5 => format!("(#qe:'{bad}':)"),
            6 => format!("(oe:'{bad}':)"),
            7 => "(om[1])".to_owned(),
            _ => format!("(P:'{bad}':)"),
        };
        let glob = g.of(&["*", "a.txt", "src/*", "*.txt", "odd/*"]);
        let form = g.of(&["", "", "'", "\""]);
        format!("{glob}{form}{qualifiers}{form}")
    }),
    ("deep glob", |g| {
        g.of(&["**", "**/*.rs", "src/**", "**/", "**/c.txt", "***/id_rsa", "**/.env", "lk/**/*", "*/**"])
            .to_owned()
    }),
    ("range glob", |g| {
        g.of(&["<1-3>", "a<->", "^a", "a~b", "(a|b)*", "(#i)A*", "x##", "*~*.rs", "<1->.txt"]).to_owned()
    }),
    ("tilde", |g| {
        g.of(&[
            "~",
            "~/x",
            "~+",
            "~-",
            "~root",
            "~/.ssh/id_rsa",
            "~1",
            "a:~/x",
            "x=~",
            "~/project/a.txt",
            "~'/x'",
            "\\~/x",
            "~$v",
        ])
        .to_owned()
    }),
    ("equals sign and a command", |g| {
        format!(
            "={}",
            g.of(&["cat", "ls", "evil", "(echo a)", "(touch pwned)", "a", "'cat'", "$v", "=", "sh"])
        )
    }),
    ("history", |g| {
        format!("{}{}", g.of(&["!!", "!x", "!$", "!-1", "^a^b", "!?x?", "!#", "\"!!\"", "a!b"]), g.text())
    }),
    ("comment", |g| {
        format!("{}{}", g.of(&["a # ", "a#", "'' #", "# ", "\\# ", "$# ", "a;# ", "x #'\n"]), g.text())
    }),
];

/// What may stand in arithmetic.
pub(super) fn inside(g: &mut Grammar) -> String {
    let text = g.quoted();
    match g.random.below(12) {
        0..=3 => "1+2".to_owned(),
        4 => text,
        5 => format!("a[{text}]"),
        6 => "x=1".to_owned(),
        7 => format!("1+{text}"),
        8 => g
            .of(&["1>pwned", "0x1", "1<<2", "a?b:c", "1,2", "16#ff", "x++", "'1'", "\"1\"", "1 # 2", "v=2"])
            .to_owned(),
        9 => "v".to_owned(),
        10 => format!("$({})", g.good()),
        _ => "(1)+(2)".to_owned(),
    }
}
