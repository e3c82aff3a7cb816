//! The shapes of the API as TypeScript, for the extension and the client library: generated, checked in, and held to the code by a test.

use mayi_core::approval::{
    AgentOption, ApprovalId, ApprovalResolved, ApprovalResponse, Card, CardAccess, CardOption, CardServer,
    CardToolCall, History, Outcome as CardOutcome, PermissionType, Remember, RememberScope, State,
    Suggestion,
};
use mayi_core::call::{Category, Digest, ToolAbout};
use mayi_core::config::{
    EditorAgent, EditorServer, EditorSettings, EditorTool, EditorToolParts, EditorWorkspace,
};
use mayi_core::policy::{Approval, Effect, Finding, Level, Mode, Source};
use mayi_core::record::Kind;
use mayi_core::record::analysis::{Answers, Counted, Counts, Day, RuleCount, Stats};
use ts_rs::{Config, TS};

use super::*;

const HEAD: &str = "\
// The API of `mayi serve`: JSON-RPC 2.0 over a WebSocket, or HTTP for single calls.
// Generated from acp-server/src/api: `just types` writes it anew, and a test holds it to the code.

";

/// Name, parameters and result of every method, in the words of the types.
const METHODS: &[(&str, &str, &str)] = &[
    ("mayi/initialize", "Initialize", "Initialized"),
    ("session/new", "NewSession", "SessionInfo"),
    ("session/prompt", "Prompt", "Turn"),
    ("session/cancel", "Tab", "Record<string, never>"),
    ("session/close", "Tab", "Record<string, never>"),
    ("session/list", "Record<string, never>", "SessionInfo[]"),
    ("session/setMode", "SetMode", "SessionInfo"),
    ("session/setBypass", "SetBypass", "SessionInfo"),
    ("approval/list", "Partial<ApprovalList>", "ApprovalEntry[]"),
    ("approval/respond", "ApprovalResponse", "Answered"),
    ("approval/respondMany", "RespondMany", "{ results: AnswerOutcome[] }"),
    ("approval/request", "Asked", "AskedOutcome"),
    ("host/open", "HostOpen", "HostSession"),
    ("host/get", "HostKey", "HostSession"),
    ("host/setMode", "HostSetMode", "HostSession"),
    ("host/tools", "HostTools", "HostToolbelt"),
    ("host/ask", "HostAsk", "HostOutcome"),
    ("host/outcome", "HostAwait", "HostOutcome"),
    ("host/withdraw", "HostWithdraw", "Record<string, never>"),
    ("host/report", "HostReport", "Record<string, never>"),
    ("host/grants", "HostKey", "GrantInfo[]"),
    ("host/revoke", "HostRevoke", "Revoked"),
    ("host/close", "HostClose", "Record<string, never>"),
    ("host/subscribe", "HostKey", "number | string"),
    ("settings/get", "Place", "SettingsView"),
    ("settings/update", "SettingsUpdate", "SettingsView"),
    ("servers/list", "Place", "ServerInfo[]"),
    ("grants/list", "Record<string, never>", "GrantInfo[]"),
    ("grants/revoke", "Revoke", "Revoked"),
    ("log/query", "LogQuery", "unknown[]"),
    ("log/stats", "StatsQuery", "Stats"),
    ("templates/list", "Place", "TemplateInfo[]"),
    ("check", "{ call: unknown }", "unknown"),
    ("ui/pair", "Record<string, never>", "Pairing"),
    ("events/subscribe", "Subscribe", "number | string"),
];

macro_rules! declare {
    ($config:ident: $($kind:ty),* $(,)?) => {
        vec![$((<$kind as TS>::docs(), <$kind as TS>::decl(&$config))),*]
    };
}

/// The whole file.
fn typescript_source() -> String {
    let config = Config::new().with_large_int("number");
    let types: Vec<(Option<String>, String)> = declare![config:
        Mode, Effect, Level, Approval, Category, State, PermissionType, Source, Finding, ApprovalId, Digest,
        AgentOption, CardToolCall, CardServer, ToolAbout, CardAccess, CardOption, Suggestion, History, Card,
        CardOutcome, RememberScope, Remember, ApprovalResponse, ApprovalResolved,
        EditorSettings, EditorAgent, EditorServer, EditorTool, EditorToolParts, EditorWorkspace, Kind,
        Initialize, general::ClientInfo, ServerName, Initialized, ModeInfo, AgentInfo, Place, OriginInfo, SettingInfo,
        SettingsView, SettingsUpdate, AgentChange, ServerChange, ServerInfo, ToolInfo, GrantInfo, Revoke, Revoked,
        LogQuery, StatsQuery, Counts, Counted, RuleCount, Day, Answers, Stats, TemplateInfo, Pairing, NewSession, Tab, Prompt, Turn, SetMode, SetBypass, TabState, SessionInfo,
        HostCall, HostOpen, HostKey, HostSession, HostSetMode, HostTools, HostTool, HostToolInfo, HostToolbelt, HostDiff,
        HostAsk, HostAwait, HostWithdraw, HostVerdict, HostOutcome, HostReport, HostStatus, HostRevoke, HostClose, HostEvent,
        TabCard, Answered, ApprovalList, ApprovalEntry, RespondMany, Outcome, Asked, AskedOutcome,
        Cursor, Subscribe, Batch<ts_rs::Dummy>, Event,
    ];
    let mut text = HEAD.to_owned();
    for (docs, declared) in types {
        text.push_str(&docs.unwrap_or_default());
        text.push_str(&format!("export {declared}\n\n"));
    }
    text.push_str("/** Every method: its parameters and its result. */\nexport interface Methods {\n");
    for (name, params, result) in METHODS {
        text.push_str(&format!("  \"{name}\": {{ params: {params}; result: {result} }};\n"));
    }
    text.push_str("}\n");
    text
}

/// S2: TypeScript types are generated from the Rust types.
#[test]
fn given_the_types_then_the_files_of_the_extension_and_the_client_are_what_they_say() {
    let text = typescript_source();
    for place in ["../editors/vscode/src", "clients/typescript"] {
        let path = format!("{}/{place}/api.generated.ts", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("MAYI_WRITE_TYPES").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == text, "{path} is not what the types say: run `just types`");
    }
}

/// The list of methods is that of the server.
#[test]
fn given_the_methods_then_each_is_in_the_file() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src/rpc");
    for file in std::fs::read_dir(source).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let named = text.split('"').filter(|word| {
            let groups = [
                "mayi/",
                "session/",
                "approval/",
                "host/",
                "settings/",
                "servers/",
                "grants/",
                "log/",
                "templates/",
                "ui/",
            ];
            // What a subscription sends and what ends it belong to its method.
            let of_subscription = word.ends_with("/event") || word.ends_with("/unsubscribe");
            groups.iter().any(|group| word.starts_with(group))
                && !word.contains([' ', '\n', ':'])
                && !of_subscription
        });
        for name in named {
            assert!(METHODS.iter().any(|(known, ..)| *known == name), "{name} is not in METHODS");
        }
    }
}
