// The JSON-RPC API of `mayi serve` (JSON-RPC 2.0; WebSocket, or HTTP POST for single calls, at the URL of the ready line).
// Types only, and nothing else.

export type Mode = "plan" | "default" | "auto";
export type State = "pending" | "approved" | "denied" | "cancelled" | "expired";
export type Effect = "allow" | "ask" | "deny";

// ---- mayi/initialize: first call on every connection
export interface InitializeParams {
  protocolVersion: 1;
  client: { name: string; version: string };   // name is what other surfaces hear as "answered by NAME": "vscode", "page"
  settings?: EditorSettings | null;             // the editor's own layer of configuration; null/absent: none
}
export interface InitializeResult {
  protocolVersion: 1;
  server: { name: string; version: string };
  instance: string;                             // another one after each start of the backend
  credential: "ask" | "answer";
  agents: AgentInfo[];
  modes: { id: Mode; name: string; description: string }[];
  mode: Mode;                                   // what new sessions have without a choice
  notices: string[];                            // about the configuration, one line each; hostile text, show as text
  ui: string | null;                            // address of the page, if served
}
export interface EditorSettings {               // = VS Code settings mayi.agents / mayi.servers / mayi.mode
  agents?: Record<string, EditorAgent>;         // name: letters, digits, . _ -
  servers?: Record<string, EditorServer>;
}
export interface EditorAgent { command?: string; args?: string[]; env?: Record<string, string>; bypassPermissions?: boolean; mode?: Mode }
export interface EditorServer {
  command?: string; args?: string[]; env?: Record<string, string>;   // a program, or
  url?: string; headers?: Record<string, string>;                    // an address
  approval?: "required" | "not_required";
  tools?: Record<string, "required" | "not_required" | "default">;
}
export interface AgentInfo {
  name: string; title: string;
  found: boolean;                  // its program was found
  hint: string | null;             // what to do if not
  mode: Mode | null;
  bypassPermissions: boolean;
  bypassLocked: string | null;     // the file that locks it
}

// ---- sessions: a tab is a session with an agent of its own
export interface SessionNewParams {
  agent: string; cwd: string;
  mode?: Mode | null;              // null: as configured
  tabId?: string | null;           // chosen by the client (<= 64 of [A-Za-z0-9-]); else made up
  resume?: string | null;          // sessionId of an earlier session of this agent: goes on with it if the agent can, else `resumed: false`
}
export interface SessionInfo {
  tabId: string; sessionId: string; agentName: string; title: string; cwd: string;
  mode: Mode; modeLocked: string | null; bypassPermissions: boolean;
  state: "starting" | "idle" | "running" | "ended";
  error: string | null;            // why it ended
  resumed: boolean; canResume: boolean;
  waiting: number;                 // cards that wait in it
}
// session/new SessionNewParams -> SessionInfo          (returns when the agent is ready; errors: code -32010 with a message for people)
// session/prompt {tabId, text} -> {turn: number}       (returns at once; `turn-ended` tells the end)
// session/cancel {tabId} -> {}                         (pending cards of it become cancelled)
// session/close {tabId} -> {}
// session/list {} -> SessionInfo[]
// session/setMode {tabId, mode} -> SessionInfo

// ---- approvals
export interface Card {                          // `approval-request`
  type: "approval-request";
  approvalId: string; tabId: string | null;      // null: another process of mayi asks
  sessionId: string; agentName: string; parent: string | null;
  toolCall: { toolCallId: string | null; title: string; name: string | null; kind: string; rawInput: unknown; locations: unknown[]; content: CardContent[] };
  cwd: string; env: Record<string, string>;
  server: { name: string; tool: string; title?: string; description?: string; icons?: { src: string }[] } | null;
  tool?: { title?: string; description?: string; annotations?: unknown } | null;
  digest: string;
  agentOptions: { optionId: string; name: string; kind: string; danger?: string }[];
  accesses: { access: string; display: string; category: "read" | "write" | "execute" | "external" | null }[];
  permissionType: "read" | "write" | "all";
  options: CardOption[];
  suggestions: { patterns: string[]; scopes: ("session" | "workspace" | "user")[] }[];
  levels?: ("read" | "write" | "all")[];
  why: Finding[];
  history?: { allowed: number; denied: number; firstSeen: string | null };
  notShown: string[];
  createdAt: string; expiresAt: string | null;
  state: State;
  alike: string | null;                          // cards with the same key may be answered together; null: only by itself
}
export type CardContent =
  | { type: "diff"; path: string; oldText: string | null; newText: string }
  | { type: "content"; content: { type: "text"; text: string } };
// optionId: allow_once, allow_session, allow_always, deny, or "agent:" + the agent's own id
export interface CardOption { optionId: string; name: string; kind: string; scope: string; danger: string | null }
export interface Finding { effect: Effect; access?: string; source: string; pattern?: string | null; file?: string | null; line?: number | null; reason: string; always: boolean }
export interface ApprovalResponse {
  approvalId: string; digest: string;
  response: { outcome: { outcome: "selected"; optionId: string } | { outcome: "cancelled" } };
  bypassAll?: boolean;                           // with allow_once only; the surface asked twice
  remember?: { scope: "session" | "workspace" | "user"; patterns?: string[]; expiresIn?: string | null; uses?: number | null; level?: "read" | "write" | "all" | null } | null;
  reason?: string | null;
}
export interface ApprovalResolved { type: "approval-resolved"; approvalId: string; tabId: string | null; state: State; by: string; at: string; reason: string | null; grantedPermissions: string[] }
export interface ApprovalEntry { card: Card; state: State; by: string | null; at: string | null; reason: string | null }
// approval/list {pending?: boolean, ids?: string[], limit?: number} -> ApprovalEntry[]   (newest first unless pending: then oldest first)
// approval/respond ApprovalResponse -> ApprovalResolved     (error -32020: refused, with data {reason: "settled"|"changed"|"unknown"|"option"|"remember"|"store", state?, by?})
// approval/respondMany {responses: ApprovalResponse[]} -> {results: {approvalId: string, resolved?: ApprovalResolved, error?: string}[]}
// approval/request (asking credential) {call: object as one line of `mayi check --stdin`, title?: string, timeoutSeconds?: number} -> {outcome: "allowed"|"denied", approvalId: string|null, by: string|null, reason: string|null, why: Finding[]}

// ---- the rest
// settings/get {cwd?: string} -> {mode: Mode, agents: AgentInfo[], editor: EditorSettings|null, settings: {key: string, value: unknown, origin: Origin}[], notices: string[]}
// settings/update {editor?: EditorSettings, agents?: Record<string,{bypassPermissions?: boolean}>, servers?: Record<string,{approval?: "required"|"not_required"|"default", tools?: Record<string,"required"|"not_required"|"default">}>} -> same as settings/get
//    `editor` replaces the editor's layer. agents/servers: written to where they are configured: if the server is one of the editor's settings (or an editor is
//    connected, for agents), a `settings-changed` event asks the editor to write it; else the user's file is changed.
export interface ServerInfo {
  name: string; address: string;                 // the command line or URL, for people
  origin: Origin;
  approval: "required" | "not_required" | "default"; // default: as the matrix says
  level: "none" | "read" | "write" | "all";          // granted by setting or by grants
  changed: boolean;                                  // its definitions changed and are blocked: `mayi mcp pins`
  tools: { name: string; description: string | null; approval: "required" | "not_required" | "default"; effective: "required" | "not_required"; category: string | null; blocked: boolean }[];
}
// servers/list {cwd?: string} -> ServerInfo[]
export interface Grant { id: string; effect: "allow" | "deny"; agent: string; scope: "session" | "workspace" | "user"; session: string | null; workspace: string | null; what: string; server: string | null; level: string | null; createdAt: string; expiresAt: string | null; usesLeft: number | null; used: number }
// grants/list {} -> Grant[]        (live ones)
// grants/revoke {ids?: string[], server?: string} -> {revoked: number}
// log/query {limit?, before?, after?, agent?, kinds?, contains?} -> entries as `mayi log --json` prints them
// check {call: object as one line of `mayi check --stdin`} -> the decision as `mayi check --stdin` prints it
// ui/pair {} -> {code: string, url: string, expiresAt: string}    (only with --ui)
export interface Origin { layer: string; file: string | null; line: number | null }

// ---- events/subscribe {cursor?: Cursor|null} -> subscription; notifications with method "events/event", result = Batch
// (jsonrpsee's wire form: {"jsonrpc":"2.0","method":"events/event","params":{"subscription":ID,"result":Batch}}); events/unsubscribe [ID]
export interface Cursor { instance: string; seq: number }
export interface Batch { cursor: Cursor; events: Event[] }
export type Event =
  // first of all where the cursor is none, too old, or of another instance: everything as it is now. What was said before is in `replayed` events that follow, as far as it is kept.
  | { type: "snapshot"; sessions: SessionInfo[]; waiting: Card[]; lost: boolean /* events between the cursor and now are gone */ }
  | Card | (Omit<Card, "type"> & { type: "approval-updated" }) | ApprovalResolved
  | { type: "session-changed"; session: SessionInfo }
  | { type: "session-closed"; tabId: string }
  | { type: "prompt"; tabId: string; turn: number; text: string }             // what the person asked (also from another window)
  | { type: "session-update"; tabId: string; sessionId: string; update: Record<string, unknown> /* ACP `session/update`'s update, as it came */ }
  | { type: "decided"; tabId: string; sessionId: string; toolCallId: string | null; title: string; effect: Effect; by: string | null; why: Finding[] }
  | { type: "turn-ended"; tabId: string; turn: number; stopReason: string | null; error: string | null }
  | { type: "notice"; tabId: string | null; text: string }
  | { type: "settings-changed"; editor: EditorSettings; origin: string }       // the editor should write these: mayi.agents / mayi.servers
  | { type: "grants-changed" };

// ---- transport
// Ready line on stdout (one JSON line): {"v":1,"url":"http://127.0.0.1:PORT/","ws":"ws://127.0.0.1:PORT/","answerTokenFile":"...","askTokenFile":"...","pid":N,"instance":"...","version":"0.1.0","ui":null|"http://127.0.0.1:PORT/ui/"}
// Every request/upgrade: `Authorization: Bearer TOKEN` (first line of the token file). The page uses a cookie instead.
// GET /proof?nonce=HEX (32..128 hex chars; no token) -> {"proof": hex HMAC-SHA256(key = the answering token's text, message = "mayi-serve " + nonce)}: the client checks it BEFORE it sends its token, so that whoever took over a dead server's port learns nothing.
// HTTP refusals: 401 (token), 403 (Host, Origin), 413 (larger than 16 MiB... message), 429/503 (too many). JSON-RPC errors: -32602 invalid params, -32010 agent, -32020 answer refused, -32030 not allowed with this credential, -32040 configuration refused.
// `mayi serve [--listen 127.0.0.1:0] [--exit-when-idle DURATION] [--ui] [--allow-host NAME]...` ; --exit-when-idle: ends when no answering client was connected for that long.
