//! A reader of sed's command language: enough to tell what a script does besides editing text.

/// What a script does besides editing text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
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
pub(super) fn effects(script: &str) -> Vec<Effect> {
    let mut reader = Reader::of(script, true);
    if reader.script().is_none() {
        reader.effects.push(Effect::Unknown);
    }
    if reader.shielded {
        let mut other = Reader::of(script, false);
        let understood = other.script().is_some();
        let more = other.effects.into_iter().filter(|effect| !reader.effects.contains(effect));
        let more: Vec<Effect> = more.chain((!understood).then_some(Effect::Differs)).collect();
        reader.effects.extend(more);
    }
    reader.effects
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
    effects: Vec<Effect>,
    /// A delimiter between brackets is one of their characters, as POSIX has it, and does not end the pattern, as it does
    /// for old seds.
    shields: bool,
    /// There was one.
    shielded: bool,
}

impl<'a> Reader<'a> {
    fn of(script: &'a str, shields: bool) -> Self {
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

    fn skip(&mut self, skipped: &[char]) {
        self.rest = self.rest.trim_start_matches(skipped);
    }

    /// Everything up to the end of the line, and over it.
    fn line(&mut self) -> &'a str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }

    /// None if it is not understood.
    fn script(&mut self) -> Option<()> {
        loop {
            self.skip(&[' ', '\t', '\n', '\r', ';']);
            if self.peek().is_none() {
                return (self.depth == 0).then_some(());
            }
            self.address()?;
            self.skip(&[' ', '\t', '!']);
            self.command()?;
        }
    }

    /// `1`, `$`, `/x/I`, `\cxc`, `1~2`, `1,+3`.
    fn address(&mut self) -> Option<()> {
        loop {
            match self.peek() {
                Some(c) if c.is_ascii_digit() => self.digits(),
                Some('$') => {
                    self.next();
                }
                Some('/') => {
                    self.next();
                    self.pattern('/')?;
                    self.skip(&['I', 'M']);
                }
                Some('\\') => {
                    self.next();
                    let delimiter = self.next().filter(|c| *c != '\n' && *c != '\\')?;
                    self.pattern(delimiter)?;
                    self.skip(&['I', 'M']);
                }
                _ => return Some(()),
            }
            self.skip(&[' ', '\t']);
            match self.peek() {
                Some('~') => {
                    self.next();
                    self.digits();
                    self.skip(&[' ', '\t']);
                    if self.peek() != Some(',') {
                        return Some(());
                    }
                }
                Some(',') => {}
                _ => return Some(()),
            }
            self.next();
            self.skip(&[' ', '\t']);
            if let Some('+' | '~') = self.peek() {
                self.next();
                self.digits();
                return Some(());
            }
        }
    }

    fn digits(&mut self) {
        self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
    }

    /// A regular expression up to its delimiter.
    fn pattern(&mut self, delimiter: char) -> Option<()> {
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
    fn replacement(&mut self, delimiter: char) -> Option<String> {
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

    fn command(&mut self) -> Option<()> {
        match self.next()? {
            '#' => {
                self.line();
            }
            '{' => self.depth = (self.depth < 64).then_some(self.depth + 1)?,
            '}' => {
                self.depth = self.depth.checked_sub(1)?;
                self.end()?;
            }
            '=' | 'd' | 'D' | 'F' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' => {
                self.end()?
            }
            'l' | 'L' | 'q' | 'Q' => {
                self.skip(&[' ', '\t']);
                self.digits();
                self.end()?;
            }
            'a' | 'i' | 'c' => while self.line_of_text() {},
            ':' => {
                // To some it is the rest of the line; to GNU's it ends at a blank or `;`, and a command may follow.
                self.skip(&[' ', '\t']);
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
                self.end()?;
            }
            's' => self.substitution()?,
            'y' => {
                let delimiter = self.next().filter(|c| *c != '\n' && *c != '\\')?;
                self.replacement(delimiter)?;
                self.replacement(delimiter)?;
                self.end()?;
            }
            'r' | 'R' => {
                let file = self.line().trim_start().to_owned();
                self.effects.push(Effect::Reads(file));
            }
            'w' | 'W' => self.writes(),
            'e' => {
                let line = self.line().trim().to_owned();
                self.effects.push(Effect::Runs(line));
            }
            _ => return None,
        }
        Some(())
    }

    fn writes(&mut self) {
        let file = self.line().trim_start().to_owned();
        self.effects.push(Effect::Writes(file));
    }

    /// One line of the text of `a`, `i` or `c`; whether another follows.
    fn line_of_text(&mut self) -> bool {
        let line = self.line();
        let slashes = line.len() - line.trim_end_matches('\\').len();
        slashes % 2 == 1 && !self.rest.is_empty()
    }

    /// `s/x/y/flags`.
    fn substitution(&mut self) -> Option<()> {
        let delimiter = self.next().filter(|c| *c != '\n' && *c != '\\')?;
        self.pattern(delimiter)?;
        let text = self.replacement(delimiter)?;
        loop {
            match self.peek() {
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {
                    self.next();
                }
                Some('e') => {
                    self.next();
                    self.effects.push(Effect::Runs(text.clone()));
                    // With what the line holds around it.
                    self.effects.push(Effect::Runs(String::new()));
                }
                Some('w') => {
                    self.next();
                    self.writes();
                    return Some(());
                }
                _ => return self.end(),
            }
        }
    }

    /// A command ends: nothing, `;`, `}`, a comment or a new line follows.
    fn end(&mut self) -> Option<()> {
        self.skip(&[' ', '\t', '\r']);
        matches!(self.peek(), None | Some(';' | '\n' | '}' | '#')).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Effect, effects};

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
            assert_eq!(effects(script), [], "{script}");
        }
    }

    /// D2.16: `sed` scripts with `e`, `w` or `r`. Attack 77.
    /// Attack 265: a delimiter between brackets, and a command behind a label on the same line.
    #[test]
    fn given_a_script_that_runs_reads_or_writes_then_it_says_so() {
        let writes = |file: &str| Effect::Writes(file.to_owned());
        let runs = |line: &str| Effect::Runs(line.to_owned());
        for (script, expected) in [
            ("w backup.txt", vec![writes("backup.txt")]),
            ("1w out", vec![writes("out")]),
            ("1e touch PWN", vec![runs("touch PWN")]),
            ("e", vec![runs("")]),
            ("s|hi|touch PWN|e", vec![runs("touch PWN"), runs("")]),
            ("s/.*/rm & \\1 x\\/y/e", vec![runs("rm ${_} ${_} x/y"), runs("")]),
            ("s/a/b/gew out", vec![runs("b"), runs(""), writes("out")]),
            ("$!{w out\n}", vec![writes("out")]),
            ("/x/ { n ; w out", vec![writes("out"), Effect::Unknown]),
            ("r /etc/passwd", vec![Effect::Reads("/etc/passwd".into())]),
            ("p;p;W o", vec![writes("o")]),
            ("s/a/b/;e id", vec![runs("id")]),
            ("1!w out", vec![writes("out")]),
            ("y/a/b/;w out", vec![writes("out")]),
            ("a x\nw out", vec![writes("out")]),
            ("#n\nw out", vec![writes("out")]),
            ("\\,a,w out", vec![writes("out")]),
            ("s/[/]/x/w out", vec![writes("out"), Effect::Differs]),
            ("s/[]/]*x//", vec![Effect::Differs]),
            ("/[/]/ y,ab,ba,;e touch PWN", vec![runs("touch PWN"), Effect::Differs]),
            // Without a shield: the pattern `[`, and what is put in its place is `]`.
            ("s/[/]/\ne touch PWN\n#/x/", vec![Effect::Unknown, runs("touch PWN")]),
            ("k", vec![Effect::Unknown]),
            (":l e touch PWN", vec![runs("touch PWN")]),
            (":l\tw out", vec![writes("out")]),
            (":l;w out", vec![writes("out")]),
            (":l}w out", vec![Effect::Unknown]),
            ("b l e touch PWN", vec![Effect::Unknown]),
            ("s/a/b", vec![Effect::Unknown]),
            ("}", vec![Effect::Unknown]),
        ] {
            assert_eq!(effects(script), expected, "{script}");
        }
    }
}
