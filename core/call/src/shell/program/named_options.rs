//! Options that the table does not list, by what they are called: what names an output is written (`pandoc -o x`, `protoc
//! --cpp_out=x`), and what names a program runs it (`x --exec LINE`). Whoever gives a program such an option means that.

use super::analyzer::CommandAnalyzer;
use super::name;
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
        let words = self.words;
        let Some(word) = words.get(place) else { return };
        let prefix = word.known_prefix();
        if !prefix.starts_with('-') || prefix.len() < 2 {
            return;
        }
        let (name, value, named) = match (prefix.split_once('='), word) {
            (Some((name, value)), Word::Literal(_)) => (name, Some(Word::from(value)), vec![place]),
            (Some((name, _)), Word::Open(_)) => (name, Some(word.clone()), vec![place]),
            (None, Word::Open(_)) => return,
            // `-o../x`
            (None, Word::Literal(text)) if text.starts_with("-o") && text.contains('/') => {
                ("-o", text.get(2..).map(Word::from), vec![place])
            }
            (None, Word::Literal(text)) => {
                let next = words.get(place + 1).filter(|next| !next.known_prefix().starts_with('-'));
                (text.as_str(), next.cloned(), vec![place, place + 1])
            }
        };
        let Some(value) = value else { return };
        if is_output(name) || name == "-d" && self.has_destination() {
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
    !about && parts.any(|part| OUTPUTS.contains(&part))
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
