// Everything that waits, also of other mayi processes, and the recent past.

import type { Catalog, ToWebview } from "../../messages";
import type { Entry } from "../../model/state";
import { visible } from "../../text/visible";
import { Deck } from "../card/deck";
import { banner, say } from "../shared/banner";
import { el } from "../shared/dom";
import { hear, send } from "../shared/host";
import "./approvals.css";

/** So many settled ones are shown. */
const RECENT = 50;

let catalog: Catalog | null = null;
let tabs = new Set<string>();
const places = new Map<string, HTMLElement>();
const waiting = el("ol", { "aria-label": "Waiting" });
const recent = el("ol", { "aria-label": "Recent" });
const none = el("p", { class: "mayi-empty" }, "Nothing waits.");
const title = el("h2", {}, "Waiting");

const deck = new Deck((agentName) => {
  const agent = catalog?.agents.find((one) => one.name === agentName);
  return agent !== undefined && !agent.bypassPermissions && agent.bypassLocked === null;
});

document.body.append(banner, el("main", {}, title, none, waiting, el("h2", {}, "Recent"), recent));

function origin(entry: Entry): HTMLElement {
  const { tabId, agentName, approvalId } = entry.card;
  if (tabId === null || !tabs.has(tabId)) return el("p", { class: "mayi-origin" }, `Asked by ${visible(agentName)} in another process of mayi`);
  const show = el("button", { type: "button", class: "mayi-link" }, "Show in its chat");
  show.addEventListener("click", () => send({ type: "show-tab", tabId, approvalId }));
  return el("p", { class: "mayi-origin" }, `Asked by ${visible(agentName)}. `, show);
}

function place(entry: Entry): HTMLElement {
  const id = entry.card.approvalId;
  const known = places.get(id);
  if (known !== undefined) return known;
  const view = deck.view(id);
  const made = el("li", { "data-approval-id": id }, origin(entry), view?.element ?? null);
  places.set(id, made);
  return made;
}

/** Puts each card where it belongs; cards that stay where they are are not touched, so that focus stays too. */
function arrange(): void {
  const entries = deck.all();
  const open = entries.filter((entry) => entry.state === "pending").sort((a, b) => (a.card.createdAt < b.card.createdAt ? -1 : 1));
  const past = entries.filter((entry) => entry.state !== "pending").sort((a, b) => ((a.at ?? "") > (b.at ?? "") ? -1 : 1));
  fill(waiting, open);
  fill(recent, past.slice(0, RECENT));
  none.hidden = open.length > 0;
  title.textContent = open.length === 0 ? "Waiting" : `Waiting (${open.length})`;
}

function fill(list: HTMLElement, entries: Entry[]): void {
  const wanted = entries.map(place);
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
  requestAnimationFrame(() => {
    planned = false;
    arrange();
  });
}

function on(message: ToWebview): void {
  if (deck.hear(message)) return soon();
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
    case "focus":
      return deck.view(message.approvalId)?.focus();
    default:
      return;
  }
}

hear(on);
send({ type: "ready" });
