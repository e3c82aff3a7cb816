// A change of a file: its lines with their numbers, only those near what changes, and the way to the editor's own view of it.

import { relative } from "../../asked";
import { LIMIT, modeOf, type Piece, Syntax } from "../../text/syntax";
import { visible, visibleBlock } from "../../text/visible";
import { coloured } from "./colours";
import { button, el } from "./dom";
import { diff, FOLD, type Row } from "./seen";

export interface Change {
  path: string;
  oldText: string | null;
  newText: string;
}

export interface Shown {
  /** The line of the file at which the old text begins; null: not known, so the text's own numbers would mislead. */
  from: number | null;
  /** Names are from here. */
  folder: string;
  open: (() => void) | null;
  /** Whether to name the file: the card's first line has named the only one. */
  heading: boolean;
}

const NAMES = { "+": "added", "-": "removed", " ": "same", "⋮": "gap" } as const;

/** The change, folded where it is long. */
export function changeOf(change: Change, { from, folder, open, heading }: Shown): HTMLElement {
  const { added, removed, rows, exact } = diff(change.oldText, change.newText);
  const counts = change.oldText === null ? `new, ${added} ${added === 1 ? "line" : "lines"}` : `+${added} −${removed}`;
  // A part of a file that nobody found in it has no numbers; a new file begins at 1.
  const first = change.oldText === null ? 1 : from;
  const shift = first === null ? null : first - 1;
  // A part of a file ends where it ends: what is said is only that one of the two has an end and the other has not.
  const ends = change.oldText !== null && change.oldText.endsWith("\n") !== change.newText.endsWith("\n");
  const body = el("div", { class: "mayi-diff", role: "group", "aria-label": `Changes: ${counts}` });
  const draw = (some: Row[]): void => {
    const texts = some.map((row) => shownText(row, exact));
    const colours = inColours(some, texts, change.path);
    body.replaceChildren(...some.map((row, at) => drawn(row, colours[at] ?? [], shift, ends)));
  };
  const box = el("div", { class: "mayi-change" });
  box.append(el("div", { class: "mayi-change-head" }, heading ? el("code", { class: "mayi-code" }, visible(relative(change.path, folder))) : null, el("span", { class: "mayi-counts" }, counts), open === null ? null : button("open_change", "Open in the editor", "mayi-link", open)));
  if (rows.length <= FOLD.lines) draw(rows);
  else {
    draw(rows.slice(0, FOLD.head + FOLD.tail));
    const all = button("unfold", `Show all: ${(added + removed).toLocaleString("en")} changed lines`, "mayi-unfold", () => {
      draw(rows);
      body.setAttribute("tabindex", "-1");
      all.remove();
      body.focus({ preventScroll: true });
      body.dispatchEvent(new Event("toggle"));
    });
    all.setAttribute("data-folded", "");
    box.append(body, all);
    return box;
  }
  if (rows.length === 0) body.append(el("p", { class: "mayi-soft" }, "No line changes."));
  box.append(body);
  return box;
}

function changes({ sign }: Row): boolean {
  return sign === "+" || sign === "-";
}

/** A line as it is shown. */
function shownText(row: Row, exact: boolean): string {
  return exact && changes(row) ? visible(row.text).replace(/ +$/, (blanks) => "·".repeat(blanks.length)) : visibleBlock(row.text);
}

/** The pieces of each line. Before and after are texts of their own: a comment that begins in the one does not go on in the other. */
function inColours(rows: readonly Row[], texts: readonly string[], path: string): Piece[][] {
  const mode = modeOf(path);
  if (mode === null || texts.reduce((sum, text) => sum + text.length, 0) > LIMIT.all) return texts.map((text) => [{ text, kind: null }]);
  let [before, after] = [new Syntax(mode), new Syntax(mode)];
  return rows.map((row, at) => {
    const text = texts[at] ?? "";
    if (row.sign === "⋮") {
      // Nobody knows what is between.
      [before, after] = [new Syntax(mode), new Syntax(mode)];
      return [{ text, kind: null }];
    }
    if (row.sign === "-") return before.line(text);
    if (row.sign === " ") before.line(text);
    return after.line(text);
  });
}

function drawn({ sign, number, unended }: Row, pieces: readonly Piece[], shift: number | null, ends: boolean): HTMLElement {
  const shown = coloured(pieces);
  if (sign === "⋮") return el("div", { class: "line gap" }, ...shown);
  return el(
    "div",
    { class: `line ${NAMES[sign]}` },
    el("span", { class: "number", "aria-hidden": "true" }, number === null || shift === null ? "" : String(number + shift)),
    el("span", { class: "sign" }, sign),
    el("span", { class: "text" }, ...shown, unended && (sign === "+" || sign === "-") && ends ? el("span", { class: "mayi-soft" }, " (no line end)") : null),
  );
}
