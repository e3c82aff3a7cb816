// What the extension knows: tabs, what was said in them, and cards. Plain values; they are changed in `reduce.ts` only.

import type { Cursor, Effect, Finding, Mode, SessionInfo, State as CardState, TabCard } from "../api";
import type { PermissionBlock } from "./block";

/** What one tab's agent said, was asked and did, in order. */
export type Item =
  | { kind: "prompt"; id: string; text: string; turn: number }
  | { kind: "agent"; id: string; text: string }
  | { kind: "thought"; id: string; text: string }
  | ToolItem
  | { kind: "plan"; id: string; entries: PlanEntry[] }
  | { kind: "approval"; id: string; toolCallId: string | null }
  | { kind: "notice"; id: string; text: string; bad: boolean };

export interface ToolItem {
  kind: "tool";
  id: string;
  toolCallId: string;
  title: string;
  toolKind: string;
  status: ToolStatus;
  rawInput: unknown;
  rawOutput: unknown;
  content: ToolContent[];
  locations: string[];
  decided: { effect: Effect; by: string | null; why: Finding[] } | null;
  /** It ran without asking: nothing was decided of it, and this is what the policy says of it. */
  unasked: Unasked | null;
}

export interface Unasked {
  policy: Effect;
  why: Finding[];
  failed: boolean;
}

export type ToolStatus = "pending" | "in_progress" | "completed" | "failed";

export type ToolContent =
  | { type: "text"; text: string }
  | { type: "diff"; path: string; oldText: string | null; newText: string }
  | { type: "terminal"; terminalId: string };

export interface PlanEntry {
  content: string;
  priority: string;
  status: string;
}

/** A card, where it stands, and how it is kept in the conversation. */
export interface Entry {
  card: TabCard;
  state: CardState;
  by: string | null;
  at: string | null;
  reason: string | null;
  block: PermissionBlock;
}

export interface Tab {
  tabId: string;
  agentName: string;
  title: string;
  cwd: string;
  /** The mode that holds; before there is a session, the one that is wanted (null: as configured). */
  mode: Mode | null;
  modeLocked: string | null;
  bypassPermissions: boolean;
  bypassSession: boolean;
  /** Questions that wait behind those that are shown. */
  inLine: number;
  sessionId: string | null;
  canResume: boolean;
  /** `new`: no session was asked for yet. `lost`: its backend is gone, and it was not opened again yet. */
  state: "new" | "lost" | SessionInfo["state"];
  error: string | null;
  /** It is being opened again: what the agent repeats of the earlier session is known already. */
  reopening: boolean;
  commands: { name: string; description: string }[];
  /** Prompts that were given while a turn runs: they go out when it is over. */
  queue: string[];
  items: Item[];
  /** Counts items, for their ids. */
  made: number;
}

export interface State {
  cursor: Cursor | null;
  tabs: Tab[];
  selected: string | null;
  cards: Record<string, Entry>;
  /** Tabs that were closed here, oldest first: what is still told of their sessions does not bring them back. */
  closed: string[];
  /** As it was kept, and nobody has made, chosen or closed a tab since. */
  untouched: boolean;
}

export const EMPTY: State = { cursor: null, tabs: [], selected: null, cards: {}, closed: [], untouched: false };

/** A tab before its session. */
export function newTab(tabId: string, agentName: string, cwd: string): Tab {
  return {
    tabId,
    agentName,
    title: "",
    cwd,
    mode: null,
    modeLocked: null,
    bypassPermissions: false,
    bypassSession: false,
    inLine: 0,
    sessionId: null,
    canResume: false,
    state: "new",
    error: null,
    reopening: false,
    commands: [],
    queue: [],
    items: [],
    made: 0,
  };
}

/** The tab of that id. */
export function tabOf(state: State, tabId: string | null): Tab | undefined {
  return state.tabs.find((tab) => tab.tabId === tabId);
}

/** What waits, oldest first. */
export function waiting(state: State): Entry[] {
  return Object.values(state.cards)
    .filter((entry) => entry.state === "pending")
    .sort((a, b) => compare(a.card.createdAt, b.card.createdAt));
}

/** What was settled, newest first. */
export function settled(state: State): Entry[] {
  return Object.values(state.cards)
    .filter((entry) => entry.state !== "pending")
    .sort((a, b) => compare(b.at ?? b.card.createdAt, a.at ?? a.card.createdAt));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
