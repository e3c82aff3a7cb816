// What a webview has to be told to come from one state to the next. States share what did not change, so this is cheap.

import type { TabView, ToWebview } from "../messages";
import type { Entry, Item, State, Tab } from "./state";

/** The messages, in order: cards come before the place in the conversation that shows them. */
export function changes(before: State, after: State): ToWebview[] {
  const out: ToWebview[] = [];
  if (before.cards !== after.cards) cards(before, after, out);
  if (before.tabs !== after.tabs) {
    for (const tab of before.tabs) {
      if (!after.tabs.some((one) => one.tabId === tab.tabId)) out.push({ type: "tab-closed", tabId: tab.tabId });
    }
    for (const tab of after.tabs) {
      const old = before.tabs.find((one) => one.tabId === tab.tabId);
      if (old !== tab) tabChanges(old, tab, out);
    }
  }
  if (before.selected !== after.selected && after.selected !== null) out.push({ type: "tab-select", tabId: after.selected });
  return out;
}

function cards(before: State, after: State, out: ToWebview[]): void {
  for (const [id, entry] of Object.entries(after.cards)) {
    const old = before.cards[id];
    if (old === entry) continue;
    if (old === undefined) out.push(entry.card);
    else if (old.card !== entry.card) out.push({ ...entry.card, type: "approval-updated" });
    if (entry.state !== "pending" && old?.state !== entry.state) out.push(resolvedOf(entry));
  }
}

/** How a settled card was settled, as the message for it. */
export function resolvedOf(entry: Entry): ToWebview {
  return {
    type: "approval-resolved",
    approvalId: entry.card.approvalId,
    tabId: entry.card.tabId,
    state: entry.state,
    by: entry.by ?? "",
    at: entry.at ?? "",
    reason: entry.reason,
    grantedPermissions: entry.block.extra.grantedPermissions ?? [],
  };
}

/** What a webview knows of a tab besides its items. */
export function viewOf(tab: Tab): TabView {
  const { tabId, agentName, title, cwd, mode, modeLocked, bypassPermissions, bypassSession, inLine, state, error, commands, queue } = tab;
  return { tabId, agentName, title, cwd, mode, modeLocked, bypassPermissions, bypassSession, inLine, state, error, commands, queue };
}

function tabChanges(old: Tab | undefined, tab: Tab, out: ToWebview[]): void {
  const view = viewOf(tab);
  const was = old && viewOf(old);
  if (was === undefined || (Object.keys(view) as (keyof TabView)[]).some((key) => view[key] !== was[key])) out.push({ type: "tab", tab: view });
  if (old?.items === tab.items) return;
  const known = new Map<string, Item>(old?.items.map((item) => [item.id, item]));
  for (const [at, item] of tab.items.entries()) {
    const before = known.get(item.id);
    if (before === item) continue;
    if (before !== undefined && isSaid(before) && isSaid(item) && item.text.startsWith(before.text)) {
      out.push({ type: "append", tabId: tab.tabId, itemId: item.id, text: item.text.slice(before.text.length) });
    } else {
      out.push({ type: "item", tabId: tab.tabId, item, after: tab.items[at - 1]?.id ?? null });
    }
  }
}

function isSaid(item: Item): item is Item & { kind: "agent" | "thought" } {
  return item.kind === "agent" || item.kind === "thought";
}
