//! Assignments, and names that are set in other ways.

use brush_parser::ast::{Assignment as Node, AssignmentName, AssignmentValue};

use super::Walker;
use super::shell_state::Variable;
use crate::shell::expand::WordContext;
use crate::shell::line_error::{LineError, Result};
use crate::shell::variables::{self, VariableKind};
use crate::shell::{Assignment, Caveat, CaveatSubject, GapContent, OpenWord, Touch, Use, Word};

impl Walker<'_> {
    /// What the request sets for every command of the line.
    pub(super) fn set_env(&mut self) {
        for (name, value) in self.at.env {
            let given = Assignment { name: name.clone(), value: Word::Literal(value.clone()) };
            self.given_env.push(given.clone());
            if !variables::is_inert(name, &given.value) {
                self.evaluated_later(&given.value);
                self.note_evaluated_value(name, &given.value);
                self.env.push(given);
            }
        }
    }

    /// All that is assigned before a command of which `judged` assignments count, where that is more: who wrote a rule that
    /// denies or asks about one may mean it also where it changes nothing.
    pub(super) fn all_assigned(&self, written: Vec<Assignment>, judged: usize) -> Vec<Assignment> {
        let all: Vec<_> = self.given_env.iter().cloned().chain(written).collect();
        if all.len() == judged { Vec::new() } else { all }
    }

    /// One assignment, and whether it is transparent.
    pub(super) fn walk_assignment(&mut self, of: &Node, raw: &str) -> Result<(Assignment, bool)> {
        let (mut name, bare) = match &of.name {
            AssignmentName::VariableName(name) => (name.clone(), name.as_str()),
            // A shell reads on to the bracket that closes the outer one, over spaces too.
            AssignmentName::ArrayElementName(_, index) if index.contains(['[', '\'', '"', '\\']) => {
                return Err(LineError::new("a subscript that holds brackets or quotes"));
            }
            AssignmentName::ArrayElementName(name, index) => {
                self.note_arithmetic(index)?;
                (format!("{name}[{index}]"), name.as_str())
            }
        };
        if of.append {
            name.push('+');
        }
        let value = match &of.value {
            AssignmentValue::Scalar(word) if word.value.is_empty() => Word::Literal(String::new()),
            AssignmentValue::Scalar(word) => self.expand_word(&word.value, WordContext::Value)?,
            AssignmentValue::Array(elements) => {
                for (key, element) in elements {
                    // The key, where the parser leaves it in the element.
                    let left = element.value.strip_prefix('[').and_then(|rest| rest.split_once("]="));
                    for key in
                        key.as_ref().map(|key| key.value.as_str()).into_iter().chain(left.map(|(key, _)| key))
                    {
                        self.arithmetic_key(key)?;
                    }
                    for word in self.expand_words(&element.value, WordContext::Command)? {
                        self.value_touch(&word);
                        self.evaluated_later(&word);
                        self.keep_loop_values(bare, std::slice::from_ref(&word));
                    }
                }
                let text = raw.split_once('=').map_or(raw, |(_, value)| value).to_owned();
                Word::Open(OpenWord { text, pieces: vec![None], ..OpenWord::default() })
            }
        };
        self.value_touch(&value);
        self.evaluated_later(&value);
        self.note_evaluated_value(bare, &value);
        self.note_given_value(bare, &value);
        self.keep_value(bare, &value, of.append);
        if variables::variable_kind_in(bare, self.dialect()) != variables::variable_kind(bare) {
            self.note_caveat(true, format!("to zsh, the variable {bare} can change what runs"));
        }
        let transparent = name == bare && variables::is_inert(bare, &value);
        Ok((Assignment { name, value }, transparent))
    }

    /// The key of an element: arithmetic, or any text where the array has names.
    fn arithmetic_key(&mut self, key: &str) -> Result<()> {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"_.:/@ -".contains(&b);
        let bare = key.trim_matches(['\'', '"']);
        if bare.bytes().all(|b| b.is_ascii_digit()) {
            Ok(())
        } else if bare.bytes().all(plain) {
            self.note_evaluated_names(bare);
            self.note_caveat(false, format!("the shell may evaluate {bare} as arithmetic"));
            Ok(())
        } else {
            self.note_arithmetic(key).map(drop)
        }
    }

    /// Notes a text that a variable comes to hold and that runs a command where the variable is read as a number: what
    /// its subscript substitutes is run then.
    pub(super) fn evaluated_later(&mut self, value: &Word) {
        let Some(text) = value.literal().filter(|text| variables::runs_if_evaluated(text)) else { return };
        self.note_caveat(true, format!("the value {text} would run a command as arithmetic"));
        self.evaluates_lines(variables::substituted_commands(text));
    }

    /// Notes a value that the shell evaluates as soon as the variable is given it.
    fn note_evaluated_value(&mut self, name: &str, value: &Word) {
        if variables::is_evaluated(name, value) {
            self.note_caveat(true, format!("the shell evaluates what {name} is given: {}", value.text()));
        }
    }

    /// Keeps in mind where a command may set variables that the text at hand does not name.
    pub(super) fn note_other_variables(&mut self, rest: &[Word]) {
        let before = |word: &&Word| {
            matches!(word.literal(), Some("builtin" | "command" | "noglob" | "nocorrect" | "-"))
        };
        let mut words = rest.iter().skip_while(before);
        let Some(name) = words.next().and_then(Word::literal) else { return };
        let words: Vec<&Word> = words.collect();
        let flag = |letter: char| {
            let open = |word: &&Word| word.literal().is_none() && word.known_prefix().is_empty();
            let has =
                |word: &&Word| word.known_prefix().starts_with('-') && word.known_prefix().contains(letter);
            words.iter().any(has) || words.first().is_some_and(open)
        };
        let named = |word: &&Word| {
            let name = word.known_prefix().split(['=', '+', '[']).next().unwrap_or_default();
            let known = word.literal().is_some() || word.known_prefix().contains('=');
            let behind = name.strip_prefix('-').and_then(|name| name.get(1..)).unwrap_or_default();
            known && self.place.loop_variable(name).is_none() && self.place.loop_variable(behind).is_none()
        };
        self.out.sets |= match name {
            "eval" | "source" | "." | "fc" | "emulate" | "autoload" => true,
            "printf" | "print" => flag('v') && !words.iter().all(named),
            "wait" => flag('p') && !words.iter().all(named),
            "set" => flag('A') && !words.iter().all(named),
            "declare" | "typeset" | "local" | "export" | "readonly" | "integer" | "float" => {
                flag('n') || !words.iter().all(named)
            }
            "read" | "mapfile" | "readarray" | "getopts" | "unset" | "let" | "vared" | "zparseopts"
            | "zstyle" | "sysread" | "strftime" | "zstat" | "zformat" => !words.iter().all(named),
            // To zsh, with a module: `-A ARRAY`, `-H HASH`.
            "stat" => flag('A') || flag('H') || words.iter().any(|word| could_be_option(word)),
            _ => false,
        };
    }

    /// What `rest` gives to variables: texts among its words, and those that it reads.
    pub(super) fn record_given_values(&mut self, rest: &[Word], input: &[String]) {
        self.note_given_words(rest);
        let Some(name) = rest.first().and_then(Word::literal) else { return };
        let sets = match name {
            "set" | "read" | "mapfile" | "readarray" | "declare" | "typeset" | "local" | "export"
            | "readonly" | "getopts" | "integer" | "float" => true,
            "printf" => rest.iter().any(|word| word.known_prefix().starts_with("-v")),
            _ => false,
        };
        if !sets {
            return;
        }
        for word in rest.iter().skip(1) {
            self.evaluated_later(word);
        }
        if matches!(name, "read" | "mapfile" | "readarray") {
            for text in input {
                self.evaluated_later(&Word::Literal(text.clone()));
            }
        }
        self.note_integer_declaration(name, rest);
    }

    /// `declare -i NAME`, and `-F` and `-E` to zsh: whatever sets the variable is evaluated from then on.
    fn note_integer_declaration(&mut self, name: &str, rest: &[Word]) {
        let declares = matches!(name, "declare" | "typeset" | "local" | "export" | "readonly");
        let letters: &[char] = if self.may_be_zsh() { &['i', 'F', 'E'] } else { &['i'] };
        let flag =
            |word: &Word| word.known_prefix().starts_with('-') && word.known_prefix().contains(letters);
        if !declares || !rest.iter().any(flag) {
            return;
        }
        for word in rest.iter().skip(1).filter(|word| !word.known_prefix().starts_with(['-', '+'])) {
            let (target, value) = word.known_prefix().split_once('=').unwrap_or((word.known_prefix(), ""));
            let number = word.literal().is_some() && value.bytes().all(|b| b.is_ascii_digit());
            let target = target.trim_end_matches('+');
            if !number || variables::count_mentions(self.current_text(), target) > 1 {
                self.note_caveat(true, format!("the shell evaluates whatever is assigned to {target}"));
            }
        }
    }

    /// A value that is a path: whoever reads the variable may use it.
    fn value_touch(&mut self, value: &Word) {
        let Some(text) = value.literal() else { return };
        let path = text.contains('/') || text.starts_with('.') || text.starts_with('~');
        if path && text.len() <= 4096 && !text.contains('\n') {
            let folder =
                self.place.folder.known_path().map_or_else(|| "/".into(), std::path::Path::to_path_buf);
            self.noted.touches.push(Touch::known_path(self.looked.path_access(&folder, text), Use::Either));
        }
    }

    /// Whether a variable means nothing to shells and programs, and is set at one place of the text at hand.
    pub(super) fn is_set_once(&self, name: &str) -> bool {
        variables::variable_kind_in(name, self.dialect()) == VariableKind::Other
            && !variables::is_set_by_shells(name)
            && !self.out.sets
            && self.is_mentioned_as_often(name, 1)
    }

    /// Whether the text at hand speaks of a variable just as often, arithmetic that only reads it not counted.
    pub(super) fn is_mentioned_as_often(&self, name: &str, times: usize) -> bool {
        let text = variables::without_plain_arithmetic(self.current_text());
        variables::count_mentions(&text, name) == times
            && variables::count_mentions(&variables::strip_quotes(&text), name) == times
    }

    /// Whether nothing in the line gives a variable another value than it has before.
    pub(in crate::shell) fn is_never_set(&self, name: &str) -> bool {
        let mentioned = |text: &str| variables::count_mentions(text, name) > 0;
        !self.out.sets
            && ![self.line, self.current_text(), &variables::strip_quotes(self.line)]
                .iter()
                .any(|text| mentioned(text))
    }

    /// The same where a command has the name among its words, without a `$`.
    pub(super) fn is_set_nowhere_else(&self, name: &str) -> bool {
        !self.out.sets
            && !self.at.env.contains_key(name)
            && [self.line, self.current_text(), &variables::strip_quotes(self.line)]
                .iter()
                .all(|text| variables::count_mentions(text, name) <= 1)
    }

    /// Keeps the values of variables that the line sets for certain.
    pub(super) fn keep_values(&mut self, assignments: &[Assignment]) {
        for Assignment { name, value } in assignments {
            // An empty one is no word at all, without quotes.
            let known = match value {
                Word::Literal(text) => !text.is_empty(),
                Word::Open(open) => open.held > GapContent::Anything,
            };
            if known && self.place.sets_for_certain(name) && self.is_set_once(name) {
                self.place.assign_variable(Variable { name: name.clone(), value: value.clone() });
            }
        }
    }

    /// The same of `export NAME=text`.
    pub(super) fn keep_exported_values(&mut self, words: &[Word]) {
        let [export, Word::Literal(given)] = words else { return };
        let Some((name, value)) = given.split_once('=').filter(|_| export.literal() == Some("export")) else {
            return;
        };
        // To some shells it is a word like others, and read as a glob.
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"_./:,@%+-".contains(&b);
        let certain = variables::is_name(name) && self.place.sets_for_certain(name) && self.is_set_once(name);
        if certain && self.has_no_functions() && !value.is_empty() && value.bytes().all(plain) {
            self.place.assign_variable(Variable { name: name.to_owned(), value: value.into() });
        }
    }

    /// A variable that is set by something else than an assignment.
    pub(super) fn set_name(&mut self, name: &str) {
        match variables::variable_kind_in(name, self.dialect()) {
            VariableKind::Rebinding => {
                self.note_caveat(true, format!("the variable {name} can change what runs"))
            }
            VariableKind::Inert | VariableKind::Other => {
                self.note_evaluated_value(name, &Word::Open(OpenWord::default()));
            }
        }
    }
}

/// Whether what is not known of a word stands at its beginning, or behind a dash.
fn could_be_option(word: &Word) -> bool {
    let begun = word.known_prefix();
    word.literal().is_none() && (begun.is_empty() || begun.starts_with('-'))
}

/// What is said about the assignments of a command.
pub(super) fn assignment_caveats(assignments: &[Assignment]) -> impl Iterator<Item = Caveat> {
    assignments.iter().enumerate().map(|(at, of)| {
        let bare = of.name.split(['[', '+']).next().unwrap_or_default();
        match variables::variable_kind(bare) {
            VariableKind::Rebinding => Caveat {
                reason: format!("the variable {bare} can change what runs"),
                always: true,
                named: CaveatSubject::Nothing,
            },
            VariableKind::Inert | VariableKind::Other => Caveat {
                reason: format!("the variable {bare} is set"),
                always: false,
                named: CaveatSubject::Assignment(at),
            },
        }
    })
}

/// Whether a value is folders below the one at hand, with colons between.
pub(super) fn lie_here(value: &Word) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_./-".contains(&b);
    let here = |folder: &str| {
        !folder.is_empty()
            && !folder.starts_with(['/', '-'])
            && folder.bytes().all(plain)
            && folder.split('/').all(|name| name != "..")
    };
    value.literal().is_some_and(|text| text.split(':').all(here))
}
