//! What clients of databases do besides their queries, and programs with small languages of their own besides what one expects:
//! they run programs and lines, and read and write files.

use super::analyzer::CommandAnalyzer;
use super::given_programs::GivenProgram;
use super::name;
use crate::PathAccess;
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
/// As many pieces of a text are looked at.
const MOST_PIECES: usize = 16;

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
        "fsdir",
        "zipfile",
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

const DUCKDB: SideEffectMarks = SideEffectMarks {
    marks: &[
        "load_extension",
        "writefile",
        "readfile",
        "vacuum into",
        "-init",
        "read_text",
        "read_blob",
        "read_csv",
        "read_json",
        "read_parquet",
        "read_xlsx",
        "glob(",
        "sniff_csv",
        "profile_output",
        "profiling_output",
        "log_query_path",
        "_directory",
        "from '",
        "from \"",
        "to '",
        "to \"",
        "database '",
    ],
    first: &["attach", "install", "force", "load", "import", "export", "copy"],
};
/// Commands in Miller's language, without what sends output elsewhere.
const MILLER: SideEffectMarks = SideEffectMarks { marks: &["system(", "exec("], first: &[] };
/// What runs or loads something in a macro of rpm.
const RPM: SideEffectMarks = SideEffectMarks {
    marks: &[
        "%(",
        "%[",
        "lua:",
        "%{lua",
        "%lua",
        "expr:",
        "%{expand",
        "%expand",
        "%{load",
        "%load",
        "%{span",
        "%{uncompress",
    ],
    first: &[],
};
/// What is looked at otherwise.
const NOTHING: SideEffectMarks = SideEffectMarks { marks: &[], first: &[] };
/// `?` runs a line of the input.
const DC: SideEffectMarks = SideEffectMarks { marks: &["?"], first: &[] };

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
    let at = judge.known.transparent;
    let base = words.get(at).and_then(Word::literal).map(name::base_name).unwrap_or_default();
    let (beside, dots) = match base {
        "sqlite3" => (SQLITE, true),
        "duckdb" => (DUCKDB, true),
        "psql" => (PSQL, false),
        "mysql" | "mariadb" => (MYSQL, false),
        "mlr" => (MILLER, false),
        "exiftool" => (NOTHING, false),
        "rpm" | "rpmbuild" | "rpmquery" | "rpmspec" => (RPM, false),
        "dc" => (DC, false),
        _ => return,
    };
    let (mut tees, mut programs, mut starts) = (false, false, true);
    for (place, word) in words.iter().enumerate().skip(at + 1) {
        let text = word.literal().map_or_else(|| word.text(), str::to_owned).to_ascii_lowercase();
        for file in word.literal().into_iter().flat_map(|text| sourced_files(base, text)) {
            judge.add_given_program(GivenProgram::File(Word::from(file)));
        }
        // `mlr tee -p LINE`: the verb that writes to a program.
        tees = base == "mlr" && (tees && text != "then" || text == "tee");
        // `mlr put -f FILE`, `mlr split -n 2`: the verb that has a program in a file, and the one that makes files.
        programs = programs && text != "then" || matches!(text.as_str(), "put" | "filter");
        let makes = text == "split" && starts;
        starts = text == "then" || starts && text.starts_with('-');
        let own = match base {
            "mlr" => {
                makes
                    || tees && text == "-p"
                    || programs && matches!(text.as_str(), "-f" | "-s")
                    || is_sent_elsewhere(&text)
                    || is_sent_elsewhere(&without_comments(&text))
            }
            "dc" => is_run_by_dc(&text),
            // Macros whose values are programs: `_buildshell`, `__python`, `_preinstall_shell`.
            "rpm" | "rpmbuild" | "rpmquery" | "rpmspec" => {
                let name = text.split_once('=').map_or(text.as_str(), |(_, value)| value);
                let name = name.trim_start_matches("-d").trim_start();
                name.starts_with("__")
                    || name.starts_with("_build")
                    || name.starts_with('_') && name.contains("shell")
            }
            "exiftool" => {
                let option =
                    words.get(place - 1).map(Word::known_prefix).unwrap_or_default().to_ascii_lowercase();
                let file = |text| {
                    judge.command.made || judge.command.cwd.is_none_or(|cwd| PathAccess::is_at(cwd, text))
                };
                holds_perl(&option, &text, word.literal().is_some(), word.literal().is_none_or(file))
            }
            _ => false,
        };
        if own
            || beside.is_in(&text)
            || beside.is_in(&on_one_row(&text))
            || base == "mlr" && beside.is_in(&on_one_row(&without_comments(&text)))
            || dots && text.lines().any(is_active_dot_command)
        {
            judge.add_plain_caveat("what it runs, reads or writes beside its own work", vec![place]);
            if matches!(base, "mlr" | "exiftool" | "rpm" | "rpmbuild" | "rpmquery" | "rpmspec" | "dc") {
                add_pieces(judge, word);
            }
        }
    }
}

/// The files that a text of a client's has it read further commands from: `.read FILE`, `\\i FILE`, `source FILE`.
fn sourced_files<'t>(base: &str, text: &'t str) -> Vec<&'t str> {
    let statements = text.split(['\n', ';']).map(str::trim_start);
    let found = statements.filter_map(|statement| {
        let (name, rest) = statement.split_once(char::is_whitespace)?;
        let reads = match base {
            "sqlite3" | "duckdb" => name.len() > 1 && ".read".starts_with(name),
            "psql" => matches!(name, "\\i" | "\\ir" | "\\include" | "\\include_relative"),
            "mysql" | "mariadb" => name == "\\." || name.eq_ignore_ascii_case("source"),
            _ => false,
        };
        let file = rest.trim().trim_matches(['"', '\'']);
        (reads && !file.is_empty()).then_some(file)
    });
    found.take(MOST_PIECES).collect()
}

/// Lines that may stand in a text of another language, between its signs: for denials alone.
fn add_pieces(judge: &mut CommandAnalyzer<'_>, word: &Word) {
    judge.add_possible_line(word);
    let Some(text) = word.literal() else { return };
    let pieces = text.split(['(', ')', '"', '\'', '`', '!', '|', '[', ']', '{', '}', ';', '%', '\n']);
    let pieces = pieces.map(str::trim).filter(|piece| piece.contains(char::is_alphabetic));
    for piece in pieces.take(MOST_PIECES) {
        judge.add_possible_line(&Word::from(piece));
    }
}

/// Whether a statement of Miller's writes to a file or a program: `tee > "x", $*`, `print | "sort"`.
fn is_sent_elsewhere(text: &str) -> bool {
    text.split([';', '{', '}', '\n']).any(|statement| {
        let statement = statement.trim_start();
        let first = statement.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let sends = ["tee", "emit", "emit1", "emitp", "emitf", "print", "printn", "dump"].contains(&first);
        sends && statement.contains(['>', '|'])
    })
}

/// A text of Miller's without its comments, each with the end of its line. A `#` in quotes begins none.
fn without_comments(text: &str) -> String {
    let (mut quoted, mut escaped, mut comment) = (false, false, false);
    text.chars()
        .filter(|&c| {
            comment |= !quoted && c == '#';
            let kept = !comment;
            quoted ^= kept && c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            comment &= c != '\n';
            kept
        })
        .collect()
}

/// Whether dc starts something: `!LINE`, where that is none of `!<`, `!>` and `!=`, which compare.
fn is_run_by_dc(text: &str) -> bool {
    text.match_indices('!')
        .any(|(at, sign)| !text.get(at + sign.len()..).unwrap_or_default().starts_with(['<', '>', '=']))
}

/// Whether a word of exiftool's behind `option` holds code, or names a file with some: a condition that does more than to compare,
/// `${TAG;CODE}` in a format, a format that is a file.
fn holds_perl(option: &str, text: &str, literal: bool, file: bool) -> bool {
    let condition = option.strip_prefix("-if").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
    match option {
        _ if condition => !(literal && is_plain_condition(text)),
        // A file of that name is read before the text counts as a format.
        "-p" | "-printformat" if !text.contains('$') || file => true,
        "-api" if text.contains("filter") => true,
        _ => text.split("${").skip(1).any(|behind| behind.contains(';')),
    }
}

/// Whether a condition in Perl only compares values of tags: `$ImageWidth > 100 and $Make eq "x"`.
fn is_plain_condition(text: &str) -> bool {
    const WORDS: &[&str] = &["and", "or", "not", "eq", "ne", "lt", "gt", "le", "ge", "defined"];
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let name = |text: &str| {
            text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | ':')).unwrap_or(text.len())
        };
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '.' | '-' | ':');
        let taken = match first {
            '$' => match name(rest.get(1..).unwrap_or_default()) {
                0 => return false,
                length => length + 1,
            },
            '"' | '\'' | '/' => {
                let inner = rest.get(1..).unwrap_or_default();
                match inner.find(first) {
                    Some(end) if inner.get(..end).is_some_and(|inner| inner.chars().all(plain)) => {
                        let case = first == '/'
                            && inner.get(end + 1..).is_some_and(|behind| behind.starts_with('i'));
                        end + 2 + usize::from(case)
                    }
                    _ => return false,
                }
            }
            '&' if rest.starts_with("&&") => 2,
            '-' if rest.starts_with("->") => return false,
            c if c.is_ascii_alphanumeric() || c == '_' => {
                let word = rest.get(..name(rest)).unwrap_or_default();
                if !WORDS.contains(&word) && !word.bytes().all(|b| b.is_ascii_digit()) {
                    return false;
                }
                word.len()
            }
            '<' | '>' | '=' | '!' | '|' | '(' | ')' | '.' | '+' | '-' | '~' | ' ' => 1,
            _ => return false,
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    true
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
