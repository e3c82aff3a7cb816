//! All layers become one policy.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::read::{self, File, Reader, WorkspaceEntry};
use super::scalars::{At, Merge, Scalars, ServerSetting};
use super::tighten::{self, Ignored};
use super::{
    AgentCommand, AgentLaunch, ConfigError, ConfigErrors, Layer, Locks, MANAGED_FILE, PRESETS, ServerLaunch,
    Setting, Sources, nearest, secure, workspace,
};
use crate::call::resolve;
use crate::policy::pattern::Places;
use crate::policy::{
    AgentSettings, Approval, Effect, Mode, Origin, Pattern, Policy, Protection, Rule, ServerSettings,
    ToolSettings,
};

/// A file that was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenFile {
    /// Where.
    pub path: PathBuf,
    /// As which layer.
    pub layer: Layer,
    /// Whether it is there.
    pub found: bool,
}

/// Everything that was configured.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What decides.
    pub policy: Policy,
    /// How agents are started, by name: those in files, and those that mayi knows.
    pub agents: BTreeMap<String, AgentLaunch>,
    /// How servers are reached, by name.
    pub servers: BTreeMap<String, ServerLaunch>,
    /// The files that were looked for, farthest layer first.
    pub files: Vec<SeenFile>,
    /// Every scalar that counts, with its origin.
    pub settings: Vec<Setting>,
    /// What a managed file locks.
    pub locks: Locks,
}

/// Reads all sources.
///
/// # Errors
/// Every mistake in a managed or user file, in the environment or among the options: nothing runs on
/// half a policy. A workspace file that can't be read is no error: everything is asked about then.
pub fn load(sources: &Sources) -> Result<Loaded, ConfigErrors> {
    let mut loading = Loading::new(sources)?;
    if let Some(path) = &sources.managed {
        loading.trusted(Layer::Managed, path, false);
    }
    match (&sources.only, &sources.user) {
        (Some(only), _) => loading.trusted(Layer::User, only, true),
        (None, Some(user)) => loading.trusted(Layer::User, user, false),
        (None, None) => {}
    }
    if let (None, Some(path)) = (&sources.only, &sources.workspace) {
        workspace::lay(&mut loading, path);
    }
    loading.environment();
    loading.command_line();
    loading.finish()
}

/// Reads one file by itself, as a file of `layer`. Returns how many rules are in it.
///
/// # Errors
/// Every mistake in it; also if there is no such file.
pub fn check_file(layer: Layer, path: &Path, places: &Places) -> Result<usize, ConfigErrors> {
    let missing = || ConfigError::of_file(layer, path, "does not exist", None);
    let text = secure::read(layer, path)?.ok_or_else(missing)?;
    match read::read(layer, path, &text, places) {
        Ok(file) => Ok(file.rules.len()
            + file
                .workspaces
                .iter()
                .map(|entry| entry.rules.len())
                .sum::<usize>()),
        Err(errors) => ConfigErrors::check(errors).map(|()| 0),
    }
}

/// What was read so far.
pub(super) struct Loading<'s> {
    sources: &'s Sources,
    pub(super) places: Places,
    merge: Merge,
    pub(super) rules: Vec<Rule>,
    /// What is protected besides, and the file that says so.
    add: Vec<(Pattern, PathBuf)>,
    except: Vec<Pattern>,
    agents: BTreeMap<String, AgentLaunch>,
    servers: BTreeMap<String, ServerLaunch>,
    files: Vec<SeenFile>,
    pub(super) notices: Vec<String>,
    pub(super) ask_all: Option<String>,
    errors: Vec<ConfigError>,
}

impl<'s> Loading<'s> {
    fn new(sources: &'s Sources) -> Result<Self, ConfigError> {
        Ok(Self {
            sources,
            places: sources.places(),
            merge: Merge::new()?,
            rules: Vec::new(),
            add: Vec::new(),
            except: Vec::new(),
            agents: PRESETS
                .iter()
                .map(|preset| (preset.name.to_owned(), preset.launch()))
                .collect(),
            servers: BTreeMap::new(),
            files: Vec::new(),
            notices: Vec::new(),
            ask_all: None,
            errors: Vec::new(),
        })
    }

    pub(super) fn text(&mut self, layer: Layer, path: &Path) -> Result<Option<String>, ConfigError> {
        let text = secure::read(layer, path);
        self.files.push(SeenFile {
            path: path.to_owned(),
            layer,
            found: !matches!(text, Ok(None)),
        });
        text
    }

    /// A managed or user file.
    fn trusted(&mut self, layer: Layer, path: &Path, needed: bool) {
        let text = match self.text(layer, path) {
            Ok(Some(text)) => text,
            Ok(None) => {
                if needed {
                    self.errors
                        .push(ConfigError::of_file(layer, path, "does not exist", None));
                }
                return;
            }
            Err(error) => return self.errors.push(error),
        };
        match read::read(layer, path, &text, &self.places) {
            Ok(file) => self.take(layer, path, file),
            Err(errors) => self.errors.extend(errors),
        }
    }

    fn take(&mut self, layer: Layer, path: &Path, file: File) {
        let File {
            scalars,
            rules,
            agents,
            servers,
            workspaces,
            add,
            except,
            locks,
        } = file;
        let ignored = self.lay(layer, scalars);
        self.say_locked(path, &ignored);
        if layer == Layer::Managed {
            self.merge.locks = locks;
        }
        self.rules.extend(rules);
        self.except.extend(except);
        self.protect(path, add);
        for entry in agents {
            let launch = self
                .agents
                .entry(entry.name.clone())
                .or_insert_with(|| AgentLaunch {
                    title: entry.name.clone(),
                    name: entry.name,
                    command: None,
                    env: BTreeMap::new(),
                    asking_mode: None,
                    preset: false,
                    install: None,
                    origin: entry.origin.clone(),
                });
            launch.env.extend(entry.env);
            if let Some(words) = entry.command {
                launch.command = Some(AgentCommand::Words(words));
                launch.preset = false;
                launch.install = None;
                launch.origin = entry.origin;
            }
        }
        for entry in servers {
            if let Some(transport) = entry.transport {
                let launch = ServerLaunch {
                    name: entry.name.clone(),
                    transport,
                    trust_annotations: false,
                    origin: entry.origin,
                };
                self.servers.insert(entry.name, launch);
            }
        }
        self.here(layer, path, workspaces);
    }

    /// The user's own settings for the folder that is worked in; the innermost counts last.
    fn here(&mut self, layer: Layer, path: &Path, mut entries: Vec<WorkspaceEntry>) {
        let real = |folder: &Path| resolve(folder).unwrap_or_else(|_| folder.to_owned());
        let cwd = real(&self.sources.cwd);
        entries.retain(|entry| cwd.starts_with(real(&entry.folder)));
        entries.sort_by_key(|entry| real(&entry.folder).components().count());
        for entry in entries {
            self.rules.extend(entry.rules);
            let ignored = self.lay(
                layer,
                Scalars {
                    mode: entry.mode,
                    ..Scalars::default()
                },
            );
            self.say_locked(path, &ignored);
        }
    }

    fn say_locked(&mut self, path: &Path, ignored: &[Ignored]) {
        for ignored in ignored {
            if let Some(by) = &ignored.locked_by {
                self.notices.push(format!(
                    "{}: {} is ignored: {} locks it",
                    path.display(),
                    ignored.what,
                    by.display()
                ));
            }
        }
    }

    pub(super) fn lay(&mut self, layer: Layer, mut scalars: Scalars) -> Vec<Ignored> {
        let ignored = tighten::admit(&self.merge, layer, &mut scalars);
        if let Err(error) = self.merge.lay(layer, &scalars) {
            self.errors.push(error);
        }
        ignored
    }

    pub(super) fn protect(&mut self, path: &Path, patterns: Vec<Pattern>) {
        self.add
            .extend(patterns.into_iter().map(|pattern| (pattern, path.to_owned())));
    }

    fn environment(&mut self) {
        let Some(text) = self
            .sources
            .environment
            .get("MAYI_MODE")
            .filter(|text| !text.is_empty())
        else {
            return;
        };
        let mode = match text.parse::<Mode>() {
            Ok(mode) => mode,
            Err(error) => {
                let help = Some("set MAYI_MODE to plan, default or auto".to_owned());
                let message = error.split(": ").next().unwrap_or_default();
                return self.errors.push(ConfigError::new(
                    Layer::Environment,
                    format!("MAYI_MODE: {message}"),
                    help,
                ));
            }
        };
        let origin = Origin {
            file: None,
            line: None,
            layer: Layer::Environment.as_str(),
        };
        let ignored = self.lay(
            Layer::Environment,
            Scalars {
                mode: Some(At::new(mode, origin)),
                ..Scalars::default()
            },
        );
        if !ignored.is_empty() {
            self.notices.push(format!(
                "MAYI_MODE={mode} is ignored: the environment may only tighten; use --mode {mode}"
            ));
        }
    }

    fn command_line(&mut self) {
        let sources = self.sources;
        let options = &sources.command_line;
        let origin = Origin {
            file: None,
            line: None,
            layer: Layer::CommandLine.as_str(),
        };
        for (effect, patterns) in [
            (Effect::Allow, &options.allow),
            (Effect::Ask, &options.ask),
            (Effect::Deny, &options.deny),
        ] {
            for text in patterns {
                let reader = Reader::new(Layer::CommandLine, None, text, &self.places);
                let pattern = reader.pattern(text, &(0..text.len()), None);
                self.errors.extend(reader.into_errors());
                let Some(pattern) = pattern else { continue };
                let origin = origin.clone();
                self.rules.push(Rule {
                    effect,
                    pattern,
                    unless: None,
                    reason: None,
                    agents: Vec::new(),
                    holds: true,
                    origin,
                });
            }
        }
        let Some(mode) = options.mode else { return };
        let ignored = self.lay(
            Layer::CommandLine,
            Scalars {
                mode: Some(At::new(mode, origin)),
                ..Scalars::default()
            },
        );
        for by in ignored.into_iter().filter_map(|ignored| ignored.locked_by) {
            let message = format!("`--mode {mode}` is not allowed: {} locks the mode", by.display());
            let help = format!("leave it out, or ask for {} or stricter", self.merge.managed.mode);
            self.errors
                .push(ConfigError::new(Layer::CommandLine, message, Some(help)));
        }
    }

    fn finish(mut self) -> Result<Loaded, ConfigErrors> {
        let protection = self.protection();
        ConfigErrors::check(std::mem::take(&mut self.errors))?;
        self.doubtful_names();
        let settings = self.merge.settings();
        let current = &self.merge.current;
        for (name, agent) in &mut self.agents {
            if let Some(mode) = current
                .agents
                .get(name)
                .and_then(|agent| agent.asking_mode.clone())
            {
                agent.asking_mode = Some(mode);
            }
        }
        for (name, server) in &mut self.servers {
            server.trust_annotations = current
                .servers
                .get(name)
                .is_some_and(|server| server.trust_annotations);
        }
        let policy = Policy {
            epoch: 0,
            mode: current.mode,
            matrix: current.matrix(),
            rules: self.rules,
            protection,
            agents: current
                .agents
                .iter()
                .map(|(name, agent)| {
                    let settings = AgentSettings {
                        bypass_permissions: agent.bypass_permissions,
                        mode: agent.mode,
                        trust_kind: agent.trust_kind,
                    };
                    (name.clone(), settings)
                })
                .collect(),
            servers: current
                .servers
                .iter()
                .map(|(name, server)| (name.clone(), server_settings(server)))
                .collect(),
            notices: self.notices,
            ask_all: self.ask_all,
        };
        let Loading {
            merge,
            agents,
            servers,
            files,
            ..
        } = self;
        Ok(Loaded {
            policy,
            agents,
            servers,
            files,
            settings,
            locks: merge.locks,
        })
    }

    /// What is built in, mayi's own files wherever they are, and what files add and except.
    fn protection(&mut self) -> Protection {
        let sources = self.sources;
        let folders = &sources.folders;
        let managed = Path::new(MANAGED_FILE).parent().map(Path::to_owned);
        let own: Vec<PathBuf> = [&folders.config, &folders.data, &folders.state, &managed]
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        let mut protection = match Protection::built_in(&self.places, &own) {
            Ok(protection) => protection,
            Err(error) => {
                self.errors
                    .push(ConfigError::new(Layer::BuiltIn, error.to_string(), None));
                return Protection::default();
            }
        };
        // A file that was given with --config, and what a link leads to, may lie anywhere.
        for file in [&sources.only, &sources.user, &sources.managed]
            .into_iter()
            .flatten()
        {
            let whole = sources.cwd.join(file);
            for path in [resolve(&whole).unwrap_or_else(|_| whole.clone()), whole] {
                if let Ok(pattern) = Pattern::exact_path("write", &path, false) {
                    protection.extend(pattern, "mayi's own configuration".to_owned());
                }
            }
        }
        for (pattern, file) in self.add.drain(..) {
            protection.extend(pattern, format!("protected by {}", file.display()));
        }
        for pattern in self.except.drain(..) {
            protection.except(pattern);
        }
        protection
    }

    /// Rules and settings for agents that nobody knows: most likely a slip.
    fn doubtful_names(&mut self) {
        let names = || self.agents.keys().map(String::as_str).collect::<Vec<_>>();
        let meant = |name: &str| match nearest(name, names().into_iter().filter(|known| *known != name)) {
            Some(meant) => format!("; did you mean {meant}?"),
            None => String::new(),
        };
        let mut notices = Vec::new();
        for (name, launch) in self.agents.iter().filter(|(_, launch)| launch.command.is_none()) {
            notices.push(format!(
                "{}: {name} has settings and no command{}",
                place(&launch.origin),
                meant(name)
            ));
        }
        for rule in &self.rules {
            for name in rule.agents.iter().filter(|name| !self.agents.contains_key(*name)) {
                notices.push(format!(
                    "{}: no agent is called {name}{}",
                    place(&rule.origin),
                    meant(name)
                ));
            }
        }
        self.notices.extend(notices);
    }
}

fn place(origin: &Origin) -> String {
    match (&origin.file, origin.line) {
        (Some(file), Some(line)) => format!("{}:{line}", file.display()),
        (Some(file), None) => file.display().to_string(),
        _ => origin.layer.to_owned(),
    }
}

fn server_settings(server: &ServerSetting) -> ServerSettings {
    let tools = server.tools.iter().map(|(name, tool)| {
        let approval = tool.approval.unwrap_or(Approval::Default);
        (
            name.clone(),
            ToolSettings {
                approval,
                category: tool.category,
            },
        )
    });
    ServerSettings {
        approval: server.approval,
        grant: server.grant,
        tools: tools.collect(),
    }
}
