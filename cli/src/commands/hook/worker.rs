//! The worker of a hook: one event in, one answer out. Its parent ([`mayi_hook::guard`]) turns any other end of it into a block.
//!
//! It may be a fork, with all of the harness's environment, so nothing here goes by that: the home folder is the one of the password
//! entry, and of mayi's own variables one counts, which only tightens.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mayi_core::call::{SessionId, is_too_wide, set_home_folder};
use mayi_core::config::{CompiledFile, ConfigError, FileKeeper, Folders, LoadedConfig, Sources, load};
use mayi_core::gate::{Asking, Gate, Memory, OnAsk, Session};
use mayi_core::store::{Options as StoreOptions, Owner, SqliteStore, Store};
use mayi_doors::folders::session_roots;
use mayi_hook::guard::{AnswerFrame, HookOptions, SAID_HOME, outlive_parent, worker_words};
use mayi_hook::{
    AskVia, EventKind, HomeFolders, HookAnswer, HookDoor, HookEvent, HookOutput, HookReply, LARGEST,
    LONGEST_SESSION, OwnMode, SessionStore,
};

use crate::memory;

/// The store is waited for so long, and then it blocks: the harness waits for this process.
const BUSY: Duration = Duration::from_millis(50);

/// The one variable that counts: whatever it says, it only tightens.
const TIGHTENS: &str = "MAYI_MODE";

/// So long before its time limit an answer that waits for a person is given up.
const MARGIN: Duration = Duration::from_millis(500);

/// Is the worker, if the program's words say that it is one.
#[must_use]
pub fn run_as_worker() -> Option<ExitCode> {
    let words = worker_words(std::env::args_os())?;
    answer_and_exit(&words, std::env::var_os(SAID_HOME).as_deref())
}

/// Answers the event on standard input by one frame on standard output. `words` stand behind `hook`; `said_home` is the home folder
/// that the harness's environment names.
pub fn answer_and_exit(words: &[OsString], said_home: Option<&OsStr>) -> ! {
    crate::limits_are_errors();
    // Nobody reads what a panic prints.
    std::panic::set_hook(Box::new(|_| {}));
    let (output, done) = match catch_unwind(AssertUnwindSafe(|| answer_event(words, said_home))) {
        Ok(Ok(done)) => (done.output, done.store),
        Ok(Err(why)) => (blocked_output(words, &why), None),
        Err(_) => (blocked_output(words, "this is a mistake in mayi; `mayi doctor` may say more"), None),
    };
    // From here on it may outlive its parent.
    outlive_parent();
    let mut stdout = std::io::stdout().lock();
    let told = stdout.write_all(&AnswerFrame::write(&output)).and_then(|()| stdout.flush());
    drop(stdout);
    release_streams();
    match done {
        Some(done) if told.is_ok() => done.clean_up(),
        _ => {}
    }
    // What is left open is as a killed process leaves it, which costs the next one nothing.
    std::process::exit(0)
}

fn blocked_output(words: &[OsString], why: &str) -> HookOutput {
    let harness = words.first().and_then(|word| word.to_str()).unwrap_or_default();
    HookOutput::blocked_for(harness, &format!("blocked: {why}"))
}

/// What was answered.
struct WorkerAnswer {
    output: HookOutput,
    store: Option<Cleanup>,
}

/// What is left to do once the answer is given.
struct Cleanup {
    store: Arc<SqliteStore>,
    sessions: Option<SessionStore>,
    compiled: Vec<CompiledFile>,
}

impl Cleanup {
    fn clean_up(self) {
        if let Some(sessions) = self.sessions {
            sessions.remove_old();
        }
        SqliteStore::leave_unclosed(self.store);
        self.compiled.iter().for_each(CompiledFile::compile_if_wanted);
    }
}

/// Gives back the streams, which the parent and the harness wait for.
fn release_streams() {
    if let Ok(nothing) = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null") {
        let _ = rustix::stdio::dup2_stdin(&nothing);
        let _ = rustix::stdio::dup2_stdout(&nothing);
    }
}

fn answer_event(words: &[OsString], said_home: Option<&OsStr>) -> Result<WorkerAnswer, String> {
    let since = Instant::now();
    let options = HookOptions::read(words)?;
    let text = event_text()?;
    let event = options.harness.parse_event(&text)?;
    if event.kind == EventKind::Other {
        return Ok(WorkerAnswer { output: HookOutput::empty(), store: None });
    }
    let folders = own_folders(&options, super::home_of_record())?;
    let elsewhere = rules_elsewhere(&options, &folders, said_home);
    set_home_folder(folders.home.clone());
    let homes = HomeFolders::new(folders.home.clone(), said_home.map(PathBuf::from));
    let cwd = match &event.cwd {
        Some(cwd) => cwd.clone(),
        None => {
            std::env::current_dir().map_err(|error| format!("it is not known where this works: {error}"))?
        }
    };
    let state = folders.state.clone().ok_or("there is no folder for mayi's state")?;
    let sessions = SessionStore::in_state_folder(&state);
    let mut session = event_session(&options, &event, &cwd, &sessions)?;
    let root = session.roots.first().cloned().unwrap_or_else(|| cwd.clone());
    let sources = config_sources(&options, &root, folders);
    let mut loaded = load(&sources).map_err(|errors| {
        let first = errors.all().first().map(ConfigError::one_line).unwrap_or_default();
        format!("the configuration is refused, and nothing runs on half of it: {first}")
    })?;
    // Folders that the person named besides.
    for root in session_roots(&loaded.folders) {
        if !session.roots.contains(&root) {
            session.roots.push(root);
        }
    }
    let compiled = std::mem::take(&mut loaded.compiled);
    let (gate, store) = build_gate(&options, &sources, loaded, &event, since)?;
    let door = HookDoor { gate, harness: options.harness, homes, ask_via: options.ask_via };
    let waits = options.ask_via == AskVia::Inbox;
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    if waits {
        // Where nobody is waited for, there are no sockets and no time limits.
        runtime.enable_all();
    }
    let runtime = runtime.build().map_err(|error| format!("it can't be waited for: {error}"))?;
    let id = session.id.0.clone();
    let mut answer = runtime.block_on(async {
        let asks = waits && event.kind.needs_decision();
        if asks {
            door.gate.watch_store();
        }
        #[cfg(target_os = "linux")]
        let desktop = options.notify.as_deref().filter(|_| asks).map(|bus| {
            let kept: Arc<dyn Store> = Arc::clone(&store) as Arc<dyn Store>;
            crate::surface::DesktopNotifications::start(bus, kept, Arc::new(door.gate.clone()))
        });
        let answer = door.answer_event(&event, session).await;
        #[cfg(target_os = "linux")]
        if let Some(desktop) = desktop {
            desktop.end().await;
        }
        answer
    })?;
    answer.notice = mode_notice(&options, &event, &door, &id, &sessions, &answer);
    if let (Some(elsewhere), HookReply::Ask(why) | HookReply::Deny(why)) = (elsewhere, &mut answer.say) {
        why.push_str(&elsewhere);
    }
    let output = options.harness.output_for(&event, &answer);
    if waits {
        // Its questions, if there are any left, are nobody's any more.
        door.gate.shut_down();
    }
    let sessions = (event.kind == EventKind::Begins).then_some(sessions);
    // What it still holds of the store is not given back, nor waited for.
    std::mem::forget(door);
    std::mem::forget(runtime);
    Ok(WorkerAnswer { output, store: Some(Cleanup { store, sessions, compiled }) })
}

/// What the harness writes to standard input.
fn event_text() -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("the event can't be read: {error}"))?;
    if bytes.len() as u64 > LARGEST {
        return Err("the event has more than 16 MiB".to_owned());
    }
    String::from_utf8(bytes).map_err(|_| "the event is not UTF-8 text".to_owned())
}

/// mayi's own folders: those that were written down when the hook was installed, else those of the home folder in the password
/// entry, never what the environment says (D5.10). Without a home folder nothing below it would be protected, so there has to be
/// one, whatever was written down.
fn own_folders(options: &HookOptions, home: Option<PathBuf>) -> Result<Folders, String> {
    let usual = Folders::in_home(home);
    if usual.home.is_none() {
        return Err("the user has no home folder in the password entry, so that it is not known what to protect there: \
             give the user's entry an absolute path"
            .to_owned());
    }
    let given = |given: &Option<PathBuf>, usual: Option<PathBuf>| given.clone().or(usual);
    Ok(Folders {
        config: given(&options.config_folder, usual.config),
        data: given(&options.data_folder, usual.data),
        state: given(&options.state_folder, usual.state),
        home: usual.home,
    })
}

/// What a reason says besides where the environment names another home folder than the one whose rules are read: there,
/// `mayi check` goes by other rules.
fn rules_elsewhere(options: &HookOptions, folders: &Folders, said_home: Option<&OsStr>) -> Option<String> {
    if options.config.is_some() || options.config_folder.is_some() {
        return None;
    }
    let (home, said) = (folders.home.as_deref()?, Path::new(said_home?));
    let same = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let read = folders.config.as_ref()?.join("config.toml");
    (same(home) != same(said)).then(|| {
        mayi_core::approval::escape_line(&format!(
            " (by the rules of {}: HOME is {}, and a hook does not go by it)",
            read.display(),
            said.display()
        ))
    })
}

fn config_sources(options: &HookOptions, cwd: &Path, folders: Folders) -> Sources {
    let sources = Sources::with_folders(cwd, options.config.clone(), folders);
    let mode = std::env::var(TIGHTENS).ok().map(|mode| (TIGHTENS.to_owned(), mode));
    Sources { environment: mode.into_iter().collect(), compiled: true, ..sources }
}

/// The session of the event, with its root.
fn event_session(
    options: &HookOptions,
    event: &HookEvent,
    cwd: &Path,
    sessions: &SessionStore,
) -> Result<Session, String> {
    let harness = options.harness;
    let failed = |error: std::io::Error| format!("where the session works can't be told: {error}");
    let (id, root) = match &event.session {
        Some(id) => (id.clone(), sessions.load_or_begin(harness.name, id, cwd).map_err(failed)?.root),
        // Nothing is remembered of one that has no name.
        None => (format!("{}-{}", harness.name, std::process::id()), cwd.canonicalize().map_err(failed)?),
    };
    Ok(Session {
        id: SessionId(id),
        agent: harness.agent(),
        parent: None,
        roots: if is_too_wide(&root) { Vec::new() } else { session_roots(&[root]) },
        cwd: cwd.to_owned(),
        mode: None,
    })
}

fn build_gate(
    options: &HookOptions,
    sources: &Sources,
    loaded: LoadedConfig,
    event: &HookEvent,
    since: Instant,
) -> Result<(Gate, Arc<SqliteStore>), String> {
    let folder = sources.folders.data.as_deref().ok_or("there is no folder for the record")?;
    let usual = memory::store_options(&loaded.record);
    // What is too old is archived when a session begins: at each event, it would only be looked for.
    let limits = usual.limits.filter(|_| event.kind == EventKind::Begins);
    let waits = options.ask_via == AskVia::Inbox && event.kind.needs_decision();
    // One that waits for a person is asked by other threads meanwhile.
    let store_options = StoreOptions { busy: BUSY, limits, one_connection: !waits, ..usual };
    let recorded =
        |error: mayi_core::store::StoreError| format!("nothing runs that can't be recorded: {error}");
    let store = Arc::new(SqliteStore::open(folder, store_options).map_err(recorded)?);
    let writer = memory::record_writer(&store, &loaded.record)?;
    let kept: Arc<dyn Store> = Arc::clone(&store) as Arc<dyn Store>;
    let keeper = Box::new(FileKeeper::new(sources.clone()));
    let left = options.limit.saturating_sub(MARGIN).saturating_sub(since.elapsed());
    let asking = Asking { on_ask: OnAsk::Deny, limit: Some(left) };
    let memory = if waits {
        Memory::attach_owner(process_owner(), kept, writer).map_err(recorded)?
    } else {
        Memory::of_one_call(Owner::this_process(), kept, writer)
    };
    let memory = memory.with_session_limit(LONGEST_SESSION);
    let policy = loaded.policy;
    // Once for a session, the record says which policy holds.
    let gate = match event.kind {
        EventKind::Begins => Gate::with_memory(policy, asking, keeper, memory),
        _ => Gate::of_one_call(policy, asking, keeper, memory),
    };
    Ok((gate, store))
}

/// This process, which works for the harness: what that starts can't answer for the person (D6.8).
fn process_owner() -> Owner {
    #[cfg(target_os = "linux")]
    if let Some(harness) = harness_process() {
        return Owner::serving_client(harness);
    }
    Owner::this_process()
}

/// As many shells may stand between the harness and its hook.
#[cfg(target_os = "linux")]
const MOST_SHELLS: usize = 8;

/// The process that started the parent: the nearest above it that is no shell with a line of its own (`sh -c`).
#[cfg(target_os = "linux")]
fn harness_process() -> Option<u32> {
    let parent_of = |pid: u32| -> Option<u32> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // Behind the name, which may hold anything.
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    };
    let runs_a_line = |pid: u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let mut words = line.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        let program = words.next().unwrap_or_default().into_owned();
        let name = program.rsplit('/').next().unwrap_or_default().trim_start_matches('-');
        let is_shell = matches!(name, "sh" | "bash" | "dash" | "zsh" | "fish" | "ksh" | "ash" | "busybox");
        is_shell && words.any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('c'))
    };
    let mut harness = parent_of(std::os::unix::process::parent_id())?;
    for _ in 0..MOST_SHELLS {
        if !runs_a_line(harness) {
            break;
        }
        harness = parent_of(harness)?;
    }
    // The first process is everybody's parent.
    (harness > 1).then_some(harness)
}

/// What the person is told once in a session: that the harness is in a mode in which it asks less than mayi does.
fn mode_notice(
    options: &HookOptions,
    event: &HookEvent,
    door: &HookDoor,
    session: &str,
    sessions: &SessionStore,
    answer: &HookAnswer,
) -> Option<String> {
    let OwnMode::Lax(own) = &event.mode else { return None };
    let says = matches!(answer.say, HookReply::Allow(_) | HookReply::Ask(_) | HookReply::Deny(_));
    if !says
        || event.kind != EventKind::Before
        || !sessions.first_time_told(options.harness.name, session, "mode")
    {
        return None;
    }
    let mode = door.gate.mode(&SessionId(session.to_owned()));
    let (title, own) = (options.harness.title, mayi_core::approval::escape_line(own));
    Some(format!(
        "mayi: {title} is in its mode {own}, mayi in its mode {mode}: the stricter answer counts for each call"
    ))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "only tests")]
mod tests {
    use super::*;

    /// D5.10: without a home folder less would be protected, so that nothing is decided, wherever mayi's own folders are.
    #[test]
    fn given_no_home_folder_in_the_password_entry_then_it_blocks_although_all_folders_are_given() {
        let words = ["codex", "--config-folder", "/c", "--data-folder", "/d", "--state-folder", "/s"]
            .map(OsString::from);
        let options = HookOptions::read(&words).unwrap();
        for home in [None, Some(""), Some("relative")] {
            let why = own_folders(&options, home.map(PathBuf::from)).unwrap_err();
            assert!(why.contains("no home folder in the password entry"), "{home:?}: {why}");
        }
        let folders = own_folders(&options, Some("/h".into())).unwrap();
        assert_eq!((folders.home, folders.config), (Some("/h".into()), Some("/c".into())));
    }

    /// D5.10: where the environment names another home folder, the reason says whose rules were read.
    #[test]
    fn given_another_home_folder_in_the_environment_then_the_reason_names_the_file_that_was_read() {
        let options = HookOptions::read(&["codex".into()]).unwrap();
        let folders = own_folders(&options, Some("/h".into())).unwrap();
        let said = |options: &HookOptions, home: Option<&str>| {
            rules_elsewhere(options, &folders, home.map(OsStr::new))
        };
        let text = said(&options, Some("/x\u{202e}")).unwrap();
        assert!(text.contains("/h/.config/mayi/config.toml") && !text.contains('\u{202e}'), "{text}");
        assert_eq!((said(&options, Some("/h")), said(&options, None)), (None, None));
        // Who installed it has named the folder.
        let named = HookOptions::read(&["codex", "--config-folder", "/c"].map(OsString::from)).unwrap();
        assert_eq!(said(&named, Some("/x")), None);
    }
}
