// What the backend sends, checked: an event that is not understood is left out, and the others stay.

import type { ApprovalEntry, ApprovalResolved, Batch, Card, Event, SessionInfo, State } from "../api";
import { type Fields, isFields, isTexts, list, oneOf, text } from "../check";

const STATES = ["pending", "approved", "denied", "cancelled", "expired"] as const;
const MODES = ["plan", "default", "auto"] as const;
const SESSION_STATES = ["starting", "idle", "running", "ended"] as const;

function toolCall(value: unknown): Card["toolCall"] {
  const call: Fields = isFields(value) ? value : {};
  const content: Card["toolCall"]["content"] = [];
  for (const one of list(call["content"])) {
    if (!isFields(one)) continue;
    const inner = one["content"];
    if (one["type"] === "diff" && typeof one["path"] === "string" && typeof one["newText"] === "string") {
      content.push({ type: "diff", path: one["path"], oldText: text(one["oldText"]), newText: one["newText"] });
    } else if (isFields(inner) && typeof inner["text"] === "string") {
      content.push({ type: "content", content: { type: "text", text: inner["text"] } });
    } else {
      // Not a shape that is known: shown as it came rather than left out.
      content.push({ type: "content", content: { type: "text", text: JSON.stringify(one) } });
    }
  }
  return {
    toolCallId: text(call["toolCallId"]),
    title: text(call["title"]) ?? "",
    name: text(call["name"]),
    kind: text(call["kind"]) ?? "other",
    rawInput: call["rawInput"] ?? null,
    locations: list(call["locations"]),
    content,
  };
}

function suggestions(value: unknown): Card["suggestions"] {
  return list(value).flatMap((one) => {
    if (!isFields(one)) return [];
    const patterns = list(one["patterns"] ?? [one["pattern"]]).filter((p): p is string => typeof p === "string");
    const scopes = list(one["scopes"]).filter((s) => oneOf(s, ["session", "workspace", "user"] as const));
    return patterns.length > 0 && scopes.length > 0 ? [{ patterns, scopes }] : [];
  });
}

/** The card in `value`, or null where the parts that an answer needs are missing. */
export function parseCard(value: unknown): Card | null {
  if (!isFields(value)) return null;
  const { approvalId, digest, agentName } = value;
  if (typeof approvalId !== "string" || typeof digest !== "string" || typeof agentName !== "string") return null;
  const server = isFields(value["server"]) && typeof value["server"]["name"] === "string" ? value["server"] : null;
  const tool = isFields(value["tool"]) ? value["tool"] : null;
  const history = isFields(value["history"]) ? value["history"] : null;
  const icons = server === null ? [] : list(server["icons"]).filter((i): i is { src: string } => isFields(i) && typeof i["src"] === "string");
  return {
    type: "approval-request",
    approvalId,
    tabId: text(value["tabId"]),
    sessionId: text(value["sessionId"]) ?? "",
    agentName,
    parent: text(value["parent"]),
    toolCall: toolCall(value["toolCall"]),
    cwd: text(value["cwd"]) ?? "",
    env: isTexts(value["env"]) ? value["env"] : {},
    server: server && {
      name: text(server["name"]) ?? "",
      tool: text(server["tool"]) ?? "",
      ...(typeof server["title"] === "string" ? { title: server["title"] } : {}),
      ...(typeof server["description"] === "string" ? { description: server["description"] } : {}),
      icons,
    },
    tool: tool && {
      ...(typeof tool["title"] === "string" ? { title: tool["title"] } : {}),
      ...(typeof tool["description"] === "string" ? { description: tool["description"] } : {}),
      annotations: tool["annotations"],
    },
    digest,
    agentOptions: list(value["agentOptions"]).flatMap((o) =>
      isFields(o) && typeof o["optionId"] === "string"
        ? [{ optionId: o["optionId"], name: text(o["name"]) ?? "", kind: text(o["kind"]) ?? "", ...(typeof o["danger"] === "string" ? { danger: o["danger"] } : {}) }]
        : [],
    ),
    accesses: list(value["accesses"]).flatMap((a) =>
      isFields(a)
        ? [{ access: text(a["access"]) ?? "", display: text(a["display"]) ?? "", category: oneOf(a["category"], ["read", "write", "execute", "external"] as const) ? a["category"] : null }]
        : [],
    ),
    permissionType: oneOf(value["permissionType"], ["read", "write", "all"] as const) ? value["permissionType"] : "all",
    options: list(value["options"]).flatMap((o) =>
      isFields(o) && typeof o["optionId"] === "string"
        ? [{ optionId: o["optionId"], name: text(o["name"]) ?? "", kind: text(o["kind"]) ?? "", scope: text(o["scope"]) ?? "", danger: text(o["danger"]) }]
        : [],
    ),
    suggestions: suggestions(value["suggestions"]),
    levels: list(value["levels"]).filter((l) => oneOf(l, ["read", "write", "all"] as const)),
    why: list(value["why"]).flatMap(finding),
    ...(history
      ? {
          history: {
            allowed: typeof history["allowed"] === "number" ? history["allowed"] : 0,
            denied: typeof history["denied"] === "number" ? history["denied"] : 0,
            firstSeen: text(history["firstSeen"]),
          },
        }
      : {}),
    notShown: list(value["notShown"]).filter((one): one is string => typeof one === "string"),
    createdAt: text(value["createdAt"]) ?? "",
    expiresAt: text(value["expiresAt"]),
    state: oneOf(value["state"], STATES) ? value["state"] : "pending",
    alike: text(value["alike"]),
  };
}

/** One finding, in a list, so that what is not understood is left out of a list of them. */
export function finding(value: unknown): Card["why"] {
  if (!isFields(value) || !oneOf(value["effect"], ["allow", "ask", "deny"] as const)) return [];
  return [
    {
      effect: value["effect"],
      ...(typeof value["access"] === "string" ? { access: value["access"] } : {}),
      source: text(value["source"]) ?? "",
      pattern: text(value["pattern"]),
      file: text(value["file"]),
      line: typeof value["line"] === "number" ? value["line"] : null,
      reason: text(value["reason"]) ?? "",
      always: value["always"] === true,
    },
  ];
}

/** What became of a card, or null. */
export function parseResolved(value: unknown): ApprovalResolved | null {
  if (!isFields(value) || typeof value["approvalId"] !== "string" || !oneOf(value["state"], STATES)) return null;
  return {
    type: "approval-resolved",
    approvalId: value["approvalId"],
    tabId: text(value["tabId"]),
    state: value["state"],
    by: text(value["by"]) ?? "",
    at: text(value["at"]) ?? "",
    reason: text(value["reason"]),
    grantedPermissions: list(value["grantedPermissions"]).filter((one): one is string => typeof one === "string"),
  };
}

/** One entry of `approval/list`, or null. */
export function parseEntry(value: unknown): ApprovalEntry | null {
  const card = isFields(value) ? parseCard(value["card"]) : null;
  if (card === null || !isFields(value)) return null;
  const state: State = oneOf(value["state"], STATES) ? value["state"] : card.state;
  return { card, state, by: text(value["by"]), at: text(value["at"]), reason: text(value["reason"]) };
}

/** A session, or null. */
export function parseSession(value: unknown): SessionInfo | null {
  if (!isFields(value) || typeof value["tabId"] !== "string" || typeof value["agentName"] !== "string") return null;
  return {
    tabId: value["tabId"],
    sessionId: text(value["sessionId"]) ?? "",
    agentName: value["agentName"],
    title: text(value["title"]) ?? "",
    cwd: text(value["cwd"]) ?? "",
    mode: oneOf(value["mode"], MODES) ? value["mode"] : "default",
    modeLocked: text(value["modeLocked"]),
    bypassPermissions: value["bypassPermissions"] === true,
    state: oneOf(value["state"], SESSION_STATES) ? value["state"] : "idle",
    error: text(value["error"]),
    resumed: value["resumed"] === true,
    canResume: value["canResume"] === true,
    waiting: typeof value["waiting"] === "number" ? value["waiting"] : 0,
  };
}

/** One event, or null where it is of an unknown kind or not whole. */
export function parseEvent(value: unknown): Event | null {
  if (!isFields(value)) return null;
  const tabId = text(value["tabId"]);
  const some = <T>(found: T | null): T[] => (found === null ? [] : [found]);
  switch (value["type"]) {
    case "snapshot":
      return {
        type: "snapshot",
        sessions: list(value["sessions"]).flatMap((one) => some(parseSession(one))),
        waiting: list(value["waiting"]).flatMap((one) => some(parseCard(one))),
        lost: value["lost"] === true,
      };
    case "approval-request":
      return parseCard(value);
    case "approval-updated": {
      const card = parseCard(value);
      return card && { ...card, type: "approval-updated" };
    }
    case "approval-resolved":
      return parseResolved(value);
    case "session-changed": {
      const session = parseSession(value["session"]);
      return session && { type: "session-changed", session };
    }
    case "grants-changed":
      return { type: "grants-changed" };
    case "settings-changed":
      return isFields(value["editor"]) ? { type: "settings-changed", editor: value["editor"], origin: text(value["origin"]) ?? "" } : null;
    case "notice":
      return { type: "notice", tabId, text: text(value["text"]) ?? "" };
  }
  if (tabId === null) return null;
  const turn = typeof value["turn"] === "number" ? value["turn"] : 0;
  switch (value["type"]) {
    case "session-closed":
      return { type: "session-closed", tabId };
    case "prompt":
      return { type: "prompt", tabId, turn, text: text(value["text"]) ?? "" };
    case "session-update":
      return isFields(value["update"]) ? { type: "session-update", tabId, sessionId: text(value["sessionId"]) ?? "", update: value["update"] } : null;
    case "decided":
      return {
        type: "decided",
        tabId,
        sessionId: text(value["sessionId"]) ?? "",
        toolCallId: text(value["toolCallId"]),
        title: text(value["title"]) ?? "",
        effect: oneOf(value["effect"], ["allow", "ask", "deny"] as const) ? value["effect"] : "deny",
        by: text(value["by"]),
        why: list(value["why"]).flatMap(finding),
      };
    case "turn-ended":
      return { type: "turn-ended", tabId, turn, stopReason: text(value["stopReason"]), error: text(value["error"]) };
    default:
      return null;
  }
}

/** A notification's batch, or null. */
export function parseBatch(value: unknown): Batch | null {
  if (!isFields(value) || !isFields(value["cursor"])) return null;
  const { instance, seq } = value["cursor"];
  if (typeof instance !== "string" || typeof seq !== "number") return null;
  const events = list(value["events"]).flatMap((one) => {
    const event = parseEvent(one);
    return event === null ? [] : [event];
  });
  return { cursor: { instance, seq }, events };
}
