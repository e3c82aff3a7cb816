//! Changes to the user's own file: comments and layout stay, other processes' changes too.

mod append;
mod approvals;
mod folders;
mod new_files;
mod remove_rules;
mod rules;

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use miette::Diagnostic;
use thiserror::Error;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Entry, Item, Table, TableLike, Value, value};

pub use self::append::{PendingChange, apply_append, preview_append};
pub use self::approvals::{
    set_server_approval, set_server_level, set_tool_approval, set_tool_category, set_trust_annotations,
};
pub use self::new_files::{create_file, create_text, put_schema};
pub use self::remove_rules::{remove_rule, rule_id};
pub use self::rules::{NewRule, rules_text, toml_string};
use super::{ConfigErrors, Layer, LoadedConfig, read, secure_read};
use mayi_call::resolve_path;
use mayi_policy::pattern::PatternBases;

/// How a new file begins.
const HEADER: &str = "\
# The configuration of mayi. `mayi config path` lists all files that count, `mayi config check` looks for mistakes.
version = 1
";

/// How long another process may keep the file to itself.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Why a file was not changed. It is as it was.
#[derive(Debug, Error, Diagnostic)]
pub enum EditError {
    /// It is not safe to believe, or holds mistakes: those come first.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Config(#[from] ConfigErrors),
    /// Reading or writing failed.
    #[error("{path}: {what}: {error}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// What went wrong.
        error: io::Error,
    },
    /// There is a file already.
    #[error("{path} is there already", path = path.display())]
    AlreadyExists {
        /// The file.
        path: PathBuf,
    },
    /// Another process is writing it.
    #[error("{path}: another mayi is changing it; try again", path = path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The change does not fit the file's layout.
    #[error("{path}: can't be changed as it is laid out: {what}", path = path.display())]
    Layout {
        /// The file.
        path: PathBuf,
        /// What is in the way.
        what: String,
    },
}

/// Sets `bypass_permissions` of `agent` in the file at `path`, also to what it would be without, under the name that the
/// file has for it: `loaded` knows what names stand for. Returns whether that changed anything.
///
/// # Errors
/// If the file has mistakes, is not safe or can't be written.
pub fn set_bypass(
    path: &Path,
    places: &PatternBases,
    loaded: &LoadedConfig,
    agent: &str,
    on: bool,
) -> Result<bool, EditError> {
    change_file(path, places, |document| {
        let agents = match document.entry("agents") {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let mut table = Table::new();
                table.set_implicit(true);
                entry.insert(Item::Table(table))
            }
        };
        let agents = agents.as_table_like_mut().ok_or("`agents` is not a table")?;
        let names: Vec<String> = agents.iter().map(|(name, _)| name.to_owned()).collect();
        let name = loaded.name_of(agent, names.iter().map(String::as_str));
        let settings = agents.entry(name).or_insert(Item::Table(Table::new())).as_table_like_mut();
        let settings: &mut dyn TableLike = settings.ok_or("the agent's settings are not a table")?;
        if settings.get("bypass_permissions").and_then(Item::as_bool) == Some(on) {
            return Ok(false);
        }
        set_value(settings, "bypass_permissions", Value::from(on));
        Ok(true)
    })
}

/// Puts `new` in the place of `key`; what stands around the old value stays.
fn set_value(table: &mut dyn TableLike, key: &str, mut new: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        None => {
            table.insert(key, Item::Value(new));
        }
    }
}

/// Adds a rule to the file at `path` that allows each of `patterns` to `agent`. Those that are there
/// already are not added again. Returns whether that changed anything.
///
/// # Errors
/// If a pattern is not understood, or the file has mistakes, is not safe or can't be written.
pub fn add_rule(
    path: &Path,
    places: &PatternBases,
    agent: &str,
    patterns: &[String],
) -> Result<bool, EditError> {
    let reason = format!("answered at the prompt on {}", jiff::Zoned::now().date());
    change_file(path, places, |document| {
        let mut changed = false;
        for pattern in patterns {
            if document.get("rule").is_some_and(|rules| has_rule(rules, agent, pattern)) {
                continue;
            }
            let rules = document.entry("rule").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
            let mut rule = Table::new();
            rule.insert("effect", value("allow"));
            rule.insert("pattern", value(pattern));
            rule.insert("agents", value(Array::from_iter([agent])));
            rule.insert("reason", value(&reason));
            match rules {
                Item::ArrayOfTables(tables) => tables.push(rule),
                Item::Value(Value::Array(array)) => array.push(rule.into_inline_table()),
                _ => return Err("`rule` is not a list of tables"),
            }
            changed = true;
        }
        Ok(changed)
    })
}

fn has_rule(rules: &Item, agent: &str, pattern: &str) -> bool {
    let same = |rule: &dyn TableLike| {
        let text = |key: &str| rule.get(key).and_then(Item::as_str);
        let agents = rule.get("agents").and_then(Item::as_array);
        text("effect") == Some("allow")
            && text("pattern") == Some(pattern)
            && ["unless", "args", "paths"].iter().all(|key| !rule.contains_key(key))
            && agents.is_some_and(|agents| agents.iter().any(|name| name.as_str() == Some(agent)))
    };
    match rules {
        Item::ArrayOfTables(tables) => tables.iter().any(|table| same(table)),
        Item::Value(Value::Array(array)) => {
            array.iter().filter_map(Value::as_inline_table).any(|table| same(table))
        }
        _ => false,
    }
}

/// Changes the file at `path`, or the one a link leads to, as one step that other processes see whole
/// or not at all.
fn change_file(
    path: &Path,
    places: &PatternBases,
    edit: impl FnOnce(&mut DocumentMut) -> Result<bool, &'static str>,
) -> Result<bool, EditError> {
    let failed =
        |what: &'static str| move |error: io::Error| EditError::Io { path: path.to_owned(), what, error };
    let layout = |what: String| EditError::Layout { path: path.to_owned(), what };
    let target = resolve_path(path).map_err(failed("can't be found"))?;
    let folder = target.parent().unwrap_or(Path::new("/"));
    make_folder(folder).map_err(failed("its folder can't be made"))?;
    let _lock = lock_file(path, &target)?;
    let old = secure_read::read(Layer::User, &target).map_err(ConfigErrors::from)?;
    let text = old.as_deref().unwrap_or(HEADER);
    check_text(path, text, places)?;
    let mut document: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| layout(error.message().to_owned()))?;
    if !edit(&mut document).map_err(|what| layout(what.to_owned()))? {
        return Ok(false);
    }
    let mut new = document.to_string();
    // The parser only knows one kind of line end.
    if text.contains("\r\n") && !new.contains('\r') {
        new = new.replace('\n', "\r\n");
    }
    // What is written is what is read the next time: never a file with mistakes.
    check_text(path, &new, places)?;
    write(&target, folder, &new).map_err(failed("can't be written"))?;
    Ok(true)
}

fn check_text(path: &Path, text: &str, places: &PatternBases) -> Result<(), ConfigErrors> {
    match read::read(Layer::User, path, text, places) {
        Ok(_) => Ok(()),
        Err(errors) => ConfigErrors::ok_if_empty(errors),
    }
}

pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Keeps other processes of mayi out until it is dropped. The lock is a file of its own, since the
/// configuration itself is replaced.
pub(crate) fn lock_file(path: &Path, target: &Path) -> Result<File, EditError> {
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(".lock");
    let place = target.with_file_name(name);
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let failed = |error: io::Error| EditError::Io { path: place.clone(), what: "can't be locked", error };
    let file = options.open(&place).map_err(failed)?;
    let end = Instant::now() + LOCK_TIMEOUT;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < end => {
                std::thread::sleep(Duration::from_millis(10))
            }
            Err(TryLockError::WouldBlock) => {
                return Err(EditError::Busy { path: path.to_owned() });
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
    }
}

/// Puts `text` in the place of `target`, with the rights it had; a new file is the user's alone.
pub(crate) fn write(target: &Path, folder: &Path, text: &str) -> io::Result<()> {
    let mut file = tempfile::Builder::new().prefix(".config-").suffix(".toml").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Ok(meta) = target.metadata() {
        file.as_file().set_permissions(meta.permissions())?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            // For root, who changes somebody's file: it stays theirs.
            if meta.uid() != rustix::process::geteuid().as_raw() {
                std::os::unix::fs::fchown(file.as_file(), Some(meta.uid()), Some(meta.gid()))?;
            }
        }
    }
    file.as_file().sync_all()?;
    file.persist(target).map_err(|error| error.error)?;
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    Ok(())
}
