//! What clients of databases do besides their queries: they run programs and lines, and read and write files.

use super::analyzer::CommandAnalyzer;
use super::name;
use crate::shell::Word;

/// Commands of sqlite3 with which it only shows something, or says how.
const SHOWS: &[&str] = &[
    "changes",
    "databases",
    "dbconfig",
    "dbinfo",
    "dump",
    "echo",
    "eqp",
    "exit",
    "explain",
    "fullschema",
    "headers",
    "header",
    "help",
    "indexes",
    "indices",
    "lint",
    "mode",
    "nullvalue",
    "print",
    "quit",
    "schema",
    "separator",
    "show",
    "stats",
    "tables",
    "timer",
    "version",
    "width",
];
/// What runs, reads or writes something beside the database: anywhere in a text, and as the first word of a statement.
struct SideEffectMarks {
    marks: &'static [&'static str],
    first: &'static [&'static str],
}

const SQLITE: SideEffectMarks = SideEffectMarks {
    marks: &[
        "load_extension",
        "writefile",
        "readfile",
        "edit(",
        "vacuum into",
        "vacuum main into",
        "fts3_tokenizer",
        "-init",
    ],
    first: &["attach"],
};
const PSQL: SideEffectMarks = SideEffectMarks {
    marks: &[
        "\\!",
        "\\o",
        "\\g",
        "\\copy",
        "\\i",
        "\\w",
        "\\s",
        "\\e",
        "\\lo_",
        "\\setenv",
        "`",
        "to program",
        "from program",
        "pg_read",
        "lo_export",
        "lo_import",
    ],
    first: &[],
};
const MYSQL: SideEffectMarks = SideEffectMarks {
    marks: &[
        "\\!",
        "\\.",
        "\\p",
        "\\t",
        "\\e",
        "--pag",
        "--tee",
        "--init-command",
        "--plugin-dir",
        "--defaults",
        "load xml",
        "outfile",
        "dumpfile",
        "load data",
        "load_file",
    ],
    first: &["system", "source", "pager", "tee", "edit"],
};

impl SideEffectMarks {
    /// Whether there is any of it in a text, in lower case.
    fn is_in(&self, text: &str) -> bool {
        let first = |statement: &str| {
            let word =
                statement.trim_start().split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
            self.first.contains(&word)
        };
        self.marks.iter().any(|mark| text.contains(mark)) || text.split([';', '\n']).any(first)
    }
}

/// Looks for it among the words.
pub(super) fn add_client_caveats(judge: &mut CommandAnalyzer<'_>) {
    let words = judge.words;
    let base = words.first().and_then(Word::literal).map(name::base_name).unwrap_or_default();
    let beside = match base {
        "sqlite3" => SQLITE,
        "psql" => PSQL,
        "mysql" | "mariadb" => MYSQL,
        _ => return,
    };
    for (place, word) in words.iter().enumerate().skip(1) {
        let text = word.literal().map_or_else(|| word.text(), str::to_owned).to_ascii_lowercase();
        if beside.is_in(&text)
            || beside.is_in(&on_one_row(&text))
            || base == "sqlite3" && text.lines().any(is_active_dot_command)
        {
            judge.add_plain_caveat("what the client runs, reads or writes beside the database", vec![place]);
        }
    }
}

/// A command of sqlite3 that does more than show something. They may be shortened: `.sh` is `.shell`, and not `.show`.
fn is_active_dot_command(line: &str) -> bool {
    let Some(command) = line.trim_start().strip_prefix('.') else { return false };
    let name = command.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    // `./x.db` is a file.
    !name.is_empty() && !SHOWS.contains(&name)
}

/// A text of SQL without its comments, and with one blank wherever there is any.
fn on_one_row(text: &str) -> String {
    let mut row = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        row.push_str(before);
        row.push(' ');
        rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
    }
    row.push_str(rest);
    row.split_whitespace().collect::<Vec<_>>().join(" ").replace(" (", "(")
}
