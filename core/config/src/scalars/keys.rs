//! The settings as code names them: that each has a row of its type is looked at while compiling.

use super::row::ScalarKey;
use super::value::OnUnasked;
use mayi_call::Category;
use mayi_policy::{Approval, Effect, Level, Mode};

pub(crate) const MODE: ScalarKey<Mode> = ScalarKey::at("mode");
pub(crate) const ON_UNASKED: ScalarKey<OnUnasked> = ScalarKey::at("on_unasked");
pub(crate) const READERS: ScalarKey<bool> = ScalarKey::at("readers");
pub(crate) const ALLOW_CONFINED: ScalarKey<bool> = ScalarKey::at("sandbox.allow_confined");
pub(crate) const PROTOCOL_V2: ScalarKey<bool> = ScalarKey::at("acp.protocol_v2");
pub(crate) const MATRIX: ScalarKey<Effect> = ScalarKey::at("matrix.*.*");
pub(crate) const TOOL_CATEGORY: ScalarKey<Category> = ScalarKey::at("tools.*");

pub(crate) const AGENT_MODE: ScalarKey<Mode> = ScalarKey::at("agents.*.mode");
pub(crate) const AGENT_BYPASS: ScalarKey<bool> = ScalarKey::at("agents.*.bypass_permissions");
pub(crate) const AGENT_TRUST_ELICITATION: ScalarKey<bool> = ScalarKey::at("agents.*.trust_elicitation");
pub(crate) const AGENT_ON_UNASKED: ScalarKey<OnUnasked> = ScalarKey::at("agents.*.on_unasked");
pub(crate) const AGENT_ASKING_MODE: ScalarKey<String> = ScalarKey::at("agents.*.asking_mode");
pub(crate) const AGENT_TOOL_CATEGORY: ScalarKey<Category> = ScalarKey::at("agents.*.tools.*");

pub(crate) const SERVER_APPROVAL: ScalarKey<Approval> = ScalarKey::at("servers.*.approval");
pub(crate) const SERVER_GRANT: ScalarKey<Level> = ScalarKey::at("servers.*.grant");
pub(crate) const SERVER_TRUST_ANNOTATIONS: ScalarKey<bool> = ScalarKey::at("servers.*.trust_annotations");
pub(crate) const SERVER_TOOL_APPROVAL: ScalarKey<Approval> = ScalarKey::at("servers.*.tools.*.approval");
pub(crate) const SERVER_TOOL_CATEGORY: ScalarKey<Category> = ScalarKey::at("servers.*.tools.*.category");

pub(crate) const APP_TRUST: ScalarKey<bool> = ScalarKey::at("apps.*.trust_require_approval");
pub(crate) const APP_CATEGORIES: ScalarKey<bool> = ScalarKey::at("apps.*.trust_categories");
