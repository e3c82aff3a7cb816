// What the backend sends, checked for its shape: an event that has another one is left out, and the others stay.

import { type Answered, type ApprovalEntry, type Event, type Events, type Finding, MODES, SCOPES, type SessionInfo, STATES, type TabCard } from "../api";
import { type Fields, isFields, isTexts, oneOf } from "../check";

const SESSION_STATES = ["starting", "idle", "running", "ended"] as const;
const EFFECTS = ["allow", "ask", "deny"] as const;
const TYPES = ["approval-request", "approval-updated"] as const;

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || isText(value);
}

/** Whether it is a list, all of whose members are as `each` says. */
function isList<T>(value: unknown, each: (one: unknown) => one is T): value is T[] {
  return Array.isArray(value) && value.every(each);
}

/** A check of an object's fields. */
function object<T>(has: (one: Fields) => boolean): (value: unknown) => value is T {
  return (value): value is T => isFields(value) && has(value);
}

const isToolCall = object<TabCard["toolCall"]>(
  (one) => isTextOrNull(one["toolCallId"]) && isText(one["title"]) && isTextOrNull(one["name"]) && isText(one["kind"]) && Array.isArray(one["locations"]),
);
const isAccess = object<TabCard["accesses"][number]>((one) => isText(one["access"]) && isText(one["display"]) && isTextOrNull(one["category"]));
const isOption = object<TabCard["options"][number]>((one) => isText(one["optionId"]) && isText(one["name"]) && isTextOrNull(one["danger"]));
const isScope = (value: unknown): value is string => oneOf(value, SCOPES);
const isSuggestion = object<TabCard["suggestions"][number]>((one) => isList(one["patterns"], isText) && isList(one["scopes"], isScope));
const isFinding = object<Finding>((one) => oneOf(one["effect"], EFFECTS) && isText(one["access"]) && isText(one["source"]) && isText(one["reason"]));
const isServer = object<NonNullable<TabCard["server"]>>((one) => isText(one["name"]) && isText(one["tool"]));

const isCard = object<TabCard>(
  (one) =>
    oneOf(one["type"], TYPES) &&
    isText(one["approvalId"]) &&
    isText(one["digest"]) &&
    isText(one["agentName"]) &&
    isText(one["sessionId"]) &&
    isText(one["cwd"]) &&
    isText(one["createdAt"]) &&
    [one["tabId"], one["alike"], one["parent"], one["expiresAt"]].every(isTextOrNull) &&
    oneOf(one["permissionType"], ["read", "write", "all"]) &&
    oneOf(one["state"], STATES) &&
    isTexts(one["env"]) &&
    isToolCall(one["toolCall"]) &&
    (one["server"] === null || isServer(one["server"])) &&
    (one["tool"] === undefined || isFields(one["tool"])) &&
    (one["history"] === undefined || isFields(one["history"])) &&
    (one["levels"] === undefined || isList(one["levels"], isText)) &&
    isList(one["accesses"], isAccess) &&
    isList(one["options"], isOption) &&
    isList(one["suggestions"], isSuggestion) &&
    isList(one["why"], isFinding) &&
    isList(one["notShown"], isText),
);

const isAnswered = object<Answered>(
  (one) =>
    one["type"] === "approval-resolved" &&
    isText(one["approvalId"]) &&
    isTextOrNull(one["tabId"]) &&
    oneOf(one["state"], STATES) &&
    isText(one["by"]) &&
    isText(one["at"]) &&
    isTextOrNull(one["reason"]) &&
    isList(one["grantedPermissions"], isText),
);

const isEntry = object<ApprovalEntry>((one) => isCard(one["card"]) && oneOf(one["state"], STATES) && [one["by"], one["at"], one["reason"]].every(isTextOrNull));

const isSession = object<SessionInfo>(
  (one) =>
    [one["tabId"], one["sessionId"], one["agentName"], one["title"], one["cwd"]].every(isText) &&
    [one["modeLocked"], one["error"]].every(isTextOrNull) &&
    oneOf(one["mode"], MODES) &&
    oneOf(one["state"], SESSION_STATES),
);

const EVENTS: { readonly [type in Event["type"]]: (one: Fields) => boolean } = {
  "approval-request": isCard,
  "approval-updated": isCard,
  "approval-resolved": isAnswered,
  snapshot: (one) => isList(one["sessions"], isSession) && isList(one["waiting"], isCard),
  "in-line": (one) => typeof one["count"] === "number",
  "session-changed": (one) => isSession(one["session"]),
  "session-closed": (one) => isText(one["tabId"]),
  prompt: (one) => isText(one["tabId"]) && isText(one["text"]) && typeof one["turn"] === "number",
  "session-update": (one) => isText(one["tabId"]) && isFields(one["update"]),
  decided: (one) => isText(one["tabId"]) && isText(one["title"]) && oneOf(one["effect"], EFFECTS) && isTextOrNull(one["by"]) && isList(one["why"], isFinding),
  unasked: (one) => [one["tabId"], one["toolCallId"], one["title"]].every(isText) && oneOf(one["policy"], EFFECTS) && isList(one["why"], isFinding) && typeof one["failed"] === "boolean",
  "turn-ended": (one) => isText(one["tabId"]) && isTextOrNull(one["stopReason"]) && isTextOrNull(one["error"]),
  notice: (one) => isTextOrNull(one["tabId"]) && isText(one["text"]),
  "settings-changed": (one) => isFields(one["editor"]),
  "grants-changed": () => true,
};

const isEvent = object<Event>((one) => isText(one["type"]) && Object.hasOwn(EVENTS, one["type"]) && EVENTS[one["type"] as Event["type"]](one));

/** The card in `value`, or null. */
export function parseCard(value: unknown): TabCard | null {
  return isCard(value) ? value : null;
}

/** What became of a card, or null. */
export function parseResolved(value: unknown): Answered | null {
  return isAnswered(value) ? value : null;
}

/** One entry of `approval/list`, or null. */
export function parseEntry(value: unknown): ApprovalEntry | null {
  return isEntry(value) ? value : null;
}

/** A notification's batch, or null. */
export function parseBatch(value: unknown): Events | null {
  if (!isFields(value) || !isFields(value["cursor"]) || !Array.isArray(value["events"])) return null;
  const { instance, seq } = value["cursor"];
  if (typeof instance !== "string" || typeof seq !== "number") return null;
  return { cursor: { instance, seq }, events: value["events"].filter(isEvent) };
}
