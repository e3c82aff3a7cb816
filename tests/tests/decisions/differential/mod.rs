//! The list of commands beside real bash: what `bash -n` refuses is not understood, and whatever bash runs of a line is
//! among what mayi says that it could run.
//!
//! The lines are the same ones each time: what fails can be repeated. `just differential LINES` compares others, from a
//! new seed; `MAYI_LINES` and `MAYI_SEED` repeat that.

mod bash;
mod covers;
mod generate;

use bash::Bash;
use covers::{not_understood, unseen};
use generate::Generator;
use mayi_core::call::{Access, Surroundings, shell};

use crate::{corpus, session};

/// The lines of every run are the same ones.
const SEED: u64 = 20_261_122;
const LINES: usize = 650;

/// What other seeds once found, in short.
const FOUND: &[&str] =
    &["'' <('')\"\"|{ $;}", "<<\"E\" 2 >''t\nE", "`x` a=()", ">&-\"\"''", "t1 2>&-t2 x", "t1 >& -t2 x"];

fn analysed(bash: &Bash, line: &str) -> Vec<Access> {
    let roots = [bash.work().to_owned()];
    let home = std::path::Path::new("/nonexistent/home");
    shell::line_accesses(line, &Surroundings { home: Some(home), ..Surroundings::new(bash.work(), &roots) })
}

/// What is wrong about one line.
fn wrong(bash: &Bash, line: &str) -> Vec<String> {
    let accesses = analysed(bash, line);
    if !bash.accepts(line) {
        let understood = !not_understood(&accesses) && !line.trim().is_empty();
        return if understood { vec!["bash does not accept it".to_owned()] } else { Vec::new() };
    }
    let mut wrong = match bash.run(line) {
        Some(ran) => unseen(&analysed(bash, line), &ran),
        None => Vec::new(),
    };
    // What runs at random, because it runs beside the rest, may need a second look.
    wrong.sort();
    wrong
}

/// The shortest line that is still wrong, as far as leaving out some of it leads there.
fn shortest(bash: &Bash, line: &str) -> String {
    let mut best: Vec<char> = line.chars().collect();
    let mut chunk = (best.len() / 2).max(1);
    let mut tries = 300;
    while tries > 0 {
        let mut shorter = None;
        for from in (0..best.len()).step_by(chunk) {
            tries -= 1;
            let left = best.iter().enumerate().filter(|(at, _)| *at < from || *at >= from + chunk);
            let candidate: Vec<char> = left.map(|(_, character)| *character).collect();
            if !candidate.is_empty() && !wrong(bash, &candidate.iter().collect::<String>()).is_empty() {
                shorter = Some(candidate);
                break;
            }
            if tries == 0 {
                break;
            }
        }
        match shorter {
            Some(candidate) => best = candidate,
            None if chunk == 1 => break,
            None => chunk = (chunk / 2).max(1),
        }
    }
    best.into_iter().collect()
}

/// Compares `count` generated lines.
fn compare(seed: u64, count: usize) {
    let bash = Bash::new();
    let (mut understood, mut accepted, mut commands) = (0, 0, 0);
    let mut failures = Vec::new();
    for at in 0..count {
        let line = Generator::new(seed.wrapping_add(at as u64)).line();
        let failed = wrong(&bash, &line);
        let accesses = analysed(&bash, &line);
        if bash.accepts(&line) {
            accepted += 1;
            if !not_understood(&accesses) {
                understood += 1;
                commands += shell::shell_accesses(&accesses).count();
            }
        }
        if !failed.is_empty() {
            let short = shortest(&bash, &line);
            let list: Vec<String> = analysed(&bash, &short).iter().map(ToString::to_string).collect();
            let found = wrong(&bash, &short).join("\n    ");
            failures.push(format!(
                "line {at} of seed {seed}: {line:?}\n  in short {short:?}\n    {found}\n    mayi: {list:?}"
            ));
        }
        if failures.len() >= 10 {
            break;
        }
    }
    println!(
        "seed {seed}: {count} lines, {accepted} accepted by bash, {understood} of them understood with {commands} commands"
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(accepted * 2 > count, "most lines have to be lines: {accepted} of {count}");
    assert!(
        understood * 4 > accepted,
        "too little is understood for this to hold anything: {understood} of {accepted}"
    );
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// "A differential test of the command list against real `bash -n` and `bash` tracing on generated lines."
/// Attack 75.
#[test]
fn given_generated_lines_then_bash_runs_nothing_that_mayi_did_not_see() {
    let count = number("MAYI_LINES").and_then(|count| usize::try_from(count).ok());
    compare(number("MAYI_SEED").unwrap_or(SEED), count.unwrap_or(LINES));
}

/// What was mended once stays so.
/// Attack 75.
#[test]
fn given_lines_that_were_once_misread_then_bash_runs_nothing_that_mayi_did_not_see() {
    let bash = Bash::new();
    for line in FOUND {
        assert_eq!(wrong(&bash, line), [""; 0], "{line:?}");
    }
}

/// "Refuse on any error": what `bash -n` refuses is not understood, in the corpus and in the session too. These are not
/// run: they are written to do harm. Attack 75.
#[test]
fn given_lines_of_the_corpus_then_what_bash_refuses_is_not_understood() {
    let bash = Bash::new();
    let of_corpus = corpus::groups().into_iter().flat_map(|group| group.cases);
    let of_corpus = of_corpus.filter_map(|case| Some(case.request.get("command")?.as_str()?.to_owned()));
    let of_session = session::commands("session.txt").into_iter().chain(session::commands("nasty.txt"));
    let (mut refused, mut cautious, mut wrong) = (0, Vec::new(), Vec::new());
    for line in of_corpus.chain(of_session).filter(|line| !line.contains('\0')) {
        let (accepts, not_understood) = (bash.accepts(&line), not_understood(&analysed(&bash, &line)));
        refused += usize::from(!accepts);
        match (accepts, not_understood) {
            (false, false) => wrong.push(line),
            (true, true) => cautious.push(line),
            _ => {}
        }
    }
    println!(
        "bash refuses {refused} lines; {} that it accepts are not understood: {cautious:#?}",
        cautious.len()
    );
    assert_eq!(wrong, [""; 0], "bash refuses these");
    assert!(refused > 20);
}

/// A comparison that can't fail holds nothing.
#[test]
fn given_a_command_that_was_not_seen_then_it_is_told() {
    let bash = Bash::new();
    let ran = bash.run("t1 a 'b c'; echo text; echo more | t2 > o1; (cd d1; f1 >o2) || t3 `t1`").unwrap();
    let commands: Vec<String> = ran.commands.iter().map(|argv| argv.join(" ")).collect();
    assert_eq!(commands, ["f1", "t1", "t1 a b c", "t2", "t3"]);
    assert_eq!(ran.written, [bash.work().join("o1"), bash.work().join("d1/o2")].into());
    let seen = analysed(&bash, "t1 a 'b c'");
    let unseen = unseen(&seen, &ran).join("\n");
    assert!(unseen.contains("ran [\"t2\"]") && unseen.contains("o2") && !unseen.contains("b c"), "{unseen}");
    assert!(bash.run("while :; do :; done").is_none(), "what does not end is not waited for");
}
