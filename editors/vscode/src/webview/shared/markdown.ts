// What an agent says, as markdown, made of elements: HTML in it is text, pictures are text, and a link shows where it
// goes and is opened by a click only, after the editor has asked.

import { lexer, type Token, type Tokens } from "marked";

import { visible, visibleProse } from "../../text/visible";
import { el } from "./dom";

/** The elements for `source`. */
export function markdown(source: string, open: (url: string) => void): DocumentFragment {
  const fragment = document.createDocumentFragment();
  for (const token of lexer(visibleProse(source), { gfm: true, breaks: true })) fragment.append(...blockOf(token, open));
  return fragment;
}

type Open = (url: string) => void;

function blocks(tokens: Token[] | undefined, open: Open): Node[] {
  return (tokens ?? []).flatMap((token) => blockOf(token, open));
}

function blockOf(token: Token, open: Open): Node[] {
  switch (token.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      return [el("p", { class: "mayi-heading", role: "heading", "aria-level": String(Math.min(6, Number(token["depth"]) + 2)) }, ...inline(token.tokens, open))];
    case "paragraph":
      return [el("p", {}, ...inline(token.tokens, open))];
    case "code":
      return [el("pre", { class: "mayi-data", tabindex: "0" }, el("code", {}, String(token["text"])))];
    case "blockquote":
      return [el("blockquote", {}, ...blocks(token.tokens, open))];
    case "hr":
      return [el("hr")];
    case "list": {
      const items = (token as Tokens.List).items.map((item) =>
        el("li", {}, item.task ? (item.checked === true ? "☑ " : "☐ ") : null, ...blocks(item.tokens, open)),
      );
      return [token["ordered"] === true ? el("ol", { start: String(token["start"] || 1) }, ...items) : el("ul", {}, ...items)];
    }
    case "table":
      return [table(token as Tokens.Table, open)];
    case "text":
      return token.tokens ? inline(token.tokens, open) : [document.createTextNode(String(token["text"]))];
    default:
      // HTML, and whatever else: as it was written.
      return [el("p", {}, token.raw)];
  }
}

function table(token: Tokens.Table, open: Open): HTMLTableElement {
  const row = (cells: Tokens.TableCell[], tag: "th" | "td"): HTMLTableRowElement =>
    el("tr", {}, ...cells.map((cell) => el(tag, {}, ...inline(cell.tokens, open))));
  return el("table", {}, el("thead", {}, row(token.header, "th")), el("tbody", {}, ...token.rows.map((cells) => row(cells, "td"))));
}

function inline(tokens: Token[] | undefined, open: Open): Node[] {
  return (tokens ?? []).flatMap((token): Node[] => {
    switch (token.type) {
      case "strong":
        return [el("strong", {}, ...inline(token.tokens, open))];
      case "em":
        return [el("em", {}, ...inline(token.tokens, open))];
      case "del":
        return [el("del", {}, ...inline(token.tokens, open))];
      case "codespan":
        return [el("code", { class: "mayi-code" }, String(token["text"]))];
      case "br":
        return [el("br")];
      case "escape":
        return [document.createTextNode(String(token["text"]))];
      case "text":
        return token.tokens ? inline(token.tokens, open) : [document.createTextNode(plain(token))];
      case "link":
        return link(token as Tokens.Link, open);
      default:
        // HTML and pictures: as they were written.
        return [document.createTextNode(token.raw)];
    }
  });
}

/** The lexer does not escape text where it is asked for tokens; `raw` is what was written. */
function plain(token: Token): string {
  return token.raw;
}

function link(token: Tokens.Link, open: Open): Node[] {
  const url = token.href;
  if (!/^https?:\/\//i.test(url)) return [document.createTextNode(token.raw)];
  const shown = visible(url);
  const made = el("button", { type: "button", class: "mayi-link" }, shown);
  made.addEventListener("click", () => open(url));
  if (token.text === url || token.raw === url) return [made];
  return [...inline(token.tokens, open), document.createTextNode(" ("), made, document.createTextNode(")")];
}
