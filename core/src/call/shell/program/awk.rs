//! A reader of awk's words: enough to tell whether a program runs others or writes files.
//!
//! Awk's grammar makes `>` an output only in a `print` or `printf` statement, outside parentheses.
//! What is hard is where a regular expression begins; where that is not certain and something
//! dangerous stands in the text, the program counts as dangerous.

/// Why a program is asked about; none if it certainly only computes and prints.
pub(super) fn danger(program: &str) -> Option<&'static str> {
    let mut reader = Reader { text: program, at: 0, before: Before::Start, unsure: false };
    let mut printing: Option<usize> = None;
    let mut depth: usize = 0;
    loop {
        let Some(token) = reader.token() else { return Some("an awk program that is not understood") };
        match token {
            Token::End => break,
            Token::Word("system") => return Some("the awk program runs another program"),
            Token::Word("getline") => return Some("the awk program reads from elsewhere"),
            Token::Word("ENVIRON" | "ARGV" | "ARGC" | "PROCINFO" | "SYMTAB" | "FUNCTAB") => {
                return Some("the awk program looks at its surroundings");
            }
            Token::Word("print" | "printf") => printing = Some(depth),
            Token::Mark('@') => return Some("the awk program loads code or calls by name"),
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
            Token::Mark(';' | '\n' | '{' | '}') => printing = None,
            Token::Word(_) | Token::Mark(_) | Token::Value => {}
        }
    }
    let risky = ["system", "getline", "|", ">", "@", "ENVIRON", "ARG"];
    (reader.unsure && risky.iter().any(|risky| program.contains(risky)))
        .then_some("an awk program that is not certain to be harmless")
}

enum Token<'a> {
    Word(&'a str),
    /// A number, a string, a regular expression.
    Value,
    Mark(char),
    End,
}

/// What stands before a `/`: after an operand it divides.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Start,
    Operand,
    Unsure,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    before: Before,
    unsure: bool,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// The next token; none if the text breaks off.
    fn token(&mut self) -> Option<Token<'a>> {
        loop {
            match self.peek() {
                None => return Some(Token::End),
                Some(' ' | '\t' | '\r') => {
                    self.next();
                }
                Some('\\') => {
                    self.next();
                    while self.peek() == Some('\r') {
                        self.next();
                    }
                    (self.next() == Some('\n')).then_some(())?;
                }
                Some('#') => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.next();
                    }
                }
                Some(_) => break,
            }
        }
        let from = self.at;
        let first = self.next()?;
        let token = match first {
            '"' => {
                self.string()?;
                self.before = Before::Operand;
                Token::Value
            }
            '/' if self.before != Before::Operand => {
                self.unsure |= self.before == Before::Unsure;
                self.regex()?;
                self.before = Before::Operand;
                Token::Value
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                    self.next();
                }
                let word = self.text.get(from..self.at)?;
                let keyword = ["print", "printf", "return", "in", "else", "do", "case", "exit", "delete"];
                self.before = if keyword.contains(&word) { Before::Start } else { Before::Operand };
                Token::Word(word)
            }
            c if c.is_ascii_digit() || c == '.' => {
                while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '.') {
                    self.next();
                }
                self.before = Before::Operand;
                Token::Value
            }
            c => {
                if self.peek() == Some(c) && matches!(c, '|' | '&' | '+' | '-') {
                    self.next();
                    self.before = if matches!(c, '+' | '-') { Before::Unsure } else { Before::Start };
                    return Some(Token::Value);
                }
                self.before = match c {
                    ')' => Before::Unsure,
                    ']' | '$' => Before::Operand,
                    _ => Before::Start,
                };
                Token::Mark(c)
            }
        };
        Some(token)
    }

    fn string(&mut self) -> Option<()> {
        loop {
            match self.next()? {
                '"' => return Some(()),
                '\\' => {
                    self.next()?;
                }
                '\n' => return None,
                _ => {}
            }
        }
    }

    /// Awks differ about `/` between brackets.
    fn regex(&mut self) -> Option<()> {
        let mut bracket = false;
        loop {
            match self.next()? {
                '\n' => return None,
                '\\' => {
                    self.next()?;
                }
                '[' => bracket = true,
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
    use super::danger;

    /// Decisions, section 2: "the harmless programs of `awk` and `sed` stay allowed".
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
            "{a = b ~ /system\\(\"x\"\\)/; print a}",
        ] {
            assert_eq!(danger(program), None, "{program}");
        }
    }

    /// Decisions, section 2: "`awk` programs with `system`, `getline`, pipes or redirections".
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
        ] {
            assert!(danger(program).is_some(), "{program}");
        }
    }
}
