//! A file of another program's settings: read if it is safe to change, and replaced in one step.

use std::fs::{File, OpenOptions};
use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};

use mayi_core::approval::escape_line;
use similar::TextDiff;

use super::import::paint_diff_line;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::print;

/// The largest file that is read: 16 MiB. Claude Code's holds more than settings.
pub(crate) const LARGEST: usize = 16 << 20;

const BOM: &str = "\u{feff}";

/// A file of settings, as it was read.
#[derive(Debug)]
pub(crate) struct SettingsFile {
    /// As it is called.
    pub(crate) path: PathBuf,
    /// Where it is, links resolved: what is replaced.
    pub(crate) target: PathBuf,
    /// Without the mark that some editors put first.
    pub(crate) text: String,
    marked: bool,
}

impl SettingsFile {
    /// Reads the file at `path`. One of a project is `within` its folder: a link that a repository brings along
    /// leads nowhere else.
    ///
    /// # Errors
    /// If it can't be read, or is not the user's to change.
    pub(crate) fn read(path: &Path, within: Option<&Path>) -> Result<Self, CliError> {
        let refuse = |why: String| settings_error(path, &why);
        let target = path.canonicalize().map_err(|error| refuse(format!("can't be read: {error}")))?;
        if within.is_some_and(|folder| !target.starts_with(folder)) {
            return Err(refuse(format!(
                "is a link out of the project, to {}: name the file with --file if you mean that one",
                escape_line(&target.display().to_string())
            )));
        }
        let text = text_of(&target).map_err(refuse)?;
        let marked = text.starts_with(BOM);
        let text = if marked { text.get(BOM.len()..).unwrap_or_default().to_owned() } else { text };
        Ok(Self { path: path.to_owned(), target, text, marked })
    }

    /// What is wrong with it.
    pub(crate) fn config_error(&self, why: &str) -> CliError {
        settings_error(&self.path, why)
    }

    /// Its name for people.
    pub(crate) fn display_name(&self) -> String {
        escape_line(&self.path.display().to_string())
    }

    /// Puts `new` in its place, with the rights and the owner it had.
    ///
    /// # Errors
    /// If it is not as it was read any more, or can't be written.
    pub(crate) fn replace_text(&self, new: &str) -> Result<(), CliError> {
        let failed = |error: std::io::Error| self.config_error(&format!("can't be written: {error}"));
        let folder = self.target.parent().unwrap_or(Path::new("/"));
        let mut file = tempfile::Builder::new().prefix(".mayi-").tempfile_in(folder).map_err(failed)?;
        let mark = if self.marked { BOM } else { "" };
        file.write_all(mark.as_bytes()).and_then(|()| file.write_all(new.as_bytes())).map_err(failed)?;
        let meta = self.target.metadata().map_err(failed)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            // For root, who changes somebody's file: it stays theirs. The group may be one that a user can't give.
            let mine = file.as_file().metadata().map_err(failed)?;
            if (mine.uid(), mine.gid()) != (meta.uid(), meta.gid()) {
                let given = std::os::unix::fs::fchown(file.as_file(), Some(meta.uid()), Some(meta.gid()));
                if mine.uid() != meta.uid() {
                    given.map_err(failed)?;
                }
            }
        }
        file.as_file().set_permissions(meta.permissions()).map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        self.ensure_unchanged()?;
        file.persist(&self.target).map_err(|error| failed(error.error))?;
        #[cfg(unix)]
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
        Ok(())
    }

    /// Removes it.
    ///
    /// # Errors
    /// If it is not as it was read any more, or can't be removed.
    pub(crate) fn delete_file(&self) -> Result<(), CliError> {
        self.ensure_unchanged()?;
        std::fs::remove_file(&self.target)
            .map_err(|error| self.config_error(&format!("can't be removed: {error}")))
    }

    fn ensure_unchanged(&self) -> Result<(), CliError> {
        let mark = if self.marked { BOM } else { "" };
        let now = text_of(&self.target).map_err(|why| self.config_error(&why))?;
        if now.strip_prefix(mark) != Some(self.text.as_str()) || now.starts_with(BOM) != self.marked {
            return Err(self.config_error("has changed meanwhile, and was left as it is: try again"));
        }
        Ok(())
    }
}

/// Shows what becomes of a file's text, on standard error.
pub(crate) fn show_change(name: &str, old: &str, new: &str, ctx: &Context) {
    let color = ctx.is_stderr_colored() && std::io::stderr().is_terminal();
    let diff = TextDiff::from_lines(old, new);
    for line in diff.unified_diff().context_radius(2).header(name, name).to_string().lines() {
        print::stderr_line(paint_diff_line(line, color));
    }
}

fn settings_error(path: &Path, why: &str) -> CliError {
    CliError::new(Exit::Config, format!("{}: {why}", escape_line(&path.display().to_string())))
}

fn text_of(path: &Path) -> Result<String, String> {
    let cant = |error: std::io::Error| format!("can't be read: {error}");
    let file = open(path).map_err(cant)?;
    let meta = file.metadata().map_err(cant)?;
    if !meta.is_file() {
        return Err("is not a file".to_owned());
    }
    if meta.permissions().readonly() {
        return Err("is read-only: what made it so is what has to change it".to_owned());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let user = rustix::process::geteuid();
        if meta.uid() != user.as_raw() && !user.is_root() {
            return Err(format!("belongs to another user (uid {}), who has to do this", meta.uid()));
        }
    }
    let mut bytes = Vec::new();
    file.take(LARGEST as u64 + 1).read_to_end(&mut bytes).map_err(cant)?;
    if bytes.len() > LARGEST {
        return Err("is larger than 16 MiB".to_owned());
    }
    String::from_utf8(bytes).map_err(|_| "is not UTF-8 text".to_owned())
}

/// Opens it without waiting for anybody: a pipe may stand in its place.
fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    options.open(path)
}
