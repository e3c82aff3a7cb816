// The items of a conversation as elements. A tool's words are text; only what an agent says is laid out as markdown.

import type { Item, ToolItem } from "../../model/state";
import { ranUnasked } from "../../model/unasked";
import { visible, visibleBlock } from "../../text/visible";
import { why } from "../card/parts";
import { changeOf } from "../shared/change";
import { block, json } from "../shared/data";
import { disclosure, el, later } from "../shared/dom";
import { send } from "../shared/host";
import { markdown } from "../shared/markdown";

type Drawn = Exclude<Item, { kind: "approval" }>;

/** One item in the page. */
export class ItemView {
  readonly element: HTMLElement;
  private frame: number | null = null;
  /** What the tool itself says, and the cards about it: these stay where they are when the former is drawn anew. */
  private readonly box = el("div", { class: "mayi-tool" });
  private readonly cards = el("div", { class: "mayi-cards" });

  constructor(private item: Drawn) {
    this.element = el("div", { class: `mayi-item ${item.kind}`, "data-kind": item.kind });
    if (item.kind === "tool") this.element.append(this.box, this.cards);
    this.draw();
  }

  update(item: Drawn): void {
    this.item = item;
    this.draw();
  }

  /** The call that it is about, if it is a tool's. */
  get toolCallId(): string | null {
    return this.item.kind === "tool" ? this.item.toolCallId : null;
  }

  /** Puts a card about this call below it. */
  mount(card: HTMLElement): void {
    this.cards.append(card);
  }

  /** More of what is being said. It is drawn with the next frame, however many pieces come before that. */
  append(text: string): void {
    if (this.item.kind !== "agent" && this.item.kind !== "thought") return;
    this.item = { ...this.item, text: this.item.text + text };
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.draw();
    });
  }

  private draw(): void {
    const { element, item } = this;
    switch (item.kind) {
      case "prompt":
        return element.replaceChildren(el("div", { class: "mayi-said" }, visibleBlock(item.text)));
      case "agent":
        return element.replaceChildren(markdown(item.text, openLink));
      case "thought":
        return this.thought(item.text);
      case "notice":
        element.classList.toggle("bad", item.bad);
        element.setAttribute("role", item.bad ? "alert" : "note");
        return element.replaceChildren(visibleBlock(item.text));
      case "plan":
        return element.replaceChildren(el("p", { class: "mayi-heading" }, "Plan"), plan(item.entries));
      case "tool":
        return this.tool(item);
    }
  }

  private thought(text: string): void {
    const open = this.element.querySelector("details")?.open ?? false;
    this.element.replaceChildren(disclosure("Thought", open, "thought", el("div", { class: "mayi-said" }, visibleBlock(text))));
  }

  private tool(item: ToolItem): void {
    const open = new Set([...this.box.querySelectorAll<HTMLDetailsElement>("details[open]")].map((one) => one.className));
    const parts = tool(item);
    for (const part of parts) if (part instanceof HTMLDetailsElement && open.has(part.className)) part.open = true;
    this.element.setAttribute("data-status", item.status);
    this.element.setAttribute("data-tool-call-id", item.toolCallId);
    this.box.replaceChildren(...parts);
  }
}

function openLink(url: string): void {
  send({ type: "open-link", url });
}

const MARK: Record<string, string> = { completed: "✓", in_progress: "●", pending: "○" };

function plan(entries: { content: string; status: string; priority: string }[]): HTMLElement {
  const list = el("ul", { class: "mayi-plan" });
  for (const entry of entries) {
    list.append(el("li", { "data-status": entry.status, title: `${entry.status}${entry.priority === "" ? "" : `, ${entry.priority}`}` }, `${MARK[entry.status] ?? "○"} ${visible(entry.content)}`));
  }
  return list;
}

const STATUS: Record<ToolItem["status"], string> = {
  pending: "waiting",
  in_progress: "running",
  completed: "done",
  failed: "failed",
};

const EFFECT = { allow: "allowed without asking", ask: "asked about", deny: "denied" } as const;

function tool(item: ToolItem): HTMLElement[] {
  const head = el(
    "div",
    { class: "mayi-tool-head" },
    el("span", { class: "mayi-kind" }, visible(item.toolKind)),
    el("span", { class: "mayi-title", title: visible(item.title) }, visible(item.title === "" ? item.toolCallId : item.title)),
    el("span", { class: `mayi-tool-status ${item.status}` }, STATUS[item.status]),
  );
  const parts: HTMLElement[] = [head];
  if (item.decided !== null) {
    const { effect, by, why: found } = item.decided;
    const findings = el("ul", {}, ...found.map((finding) => el("li", {}, ...why(finding, (path, line) => send({ type: "open-file", path, line })))));
    // Why something did not happen is said at once; why it did, on demand.
    parts.push(disclosure(`${EFFECT[effect]}${by === null ? "" : ` (${visible(by)})`}`, effect === "deny", `decided ${effect}`, findings));
  }
  // What is kept from before this was told of has none.
  if (item.unasked != null) {
    const { policy, why: found, failed } = item.unasked;
    const findings = el("ul", {}, ...found.map((finding) => el("li", {}, ...why(finding, (path, line) => send({ type: "open-file", path, line })))));
    parts.push(el("p", { class: "mayi-unasked", role: "alert" }, ranUnasked(policy, failed)), disclosure("Why", policy === "deny", `unasked ${policy}`, findings));
  }
  if (item.rawInput !== null) parts.push(disclosure("Arguments", false, "arguments", json(item.rawInput)));
  for (const one of item.content) {
    if (one.type === "diff") parts.push(later(`${one.oldText === null ? "New file" : "Changes to"} ${visible(one.path.split("/").at(-1) ?? one.path)}`, "diff", () => changeOf(one, { from: null, folder: "", open: null, heading: true })));
    else if (one.type === "text") parts.push(output(one.text));
    else parts.push(el("p", {}, `Terminal ${visible(one.terminalId)}`));
  }
  if (item.rawOutput != null && !item.content.some((one) => one.type === "text")) {
    parts.push(disclosure("Output", false, "output", typeof item.rawOutput === "string" ? block(item.rawOutput) : json(item.rawOutput)));
  }
  for (const place of item.locations) parts.push(location(place));
  return parts;
}

/** Output of more characters is made when it is opened. */
const LONG = 20_000;

function output(text: string): HTMLElement {
  if (text.length > LONG) return later(`Output (${text.split("\n").length} lines)`, "output", () => block(text));
  return disclosure("Output", text.length < 400, "output", block(text));
}

function location(place: string): HTMLElement {
  const found = /^(.*?)(?::(\d+))?$/.exec(place);
  const link = el("button", { type: "button", class: "mayi-link" }, visible(place));
  link.addEventListener("click", () => send({ type: "open-file", path: found?.[1] ?? place, line: found?.[2] === undefined ? null : Number(found[2]) }));
  return el("p", { class: "mayi-location" }, link);
}
