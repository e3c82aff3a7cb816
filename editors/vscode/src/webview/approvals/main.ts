// Everything that waits, also of other mayi processes, and the recent past.

import type { Catalog, ToWebview } from "../../messages";
import type { Entry } from "../../model/state";
import { Deck } from "../card/deck";
import { banner, say } from "../shared/banner";
import { el } from "../shared/dom";
import { hear, send } from "../shared/host";
import { afterPaint, BUDGET } from "../shared/pace";
import "./approvals.css";

/** So many settled ones are shown. */
const RECENT = 50;

let catalog: Catalog | null = null;
let tabs = new Set<string>();
const places = new Map<string, HTMLElement>();
const waiting = el("ol", { "aria-label": "Waiting" });
const recent = el("ol", { "aria-label": "Recent" });
const none = el("p", { class: "mayi-empty" }, "Nothing waits.");
const past = el("h2", { hidden: true }, "Recent");

const deck = new Deck({
  bypass: (agentName) => {
    const agent = catalog?.agents.find((one) => one.name === agentName);
    return agent !== undefined && !agent.bypassPermissions && agent.bypassLocked === null;
  },
  folder: () => null,
  origin: ({ tabId, approvalId }) => {
    if (tabId === null || !tabs.has(tabId)) return el("span", { class: "mayi-origin" }, "another process");
    const show = el("button", { type: "button", class: "mayi-link mayi-origin" }, "In its chat");
    show.addEventListener("click", () => send({ type: "show-tab", tabId, approvalId }));
    return show;
  },
}, true);

waiting.setAttribute("tabindex", "-1");
document.body.append(banner, el("main", {}, none, waiting, deck.together?.bar ?? null, past, recent));

function place(entry: Entry): HTMLElement {
  const id = entry.card.approvalId;
  const known = places.get(id);
  if (known !== undefined) return known;
  const view = deck.view(id);
  const made = el("li", {}, view?.element ?? null);
  places.set(id, made);
  return made;
}

/** Puts each card where it belongs; cards that stay where they are are not touched, so that focus stays too. */
function arrange(): void {
  const entries = deck.all();
  const open = entries.filter((entry) => entry.state === "pending").sort((a, b) => (a.card.createdAt < b.card.createdAt ? -1 : 1));
  const settled = entries.filter((entry) => entry.state !== "pending").sort((a, b) => ((a.at ?? "") > (b.at ?? "") ? -1 : 1));
  // Very many at once are drawn some at a time, those that wait longest first: these are there at once.
  const end = performance.now() + BUDGET;
  const shown: Entry[] = [];
  for (const entry of open) {
    if (!places.has(entry.card.approvalId) && shown.length > 0 && performance.now() > end) continue;
    place(entry);
    shown.push(entry);
  }
  fill(waiting, shown);
  if (shown.length < open.length) soon();
  fill(recent, settled.slice(0, RECENT));
  none.hidden = open.length > 0;
  past.hidden = settled.length === 0;
}

function fill(list: HTMLElement, entries: Entry[]): void {
  const wanted = entries.map(place);
  // What moves up comes under the pointer of somebody who looked at something else.
  if (list === waiting && [...list.children].some((child, at) => wanted[at] !== child)) deck.still();
  for (const child of [...list.children]) if (!wanted.includes(child as HTMLElement)) child.remove();
  for (const [at, item] of wanted.entries()) if (list.children[at] !== item) list.insertBefore(item, list.children[at] ?? null);
}

function status(now: Catalog): void {
  catalog = now;
  say(now.status);
}

let planned = false;

function soon(): void {
  if (planned) return;
  planned = true;
  afterPaint(() => {
    planned = false;
    arrange();
  });
}

function on(message: ToWebview): void {
  // The first one is there at once, and what comes after it when it was painted.
  if (deck.hear(message)) return waiting.childElementCount === 0 && !planned ? arrange() : soon();
  switch (message.type) {
    case "state":
      places.clear();
      tabs = new Set(message.tabs.map(({ tab }) => tab.tabId));
      status(message.catalog);
      deck.reset(message.entries);
      return arrange();
    case "tab":
      return void tabs.add(message.tab.tabId);
    case "tab-closed":
      return void tabs.delete(message.tabId);
    case "catalog":
      return status(message.catalog);
    case "key":
      return deck.key(message.act);
    case "focus": {
      const view = deck.view(message.approvalId);
      view?.element.scrollIntoView({ block: "start", behavior: "instant" });
      deck.still();
      return view?.focus();
    }
    default:
      return;
  }
}

hear(on);
send({ type: "ready" });
