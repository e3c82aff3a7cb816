//! What every command gets.

use std::io::IsTerminal;
use std::path::PathBuf;

use mayi_core::call::{AgentId, is_too_wide};
use mayi_core::config::{LoadedConfig, Sources, load};

use crate::error::CliError;
use crate::options::{ColorArg, Global};
use crate::print;

/// What every command gets.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// Where configuration comes from.
    pub sources: Sources,
    /// The folder that is worked in: absolute, links resolved.
    pub cwd: PathBuf,
    /// The person said `--cwd`.
    pub cwd_named: bool,
    /// `-q`: nothing but what was asked for.
    pub quiet: bool,
    /// `-v`: more than usual.
    pub verbose: bool,
    color: ColorArg,
}

impl Context {
    /// From the options of every command.
    ///
    /// # Errors
    /// If there is no such folder.
    pub(crate) fn new(global: &Global) -> Result<Self, CliError> {
        let named = global.cwd.clone().unwrap_or_else(|| PathBuf::from("."));
        let cwd = named
            .canonicalize()
            .map_err(|error| CliError::usage(format!("can't work in {}: {error}", named.display())))?;
        if !cwd.is_dir() {
            return Err(CliError::usage(format!("can't work in {}: it is not a folder", named.display())));
        }
        // Before anything else: a relative FILE is one from where mayi was started.
        let only = match &global.config {
            Some(file) => Some(std::path::absolute(file)?),
            None => None,
        };
        Ok(Self {
            sources: Sources::discover(&cwd, only),
            cwd,
            cwd_named: global.cwd.is_some(),
            quiet: global.quiet,
            verbose: global.verbose > 0,
            color: global.color,
        })
    }

    /// The folders that clients of a gateway work in. D1.27: `/`, the home folder and its ancestors are never
    /// roots without being named. Clients start servers anywhere: then only those are roots that the person named besides.
    #[must_use]
    pub(crate) fn roots(&self, loaded: &LoadedConfig) -> Vec<PathBuf> {
        let own = (!is_too_wide(&self.cwd) || self.cwd_named).then(|| self.cwd.clone());
        own.into_iter().chain(loaded.folders.iter().cloned()).collect()
    }

    /// Reads the configuration.
    ///
    /// # Errors
    /// All the mistakes in it.
    pub(crate) fn load(&self) -> Result<LoadedConfig, CliError> {
        Ok(load(&self.sources)?)
    }

    /// Who is called `name`. Where the configuration can't be read, the one whose id that is.
    pub(crate) fn agent_id(&self, name: &str) -> AgentId {
        self.load().map_or_else(|_| AgentId::from_name(name), |loaded| loaded.agent_id(name))
    }

    /// Whether standard output gets colours.
    #[must_use]
    pub(crate) fn is_stdout_colored(&self) -> bool {
        self.color.is_enabled(std::io::stdout().is_terminal())
    }

    /// Whether standard error gets colours.
    #[must_use]
    pub(crate) fn is_stderr_colored(&self) -> bool {
        self.color.is_enabled(std::io::stderr().is_terminal())
    }

    /// Where mayi keeps what it has to remember between runs.
    ///
    /// # Errors
    /// Without a home folder there is no such place.
    pub(crate) fn state_folder(&self) -> Result<PathBuf, CliError> {
        let hint = "there is no home folder: set HOME, or XDG_STATE_HOME";
        self.sources.folders.state.clone().ok_or_else(|| CliError::internal(hint))
    }

    /// Says something that is not data, unless the person wants quiet.
    pub(crate) fn print_note(&self, text: impl AsRef<str>) {
        if !self.quiet {
            print::stderr_line(text);
        }
    }

    /// Tells what was noticed while reading the configuration.
    pub(crate) fn print_notices(&self, loaded: &LoadedConfig) {
        for notice in &loaded.policy.notices {
            self.print_note(format!("mayi: {notice}"));
        }
    }
}
