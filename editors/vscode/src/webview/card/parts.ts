// The parts of a card that say what is asked. Every value of an agent or a server is text.

import type { Finding, TabCard } from "../../api";
import { contentOf, pictureOf } from "../../model/content";
import { visible, visibleBlock } from "../../text/visible";
import { block, change, code, json } from "../shared/data";
import { disclosure, el } from "../shared/dom";
import { before, MALICIOUS, PERMISSION, REVIEW, SOURCE, wants } from "./words";

/** Whether it is a call to one tool of one server, and nothing besides. */
export function isServerCall(card: TabCard): boolean {
  return card.server !== null && card.accesses.every((access) => access.access === "mcp");
}

/** The heading, as one line of text. */
export function headingText(card: TabCard): string {
  if (card.server !== null && isServerCall(card)) return `Allow tool call from ${visible(card.server.name)}?`;
  return `Allow ${visible(card.agentName)} ${wants(card)}?`;
}

/** The heading. */
export function heading(card: TabCard, id: string): HTMLElement {
  const title = el("h3", { id, tabindex: "-1" });
  if (card.server !== null && isServerCall(card)) {
    title.append("Allow tool call from ", el("em", {}, visible(card.server.name)), "?");
  } else {
    title.append("Allow ", el("em", {}, visible(card.agentName)), ` ${wants(card)}?`);
  }
  return title;
}

/** The server's icon, if it holds its own picture: nothing is fetched. */
export function icon(card: TabCard): HTMLElement | null {
  const src = pictureOf(card.server?.icons);
  return src === null ? null : el("img", { class: "mayi-icon", src, alt: "", width: "16", height: "16" });
}

/** What to think of before answering. */
export function warning(): HTMLElement[] {
  return [el("p", { class: "mayi-warning" }, MALICIOUS, " ", el("strong", {}, REVIEW))];
}

/** What would happen. */
export function what(card: TabCard): HTMLElement {
  const part = el("div", { class: "mayi-what" });
  if (card.server !== null) {
    part.append(el("p", {}, "Run ", el("em", {}, visible(card.server.tool)), " from ", el("em", {}, visible(card.server.name))));
  }
  if (!isServerCall(card)) {
    const list = el("ul", { class: "mayi-accesses", "aria-label": "What would be touched" });
    for (const access of card.accesses) {
      list.append(el("li", {}, el("span", { class: "mayi-access" }, visible(access.access)), el("pre", { class: "mayi-data", tabindex: "0" }, visibleBlock(access.display))));
    }
    part.append(list);
  }
  return part;
}

/** Arguments, changes and notes: on demand, in full; short changes are open while the card waits. */
export function inFull(card: TabCard, waits: boolean): HTMLElement[] {
  const { rawInput, content } = card.toolCall;
  const parts = contentOf(content).map((one) =>
    one.type === "diff" ? change(one.path, one.oldText, one.newText, waits) : disclosure("What the agent says of it", false, "note", block(one.text)),
  );
  return [...parts, disclosure("Arguments", false, "arguments", json(rawInput))];
}

function row(list: HTMLElement, label: string, ...value: (Node | string)[]): void {
  list.append(el("dt", {}, label), el("dd", {}, ...value));
}

/** Whether the folder that it starts in matters: a command's names are relative to it. */
function runs(card: TabCard): boolean {
  return card.cwd !== "" && card.accesses.some((access) => access.access === "shell");
}

/** Where, and why it is asked: always in sight. */
export function about(card: TabCard, openFile: (path: string, line: number | null) => void): HTMLElement {
  const list = el("dl", { class: "mayi-about" });
  if (runs(card)) row(list, "In", code(card.cwd));
  for (const [name, value] of Object.entries(card.env)) row(list, "Sets", code(`${name}=${value}`));
  for (const finding of card.why) row(list, finding.effect === "ask" ? "Why" : `Why (${finding.effect})`, ...why(finding, openFile, card.accesses.length > 1));
  const history = before(card);
  if (history !== null) row(list, "Before", history);
  for (const missing of card.notShown) row(list, "Not shown", el("strong", {}, visible(missing)));
  if (card.expiresAt !== null) row(list, "Until", `${new Date(card.expiresAt).toLocaleTimeString()}, then it is denied`);
  return list;
}

/** Who, and in whose words: on demand. */
export function details(card: TabCard): HTMLElement {
  const list = el("dl", { class: "mayi-about" });
  row(list, "Agent", visible(card.agentName), ...(card.parent === null ? [] : [` (a sub-agent, started by “${visible(card.parentTitle ?? card.parent)}”)`]));
  if (card.toolCall.title !== "") row(list, "Title", visible(card.toolCall.title));
  if (card.toolCall.name !== null) row(list, "Tool", visible(card.toolCall.name));
  row(list, "Asks for", PERMISSION[card.permissionType]);
  if (isServerCall(card)) {
    for (const access of card.accesses) row(list, "Access", code(`${access.access}(${access.display})`), ` ${access.category ?? ""}`);
  }
  if (card.cwd !== "" && !runs(card)) row(list, "Folder", code(card.cwd));
  if (card.toolCall.locations.length > 0) row(list, "Locations", json(card.toolCall.locations));
  says(list, card);
  return list;
}

/** What the server says of itself and of the tool: its words, and not to be relied on. */
function says(list: HTMLElement, card: TabCard): void {
  const said: [string, string | undefined][] = [
    ["Server says (name)", card.server?.title],
    ["Server says (itself)", card.server?.description],
    ["Server says (tool)", card.tool?.description ?? card.tool?.title],
    ["Server says (hints)", card.tool?.annotations === undefined || card.tool.annotations === null ? undefined : JSON.stringify(card.tool.annotations)],
  ];
  for (const [label, text] of said) if (text !== undefined && text.trim() !== "") row(list, label, el("span", { class: "mayi-said" }, visibleBlock(text)));
}

/** One finding: its reason, the access that it is about if `which`, and where the rule for it is written. */
export function why(finding: Finding, openFile: (path: string, line: number | null) => void, which = true): (Node | string)[] {
  const parts: (Node | string)[] = [visible(finding.reason)];
  if (which && finding.access !== "") parts.push(" ", code(finding.access));
  const source = SOURCE[finding.source];
  if (source !== "") parts.push(` (${source})`);
  if (finding.pattern !== undefined) parts.push(" ", code(finding.pattern));
  const { file, line } = finding;
  if (file !== undefined) {
    const place = el("button", { type: "button", class: "mayi-link" }, visible(line === undefined ? file : `${file}:${line}`));
    place.addEventListener("click", () => openFile(file, line ?? null));
    parts.push(" ", place);
  }
  if (finding.always) parts.push(" (always asked about)");
  return parts;
}
