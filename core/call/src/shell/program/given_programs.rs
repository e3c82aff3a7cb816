//! What an interpreter or a shell is given to run, where that does not stand among its words: its input, or a
//! file.

use super::analyzer::CommandAnalyzer;
use super::form::{CommandForm, InterpreterSpec, OptionMeaning};
use super::name;
use super::scan::{FoundOption, Scan, scan_words};
use super::stray_paths::note_stray_paths;
use super::table::{ProgramTable, SpecialCase};
use crate::shell::Word;

/// Where a program is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::shell) enum GivenProgram {
    /// Standard input.
    Input,
    /// The file of this name.
    File(Word),
    /// The same, if there is such a file: it may as well be a program by its name.
    Perhaps(Word),
}

/// Modules of Python that run what they read.
const TALKING: &[&str] = &["code", "pdb", "bdb", "asyncio", "IPython", "ptpython", "bpython", "idlelib"];
/// Modules of Python that run the files that they are given.
const RUNNING: &[&str] = &[
    "pdb",
    "cProfile",
    "profile",
    "trace",
    "runpy",
    "coverage",
    "doctest",
    "pytest",
    "unittest",
    "IPython",
    "debugpy",
    "nose",
    "kernprof",
    "memory_profiler",
    "scalene",
];

impl CommandAnalyzer<'_> {
    /// Finds what is given to the program of this form.
    pub(super) fn find_given(&mut self, form: &CommandForm, scan: &Scan<'_>) {
        let words = self.words;
        for found in scan.options.iter().filter(|found| form.program_files.contains(found.name)) {
            let value = found.value.as_ref();
            let text = value.and_then(|value| value.text).map(Word::from);
            let word = text.or_else(|| words.get(value?.place).cloned());
            word.into_iter().for_each(|word| self.add_given_program(GivenProgram::File(word)));
        }
        for name in &form.project_files {
            self.add_given_program(GivenProgram::Perhaps(Word::from(name.as_str())));
        }
        let Some(program) = &form.program else { return };
        let first = scan.operands.first().copied();
        // Behind the script, options are the script's own.
        let own = |place: usize| {
            program.operands != InterpreterSpec::SCRIPT || first.is_none_or(|first| place < first)
        };
        let has = |names: &std::collections::HashSet<String>| {
            scan.options.iter().any(|found| own(found.place) && names.contains(found.name))
        };
        let asks = |found: &FoundOption<'_>| found.known.meaning == OptionMeaning::Query && own(found.place);
        if scan.options.iter().any(asks) {
            return;
        }
        if has(&program.talks) {
            self.add_given_program(GivenProgram::Input);
        }
        if form.special == Some(SpecialCase::Module) && has(&["-m".to_owned()].into()) {
            return self.module_given(scan);
        }
        if has(&program.inline) {
            return;
        }
        match program.operands {
            InterpreterSpec::SCRIPT => match first.and_then(|place| words.get(place)) {
                Some(word) => self.add_given_program(GivenProgram::File(word.clone())),
                None => self.add_given_program(GivenProgram::Input),
            },
            before if scan.operands.len() <= before => self.add_given_program(GivenProgram::Input),
            _ => {}
        }
    }

    /// `python -m MODULE`: most modules only read their input.
    fn module_given(&mut self, scan: &Scan<'_>) {
        let value =
            scan.options.iter().find(|found| found.name == "-m").and_then(|found| found.value.as_ref());
        let Some(value) = value else { return };
        let module = value.text.and_then(|text| text.split('.').next()).unwrap_or_default();
        // `-m a.b` is a file of the folder before it is one of the installation.
        if let Some(whole) = value.text {
            let path = whole.replace('.', "/");
            for name in [format!("{path}.py"), format!("{path}/__main__.py"), format!("{path}/__init__.py")] {
                self.add_given_program(GivenProgram::Perhaps(Word::from(name.as_str())));
            }
        }
        if TALKING.contains(&module) {
            self.add_given_program(GivenProgram::Input);
        }
        if RUNNING.contains(&module) {
            let known = ProgramTable::get().find_program(module).is_some();
            for (place, word) in self.words.iter().enumerate().skip(value.place + 1) {
                self.add_given_program(GivenProgram::File(word.clone()));
                // Of a module that is no program of the table, any word may be the script (D2.39).
                let script = word.literal().filter(|text| !known && !text.starts_with('-'));
                script.into_iter().for_each(|script| note_stray_paths(self, vec![place], script));
            }
        }
    }

    /// A program that the table does not have: a version of one that it has (`python3.99`), or one with the name
    /// of a shell among its words, which could be its command.
    pub(super) fn given_to_unknown(&mut self, at: usize) {
        let words = self.words;
        let text = words.get(at).and_then(Word::literal).map(name::base_name).unwrap_or_default();
        if let Some(program) =
            name::without_version(text).find_map(|name| ProgramTable::get().find_program(name))
        {
            let form = program.form();
            if form.program.is_some() {
                let scan = scan_words(form, words, at + 1, None);
                return self.find_given(form, &scan);
            }
            if form.special == Some(SpecialCase::Shell) {
                self.add_given_program(GivenProgram::Input);
            }
        }
        if words.iter().skip(at + 1).filter_map(Word::literal).any(|word| is_shell(name::base_name(word))) {
            self.add_given_program(GivenProgram::Input);
        }
    }

    pub(super) fn add_given_program(&mut self, given: GivenProgram) {
        let given = match given {
            GivenProgram::File(Word::Literal(text)) | GivenProgram::Perhaps(Word::Literal(text))
                if text == "-" =>
            {
                GivenProgram::Input
            }
            given => given,
        };
        if !self.known.given.contains(&given) {
            self.known.given.push(given);
        }
    }
}

/// Whether a program of this name reads lines as POSIX has them.
pub(in crate::shell) fn is_shell(name: &str) -> bool {
    matches!(name, "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash" | "mksh")
}

/// What the line does besides running: where files may come from that are not there yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::shell) enum BroughtFiles {
    /// It makes what the line says out of what is there.
    Made,
    /// It brings files under names that it is told.
    Told,
    /// It brings files from elsewhere, or takes them out of another form.
    Fetched,
    /// Anything else.
    Other,
}

/// What a command brings into its folder.
pub(in crate::shell) fn brought_files(words: &[Word]) -> BroughtFiles {
    let literal = |at: usize| words.get(at).and_then(Word::literal);
    let name = literal(0).map(name::base_name).unwrap_or_default();
    // What starts programs of packages has the program's name behind it.
    let started = match name {
        "npx" | "pnpx" | "bunx" => literal(1).unwrap_or_default(),
        _ => name,
    };
    let cloned = name == "git" && words.iter().skip(1).any(|word| word.literal() == Some("clone"));
    let unpacks = matches!(
        name,
        "tar"
            | "bsdtar"
            | "gtar"
            | "unzip"
            | "7z"
            | "7za"
            | "7zz"
            | "unar"
            | "unrar"
            | "cpio"
            | "ar"
            | "gunzip"
            | "uudecode"
            | "base64"
            | "base32"
            | "gpg"
            | "openssl"
            | "xxd"
            | "zstd"
            | "xz"
            | "bunzip2"
            | "unxz"
    );
    // Without these it writes to its output, or to files that its words name.
    let told = name == "curl"
        && !words.iter().skip(1).any(|word| {
            let text = word.literal().unwrap_or("-J");
            let letters = text.starts_with('-') && !text.starts_with("--");
            letters && text.contains(['J', 'K']) || ["--remote-header-name", "--config"].contains(&text)
        });
    match ProgramTable::get().find_program(name) {
        _ if told => BroughtFiles::Told,
        _ if cloned || unpacks => BroughtFiles::Fetched,
        Some(program) if program.source_file() == "network" => BroughtFiles::Fetched,
        Some(program) if program.source_file() == "build" => BroughtFiles::Made,
        _ if matches!(name, "cp" | "mv" | "ln" | "install" | "sed" | "gsed" | "patch") => BroughtFiles::Made,
        // They write again what is there, in another form.
        _ if matches!(started, "biome" | "black" | "eslint" | "prettier" | "ruff" | "stylelint") => {
            BroughtFiles::Made
        }
        _ => BroughtFiles::Other,
    }
}

/// Whether the input of `xargs` says what an interpreter runs: `xargs python3`, `xargs -I{} node -e {}`.
pub(super) fn input_chooses_program(
    form: &CommandForm,
    words: &[Word],
    from: usize,
    holds: impl Fn(&Word) -> bool,
) -> Option<bool> {
    let program = form.program.as_ref()?;
    let scan = scan_words(form, words, from, None);
    let value = |name: &str| {
        let found = scan.options.iter().find(|found| found.name == name)?;
        words.get(found.value.as_ref()?.place)
    };
    let inline = program.inline.iter().chain(&form.program_files).filter_map(|name| value(name));
    let mut inline = inline.peekable();
    if inline.peek().is_some() {
        return Some(inline.any(holds));
    }
    Some(scan.operands.get(program.operands).and_then(|at| words.get(*at)).is_none_or(holds))
}
