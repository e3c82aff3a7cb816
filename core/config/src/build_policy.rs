//! What was read becomes a policy.

use std::collections::BTreeMap;

use super::ids::{id_of, settle_rules};
use super::launch::Transport;
use super::load::{ConfigLoader, LoadedConfig};
use super::scalars::{Scalars, keys};
use super::{Asks, ConfigError, ConfigErrors, Layer, RESERVED, hints, nearest_word};
use mayi_call::{Selector, WriteKind, resolve_path};
use mayi_policy::{
    AgentSettings, AppSettings, Approval, Origin, Pattern, Policy, Protection, ServerSettings, ToolSettings,
};

impl ConfigLoader<'_> {
    /// The policy, unless there were mistakes.
    pub(super) fn finish(mut self) -> Result<LoadedConfig, ConfigErrors> {
        let protection = self.build_protection();
        ConfigErrors::ok_if_empty(std::mem::take(&mut self.errors))?;
        // Names of agents that a nearer layer has configured than the rule's own.
        settle_rules(&self.agents, self.rules.loaded_rules_mut());
        self.note_doubtful_names();
        let settings = self.merge.settings_with_origin();
        let current = &self.merge.current;
        for (name, agent) in &mut self.agents {
            if let Some(mode) = current.get(keys::AGENT_ASKING_MODE, &[name]) {
                let mode = Some(mode).filter(|mode| !mode.is_empty());
                // What was tried, was tried in the preset's mode.
                if mode != agent.asking_mode && matches!(agent.asks, Asks::Tried(_)) {
                    agent.asks = Asks::NotKnown;
                }
                agent.asking_mode = mode;
            }
            agent.on_unasked = current.on_unasked(Some(name));
        }
        let servers = self.server_settings(current);
        let policy = Policy {
            epoch: 0,
            mode: current.mode_of(None),
            least_modes: self.merge.locks.mode_lock().map(|_| self.merge.managed.least_modes()),
            matrix: current.matrix(),
            readers: current.effective(keys::READERS, &[]),
            allow_confined: current.effective(keys::ALLOW_CONFINED, &[]),
            rules: self.rules,
            protection,
            agents: current
                .names_in(&["agents"])
                .into_iter()
                .map(|name| (name.to_owned(), agent_settings(current, name)))
                .collect(),
            servers,
            apps: current
                .names_in(&["apps"])
                .into_iter()
                .map(|name| {
                    let trust_require_approval = current.effective(keys::APP_TRUST, &[name]);
                    let trust_categories = current.effective(keys::APP_CATEGORIES, &[name]);
                    (name.to_owned(), AppSettings { trust_require_approval, trust_categories })
                })
                .collect(),
            tools: current.values_by_name(keys::TOOL_CATEGORY, &[]),
            notices: self.notices,
            files: self.digests,
            ask_all: self.ask_all,
        };
        let ConfigLoader { merge, agents, mut servers, may_change, files, record, compiled, folders, .. } =
            self;
        for (name, launch) in &mut servers {
            launch.may_change = may_change.get(name).cloned().unwrap_or_default();
        }
        let on_unasked = merge.current.on_unasked(None);
        Ok(LoadedConfig {
            policy: policy.with_indexes(),
            agents,
            servers,
            may_change,
            files,
            settings,
            locks: merge.locks,
            record,
            on_unasked,
            compiled,
            folders,
            protocol_v2: merge.current.effective(keys::PROTOCOL_V2, &[]),
        })
    }

    /// What is built in, mayi's own files wherever they are, and what files add and except.
    fn build_protection(&mut self) -> Protection {
        let sources = self.sources;
        let mut protection = match sources.built_in_protection(&self.places) {
            Ok(protection) => protection,
            Err(error) => {
                self.errors.push(ConfigError::new(Layer::BuiltIn, error.to_string(), None));
                return Protection::default();
            }
        };
        // A file that was given with --config, and what a link leads to, may lie anywhere.
        for file in [&sources.only, &sources.user, &sources.managed].into_iter().flatten() {
            let whole = sources.cwd.join(file);
            let real = resolve_path(&whole).ok().filter(|real| *real != whole);
            for path in real.into_iter().chain([whole]) {
                if let Ok(pattern) =
                    Pattern::exact_path_at(Selector::Write(WriteKind::Write), &path, &self.places)
                {
                    protection.add_entry(pattern, "mayi's own configuration".to_owned(), true);
                }
            }
        }
        for (pattern, file, layer) in self.add.drain(..) {
            let managed = layer == Layer::Managed;
            protection.add_entry(pattern, format!("protected by {}", file.display()), managed);
        }
        for (pattern, layer) in self.except.drain(..) {
            protection.add_exception(pattern, layer == Layer::Managed);
        }
        protection
    }

    /// Settings of servers, with which of them run on this machine.
    fn server_settings(&self, current: &Scalars) -> BTreeMap<String, ServerSettings> {
        let mut found: BTreeMap<String, ServerSettings> = current
            .names_in(&["servers"])
            .into_iter()
            .map(|name| (name.to_owned(), settings_of(current, name)))
            .collect();
        for (name, launch) in &self.servers {
            let local = matches!(launch.transport, Transport::Stdio { .. });
            found.entry(name.clone()).or_default().local = local;
        }
        found
    }

    /// Rules and settings for agents that nobody knows: most likely a slip.
    fn note_doubtful_names(&mut self) {
        let names = || self.agents.keys().map(String::as_str).collect::<Vec<_>>();
        let meant = |name: &str| match nearest_word(name, names().into_iter().filter(|known| *known != name))
        {
            Some(meant) => format!("; did you mean {meant}?"),
            None => String::new(),
        };
        let ids = || self.agents.keys().map(String::as_str);
        let mut notices = Vec::new();
        for (name, launch) in self.agents.iter().filter(|(_, launch)| launch.command.is_none()) {
            notices.push(format!(
                "{}: {name} has settings and no command{}",
                format_origin(&launch.origin),
                meant(name)
            ));
        }
        // An app's calls are judged by the rules for an agent of its name.
        for rule in self.rules.loaded_rules() {
            let known = |name: &str| {
                RESERVED.contains(&name)
                    || name.contains(':')
                    || self.apps.contains(name)
                    || id_of(ids(), name).is_some()
            };
            for name in rule.agents.iter().filter(|name| !known(name)) {
                notices.push(format!(
                    "{}: no agent is called {name}{}",
                    format_origin(&rule.origin),
                    meant(name)
                ));
            }
        }
        notices.extend(hints::number_of_hints(self.rules.loaded_rules()));
        self.notices.extend(notices);
    }
}

pub(super) fn format_origin(origin: &Origin) -> String {
    match (&origin.file, origin.line) {
        (Some(file), Some(line)) => format!("{}:{line}", file.display()),
        (Some(file), None) => file.display().to_string(),
        _ => origin.layer.to_string(),
    }
}

fn agent_settings(current: &Scalars, name: &str) -> AgentSettings {
    AgentSettings {
        bypass_permissions: current.effective(keys::AGENT_BYPASS, &[name]),
        mode: current.get(keys::AGENT_MODE, &[name]),
        trust_elicitation: current.effective(keys::AGENT_TRUST_ELICITATION, &[name]),
        tools: current.values_by_name(keys::AGENT_TOOL_CATEGORY, &[name]),
    }
}

fn settings_of(current: &Scalars, server: &str) -> ServerSettings {
    let tools = current.names_in(&["servers", server, "tools"]).into_iter().map(|name| {
        let approval = current.get(keys::SERVER_TOOL_APPROVAL, &[server, name]).unwrap_or(Approval::Default);
        let category = current.get(keys::SERVER_TOOL_CATEGORY, &[server, name]);
        (name.to_owned(), ToolSettings { approval, category })
    });
    ServerSettings {
        approval: current.get(keys::SERVER_APPROVAL, &[server]),
        grant: current.effective(keys::SERVER_GRANT, &[server]),
        trust_annotations: current.effective(keys::SERVER_TRUST_ANNOTATIONS, &[server]),
        tools: tools.collect(),
        local: false,
    }
}
