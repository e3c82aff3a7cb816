//! Here-documents: where they end, what is evaluated in them, and how they stand in substitutions.

use super::{Grammar, Make};

pub(super) const STATEMENTS: &[(&str, Make)] = &[
    ("here-document", |g| {
        let (head, body) = (reader(g), body(g));
        let delimiter = g.of(&["<<'EOF'", "<<\\EOF", "<<\"EOF\"", "<< 'EOF'", "<<E\\OF"]);
        format!("{head} {delimiter}\n{body}\nEOF\n")
    }),
    ("evaluated here-document", |g| {
        let (head, body) = (reader(g), body(g));
        let body = body.replace(['`', '$'], if g.random.once_in(4) { "$" } else { "\\$" });
        format!("{head} <<EOF\n{body}\nEOF\n")
    }),
    ("here-document with tabs", |g| {
        let (head, body) = (reader(g), body(g));
        let end = g.of(&["\tEOF", "EOF", "\t\tEOF", "\tEOF \nEOF", "\tEOF"]);
        format!("{head} <<-'EOF'\n\t{body}\n{end}\n")
    }),
    ("two here-documents", |g| {
        let (first, second) = (body(g), body(g));
        format!(
            "{} <<'E' {} <<'EOF'\n{first}\nE\n{second}\nEOF\n",
            reader(g),
            g.of(&["|| cat", "&& cat", "; cat", "| cat", ""])
        )
    }),
    ("here-document in a substitution", |g| {
        let body = body(g);
        let document = document(g, &body);
        carried(g, &document)
    }),
    ("here-document that seems to end", |g| {
        let body = early(g);
        let document = document(g, &body);
        carried(g, &document)
    }),
    ("here-document behind a brace", |g| {
        let body = body(g);
        match g.random.below(5) {
            0 => format!("{{ cat <<'EOF'\n{body}\nEOF\n}}"),
            1 => format!("(cat <<'EOF'\n{body}\nEOF\n)"),
            2 => format!("if true; then cat <<'EOF'\n{body}\nEOF\nfi"),
            3 => format!("for x in a; do cat <<'EOF'\n{body}\nEOF\ndone"),
            _ => format!("case a in a) cat <<'EOF'\n{body}\nEOF\n;; esac"),
        }
    }),
    ("delimiter of several kinds", |g| {
        let body = body(g);
        let (open, end) = match g.random.below(8) {
            0 => ("<<'E F'", "E F"),
            1 => ("<<''", ""),
            2 => ("<<$'EOF'", "EOF"),
            3 => ("<<'E'OF", "EOF"),
            4 => ("<<$\"EOF\"", "EOF"),
            5 => ("<<'EOF)'", "EOF)"),
            6 => ("<<-'\tE'", "\tE"),
            _ => ("<<'#'", "#"),
        };
        format!("{} {open}\n{body}\n{end}\n", reader(g))
    }),
    ("here-document that runs", |g| {
        let program = g.of(&[
            "sh",
            "bash",
            "zsh",
            "python3 -",
            "python3",
            "sh -s",
            "bash -s x",
            "cat | sh",
            "sh -",
            "node",
            "sh -x",
            "env sh",
            "ed",
            "awk -f -",
            "sed -n -f - a.txt",
            "xargs",
        ]);
        let body = if g.random.once_in(2) { g.good() } else { g.bad() };
        format!("{program} <<'EOF'\n{body}\nEOF\n")
    }),
];

fn reader(g: &mut Grammar) -> String {
    g.of(&["cat", "cat", "grep a", "wc -l", "sort", "head -n 3", "sed -n 1p", "git commit -F -", "cat -"])
        .to_owned()
}

fn body(g: &mut Grammar) -> String {
    let (first, second) = (line(g), line(g));
    match g.random.below(4) {
        0 => first,
        1 => format!("{first}\n{second}"),
        2 => format!("{first}\n\n{second}"),
        _ => early(g),
    }
}

fn line(g: &mut Grammar) -> String {
    let poison = g.poison();
    let text = g.of(&[
        "text", "fix (a)", "it's", "say \"x", "a ) b", "# x", "done", "`", "$(", "\\", "<<X", "${", "}",
        "esac", ";;",
    ]);
    if g.random.once_in(2) { text.to_owned() } else { poison.trim_matches('\n').to_owned() }
}

/// Lines that begin like the end, or look like it.
fn early(g: &mut Grammar) -> String {
    let bad = g.bad();
    let twist = match g.random.below(8) {
        0 => format!("EOF{bad} #)"),
        1 => format!("EOF {bad} # )"),
        2 => format!("EOF\t\n{bad}"),
        3 => format!(" EOF\n{bad}"),
        4 => format!("EOF)\n{bad} #"),
        5 => format!("EOF\\\n{bad}"),
        6 => format!("EOF ) ; {bad} ; echo \"$("),
        _ => format!("EOF;{bad} )"),
    };
    if g.random.once_in(2) { format!("fix (a)\n\n{twist}") } else { twist }
}

fn document(g: &mut Grammar, body: &str) -> String {
    let delimiter = g.of(&["<<'EOF'", "<<'EOF'", "<<\\EOF", "<<\"EOF\"", "<<-'EOF'"]);
    let end = g.of(&["\n)", "\n)", "\n  )", "\n\n)", "\n: )"]);
    format!("cat {delimiter}\n{body}\nEOF{end}")
}

fn carried(g: &mut Grammar, document: &str) -> String {
    match g.random.below(7) {
        0..=2 => format!("git commit -m \"$({document}\""),
        3 => format!("echo \"$({document}\""),
        4 => format!("echo $({document}"),
        5 => format!("cat <({document}"),
        _ => format!("x=$({document}"),
    }
}
