// The chat: one MynahUI tab a session. What stands in it is told by the extension; nothing is decided here.

import { MynahUI } from "@aws/mynah-ui";

import type { Catalog, TabView, ToWebview } from "../../messages";
import type { Item } from "../../model/state";
import { Deck } from "../card/deck";
import { banner, say } from "../shared/banner";
import { announce } from "../shared/dom";
import { hear, pace, send } from "../shared/host";
import { TabPage } from "./tabs";
import "./chat.css";

const pages = new Map<string, TabPage>();
let catalog: Catalog = { agents: [], modes: [], mode: "default", defaultAgent: "", folder: null, status: { state: "starting", text: "" } };
/** A tab is being made or closed for the extension: MynahUI's own events about it are not news. */
let quiet = false;

const deck = new Deck({
  bypass: (agentName) => {
    const agent = catalog.agents.find((one) => one.name === agentName);
    return agent !== undefined && !agent.bypassPermissions && agent.bypassLocked === null;
  },
  folder: (card) => pages.get(card.tabId ?? "")?.tab.cwd ?? null,
  origin: () => null,
});

const ui = new MynahUI({
  rootSelector: "#mayi",
  loadStyles: true,
  tabs: {},
  defaults: { store: TabPage.data({ agentName: "" }) },
  config: {
    maxTabs: 50,
    maxUserInput: 1_000_000,
    autoFocus: true,
    disableTypewriterAnimation: true,
    codeCopyToClipboardEnabled: false,
    codeInsertToCursorEnabled: false,
    codeBlockActions: {},
    texts: { mainTitle: "mayi", noTabsOpen: "No chat is open.", openNewTab: "New chat", stopGenerating: "Stop", spinnerText: "", noMoreTabsTooltip: "No more chats can be open at once." },
  },
  onTabAdd: (mynahId) => {
    if (quiet) return;
    const tab: TabView = { tabId: crypto.randomUUID(), agentName: catalog.defaultAgent, title: "", cwd: "", mode: null, modeLocked: null, bypassPermissions: false, bypassSession: false, inLine: 0, state: "new", error: null, commands: [], queue: [] };
    page(mynahId, tab);
    send({ type: "tab-new", tabId: tab.tabId });
  },
  onTabChange: (mynahId) => {
    const found = [...pages.values()].find((one) => one.mynahId === mynahId);
    if (found !== undefined && !quiet) send({ type: "tab-selected", tabId: found.tab.tabId });
  },
  onTabRemove: (mynahId) => {
    const found = [...pages.values()].find((one) => one.mynahId === mynahId);
    if (found === undefined) return;
    pages.delete(found.tab.tabId);
    if (!quiet) send({ type: "tab-closed", tabId: found.tab.tabId });
  },
  onChatPrompt: (mynahId, prompt) => {
    const found = [...pages.values()].find((one) => one.mynahId === mynahId);
    const text = prompt.prompt ?? "";
    if (found !== undefined && text.trim() !== "") send({ type: "prompt", tabId: found.tab.tabId, text });
  },
  onStopChatResponse: (mynahId) => {
    const found = [...pages.values()].find((one) => one.mynahId === mynahId);
    if (found !== undefined) send({ type: "cancel", tabId: found.tab.tabId });
  },
});

document.body.prepend(banner);

function page(mynahId: string, tab: TabView): TabPage {
  const made = new TabPage(ui, mynahId, tab, deck);
  pages.set(tab.tabId, made);
  made.update(tab, catalog);
  return made;
}

/** The page of the tab, made if there is none. */
function pageOf(tab: TabView): TabPage | undefined {
  const known = pages.get(tab.tabId);
  if (known !== undefined) return known;
  quiet = true;
  const mynahId = ui.updateStore("", TabPage.data(tab));
  quiet = false;
  return mynahId === undefined ? undefined : page(mynahId, tab);
}

/** What is to be done for a tab to show its items. */
function filling(of: TabPage, items: Item[]): (() => void)[] {
  return items.map((item, at) => () => of.put(item, items[at - 1]?.id ?? null));
}

function draw(now: Catalog): void {
  catalog = now;
  say(now.status);
  for (const one of pages.values()) one.update(one.tab, catalog);
}

function select(tabId: string | null): void {
  const found = tabId === null ? undefined : pages.get(tabId);
  if (found === undefined || ui.getSelectedTabId() === found.mynahId) return;
  quiet = true;
  ui.selectTab(found.mynahId);
  quiet = false;
}

function heardOfCard(message: ToWebview): void {
  const tabId = "tabId" in message ? message.tabId : null;
  const found = pages.get(tabId ?? "");
  if (found === undefined) return;
  found.badge();
  if (message.type === "approval-resolved" && ui.getSelectedTabId() === found.mynahId) found.next();
}

/** A key answers only where nobody is writing: it may have been meant for the message field. */
function key(act: "approve" | "deny"): void {
  const found = [...pages.values()].find((one) => one.mynahId === ui.getSelectedTabId());
  if (found?.composing === true) return announce("Nothing was answered: there is text in the message field.");
  deck.key(act);
}

function on(message: ToWebview): void {
  if (deck.hear(message)) return heardOfCard(message);
  switch (message.type) {
    case "state": {
      if (pages.size > 0) return;
      deck.reset(message.entries);
      draw(message.catalog);
      const filled = message.tabs.map(({ tab, items }) => {
        const made = pageOf(tab);
        return { shown: tab.tabId === message.selected, acts: made === undefined ? [] : filling(made, items) };
      });
      select(message.selected);
      // The chat that is looked at comes first.
      return pace.first([...filled.filter((one) => one.shown), ...filled.filter((one) => !one.shown)].flatMap((one) => one.acts));
    }
    case "catalog":
      return draw(message.catalog);
    case "tab":
      return pageOf(message.tab)?.update(message.tab, catalog);
    case "tab-closed": {
      // MynahUI closes a tab for a click only: its own button is clicked.
      const gone = pages.get(message.tabId);
      if (gone === undefined) return;
      pages.delete(message.tabId);
      return document.querySelector<HTMLElement>(`span[key="mynah-main-tabs-${gone.mynahId}"] button`)?.click();
    }
    case "tab-select":
      return select(message.tabId);
    case "item":
      return pages.get(message.tabId)?.put(message.item, message.after);
    case "append":
      return pages.get(message.tabId)?.append(message.itemId, message.text);
    case "key":
      return key(message.act);
    case "new-chat":
      return void ui.updateStore("", TabPage.data({ agentName: catalog.defaultAgent }));
    case "compose":
      return pages.get(message.tabId)?.compose(message.text);
    case "focus": {
      const tabId = deck.get(message.approvalId)?.card.tabId ?? null;
      select(tabId);
      return pages.get(tabId ?? "")?.focus(message.approvalId);
    }
    default:
      return;
  }
}

/** MynahUI's message field keeps Enter to itself, with Ctrl too: where nothing is written there, the editor's keys get it. */
window.addEventListener(
  "keydown",
  (event) => {
    const field = event.target instanceof Element && event.target.closest(".mynah-chat-prompt-input") !== null;
    if (!field || event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.stopPropagation();
    event.preventDefault();
    // What is held down is no press.
    if (event.repeat) return;
    const { key, code, keyCode, ctrlKey, metaKey, shiftKey, altKey } = event;
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, code, keyCode, ctrlKey, metaKey, shiftKey, altKey, bubbles: true, cancelable: true }));
  },
  { capture: true },
);

hear(on);
send({ type: "ready" });
