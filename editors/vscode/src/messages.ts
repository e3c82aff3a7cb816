// The messages between the extension and its webviews. Those about approvals are `approval-request`,
// `approval-response`, `approval-updated` and `approval-resolved`; both sides check what they get.

import { type AgentInfo, type Answered, type Approval, type ApprovalResponse, APPROVALS, CATEGORIES, type Category, type GrantInfo, type Level, type Mode, type ModeInfo, MODES, SCOPES, type ServerInfo, type Stats, type TabCard } from "./api";
import { type Fields, isFields, list, oneOf, text } from "./check";
import type { HistoryEntry } from "./model/history";
import { parseCard, parseResolved } from "./model/parse";
import type { Entry, Item, Tab } from "./model/state";

/** What a webview knows of a tab besides its items. */
export type TabView = Omit<Tab, "items" | "made" | "reopening" | "sessionId" | "canResume">;

/** What holds for all tabs. */
export interface Catalog {
  agents: AgentInfo[];
  modes: ModeInfo[];
  mode: Mode;
  defaultAgent: string;
  /** The folder that new chats work in; null: none is open, so it is the home folder. */
  folder: string | null;
  status: { state: "starting" | "connected" | "waiting" | "failed"; text: string };
}

/** From the extension to a webview. */
export type ToWebview =
  | { type: "state"; catalog: Catalog; tabs: { tab: TabView; items: Item[] }[]; selected: string | null; entries: Entry[] }
  | { type: "catalog"; catalog: Catalog }
  | { type: "tab"; tab: TabView }
  | { type: "tab-closed"; tabId: string }
  | { type: "tab-select"; tabId: string }
  | { type: "item"; tabId: string; item: Item; after: string | null }
  | { type: "append"; tabId: string; itemId: string; text: string }
  | TabCard
  | Answered
  /** The answer was not taken, and the card waits again. */
  | { type: "approval-open"; approvalId: string; problem: string | null }
  | { type: "focus"; approvalId: string }
  /** A key was pressed that answers what is in sight. */
  | { type: "key"; act: "approve" | "deny" }
  | { type: "new-chat" }
  /** Words that were not sent go back into the composer. */
  | { type: "compose"; tabId: string; text: string }
  | { type: "permissions"; servers: ServerInfo[]; grants: GrantInfo[]; agents: AgentInfo[]; problem: string | null }
  | { type: "history"; contains: string; before: number | null; entries: HistoryEntry[]; more: boolean; stats: Stats | null; templates: { name: string; about: string }[]; problem: string | null };

/** From a webview to the extension. */
export type FromWebview =
  | { type: "ready" }
  /** Whether the focus is in the view. */
  | { type: "focused"; on: boolean }
  | { type: "tab-new"; tabId: string }
  | { type: "tab-selected"; tabId: string }
  | { type: "tab-closed"; tabId: string }
  | { type: "agent"; tabId: string; agentName: string }
  | { type: "mode"; tabId: string; mode: Mode }
  | { type: "ask-again"; tabId: string }
  | { type: "prompt"; tabId: string; text: string }
  | { type: "cancel"; tabId: string }
  /** The waiting prompt in that place is taken back into the composer. */
  | { type: "unqueue"; tabId: string; at: number }
  | { type: "help"; with: Help }
  | ({ type: "approval-response" } & ApprovalResponse)
  | { type: "approval-responses"; responses: ApprovalResponse[] }
  | { type: "open-link"; url: string }
  | { type: "open-file"; path: string; line: number | null }
  /** The change in that place of the card, in the editor's own view. */
  | { type: "open-change"; approvalId: string; at: number }
  | { type: "show-tab"; tabId: string; approvalId: string }
  | { type: "server-approval"; server: string; tool: string | null; approval: Approval }
  | { type: "server-level"; server: string; level: Level }
  /** What a tool does, as the user knows it; null: nothing is said of it. */
  | { type: "server-category"; server: string; tool: string; category: Category | null }
  | { type: "server-trust"; server: string; on: boolean }
  | { type: "bypass"; agentName: string; on: boolean }
  | { type: "revoke"; ids: string[] }
  | { type: "revoke-server"; server: string }
  /** The newest entries of the record that hold a text, before a number. */
  | { type: "history-query"; contains: string; before: number | null }
  /** Open this template as a new file. */
  | { type: "template"; name: string }
  | { type: "refresh" };

/** What a person can do about what does not work. */
export type Help = (typeof HELP)[number];
const HELP = ["agents", "path", "log", "retry", "folder"] as const;

const LEVELS: readonly Level[] = ["none", "read", "write", "all"];
const TAB_ID = /^[A-Za-z0-9-]{1,64}$/;

/** The answer in `value`, or null. */
export function parseResponse(value: unknown): ApprovalResponse | null {
  if (!isFields(value) || typeof value["approvalId"] !== "string" || typeof value["digest"] !== "string") return null;
  const outcome = isFields(value["response"]) ? value["response"]["outcome"] : null;
  if (!isFields(outcome) || outcome["outcome"] !== "selected" || typeof outcome["optionId"] !== "string") return null;
  const remember = parseRemember(value["remember"]);
  if (remember === undefined) return null;
  return {
    approvalId: value["approvalId"],
    digest: value["digest"],
    response: { outcome: { outcome: "selected", optionId: outcome["optionId"] } },
    bypassAll: value["bypassAll"] === true,
    remember,
    reason: text(value["reason"]),
  };
}

/** Null: nothing is to be remembered. Undefined: not understood, so the whole answer is not. */
function parseRemember(value: unknown): ApprovalResponse["remember"] | undefined {
  if (value === undefined || value === null) return null;
  if (!isFields(value) || !oneOf(value["scope"], SCOPES)) return undefined;
  const { expiresIn, uses, level } = value;
  return {
    scope: value["scope"],
    patterns: list(value["patterns"]).filter((one): one is string => typeof one === "string"),
    ...(typeof expiresIn === "string" ? { expiresIn } : {}),
    ...(typeof uses === "number" ? { uses } : {}),
    ...(oneOf(level, ["read", "write", "all"] as const) ? { level } : {}),
  };
}

/** What a webview sent, or null where it is not understood. */
export function fromWebview(value: unknown): FromWebview | null {
  if (!isFields(value)) return null;
  const tabId = typeof value["tabId"] === "string" && TAB_ID.test(value["tabId"]) ? value["tabId"] : null;
  switch (value["type"]) {
    case "ready":
    case "refresh":
      return { type: value["type"] };
    case "focused":
      return typeof value["on"] === "boolean" ? { type: "focused", on: value["on"] } : null;
    case "approval-response": {
      const response = parseResponse(value);
      return response && { type: "approval-response", ...response };
    }
    case "approval-responses": {
      const responses = list(value["responses"]).map(parseResponse);
      const whole = responses.filter((one): one is ApprovalResponse => one !== null);
      return whole.length === responses.length && whole.length > 0 ? { type: "approval-responses", responses: whole } : null;
    }
    case "help":
      return oneOf(value["with"], HELP) ? { type: "help", with: value["with"] } : null;
    case "open-link":
      return typeof value["url"] === "string" ? { type: "open-link", url: value["url"] } : null;
    case "open-file":
      return typeof value["path"] === "string" ? { type: "open-file", path: value["path"], line: typeof value["line"] === "number" ? value["line"] : null } : null;
    case "open-change":
      return typeof value["approvalId"] === "string" && Number.isInteger(value["at"]) && Number(value["at"]) >= 0 ? { type: "open-change", approvalId: value["approvalId"], at: Number(value["at"]) } : null;
    case "revoke": {
      const ids = list(value["ids"]).filter((one): one is string => typeof one === "string");
      return ids.length > 0 ? { type: "revoke", ids } : null;
    }
    case "history-query":
      return { type: "history-query", contains: (text(value["contains"]) ?? "").slice(0, 500), before: typeof value["before"] === "number" ? value["before"] : null };
    case "template":
      return typeof value["name"] === "string" ? { type: "template", name: value["name"] } : null;
    case "revoke-server":
      return typeof value["server"] === "string" && value["server"] !== "" ? { type: "revoke-server", server: value["server"] } : null;
    case "server-approval":
      return typeof value["server"] === "string" && oneOf(value["approval"], APPROVALS)
        ? { type: "server-approval", server: value["server"], tool: text(value["tool"]), approval: value["approval"] }
        : null;
    case "server-level":
      return typeof value["server"] === "string" && oneOf(value["level"], LEVELS) ? { type: "server-level", server: value["server"], level: value["level"] } : null;
    case "server-category": {
      const { server, tool, category } = value;
      const known = category === null || oneOf(category, CATEGORIES) ? { category } : null;
      return typeof server === "string" && typeof tool === "string" && tool !== "" && known !== null ? { type: "server-category", server, tool, ...known } : null;
    }
    case "server-trust":
      return typeof value["server"] === "string" && typeof value["on"] === "boolean" ? { type: "server-trust", server: value["server"], on: value["on"] } : null;
    case "bypass":
      return typeof value["agentName"] === "string" && typeof value["on"] === "boolean" ? { type: "bypass", agentName: value["agentName"], on: value["on"] } : null;
  }
  return tabId === null ? null : aboutTab(value, tabId);
}

function aboutTab(value: Fields, tabId: string): FromWebview | null {
  switch (value["type"]) {
    case "tab-new":
    case "tab-selected":
    case "tab-closed":
    case "cancel":
    case "ask-again":
      return { type: value["type"], tabId };
    case "agent":
      return typeof value["agentName"] === "string" ? { type: "agent", tabId, agentName: value["agentName"] } : null;
    case "mode":
      return oneOf(value["mode"], MODES) ? { type: "mode", tabId, mode: value["mode"] } : null;
    case "prompt":
      return typeof value["text"] === "string" && value["text"].trim() !== "" ? { type: "prompt", tabId, text: value["text"] } : null;
    case "unqueue":
      return Number.isInteger(value["at"]) && Number(value["at"]) >= 0 ? { type: "unqueue", tabId, at: Number(value["at"]) } : null;
    case "show-tab":
      return typeof value["approvalId"] === "string" ? { type: "show-tab", tabId, approvalId: value["approvalId"] } : null;
    default:
      return null;
  }
}

const PLAIN = ["state", "catalog", "tab", "tab-closed", "tab-select", "item", "append", "approval-open", "focus", "key", "new-chat", "compose", "permissions", "history"];

/** What the extension sent, or null where it is not understood. Cards are checked in full, the rest is the extension's own. */
export function toWebview(value: unknown): ToWebview | null {
  if (!isFields(value)) return null;
  switch (value["type"]) {
    case "approval-request":
    case "approval-updated":
      return parseCard(value);
    case "approval-resolved":
      return parseResolved(value);
  }
  return isOwn(value) ? value : null;
}

function isOwn(value: Fields): value is Fields & Exclude<ToWebview, TabCard | Answered> {
  if (!oneOf(value["type"], PLAIN)) return false;
  switch (value["type"]) {
    case "state":
      return Array.isArray(value["tabs"]) && Array.isArray(value["entries"]) && isFields(value["catalog"]);
    case "catalog":
      return isFields(value["catalog"]);
    case "tab":
      return isFields(value["tab"]);
    case "item":
      return typeof value["tabId"] === "string" && isFields(value["item"]);
    case "key":
      return oneOf(value["act"], ["approve", "deny"] as const);
    case "compose":
      return typeof value["tabId"] === "string" && typeof value["text"] === "string";
    case "append":
      return typeof value["tabId"] === "string" && typeof value["itemId"] === "string" && typeof value["text"] === "string";
    case "history":
      return Array.isArray(value["entries"]) && Array.isArray(value["templates"]);
    case "permissions":
      return Array.isArray(value["servers"]) && Array.isArray(value["grants"]) && Array.isArray(value["agents"]);
    default:
      return true;
  }
}
