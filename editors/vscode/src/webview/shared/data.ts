// Values of others, shown as data: arguments and diffs, in full.

import { visible, visibleBlock } from "../../text/visible";
import { diff } from "./diff";
import { disclosure, el } from "./dom";

/** Diffs of at most so many lines are open from the start. */
const SHORT = 40;

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

/** A change of a file; open from the start if `look` and it is short. */
export function change(path: string, oldText: string | null, newText: string, look: boolean): HTMLDetailsElement {
  const lines = diff(oldText ?? "", newText);
  const added = lines.filter((line) => line.mark === "+").length;
  const removed = lines.filter((line) => line.mark === "-").length;
  const body = el("pre", { class: "mayi-data mayi-diff", tabindex: "0" });
  for (const line of lines) {
    const kind = line.mark === "+" ? "added" : line.mark === "-" ? "removed" : "same";
    body.append(el("span", { class: `line ${kind}` }, `${line.mark} ${visible(line.text)}\n`));
  }
  const what = oldText === null ? "New file" : "Changes to";
  return disclosure(`${what} ${visible(path)} (+${added} −${removed})`, look && lines.length <= SHORT, "diff", body);
}
