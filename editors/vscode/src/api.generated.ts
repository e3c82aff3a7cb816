// The API of `mayi serve`: JSON-RPC 2.0 over a WebSocket, or HTTP for single calls.
// Generated from acp-server/src/api: `just types` writes it anew, and a test holds it to the code.

/**
 * How much is asked. Ordered by strictness: `auto` < `default` < `plan`.
 */
export type Mode = "auto" | "default" | "plan";

/**
 * What becomes of a call. Ordered by strictness, so that the strictest of many is their maximum.
 */
export type Effect = "allow" | "ask" | "deny";

/**
 * The level that was granted to a server.
 */
export type Level = "none" | "read" | "write" | "all";

/**
 * Whether a server's or tool's calls need an answer.
 */
export type Approval = "required" | "not_required" | "default";

/**
 * What the matrix is about (D4.17).
 */
export type Category = "read" | "write" | "execute" | "external";

/**
 * Where an approval stands. It leaves `Pending` once, and never comes back.
 */
export type State = "pending" | "approved" | "denied" | "cancelled" | "expired";

/**
 * The level that the call asks for.
 */
export type PermissionType = "read" | "write" | "all";

/**
 * What a finding comes from.
 */
export type FindingSource = "rule" | "protection" | "setting" | "matrix" | "plan" | "caveat" | "grant" | "bypass" | "auto" | "confined" | "error";

/**
 * One reason for an effect on one access: the same value on cards, in `check` and in the record.
 */
export type Finding = { 
/**
 * What this reason asks for.
 */
effect: Effect, 
/**
 * The access it is about, as text: `shell(rm -rf x)`.
 */
access: string, 
/**
 * Where it comes from.
 */
source: FindingSource, 
/**
 * The pattern that matched.
 */
pattern?: string, 
/**
 * The file the pattern is written in.
 */
file?: string, 
/**
 * The line in that file, from 1.
 */
line?: number, 
/**
 * One line, lower case.
 */
reason: string, 
/**
 * Asked about whatever the mode and the settings.
 */
always: boolean, };

/**
 * The id of an approval: a UUIDv7, so that ids sort by time.
 */
export type ApprovalId = string;

/**
 * SHA-256 of the RFC 8785 canonical form, in lower-case hexadecimal.
 */
export type Digest = string;

/**
 * One of the agent's options (ACP `PermissionOption`): its id and its label verbatim. A kind that the protocol does not know
 * allows nothing.
 */
export type AgentOption = { 
/**
 * The protocol's id.
 */
optionId: string, 
/**
 * The agent's label: shown as data.
 */
name: string, 
/**
 * What it does.
 */
kind: string, 
/**
 * What a person should know before picking it: it switches modes, it is remembered by the agent.
 */
danger?: string, };

/**
 * The tool call, as the agent described it.
 */
export type CardToolCall = { 
/**
 * The protocol's id.
 */
toolCallId: string | null, 
/**
 * The agent's title.
 */
title: string, 
/**
 * The programmatic name.
 */
name: string | null, 
/**
 * The protocol's kind word.
 */
kind: string, 
/**
 * The input as it was sent.
 */
rawInput: unknown, 
/**
 * Where the agent says that it works, as it sent it.
 */
locations: unknown[], 
/**
 * Diffs and texts.
 */
content: unknown, 
/**
 * What of the input of a change neither the first line nor the diffs say: it stands open (S2.13).
 */
openInput?: unknown, 
/**
 * It changes a file, and nothing tells what of it, or not all of it is shown: no key allows it (S2.14).
 */
untold?: boolean, };

/**
 * The MCP server a tool belongs to.
 */
export type CardServer = { 
/**
 * Its name in the configuration.
 */
name: string, 
/**
 * The tool's name.
 */
tool: string, 
/**
 * What it calls itself: the server's words, as everything below.
 */
title?: string, 
/**
 * What it says it is for.
 */
description?: string, 
/**
 * Its icons: those that hold their picture, so that nothing is fetched to show them.
 */
icons?: unknown[], };

/**
 * What a server says of a tool.
 */
export type ToolAbout = { 
/**
 * What it calls the tool, for people.
 */
title?: string, 
/**
 * What it says that the tool does.
 */
description?: string, 
/**
 * Its hints, such as `readOnlyHint`.
 */
annotations?: unknown, };

/**
 * One access, for people.
 */
export type CardAccess = { 
/**
 * The selector's word.
 */
access: string, 
/**
 * What is touched. Not escaped: surfaces do that.
 */
display: string, 
/**
 * The row of the matrix.
 */
category: Category | null, };

/**
 * One choice on the card.
 */
export type CardOption = { 
/**
 * One of [`choice`], or [`choice::AGENT`] and the agent's id.
 */
optionId: string, 
/**
 * mayi's label, or the agent's for its own options.
 */
name: string, 
/**
 * What it does.
 */
kind: string, 
/**
 * `once`, `session`, `user`, or `agent` where the agent remembers.
 */
scope: string, 
/**
 * What to know before picking it.
 */
danger: string | null, 
/**
 * For `allow_session`: what an answer for the session grants, as it is remembered: patterns, or `exactly this call`.
 */
grants?: Array<string>, 
/**
 * The same in words.
 */
covers?: string, };

/**
 * Patterns that would allow the like from now on: all of them are needed to cover the call.
 */
export type Suggestion = { 
/**
 * One for each access that is not covered yet.
 */
patterns: Array<string>, 
/**
 * How long they may be remembered: `session`, `workspace`, `user`.
 */
scopes: Array<string>, };

/**
 * How the like was answered before.
 */
export type History = { 
/**
 * So often with yes.
 */
allowed: number, 
/**
 * So often with no.
 */
denied: number, 
/**
 * When it was first asked about.
 */
firstSeen: string | null, };

/**
 * A question to a person.
 */
export type Card = { 
/**
 * Always `approval-request`.
 */
type: "approval-request" | "approval-updated", 
/**
 * Its id.
 */
approvalId: ApprovalId, 
/**
 * The session that asks.
 */
sessionId: string, 
/**
 * The agent's identity.
 */
agentName: string, 
/**
 * For a sub-agent: the session that started the one that asks, or the tool call that did, as the agent tells.
 */
parent: string | null, 
/**
 * The title of that tool call, in the agent's words.
 */
parentTitle?: string, 
/**
 * The tool call.
 */
toolCall: CardToolCall, 
/**
 * The folder that relative names start from.
 */
cwd: string, 
/**
 * Variables that the call sets.
 */
env: { [key in string]: string }, 
/**
 * The MCP server, if it is a call to one.
 */
server: CardServer | null, 
/**
 * What that server says of the tool.
 */
tool?: ToolAbout, 
/**
 * What the answer is bound to: it is echoed with the answer.
 */
digest: Digest, 
/**
 * The agent's own options.
 */
agentOptions: Array<AgentOption>, 
/**
 * What would be touched.
 */
accesses: Array<CardAccess>, 
/**
 * The level asked for.
 */
permissionType: PermissionType, 
/**
 * The choices.
 */
options: Array<CardOption>, 
/**
 * Patterns for "Always ...".
 */
suggestions: Array<Suggestion>, 
/**
 * Levels that could be granted to the tool's server instead.
 */
levels?: Array<Level>, 
/**
 * Why it is asked.
 */
why: Array<Finding>, 
/**
 * How the like was answered before, as far as it is recorded.
 */
history?: History, 
/**
 * What the request held that is not on the card, or is there and can't be seen.
 */
notShown: Array<string>, 
/**
 * When it was asked.
 */
createdAt: string, 
/**
 * When it expires, if ever.
 */
expiresAt: string | null, 
/**
 * Where it stands.
 */
state: State, };

/**
 * ACP's form of an outcome.
 */
export type Outcome = { "outcome": "selected", 
/**
 * Its id.
 */
optionId: string, } | { "outcome": "cancelled" };

/**
 * How long an answer is remembered.
 */
export type RememberScope = "session" | "workspace" | "user";

/**
 * What to remember of an answer.
 */
export type Remember = { 
/**
 * How long.
 */
scope: RememberScope, 
/**
 * The patterns; empty: what "Allow for this session" covers by itself.
 */
patterns: Array<string>, 
/**
 * For so long: `30m`, `2h`, `1d`.
 */
expiresIn?: string, 
/**
 * For so many calls.
 */
uses?: number, 
/**
 * In place of patterns, for a tool of an MCP server: this level, for all its tools.
 */
level?: Level, };

/**
 * An answer to a card.
 */
export type ApprovalResponse = { 
/**
 * Which card.
 */
approvalId: ApprovalId, 
/**
 * The digest that was shown.
 */
digest: Digest, 
/**
 * What was chosen: `{"outcome": ...}`, as ACP's `RequestPermissionResponse`.
 */
response: { outcome: Outcome }, 
/**
 * Bypass the agent from now on; the surface has asked twice.
 */
bypassAll: boolean, 
/**
 * Bypass it in this session, until that ends; the surface has asked twice. A member of its own, so that a version
 * that does not know it allows one call, and not all of them for good.
 */
bypassSession?: boolean, 
/**
 * What to remember.
 */
remember: Remember | null, 
/**
 * Why, in the person's words: passed on to the agent.
 */
reason: string | null, };

/**
 * What became of an approval.
 */
export type ApprovalResolved = { 
/**
 * Always `approval-resolved`.
 */
type: "approval-resolved", 
/**
 * Which card.
 */
approvalId: ApprovalId, 
/**
 * How it ended.
 */
state: State, 
/**
 * Which surface or rule ended it: `terminal`, `policy`, `agent`, ...
 */
by: string, 
/**
 * When.
 */
at: string, 
/**
 * The person's reason.
 */
reason: string | null, 
/**
 * What was granted with the answer beyond this one call, for people: `shell(cargo test) (session)`. Not escaped:
 * surfaces do that.
 */
grantedPermissions: Array<string>, };

/**
 * An editor's settings.
 */
export type EditorSettings = { 
/**
 * The mode of all sessions.
 */
mode?: Mode, 
/**
 * Agents, by name.
 */
agents: { [key in string]: EditorAgent }, 
/**
 * MCP servers, by name.
 */
servers: { [key in string]: EditorServer }, 
/**
 * What agents' own tools do, by name.
 */
tools: { [key in string]: Category }, 
/**
 * The user's own settings for folders, by their paths: absolute, or from `~/`.
 */
workspaces: { [key in string]: EditorWorkspace }, };

/**
 * An agent in an editor's settings.
 */
export type EditorAgent = { 
/**
 * The program that starts it, in place of what other files say.
 */
command?: string, 
/**
 * The program's arguments.
 */
args?: Array<string>, 
/**
 * Variables that are set for it.
 */
env?: { [key in string]: string }, 
/**
 * Whether it acts without asking.
 */
bypassPermissions?: boolean, 
/**
 * The mode of its sessions.
 */
mode?: Mode, 
/**
 * What its own tools do, by name.
 */
tools?: { [key in string]: Category }, };

/**
 * An MCP server in an editor's settings.
 */
export type EditorServer = { 
/**
 * The program that is the server.
 */
command?: string, 
/**
 * The program's arguments.
 */
args?: Array<string>, 
/**
 * Variables that are set for it.
 */
env?: { [key in string]: string }, 
/**
 * Where it is reached, in place of a program.
 */
url?: string, 
/**
 * Headers that are sent there.
 */
headers?: { [key in string]: string }, 
/**
 * Whether its tools ask: `required` or `not_required`.
 */
approval?: Approval, 
/**
 * The level that is granted to it.
 */
grant?: Level, 
/**
 * Whether what it says of its tools may loosen a decision.
 */
trustAnnotations?: boolean, 
/**
 * For single tools: whether they ask, also `default`, or what they do.
 */
tools?: { [key in string]: EditorTool }, };

/**
 * What is said of a tool of a server: one word, or both of what there is to say.
 */
export type EditorTool = Approval | Category | EditorToolParts;

/**
 * What is said of a tool, part by part.
 */
export type EditorToolParts = { 
/**
 * Whether its calls ask.
 */
approval?: Approval, 
/**
 * What it does.
 */
category?: Category, };

/**
 * A folder, and all below it, in an editor's settings: the user's own, never what a repository brings.
 */
export type EditorWorkspace = { 
/**
 * The mode of sessions there.
 */
mode?: Mode, };

/**
 * What an entry says.
 */
export type EntryKind = "proposed" | "decided" | "asked" | "answered" | "expired" | "cancelled" | "started" | "finished" | "unasked" | "granted" | "revoked" | "config";

/**
 * `mayi/initialize`.
 */
export type Initialize = { 
/**
 * The version of the API that the client speaks.
 */
protocolVersion: number, 
/**
 * Who it is.
 */
client: ClientInfo, 
/**
 * The editor's own settings; none: it has none, or leaves them as they are.
 */
settings: unknown, };

/**
 * Who calls.
 */
export type ClientInfo = { 
/**
 * What others hear as who answered: letters, digits, `.`, `_` and `-`.
 */
name: string, 
/**
 * Its version.
 */
version: string, };

/**
 * The name of a server of the API.
 */
export type ServerName = { 
/**
 * `mayi`.
 */
name: string, 
/**
 * Its version.
 */
version: string, };

/**
 * The answer to `mayi/initialize`.
 */
export type Initialized = { 
/**
 * The version of the API.
 */
protocolVersion: number, 
/**
 * Who answers.
 */
server: ServerName, 
/**
 * Another one after each start.
 */
instance: string, 
/**
 * `ask` or `answer`.
 */
credential: string, 
/**
 * Agents that can be started.
 */
agents: Array<AgentInfo>, 
/**
 * The modes, strictest first.
 */
modes: Array<ModeInfo>, 
/**
 * The one that new sessions have.
 */
mode: Mode, 
/**
 * What was noticed about the configuration.
 */
notices: Array<string>, 
/**
 * Where the page is, if it is served.
 */
ui: string | null, };

/**
 * A mode, for people.
 */
export type ModeInfo = { 
/**
 * Its id.
 */
id: Mode, 
/**
 * Its name.
 */
name: string, 
/**
 * What it means, in one line.
 */
description: string, };

/**
 * An agent that is configured.
 */
export type AgentInfo = { 
/**
 * Its name in the configuration.
 */
name: string, 
/**
 * Its name for people.
 */
title: string, 
/**
 * Whether its program is there.
 */
found: boolean, 
/**
 * What to do if not.
 */
hint: string | null, 
/**
 * The mode that is configured for it.
 */
mode: Mode | null, 
/**
 * Whether it acts without asking.
 */
bypassPermissions: boolean, 
/**
 * The file that locks that.
 */
bypassLocked: string | null, };

/**
 * A folder to look from: what is configured may differ by folder.
 */
export type Place = { 
/**
 * The folder; none: the one that the backend was started in.
 */
cwd?: string, };

/**
 * Where a setting is written.
 */
export type OriginInfo = { 
/**
 * The layer: `built-in`, `managed`, `user`, `workspace`, `editor`, ...
 */
layer: string, 
/**
 * The file, if it is one.
 */
file: string | null, 
/**
 * The line in that file, from 1.
 */
line: number | null, };

/**
 * One scalar as it counts.
 */
export type SettingInfo = { 
/**
 * Its place in a file: `agents.claude.mode`.
 */
key: string, 
/**
 * Its value: a text, or true or false.
 */
value: unknown, 
/**
 * Where it is written.
 */
origin: OriginInfo, };

/**
 * The answer to `settings/get` and `settings/update`.
 */
export type SettingsView = { 
/**
 * The mode of new sessions.
 */
mode: Mode, 
/**
 * The agents.
 */
agents: Array<AgentInfo>, 
/**
 * The editor's own settings.
 */
editor: EditorSettings | null, 
/**
 * Every scalar that counts, with its origin.
 */
settings: Array<SettingInfo>, 
/**
 * What was noticed about the configuration.
 */
notices: Array<string>, };

/**
 * `settings/update`.
 */
export type SettingsUpdate = { 
/**
 * In place of all of the editor's settings.
 */
editor: unknown, 
/**
 * By agent.
 */
agents: { [key in string]: AgentChange }, 
/**
 * By server.
 */
servers: { [key in string]: ServerChange }, };

/**
 * A change to an agent's settings.
 */
export type AgentChange = { 
/**
 * Whether it acts without asking.
 */
bypassPermissions?: boolean, };

/**
 * A change to a server's settings.
 */
export type ServerChange = { 
/**
 * Of all its tools; `default`: as the matrix says.
 */
approval?: Approval, 
/**
 * By tool; `default`: as the server's.
 */
tools: { [key in string]: Approval }, 
/**
 * The level that is granted to it.
 */
grant?: Level, 
/**
 * Whether what it says of its tools may loosen a decision.
 */
trustAnnotations?: boolean, 
/**
 * What single tools do, as the user knows them; null: nothing is said of it any more.
 */
categories: { [key in string]: Category | null }, };

/**
 * A server that is configured, or that was met.
 */
export type ServerInfo = { 
/**
 * Its name in the configuration.
 */
name: string, 
/**
 * How it is reached, for people.
 */
address: string, 
/**
 * Where that is written.
 */
origin: OriginInfo, 
/**
 * Whether its tools are asked about; `default`: as the matrix says.
 */
approval: Approval, 
/**
 * What `default` means for a tool of which nothing is known, in the mode that new sessions have here.
 */
byDefault: Approval, 
/**
 * The level that is granted for its tools, by a setting or an answer.
 */
level: string, 
/**
 * The level of the setting alone.
 */
grant: Level, 
/**
 * Whether what it says of its tools may loosen a decision.
 */
trustAnnotations: boolean, 
/**
 * What it says of itself has changed and is blocked.
 */
changed: boolean, 
/**
 * Its tools, as far as they are known.
 */
tools: Array<ToolInfo>, };

/**
 * A tool of a server.
 */
export type ToolInfo = { 
/**
 * Its name.
 */
name: string, 
/**
 * What the server says of it: data.
 */
description: string | null, 
/**
 * Its own setting.
 */
approval: Approval, 
/**
 * What counts, all settings and the mode together; rules may say otherwise of single calls.
 */
effective: Approval, 
/**
 * What would count without its own setting.
 */
byDefault: Approval, 
/**
 * The category that is configured for it, or that its server claims and is trusted in.
 */
category: string | null, 
/**
 * The category that is configured for it.
 */
ownCategory: Category | null, 
/**
 * It has changed since it was trusted.
 */
blocked: boolean, };

/**
 * A remembered answer.
 */
export type GrantInfo = { 
/**
 * Its id.
 */
id: string, 
/**
 * Allow or deny.
 */
effect: Effect, 
/**
 * Whose calls: an agent, several with commas, or `*` for all.
 */
agent: string, 
/**
 * `session`, `workspace` or `user`.
 */
scope: string, 
/**
 * The session that it ends with.
 */
session: string | null, 
/**
 * The folder that it counts in.
 */
workspace: string | null, 
/**
 * What it is about: a pattern, or words for people.
 */
what: string, 
/**
 * The MCP server that it is about.
 */
server: string | null, 
/**
 * The level for all tools of that server.
 */
level: string | null, 
/**
 * Where it is written, if it is a rule of the user's file: one for good.
 */
rule: OriginInfo | null, 
/**
 * When it was given; none: a rule's file does not tell.
 */
createdAt: string | null, 
/**
 * When it ends by itself.
 */
expiresAt: string | null, 
/**
 * How often it can still be used.
 */
usesLeft: number | null, 
/**
 * How often it was used.
 */
used: number, };

/**
 * `grants/revoke`.
 */
export type Revoke = { 
/**
 * These.
 */
ids: Array<string>, 
/**
 * All of this server.
 */
server?: string, };

/**
 * The answer to `grants/revoke`.
 */
export type Revoked = { 
/**
 * How many were ended.
 */
revoked: number, };

/**
 * `log/query`.
 */
export type LogQuery = { 
/**
 * At most so many; 100 if it is not said, 1,000 at most.
 */
limit?: number, 
/**
 * Only entries before this number.
 */
before?: number, 
/**
 * Only entries after this number.
 */
after?: number, 
/**
 * Of this agent.
 */
agent?: string, 
/**
 * Of these kinds.
 */
kinds: Array<EntryKind>, 
/**
 * Whose access or detail holds this text.
 */
contains?: string, };

/**
 * `log/stats`.
 */
export type StatsQuery = { 
/**
 * Of this agent.
 */
agent?: string, 
/**
 * Of the last so many days; none: of all that is in the database.
 */
days?: number, };

/**
 * What became of calls. A call is in one of `allowed`, `denied`, `asked` and `unasked`, and one that was
 * asked about in one of the other three.
 */
export type Counts = { 
/**
 * All of them.
 */
calls: number, 
/**
 * Allowed without a question.
 */
allowed: number, 
/**
 * Denied without a question.
 */
denied: number, 
/**
 * Needed an answer.
 */
asked: number, 
/**
 * Of these: somebody or something said yes.
 */
approved: number, 
/**
 * Of these: somebody or something said no.
 */
refused: number, 
/**
 * Of these: nobody was there, nobody answered, or it was withdrawn.
 */
unanswered: number, 
/**
 * Done by an agent without asking.
 */
unasked: number, };

/**
 * [`Counts`] of something.
 */
export type Counted = { 
/**
 * Of what.
 */
name: string, 
/**
 * All of them.
 */
calls: number, 
/**
 * Allowed without a question.
 */
allowed: number, 
/**
 * Denied without a question.
 */
denied: number, 
/**
 * Needed an answer.
 */
asked: number, 
/**
 * Of these: somebody or something said yes.
 */
approved: number, 
/**
 * Of these: somebody or something said no.
 */
refused: number, 
/**
 * Of these: nobody was there, nobody answered, or it was withdrawn.
 */
unanswered: number, 
/**
 * Done by an agent without asking.
 */
unasked: number, };

/**
 * How often a rule spoke.
 */
export type RuleCount = { 
/**
 * What it asks for.
 */
effect: Effect, 
/**
 * Its pattern.
 */
pattern: string, 
/**
 * The file it is written in.
 */
file: string | null, 
/**
 * The line in it.
 */
line: number | null, 
/**
 * In so many calls it was among the findings.
 */
spoke: number, 
/**
 * So often it was the one that decided.
 */
decided: number, };

/**
 * Questions of one day.
 */
export type Day = { 
/**
 * Such as `2026-07-28`.
 */
day: string, 
/**
 * So many.
 */
asked: number, };

/**
 * How long people took to answer, in milliseconds.
 */
export type Answers = { 
/**
 * So many answers.
 */
count: number, 
/**
 * Half of them took no longer.
 */
median: number | null, 
/**
 * Nine of ten took no longer.
 */
p90: number | null, };

/**
 * Figures of a part of the record.
 */
export type Stats = { 
/**
 * The version of this shape.
 */
v: number, 
/**
 * The first entry.
 */
since: string | null, 
/**
 * The last entry.
 */
until: string | null, 
/**
 * Everything together.
 */
all: Counts, 
/**
 * By agent, the most calls first.
 */
agents: Array<Counted>, 
/**
 * By the word before the bracket of the access that decided: `shell`, `write`.
 */
selectors: Array<Counted>, 
/**
 * By tool: the program of a command, a server's tool, else the selector.
 */
tools: Array<Counted>, 
/**
 * Rules that spoke, the most often deciding ones first.
 */
rules: Array<RuleCount>, 
/**
 * Questions by day, oldest first; days without any are left out.
 */
days: Array<Day>, 
/**
 * How long people took.
 */
answers: Answers, };

/**
 * A configuration to begin with, as `mayi init` has them.
 */
export type TemplateInfo = { 
/**
 * Its name.
 */
name: string, 
/**
 * What it is for: its first words.
 */
about: string, 
/**
 * The file, with the rules of the languages that the folder has.
 */
text: string, };

/**
 * The answer to `ui/pair`.
 */
export type Pairing = { 
/**
 * To be typed on the page, once.
 */
code: string, 
/**
 * Where the page is.
 */
url: string, 
/**
 * Until when the code counts.
 */
expiresAt: string, };

/**
 * `session/new`.
 */
export type NewSession = { 
/**
 * Its name in the configuration.
 */
agent: string, 
/**
 * The folder that it works in: absolute.
 */
cwd: string, 
/**
 * The mode of the session; none: as configured.
 */
mode: Mode | null, 
/**
 * The client's own name for the tab: letters, digits and `-`, at most 64; none: one is made up.
 */
tabId: string | null, 
/**
 * The agent's id of an earlier session to go on with. An agent that can't do that begins anew.
 */
resume: string | null, 
/**
 * Two tools, `find_tools` and `run_tool`, in place of all that the MCP servers have; none: as `mayi serve` was told.
 */
toolbelt: boolean | null, 
/**
 * Whether mayi stands before the MCP servers; none: as `mayi serve` was told. Without it, what the agent does not ask
 * about runs unjudged.
 */
gateway: boolean | null, };

/**
 * Names a tab.
 */
export type Tab = { 
/**
 * Which.
 */
tabId: string, };

/**
 * `session/prompt`.
 */
export type Prompt = { 
/**
 * Which tab.
 */
tabId: string, 
/**
 * What the person says.
 */
text: string, 
/**
 * The mode of the session from now on; none: as it is. Also `permission_mode`, as other clients call it.
 */
mode?: Mode, };

/**
 * The answer to `session/prompt`: the turn has begun.
 */
export type Turn = { 
/**
 * Its number in the tab; `turn-ended` has the same.
 */
turn: number, };

/**
 * `session/setMode`.
 */
export type SetMode = { 
/**
 * Which tab.
 */
tabId: string, 
/**
 * The mode from now on.
 */
mode: Mode, };

/**
 * `session/setBypass`.
 */
export type SetBypass = { 
/**
 * Which tab.
 */
tabId: string, 
/**
 * Whether its agent is bypassed in this session, until that ends.
 */
on: boolean, };

/**
 * What a tab is doing.
 */
export type TabState = "starting" | "idle" | "running" | "ended";

/**
 * A tab as it is now.
 */
export type SessionInfo = { 
/**
 * The tab.
 */
tabId: string, 
/**
 * The agent's id for the session; empty while it starts.
 */
sessionId: string, 
/**
 * The agent's name in the configuration.
 */
agentName: string, 
/**
 * What it is about: the first words that the person said.
 */
title: string, 
/**
 * The folder that it works in.
 */
cwd: string, 
/**
 * The mode that holds.
 */
mode: Mode, 
/**
 * The file that locks the mode.
 */
modeLocked: string | null, 
/**
 * Whether the agent acts without asking, but for what is always asked about and what rules say: by the settings.
 */
bypassPermissions: boolean, 
/**
 * The same in this session alone, until it ends.
 */
bypassSession: boolean, 
/**
 * What it is doing.
 */
state: TabState, 
/**
 * Why it ended: one line for people.
 */
error: string | null, 
/**
 * Whether it goes on with an earlier session.
 */
resumed: boolean, 
/**
 * Whether the agent could go on with it later.
 */
canResume: boolean, 
/**
 * How many questions wait in it, those in line among them.
 */
waiting: number, 
/**
 * How many of these are not shown yet: 64 are at once, and the next as one is settled.
 */
inLine: number, };

/**
 * A call of an app with a loop of its own.
 */
export type HostCall = { 
/**
 * The app's name, as it says.
 */
app: string, 
/**
 * Its own id of the chat.
 */
chat: string, 
/**
 * Its own id of the call.
 */
callId: string, };

/**
 * `host/open`.
 */
export type HostOpen = { 
/**
 * The app's name, as in `[apps.NAME]`: letters, digits, `.`, `_` and `-`.
 */
app: string, 
/**
 * The app's own id of the chat: at most 256 characters.
 */
chat: string, 
/**
 * The folder that relative names start from: absolute. A sub-task may leave it out, and works where its parent does.
 */
cwd?: string, 
/**
 * Folders that the chat works in besides.
 */
folders?: Array<string>, 
/**
 * The key of this chat from an earlier time: what was remembered for it counts again. None: a new one is made.
 */
key?: string, 
/**
 * The key of the session that this one is a sub-task of: it is never freer than that.
 */
parent?: string, 
/**
 * The mode; none: as configured.
 */
mode?: Mode, };

/**
 * Names a session of the host door.
 */
export type HostKey = { 
/**
 * Its key: a secret of the app's.
 */
key: string, };

/**
 * A session of the host door as it is now.
 */
export type HostSession = { 
/**
 * Names it in all that follows, and brings it back later: a secret of the app's.
 */
key: string, 
/**
 * What cards and the record call it.
 */
sessionId: string, 
/**
 * The app.
 */
app: string, 
/**
 * Who asks, for rules and the record: `host:NAME`; `open:host` for an app that may only ask.
 */
agent: string, 
/**
 * The app's own id of the chat.
 */
chat: string, 
/**
 * The mode that holds.
 */
mode: Mode, 
/**
 * The file that locks the mode.
 */
modeLocked: string | null, 
/**
 * What to tell the model about the mode.
 */
briefing: string, 
/**
 * Whether the categories that the app gives its tools count.
 */
trustCategories: boolean, 
/**
 * The calls that wait, oldest first.
 */
waiting: Array<HostOutcome>, };

/**
 * `host/setMode`.
 */
export type HostSetMode = { 
/**
 * Of which session.
 */
key: string, 
/**
 * The mode from now on.
 */
mode: Mode, };

/**
 * `host/tools`: the tools that the app offers its model.
 */
export type HostTools = { 
/**
 * Of which session.
 */
key: string, 
/**
 * In place of those that were told before: at most 1,000.
 */
tools: Array<HostTool>, };

/**
 * One tool of an app.
 */
export type HostTool = { 
/**
 * The MCP server that has it; none: the app itself.
 */
server?: string, 
/**
 * Its name.
 */
name: string, 
/**
 * What it does, as the app's user configured it. It counts where `[apps.NAME] trust_categories` says so.
 */
category?: Category, 
/**
 * MCP's `ToolAnnotations`: in place of a category, and under the same condition.
 */
annotations: unknown, };

/**
 * What holds for one tool, before its arguments are known.
 */
export type HostToolInfo = { 
/**
 * The MCP server that has it; none: the app itself.
 */
server: string | null, 
/**
 * Its name.
 */
name: string, 
/**
 * The row of the matrix that it is judged in.
 */
category: Category, 
/**
 * What would become of a call without arguments. One with arguments may be judged more strictly.
 */
effect: Effect, };

/**
 * The answer to `host/tools`.
 */
export type HostToolbelt = { 
/**
 * One for each tool, in their order.
 */
tools: Array<HostToolInfo>, };

/**
 * A change to a file, for the card.
 */
export type HostDiff = { 
/**
 * The file.
 */
path: string, 
/**
 * Its text before; null: it is new.
 */
oldText: string | null, 
/**
 * Its text after.
 */
newText: string, };

/**
 * `host/ask`: may this call run?
 */
export type HostAsk = { 
/**
 * In which session.
 */
key: string, 
/**
 * The app's own id of the call, at most 256 characters: the same id with the same call is the same question.
 */
callId: string, 
/**
 * What would be done, as a line of `mayi check --stdin` without what would say how to judge it; or a list of these, where
 * one call does several things.
 */
call: unknown, 
/**
 * The name of the app's tool.
 */
tool?: string, 
/**
 * The tool's arguments as the model wrote them, where `call` does not have them already: shown.
 */
input: unknown, 
/**
 * What changes in files: shown, and judged as writes too.
 */
diffs?: Array<HostDiff>, 
/**
 * What it is called: data.
 */
title?: string, 
/**
 * As in `host/tools`; none: as there.
 */
category?: Category, 
/**
 * Whether to answer only when it is decided. Else a question is answered with `asked` and its card at once. Default: true.
 */
wait?: boolean, 
/**
 * After so many seconds without an answer it is denied.
 */
timeoutSeconds?: number, };

/**
 * `host/outcome`.
 */
export type HostAwait = { 
/**
 * In which session.
 */
key: string, 
/**
 * Of which call.
 */
callId: string, 
/**
 * How many seconds to wait for it; none: until it is decided.
 */
waitSeconds?: number, 
/**
 * The digest of the card that was shown last, empty where none was: another card is told as soon as there is one.
 */
seen?: string, };

/**
 * `host/withdraw`: nobody wants to know any more.
 */
export type HostWithdraw = { 
/**
 * In which session.
 */
key: string, 
/**
 * Which call; none: all that wait.
 */
callId?: string, };

/**
 * Where a call stands.
 */
export type HostVerdict = "asked" | "allowed" | "denied" | "cancelled";

/**
 * What became of a call, or that it waits.
 */
export type HostOutcome = { 
/**
 * The app's own id of the call.
 */
callId: string, 
/**
 * `allowed`, `denied`, `cancelled`, or `asked` while it waits.
 */
outcome: HostVerdict, 
/**
 * The card, if somebody was asked.
 */
approvalId: ApprovalId | null, 
/**
 * Who or what decided it.
 */
by: string | null, 
/**
 * Why not: what to tell the model.
 */
reason: string | null, 
/**
 * What was granted along with it, as people read it.
 */
granted: Array<string>, 
/**
 * Every finding.
 */
why: Array<Finding>, 
/**
 * What is asked, while it waits.
 */
card?: Card, };

/**
 * `host/report`: what the app did with a call that was allowed.
 */
export type HostReport = { 
/**
 * In which session.
 */
key: string, 
/**
 * Which call.
 */
callId: string, 
/**
 * What became of it.
 */
status: HostStatus, };

/**
 * What became of a call that was allowed.
 */
export type HostStatus = "started" | "completed" | "failed";

/**
 * `host/revoke`.
 */
export type HostRevoke = { 
/**
 * Of which session.
 */
key: string, 
/**
 * Which of its remembered answers; none: all of them.
 */
ids?: Array<string>, };

/**
 * `host/close`.
 */
export type HostClose = { 
/**
 * Which session.
 */
key: string, 
/**
 * Whether the chat is gone for good: what was remembered for it is forgotten. Else its key brings it back.
 */
forget?: boolean, };

/**
 * `host/subscribe`: what happens in a session.
 */
export type HostEvent = { "type": "session", 
/**
 * It, with what waits.
 */
session: HostSession, } | { "type": "asked", 
/**
 * The app's own id of the call.
 */
callId: string, 
/**
 * The card.
 */
card: Card, } | { "type": "resolved", 
/**
 * The app's own id of the call.
 */
callId: string, 
/**
 * How.
 */
resolved: ApprovalResolved, } | { "type": "outcome", 
/**
 * It.
 */
outcome: HostOutcome, } | { "type": "closed" };

/**
 * A card, and where it belongs.
 */
export type TabCard = { 
/**
 * The tab that asks; none: another process of mayi.
 */
tabId: string | null, 
/**
 * The app and the chat that ask, where an app with a loop of its own does.
 */
host?: HostCall, 
/**
 * Cards of the same key may be answered together; none: only by itself.
 */
alike: string | null, 
/**
 * For each of its changes the line at which the old text begins in the file as it is now; none: it is not there just once.
 */
lines?: Array<number | null>, 
/**
 * Always `approval-request`.
 */
type: "approval-request" | "approval-updated", 
/**
 * Its id.
 */
approvalId: ApprovalId, 
/**
 * The session that asks.
 */
sessionId: string, 
/**
 * The agent's identity.
 */
agentName: string, 
/**
 * For a sub-agent: the session that started the one that asks, or the tool call that did, as the agent tells.
 */
parent: string | null, 
/**
 * The title of that tool call, in the agent's words.
 */
parentTitle?: string, 
/**
 * The tool call.
 */
toolCall: CardToolCall, 
/**
 * The folder that relative names start from.
 */
cwd: string, 
/**
 * Variables that the call sets.
 */
env: { [key in string]: string }, 
/**
 * The MCP server, if it is a call to one.
 */
server: CardServer | null, 
/**
 * What that server says of the tool.
 */
tool?: ToolAbout, 
/**
 * What the answer is bound to: it is echoed with the answer.
 */
digest: Digest, 
/**
 * The agent's own options.
 */
agentOptions: Array<AgentOption>, 
/**
 * What would be touched.
 */
accesses: Array<CardAccess>, 
/**
 * The level asked for.
 */
permissionType: PermissionType, 
/**
 * The choices.
 */
options: Array<CardOption>, 
/**
 * Patterns for "Always ...".
 */
suggestions: Array<Suggestion>, 
/**
 * Levels that could be granted to the tool's server instead.
 */
levels?: Array<Level>, 
/**
 * Why it is asked.
 */
why: Array<Finding>, 
/**
 * How the like was answered before, as far as it is recorded.
 */
history?: History, 
/**
 * What the request held that is not on the card, or is there and can't be seen.
 */
notShown: Array<string>, 
/**
 * When it was asked.
 */
createdAt: string, 
/**
 * When it expires, if ever.
 */
expiresAt: string | null, 
/**
 * Where it stands.
 */
state: State, };

/**
 * What became of a card.
 */
export type Answered = { 
/**
 * The tab that asked; none: another process of mayi.
 */
tabId: string | null, 
/**
 * Always `approval-resolved`.
 */
type: "approval-resolved", 
/**
 * Which card.
 */
approvalId: ApprovalId, 
/**
 * How it ended.
 */
state: State, 
/**
 * Which surface or rule ended it: `terminal`, `policy`, `agent`, ...
 */
by: string, 
/**
 * When.
 */
at: string, 
/**
 * The person's reason.
 */
reason: string | null, 
/**
 * What was granted with the answer beyond this one call, for people: `shell(cargo test) (session)`. Not escaped:
 * surfaces do that.
 */
grantedPermissions: Array<string>, };

/**
 * `approval/list`.
 */
export type ApprovalList = { 
/**
 * Only what waits: oldest first. Else the newest first.
 */
pending: boolean, 
/**
 * Only these.
 */
ids: Array<ApprovalId>, 
/**
 * At most so many.
 */
limit: number | null, };

/**
 * One question of the list.
 */
export type ApprovalEntry = { 
/**
 * What is or was asked.
 */
card: TabCard, 
/**
 * Where it stands.
 */
state: State, 
/**
 * Who or what settled it.
 */
by: string | null, 
/**
 * When.
 */
at: string | null, 
/**
 * Why.
 */
reason: string | null, };

/**
 * `approval/respondMany`.
 */
export type RespondMany = { 
/**
 * One answer a card, each with the digest that was shown.
 */
responses: Array<ApprovalResponse>, };

/**
 * What became of one answer of several.
 */
export type AnswerOutcome = { 
/**
 * Which card.
 */
approvalId: ApprovalId, 
/**
 * How it was settled.
 */
resolved?: Answered, 
/**
 * Why the answer was refused.
 */
error?: string, };

/**
 * `approval/request`: another program asks whether it may.
 */
export type Asked = { 
/**
 * The call, as a line of `mayi check --stdin`, without what would say how to judge it.
 */
call: unknown, 
/**
 * What it is called: data.
 */
title: string | null, 
/**
 * After so many seconds without an answer it is denied.
 */
timeoutSeconds: number | null, };

/**
 * The answer to `approval/request`.
 */
export type AskedOutcome = { 
/**
 * `allowed` or `denied`.
 */
outcome: string, 
/**
 * The card, if somebody was asked.
 */
approvalId: ApprovalId | null, 
/**
 * Who or what decided it.
 */
by: string | null, 
/**
 * Why not.
 */
reason: string | null, 
/**
 * Every finding.
 */
why: Array<Finding>, };

/**
 * A place in what happened.
 */
export type Cursor = { 
/**
 * Which backend: another one after each start.
 */
instance: string, 
/**
 * The number of the last event that was heard.
 */
seq: number, };

/**
 * `events/subscribe`.
 */
export type Subscribe = { 
/**
 * After which event; none: from the first one that is kept.
 */
cursor: Cursor | null, };

/**
 * One notification of the subscription.
 */
export type Batch<E> = { 
/**
 * The place after these events: what a later subscription begins with.
 */
cursor: Cursor, 
/**
 * What happened, in order.
 */
events: Array<E>, };

/**
 * Something that happened.
 */
export type Event = { "type": "snapshot", 
/**
 * The tabs.
 */
sessions: Array<SessionInfo>, 
/**
 * What waits, oldest first.
 */
waiting: Array<TabCard>, 
/**
 * How many more wait in line.
 */
inLine: number, 
/**
 * Events after the cursor are gone.
 */
lost: boolean, } | { "type": "in-line", 
/**
 * How many, of all tabs and of other processes.
 */
count: number, } | { "type": "session-changed", 
/**
 * As it is now.
 */
session: SessionInfo, } | { "type": "session-closed", 
/**
 * Which.
 */
tabId: string, } | { "type": "prompt", 
/**
 * In which tab.
 */
tabId: string, 
/**
 * The turn that it began.
 */
turn: number, 
/**
 * What.
 */
text: string, } | { "type": "session-update", 
/**
 * The tab.
 */
tabId: string, 
/**
 * The session: a sub-agent's is another one than the tab's.
 */
sessionId: string, 
/**
 * The `update` object.
 */
update: unknown, } | { "type": "decided", 
/**
 * The tab.
 */
tabId: string, 
/**
 * The session.
 */
sessionId: string, 
/**
 * The protocol's id of the tool call.
 */
toolCallId: string | null, 
/**
 * The agent's title: data.
 */
title: string, 
/**
 * What was decided.
 */
effect: Effect, 
/**
 * Who or what allowed it.
 */
by: string | null, 
/**
 * Why.
 */
why: Array<Finding>, } | { "type": "unasked", 
/**
 * The tab.
 */
tabId: string, 
/**
 * The session.
 */
sessionId: string, 
/**
 * The protocol's id of the tool call.
 */
toolCallId: string, 
/**
 * The agent's title: data.
 */
title: string, 
/**
 * What the policy says of it.
 */
policy: Effect, 
/**
 * Why.
 */
why: Array<Finding>, 
/**
 * It was tried, and failed.
 */
failed: boolean, } | { "type": "turn-ended", 
/**
 * The tab.
 */
tabId: string, 
/**
 * Which turn.
 */
turn: number, 
/**
 * The agent's reason, in the protocol's words.
 */
stopReason: string | null, 
/**
 * What went wrong: for people.
 */
error: string | null, } | { "type": "notice", 
/**
 * The tab, if it is about one.
 */
tabId: string | null, 
/**
 * The line: data.
 */
text: string, } | { "type": "settings-changed", 
/**
 * All of them.
 */
editor: EditorSettings, 
/**
 * Who changed them.
 */
origin: string, } | { "type": "grants-changed" } | TabCard | TabCard | Answered;

/** Every method: its parameters and its result. */
export interface Methods {
  "mayi/initialize": { params: Initialize; result: Initialized };
  "session/new": { params: NewSession; result: SessionInfo };
  "session/prompt": { params: Prompt; result: Turn };
  "session/cancel": { params: Tab; result: Record<string, never> };
  "session/close": { params: Tab; result: Record<string, never> };
  "session/list": { params: Record<string, never>; result: SessionInfo[] };
  "session/setMode": { params: SetMode; result: SessionInfo };
  "session/setBypass": { params: SetBypass; result: SessionInfo };
  "approval/list": { params: Partial<ApprovalList>; result: ApprovalEntry[] };
  "approval/respond": { params: ApprovalResponse; result: Answered };
  "approval/respondMany": { params: RespondMany; result: { results: AnswerOutcome[] } };
  "approval/request": { params: Asked; result: AskedOutcome };
  "host/open": { params: HostOpen; result: HostSession };
  "host/get": { params: HostKey; result: HostSession };
  "host/setMode": { params: HostSetMode; result: HostSession };
  "host/tools": { params: HostTools; result: HostToolbelt };
  "host/ask": { params: HostAsk; result: HostOutcome };
  "host/outcome": { params: HostAwait; result: HostOutcome };
  "host/withdraw": { params: HostWithdraw; result: Record<string, never> };
  "host/report": { params: HostReport; result: Record<string, never> };
  "host/grants": { params: HostKey; result: GrantInfo[] };
  "host/revoke": { params: HostRevoke; result: Revoked };
  "host/close": { params: HostClose; result: Record<string, never> };
  "host/subscribe": { params: HostKey; result: number | string };
  "settings/get": { params: Place; result: SettingsView };
  "settings/update": { params: SettingsUpdate; result: SettingsView };
  "servers/list": { params: Place; result: ServerInfo[] };
  "grants/list": { params: Record<string, never>; result: GrantInfo[] };
  "grants/revoke": { params: Revoke; result: Revoked };
  "log/query": { params: LogQuery; result: unknown[] };
  "log/stats": { params: StatsQuery; result: Stats };
  "templates/list": { params: Place; result: TemplateInfo[] };
  "check": { params: { call: unknown }; result: unknown };
  "ui/pair": { params: Record<string, never>; result: Pairing };
  "events/subscribe": { params: Subscribe; result: number | string };
}
