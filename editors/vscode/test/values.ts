// Values for tests.

import type { SessionInfo, TabCard } from "../src/api";

/** A card that waits. */
export function card(id: string, more: Partial<TabCard> = {}): TabCard {
  return {
    type: "approval-request",
    approvalId: id,
    tabId: "t1",
    sessionId: "s1",
    agentName: "demo",
    parent: null,
    toolCall: { toolCallId: "c1", title: "Run it", name: null, kind: "execute", rawInput: { command: "ls" }, locations: [], content: [] },
    cwd: "/w",
    env: {},
    server: null,
    digest: `digest-${id}`,
    agentOptions: [],
    accesses: [{ access: "shell", display: "ls", category: "execute" }],
    permissionType: "all",
    options: [
      { optionId: "allow_once", name: "Allow once", kind: "allow_once", scope: "once", danger: null },
      { optionId: "allow_session", name: "Allow for this session", kind: "allow_always", scope: "session", danger: null, grants: ["shell(ls)"], covers: "exactly these words" },
      { optionId: "allow_always", name: "Always allow …", kind: "allow_always", scope: "user", danger: null },
      { optionId: "deny", name: "Deny", kind: "reject_once", scope: "once", danger: null },
    ],
    suggestions: [{ patterns: ["shell(ls *)"], scopes: ["session", "workspace", "user"] }],
    levels: [],
    why: [{ effect: "ask", access: "shell(ls)", source: "matrix", reason: "execute in default mode", always: false }],
    notShown: [],
    createdAt: "2026-01-01T00:00:00Z",
    expiresAt: null,
    state: "pending",
    alike: null,
    ...more,
  };
}

/** A session. */
export function session(more: Partial<SessionInfo> = {}): SessionInfo {
  return {
    tabId: "t1",
    sessionId: "s1",
    agentName: "demo",
    title: "",
    cwd: "/w",
    mode: "default",
    modeLocked: null,
    bypassPermissions: false,
    bypassSession: false,
    inLine: 0,
    state: "idle",
    error: null,
    resumed: false,
    canResume: true,
    waiting: 0,
    ...more,
  };
}
