// The thing itself, as it was written: the whole line of a command with what is asked about marked in it, the arguments of a
// server's tool, the changes of a file. What is long is folded, and has to be opened before it can be allowed.

import type { TabCard } from "../../api";
import { marked, relative, writtenLine } from "../../asked";
import { contentOf } from "../../model/content";
import { cutAt, pieces as coloursOf, SHELL } from "../../text/syntax";
import { visible, visibleBlock } from "../../text/visible";
import { changeOf } from "../shared/change";
import { coloured } from "../shared/colours";
import { el } from "../shared/dom";
import { folded } from "../shared/fold";
import { isServerCall } from "./parts";

/** What a card needs to show it. */
export interface Shows {
  /** Opens a change in the editor's own view: the one at that place among what came with the call. */
  openChange(card: TabCard, at: number): void;
  /** The lines of the files at which its changes begin; null: not known. */
  lines(card: TabCard): readonly (number | null)[];
}

/** All of it. */
export function thing(card: TabCard, shows: Shows): HTMLElement {
  const part = el("div", { class: "mayi-thing" });
  for (const [name, value] of Object.entries(card.env)) part.append(el("pre", { class: "mayi-data mayi-env", "aria-label": "Sets a variable" }, visibleBlock(`${name}=${value}`)));
  const line = writtenLine(card);
  const shownBy = new Set<string>();
  if (line !== null) part.append(command(line, card));
  let at = 0;
  // The first line names one change that is all that is asked.
  const changes = contentOf(card.toolCall.content).filter((one) => one.type === "diff").length;
  for (const [place, one] of contentOf(card.toolCall.content).entries()) {
    if (one.type !== "diff") continue;
    shownBy.add(one.path);
    part.append(changeOf(one, { from: shows.lines(card)[at++] ?? null, folder: card.cwd, open: () => shows.openChange(card, place), heading: changes > 1 || card.accesses.length !== 1 || card.accesses[0]?.display !== one.path }));
  }
  // What a door of mayi's says of a call belongs to it; an agent's own words do not.
  if (card.agentName.startsWith("api:")) for (const one of contentOf(card.toolCall.content)) if (one.type === "text") part.append(el("p", { class: "mayi-said" }, visibleBlock(one.text)));
  if (isServerCall(card) || card.server !== null) part.append(input(card.toolCall.rawInput));
  else if (line === null) part.append(...touched(card, shownBy));
  return part;
}

/** A line, with what is asked about marked in it, and its words in colours. What is read for colours is what is shown. */
function command(line: string, card: TabCard): HTMLElement {
  const { pieces, apart } = marked(line, card);
  const shown = pieces.map(({ text }) => visibleBlock(text));
  const colours = cutAt(coloursOf(shown.join(""), SHELL), shown.map((one) => one.length));
  const parts = pieces.flatMap(({ reasons, deep }, at) => {
    const inside = coloured(colours[at] ?? []);
    const title = [...new Set(reasons.map((one) => one.reason))].join("; ");
    return reasons.length === 0 ? inside : [el("mark", { class: deep > 1 ? "mayi-asked deep" : "mayi-asked", title }, ...inside)];
  });
  const text = el("pre", { class: "mayi-data mayi-command", role: "group", "aria-label": "The command" }, ...parts);
  const box = el("div", {}, folded(text, "line"));
  const others = apart.filter((one) => one.reasons.length > 0 || one.access !== "shell");
  if (others.length > 0) {
    const list = el("ul", { class: "mayi-apart", "aria-label": "What it comes to besides" });
    for (const { access, display } of others) list.append(el("li", {}, el("span", { class: "mayi-access" }, access === "shell" ? "runs" : visible(access)), " ", el("code", { class: "mayi-code" }, visible(access === "shell" ? display : relative(display, card.cwd)))));
    box.append(folded(list, "entry"));
  }
  return box;
}

/** What a tool gets, open: the arguments are the call. */
function input(raw: unknown): HTMLElement {
  const text = typeof raw === "string" ? raw : (JSON.stringify(raw, null, 2) ?? "null");
  // Short ones need no lines of their own.
  const flat = typeof raw === "string" ? raw : (JSON.stringify(raw) ?? "null");
  const shown = flat.length <= 60 && !flat.includes("\\n") ? flat : text;
  return folded(el("pre", { class: "mayi-data mayi-arguments", role: "group", "aria-label": "Arguments" }, visibleBlock(shown)), "line");
}

/** What is touched, where nothing else says it: several files, addresses, a tool with its input. */
function touched(card: TabCard, shown: ReadonlySet<string>): HTMLElement[] {
  const out: HTMLElement[] = [];
  const others = card.accesses.filter((access) => !shown.has(access.display));
  if (card.accesses.length > 1 && others.length > 0) {
    const list = el("ul", { class: "mayi-apart", "aria-label": "What would be touched" });
    for (const { access, display } of others) list.append(el("li", {}, el("span", { class: "mayi-access" }, visible(access)), " ", el("code", { class: "mayi-code" }, visible(display))));
    out.push(folded(list, "entry"));
  }
  const known = card.accesses.every((access) => ["read", "fetch", "write", "create", "edit", "delete", "move"].includes(access.access));
  const open = known ? card.toolCall.openInput : card.toolCall.rawInput;
  if (open !== null && open !== undefined) out.push(input(open));
  return out;
}
