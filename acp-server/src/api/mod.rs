//! The shapes of the API: what goes over the wire, and nothing else. `src/api.generated.ts` of the extension is generated from
//! them (`just types`).

mod approvals;
mod events;
mod general;
mod hosts;
mod sessions;
#[cfg(test)]
mod typescript;

pub use approvals::{
    Answered, ApprovalEntry, ApprovalList, Asked, AskedOutcome, HostCall, Outcome, Respond, RespondMany,
    TabCard,
};
pub use events::{Batch, Cursor, Event, Subscribe};
pub use general::{
    AgentChange, AgentInfo, GrantInfo, Initialize, Initialized, LogQuery, ModeInfo, OriginInfo, Pairing,
    Place, Revoke, Revoked, ServerChange, ServerInfo, ServerName, SettingInfo, SettingsUpdate, SettingsView,
    StatsQuery, TemplateInfo, ToolInfo,
};
pub use hosts::{
    HostAsk, HostAwait, HostClose, HostDiff, HostEvent, HostKey, HostOpen, HostOutcome, HostReport,
    HostRevoke, HostSession, HostSetMode, HostStatus, HostTool, HostToolInfo, HostToolbelt, HostTools,
    HostVerdict, HostWithdraw,
};
pub use sessions::{NewSession, Prompt, SessionInfo, SetBypass, SetMode, Tab, TabState, Turn};

/// The version of this API. Another one is refused at `mayi/initialize`.
pub const PROTOCOL_VERSION: u32 = 1;
