//! A reader of sed's command language: enough to tell what a script does besides editing text.

/// What a script does besides editing text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SedEffect {
    /// It runs a program: `e LINE`, or `s///e`, with what is known of the line; `${_}` is not.
    Runs(String),
    /// It writes this file.
    Writes(String),
    /// It reads this file.
    Reads(String),
    /// Some seds may read it otherwise.
    Differs,
    /// It is not understood.
    Unknown,
}

/// The effects of `script`, in order. Where seds differ, what it does to each of them.
pub(super) fn script_effects(script: &str) -> Vec<SedEffect> {
    let mut reader = SedReader::from_script(script, true);
    if reader.read_script().is_none() {
        reader.effects.push(SedEffect::Unknown);
    }
    if reader.shielded {
        let mut other = SedReader::from_script(script, false);
        let understood = other.read_script().is_some();
        let more = other.effects.into_iter().filter(|effect| !reader.effects.contains(effect));
        let more: Vec<SedEffect> = more.chain((!understood).then_some(SedEffect::Differs)).collect();
        reader.effects.extend(more);
    }
    reader.effects
}

struct SedReader<'a> {
    rest: &'a str,
    depth: usize,
    effects: Vec<SedEffect>,
    /// A delimiter between brackets is one of their characters, as POSIX has it, and does not end the pattern, as it does
    /// for old seds.
    shields: bool,
    /// There was one.
    shielded: bool,
}

impl<'a> SedReader<'a> {
    fn from_script(script: &'a str, shields: bool) -> Self {
        Self { rest: script, depth: 0, effects: Vec::new(), shields, shielded: false }
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next()?;
        self.rest = chars.as_str();
        Some(next)
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn skip_chars(&mut self, skipped: &[char]) {
        self.rest = self.rest.trim_start_matches(skipped);
    }

    /// Everything up to the end of the line, and over it.
    fn take_line(&mut self) -> &'a str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }

    /// None if it is not understood.
    fn read_script(&mut self) -> Option<()> {
        loop {
            self.skip_chars(&[' ', '\t', '\n', '\r', ';']);
            if self.peek().is_none() {
                return (self.depth == 0).then_some(());
            }
            self.read_address()?;
            self.skip_chars(&[' ', '\t', '!']);
            self.read_command()?;
        }
    }

    /// `1`, `$`, `/x/I`, `\cxc`, `1~2`, `1,+3`.
    fn read_address(&mut self) -> Option<()> {
        loop {
            match self.peek() {
                Some(c) if c.is_ascii_digit() => self.skip_digits(),
                Some('$') => {
                    self.next();
                }
                Some('/') => {
                    self.next();
                    self.read_pattern('/')?;
                    self.skip_chars(&['I', 'M']);
                }
                Some('\\') => {
                    self.next();
                    let delimiter = self.next().filter(|c| *c != '\n' && *c != '\\')?;
                    self.read_pattern(delimiter)?;
                    self.skip_chars(&['I', 'M']);
                }
                _ => return Some(()),
            }
            self.skip_chars(&[' ', '\t']);
            match self.peek() {
                Some('~') => {
                    self.next();
                    self.skip_digits();
                    self.skip_chars(&[' ', '\t']);
                    if self.peek() != Some(',') {
                        return Some(());
                    }
                }
                Some(',') => {}
                _ => return Some(()),
            }
            self.next();
            self.skip_chars(&[' ', '\t']);
            if let Some('+' | '~') = self.peek() {
                self.next();
                self.skip_digits();
                return Some(());
            }
        }
    }

    fn skip_digits(&mut self) {
        self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
    }

    /// A regular expression up to its delimiter.
    fn read_pattern(&mut self, delimiter: char) -> Option<()> {
        let mut bracket: Option<usize> = None;
        loop {
            let c = self.next()?;
            if c == '\n' {
                return None;
            }
            match (&mut bracket, c) {
                (None, '\\') => {
                    self.next()?;
                }
                (Some(_), c) if c == delimiter && !self.shields => return Some(()),
                (None, c) if c == delimiter => return Some(()),
                (Some(count), c) if c == delimiter => {
                    self.shielded = true;
                    *count += 1;
                }
                (None, '[') => bracket = Some(0),
                // `[]x]`, `[^]x]`: not its end.
                (Some(0), '^') => {}
                (Some(count), ']') if *count > 0 => bracket = None,
                (Some(_), '[') if matches!(self.peek(), Some(':' | '.' | '=')) => {
                    let kind = self.next()?;
                    let end = self.rest.find(&format!("{kind}]"))?;
                    let inside = self.rest.get(..end)?;
                    // A name of a class or of a character: those have no such letters.
                    if inside.contains(delimiter) || inside.contains('\n') {
                        return None;
                    }
                    self.rest = self.rest.get(end + 2..)?;
                    bracket = Some(1);
                }
                (Some(count), _) => *count += 1,
                (None, _) => {}
            }
        }
    }

    /// A replacement up to its delimiter, as far as it is known.
    fn read_replacement(&mut self, delimiter: char) -> Option<String> {
        let mut text = String::new();
        loop {
            match self.next()? {
                '\\' => match self.next()? {
                    c if c.is_ascii_digit() => text.push_str("${_}"),
                    'n' => text.push('\n'),
                    't' => text.push(' '),
                    c => text.push(c),
                },
                c if c == delimiter => return Some(text),
                '&' => text.push_str("${_}"),
                c => text.push(c),
            }
        }
    }

    fn read_command(&mut self) -> Option<()> {
        match self.next()? {
            '#' => {
                self.take_line();
            }
            '{' => self.depth = (self.depth < 64).then_some(self.depth + 1)?,
            '}' => {
                self.depth = self.depth.checked_sub(1)?;
                self.expect_end()?;
            }
            '=' | 'd' | 'D' | 'F' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' => {
                self.expect_end()?
            }
            'l' | 'L' | 'q' | 'Q' => {
                self.skip_chars(&[' ', '\t']);
                self.skip_digits();
                self.expect_end()?;
            }
            'a' | 'i' | 'c' => while self.line_of_text() {},
            ':' => {
                // To some it is the rest of the line; to GNU's it ends at a blank or `;`, and a command may follow.
                self.skip_chars(&[' ', '\t']);
                let end = self.rest.find(|c: char| c == ';' || c.is_whitespace()).unwrap_or(self.rest.len());
                let (label, rest) = self.rest.split_at_checked(end)?;
                if label.is_empty() || label.contains('}') {
                    return None;
                }
                self.rest = rest;
            }
            'b' | 't' | 'T' | 'v' => {
                let end = self.rest.find([';', '\n', '}']).unwrap_or(self.rest.len());
                let label = self.rest.get(..end)?;
                if label.trim().contains(char::is_whitespace) {
                    return None;
                }
                self.rest = self.rest.get(end..)?;
                self.expect_end()?;
            }
            's' => self.read_substitution()?,
            'y' => {
                let delimiter = self.next().filter(|c| *c != '\n' && *c != '\\')?;
                self.read_replacement(delimiter)?;
                self.read_replacement(delimiter)?;
                self.expect_end()?;
            }
            'r' | 'R' => {
                let file = self.take_line().trim_start().to_owned();
                self.effects.push(SedEffect::Reads(file));
            }
            'w' | 'W' => self.read_written_file(),
            'e' => {
                let line = self.take_line().trim().to_owned();
                self.effects.push(SedEffect::Runs(line));
            }
            _ => return None,
        }
        Some(())
    }

    fn read_written_file(&mut self) {
        let file = self.take_line().trim_start().to_owned();
        self.effects.push(SedEffect::Writes(file));
    }

    /// One line of the text of `a`, `i` or `c`; whether another follows.
    fn line_of_text(&mut self) -> bool {
        let line = self.take_line();
        let slashes = line.len() - line.trim_end_matches('\\').len();
        slashes % 2 == 1 && !self.rest.is_empty()
    }

    /// `s/x/y/flags`.
    fn read_substitution(&mut self) -> Option<()> {
        let delimiter = self.next().filter(|c| *c != '\n' && *c != '\\')?;
        self.read_pattern(delimiter)?;
        let text = self.read_replacement(delimiter)?;
        loop {
            match self.peek() {
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {
                    self.next();
                }
                Some('e') => {
                    self.next();
                    self.effects.push(SedEffect::Runs(text.clone()));
                    // With what the line holds around it.
                    self.effects.push(SedEffect::Runs(String::new()));
                }
                Some('w') => {
                    self.next();
                    self.read_written_file();
                    return Some(());
                }
                _ => return self.expect_end(),
            }
        }
    }

    /// A command ends: nothing, `;`, `}`, a comment or a new line follows.
    fn expect_end(&mut self) -> Option<()> {
        self.skip_chars(&[' ', '\t', '\r']);
        matches!(self.peek(), None | Some(';' | '\n' | '}' | '#')).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::{SedEffect, script_effects};

    /// D2.16: the harmless programs of `awk` and `sed` stay allowed.
    #[test]
    fn given_a_script_that_only_edits_then_it_has_no_effect() {
        for script in [
            "",
            "s/foo/bar/g",
            "1,20p",
            "$d",
            "/start/,/end/p",
            "/x/I,+3d;5q",
            "s|/usr/w|/opt/e|",
            "s/[^]a[:space:]]*w//g",
            "1~2d",
            "0,/re/s//x/",
            "y/abc/xyz/",
            "/a/{s/b/c/;p}",
            "/a/!d",
            "$!N;P;D",
            ":a\nN\n$!ba\ns/\\n/ /g",
            ":a;N;$!ba;s/\\n/ /g",
            "2i\\\nhello w e\n3d",
            "$a write e w",
            "s/a/b/2gpI # w out",
            "\\,/etc/w,d",
            "/^$/d; s/^ *//",
            "s/\\/w/e/",
        ] {
            assert_eq!(script_effects(script), [], "{script}");
        }
    }

    /// D2.16: `sed` scripts with `e`, `w` or `r`. Attack 77.
    /// Attack 265: a delimiter between brackets, and a command behind a label on the same line.
    #[test]
    fn given_a_script_that_runs_reads_or_writes_then_it_says_so() {
        let writes = |file: &str| SedEffect::Writes(file.to_owned());
        let runs = |line: &str| SedEffect::Runs(line.to_owned());
        for (script, expected) in [
            ("w backup.txt", vec![writes("backup.txt")]),
            ("1w out", vec![writes("out")]),
            ("1e touch PWN", vec![runs("touch PWN")]),
            ("e", vec![runs("")]),
            ("s|hi|touch PWN|e", vec![runs("touch PWN"), runs("")]),
            ("s/.*/rm & \\1 x\\/y/e", vec![runs("rm ${_} ${_} x/y"), runs("")]),
            ("s/a/b/gew out", vec![runs("b"), runs(""), writes("out")]),
            ("$!{w out\n}", vec![writes("out")]),
            ("/x/ { n ; w out", vec![writes("out"), SedEffect::Unknown]),
            ("r /etc/passwd", vec![SedEffect::Reads("/etc/passwd".into())]),
            ("p;p;W o", vec![writes("o")]),
            ("s/a/b/;e id", vec![runs("id")]),
            ("1!w out", vec![writes("out")]),
            ("y/a/b/;w out", vec![writes("out")]),
            ("a x\nw out", vec![writes("out")]),
            ("#n\nw out", vec![writes("out")]),
            ("\\,a,w out", vec![writes("out")]),
            ("s/[/]/x/w out", vec![writes("out"), SedEffect::Differs]),
            ("s/[]/]*x//", vec![SedEffect::Differs]),
            ("/[/]/ y,ab,ba,;e touch PWN", vec![runs("touch PWN"), SedEffect::Differs]),
            // Without a shield: the pattern `[`, and what is put in its place is `]`.
            ("s/[/]/\ne touch PWN\n#/x/", vec![SedEffect::Unknown, runs("touch PWN")]),
            ("k", vec![SedEffect::Unknown]),
            (":l e touch PWN", vec![runs("touch PWN")]),
            (":l\tw out", vec![writes("out")]),
            (":l;w out", vec![writes("out")]),
            (":l}w out", vec![SedEffect::Unknown]),
            ("b l e touch PWN", vec![SedEffect::Unknown]),
            ("s/a/b", vec![SedEffect::Unknown]),
            ("}", vec![SedEffect::Unknown]),
        ] {
            assert_eq!(script_effects(script), expected, "{script}");
        }
    }
}
