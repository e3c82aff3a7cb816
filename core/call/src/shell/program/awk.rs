//! A reader of awk's words: enough to tell whether a program runs others or writes files.
//!
//! Awk's grammar makes `>` an output only in a `print` or `printf` statement, outside parentheses.
//! What is hard is where a regular expression begins; where that is not certain and something
//! dangerous stands in the text, the program counts as dangerous. What awks read differently, or
//! what is no awk at all, is not understood, and that is dangerous too.

/// Words with which a program does more than compute and print, and why.
const DANGEROUS: &[(&str, &str)] = &[
    ("system", "the awk program runs another program"),
    ("getline", "the awk program reads from elsewhere"),
    ("ENVIRON", LOOKS),
    ("ARGV", LOOKS),
    ("ARGC", LOOKS),
    ("PROCINFO", LOOKS),
    ("SYMTAB", LOOKS),
    ("FUNCTAB", LOOKS),
];
const LOOKS: &str = "the awk program looks at its surroundings";

/// Words behind which an expression begins.
const OPENING: &[&str] = &["print", "printf", "return", "in", "else", "do", "exit", "delete"];

/// Words behind which awks differ about a `/`, or where none should stand.
const ODD: &[&str] = &[
    "length",
    "next",
    "nextfile",
    "break",
    "continue",
    "BEGIN",
    "END",
    "BEGINFILE",
    "ENDFILE",
    "function",
    "func",
    "if",
    "while",
    "for",
    "switch",
    // Names of variables to other awks than gawk.
    "case",
    "default",
    "getline",
];

/// What is called then can't be read from the program: no mode lets it run.
pub(super) const BY_NAME: &str = "the awk program loads code or calls by name";

/// Why a program is asked about; none if it certainly only computes and prints.
pub(super) fn danger_reason(program: &str) -> Option<&'static str> {
    let mut reader = AwkReader { text: program, at: 0, before: SlashContext::Start, unsure: false };
    let mut printing: Option<usize> = None;
    let mut depth: usize = 0;
    loop {
        // A line ends a statement only where one can end: not after `,`, `&&` or `||`.
        let complete = reader.before == SlashContext::Operand || reader.before == SlashContext::Closed;
        let Some(token) = reader.next_token() else { return Some("an awk program that mayi can't read") };
        match token {
            Token::End => break,
            Token::Word("print" | "printf") => printing = Some(depth),
            Token::Word(word) => {
                if let Some((_, reason)) = DANGEROUS.iter().find(|(dangerous, _)| *dangerous == word) {
                    return Some(reason);
                }
            }
            Token::Mark('@') => return Some(BY_NAME),
            Token::Mark('|') => return Some("the awk program opens a pipe"),
            Token::Mark('>') if printing.is_some_and(|from| depth <= from) => {
                return Some("the awk program writes to a file");
            }
            Token::Mark('(' | '[') => depth += 1,
            Token::Mark(')' | ']') => {
                depth = depth.saturating_sub(1);
                if printing.is_some_and(|from| depth < from) {
                    printing = None;
                }
            }
            Token::Mark('\n') if !complete => {}
            Token::Mark(';' | '\n' | '{' | '}') => printing = None,
            Token::Mark(_) | Token::Value => {}
        }
    }
    let risky = |mark: &str| program.contains(mark);
    let dangerous = DANGEROUS.iter().any(|(word, _)| risky(word)) || ["|", ">", "@"].into_iter().any(risky);
    (reader.unsure && dangerous).then_some("an awk program that is not certain to be harmless")
}

enum Token<'a> {
    Word(&'a str),
    /// A number, a string, a regular expression, `&&`, `++`.
    Value,
    Mark(char),
    End,
}

/// What stands before a `/`: after an operand it divides.
#[derive(Clone, Copy, PartialEq)]
enum SlashContext {
    Start,
    Operand,
    /// `)`: it divides, or what it closes was a condition.
    Closed,
    Unsure,
}

struct AwkReader<'a> {
    text: &'a str,
    at: usize,
    before: SlashContext,
    unsure: bool,
}

impl<'a> AwkReader<'a> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn skip_while(&mut self, fits: impl Fn(char) -> bool) -> usize {
        let from = self.at;
        while self.peek().is_some_and(&fits) {
            self.next();
        }
        self.at - from
    }

    /// The next token; none if the text breaks off, or awks could differ about it.
    fn next_token(&mut self) -> Option<Token<'a>> {
        loop {
            match self.peek() {
                None => return Some(Token::End),
                Some(' ' | '\t') => {
                    self.next();
                }
                Some('\\') => {
                    self.next();
                    (self.next() == Some('\n')).then_some(())?;
                }
                Some('#') => {
                    let from = self.at;
                    self.skip_while(|c| c != '\n');
                    let comment = self.text.get(from..self.at)?;
                    (!comment.ends_with('\\') && !comment.contains('\r')).then_some(())?;
                }
                Some(_) => break,
            }
        }
        let from = self.at;
        let first = self.next()?;
        let token = match first {
            '"' => {
                self.read_string()?;
                self.before = SlashContext::Operand;
                Token::Value
            }
            '/' if self.before != SlashContext::Operand => {
                self.unsure |= self.before != SlashContext::Start;
                self.read_regex()?;
                self.before = SlashContext::Operand;
                Token::Value
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                self.skip_while(|c| c.is_ascii_alphanumeric() || c == '_');
                let word = self.text.get(from..self.at)?;
                self.before = match word {
                    word if OPENING.contains(&word) => SlashContext::Start,
                    word if ODD.contains(&word) => SlashContext::Unsure,
                    _ => SlashContext::Operand,
                };
                Token::Word(word)
            }
            c if c.is_ascii_digit() || c == '.' => {
                self.read_number(c)?;
                self.before = SlashContext::Operand;
                Token::Value
            }
            c if matches!(c, '|' | '&' | '+' | '-') && self.peek() == Some(c) => {
                self.next();
                self.before = if matches!(c, '+' | '-') { SlashContext::Unsure } else { SlashContext::Start };
                Token::Value
            }
            c => {
                // Behind what is no variable, `/=` begins a regular expression for gawk.
                self.unsure |= c == '/' && self.peek() == Some('=');
                "\n{}()[];,+-*/%^!<>=~?:$&|@".contains(c).then_some(())?;
                self.before = match c {
                    ')' => SlashContext::Closed,
                    ']' => SlashContext::Operand,
                    _ => SlashContext::Start,
                };
                Token::Mark(c)
            }
        };
        Some(token)
    }

    /// `12`, `1.5`, `.5`, `1e-3`. A letter behind it begins a word for one awk and belongs to the number
    /// for another.
    fn read_number(&mut self, first: char) -> Option<()> {
        let digit = |c: char| c.is_ascii_digit();
        if first == '.' {
            (self.skip_while(digit) > 0).then_some(())?;
        } else {
            self.skip_while(digit);
            if self.peek() == Some('.') {
                self.next();
                self.skip_while(digit);
            }
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            self.next();
            if matches!(self.peek(), Some('+' | '-')) {
                self.next();
            }
            (self.skip_while(digit) > 0).then_some(())?;
        }
        let glued = self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
        (!glued).then_some(())
    }

    fn read_string(&mut self) -> Option<()> {
        loop {
            match self.next()? {
                '"' => return Some(()),
                '\\' => {
                    (!matches!(self.next()?, '\n' | '\r')).then_some(())?;
                }
                '\n' => return None,
                _ => {}
            }
        }
    }

    /// Awks differ about `/` between brackets, and about where brackets end.
    fn read_regex(&mut self) -> Option<()> {
        let mut bracket = false;
        loop {
            match self.next()? {
                '\n' => return None,
                '\\' => {
                    (!matches!(self.next()?, '\n' | '\r')).then_some(())?;
                }
                '[' if bracket => {
                    let rest = self.text.get(self.at..)?;
                    let class = rest.strip_prefix(':').and_then(|rest| rest.split_once(":]"));
                    match class.filter(|(name, _)| name.bytes().all(|b| b.is_ascii_lowercase())) {
                        Some((name, _)) => self.at += name.len() + 3,
                        None => self.unsure = true,
                    }
                }
                '[' => {
                    bracket = true;
                    if self.peek() == Some('^') {
                        self.next();
                    }
                    self.unsure |= self.peek() == Some(']');
                }
                ']' => bracket = false,
                '/' if bracket => self.unsure = true,
                '/' => return Some(()),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::danger_reason;

    /// D2.16: the harmless programs of `awk` and `sed` stay allowed.
    #[test]
    fn given_a_program_that_only_prints_then_it_is_harmless() {
        for program in [
            "{print $1}",
            "{ print $1, $NF }",
            "NR==1",
            "$3>1000{print $1}",
            "$3 > 1000 || $2 < 5 { print $1 }",
            "{ if ($1 > 5) print $1; else print \"> | system(\" }",
            "{ print ($1 > 5) }",
            "/a|b/ { n++ } END { print n }",
            "!seen[$0]++",
            "/^#/ {next} {s += $2 / 2} END {printf \"%d\\n\", s/NR}",
            "BEGIN{FS=\"|\"} {print $2}",
            "{ gsub(/>/, \"&gt;\"); print }",
            "length($0) > 80",
            "{for (i = 1; i <= NF; i++) if ($i > m) m = $i} END {print m}",
            "# system(1) | x\n{print}",
            "{ x /= 2; s += x } END { print s }",
            "{a = b ~ /system\\(\"x\"\\)/; print a}",
            "BEGIN { x = 1e-3 + .5 * 2. }",
            "/[[:space:]]+/ { print $1\n  if ($2 > 1) n++\n}",
            "NR == 1 ||\nNR > 5 { print }",
            "{ print $1\n  big = $2 > 5 }",
        ] {
            assert_eq!(danger_reason(program), None, "{program}");
        }
    }

    /// D2.16: `awk` programs with `system`, `getline`, pipes or redirections. Attacks 77 and 581.
    #[test]
    fn given_a_program_that_runs_or_writes_then_it_is_asked_about() {
        for program in [
            "BEGIN{system(\"id\")}",
            "BEGIN { system (\"id\") }",
            "{print > \"out\"}",
            "{print $1 >> \"out\"}",
            "{printf \"%s\", $1 > $2}",
            "{print ($1) > \"out\"}",
            "{print(1)(2) > \"out\"}",
            "{print $1 | \"sh\"}",
            "{print |& \"sh\"}",
            "BEGIN{\"id\" | getline x; print x}",
            "BEGIN{while ((getline l < \".env\") > 0) print l}",
            "@include \"x\"",
            "@load \"system\"",
            "BEGIN{f = \"sys\" \"tem\"; @f(\"id\")}",
            "{print \"a\" \\\n > \"out\"}",
            "BEGIN { if (1) / \"/ ; system(\"id\") ; x = \"/ }",
            "BEGIN { x = 1 / 2; system(\"id\") }",
            "{ x[1] / 2; print > \"o\" / 1 }",
            "BEGIN{print ENVIRON[\"HOME\"]}",
            "BEGIN{ARGV[1]=\".env\"; ARGC=2}",
            "{print \"unfinished",
            "/[/]/ { print \"x\" } \"/\" { system(1) }",
            "{print $1system(\"id\")}",
            "BEGIN { 1 /=&&/; system(\"id\"); b /3 }",
            "BEGIN { x /= 2; system(\"id\"); b /3 }",
            "{ print 1 /=!/; print \"x\" > \"o\"; b /3 }",
            "{ f(1) /=!/; print \"x\" | \"sh\"; b /3 }",
            "{ $1 /=!/; print \"x\" > \"o\"; b /3 }",
            "BEGIN { case /2; system(\"id\"); b /3 }",
            "BEGIN { default /2; print ENVIRON[\"x\"]; b /3 }",
            "BEGIN{1system(\"id\")}",
            "BEGIN{while(1getline<\"/etc/passwd\")n++}",
            "BEGIN{print \"a\"1ENVIRON[\"PATH\"]}",
            "BEGIN{x = 0x1F}",
            "BEGIN{x = 1e}",
            "{print $1,\n $2 > \"out\"}",
            "{print $1 &&\n $2 > \"out\"}",
            "{print $1 ||\n $2 > \"out\"}",
            "{print $1 ?\n $2 :\n $3 > \"out\"}",
            "{print $1, # why\n $2 > \"out\"}",
            "{ x = $/\"/; system(\"id\"); y = $/\"/ }",
            "{ x = length /\"/; system(\"id\"); y = /\"/ }",
            "/[]/]\"/ { system(\"id\") } /\"/",
            "/[[:alpha:]/]\"/ { system(\"id\") } /\"/",
            "{print \"a\\\n\"}",
            "{print\r}",
            "# a comment \\\n{print}",
        ] {
            assert!(danger_reason(program).is_some(), "{program}");
        }
    }
}
