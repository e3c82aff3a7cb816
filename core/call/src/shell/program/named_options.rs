//! Options that the table does not list, by what they are called: what names an output is written (`pandoc -o x`, `protoc
//! --cpp_out=x`), what names a program runs it (`x --exec LINE`), and what names code loads it (`x --plugin ./y.js`). Whoever
//! gives a program such an option means that.

use super::analyzer::CommandAnalyzer;
use super::name;
use super::options::is_name;
use super::unpack::fill_folder;
use crate::WriteKind;
use crate::shell::{Reach, Use, Word};

const WRITE: Use = Use::Write(WriteKind::Write);

/// Parts of an option's name, and what else it may be called.
const OUTPUTS: &[&str] = &[
    "out",
    "output",
    "outdir",
    "outfile",
    "outputdir",
    "outputfile",
    "outputpath",
    "outpath",
    "dest",
    "destdir",
    "destination",
    "dst",
    "export",
    "save",
    "report",
    "logfile",
    "dump",
    "into",
    "install-dir",
    "target-dir",
    "jsonfile",
    "junitfile",
    "xmlfile",
    "htmlfile",
    "blockprofile",
    "coverprofile",
    "cpuprofile",
    "memprofile",
    "mutexprofile",
];
/// Kinds that an output may have: what stands behind `-o` says in many programs which one it is, and not where to.
const KINDS: &[&str] = &[
    "ascii", "color", "colored", "compact", "csv", "default", "diff", "dot", "full", "github", "html",
    "json", "json5", "jsonc", "jsonl", "junit", "list", "long", "markdown", "md", "minimal", "name",
    "ndjson", "none", "off", "plain", "pretty", "quiet", "raw", "sarif", "short", "svg", "table", "tap",
    "text", "toml", "tree", "tsv", "txt", "verbose", "wide", "xml", "yaml", "yamlc", "yml",
];

/// What an option is called, or its last part, that names code which the program loads.
const LOADERS: &[&str] =
    &["config", "formatter", "loader", "plugin", "plugins", "preload", "reporter", "reporters", "require"];
/// Files with settings in a form that holds no code.
const SETTINGS: &[&str] = &[
    ".cfg",
    ".conf",
    ".env",
    ".ini",
    ".json",
    ".json5",
    ".jsonc",
    ".properties",
    ".toml",
    ".xml",
    ".yaml",
    ".yml",
];

/// What an option is called, or ends or begins with, that names a program or a line.
const PROGRAMS: &[&str] = &[
    "exec",
    "execute",
    "cmd",
    "command",
    "pager",
    "editor",
    "shell",
    "script-shell",
    "launcher",
    "wrapper",
    "extcmd",
    "preview",
    "interpreter",
    "ssh-command",
    "hook",
    "browser",
    "lua-filter",
    "modprobe",
    "on-success",
    "on-first-success",
    "on-change",
    "rsh",
    "script",
    "status-logger",
    "diff-with",
    "extract-with",
    "open-with",
];
/// Its last part: `--pre-invoke`, `--password-command`.
const PROGRAM_PARTS: &[&str] = &[
    "askpass", "cmd", "command", "editor", "exec", "helper", "hook", "invoke", "launcher", "pager",
    "prepipe", "prepipex", "program", "script", "wrapper",
];
/// Names that say which shell something is for.
const SHELLS: &[&str] = &[
    "bash",
    "dash",
    "elvish",
    "fish",
    "ksh",
    "nu",
    "nushell",
    "powershell",
    "pwsh",
    "sh",
    "tcsh",
    "true",
    "false",
    "zsh",
];

/// Programs to which `-d` is the folder that they write in.
const DESTINATIONS: &[&str] =
    &["babel", "eleventy", "hugo", "javac", "javadoc", "jekyll", "mdbook", "mkdocs", "sphinx-build", "zola"];

impl CommandAnalyzer<'_> {
    /// Whether the program at hand takes `-d` for the folder that it writes in.
    fn has_destination(&self) -> bool {
        let program = self.words.get(self.known.transparent).and_then(Word::literal).map(name::base_name);
        program.is_some_and(|program| DESTINATIONS.contains(&program))
    }

    /// The word at `place`, where it is such an option, with its value.
    pub(super) fn add_named_option(&mut self, place: usize) {
        let Some(NamedOption { name, value, named }) = named_option(self.words, place) else { return };
        if self.is_output_here(name) {
            return match &value {
                Word::Literal(value) => self.add_output(value),
                Word::Open(open) => self.places.add_open_word(open, WRITE, Reach::Itself),
            };
        }
        let shell = || value.literal().is_some_and(|value| SHELLS.contains(&value));
        if is_program(name) && !shell() {
            self.add_option_value(&value);
            self.add_plain_caveat(&format!("the option {name} runs another program"), named);
        }
    }

    /// The same word, where it is certain to be the program's own: what is written there is a write of its own, and a path from
    /// which code is loaded is asked about (D2.16, D2.24).
    pub(super) fn add_own_named_option(&mut self, place: usize) {
        let Some(NamedOption { name, value, named }) = named_option(self.words, place) else { return };
        if self.is_output_here(name) {
            match &value {
                Word::Literal(value) if named.len() == 1 || takes_place(name) => {
                    if !says_where(value) {
                        return;
                    }
                    self.add_write(WriteKind::Write, value);
                    files_of_kinds(value).for_each(|file| self.add_write(WriteKind::Write, file));
                }
                Word::Open(open) if !open.tame => {
                    self.add_plain_caveat(
                        &format!("the option {name} writes a file that is not known"),
                        named,
                    );
                }
                _ => {}
            }
        } else if is_loader(name) && value.literal().is_some_and(|value| is_code(name, value)) {
            self.add_plain_caveat(&format!("the option {name} loads code from a path"), named);
        }
    }

    fn is_output_here(&self, name: &str) -> bool {
        is_output(name) || name == "-d" && self.has_destination()
    }

    /// `OUT`, and `OPTIONS:OUT` as protoc has it.
    fn add_output(&mut self, value: &str) {
        if value.is_empty() || value == "/dev/null" {
            return;
        }
        self.places.add_path(value, WRITE, Reach::Itself);
        fill_folder(self, value, false);
        if let Some((_, behind)) = value.split_once(':').filter(|(_, behind)| !behind.starts_with("//")) {
            self.places.add_path(behind, WRITE, Reach::Itself);
        }
    }
}

/// An option as it is called, with its value and the places of both.
struct NamedOption<'a> {
    name: &'a str,
    value: Word,
    named: Vec<usize>,
}

/// The word at `place`, if it is an option that has a value.
fn named_option(words: &[Word], place: usize) -> Option<NamedOption<'_>> {
    let word = words.get(place)?;
    let prefix = word.known_prefix();
    if !prefix.starts_with('-') || prefix.len() < 2 {
        return None;
    }
    let (name, value, named) = match (prefix.split_once('='), word) {
        (Some((name, value)), Word::Literal(_)) => (name, Word::from(value), vec![place]),
        (Some((name, _)), Word::Open(_)) => (name, word.clone(), vec![place]),
        (None, Word::Open(_)) => return None,
        // `-o../x`
        (None, Word::Literal(text)) if text.starts_with("-o") && text.contains('/') => {
            ("-o", Word::from(text.get(2..)?), vec![place])
        }
        (None, Word::Literal(text)) => {
            // What is run may stand behind the end of the options: `x --raw-command -- ./y`.
            let ends = |at: &usize| words.get(*at).and_then(Word::literal) == Some("--");
            let at = if is_program(text) { Some(place + 1).filter(ends) } else { None };
            let at = at.map_or(place + 1, |end| end + 1);
            let next = words.get(at).filter(|next| !next.known_prefix().starts_with('-'))?;
            (text.as_str(), next.clone(), vec![place, at])
        }
    };
    Some(NamedOption { name, value, named })
}

/// Whether the value of an output's option is a place, and no kind, number, setting or address.
fn says_where(value: &str) -> bool {
    let number = value.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b','));
    let number = number && value.contains(|c: char| c.is_ascii_digit());
    !number && !value.contains('=') && !value.contains("://") && !KINDS.contains(&value)
}

/// Whether what stands behind such an option is its value for certain: `--save` and `--report` may stand by themselves.
fn takes_place(option: &str) -> bool {
    let plain = hyphenated(option.trim_start_matches('-'));
    let last = plain.rsplit('-').next().unwrap_or_default();
    let alone = |part: &str| matches!(part, "save" | "export" | "report" | "dump");
    let place = matches!(last, "file" | "filename" | "dir" | "directory" | "path" | "to");
    place || !plain.split('-').any(alone)
}

/// What stands behind the name of a kind and `:` or `=` in a value names a file of that kind: `html:x`, `trx;LogFileName=x`.
pub(super) fn files_of_kinds(value: &str) -> impl Iterator<Item = &str> {
    value.split([',', ';']).filter_map(file_of_kind)
}

fn file_of_kind(part: &str) -> Option<&str> {
    let (kind, file) = part.split_once([':', '='])?;
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    (!kind.is_empty() && kind.bytes().all(plain) && !file.is_empty() && !file.starts_with("//"))
        .then_some(file)
}

/// Whether a value is a path from which code may be loaded. What holds settings by its ending is none behind `--config`.
fn is_code(option: &str, value: &str) -> bool {
    let settings = option.ends_with("config") && SETTINGS.iter().any(|ending| value.ends_with(ending));
    !settings && !value.contains("://") && !is_name(value)
}

/// Whether an option's name says that code is loaded from its value: `--plugin`, `--load-plugins`, `--test-reporter`.
fn is_loader(option: &str) -> bool {
    let plain = hyphenated(option.trim_start_matches('-'));
    option.starts_with("--")
        && !plain.starts_with("no-")
        && plain.rsplit('-').next().is_some_and(|last| LOADERS.contains(&last))
}

/// Whether an option's name says that its value is written: `-o`, `--out-dir`, `--pythonOut`, `--cpp_out`.
fn is_output(option: &str) -> bool {
    let name = option.trim_start_matches('-');
    if name == "o" {
        return true;
    }
    if name.len() < 3 {
        return false;
    }
    let plain = hyphenated(name);
    // What is said about an output is not where it goes: `--output-format json`.
    let of = ["format", "type", "style", "mode", "encoding", "charset", "level", "name", "width", "color"];
    let mut parts = plain.split('-').filter(|part| !part.is_empty());
    let about = plain.rsplit('-').next().is_some_and(|last| of.contains(&last));
    let whole =
        || [plain.clone(), plain.replace('-', "")].iter().any(|whole| OUTPUTS.contains(&whole.as_str()));
    !about && (parts.any(|part| OUTPUTS.contains(&part)) || whole())
}

/// Whether an option's name says that its value is run: `--exec`, `--editor-cmd`, `--pager`.
fn is_program(option: &str) -> bool {
    let name = option.trim_start_matches('-');
    if name.len() < 3 {
        return false;
    }
    let plain = hyphenated(name);
    if ["no-", "without-", "disable-"].iter().any(|not| plain.starts_with(not)) {
        return false;
    }
    let whole = PROGRAMS.contains(&plain.as_str());
    whole || plain.rsplit('-').next().is_some_and(|last| PROGRAM_PARTS.contains(&last))
}

/// `outDir` and `cpp_out` as `out-dir` and `cpp-out`.
fn hyphenated(name: &str) -> String {
    let mut plain = String::with_capacity(name.len() + 4);
    let mut small = false;
    for c in name.chars() {
        if small && c.is_ascii_uppercase() {
            plain.push('-');
        }
        small = c.is_ascii_lowercase();
        plain.push(if matches!(c, '_' | '.' | ':') { '-' } else { c.to_ascii_lowercase() });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{is_output, is_program};

    #[test]
    fn given_the_name_of_an_option_then_it_is_told_whether_its_value_is_written() {
        for name in [
            "-o",
            "--out",
            "--output",
            "-output",
            "--outDir",
            "--out-dir",
            "--out_dir",
            "--OUTFILE",
            "--cpp_out",
            "--export-filename",
            "--output-path",
            "--dest",
            "--destination",
            "--report-file",
            "--js.out",
            "--jsonfile",
            "--log-file",
            "--install-dir",
            "-debug.cpuprofile",
        ] {
            assert!(is_output(name), "{name}");
        }
        for name in [
            "-O",
            "-d",
            "--timeout",
            "--without",
            "--output-format",
            "--out-type",
            "--layout",
            "--stdout-width",
            "--no",
            "--route",
            "--router",
            "--export-mode",
            "-p",
        ] {
            assert!(!is_output(name), "{name}");
        }
    }

    #[test]
    fn given_the_name_of_an_option_then_it_is_told_whether_its_value_is_run() {
        for name in [
            "--exec",
            "-exec",
            "--pager",
            "--editor",
            "--shell",
            "--cmd",
            "--editor-cmd",
            "--diffCmd",
            "--post-exec",
            "--browser",
            "--pre-invoke",
            "--rsh-command",
            "--password-command",
            "--deploy-hook",
            "--prepipe",
            "--compress-program",
            "--credential-helper",
            "--lua-filter",
            "--onSuccess",
        ] {
            assert!(is_program(name), "{name}");
        }
        for name in [
            "-e",
            "-c",
            "--no",
            "--execution-time",
            "--shells",
            "--cmdline-height",
            "--recommended",
            "--hooks",
            "--no-pager",
            "--filter",
            "--commands",
            "--ignore-scripts",
            "--logger",
            "--no-helper",
            "--scripted",
            "--program-name",
            "--hooks-dir",
        ] {
            assert!(!is_program(name), "{name}");
        }
    }
}
