//! `mayi hook install` and `uninstall`: mayi in a harness's settings, and out again.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mayi_core::approval::escape_line;
use mayi_core::call::shell::quote_word;
use mayi_core::config::Folders;
use mayi_hook::guard::{DEFAULT_LIMIT, INBOX_LIMIT};
use mayi_hook::{AskVia, Harness};
use serde_json::{Map, Value};

use super::args::{AskViaArg, InstallArgs};
use super::edit;
use super::install_notes::{InstallNote, InstallNotes};
use super::removal;
use super::settings_files::{HarnessSettings, HookShape};
use crate::commands::confirm::ask_to_confirm;
use crate::commands::settings::{SettingsFile, show_change};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;

/// The harness waits for this much longer than mayi takes at most: its own limit has the tool run in most of them.
const LATER: Duration = Duration::from_secs(5);

/// The plugin of a harness that has no hooks, and what stands in it where the command comes.
pub(super) const PLUGIN: &str = include_str!("plugin.js");
pub(super) const PLUGIN_COMMAND: &str = "\"MAYI\"";

/// A file that is to be changed, and what becomes of it.
struct FilePlan {
    path: PathBuf,
    /// None: the file is not there yet.
    settings: Option<SettingsFile>,
    /// None: it is to go.
    new: Option<String>,
    note: Option<InstallNote>,
}

pub(super) fn install(args: &InstallArgs, ctx: &Context) -> Result<Exit, CliError> {
    if !cfg!(unix) {
        return Err(CliError::usage(
            "mayi answers hooks only on Linux and macOS so far: nothing was written",
        ));
    }
    let (harness, place) = find_harness(&args.harness)?;
    let path = settings_path(place, args, ctx)?;
    let command = hook_command(harness, args, ctx)?;
    let limit = time_limit(args) + LATER;
    let entries: Vec<(&str, Value)> = place
        .events
        .iter()
        .map(|(event, decides)| (*event, place.hook_entry(event, *decides, &command, limit)))
        .collect();
    let settings = read_existing(&path, args, ctx)?;
    let target = settings.as_ref().map_or_else(|| path.clone(), |settings| settings.target.clone());
    let new_note = |created: bool, pieces: Vec<String>| {
        let harness = harness.name.to_owned();
        let folders = if created { removal::missing_folders(&target) } else { Vec::new() };
        Some(InstallNote { harness, file: target.clone(), created, folders, pieces })
    };
    let plan = match settings {
        Some(settings) => {
            let missing: Vec<(&str, Value)> = match find_present_hooks(
                &settings.text,
                harness,
                &command,
                place,
            )? {
                HooksPresent::All => {
                    ctx.print_note(format!("nothing has changed: {} asks mayi already", harness.title));
                    return Ok(Exit::Done);
                }
                HooksPresent::Others => {
                    return Err(settings.config_error(&format!(
                        "has hooks of a mayi that are set up otherwise: take them out first, by mayi hook uninstall {}",
                        harness.name
                    )));
                }
                HooksPresent::None => entries,
            };
            if place.shape == HookShape::Plugin {
                return Err(
                    settings.config_error("is there already, and is not what mayi writes: move it away")
                );
            }
            // Comments have Claude Code and Codex drop the whole file.
            let strict = matches!(place.shape, HookShape::Nested { .. });
            let put = edit::plan_insertions(&settings.text, strict, &missing, place.top_members).map_err(
                |why| settings.config_error(&format!("{why}; {} would not read it", harness.title)),
            )?;
            let new = edit::apply_insertions(&settings.text, &put);
            let pieces = put.into_iter().map(|(_, piece)| piece).collect();
            FilePlan { path, settings: Some(settings), new: Some(new), note: new_note(false, pieces) }
        }
        None => {
            let new = new_file_text(place, &entries, &command);
            FilePlan { path, settings: None, new: Some(new.clone()), note: new_note(true, vec![new]) }
        }
    };
    let done = apply_plan(&plan, harness, &target, args, ctx)?;
    if done == Exit::Done && !args.dry_run {
        ctx.print_note(format!(
            "next      restart {}; `mayi hook status` says whether the hook is in force and has run",
            harness.title
        ));
        let inbox = args.ask_via == AskViaArg::Inbox;
        ctx.print_note(format!("          {}", super::status::where_questions_go(harness, inbox)));
        if let Some(note) = place.note {
            ctx.print_note(format!("note      {note}"));
        }
        let project = if args.project { " --project" } else { "" };
        ctx.print_note(format!("          take it back with: mayi hook uninstall {}{project}", harness.name));
    }
    Ok(done)
}

pub(super) fn uninstall(args: &InstallArgs, ctx: &Context) -> Result<Exit, CliError> {
    let (harness, place) = find_harness(&args.harness)?;
    let path = settings_path(place, args, ctx)?;
    let Some(settings) = read_existing(&path, args, ctx)? else {
        ctx.print_note(format!(
            "nothing has changed: {} is not there",
            escape_line(&path.display().to_string())
        ));
        return Ok(Exit::Done);
    };
    let target = settings.target.clone();
    let notes = InstallNotes::read(ctx)?;
    let note = notes.find_note(harness.name, &target);
    let out = removal::without_hooks(harness, place, note, &settings.text)
        .map_err(|why| settings.config_error(&why))?;
    let Some(out) = out else {
        ctx.print_note(format!("nothing has changed: {} does not ask mayi there", harness.title));
        return Ok(Exit::Done);
    };
    for remark in &out.remarks {
        ctx.print_note(format!("note      {remark}"));
    }
    let folders = note.map(|note| note.folders.clone()).unwrap_or_default();
    let plan = FilePlan { path, settings: Some(settings), new: out.new, note: None };
    let gone = plan.new.is_none();
    let done = apply_plan(&plan, harness, &target, args, ctx)?;
    if gone && done == Exit::Done && !args.dry_run {
        removal::remove_folders(&folders);
    }
    Ok(done)
}

fn find_harness(name: &str) -> Result<(&'static Harness, &'static HarnessSettings), CliError> {
    let harness = Harness::find_by_name(name).ok_or_else(|| {
        CliError::usage(format!("there is no harness `{}`: {}", escape_line(name), super::harness_names()))
    })?;
    let place = HarnessSettings::for_harness(harness.name).ok_or_else(|| {
        CliError::usage(format!(
            "where {} keeps its hooks is not known: have it run `mayi hook {}` before each tool",
            harness.title, harness.name
        ))
    })?;
    Ok((harness, place))
}

fn time_limit(args: &InstallArgs) -> Duration {
    args.time_limit.unwrap_or(match args.ask_via {
        AskViaArg::Harness => DEFAULT_LIMIT,
        AskViaArg::Inbox => INBOX_LIMIT,
    })
}

/// The line that the harness gives to a shell.
fn hook_command(harness: &Harness, args: &InstallArgs, ctx: &Context) -> Result<String, CliError> {
    let mut words = vec![super::own_executable()?, "hook".to_owned(), harness.name.to_owned()];
    if args.ask_via == AskViaArg::Inbox {
        words.extend(["--ask-via", "inbox"].map(str::to_owned));
    }
    if let Some(given) = &args.notify {
        words.extend(["--notify".to_owned(), session_bus(given.as_deref())?]);
    }
    let usual_limit = if args.ask_via == AskViaArg::Inbox { INBOX_LIMIT } else { DEFAULT_LIMIT };
    if time_limit(args) != usual_limit {
        words.extend(["--time-limit".to_owned(), format!("{}s", time_limit(args).as_secs().max(1))]);
    }
    // What the hook reads of the line itself has to be right.
    let given: Vec<std::ffi::OsString> = words.iter().skip(2).map(std::ffi::OsString::from).collect();
    mayi_hook::guard::HookOptions::read(&given).map_err(CliError::usage)?;
    words.extend(folder_options(&ctx.sources.folders)?);
    Ok(words.iter().map(|word| quote_word(word)).collect::<Vec<_>>().join(" "))
}

/// The socket of the desktop's session bus: `given`, or the one that this environment names, or the usual one. It is written
/// down, for a hook does not believe its environment.
fn session_bus(given: Option<&Path>) -> Result<String, CliError> {
    let named = || {
        let address = std::env::var("DBUS_SESSION_BUS_ADDRESS").ok()?;
        let path = address.split(';').find_map(|one| one.strip_prefix("unix:path="))?;
        Some(PathBuf::from(path.split(',').next().unwrap_or(path)))
    };
    let socket = given.map(Path::to_owned).or_else(named).or_else(usual_bus);
    let socket = socket.filter(|socket| socket.is_absolute() && socket.symlink_metadata().is_ok());
    let socket = socket.ok_or_else(|| {
        CliError::usage(
            "there is no session bus for notifications: name its socket, as in --notify=/run/user/1000/bus",
        )
    })?;
    let text = socket.to_str().ok_or_else(|| CliError::usage("the session bus's path has to be UTF-8"))?;
    Ok(text.to_owned())
}

#[cfg(unix)]
fn usual_bus() -> Option<PathBuf> {
    Some(PathBuf::from(format!("/run/user/{}/bus", rustix::process::getuid().as_raw())))
}

#[cfg(not(unix))]
fn usual_bus() -> Option<PathBuf> {
    None
}

/// Options for those of mayi's folders that are not where the password entry has them: a hook does not believe its environment.
fn folder_options(folders: &Folders) -> Result<Vec<String>, CliError> {
    let usual = super::home_of_record();
    let below = |place: &str| usual.as_ref().map(|home| home.join(place).join("mayi"));
    let mut words = Vec::new();
    for (option, folder, place) in [
        ("--config-folder", &folders.config, ".config"),
        ("--data-folder", &folders.data, ".local/share"),
        ("--state-folder", &folders.state, ".local/state"),
    ] {
        let Some(folder) = folder else {
            return Err(CliError::internal("there is no home folder: set HOME"));
        };
        if below(place).as_ref() != Some(folder) {
            let text = folder.to_str().ok_or_else(|| CliError::usage("mayi's folders have to be UTF-8"))?;
            words.extend([option.to_owned(), text.to_owned()]);
        }
    }
    Ok(words)
}

fn settings_path(place: &HarnessSettings, args: &InstallArgs, ctx: &Context) -> Result<PathBuf, CliError> {
    if let Some(file) = &args.file {
        return Ok(std::path::absolute(file)?);
    }
    if args.project {
        let file = place.project_path.ok_or_else(|| CliError::usage("a project has no hooks there"))?;
        return Ok(ctx.cwd.join(file));
    }
    let home = ctx.sources.folders.home.as_deref();
    let home = home.ok_or_else(|| CliError::internal("there is no home folder: set HOME"))?;
    Ok(place.own_file(home))
}

fn read_existing(path: &Path, args: &InstallArgs, ctx: &Context) -> Result<Option<SettingsFile>, CliError> {
    if path.symlink_metadata().is_err() {
        return Ok(None);
    }
    SettingsFile::read(path, args.project.then_some(ctx.cwd.as_path())).map(Some)
}

/// What a file has of mayi's hooks.
enum HooksPresent {
    None,
    All,
    Others,
}

fn find_present_hooks(
    text: &str,
    harness: &Harness,
    command: &str,
    place: &HarnessSettings,
) -> Result<HooksPresent, CliError> {
    if !mentions_hook(text, harness) {
        return Ok(HooksPresent::None);
    }
    let quoted = Value::from(command).to_string();
    Ok(if text.matches(quoted.as_str()).count() >= place.events.len() {
        HooksPresent::All
    } else {
        HooksPresent::Others
    })
}

/// Whether a text starts mayi as a hook of this harness.
pub(super) fn mentions_hook(text: &str, harness: &Harness) -> bool {
    let call = format!(" hook {}", harness.name);
    text.match_indices(&call).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let whole = !text
            .get(at + call.len()..)
            .is_some_and(|rest| rest.starts_with(|c: char| c == '-' || c.is_alphanumeric()));
        whole && before.trim_end_matches(['\'', '"', '\\']).ends_with("mayi")
    })
}

/// A file that was not there.
fn new_file_text(place: &HarnessSettings, entries: &[(&str, Value)], command: &str) -> String {
    if place.shape == HookShape::Plugin {
        return PLUGIN.replace(PLUGIN_COMMAND, &Value::from(command).to_string());
    }
    let mut root = Map::new();
    for (name, value) in place.top_members {
        root.insert((*name).to_owned(), Value::from(*value));
    }
    let lists = entries.iter().map(|(event, entry)| ((*event).to_owned(), Value::from(vec![entry.clone()])));
    root.insert("hooks".to_owned(), Value::Object(lists.collect()));
    format!("{:#}\n", Value::Object(root))
}

/// Shows the change, asks, and makes it.
fn apply_plan(
    plan: &FilePlan,
    harness: &Harness,
    target: &Path,
    args: &InstallArgs,
    ctx: &Context,
) -> Result<Exit, CliError> {
    let name = escape_line(&plan.path.display().to_string());
    let old = plan.settings.as_ref().map(|settings| settings.text.as_str()).unwrap_or_default();
    let new = plan.new.as_deref().unwrap_or_default();
    if !(args.yes && ctx.quiet) {
        show_change(&name, old, new, ctx);
    }
    if args.dry_run {
        ctx.print_note("nothing was written");
        return Ok(Exit::Done);
    }
    if !args.yes {
        match ask_to_confirm(
            &format!("Change {name}, and with it what {} does before each tool call?", harness.title),
            "this change",
        )? {
            Some(true) => {}
            answer => {
                ctx.print_note("nothing has changed");
                return Ok(if answer.is_none() { Exit::Interrupted } else { Exit::Denied });
            }
        }
    }
    let mut notes = InstallNotes::read(ctx)?;
    // A note that nothing comes of does no harm; a change without one could not be taken back exactly.
    if plan.note.is_some() {
        notes.replace_note(harness.name, target, plan.note.clone())?;
    }
    match (&plan.settings, &plan.new) {
        (Some(settings), Some(new)) => settings.replace_text(new)?,
        (Some(settings), None) => settings.delete_file()?,
        (None, Some(new)) => create_file(&plan.path, new)?,
        (None, None) => {}
    }
    if plan.note.is_none() {
        notes.replace_note(harness.name, target, None)?;
    }
    ctx.print_note(format!("{}     {name}", if plan.new.is_some() { "wrote" } else { "removed" }));
    Ok(Exit::Done)
}

fn create_file(path: &Path, text: &str) -> Result<(), CliError> {
    use std::io::Write as _;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = std::fs::File::create_new(path)?;
    Ok(file.write_all(text.as_bytes())?)
}

/// What an installed hook does with asks, for those who look.
pub(super) fn ask_via(text: &str) -> AskVia {
    if text.contains("--ask-via inbox") { AskVia::Inbox } else { AskVia::Harness }
}
