// ACP's `session/update` in a tab's conversation. Kinds that are not known change nothing.

import { type Fields, isFields, list, oneOf, text } from "../check";
import type { PlanEntry, Tab, ToolContent, ToolItem } from "./state";

const STATUSES = ["pending", "in_progress", "completed", "failed"] as const;

/** The tab after `update`. */
export function applyUpdate(tab: Tab, update: Fields): Tab {
  switch (update["sessionUpdate"]) {
    case "agent_message_chunk":
      return say(tab, "agent", update);
    case "agent_thought_chunk":
      return say(tab, "thought", update);
    case "tool_call":
    case "tool_call_update":
      return tool(tab, update);
    case "plan":
      return plan(tab, list(update["entries"]).flatMap(planEntry));
    case "available_commands_update":
      return { ...tab, commands: list(update["availableCommands"]).flatMap(command) };
    // What the person said comes as an event of its own; the mode that counts here is mayi's.
    case "user_message_chunk":
    case "current_mode_update":
    default:
      return tab;
  }
}

/** The tab with one more item, whose id is made for it. */
export function add(tab: Tab, item: (id: string) => Tab["items"][number]): Tab {
  const made = tab.made + 1;
  return { ...tab, made, items: [...tab.items, item(`${tab.tabId}-${made}`)] };
}

/** The tab with `item` in place of the one of the same id. */
export function replace(tab: Tab, item: Tab["items"][number]): Tab {
  return { ...tab, items: tab.items.map((one) => (one.id === item.id ? item : one)) };
}

/** The text of a content block, or a line that says what is there instead. */
function blockText(block: unknown): string {
  if (!isFields(block)) return "";
  switch (block["type"]) {
    case "text":
      return text(block["text"]) ?? "";
    case "resource_link":
      return text(block["uri"]) ?? "";
    case "resource":
      return isFields(block["resource"]) ? (text(block["resource"]["text"]) ?? `[${text(block["resource"]["uri"]) ?? "resource"}]`) : "";
    default:
      return `[${text(block["type"]) ?? "content"}${typeof block["mimeType"] === "string" ? `, ${block["mimeType"]}` : ""}]`;
  }
}

/** So many characters of what an agent says stand in one item. */
const SPEECH = 16_000;

function replaceLast(tab: Tab, item: Tab["items"][number]): Tab {
  return { ...tab, items: tab.items.with(-1, item) };
}

function say(tab: Tab, kind: "agent" | "thought", update: Fields): Tab {
  const said = blockText(update["content"]);
  if (said === "") return tab;
  const last = tab.items.at(-1);
  // A very long speech goes on in another item, so that what is drawn anew with each piece stays small.
  const full = last?.kind === kind && last.text.length > SPEECH && (last.text.endsWith("\n") || last.text.length > 2 * SPEECH);
  if (last?.kind === kind && !full) return replaceLast(tab, { ...last, text: last.text + said });
  return add(tab, (id) => ({ kind, id, text: said }));
}

function tool(tab: Tab, update: Fields): Tab {
  const toolCallId = text(update["toolCallId"]);
  if (toolCallId === null) return tab;
  const known = tab.items.find((item): item is ToolItem => item.kind === "tool" && item.toolCallId === toolCallId);
  const fill = (id: string): ToolItem => ({
    kind: "tool",
    id,
    toolCallId,
    title: text(update["title"]) ?? known?.title ?? "",
    toolKind: text(update["kind"]) ?? known?.toolKind ?? "other",
    status: oneOf(update["status"], STATUSES) ? update["status"] : (known?.status ?? "pending"),
    rawInput: update["rawInput"] ?? known?.rawInput ?? null,
    rawOutput: update["rawOutput"] ?? known?.rawOutput ?? null,
    content: Array.isArray(update["content"]) ? update["content"].flatMap(toolContent) : (known?.content ?? []),
    locations: Array.isArray(update["locations"]) ? update["locations"].flatMap(location) : (known?.locations ?? []),
    decided: known?.decided ?? null,
    unasked: known?.unasked ?? null,
  });
  return known ? replace(tab, fill(known.id)) : add(tab, fill);
}

function toolContent(one: unknown): ToolContent[] {
  if (!isFields(one)) return [];
  if (one["type"] === "diff") {
    return [{ type: "diff", path: text(one["path"]) ?? "", oldText: text(one["oldText"]), newText: text(one["newText"]) ?? "" }];
  }
  if (one["type"] === "terminal") return [{ type: "terminal", terminalId: text(one["terminalId"]) ?? "" }];
  const said = blockText(one["content"]);
  return said === "" ? [] : [{ type: "text", text: said }];
}

function location(one: unknown): string[] {
  if (!isFields(one) || typeof one["path"] !== "string") return [];
  return [typeof one["line"] === "number" ? `${one["path"]}:${one["line"]}` : one["path"]];
}

/** A plan is sent whole each time: it stands once since the last prompt. */
function plan(tab: Tab, entries: PlanEntry[]): Tab {
  const since = tab.items.findLastIndex((item) => item.kind === "prompt");
  const known = tab.items.findLast((item, at) => item.kind === "plan" && at > since);
  if (known?.kind === "plan") return replace(tab, { ...known, entries });
  return add(tab, (id) => ({ kind: "plan", id, entries }));
}

function planEntry(one: unknown): PlanEntry[] {
  if (!isFields(one)) return [];
  return [{ content: text(one["content"]) ?? "", priority: text(one["priority"]) ?? "", status: text(one["status"]) ?? "pending" }];
}

function command(one: unknown): Tab["commands"] {
  if (!isFields(one) || typeof one["name"] !== "string") return [];
  return [{ name: one["name"], description: text(one["description"]) ?? "" }];
}
