//! `mayi hook status`: where hooks are, whether they are in force, and when one ran last.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use mayi_core::approval::escape_line;
use mayi_core::call::shell::split_words;
use mayi_core::config::Folders;
use mayi_core::store::{EntryQuery, Store};
use mayi_hook::guard::HookOptions;
use mayi_hook::{AskVia, HARNESSES, Harness};
use serde::Serialize;
use serde_json::Value;

use super::install::{ask_via, mentions_hook};
use super::settings_files::HarnessSettings;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::options::ListArgs;
use crate::{memory, print};

/// No file of settings that is looked at is larger.
const LARGEST: u64 = 16 << 20;

/// A hook that is in a harness's settings.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InstalledHook {
    /// The harness.
    pub(crate) harness: &'static str,
    #[serde(skip)]
    pub(crate) title: &'static str,
    /// Where it stands.
    pub(crate) file: PathBuf,
    /// The file of the user's rules that it reads; none: it can't be told.
    pub(crate) rules: Option<PathBuf>,
    /// What becomes of a question.
    pub(crate) ask_via: &'static str,
    /// The same for people.
    #[serde(skip)]
    questions: String,
    /// Why the harness does not start it, or starts something else; empty: nothing speaks against it.
    pub(crate) not_in_force: Vec<String>,
    /// When mayi last heard of this harness, by the record: this proves that it runs.
    pub(crate) last_event: Option<Timestamp>,
}

pub(super) fn status(args: ListArgs, ctx: &Context) -> Result<Exit, CliError> {
    let found = installed_hooks(ctx)?;
    if args.json {
        for one in &found {
            print::stdout_json(one)?;
        }
        return Ok(Exit::Done);
    }
    if found.is_empty() {
        ctx.print_note("no harness asks mayi by hooks: mayi hook install HARNESS");
        return Ok(Exit::Done);
    }
    for one in &found {
        let state = if one.not_in_force.is_empty() { "in place" } else { "NOT in force" };
        print::stdout_line(format!(
            "{}  {state}  {}",
            one.harness,
            escape_line(&one.file.display().to_string())
        ))?;
        for why in &one.not_in_force {
            print::stdout_line(format!("  {}", escape_line(why)))?;
        }
        print::stdout_line(match one.last_event {
            Some(at) => format!("  ran last at {at:.0}"),
            None => "  never ran yet".to_owned(),
        })?;
        match &one.rules {
            Some(rules) => {
                print::stdout_line(format!("  reads {}", escape_line(&rules.display().to_string())))?
            }
            None => print::stdout_line("  which rules it reads can't be told: look at its command")?,
        }
        if let Some(other) = other_rules(one, ctx) {
            print::stdout_line(format!("  {}", escape_line(&other)))?;
        }
        print::stdout_line(format!("  {}", one.questions))?;
    }
    Ok(Exit::Done)
}

/// Where a question of a hook's comes up, for people.
pub(super) fn where_questions_go(harness: &Harness, inbox: bool) -> String {
    let Harness { name, title, .. } = harness;
    if inbox {
        "a question waits at mayi's surfaces, such as `mayi inbox watch`, and is denied if nobody answers in time".to_owned()
    } else if harness.can_ask() {
        format!("a question is {title}'s own prompt")
    } else {
        format!(
            "{title} can't ask you: what needs your answer is denied. To be asked: mayi hook install {name} --ask-via inbox"
        )
    }
}

/// What to say of a hook that reads other rules than this process does: with another `HOME`, say.
pub(crate) fn other_rules(hook: &InstalledHook, ctx: &Context) -> Option<String> {
    let (read, own) = (hook.rules.as_ref()?, ctx.sources.own_file()?);
    let same = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    (same(read) != same(own)).then(|| {
        format!(
            "the hook of {} goes by {}, and not by {}, which counts here: a hook goes by the home folder of your user entry, or by the \
             folders that it was installed with, never by HOME or XDG_CONFIG_HOME",
            hook.title,
            read.display(),
            own.display()
        )
    })
}

/// The file of the user's rules that a hook reads, by the command that starts it.
fn rules_of_hook(text: &str, harness: &Harness) -> Option<PathBuf> {
    let usual = || Some(Folders::in_home(super::home_of_record()).config?.join("config.toml"));
    if !text.contains("--config") {
        return usual();
    }
    let call = format!(" hook {}", harness.name);
    let rest = text.get(text.find(&call)? + " hook ".len()..)?;
    // To the end of the text that it stands in.
    let mut command = String::new();
    let mut chars = rest.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' | '\n' => break,
            '\\' => command.extend(chars.next()),
            c => command.push(c),
        }
    }
    let words: Vec<_> = split_words(&command)?.into_iter().map(std::ffi::OsString::from).collect();
    let options = HookOptions::read(&words).ok()?;
    match (options.config, options.config_folder) {
        (Some(file), _) => Some(file),
        (None, Some(folder)) => Some(folder.join("config.toml")),
        (None, None) => usual(),
    }
}

/// All hooks of mayi's that stand in settings of harnesses: the user's own, and those of the folder that is worked in.
///
/// # Errors
/// If the record can't be read.
pub(crate) fn installed_hooks(ctx: &Context) -> Result<Vec<InstalledHook>, CliError> {
    let store = memory::open_existing_store(ctx)?;
    let mut found = find_hooks(ctx);
    for hook in &mut found {
        if let (Some(store), Some(harness)) = (&store, Harness::find_by_name(hook.harness)) {
            hook.last_event = last_event_at(store, harness)?;
        }
    }
    Ok(found)
}

/// The same without a look at the record, so that nobody knows when one ran.
pub(crate) fn find_hooks(ctx: &Context) -> Vec<InstalledHook> {
    let mut found = Vec::new();
    for harness in HARNESSES {
        let Some(place) = HarnessSettings::for_harness(harness.name) else { continue };
        // Where `HOME` names another home folder than the user's entry, a harness may go by either.
        let homes = ctx.sources.folders.home.clone().into_iter().chain(super::home_of_record());
        let own = homes.map(|home| place.own_file(&home));
        let project = place.project_path.map(|file| ctx.cwd.join(file));
        let mut files: Vec<PathBuf> = own.chain(project).collect();
        files.dedup();
        for file in files {
            let Some(text) = settings_text(&file).filter(|text| mentions_hook(text, harness)) else {
                continue;
            };
            found.push(InstalledHook {
                harness: harness.name,
                title: harness.title,
                ask_via: match ask_via(&text) {
                    AskVia::Inbox => "inbox",
                    AskVia::Harness => "harness",
                },
                rules: rules_of_hook(&text, harness),
                questions: where_questions_go(harness, matches!(ask_via(&text), AskVia::Inbox)),
                not_in_force: not_in_force_reasons(harness, place, &file, &text, ctx),
                file,
                last_event: None,
            });
        }
    }
    found
}

fn last_event_at(store: &impl Store, harness: &Harness) -> Result<Option<Timestamp>, CliError> {
    let query = EntryQuery { agent: Some(harness.agent()), limit: Some(1), ..EntryQuery::default() };
    Ok(store.query_entries(&query)?.first().map(|recorded| recorded.entry.at))
}

/// What speaks against it that the harness starts the hook.
fn not_in_force_reasons(
    harness: &Harness,
    place: &HarnessSettings,
    file: &Path,
    text: &str,
    ctx: &Context,
) -> Vec<String> {
    let mut why = Vec::new();
    if place.shape != super::settings_files::HookShape::Plugin {
        match serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')) {
            Err(error) => why.push(format!("{} can't read the file: {error}", harness.title)),
            Ok(value) => {
                let lists = |event: &str| value.pointer(&format!("/hooks/{event}")).map(Value::to_string);
                let has = |event: &str| lists(event).is_some_and(|list| mentions_hook(&list, harness));
                for (event, _) in place.events.iter().filter(|(event, decides)| *decides && !has(event)) {
                    why.push(format!("nothing of mayi's stands under `{event}`"));
                }
            }
        }
    }
    match hook_program(text, harness) {
        Some(program) if is_program(&program) => {}
        Some(program) => why.push(format!("{} is no program any more: install it anew", program.display())),
        None => {}
    }
    why.extend(switched_off(harness, file, ctx));
    why
}

/// The program that stands before ` hook HARNESS`.
fn hook_program(text: &str, harness: &Harness) -> Option<PathBuf> {
    let call = format!(" hook {}", harness.name);
    let before = text.get(..text.find(&call)?)?;
    let word = before.rsplit(['"', ' ']).next().unwrap_or_default().trim_matches(['\'', '\\']);
    // A path with spaces is quoted: where it begins is not looked for.
    word.starts_with('/').then(|| PathBuf::from(word))
}

fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    let may_run = rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok();
    #[cfg(not(unix))]
    let may_run = true;
    path.is_file() && may_run
}

/// Settings that have the harness start no hooks at all. A repository may have brought them along.
fn switched_off(harness: &Harness, file: &Path, ctx: &Context) -> Vec<String> {
    let mut why = Vec::new();
    let off = |path: &Path, says: &dyn Fn(&str) -> bool, what: &str| {
        settings_text(path)
            .filter(|text| says(text))
            .map(|_| format!("{} switches hooks off: {what}", path.display()))
    };
    let near = |names: &'static [&'static str]| {
        ctx.cwd.ancestors().flat_map(move |folder| names.iter().map(move |name| folder.join(name)))
    };
    let json = |text: &str, at: &str, off: &dyn Fn(&Value) -> bool| {
        serde_json::from_str::<Value>(text).is_ok_and(|value| value.pointer(at).is_some_and(off))
    };
    let all_off = |text: &str| json(text, "/disableAllHooks", &|on| on != false);
    let names: &[&str] = match harness.name {
        "claude-code" => &[".claude/settings.json", ".claude/settings.local.json"],
        "copilot" => &[".claude/settings.json", ".github/copilot/settings.json"],
        "qwen" => &[".qwen/settings.json"],
        "gemini" => &[".gemini/settings.json"],
        _ => &[],
    };
    for path in near(names).chain([file.to_owned()]) {
        let found = match harness.name {
            "gemini" => off(
                &path,
                &|text| json(text, "/hooksConfig/enabled", &|on| on == false),
                "hooksConfig.enabled = false",
            ),
            _ => off(&path, &all_off, "disableAllHooks"),
        };
        why.extend(found.filter(|found| !why.contains(found)));
    }
    if harness.name == "codex" {
        let says = |text: &str| {
            let value = text.parse::<toml_edit::DocumentMut>().ok();
            let hooks = value.as_ref().and_then(|value| value.get("features")?.get("hooks")?.as_bool());
            hooks == Some(false)
        };
        let near = ctx.cwd.ancestors().map(|folder| folder.join(".codex/config.toml"));
        let own = file.parent().map(|folder| folder.join("config.toml"));
        for path in near.chain(own) {
            let found = off(&path, &says, "features.hooks = false");
            why.extend(found.filter(|found| !why.contains(found)));
        }
    }
    why
}

fn settings_text(path: &Path) -> Option<String> {
    use std::io::Read as _;
    let file = mayi_core::config::secure_read::open(path, true).ok()?;
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "only tests")]
mod tests {
    use super::*;

    /// D5.10: `hook status` names the file that the hook reads.
    #[test]
    fn given_the_command_of_a_hook_then_it_is_known_which_rules_it_reads() {
        let harness = Harness::find_by_name("claude-code").unwrap();
        let read = |command: &str| {
            let text = serde_json::json!({ "command": command, "timeout": 5 }).to_string();
            rules_of_hook(&text, harness)
        };
        let usual = Folders::in_home(super::super::home_of_record()).config.unwrap().join("config.toml");
        assert_eq!(read("/bin/mayi hook claude-code --time-limit 5s"), Some(usual));
        let folder = "/bin/mayi hook claude-code --config-folder '/a b/mayi' --time-limit 5s";
        assert_eq!(read(folder), Some("/a b/mayi/config.toml".into()));
        assert_eq!(
            read("/bin/mayi hook claude-code --config=/x.toml --time-limit 5s"),
            Some("/x.toml".into())
        );
        assert_eq!(read("/bin/mayi hook claude-code --config-folder relative"), None);
    }
}
