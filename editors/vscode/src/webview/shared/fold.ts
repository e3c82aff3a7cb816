// What is long folds, with its beginning and its end in sight. Who answers has to have opened it: `data-folded` says so to
// whoever watches what was seen.

import { button, el } from "./dom";
import { FOLD } from "./seen";

/** `element` as it is, or folded where it is long. `unit`: what its rows are. */
export function folded(element: HTMLElement, unit: string): HTMLElement {
  const rows = element.tagName === "PRE" ? lines(element) : [...element.children].map((one) => [one]);
  const characters = element.textContent?.length ?? 0;
  if (rows.length <= FOLD.lines && characters <= FOLD.characters) return element;
  const [head, tail] = rows.length <= FOLD.lines ? [cut(element, FOLD.characters / 2, false), cut(element, FOLD.characters / 4, true)] : [shell(element, rows.slice(0, FOLD.head)), shell(element, rows.slice(-FOLD.tail))];
  const hidden = rows.length - FOLD.head - FOLD.tail;
  const said = rows.length <= FOLD.lines ? `${characters.toLocaleString("en")} characters` : `${rows.length.toLocaleString("en")} ${unit === "entry" ? "entries" : `${unit}s`}`;
  const box = el("div", { class: "mayi-fold" }, head);
  const open = button("unfold", `Show all: ${said}${hidden > 0 ? `, ${hidden.toLocaleString("en")} are folded` : ""}`, "mayi-unfold", () => {
    element.setAttribute("tabindex", "-1");
    box.replaceChildren(element);
    element.focus({ preventScroll: true });
    box.dispatchEvent(new Event("toggle"));
  });
  open.setAttribute("data-folded", "");
  box.append(open, tail);
  return box;
}

/** The lines of a text with its marks. */
function lines(element: HTMLElement): Node[][] {
  const out = split(element);
  if (out.at(-1)?.length === 0) out.pop();
  return out;
}

/** What is in an element by lines; an element that goes over a line end is there in each of its lines. */
function split(element: Node): Node[][] {
  const out: Node[][] = [[]];
  for (const node of element.childNodes) {
    const inside = node instanceof HTMLElement ? split(node) : (node.textContent ?? "").split("\n").map((text) => (text === "" ? [] : [document.createTextNode(text)]));
    for (const [at, parts] of inside.entries()) {
      if (at > 0) out.push([]);
      if (parts.length === 0) continue;
      if (node instanceof HTMLElement) {
        const piece = node.cloneNode(false) as HTMLElement;
        piece.append(...parts);
        out.at(-1)?.push(piece);
      } else out.at(-1)?.push(...parts);
    }
  }
  return out;
}

/** The same element around some of its rows. */
function shell(element: HTMLElement, rows: Node[][]): HTMLElement {
  const made = element.cloneNode(false) as HTMLElement;
  for (const [at, row] of rows.entries()) {
    if (at > 0 && element.tagName === "PRE") made.append("\n");
    made.append(...row.map((one) => one.cloneNode(true)));
  }
  return made;
}

/** A part of a text without lines. */
function cut(element: HTMLElement, characters: number, end: boolean): HTMLElement {
  const made = element.cloneNode(false) as HTMLElement;
  const all = [...(element.textContent ?? "")];
  made.append(end ? `… ${all.slice(-characters).join("")}` : `${all.slice(0, characters).join("")} …`);
  return made;
}
