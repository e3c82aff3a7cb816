//! `mayi test`: calls, and whether what would be decided about them is what their author expects.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use mayi_check::{Case, CheckError, Checker, read_cases};
use mayi_core::approval::escape_line;
use mayi_core::config::ConfigErrors;
use mayi_core::policy::Decision;
use serde::Serialize;

use super::check::finding_lines;
use crate::context::Context;
use crate::error::CliError;
use crate::error::report_diagnostic;
use crate::exit::Exit;
use crate::print;
use crate::surface::{Line, Tone};

pub(super) const AFTER: &str = "\
A file of cases says what should be decided; without FILE, mayi.test.toml or .mayi.test.toml is
read, or else the mayi.test.toml that `mayi init` wrote beside your configuration. A FILE that ends in .jsonl holds one case a line, with the same keys.

  # mayi.test.toml
  [[case]]
  name = \"nobody pushes for me\"
  kind = \"shell\"
  command = \"git push --force\"
  expect = \"deny\"                      # allow, ask or deny, or a list of them
  because = \"push from your own\"       # some of the reason; may be left out

  [defaults]                           # for every case that does not say it itself
  agent = \"claude\"

A case has the keys of a line of `mayi check --stdin`, besides these.

Examples:
  mayi test
  mayi --config policy.toml test tests/*.toml
  mayi test --json | jq -r 'select(.passed | not).name'

Exit codes: 0 all passed · 1 some failed · 2 a file of cases is wrong · 3 configuration refused";

/// `mayi test`
#[derive(Clone, Debug, Args)]
pub(crate) struct TestArgs {
    /// Files of cases
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// Print one JSON object for each case
    #[arg(long)]
    pub json: bool,
}

/// Files that are read if none is named: the first that is there.
const FILES: &[&str] = &["mayi.test.toml", ".mayi.test.toml"];

/// One line of `--json`.
#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    file: &'a std::path::Path,
    line: u32,
    passed: bool,
    expect: &'a [mayi_core::policy::Effect],
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<&'a str>,
    #[serde(flatten)]
    decision: &'a Decision,
}

pub(super) fn run(args: &TestArgs, ctx: &Context) -> Result<Exit, CliError> {
    let cases = read(&case_files(args, ctx)?, ctx)?;
    let mut checker = Checker::new(ctx.sources.clone(), ctx.cwd_named);
    let (mut passed, mut failed, mut wrong) = (0_usize, 0_usize, 0_usize);
    let mut notices = BTreeSet::new();
    for case in &cases {
        let judged = match checker.check_request(&case.request) {
            Ok(judged) => judged,
            Err(CheckError::Config(errors)) => return Err(case_config_error(case, errors)),
            Err(CheckError::Request(error)) => {
                wrong += 1;
                report_diagnostic(&case.locate_error(&error), ctx.is_stderr_colored());
                continue;
            }
        };
        for notice in judged.loaded.iter().flat_map(|loaded| &loaded.policy.notices) {
            if notices.insert(notice.clone()) {
                ctx.print_note(format!("mayi: {notice}"));
            }
        }
        let outcome = case.check_decision(&judged.decision);
        match outcome {
            Ok(()) => passed += 1,
            Err(_) => failed += 1,
        }
        print_case(case, &judged.decision, outcome.as_ref().err(), args, ctx)?;
    }
    if wrong > 0 {
        let cases = if wrong == 1 { "1 case".to_owned() } else { format!("{wrong} cases") };
        return Err(CliError::usage(format!("{cases} could not be judged")));
    }
    let summary =
        if failed == 0 { format!("{passed} passed") } else { format!("{passed} passed, {failed} failed") };
    if args.json {
        ctx.print_note(summary);
    } else {
        print::stdout_line(summary)?;
    }
    Ok(if failed == 0 { Exit::Done } else { Exit::Internal })
}

/// The files to read.
fn case_files(args: &TestArgs, ctx: &Context) -> Result<Vec<PathBuf>, CliError> {
    if !args.files.is_empty() {
        return Ok(args.files.clone());
    }
    let here = FILES.iter().map(|name| ctx.cwd.join(name));
    // What `mayi init` wrote along with the configuration.
    let beside = ctx.sources.own_file().map(|file| file.with_file_name(super::init::CASES));
    let found = here.chain(beside).find(|path| path.is_file());
    found.map(|path| vec![path]).ok_or_else(|| {
        let hint = "write one, with [[case]] tables, or name a file; `mayi test --help` shows how";
        CliError::usage(format!("there is no {} here: {hint}", FILES.join(" or ")))
    })
}

/// All cases; all mistakes of all files are told before anything runs.
fn read(files: &[PathBuf], ctx: &Context) -> Result<Vec<Case>, CliError> {
    let (mut cases, mut bad) = (Vec::new(), 0_usize);
    for file in files {
        match read_cases(file) {
            Ok(more) => cases.extend(more),
            Err(errors) => {
                bad += 1;
                for error in &errors {
                    report_diagnostic(error, ctx.is_stderr_colored());
                }
            }
        }
    }
    match bad {
        0 => Ok(cases),
        1 => Err(CliError::usage("nothing was tested: a file of cases is wrong")),
        _ => Err(CliError::usage(format!("nothing was tested: {bad} files of cases are wrong"))),
    }
}

/// The configuration that a case is judged by is wrong: its mistakes say where.
fn case_config_error(case: &Case, errors: ConfigErrors) -> CliError {
    if errors.only_command_line() {
        let place = escape_line(&format!("{}:{}", case.file.display(), case.line));
        return CliError::usage(format!("{place}: {errors}"));
    }
    errors.into()
}

fn print_case(
    case: &Case,
    decision: &Decision,
    failure: Option<&String>,
    args: &TestArgs,
    ctx: &Context,
) -> Result<(), CliError> {
    if args.json {
        return Ok(print::stdout_json(&Row {
            name: &case.name,
            file: &case.file,
            line: case.line,
            passed: failure.is_none(),
            expect: &case.expect,
            failure: failure.map(String::as_str),
            decision,
        })?);
    }
    let color = ctx.is_stdout_colored();
    let Some(failure) = failure else {
        if ctx.verbose {
            let line =
                Line::with_text(Tone::Good, "pass").append_text(Tone::Plain, &format!("  {}", case.name));
            print::stdout_line(line.paint(color))?;
        }
        return Ok(());
    };
    let head = Line::with_text(Tone::Bad, "FAIL")
        .append_text(Tone::Strong, &format!("  {}", case.name))
        .append_text(Tone::Dim, &format!("  {}:{}", case.file.display(), case.line));
    print::stdout_line(head.paint(color))?;
    print::stdout_line(Line::with_text(Tone::Plain, &format!("      {failure}")).paint(color))?;
    for line in finding_lines(&decision.trail) {
        print::stdout_line(Line::with_text(Tone::Plain, "    ").append_line(line).paint(color))?;
    }
    Ok(print::stdout_line("")?)
}
