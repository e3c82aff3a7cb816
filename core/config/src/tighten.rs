//! What a layer may not say: a file in a repository and the environment only tighten, and nobody
//! loosens what a managed file locks (D5.3).

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::Layer;
use super::scalars::{
    AgentScalars, AppScalars, LayerMerge, Scalars, ServerScalars, WithOrigin, approval_word, level_word,
};
use mayi_call::Category;
use mayi_policy::{Approval, Level, Mode};

/// Something that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IgnoredSetting {
    /// As it is written, and of what.
    pub(super) what: String,
    /// The managed file that locks it; none: the layer only tightens.
    pub(super) locked_by: Option<PathBuf>,
}

impl IgnoredSetting {
    pub(super) fn without_lock(what: impl Into<String>) -> Self {
        Self { what: what.into(), locked_by: None }
    }
}

/// Takes out of `scalars` what `layer` may not say over what is there already; `tightens` if it may
/// not loosen anything at all.
pub(super) fn remove_disallowed(
    merge: &LayerMerge,
    layer: Layer,
    tightens: bool,
    scalars: &mut Scalars,
) -> Vec<IgnoredSetting> {
    let mut ignored = Vec::new();
    if layer <= Layer::Managed {
        return ignored;
    }
    restrict_modes(merge, tightens, scalars, &mut ignored);
    for (name, agent) in &mut scalars.agents {
        restrict_bypass(merge, tightens, name, agent, &mut ignored);
    }
    for (name, app) in &mut scalars.apps {
        trust_of_app(merge, tightens, name, app, &mut ignored);
    }
    if !tightens {
        return ignored;
    }
    drop_if(
        &mut scalars.readers,
        |readers| *readers && !merge.current.readers,
        |_| "`readers = true`".to_owned(),
        &mut ignored,
    );
    let for_all = merge.current.on_unasked(None);
    drop_if(
        &mut scalars.on_unasked,
        |on| *on < for_all,
        |on| format!("`on_unasked = \"{}\"`", on.as_str()),
        &mut ignored,
    );
    for (name, agent) in &mut scalars.agents {
        let before = merge.current.on_unasked(Some(name));
        drop_if(
            &mut agent.on_unasked,
            |on| *on < before,
            |on| format!("`on_unasked = \"{}\"` of {name}", on.as_str()),
            &mut ignored,
        );
        let current = merge.current.agents.get(name);
        let trusted = current.is_some_and(|agent| agent.trust_elicitation);
        drop_if(
            &mut agent.trust_elicitation,
            |trust| *trust && !trusted,
            |_| format!("`trust_elicitation = true` of {name}"),
            &mut ignored,
        );
        drop_if(&mut agent.asking_mode, |_| true, |_| format!("`asking_mode` of {name}"), &mut ignored);
        remove_categories(&mut agent.tools, &format!(" of {name}"), &mut ignored);
    }
    remove_categories(&mut scalars.tools, "", &mut ignored);
    for (name, server) in &mut scalars.servers {
        tighten_server(merge, name, server, &mut ignored);
    }
    let matrix = merge.current.matrix();
    scalars.matrix.retain(|(mode, category, effect)| {
        let stricter = effect.value >= matrix.row(*mode).effect_for(*category);
        if !stricter {
            ignored.push(IgnoredSetting::without_lock(format!(
                "`{category} = \"{}\"` of the matrix for {mode}",
                effect.value
            )));
        }
        stricter
    });
    ignored
}

/// Modes of all agents and of single ones. The nearest layer counts, so a mode for all also takes
/// the place of the modes that layers below gave to single agents.
fn restrict_modes(
    merge: &LayerMerge,
    tightens: bool,
    scalars: &mut Scalars,
    ignored: &mut Vec<IgnoredSetting>,
) {
    let lock = merge.locks.mode_lock();
    // The least strict mode that this layer may give to an agent, or to all.
    let floor = |agent: Option<&str>| {
        let locked = lock.map(|by| (merge.managed.mode_of(agent), Some(by.to_owned())));
        let here = tightens.then(|| (merge.current.mode_of(agent), None));
        locked.into_iter().chain(here).max_by_key(|(mode, _)| *mode).unwrap_or((Mode::Auto, None))
    };
    if let Some(mode) = scalars.mode.clone() {
        for (name, agent) in &merge.current.agents {
            let said = scalars.agents.get(name).is_some_and(|agent| agent.mode.is_some());
            if agent.mode.is_none() || said {
                continue;
            }
            let nearest = mode.value.max(floor(Some(name)).0);
            scalars.agents.entry(name.clone()).or_default().mode =
                Some(WithOrigin::new(nearest, mode.origin.clone()));
        }
        let (least, locked_by) = floor(None);
        if mode.value < least {
            ignored.push(IgnoredSetting { what: format!("`mode = \"{}\"`", mode.value), locked_by });
            scalars.mode = None;
        }
    }
    let for_all = scalars.mode.as_ref().map(|mode| mode.value);
    for (name, agent) in &mut scalars.agents {
        let Some(mode) = &agent.mode else { continue };
        let (mut least, locked_by) = floor(Some(name));
        // Without a mode of its own so far, an agent has the one of all, which may just have changed.
        if tightens && merge.current.agents.get(name).is_none_or(|agent| agent.mode.is_none()) {
            least = least.max(for_all.unwrap_or(least));
        }
        if mode.value < least {
            ignored
                .push(IgnoredSetting { what: format!("`mode = \"{}\"` of {name}", mode.value), locked_by });
            agent.mode = None;
        }
    }
}

fn restrict_bypass(
    merge: &LayerMerge,
    tightens: bool,
    name: &str,
    agent: &mut AgentScalars,
    ignored: &mut Vec<IgnoredSetting>,
) {
    if agent.bypass_permissions.as_ref().is_none_or(|bypass| !bypass.value) {
        return;
    }
    let on = |settings: &super::scalars::Settings| {
        settings.agents.get(name).is_some_and(|agent| agent.bypass_permissions)
    };
    let what = format!("`bypass_permissions = true` of {name}");
    if let Some(by) = merge.locks.bypass_lock(name)
        && !on(&merge.managed)
    {
        ignored.push(IgnoredSetting { what, locked_by: Some(by.to_owned()) });
    } else if tightens && !on(&merge.current) {
        ignored.push(IgnoredSetting::without_lock(what));
    } else {
        return;
    }
    agent.bypass_permissions = None;
}

fn trust_of_app(
    merge: &LayerMerge,
    tightens: bool,
    name: &str,
    app: &mut AppScalars,
    ignored: &mut Vec<IgnoredSetting>,
) {
    if app.trust_require_approval.as_ref().is_none_or(|trust| !trust.value) {
        return;
    }
    let on = |settings: &super::scalars::Settings| {
        settings.apps.get(name).is_some_and(|app| app.trust_require_approval)
    };
    let what = format!("`trust_require_approval = true` of {name}");
    if let Some(by) = merge.locks.app_trust_lock(name)
        && !on(&merge.managed)
    {
        ignored.push(IgnoredSetting { what, locked_by: Some(by.to_owned()) });
    } else if tightens && !on(&merge.current) {
        ignored.push(IgnoredSetting::without_lock(what));
    } else {
        return;
    }
    app.trust_require_approval = None;
}

fn tighten_server(
    merge: &LayerMerge,
    name: &str,
    server: &mut ServerScalars,
    ignored: &mut Vec<IgnoredSetting>,
) {
    let current = merge.current.servers.get(name).cloned().unwrap_or_default();
    drop_if(
        &mut server.approval,
        |approval| approval_strictness(Some(*approval)) < approval_strictness(current.approval),
        |approval| format!("`approval = \"{}\"` of {name}", approval_word(*approval)),
        ignored,
    );
    drop_if(
        &mut server.grant,
        |grant| level_rank(*grant) > level_rank(current.grant),
        |grant| format!("`grant = \"{}\"` of {name}", level_word(*grant)),
        ignored,
    );
    drop_if(
        &mut server.trust_annotations,
        |trust| *trust && !current.trust_annotations,
        |_| format!("`trust_annotations = true` of {name}"),
        ignored,
    );
    for (tool, scalars) in &mut server.tools {
        let own = current.tools.get(tool).and_then(|tool| tool.approval);
        drop_if(
            &mut scalars.approval,
            |approval| approval_strictness(Some(*approval)) < approval_strictness(own),
            |approval| format!("`{tool} = \"{}\"` of {name}", approval_word(*approval)),
            ignored,
        );
        drop_if(&mut scalars.category, |_| true, |_| format!("the category of {name}/{tool}"), ignored);
    }
}

/// What tools are is the user's to say: each category is stricter than another one somewhere.
fn remove_categories(
    tools: &mut BTreeMap<String, WithOrigin<Category>>,
    of: &str,
    ignored: &mut Vec<IgnoredSetting>,
) {
    for (tool, _) in std::mem::take(tools) {
        ignored.push(IgnoredSetting::without_lock(format!("the category of the tool {tool}{of}")));
    }
}

fn drop_if<T>(
    slot: &mut Option<WithOrigin<T>>,
    too_loose: impl FnOnce(&T) -> bool,
    what: impl FnOnce(&T) -> String,
    ignored: &mut Vec<IgnoredSetting>,
) {
    if let Some(at) = slot
        && too_loose(&at.value)
    {
        ignored.push(IgnoredSetting::without_lock(what(&at.value)));
        *slot = None;
    }
}

fn approval_strictness(approval: Option<Approval>) -> u8 {
    match approval {
        Some(Approval::NotRequired) => 0,
        Some(Approval::Default) | None => 1,
        Some(Approval::Required) => 2,
    }
}

fn level_rank(level: Level) -> u8 {
    match level {
        Level::None => 0,
        Level::Read => 1,
        Level::Write => 2,
        Level::All => 3,
    }
}
