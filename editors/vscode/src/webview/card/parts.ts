// The parts of a card that say what is asked. Every value of an agent or a server is text.

import type { Finding, TabCard } from "../../api";
import { headline, headlineText, isFromOutside, isServerCall, reasons } from "../../asked";
import { contentOf, pictureOf } from "../../model/content";
import { visible, visibleBlock } from "../../text/visible";
import { block, code, json } from "../shared/data";
import { disclosure, el } from "../shared/dom";
import { before, MALICIOUS, PERMISSION, PERMISSION_WORD, REVIEW, SOURCE } from "./words";

export { isServerCall };

type Open = (path: string, line: number | null) => void;

/** The first line, as one line of text. */
export function headingText(card: TabCard): string {
  return visible(headlineText(card));
}

/** The first line: what the call asks for in a word, and who wants what. */
export function heading(card: TabCard, id: string): HTMLElement {
  const { permissionType } = card;
  const word = el("span", { class: "mayi-permission", title: PERMISSION[permissionType] }, PERMISSION_WORD[permissionType]);
  const title = el("h3", { id, tabindex: "-1" }, word, " ");
  if (card.server !== null && isServerCall(card)) {
    title.append("Allow tool call from ", el("em", {}, visible(card.server.name)), "? ");
    title.append(el("span", { class: "mayi-run" }, "Run ", el("em", {}, visible(card.server.tool)), " from ", el("em", {}, visible(card.server.name)), `, for ${visible(card.agentName)}`));
    return title;
  }
  const { who, verb, object, rest } = headline(card);
  title.append(el("em", {}, visible(who)), ` ${verb}`);
  if (object !== null) title.append(" ", el("code", { class: "mayi-object" }, visible(object)));
  if (rest !== "") title.append(visible(rest));
  if (card.parent !== null) title.append(el("span", { class: "mayi-run" }, ", for a sub-agent"));
  return title;
}

/** The server's icon, if it holds its own picture: nothing is fetched. */
export function icon(card: TabCard): HTMLElement | null {
  const src = pictureOf(card.server?.icons);
  return src === null ? null : el("img", { class: "mayi-icon", src, alt: "", width: "16", height: "16" });
}

/** What to think of before answering, where a server is called or what comes from outside is read. */
export function warning(card: TabCard): HTMLElement | null {
  return isFromOutside(card) ? el("p", { class: "mayi-warning" }, MALICIOUS, " ", el("strong", {}, REVIEW)) : null;
}

/** Why it is asked, in one line; what is missing, and until when it waits, in lines of their own. */
export function because(card: TabCard, folder: string | null, openFile: Open): HTMLElement[] {
  const line = el("p", { class: "mayi-why" });
  const [first, ...more] = reasons(card) as Finding[];
  if (first !== undefined) line.append(...why(first, openFile, false));
  if (more.length > 0) line.append(el("span", { class: "mayi-soft" }, ` and ${more.length} more`));
  const add = (text: string): void => line.append(el("span", { class: "mayi-soft" }, `${line.childNodes.length > 0 ? " · " : ""}${text}`));
  // Names of a command are from its folder. That of its chat goes without saying.
  if (card.cwd !== "" && card.cwd !== folder) add(`in ${visible(card.cwd)}`);
  const history = before(card, false);
  if (history !== null) add(history);
  const out = line.childNodes.length > 0 ? [line] : [];
  for (const missing of card.notShown) out.push(el("p", { class: "mayi-problem" }, "Not shown: ", el("strong", {}, visible(missing))));
  if (card.expiresAt !== null) out.push(el("p", { class: "mayi-soft" }, `Until ${new Date(card.expiresAt).toLocaleTimeString()}, then it is denied`));
  return out;
}

function row(list: HTMLElement, label: string, ...value: (Node | string)[]): void {
  list.append(el("dt", {}, label), el("dd", {}, ...value));
}

/** Who, in whose words, every reason, what came along, and what the answer is bound to: on demand. */
export function details(card: TabCard, openFile: Open): HTMLElement {
  const list = el("dl", { class: "mayi-about" });
  row(list, "Agent", visible(card.agentName), ...(card.parent === null ? [] : [` (a sub-agent, started by “${visible(card.parentTitle ?? card.parent)}”)`]));
  if (card.toolCall.title !== "") row(list, "Title", el("span", { class: "mayi-said" }, visible(card.toolCall.title)));
  if (card.toolCall.name !== null) row(list, "Tool", visible(card.toolCall.name));
  row(list, "Asks for", PERMISSION[card.permissionType]);
  if (card.cwd !== "") row(list, "Folder", code(card.cwd));
  for (const access of card.accesses) row(list, "Access", code(`${access.access}(${access.display})`), ` ${access.category ?? ""}`);
  for (const finding of card.why) row(list, finding.effect === "ask" ? "Why" : `Why (${finding.effect})`, ...why(finding, openFile, card.accesses.length > 1));
  const history = before(card, true);
  if (history !== null) row(list, "Before", history);
  if (card.toolCall.locations.length > 0) row(list, "Locations", json(card.toolCall.locations));
  says(list, card);
  row(list, "Asked", visible(card.createdAt));
  row(list, "Digest", code(card.digest));
  const said = contentOf(card.toolCall.content).flatMap((one) => (one.type === "text" ? [disclosure("What the agent says of it", false, "note", block(one.text))] : []));
  return el("div", { class: "mayi-details about" }, list, ...said, disclosure("Arguments", false, "arguments", json(card.toolCall.rawInput)));
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
export function why(finding: Finding, openFile: Open, which = true): (Node | string)[] {
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
