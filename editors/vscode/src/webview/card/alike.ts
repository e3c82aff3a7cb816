// One answer for several cards: they are all named before it can be given.

import type { TabCard } from "../../api";
import { writtenLine } from "../../asked";
import { visible } from "../../text/visible";
import { button, el } from "../shared/dom";
import { Seen } from "../shared/seen";
import { headingText } from "./parts";

/** Lists `cards`; `answer` is given all of them once the list was in sight to its end. */
export function alikeForm(cards: readonly TabCard[], back: () => void, answer: (cards: readonly TabCard[], optionId: string) => void, moved: () => void): HTMLElement {
  const list = el("ol", { class: "mayi-alike" });
  for (const card of cards) list.append(el("li", {}, el("code", { class: "mayi-code" }, visible(writtenLine(card) ?? headingText(card)))));
  let seen: Seen | null = null;
  const allow = button("alike_allow", `Allow all ${cards.length}`, "allow", () => {
    seen?.look();
    if (seen?.all === true) answer(cards, "allow_once");
    else seen?.further();
  }, { "data-allows": true });
  const mark = (): void => void allow.classList.toggle("unseen", seen?.all !== true);
  seen = new Seen(list, () => {
    mark();
    moved();
  });
  mark();
  const deny = button("alike_deny", `Deny all ${cards.length}`, "deny", () => answer(cards, "deny"));
  const every = cards.every((card) => card.options.some((option) => option.optionId === "allow_once"));
  return el("div", { class: "mayi-form", role: "group", "aria-label": `All ${cards.length} that are alike` }, list, el("div", { class: "mayi-actions" }, every ? allow : null, deny, button("alike_cancel", "Back", "plain", back)));
}
