//! `su` and its kind: they start the shell of another user, and what stands behind the user are that shell's words.

use super::InnerCommand;
use super::analyzer::CommandAnalyzer;
use super::form::OptionMeaning;
use super::given_programs::GivenProgram;
use super::scan::Scan;
use crate::shell::Word;

/// What such a program runs.
pub(super) fn shell_of_a_user(judge: &mut CommandAnalyzer<'_>, scan: &Scan<'_>) {
    let words = judge.words;
    let word = |place: &usize| words.get(*place);
    let option = |names: [&str; 2]| scan.options.iter().find(|found| names.contains(&found.name));
    // `runuser -u USER COMMAND`
    if option(["-u", "--user"]).is_some() {
        let command = scan.operands.first().and_then(|first| words.get(*first..)).unwrap_or_default();
        if !command.is_empty() {
            judge.known.inner.push(InnerCommand::Words(command.to_vec()));
        }
        return;
    }
    let mut operands = scan.operands.iter().filter_map(word).peekable();
    operands.next_if(|word| word.literal() == Some("-"));
    // What looks like an option is no user.
    operands.next_if(|word| !word.known_prefix().starts_with('-'));
    let rest: Vec<Word> = operands.cloned().collect();
    let shell = option(["-s", "--shell"]).and_then(|found| found.value.as_ref()).map(|value| {
        let text = value.text.map(Word::from);
        text.or_else(|| word(&value.place).cloned()).unwrap_or_else(|| Word::from("sh"))
    });
    let line = scan.options.iter().find(|found| found.known.meaning == OptionMeaning::Line);
    if rest.is_empty() && line.is_none() {
        judge.known.runs_input = true;
        judge.add_given_program(GivenProgram::Input);
    }
    let mut command = vec![shell.clone().unwrap_or_else(|| Word::from("sh"))];
    if let (Some(value), true) = (line.and_then(|found| found.value.as_ref()), shell.is_some()) {
        command.push(Word::from("-c"));
        command.extend(value.text.map(Word::from).or_else(|| word(&value.place).cloned()));
    }
    // Behind a line, these are what it knows as `$0` and `$1`.
    if shell.is_some() || !rest.is_empty() && line.is_none() {
        command.extend(rest);
        judge.known.inner.push(InnerCommand::Words(command));
    }
}
