// What is kept of the state over a reload of the window: bounded, and checked when it is read again.

import { isFields, list, oneOf, text } from "../check";
import { permissionBlock } from "./block";
import { parseEntry } from "./parse";
import { EMPTY, type Entry, type Item, newTab, type State, type Tab } from "./state";

const VERSION = 1;
/** So many items of each tab. */
const ITEMS = 300;
/** So many characters of all items together. */
const TOTAL = 3_000_000;
/** So many settled cards outside of the tabs. */
const LOOSE = 50;

/** What goes into the store. */
export function keep(state: State): unknown {
  const room = Math.floor(TOTAL / Math.max(1, state.tabs.length));
  const tabs = state.tabs.map((tab) => ({ ...tab, items: recent(tab, state.cards, room) }));
  const placed = new Set(tabs.flatMap((tab) => tab.items.flatMap((item) => (item.kind === "approval" ? [item.id] : []))));
  const entries = Object.values(state.cards);
  const loose = entries.filter((entry) => !placed.has(entry.card.approvalId) && entry.state !== "pending");
  const dropped = new Set(loose.slice(0, Math.max(0, loose.length - LOOSE)));
  return { v: VERSION, cursor: state.cursor, selected: state.selected, tabs, cards: entries.filter((entry) => !dropped.has(entry)), closed: state.closed };
}

/** The newest items that fit; what waits always stays, and what is left out is said. */
function recent(tab: Tab, cards: State["cards"], room: number): Item[] {
  const kept: Item[] = [];
  let size = 0;
  for (const item of tab.items.toReversed()) {
    size += JSON.stringify(item).length;
    const waits = item.kind === "approval" && cards[item.id]?.state === "pending";
    if (waits || (kept.length < ITEMS && size <= room)) kept.push(item);
  }
  kept.reverse();
  if (kept.length === tab.items.length) return kept;
  return [{ kind: "notice", id: `${tab.tabId}-earlier`, text: "Earlier messages are not kept.", bad: false }, ...kept.filter((item) => item.id !== `${tab.tabId}-earlier`)];
}

/** The state that was kept in `value`, as far as it is whole. */
export function restore(value: unknown): State {
  if (!isFields(value) || value["v"] !== VERSION) return EMPTY;
  const cards: Record<string, Entry> = {};
  for (const one of list(value["cards"])) {
    const entry = parseEntry(one);
    if (entry === null) continue;
    const granted = isFields(one) && isFields(one["block"]) && isFields(one["block"]["extra"]) ? list(one["block"]["extra"]["grantedPermissions"]) : [];
    const block = permissionBlock(entry.card, entry.state, granted.filter((g): g is string => typeof g === "string"));
    cards[entry.card.approvalId] = { ...entry, block };
  }
  const tabs = list(value["tabs"]).flatMap(tab);
  const cursor = value["cursor"];
  return {
    cursor: isFields(cursor) && typeof cursor["instance"] === "string" && typeof cursor["seq"] === "number" ? { instance: cursor["instance"], seq: cursor["seq"] } : null,
    tabs,
    selected: tabs.some((one) => one.tabId === value["selected"]) ? text(value["selected"]) : (tabs[0]?.tabId ?? null),
    cards,
    closed: list(value["closed"]).filter((one): one is string => typeof one === "string"),
    untouched: true,
  };
}

const STATES = ["new", "lost", "starting", "idle", "running", "ended"] as const;

function tab(value: unknown): Tab[] {
  if (!isFields(value) || typeof value["tabId"] !== "string" || typeof value["agentName"] !== "string") return [];
  return [
    {
      ...newTab(value["tabId"], value["agentName"], text(value["cwd"]) ?? ""),
      title: text(value["title"]) ?? "",
      mode: oneOf(value["mode"], ["plan", "default", "auto"] as const) ? value["mode"] : null,
      modeLocked: text(value["modeLocked"]),
      bypassPermissions: value["bypassPermissions"] === true,
      bypassSession: value["bypassSession"] === true,
      inLine: 0,
      sessionId: text(value["sessionId"]),
      canResume: value["canResume"] === true,
      state: oneOf(value["state"], STATES) ? value["state"] : "lost",
      error: text(value["error"]),
      queue: list(value["queue"]).filter((one): one is string => typeof one === "string"),
      items: list(value["items"]).filter(isItem),
      made: typeof value["made"] === "number" ? value["made"] : 0,
    },
  ];
}

/** The items were written by this extension; their kind and the fields that are drawn are checked nevertheless. */
function isItem(value: unknown): value is Item {
  if (!isFields(value) || typeof value["id"] !== "string") return false;
  switch (value["kind"]) {
    case "prompt":
    case "agent":
    case "thought":
    case "notice":
      return typeof value["text"] === "string";
    case "plan":
      return Array.isArray(value["entries"]) && value["entries"].every((one) => isFields(one) && typeof one["content"] === "string");
    case "tool":
      return typeof value["toolCallId"] === "string" && typeof value["title"] === "string" && Array.isArray(value["content"]) && Array.isArray(value["locations"]);
    case "approval":
      return true;
    default:
      return false;
  }
}
