//! Lines that bash can run without any harm: no word holds a `/`, no program is there to be found, and every loop ends.
//!
//! Names that begin with `t` end well and those with `f` badly. There are files `i1`, `a.zz` and `b.zz` and a folder
//! `d1`; written are `o1` to `o4`.

use mayi_tests::random::Random;

/// Programs, which are not there; written in several ways.
const NAMES: &[&str] = &[
    "t1",
    "t2",
    "t3",
    "f1",
    "f2",
    "'t1'",
    "\"t2\"",
    "t\"\"3",
    "\\t1",
    "t\\2",
    "$'t3'",
    "$'\\x74\\x31'",
    "\"f\"1",
    "t'1'",
    "t{1,2}",
    "t1\\\n",
    "${u}t1",
    "t$(echo 1)",
    "$n",
    "\"$n\"",
    "if1",
    "{t1,x}",
];

/// Words without anything inside.
const WORDS: &[&str] = &[
    "w",
    "-x",
    "--o=v",
    "'q q'",
    "\"d d\"",
    "a\\ b",
    "$'e\\tf'",
    "{b1,b2}",
    "{1..3}",
    "x{,y}z",
    "*.zz",
    "?.zz",
    "[ab].zz",
    "no*match",
    "~",
    "$v",
    "\"$v\"",
    "${v}",
    "\"${v}\"x",
    "${v:-d}",
    "\"${v:-d e}\"",
    "${u:+x}",
    "${#v}",
    "${v%.*}",
    "${v//1/2}",
    "$((1+2))",
    "$#",
    "$@",
    "\"$@\"",
    "$1",
    "$?",
    "$!",
    "'$(t1 no)'",
    "\"\\$(t1 no)\"",
    "\\$\\(t1\\)",
    "a#b",
    "'#'",
    "=x",
    "a=b",
    "''",
    "\"\"",
    "[x]",
    "!",
    "}",
    "{",
    "\\;",
    "'&&'",
    "\"|\"",
    "$'\\''",
    "\"'\"",
    "'\"'",
    "\"\\\"\"",
    "\\\\",
    "if",
    "done",
    "$",
    "a$",
    "\"$\"",
    "@(a|b)",
    "1",
    "2",
    "é",
    "$'\\u00e9'",
    "--",
    "-",
    "%",
    "^x",
    "a,b",
    "{a",
    "b}",
    "a\\\nb",
];

/// What may stand before a command.
const ASSIGNMENTS: &[&str] = &[
    "a=b",
    "a='b c'",
    "a=$v",
    "a=",
    "v=t1",
    "a[1]=x",
    "a+=x",
    "a=(x y)",
    "n=t2",
    "a=$(echo x)",
    "a[1 + 1]=x",
    "a[ 2 ]+=y",
    "a[$(echo 1) ]=z",
];

/// Redirections to what may be written, or from what is there.
const REDIRECTIONS: &[&str] = &[
    ">o1",
    "> o1",
    ">>o2",
    "2>o3",
    "&>o4",
    "&>>o1",
    ">|o2",
    ">&o3",
    "<i1",
    "<>i1",
    "2>&1",
    ">&2",
    "2>&-",
    ">\"o1\"",
    ">o''2",
    "{q}>o1",
    "<<<w",
    "<<<\"$v\"",
    ">$o",
    "< <(t1 in)",
    "> >(t2 out)",
    "1>o4",
    ">'o 5'",
    ">o{1,2}",
    ">*.zz",
];

/// Builtins that do no harm.
const BUILTINS: &[&str] = &[
    "echo w",
    "echo 'w; t3'",
    "printf '%s' w",
    ":",
    "true",
    "false",
    "test w",
    "[ w = w ]",
    "set -- p1 p2",
    "v=x",
    "v='x y'",
    "n=t1",
    "n=t2; $n",
    "export v=y",
    "unset v",
    "read v <<< 'r s'",
    "shift",
    "cd d1",
    "cd d1 && cd ..",
    "cd \"$v\"",
    "let 'x=1'",
    "(( x = 2 ))",
    "declare v=z",
    "local v",
    "alias t1=t2",
    "trap 't3 trapped' EXIT",
    "[[ w == w ]]",
    "[[ -n $v && w < x ]]",
    "[[ ! ( w ) ]]",
    "o=o1",
    "pwd",
    "eval 't1 evaluated'",
    "eval t2 \"$v\"",
    "eval \"t1; t2 e\"",
    "eval \"$n e\"",
    "command t1 commanded",
    "command -v t1",
    "time t1",
    "! t1",
    "builtin echo w",
    "timeout 5 t1 x",
    "nice -n 3 t2",
    "sudo t1 y",
    "env a=b t1 z",
    "xargs t1",
    "sh -c 't1 inner; t2'",
    "bash -c 't3 \"$0\"'",
    "set -e",
    "wait",
    "type t1",
    "hash -r",
    "umask",
    "let x=x+1",
    "printf -v v '%s' new",
    "IFS=,",
    "mapfile -t m <<< w",
    "getopts a v",
];

pub(crate) struct Generator {
    random: Random,
    /// The bodies of here-documents whose line has not ended yet.
    pending: Vec<String>,
    functions: usize,
}

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: Random(seed), pending: Vec::new(), functions: 0 }
    }

    /// One line, or a few.
    pub(crate) fn line(&mut self) -> String {
        self.pending.clear();
        let mut line = self.list(3);
        line.push_str(&self.bodies());
        if self.random.once_in(4) { self.damaged(&line) } else { line }
    }

    fn bodies(&mut self) -> String {
        self.pending.drain(..).map(|body| format!("\n{body}")).collect()
    }

    fn list(&mut self, depth: usize) -> String {
        let mut text = self.command(depth);
        for _ in 0..self.random.below(3) {
            let separator = match self.random.below(10) {
                0..3 => "; ",
                3 | 4 => " && ",
                5 => " || ",
                6 => " | ",
                7 => " |& ",
                8 => " & ",
                _ => "\n",
            };
            if separator == "\n" {
                text.push_str(&self.bodies());
            }
            text.push_str(separator);
            text.push_str(&self.command(depth));
        }
        text
    }

    fn command(&mut self, depth: usize) -> String {
        if depth == 0 || !self.random.once_in(3) {
            return if self.random.once_in(4) {
                self.random.of(BUILTINS).to_owned()
            } else {
                self.simple(depth)
            };
        }
        let inner = depth - 1;
        let text = match self.random.below(14) {
            0 => match self.random.below(4) {
                0 => format!("( ({}))", self.list(inner)),
                1 => "(\t(t1) ) ".to_owned(),
                _ => format!("({})", self.list(inner)),
            },
            1 => format!("{{ {}; }}", self.closed(inner)),
            2 => format!("if {}; then {}; fi", self.closed(inner), self.closed(inner)),
            3 => {
                format!("if {}; then {}; else {}; fi", self.closed(0), self.closed(inner), self.closed(inner))
            }
            4 => format!("if f1; then t1; elif {}; then {}; fi", self.closed(inner), self.closed(inner)),
            5 => format!("while {}; do {}; break; done", self.closed(inner), self.closed(inner)),
            6 => format!("until f2; do {}; break; done", self.closed(inner)),
            7 => format!("for v in {} {}; do {}; done", self.word(inner), self.word(0), self.closed(inner)),
            8 => format!("for ((x = 0; x < 2; x++)); do {}; done", self.closed(inner)),
            9 => {
                let (word, pattern) =
                    (self.word(0), self.random.of(&["w", "*", "w|x", "'q q'", "?", "\"$v\"", "(w)"]));
                let pattern = pattern.trim_start_matches('(').trim_end_matches(')').to_owned();
                let end = self.random.of(&[";;", ";&", ";;&"]);
                format!(
                    "case {word} in {pattern}) {} {end} *) {};; esac",
                    self.closed(inner),
                    self.closed(inner)
                )
            }
            10 => {
                self.functions += 1;
                let name = format!("g{}", self.functions);
                let head =
                    if self.random.once_in(2) { format!("{name}()") } else { format!("function {name}") };
                format!("{head} {{ {}; }}; {name} {}", self.closed(inner), self.word(inner))
            }
            11 => format!("! {}", self.simple(inner)),
            12 => format!("[[ {} ]] && {}", self.test(inner), self.simple(inner)),
            _ => format!("(( {} )); {}", self.arithmetic(inner), self.simple(inner)),
        };
        if self.random.once_in(6) && !text.ends_with("t1") {
            format!("{text} {}", self.random.of(REDIRECTIONS))
        } else {
            text
        }
    }

    /// A list that may be followed by `;`: not one that ends in `&`.
    fn closed(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.simple(0);
        }
        let text = self.list(depth - 1);
        // Bodies have to follow before the rest of a construct does.
        let bodies = self.bodies();
        if bodies.is_empty() { text } else { format!("{text}{bodies}\n:") }
    }

    fn simple(&mut self, depth: usize) -> String {
        let mut parts = Vec::new();
        while self.random.once_in(6) {
            parts.push(self.random.of(ASSIGNMENTS).to_owned());
        }
        if self.random.once_in(12) {
            parts.push(self.random.of(REDIRECTIONS).to_owned());
        }
        parts.push(self.random.of(NAMES).to_owned());
        for _ in 0..self.random.below(4) {
            parts.push(self.word(depth));
        }
        if self.random.once_in(5) {
            parts.push(self.random.of(REDIRECTIONS).to_owned());
        }
        if depth > 0 && self.random.once_in(8) {
            parts.push(self.here_document(depth - 1));
        }
        parts.join(" ")
    }

    fn word(&mut self, depth: usize) -> String {
        if depth == 0 || !self.random.once_in(4) {
            return self.random.of(WORDS).to_owned();
        }
        let inner = depth - 1;
        match self.random.below(12) {
            0 | 1 => format!("$({})", self.whole(inner)),
            2 => format!("\"$({})\"", self.whole(inner)),
            3 => format!("`{}`", self.plain(inner)),
            4 => format!("\"`{}`\"", self.plain(inner)),
            5 => format!("<({})", self.whole(inner)),
            6 => format!("${{u:-$({})}}", self.whole(inner)),
            7 => format!("\"${{v:+$({})}}\"", self.whole(inner)),
            8 => format!("$(( 1 + $({}; echo 1) ))", self.plain(inner)),
            9 => format!("{{x,$({})}}", self.whole(inner)),
            10 => format!("p$({})s", self.whole(inner)),
            _ => format!("{}{}", self.word(inner), self.word(inner)),
        }
    }

    /// A list with its own here-documents, which ends before what follows.
    fn whole(&mut self, depth: usize) -> String {
        let outer = std::mem::take(&mut self.pending);
        let mut text = self.list(depth);
        text.push_str(&self.bodies());
        if text.contains('\n') {
            text.push('\n');
        }
        self.pending = outer;
        text
    }

    /// A command that may stand in backquotes.
    fn plain(&mut self, depth: usize) -> String {
        let outer = std::mem::take(&mut self.pending);
        let text = self.simple(depth.min(1));
        let text = if self.pending.is_empty() && !text.contains(['`', '\\', '"']) {
            text
        } else {
            "t1 back".to_owned()
        };
        self.pending = outer;
        text
    }

    fn here_document(&mut self, depth: usize) -> String {
        let word = self.word(depth);
        let body = match self.random.below(6) {
            0 => "text".to_owned(),
            1 => format!("{word} \"{word}\" '{word}'"),
            2 => format!("$({})", self.plain(depth)),
            3 => format!("`{}` \\$(t1 no)", self.plain(depth)),
            4 => "'$(t2 quoted)' \"$(t3 quoted)\"".to_owned(),
            _ => "${u:-$(t1 default)}\n#\n E".to_owned(),
        };
        let body = body.replace("\nE\n", "\nX\n");
        let (head, tabs) = match self.random.below(5) {
            0 => ("<<'E'", ""),
            1 => ("<<\\E", ""),
            2 => ("<<-E", "\t"),
            3 => ("<<\"E\"", ""),
            _ => ("<<E", ""),
        };
        self.pending.push(format!("{tabs}{body}\n{tabs}E"));
        head.to_owned()
    }

    fn test(&mut self, depth: usize) -> String {
        let word = self.word(depth);
        let word = if word.contains(['{', '}', '(', '!', '|', '&', ';']) && !word.contains('"') {
            "w".to_owned()
        } else {
            word
        };
        match self.random.below(6) {
            0 => format!("-n {word}"),
            1 => format!("w == {word}"),
            2 => "w < x || w > x".to_owned(),
            3 => format!("-e {word}"),
            4 => "1 -lt 2".to_owned(),
            _ => "w =~ ^w$".to_owned(),
        }
    }

    fn arithmetic(&mut self, depth: usize) -> String {
        match self.random.below(5) {
            0 => "1 + 2".to_owned(),
            1 => "x = 1 << 2".to_owned(),
            2 => format!("1 + $({}; echo 1)", self.plain(depth)),
            3 => "y > 3 && 1".to_owned(),
            _ => "x++".to_owned(),
        }
    }

    /// A line with some characters gone, doubled or added: most are no lines any more, and some are other ones.
    fn damaged(&mut self, line: &str) -> String {
        const ADDED: &[&str] = &[
            "'", "\"", "`", "$", "(", ")", "{", "}", "[", "]", ";", "&", "|", "<", ">", "\\", "\n", " ", "#",
            "!", "=", "*", "\t", "$(", "${", "<<E",
        ];
        let mut characters: Vec<String> = line.chars().map(String::from).collect();
        for _ in 0..=self.random.below(3) {
            if characters.is_empty() {
                break;
            }
            let at = self.random.below(characters.len());
            match self.random.below(3) {
                0 => drop(characters.remove(at)),
                1 => characters.insert(at, characters[at].clone()),
                _ => characters.insert(at, self.random.of(ADDED).to_owned()),
            }
        }
        characters.concat()
    }
}
