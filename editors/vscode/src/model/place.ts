// Where a card stands in a conversation.

import type { TabCard } from "../api";
import { isFields } from "../check";
import type { Tab, ToolItem } from "./state";

/** The card's place in the conversation: after its tool call, and after the cards that are there already. */
export function place(tab: Tab, card: TabCard): Tab {
  if (tab.items.some((item) => item.kind === "approval" && item.id === card.approvalId)) return tab;
  const toolCallId = card.toolCall.toolCallId ?? gatewayCall(tab, card);
  const item = { kind: "approval" as const, id: card.approvalId, toolCallId };
  const of = tab.items.findLastIndex((one) => (one.kind === "tool" || one.kind === "approval") && toolCallId !== null && one.toolCallId === toolCallId);
  return { ...tab, items: of < 0 ? [...tab.items, item] : tab.items.toSpliced(of + 1, 0, item) };
}

/**
 * The agent's item of the call that the MCP gateway asks about: requests to servers carry no id of the agent's. It is the oldest that is
 * under way in this turn, names the tool, has these arguments and no card yet. Nothing but the card's place follows from it.
 */
function gatewayCall(tab: Tab, card: TabCard): string | null {
  const { server, toolCall } = card;
  if (server === null) return null;
  const carded = new Set(tab.items.flatMap((item) => (item.kind === "approval" ? [item.toolCallId] : [])));
  const since = tab.items.findLastIndex((item) => item.kind === "prompt");
  const wanted = canonical(toolCall.rawInput);
  const found = tab.items.find((item, at): item is ToolItem => {
    if (item.kind !== "tool" || at < since || item.status === "completed" || item.status === "failed" || carded.has(item.toolCallId)) return false;
    const inputs = isFields(item.rawInput) ? [item.rawInput, ...Object.values(item.rawInput)] : [];
    const named = item.title.includes(server.tool) || (isFields(item.rawInput) && Object.values(item.rawInput).includes(server.tool));
    return named && inputs.some((input) => canonical(input) === wanted);
  });
  return found?.toolCallId ?? null;
}

/** A value as JSON, whatever the order of its members was. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (isFields(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one));
}
