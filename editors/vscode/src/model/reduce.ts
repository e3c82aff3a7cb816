// reduce(state, event): what happened, in what is known. Pure: no clock, no I/O, no editor.

import type { Answered, ApprovalEntry, Cursor, Event, Mode, SessionInfo, State as CardState, TabCard } from "../api";
import { isFields } from "../check";
import { permissionBlock } from "./block";
import { place } from "./place";
import { type Entry, type Item, newTab, type State, type Tab, tabOf } from "./state";
import { ranUnasked } from "./unasked";
import { add, applyUpdate, replace } from "./update";

/** What happens in this window rather than at the backend. */
export type Local =
  | { type: "tab-new"; tabId: string; agentName: string; cwd: string }
  | { type: "tab-selected"; tabId: string | null }
  | { type: "tab-closed"; tabId: string }
  | { type: "agent-picked"; tabId: string; agentName: string }
  | { type: "mode-picked"; tabId: string; mode: Mode }
  /** A prompt was given; the backend has not heard of it yet. */
  | { type: "asked"; tabId: string; text: string }
  /** A prompt waits for the end of the turn; `first`: before the others. */
  | { type: "queued"; tabId: string; text: string; first: boolean }
  /** The prompt in that place waits no longer. */
  | { type: "unqueued"; tabId: string; at: number }
  | { type: "opening"; tabId: string }
  | { type: "open-failed"; tabId: string; why: string }
  | { type: "entries"; entries: ApprovalEntry[] }
  /** These cards were looked up, and the store does not know them. */
  | { type: "cards-unknown"; ids: string[] }
  | { type: "note"; tabId: string; text: string }
  | { type: "cursor"; cursor: Cursor };

/** So many settled cards of other processes are kept. */
const RECENT = 200;
/** So many closed tabs are known as such. */
const CLOSED = 100;

/** The state after `event`. */
export function reduce(state: State, event: Event | Local): State {
  switch (event.type) {
    case "snapshot":
      return snapshot(state, event.sessions, event.waiting, event.lost);
    case "approval-request":
    case "approval-updated":
      return asked(state, { ...event, type: "approval-request" });
    case "approval-resolved":
      return resolved(state, event);
    case "session-changed":
      return inTab(adopted(state, event.session), event.session.tabId, (tab) => session(tab, event.session));
    case "session-closed":
      return inTab(state, event.tabId, (tab) => (tab.state === "new" ? tab : { ...tab, state: "ended" }));
    case "prompt":
      return inTab(state, event.tabId, (tab) => prompted(tab, event.text, event.turn));
    case "session-update":
      return inTab(state, event.tabId, (tab) => (tab.reopening ? tab : applyUpdate(tab, isFields(event.update) ? event.update : {})));
    case "decided":
      return inTab(state, event.tabId, (tab) => {
        const tool = tab.items.findLast((item) => item.kind === "tool" && item.toolCallId === event.toolCallId);
        const decided = { effect: event.effect, by: event.by, why: event.why };
        if (tool?.kind === "tool") return replace(tab, { ...tool, decided });
        if (event.effect !== "deny") return tab;
        const reason = event.why.find((finding) => finding.effect === event.effect)?.reason ?? "";
        return note(tab, `Denied: ${event.title}${reason === "" ? "" : ` (${reason})`}`, true);
      });
    case "unasked":
      return inTab(state, event.tabId, (tab) => {
        const tool = tab.items.findLast((item) => item.kind === "tool" && item.toolCallId === event.toolCallId);
        const unasked = { policy: event.policy, why: event.why, failed: event.failed };
        if (tool?.kind === "tool") return replace(tab, { ...tool, unasked });
        const reason = event.why.find((finding) => finding.effect === event.policy)?.reason ?? "";
        return note(tab, `${ranUnasked(event.policy, event.failed)}: ${event.title}${reason === "" ? "" : ` (${reason})`}`, true);
      });
    case "turn-ended":
      return inTab(state, event.tabId, (tab) => turnEnded(tab, event.stopReason, event.error));
    case "notice":
      return event.tabId === null ? state : inTab(state, event.tabId, (tab) => note(tab, event.text, false));
    // The tab says it of itself.
    case "in-line":
    case "settings-changed":
    case "grants-changed":
      return state;
    default:
      return local(state, event);
  }
}

function local(state: State, event: Local): State {
  switch (event.type) {
    case "tab-new":
      if (tabOf(state, event.tabId)) return { ...state, selected: event.tabId, untouched: false };
      return { ...state, tabs: [...state.tabs, newTab(event.tabId, event.agentName, event.cwd)], selected: event.tabId, untouched: false };
    case "tab-selected":
      return state.selected === event.tabId ? state : { ...state, selected: event.tabId, untouched: false };
    case "tab-closed": {
      const at = state.tabs.findIndex((tab) => tab.tabId === event.tabId);
      if (at < 0) return state;
      const tabs = state.tabs.filter((tab) => tab.tabId !== event.tabId);
      const selected = state.selected === event.tabId ? (tabs[Math.min(at, tabs.length - 1)]?.tabId ?? null) : state.selected;
      return { ...state, tabs, selected, closed: [...state.closed, event.tabId].slice(-CLOSED), untouched: false };
    }
    case "agent-picked":
      return inTab(state, event.tabId, (tab) => (tab.state === "new" ? { ...tab, agentName: event.agentName, mode: null } : tab));
    case "mode-picked":
      return inTab(state, event.tabId, (tab) => ({ ...tab, mode: event.mode }));
    case "asked":
      return inTab(state, event.tabId, (tab) => (unheard(tab, event.text) ? tab : add(tab, (id) => ({ kind: "prompt", id, text: event.text, turn: UNHEARD }))));
    case "queued":
      return inTab(state, event.tabId, (tab) => ({ ...tab, queue: event.first ? [event.text, ...tab.queue] : [...tab.queue, event.text] }));
    case "unqueued":
      return inTab(state, event.tabId, (tab) => (event.at < tab.queue.length ? { ...tab, queue: tab.queue.toSpliced(event.at, 1) } : tab));
    case "opening":
      return inTab(state, event.tabId, (tab) => ({ ...tab, state: "starting", error: null, reopening: tab.items.some((item) => item.kind !== "prompt") }));
    case "open-failed":
      return inTab(state, event.tabId, (tab) => ({ ...note(tab, event.why, true), state: tab.sessionId === null ? "new" : "ended", error: event.why, reopening: false }));
    case "entries":
      return event.entries.reduce(looked, state);
    case "cards-unknown":
      return event.ids.reduce((now, id) => {
        const entry = now.cards[id];
        return entry === undefined || entry.state !== "pending" ? now : withEntry(now, settle(entry, "cancelled", null, null, "mayi no longer knows it", []));
      }, state);
    case "note":
      return inTab(state, event.tabId, (tab) => note(tab, event.text, true));
    case "cursor":
      return { ...state, cursor: event.cursor };
  }
}

function inTab(state: State, tabId: string, change: (tab: Tab) => Tab): State {
  const tab = tabOf(state, tabId);
  if (tab === undefined) return state;
  const changed = change(tab);
  return changed === tab ? state : { ...state, tabs: state.tabs.map((one) => (one === tab ? changed : one)) };
}

/**
 * The state with a tab for this session. The editor writes down what is kept a while after it is told: a window that is
 * loaded anew right after a tab was made knows nothing of it, and its backend does. The tab that was made last was the one
 * in front.
 */
function adopted(state: State, now: SessionInfo): State {
  if (now.state === "ended" || tabOf(state, now.tabId) !== undefined || state.closed.includes(now.tabId)) return state;
  const tabs = [...state.tabs, newTab(now.tabId, now.agentName, now.cwd)];
  return { ...state, tabs, selected: state.untouched || state.selected === null ? now.tabId : state.selected };
}

/** The turn of a prompt that the backend has not heard of yet. */
const UNHEARD = -1;

function unheard(tab: Tab, text: string): (Item & { kind: "prompt" }) | undefined {
  return tab.items.find((item): item is Item & { kind: "prompt" } => item.kind === "prompt" && item.turn === UNHEARD && item.text === text);
}

function prompted(tab: Tab, text: string, turn: number): Tab {
  const own = unheard(tab, text);
  if (own !== undefined) return replace(tab, { ...own, turn });
  return add(tab, (id) => ({ kind: "prompt", id, text, turn }));
}

function note(tab: Tab, text: string, bad: boolean): Tab {
  return add(tab, (id) => ({ kind: "notice", id, text, bad }));
}

function session(tab: Tab, now: SessionInfo): Tab {
  const ended = now.state === "ended" && tab.state !== "ended" && now.error !== null;
  const changed: Tab = {
    ...tab,
    agentName: now.agentName,
    title: now.title === "" ? tab.title : now.title,
    cwd: now.cwd,
    mode: now.mode,
    modeLocked: now.modeLocked,
    bypassPermissions: now.bypassPermissions,
    bypassSession: now.bypassSession,
    inLine: now.inLine,
    sessionId: now.sessionId === "" ? tab.sessionId : now.sessionId,
    canResume: now.canResume,
    state: now.state,
    error: now.error,
    reopening: tab.reopening && now.state === "starting",
  };
  return ended ? note(changed, `The agent ended: ${now.error}`, true) : changed;
}

const STOPPED: Record<string, string> = {
  cancelled: "Stopped.",
  refusal: "The agent refused to go on.",
  max_tokens: "The agent reached its limit of tokens.",
  max_turn_requests: "The agent reached its limit of requests in a turn.",
};

/** A tool that was under way when its turn ended has not completed. */
function stopped(items: Item[]): Item[] {
  return items.map((item) => (item.kind === "tool" && (item.status === "pending" || item.status === "in_progress") ? { ...item, status: "failed" } : item));
}

function turnEnded(tab: Tab, stopReason: string | null, error: string | null): Tab {
  const done: Tab = { ...tab, items: stopped(tab.items), state: tab.state === "running" ? "idle" : tab.state };
  if (error !== null) return note(done, error, true);
  const said = STOPPED[stopReason ?? ""];
  return said === undefined ? done : note(done, said, false);
}

const NOT_KEPT = "Some of what was said here in the meantime is not kept.";

/** Everything as it is now. Tabs that the backend does not have are lost; cards that do not wait have to be looked up. */
function snapshot(state: State, sessions: SessionInfo[], cards: TabCard[], lost: boolean): State {
  const tabs = state.tabs.map((tab) => {
    const now = sessions.find((one) => one.tabId === tab.tabId);
    if (now === undefined) return tab.state === "new" || tab.state === "ended" ? tab : { ...tab, items: stopped(tab.items), state: "lost" as const };
    const changed = session(tab, now);
    return lost && tab.items.length > 0 ? note(changed, NOT_KEPT, false) : changed;
  });
  const found = sessions.filter((one) => tabOf(state, one.tabId) === undefined);
  const whole = found.reduce((now, one) => inTab(adopted(now, one), one.tabId, (tab) => note(session(tab, one), NOT_KEPT, false)), { ...state, tabs });
  return cards.reduce(asked, whole);
}

function asked(state: State, card: TabCard): State {
  const known = state.cards[card.approvalId];
  // Settled is settled: an old event that is heard again does not open it.
  if (known !== undefined && known.state !== "pending") return state;
  if (known?.card.digest === card.digest) return state;
  const entry: Entry = { card, state: "pending", by: null, at: null, reason: null, block: permissionBlock(card, "pending", []) };
  return inTab(withEntry(state, entry), card.tabId ?? "", (tab) => place(tab, card));
}

function resolved(state: State, event: Answered): State {
  const entry = state.cards[event.approvalId];
  if (entry === undefined || entry.state !== "pending") return state;
  return bounded(withEntry(state, settle(entry, event.state, event.by, event.at, event.reason, event.grantedPermissions)));
}

function looked(state: State, found: ApprovalEntry): State {
  const known = state.cards[found.card.approvalId];
  if (found.state === "pending") return asked(state, found.card);
  const entry: Entry = known ?? { card: found.card, state: "pending", by: null, at: null, reason: null, block: permissionBlock(found.card, "pending", []) };
  if (entry.state !== "pending") return state;
  return bounded(withEntry(state, settle(entry, found.state, found.by, found.at, found.reason, [])));
}

function settle(entry: Entry, state: CardState, by: string | null, at: string | null, reason: string | null, granted: string[]): Entry {
  return { ...entry, state, by, at, reason, block: permissionBlock(entry.card, state, granted) };
}

function withEntry(state: State, entry: Entry): State {
  return { ...state, cards: { ...state.cards, [entry.card.approvalId]: entry } };
}

/** Settled cards that stand in no conversation are forgotten after a while. */
function bounded(state: State): State {
  const placed = new Set(state.tabs.flatMap((tab) => tab.items.flatMap((item) => (item.kind === "approval" ? [item.id] : []))));
  const loose = Object.values(state.cards).filter((entry) => entry.state !== "pending" && !placed.has(entry.card.approvalId));
  if (loose.length <= RECENT) return state;
  const old = new Set(
    loose
      .sort((a, b) => ((b.at ?? "") < (a.at ?? "") ? -1 : 1))
      .slice(RECENT)
      .map((entry) => entry.card.approvalId),
  );
  return { ...state, cards: Object.fromEntries(Object.entries(state.cards).filter(([id]) => !old.has(id))) };
}
