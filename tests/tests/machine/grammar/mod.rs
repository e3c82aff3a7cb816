//! Lines that look harmless, most of them with one twist. Each is made of constructs, which have names and are counted.

mod arrays;
mod compounds;
mod documents;
mod evaluated;
mod names;
mod nesting;
mod options;
mod redirects;
mod scripts;
mod tables;
mod words;
mod zsh;

use mayi_tests::random::Random;

/// A part of a line: a statement, and what it was made with.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    /// What joins it to the statement before.
    pub(crate) joiner: &'static str,
    pub(crate) text: String,
    /// The places of its constructs among [`Grammar::names`].
    pub(crate) constructs: Vec<usize>,
}

/// A line as it was made.
#[derive(Clone, Debug)]
pub(crate) struct Line(pub(crate) Vec<Statement>);

impl Line {
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for statement in &self.0 {
            if !text.is_empty() {
                // What stands behind a body of a here-document begins a line of its own.
                text.push_str(if text.ends_with('\n') { "" } else { statement.joiner });
            }
            text.push_str(&statement.text);
        }
        text
    }

    /// Every construct once.
    pub(crate) fn constructs(&self) -> Vec<usize> {
        let mut all: Vec<usize> = self.0.iter().flat_map(|one| one.constructs.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Makes a statement, or a word.
type Make = fn(&mut Grammar) -> String;

/// Something that lines are made of.
struct Construct {
    name: &'static str,
    make: Make,
}

pub(crate) struct Grammar {
    pub(crate) random: Random,
    statements: Vec<Construct>,
    words: Vec<Construct>,
    tables: tables::Tables,
    used: Vec<usize>,
    depth: usize,
    /// How often a line with the construct was allowed: those that were rare are made more often.
    pub(crate) allowed: Vec<usize>,
    /// How often it was made.
    made: Vec<usize>,
}

impl Grammar {
    pub(crate) fn new(seed: u64) -> Self {
        let made = |list: &[(&'static str, Make)]| {
            list.iter().map(|(name, make)| Construct { name, make: *make }).collect::<Vec<_>>()
        };
        let all = [
            redirects::STATEMENTS,
            documents::STATEMENTS,
            arrays::STATEMENTS,
            compounds::STATEMENTS,
            nesting::STATEMENTS,
            options::STATEMENTS,
            scripts::STATEMENTS,
            names::STATEMENTS,
            zsh::STATEMENTS,
            evaluated::STATEMENTS,
        ];
        let statements: Vec<Construct> = all.into_iter().flat_map(made).collect();
        let words = made(words::WORDS);
        let allowed = vec![0; statements.len() + words.len()];
        Self {
            random: Random(seed),
            statements,
            words,
            tables: tables::Tables::new(),
            used: Vec::new(),
            depth: 0,
            made: allowed.clone(),
            allowed,
        }
    }

    /// The names of all constructs.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.statements.iter().chain(&self.words).map(|construct| construct.name).collect()
    }

    /// The next line.
    pub(crate) fn line(&mut self) -> Line {
        let count = [1, 1, 1, 1, 2, 2, 3][self.random.below(7)];
        let mut statements = Vec::new();
        for _ in 0..count {
            let joiner = self.of(&["; ", "; ", " && ", " || ", " | ", "\n", " & "]);
            self.used.clear();
            self.depth = 0;
            // One word construct in a plain carrier is as much as one statement.
            let text = if self.random.once_in(3) {
                let word = self.word();
                self.carried(&word)
            } else {
                self.statement()
            };
            statements.push(Statement { joiner, text, constructs: std::mem::take(&mut self.used) });
        }
        Line(statements)
    }

    fn of(&mut self, choices: &[&'static str]) -> &'static str {
        self.random.of(choices)
    }

    /// The rarest of some that are drawn. What is never allowed is not made again and again.
    fn drawn(&mut self, from: usize, count: usize) -> usize {
        let rare = |g: &Self, at: usize| match g.allowed[at] {
            0 if g.made[at] > 200 => usize::MAX,
            count => count,
        };
        let mut best = from + self.random.below(count);
        for _ in 0..3 {
            let other = from + self.random.below(count);
            if rare(self, other) < rare(self, best) {
                best = other;
            }
        }
        best
    }

    /// Any statement; a harmless one once it goes deep.
    fn statement(&mut self) -> String {
        if self.depth > 1 {
            return self.good();
        }
        let at = self.drawn(0, self.statements.len());
        self.made(at)
    }

    /// Any word.
    fn word(&mut self) -> String {
        if self.depth > 1 {
            return self.plain();
        }
        let at = self.drawn(self.statements.len(), self.words.len());
        self.made(at)
    }

    fn made(&mut self, at: usize) -> String {
        self.used.push(at);
        self.made[at] += 1;
        self.depth += 1;
        let offset = at.checked_sub(self.statements.len());
        let make = offset.map_or_else(|| self.statements[at].make, |word| self.words[word].make);
        let text = make(self);
        self.depth -= 1;
        text
    }

    /// A command that many people let run, around a word.
    fn carried(&mut self, word: &str) -> String {
        match self.random.below(12) {
            0..=3 => format!("echo {word}"),
            4 => format!("git commit -m {word}"),
            5 => format!("printf '%s\\n' {word}"),
            6 => format!("cat {word}"),
            7 => format!("echo \"{}\"", word.replace('"', "")),
            8 => format!("grep -n {word} a.txt"),
            9 => format!("ls {word}"),
            10 => format!("echo a{word}b"),
            _ => format!("echo {word} {}", self.plain()),
        }
    }

    /// A command that nobody minds.
    fn good(&mut self) -> String {
        self.of(&[
            "echo a",
            "cat a.txt",
            "ls",
            "true",
            "wc -l a.txt",
            "head -n 1 b.txt",
            "git status",
            "git log --oneline",
            "grep one a.txt",
            "sort a.txt",
            "echo ok x",
            "printf a",
            "sed -n 1p a.txt",
            "false",
            "pwd",
        ])
        .to_owned()
    }

    /// A word that nobody minds.
    fn plain(&mut self) -> String {
        self.of(&["a", "x", "a.txt", "'one two'", "1", "src", "-n", "\"q\"", "b.txt", "b", "HEAD"]).to_owned()
    }

    /// A command that somebody minds.
    fn bad(&mut self) -> String {
        self.of(&["touch pwned", "evil x", "./evil", "rm -r src", "curl x", "cat .env", "touch src/x"])
            .to_owned()
    }

    /// Text that runs something where it is evaluated, and is only text where it is not.
    fn poison(&mut self) -> String {
        let bad = self.bad();
        match self.random.below(16) {
            0..=3 => format!("$({bad})"),
            4 | 5 => format!("`{bad}`"),
            6 => format!(";{bad};"),
            7 => format!("\n{bad}\n"),
            8 => format!("|{bad}"),
            9 => format!("&{bad} &"),
            10 => ">pwned".to_owned(),
            11 => format!("b[$({bad})]"),
            12 => format!("<({bad})"),
            13 => format!("=({bad})"),
            14 => format!("${{(e):-$({bad})}}"),
            _ => format!(") {bad} #"),
        }
    }

    /// The same where it should be only text: quoted in one of the ways.
    fn quoted(&mut self) -> String {
        let poison = self.poison();
        match self.random.below(8) {
            0..=3 => format!("'{poison}'"),
            4 => format!("\"{}\"", escaped(&poison, &['$', '`', '"', '\\'])),
            5 => format!("$'{}'", escaped(&poison, &['\'', '\\']).replace('\n', "\\n")),
            6 => escaped(
                &poison.replace('\n', " "),
                &[
                    '$', '`', '(', ')', ';', '|', '&', '<', '>', ' ', '#', '[', ']', '{', '}', '=', '\\',
                    '"', '\'',
                ],
            ),
            _ => format!("a'{poison}'b"),
        }
    }

    /// Mostly a harmless text, else one with poison in quotes.
    fn text(&mut self) -> String {
        if self.random.once_in(2) { self.plain() } else { self.quoted() }
    }

    /// Mostly a harmless command, else any other statement.
    fn command(&mut self) -> String {
        if self.random.once_in(2) { self.good() } else { self.statement() }
    }
}

fn escaped(text: &str, special: &[char]) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        if special.contains(&character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

#[test]
fn given_a_seed_then_the_lines_are_the_same_and_nearly_all_differ() {
    let lines = |seed| {
        let mut grammar = Grammar::new(seed);
        (0..2000).map(|_| grammar.line().text()).collect::<Vec<_>>()
    };
    assert_eq!(lines(7), lines(7));
    let distinct: std::collections::BTreeSet<String> = lines(8).into_iter().collect();
    assert!(distinct.len() > 1500, "{}", distinct.len());
}
