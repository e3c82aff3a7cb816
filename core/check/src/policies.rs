//! The policy that a request is judged by: made once for each set of rules, and kept.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{CheckError, MatrixOverrides, Request, RequestError, RequestRules};
use mayi_core::call::{Category, Selector};
use mayi_core::config::{ConfigErrors, LoadedConfig, Sources, load, nearest_word};
use mayi_core::policy::pattern::PatternBases;
use mayi_core::policy::{Mode, Origin, Pattern, PatternError, Policy, Protection, Rule};

/// As many of each are kept: who asks about one folder with one set of rules asks often.
const MAX_CACHED: usize = 32;

/// Everything that a policy is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct PolicyBasis {
    /// The folder that configuration is for, and that patterns start from.
    folder: PathBuf,
    isolated: bool,
    protection: bool,
    mode: Mode,
    rules: RequestRules,
    matrix: MatrixOverrides,
}

/// The policies that were made.
#[derive(Debug)]
pub(super) struct PolicyCache {
    pub(super) sources: Sources,
    loaded: HashMap<(PathBuf, Option<Mode>), Result<Arc<LoadedConfig>, ConfigErrors>>,
    made: HashMap<PolicyBasis, Arc<Policy>>,
    built_in: Option<Protection>,
}

impl PolicyCache {
    pub(super) fn new(sources: Sources) -> Self {
        Self { sources, loaded: HashMap::new(), made: HashMap::new(), built_in: None }
    }

    /// What is configured for work in `folder`, as a session in `mode` would find it.
    pub(super) fn load_config(
        &mut self,
        folder: &Path,
        mode: Option<Mode>,
    ) -> Result<Arc<LoadedConfig>, ConfigErrors> {
        let key = (folder.to_owned(), mode);
        if let Some(known) = self.loaded.get(&key) {
            return known.clone();
        }
        if self.loaded.len() >= MAX_CACHED {
            self.loaded.clear();
        }
        let mut sources = self.sources.clone();
        if folder != sources.cwd {
            let there = Sources::discover(folder, None);
            sources.workspace = sources.workspace.and(there.workspace);
            sources.cwd = folder.to_owned();
        }
        sources.command_line.mode = mode.or(sources.command_line.mode);
        let loaded = load(&sources).map(Arc::new);
        self.loaded.insert(key, loaded.clone());
        loaded
    }

    /// The policy for a request that is isolated, or judged on top of `loaded`, with `mode` in use.
    pub(super) fn policy_for(
        &mut self,
        request: &Request,
        folder: &Path,
        loaded: Option<&LoadedConfig>,
        mode: Mode,
    ) -> Result<Arc<Policy>, CheckError> {
        let basis = PolicyBasis {
            folder: folder.to_owned(),
            isolated: loaded.is_none(),
            protection: request.protection,
            mode,
            rules: request.rules.clone(),
            matrix: request.matrix,
        };
        if let Some(known) = self.made.get(&basis) {
            return Ok(Arc::clone(known));
        }
        let base = match loaded {
            Some(loaded) => loaded.policy.clone(),
            None => self.isolated_policy(request.protection)?,
        };
        let places = PatternBases { roots: vec![folder.to_owned()], ..self.sources.pattern_bases() };
        let policy = Arc::new(apply_request(base, &basis, &places)?);
        if self.made.len() >= MAX_CACHED {
            self.made.clear();
        }
        self.made.insert(basis, Arc::clone(&policy));
        Ok(policy)
    }

    /// A policy without anything that was configured, and without what mayi knows by itself: matrix and
    /// modes are all there is, besides the protection that is built in if that is wanted.
    fn isolated_policy(&mut self, protection: bool) -> Result<Policy, CheckError> {
        let mut policy = Policy { readers: false, allow_confined: true, ..Policy::default() };
        if protection {
            policy.protection = self.built_in()?;
        }
        Ok(policy)
    }

    fn built_in(&mut self) -> Result<Protection, CheckError> {
        if let Some(known) = &self.built_in {
            return Ok(known.clone());
        }
        let built_in = self.sources.built_in_protection(&self.sources.pattern_bases());
        let protection = built_in.map_err(|error| {
            RequestError::new("/protection", error.to_string(), "this is mayi's own mistake")
        })?;
        self.built_in = Some(protection.clone());
        Ok(protection)
    }
}

/// Lays what the request gives over `policy`: the one place where a policy is changed after it was made.
fn apply_request(
    mut policy: Policy,
    basis: &PolicyBasis,
    places: &PatternBases,
) -> Result<Policy, RequestError> {
    for (effect, text, at) in basis.rules.iter_patterns() {
        let pattern = Pattern::parse(text, places).map_err(|error| {
            let meant = match &error {
                PatternError::Selector(word) => nearest_word(word, Selector::all_words()),
                _ => None,
            };
            let text = error.to_string();
            let (what, hint) = text.split_once(": ").unwrap_or((&text, "write selector(argument)"));
            let hint = meant.map_or_else(|| hint.to_owned(), |word| format!("did you mean `{word}(...)`?"));
            RequestError::new(&at, what, hint)
        })?;
        policy.rules.push(Rule {
            effect,
            pattern,
            unless: None,
            reason: Some(format!("{effect} rule given with the call")),
            agents: Vec::new(),
            holds: true,
            named: false,
            origin: Origin { file: None, line: None, layer: mayi_core::policy::Layer::Call },
        });
    }
    let MatrixOverrides { read, write, execute, external } = basis.matrix;
    let row = policy.matrix.row_mut(basis.mode);
    for (category, effect) in [
        (Category::Read, read),
        (Category::Write, write),
        (Category::Execute, execute),
        (Category::External, external),
    ] {
        if let Some(effect) = effect {
            *row.effect_for_mut(category) = effect;
        }
    }
    Ok(policy)
}
