//! What would be decided by rules that were imported.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::{ImportResult, ImportTool, SettingsFile, import_rules, render_folders, render_rules};
use mayi_call::{
    Access, AgentId, Call, Dialect, Door, McpAccess, PathAccess, SessionId, Surroundings, UrlAccess,
    WriteKind, shell,
};
use mayi_config::{Folders, Sources, load};
use mayi_policy::grant::Grants;
use mayi_policy::pattern::PatternBases;
use mayi_policy::{Effect, Policy, SessionStanding, decide};
use serde_json::Value;

/// Where all of it happens.
pub(super) const HOME: &str = "/home/me";
pub(super) const WORK: &str = "/home/me/work";

/// What was imported, as a policy.
pub(super) struct Judged {
    pub(super) imported: ImportResult,
    pub(super) text: String,
    policy: Policy,
    folders: Vec<PathBuf>,
}

impl Judged {
    /// Without any rule.
    pub(super) fn nothing() -> Self {
        Self::of_result(ImportTool::Zed, ImportResult::default())
    }

    /// The user's own file of a tool.
    pub(super) fn of(tool: ImportTool, name: &str, text: &str) -> Self {
        Self::of_files(tool, &[(name, text, false)])
    }

    /// Files of a tool; those of a project are about [`WORK`].
    pub(super) fn of_files(tool: ImportTool, files: &[(&str, &str, bool)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let files: Vec<SettingsFile> = files
            .iter()
            .enumerate()
            .map(|(at, (name, text, project))| {
                let folder = dir.path().join(at.to_string());
                std::fs::create_dir(&folder).unwrap();
                std::fs::write(folder.join(name), text).unwrap();
                SettingsFile { path: folder.join(name), project: project.then(|| WORK.into()) }
            })
            .collect();
        let places = PatternBases { home: Some(HOME.into()), ..PatternBases::default() };
        let imported = import_rules(tool, &files, &places).unwrap_or_else(|error| panic!("{error}"));
        Self::of_result(tool, imported)
    }

    fn of_result(tool: ImportTool, imported: ImportResult) -> Self {
        let text = format!("{}{}", render_folders(&imported), render_rules(tool, &imported, &[]));
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("config.toml"), &text).unwrap();
        let folders = Folders {
            home: Some(HOME.into()),
            config: Some(dir.path().to_owned()),
            data: Some("/home/me/.local/share/mayi".into()),
            state: Some("/home/me/.local/state/mayi".into()),
        };
        let sources = Sources { managed: None, ..Sources::with_folders(Path::new(WORK), None, folders) };
        let loaded = load(&sources).unwrap_or_else(|errors| panic!("{errors}: {text}"));
        Self { imported, text, policy: loaded.policy, folders: loaded.folders }
    }

    pub(super) fn shell(&self, line: &str) -> Effect {
        let (roots, none) = (self.roots(), BTreeMap::new());
        let at = Surroundings {
            cwd: Path::new(WORK),
            roots: &roots,
            home: Some(Path::new(HOME)),
            env: &none,
            dialect: Dialect::Unknown,
        };
        self.decide(shell::line_accesses(line, &at))
    }

    pub(super) fn read(&self, path: &str) -> Effect {
        self.decide(vec![Access::Read(PathAccess::new(Path::new(WORK), path))])
    }

    pub(super) fn edit(&self, path: &str) -> Effect {
        self.change(WriteKind::Edit, path)
    }

    pub(super) fn change(&self, kind: WriteKind, path: &str) -> Effect {
        self.decide(vec![Access::Write(kind, PathAccess::new(Path::new(WORK), path))])
    }

    pub(super) fn fetch(&self, url: &str) -> Effect {
        self.decide(vec![Access::Fetch(UrlAccess::parse(url).unwrap())])
    }

    pub(super) fn mcp(&self, server: &str, tool: &str) -> Effect {
        self.decide(vec![Access::Mcp(McpAccess::new(
            vec![(server.to_owned(), tool.to_owned())],
            Value::Object(serde_json::Map::new()),
            Path::new(WORK),
        ))])
    }

    fn roots(&self) -> Vec<PathBuf> {
        std::iter::once(PathBuf::from(WORK)).chain(self.folders.iter().cloned()).collect()
    }

    fn decide(&self, accesses: Vec<Access>) -> Effect {
        let (agent, session) = (AgentId::from_name("claude"), SessionId("s".to_owned()));
        let call =
            Call { roots: self.roots(), accesses, ..Call::new(Door::Check, agent, session, WORK.into()) };
        let standing = SessionStanding {
            mode: self.policy.mode,
            bypass: false,
            grants: &Grants::default(),
            servers: &["db".to_owned(), "x".to_owned()],
        };
        decide(&self.policy, &call, &standing).effect
    }
}
