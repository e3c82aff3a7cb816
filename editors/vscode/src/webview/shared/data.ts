// Values of others, shown as data: arguments and texts, in full.

import { visible, visibleBlock } from "../../text/visible";
import { el } from "./dom";

/** JSON, laid out, every character of it visible. */
export function json(value: unknown): HTMLPreElement {
  return el("pre", { class: "mayi-data", tabindex: "0" }, visibleBlock(JSON.stringify(value, null, 2) ?? "null"));
}

/** A text of several lines. */
export function block(text: string): HTMLPreElement {
  return el("pre", { class: "mayi-data", tabindex: "0" }, visibleBlock(text));
}

/** A value in a line. */
export function code(text: string): HTMLElement {
  return el("code", { class: "mayi-code" }, visible(text));
}
