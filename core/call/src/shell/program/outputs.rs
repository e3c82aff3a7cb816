//! What the text of an awk program names: files behind `>` and `<`, lines for a shell around `|` and in
//! `system(...)`. It looks at each such mark by itself, without following the grammar: rather too much
//! than too little, since what it finds only counts against the program.

/// A text that stands beside a mark.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum MarkedText {
    /// It is written; whether nothing else belongs to its name.
    Written(String, bool),
    Read(String),
    Line(String),
}

/// As many marks are looked at.
const MOST: usize = 64;

pub(super) fn marked_texts(program: &str) -> Vec<MarkedText> {
    let mut found = Vec::new();
    for (at, mark) in program.match_indices(['>', '<', '|', '(']).take(MOST) {
        let (before, behind) =
            (program.get(..at).unwrap_or_default(), program.get(at + 1..).unwrap_or_default());
        let next = leading_quoted_text(behind.trim_start_matches(['>', '|', '&', ' ', '\t', '(']));
        // `print "LINE" | "sh"`
        let printed = trailing_quoted_text(before).filter(|_| mark == "|").map(MarkedText::Line);
        found.extend(printed.filter(|new| !found.contains(new)));
        let new = match (mark, next) {
            (">", Some((name, rest))) => {
                let rest = rest.trim_start_matches([' ', '\t', ')']);
                let whole = rest.is_empty() || rest.starts_with([';', '}', '\n', '#', '\r']);
                Some(MarkedText::Written(name, whole))
            }
            ("<", Some((name, _))) => Some(MarkedText::Read(name)),
            ("|", Some((line, _))) => Some(MarkedText::Line(line)),
            ("(", Some((line, _))) if before.trim_end().ends_with("system") => Some(MarkedText::Line(line)),
            _ => None,
        };
        found.extend(new.filter(|new| !found.contains(new)));
    }
    found
}

/// Every text between quotes: what is put into a variable may be run later.
pub(super) fn quoted_texts(program: &str) -> Vec<String> {
    let (mut rest, mut found) = (program, Vec::new());
    // Each quote may be one that begins a text: those of comments and of regular expressions are in no order.
    while let Some(at) = rest.find('"') {
        let Some((inner, _)) = rest.get(at..).and_then(leading_quoted_text) else { break };
        rest = rest.get(at + 1..).unwrap_or_default();
        if inner.contains(' ') && found.len() < MOST {
            found.push(inner);
        }
    }
    found
}

/// The text between quotes that `from` begins with, and what stands behind it.
fn leading_quoted_text(from: &str) -> Option<(String, &str)> {
    let inner = from.strip_prefix('"')?;
    let mut text = String::new();
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((text, inner.get(at + 1..).unwrap_or_default())),
            '\\' => text.extend(chars.next().map(|(_, c)| c)),
            c => text.push(c),
        }
    }
    None
}

/// The text between quotes that `before` ends with: `"line" | getline`.
fn trailing_quoted_text(before: &str) -> Option<String> {
    let before = before.trim_end().strip_suffix('"')?;
    let from = before.rmatch_indices('"').map(|(at, _)| at).find(|at| {
        let slashes = before.get(..*at).unwrap_or_default();
        (slashes.len() - slashes.trim_end_matches('\\').len()).is_multiple_of(2)
    })?;
    leading_quoted_text(&format!("{}\"", before.get(from..)?)).map(|(text, _)| text)
}

#[cfg(test)]
mod tests {
    use super::{MarkedText, marked_texts};

    #[test]
    fn given_a_program_then_the_files_and_lines_that_it_names_are_found() {
        let written = |name: &str| MarkedText::Written(name.to_owned(), true);
        for (program, expected) in [
            ("{print > \".git/config\"}", vec![written(".git/config")]),
            ("{ printf \"x\" >> \"a/b\" }", vec![written("a/b")]),
            ("{print >(\"a\")}", vec![written("a")]),
            ("{print > \"a\" $1}", vec![MarkedText::Written("a".into(), false)]),
            ("{print | \"rm x\"}", vec![MarkedText::Line("rm x".into())]),
            (
                "{print \"rm x\" | \"sh\"}",
                vec![MarkedText::Line("rm x".into()), MarkedText::Line("sh".into())],
            ),
            ("BEGIN{\"rm \\\"x\\\"\" | getline}", vec![MarkedText::Line("rm \"x\"".into())]),
            ("BEGIN{system( \"rm x\")}", vec![MarkedText::Line("rm x".into())]),
            ("BEGIN{getline < \".env\"}", vec![MarkedText::Read(".env".into())]),
            ("$1 > 3 {print $2}", vec![]),
            ("/a|b/ {print}", vec![]),
        ] {
            assert_eq!(marked_texts(program), expected, "{program}");
        }
    }
}
