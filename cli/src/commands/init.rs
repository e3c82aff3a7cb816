//! `mayi init`: writes a configuration to start from.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mayi_core::approval::escape_line;
use mayi_core::config::edit::{self, EditError};
use mayi_core::config::template::{Language, Project, Template, all_languages, detect_languages};
use mayi_core::config::{Layer, WORKSPACE_FILE, check_file};

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::print;

pub(super) const AFTER: &str = "\
Examples:
  mayi init                        everyday work in the languages that are found here
  mayi init --template careful     asks about nearly everything
  mayi init --template ci --print  for a machine where nobody answers; look before you write
  mayi init --workspace            a .mayi.toml for everybody who works in this folder; what it
                                   allows counts after `mayi trust`";

/// `mayi init`
#[derive(Clone, Debug, Args)]
pub(crate) struct InitArgs {
    /// What to start from
    #[arg(long, short, value_enum, default_value_t)]
    pub template: TemplateArg,
    /// Write this folder's .mayi.toml instead of your own file
    #[arg(long, conflicts_with = "config")]
    pub workspace: bool,
    /// Write over a file that is there; it is kept as FILE.bak
    #[arg(long)]
    pub force: bool,
    /// Print it, and write nothing
    #[arg(long)]
    pub print: bool,
}

/// What to start from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TemplateArg {
    /// Builds, tests and edits in the project run; what leaves it or can't be undone is asked about
    #[default]
    Everyday,
    /// Reading is free; everything else is asked about
    Careful,
    /// Mode auto (dangerous) asks only where a rule or protection says so, and before what destroys elsewhere
    Trusting,
    /// Reading is free; nothing else happens
    ReadOnly,
    /// Nobody is there to answer: what is not allowed is denied
    Ci,
}

/// The schema that editors read, beside the user's file.
const SCHEMA_FILE: &str = "mayi.schema.json";

/// Cases for `mayi test`, beside the user's file, and in a folder.
pub(super) const CASES: &str = "mayi.test.toml";
const WORKSPACE_CASES: &str = ".mayi.test.toml";

impl TemplateArg {
    fn to_template(self) -> Template {
        match self {
            Self::Everyday => Template::Everyday,
            Self::Careful => Template::Careful,
            Self::Trusting => Template::Trusting,
            Self::ReadOnly => Template::ReadOnly,
            Self::Ci => Template::Ci,
        }
    }
}

/// Where the new file goes.
struct Target {
    layer: Layer,
    path: PathBuf,
    /// Only mayi's own folder gets a schema beside it.
    schema: Option<PathBuf>,
}

pub(super) fn run(args: &InitArgs, ctx: &Context) -> Result<Exit, CliError> {
    let template = args.template.to_template();
    let found = detect_languages(&ctx.cwd);
    // Somebody who starts in an empty folder will go elsewhere: everything that is known is of use there.
    let blocks: Vec<Language> = match found.as_slice() {
        [] => all_languages(),
        found => found.iter().map(|(language, _)| language.clone()).collect(),
    };
    let project =
        if template.knows_languages() { Project::from_folder(&ctx.cwd) } else { Project::default() };
    let target = choose_target(args, ctx);
    let schema = target.as_ref().ok().and_then(|target| target.schema.as_ref());
    // A folder's own file is about that folder anyway.
    let folder = Some(ctx.cwd.as_path()).filter(|_| !args.workspace);
    let text =
        template.render(&blocks, &project, folder, schema.map(|_| format!("./{SCHEMA_FILE}")).as_deref());
    if template.knows_languages() {
        tell_found(&found, ctx);
        tell_tasks(&project, ctx);
    }
    if args.print {
        print::stdout_bytes(text.as_bytes())?;
        return Ok(Exit::Done);
    }
    let target = target?;
    let shown = visible_path(&target.path);
    let backup = edit::create_file(target.layer, &target.path, &ctx.sources.pattern_bases(), &text, args.force)
        .map_err(|error| match error {
            EditError::AlreadyExists { .. } => CliError::usage(format!(
                "{shown} is there already, and nothing was written: --print shows what would be, --force writes over it and keeps the old one as a copy, --workspace writes a file of this folder"
            )),
            other => other.into(),
        })?;
    if let Some(path) = &target.schema
        && let Err(error) = edit::put_schema(path)
    {
        // An editor goes without; what mayi reads is written.
        ctx.print_note(format!("mayi: {}", escape_line(&error.to_string())));
    }
    if let Some(backup) = backup {
        ctx.print_note(format!("kept    {}: what was there before", self::visible_path(&backup)));
    }
    let rules = check_file(target.layer, &target.path, &ctx.sources.pattern_bases())?;
    ctx.print_note(format!("wrote   {shown}: {}, {rules} rules", template.name()));
    // What is asked about from now on is what whoever wrote it has to know.
    if let Some(value) = args.template.to_possible_value()
        && let Some(meaning) = value.get_help()
    {
        ctx.print_note(format!("rules   {meaning}"));
    }
    let tested = write_cases(template, &project, &target, args, ctx);
    tell_next_steps(args, &target, &found, ctx)?;
    if let Some(cases) = tested {
        ctx.print_note(format!("        {cases}"));
    }
    Ok(Exit::Done)
}

fn choose_target(args: &InitArgs, ctx: &Context) -> Result<Target, CliError> {
    if args.workspace {
        return Ok(Target { layer: Layer::Workspace, path: ctx.cwd.join(WORKSPACE_FILE), schema: None });
    }
    let path = ctx
        .sources
        .own_file()
        .ok_or_else(|| {
            CliError::internal("there is no home folder for a configuration: set HOME, or give --config FILE")
        })?
        .to_owned();
    let schema = match &ctx.sources.only {
        None => path.parent().map(|folder| folder.join(SCHEMA_FILE)),
        Some(_) => None,
    };
    Ok(Target { layer: Layer::User, path, schema })
}

/// Writes the cases of the template beside it. Returns how they are tried; without them the rules are the same.
fn write_cases(
    template: Template,
    project: &Project,
    target: &Target,
    args: &InitArgs,
    ctx: &Context,
) -> Option<String> {
    let (asked, refused) = template.example_commands();
    let text = project.test_cases(&ctx.cwd, asked, refused)?;
    let path = target.path.with_file_name(if args.workspace { WORKSPACE_CASES } else { CASES });
    match edit::create_text(&path, &text, args.force) {
        Ok(backup) => {
            if let Some(backup) = backup {
                ctx.print_note(format!("kept    {}: what was there before", visible_path(&backup)));
            }
            ctx.print_note(format!("wrote   {}: what the rules are to do, as cases", visible_path(&path)));
        }
        Err(EditError::AlreadyExists { .. }) => {
            ctx.print_note(format!("kept    {}: its cases are as they were", visible_path(&path)));
        }
        Err(error) => {
            ctx.print_note(format!("mayi: {}", escape_line(&error.to_string())));
            return None;
        }
    }
    let file = match (args.workspace, &ctx.sources.only) {
        (true, _) => return None,
        (false, None) => String::new(),
        (false, Some(_)) => {
            format!(" {}", escape_line(&mayi_core::call::shell::quote_word(&path.display().to_string())))
        }
    };
    Some(format!("mayi{} test{file}   whether the rules still do what was meant", config_option(target, ctx)))
}

fn tell_tasks(project: &Project, ctx: &Context) {
    let files = project.file_summaries();
    if !files.is_empty() {
        ctx.print_note(format!("tasks   {}", files.join(", ")));
    }
}

fn tell_found(found: &[(Language, PathBuf)], ctx: &Context) {
    if found.is_empty() {
        ctx.print_note("found   no project here: the rules are for every language that mayi knows");
        return;
    }
    let names: Vec<String> = found
        .iter()
        .map(|(language, file)| {
            let file = file.strip_prefix(&ctx.cwd).unwrap_or(file);
            format!("{} ({})", language.title, visible_path(file))
        })
        .collect();
    ctx.print_note(format!("found   {}", names.join(", ")));
}

/// What to do now.
fn tell_next_steps(
    args: &InitArgs,
    target: &Target,
    found: &[(Language, PathBuf)],
    ctx: &Context,
) -> Result<(), CliError> {
    let loaded = ctx.load()?;
    if args.workspace {
        if loaded.policy.notices.is_empty() {
            return Ok(());
        }
        ctx.print_note(
            "next    mayi trust       what it allows counts after that; what it denies counts already",
        );
        return Ok(());
    }
    ctx.print_notices(&loaded);
    let ids: Vec<&str> = found.iter().map(|(language, _)| language.id).collect();
    let example =
        [("rust", "cargo test"), ("npm", "npm test"), ("python", "pytest"), ("go", "go test ./...")]
            .iter()
            .find(|(id, _)| ids.contains(id))
            .map_or("git push", |(_, line)| line);
    let only = config_option(target, ctx);
    ctx.print_note(format!("next    mayi{only} check shell '{example}'   what would become of it, and why"));
    ctx.print_note(format!("        mayi{only} run demo   see it at work"));
    Ok(())
}

/// The option that names the file, where it is not the one that counts anyway.
fn config_option(target: &Target, ctx: &Context) -> String {
    match &ctx.sources.only {
        Some(_) => {
            let path = target.path.display().to_string();
            format!(" --config {}", escape_line(&mayi_core::call::shell::quote_word(&path)))
        }
        None => String::new(),
    }
}

fn visible_path(path: &Path) -> String {
    escape_line(&path.display().to_string())
}
