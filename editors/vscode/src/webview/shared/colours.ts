// Pieces of a text as elements. Their colours are the theme's, and nothing else of them differs from text without colours.

import type { Piece } from "../../text/syntax";
import { el } from "./dom";

/** The pieces in their order. */
export function coloured(pieces: readonly Piece[]): (Node | string)[] {
  return pieces.map(({ text, kind }) => (kind === null ? text : el("span", { class: `tok-${kind}` }, text)));
}
