//! All layers become one policy.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::compiled::{self, CompiledFile};
use super::ids::{AgentIds, NameClash, settle_rules};
use super::read::{self, AgentEntry, ConfigReader, ParsedFile, ServerEntry, WorkspaceEntry};
use super::scalars::{LayerMerge, Scalars, WithOrigin, keys};
use super::tighten::{self, IgnoredSetting};
use super::{
    AgentCommand, AgentLaunch, Asks, ConfigError, ConfigErrors, Layer, Locks, OnUnasked, PRESETS,
    RecordSettings, ServerLaunch, Setting, Sources, secure_read, workspace,
};
use mayi_call::{digest_of_bytes, resolve_path};
use mayi_policy::compiled::CompiledRules;
use mayi_policy::pattern::PatternBases;
use mayi_policy::{Effect, Mode, Origin, Pattern, Policy, Rule, Rules, SourceFile};

/// A file that was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedFile {
    /// Where.
    pub path: PathBuf,
    /// As which layer.
    pub layer: Layer,
    /// Whether it is there.
    pub found: bool,
}

/// Everything that was configured.
#[derive(Clone, Debug)]
pub struct LoadedConfig {
    /// What decides.
    pub policy: Policy,
    /// How agents are started, by name: those in files, and those that mayi knows.
    pub agents: BTreeMap<String, AgentLaunch>,
    /// How servers are reached, by name.
    pub servers: BTreeMap<String, ServerLaunch>,
    /// The files that were looked for, farthest layer first.
    pub files: Vec<SearchedFile>,
    /// Every scalar that counts, with its origin.
    pub settings: Vec<Setting>,
    /// What a managed file locks.
    pub locks: Locks,
    /// How the record is kept.
    pub record: RecordSettings,
    /// What follows when an agent without settings of its own does something without asking.
    pub on_unasked: OnUnasked,
    /// Files that are large enough to be compiled, where that was asked for ([`Sources::compiled`]).
    pub compiled: Vec<CompiledFile>,
    /// Whether `mayi acp` speaks version 2 of its protocol, a preview, with an editor and an agent that both do.
    pub protocol_v2: bool,
}

/// Reads all sources.
///
/// # Errors
/// Every mistake in a managed or user file, in the environment or among the options: nothing runs on
/// half a policy. A workspace file that can't be read is no error: everything is asked about then.
pub fn load(sources: &Sources) -> Result<LoadedConfig, ConfigErrors> {
    let mut loading = ConfigLoader::load_base(sources)?;
    if let (None, Some(path)) = (&sources.only, &sources.workspace) {
        workspace::apply_workspace_file(&mut loading, path);
    }
    if let Some(editor) = &sources.editor {
        editor.apply_to(&mut loading);
    }
    loading.apply_environment();
    loading.command_line();
    loading.finish()
}

/// Reads one file by itself, as a file of `layer`. Returns how many rules are in it.
///
/// # Errors
/// Every mistake in it; also if there is no such file.
pub fn check_file(layer: Layer, path: &Path, places: &PatternBases) -> Result<usize, ConfigErrors> {
    let missing = || ConfigError::of_file(layer, path, "does not exist", None);
    let text = secure_read::read(layer, path)?.ok_or_else(missing)?;
    match read::read(layer, path, &text, places) {
        Ok(file) => {
            Ok(file.rules.len() + file.workspaces.iter().map(|entry| entry.rules.len()).sum::<usize>())
        }
        Err(errors) => ConfigErrors::ok_if_empty(errors).map(|()| 0),
    }
}

/// What was read so far.
pub(super) struct ConfigLoader<'s> {
    pub(super) sources: &'s Sources,
    pub(super) places: PatternBases,
    pub(super) merge: LayerMerge,
    pub(super) rules: Rules,
    /// What is protected besides, and the file that says so.
    pub(super) add: Vec<(Pattern, PathBuf, Layer)>,
    pub(super) except: Vec<(Pattern, Layer)>,
    pub(super) agents: BTreeMap<String, AgentLaunch>,
    /// Apps that are written down, whatever of their settings counts.
    pub(super) apps: BTreeSet<String>,
    pub(super) servers: BTreeMap<String, ServerLaunch>,
    pub(super) files: Vec<SearchedFile>,
    pub(super) digests: Vec<SourceFile>,
    pub(super) record: RecordSettings,
    pub(super) notices: Vec<String>,
    pub(super) ask_all: Option<String>,
    pub(super) errors: Vec<ConfigError>,
    pub(super) compiled: Vec<CompiledFile>,
}

impl<'s> ConfigLoader<'s> {
    fn new(sources: &'s Sources) -> Result<Self, ConfigError> {
        Ok(Self {
            sources,
            places: sources.pattern_bases(),
            merge: LayerMerge::new()?,
            rules: Rules::default(),
            add: Vec::new(),
            except: Vec::new(),
            apps: BTreeSet::new(),
            agents: PRESETS.iter().map(|preset| (preset.name.to_owned(), preset.agent_launch())).collect(),
            servers: BTreeMap::new(),
            files: Vec::new(),
            digests: Vec::new(),
            record: RecordSettings::default(),
            notices: Vec::new(),
            ask_all: None,
            errors: Vec::new(),
            compiled: Vec::new(),
        })
    }

    /// What the administrator and the user say: everything that a workspace is measured by.
    pub(super) fn load_base(sources: &'s Sources) -> Result<Self, ConfigError> {
        let mut loading = Self::new(sources)?;
        if let Some(path) = &sources.managed {
            loading.load_own_file(Layer::Managed, path, false);
        }
        match (&sources.only, &sources.user) {
            (Some(only), _) => loading.load_own_file(Layer::User, only, true),
            (None, Some(user)) => loading.load_own_file(Layer::User, user, false),
            (None, None) => {}
        }
        Ok(loading)
    }

    pub(super) fn read_text(&mut self, layer: Layer, path: &Path) -> Result<Option<String>, ConfigError> {
        let text = secure_read::read(layer, path);
        self.files.push(SearchedFile { path: path.to_owned(), layer, found: !matches!(text, Ok(None)) });
        if let Ok(Some(text)) = &text {
            let digest = digest_of_bytes(text.as_bytes());
            self.digests.push(SourceFile { path: path.to_owned(), layer: layer.as_str(), digest });
        }
        text
    }

    /// A managed or user file.
    fn load_own_file(&mut self, layer: Layer, path: &Path, needed: bool) {
        if let Some((file, rules)) = self.open_compiled(layer, path) {
            return self.apply_file_with(layer, path, file, Some(rules));
        }
        let text = match self.read_text(layer, path) {
            Ok(Some(text)) => text,
            Ok(None) => {
                if needed {
                    self.errors.push(ConfigError::of_file(layer, path, "does not exist", None));
                }
                return;
            }
            Err(error) => return self.errors.push(error),
        };
        match read::read(layer, path, &text, &self.places) {
            Ok(file) => self.apply_file(layer, path, file),
            Err(errors) => return self.errors.extend(errors),
        }
        self.note_large(layer, path, text);
    }

    fn file_source(&self, layer: Layer, path: &Path, digest: String) -> compiled::ConfigFileSource {
        compiled::ConfigFileSource {
            layer,
            path: path.to_owned(),
            text: OnceLock::new(),
            digest,
            home: self.places.home.clone(),
            roots: self.places.roots.clone(),
        }
    }

    /// A file that was compiled before, as it was read then.
    fn open_compiled(&mut self, layer: Layer, path: &Path) -> Option<(ParsedFile, CompiledRules)> {
        if !self.sources.compiled {
            return None;
        }
        let source = self.file_source(layer, path, String::new());
        let (compiled, file, rules) = CompiledFile::open(&self.sources.folders, source, &self.places)?;
        let digest = serde_json::from_value(compiled.source().digest.as_str().into()).ok()?;
        self.files.push(SearchedFile { path: path.to_owned(), layer, found: true });
        self.digests.push(SourceFile { path: path.to_owned(), layer: layer.as_str(), digest });
        self.compiled.push(compiled);
        Some((file, rules))
    }

    /// Notes a file that is large enough to be compiled.
    fn note_large(&mut self, layer: Layer, path: &Path, text: String) {
        let Some(digest) = self.digests.last().map(|of| of.digest.as_str().to_owned()) else { return };
        if self.sources.compiled && text.len() >= compiled::MIN_COMPILED_BYTES {
            let source = self.file_source(layer, path, digest);
            let source = compiled::ConfigFileSource { text: text.into(), ..source };
            self.compiled.extend(CompiledFile::new(&self.sources.folders, source));
        }
    }

    pub(super) fn apply_file(&mut self, layer: Layer, path: &Path, file: ParsedFile) {
        self.apply_file_with(layer, path, file, None);
    }

    /// As [`Self::apply_file`], with rules that were compiled before in the place of the file's own.
    fn apply_file_with(
        &mut self,
        layer: Layer,
        path: &Path,
        file: ParsedFile,
        compiled: Option<CompiledRules>,
    ) {
        let ParsedFile {
            mut scalars,
            mut rules,
            agents,
            servers,
            apps,
            mut workspaces,
            add,
            except,
            locks,
            record,
        } = file;
        let ids = AgentIds::resolve(&self.agents, &agents, true);
        if let Some(NameClash { message, help }) = &ids.clash {
            self.errors.push(ConfigError::of_file(layer, path, message.clone(), Some(help.clone())));
        }
        ids.apply_to(&mut scalars);
        self.record.apply_entry(layer, record);
        self.apps.extend(apps);
        let ignored = self.apply_scalars(layer, scalars, false);
        self.note_locked(&path.display(), &ignored);
        if layer == Layer::Managed {
            self.merge.locks = locks;
        }
        self.start(&ids, agents, servers);
        settle_rules(&self.agents, &mut rules);
        if let Some(mut compiled) = compiled {
            settle_rules(&self.agents, compiled.eager_rules_mut());
            self.rules.push_compiled(compiled);
        }
        for workspace in &mut workspaces {
            settle_rules(&self.agents, &mut workspace.rules);
        }
        self.rules.extend(rules);
        self.except.extend(except.into_iter().map(|pattern| (pattern, layer)));
        self.add_protection(layer, path, add);
        self.apply_workspaces(layer, &path.display(), workspaces);
    }

    /// How agents and servers are started and reached from here on.
    pub(super) fn start(&mut self, ids: &AgentIds, agents: Vec<AgentEntry>, servers: Vec<ServerEntry>) {
        for entry in agents {
            let id = ids.id(&entry.name);
            if let Some(origin) = &entry.dropped {
                self.notices.push(format!(
                    "{}: `trust_kind` has no effect any more, and will be refused: leave it out",
                    super::build_policy::format_origin(origin)
                ));
            }
            let launch = self.agents.entry(id.clone()).or_insert_with(|| AgentLaunch {
                title: entry.name,
                name: id,
                command: None,
                env: BTreeMap::new(),
                asking_mode: None,
                asks: Asks::NotKnown,
                missing_files_are_empty: false,
                on_unasked: OnUnasked::default(),
                preset: false,
                install: None,
                origin: entry.origin.clone(),
            });
            launch.env.extend(entry.env);
            if let Some(words) = entry.command {
                launch.command = Some(AgentCommand::Words(words));
                launch.preset = false;
                launch.asks = Asks::NotKnown;
                launch.install = None;
                launch.origin = entry.origin;
            }
        }
        for entry in servers {
            if let Some(transport) = entry.transport {
                let launch = ServerLaunch { name: entry.name.clone(), transport, origin: entry.origin };
                self.servers.insert(entry.name, launch);
            }
        }
    }

    /// The user's own settings for the folder that is worked in; the innermost counts last.
    pub(super) fn apply_workspaces(
        &mut self,
        layer: Layer,
        place: &dyn Display,
        mut entries: Vec<WorkspaceEntry>,
    ) {
        let real = |folder: &Path| resolve_path(folder).unwrap_or_else(|_| folder.to_owned());
        let cwd = real(&self.sources.cwd);
        entries.retain(|entry| cwd.starts_with(real(&entry.folder)));
        entries.sort_by_key(|entry| real(&entry.folder).components().count());
        for entry in entries {
            self.rules.extend(entry.rules);
            let ignored = self.apply_scalars(layer, Scalars::of(keys::MODE, entry.mode), false);
            self.note_locked(place, &ignored);
        }
    }

    /// Tells what of `place` is ignored for a lock.
    pub(super) fn note_locked(&mut self, place: &dyn Display, ignored: &[IgnoredSetting]) {
        for ignored in ignored {
            if let Some(by) = &ignored.locked_by {
                self.notices.push(format!("{place}: {} is ignored: {} locks it", ignored.what, by.display()));
            }
        }
    }

    pub(super) fn apply_scalars(
        &mut self,
        layer: Layer,
        mut scalars: Scalars,
        tightens: bool,
    ) -> Vec<IgnoredSetting> {
        let ignored = tighten::remove_disallowed(&self.merge, layer, tightens, &mut scalars);
        if let Err(error) = self.merge.add_layer(layer, &scalars) {
            self.errors.push(error);
        }
        ignored
    }

    pub(super) fn add_protection(&mut self, layer: Layer, path: &Path, patterns: Vec<Pattern>) {
        self.add.extend(patterns.into_iter().map(|pattern| (pattern, path.to_owned(), layer)));
    }

    fn apply_environment(&mut self) {
        let Some(text) = self.sources.environment.get("MAYI_MODE").filter(|text| !text.is_empty()) else {
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
        let origin = Origin { file: None, line: None, layer: Layer::Environment.as_str() };
        let scalars = Scalars::of(keys::MODE, Some(WithOrigin::new(mode, origin)));
        let ignored = self.apply_scalars(Layer::Environment, scalars, true);
        if !ignored.is_empty() {
            self.notices.push(format!(
                "MAYI_MODE={mode} is ignored: the environment may only tighten; use --mode {mode}"
            ));
        }
    }

    fn command_line(&mut self) {
        let sources = self.sources;
        let options = &sources.command_line;
        let origin = Origin { file: None, line: None, layer: Layer::CommandLine.as_str() };
        for (effect, patterns) in
            [(Effect::Allow, &options.allow), (Effect::Ask, &options.ask), (Effect::Deny, &options.deny)]
        {
            for text in patterns {
                let reader = ConfigReader::new(Layer::CommandLine, None, text, &self.places);
                let pattern = reader.compile_pattern(text, &(0..text.len()), None);
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
                    named: false,
                    origin,
                });
            }
        }
        let Some(mode) = options.mode else { return };
        let scalars = Scalars::of(keys::MODE, Some(WithOrigin::new(mode, origin)));
        let ignored = self.apply_scalars(Layer::CommandLine, scalars, false);
        for by in ignored.into_iter().filter_map(|ignored| ignored.locked_by) {
            let message = format!("`--mode {mode}` is not allowed: {} locks the mode", by.display());
            let help = format!("leave it out, or ask for {} or stricter", self.merge.managed.mode_of(None));
            self.errors.push(ConfigError::new(Layer::CommandLine, message, Some(help)));
        }
    }
}
