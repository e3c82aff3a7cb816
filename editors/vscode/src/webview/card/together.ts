// One answer for several cards that differ. Each is shown where it stands, and ticked there; what is answered by itself has no
// tick (D6.18).

import type { ApprovalResponse, TabCard } from "../../api";
import { button, el } from "../shared/dom";
import { answersAll, isTickable } from "../shared/ticks";
import { INERT } from "./arm";

/** What is asked of a card that is ticked. */
export interface Member {
  /** Whether its own Allow would count. */
  readonly allows: boolean;
  /** Shows what was not seen of it. */
  further(): boolean;
  /** An answer to it is on its way. */
  busy(): void;
}

/** What the ticks need of the view around them. */
export interface Group {
  member(approvalId: string): Member | undefined;
  answer(cards: readonly TabCard[], optionId: string): void;
}

/** One answer to each of several, bound to what was shown of it. */
export function answersTo(cards: readonly TabCard[], optionId: string): ApprovalResponse[] {
  return cards.map(({ approvalId, digest }) => ({ approvalId, digest, response: { outcome: { outcome: "selected", optionId } }, bypassAll: false, remember: null, reason: null }));
}

/** The ticks of a view, and the bar that answers what is ticked. */
export class Together {
  readonly bar = el("div", { class: "mayi-together", role: "group", "aria-label": "What is ticked", "data-in-front": true, hidden: true });
  private readonly ticked = new Map<string, TabCard>();
  private readonly rows = new Map<string, HTMLElement>();
  private since = 0;
  private timer: number | null = null;

  constructor(private readonly group: Group) {}

  /** The tick of a card, made anew as the card is: it begins without one. `rested`: whether a press counts. */
  row(card: TabCard, rested: () => boolean): HTMLElement | null {
    this.forget(card.approvalId);
    if (!isTickable(card)) return null;
    const box = el("input", { type: "checkbox", "action-id": "tick" });
    box.addEventListener("click", (event) => {
      if (!rested()) event.preventDefault();
    });
    box.addEventListener("change", () => {
      if (box.checked) this.ticked.set(card.approvalId, card);
      else this.ticked.delete(card.approvalId);
      this.draw();
    });
    const row = el("label", { class: "mayi-tick", hidden: true }, box, " Answer together with others");
    this.rows.set(card.approvalId, row);
    return row;
  }

  /** The card is settled or drawn anew: what was ticked is not what stands there now. */
  forget(approvalId: string): void {
    this.rows.delete(approvalId);
    if (this.ticked.delete(approvalId)) this.draw();
  }

  /** Other cards wait now. */
  regroup(): void {
    for (const row of this.rows.values()) row.hidden = this.rows.size < 2;
  }

  private draw(): void {
    const count = this.ticked.size;
    this.bar.hidden = count === 0;
    // Another number is another question.
    this.since = performance.now();
    const answers = [
      button("together_allow", `Allow these ${count} once`, "allow", () => this.act("allow_once"), { "data-allows": true }),
      button("together_deny", `Deny these ${count}`, "deny", () => this.act("deny")),
    ];
    const untick = button("together_cancel", "Untick", "plain", () => this.untick());
    this.bar.replaceChildren(...(count === 1 ? ["1 is ticked; tick others to answer them together."] : []), el("div", { class: "mayi-actions" }, ...(count > 1 ? answers : []), untick));
    this.mark();
  }

  private untick(): void {
    for (const id of this.ticked.keys()) {
      const box = this.rows.get(id)?.querySelector("input") ?? null;
      if (box !== null) box.checked = false;
    }
    this.ticked.clear();
    this.draw();
  }

  private get rested(): boolean {
    return performance.now() - this.since >= INERT;
  }

  /** Marks the answers that rest, and again when they rest no more. */
  private mark(): void {
    if (this.timer !== null) window.clearTimeout(this.timer);
    this.timer = this.rested ? null : window.setTimeout(() => this.mark(), Math.max(1, Math.ceil(this.since + INERT - performance.now())));
    for (const one of this.bar.querySelectorAll('[action-id="together_allow"], [action-id="together_deny"]')) {
      if (this.rested) one.removeAttribute("aria-disabled");
      else one.setAttribute("aria-disabled", "true");
    }
  }

  /** One answer to each, bound to what was shown of it. What was not seen of them is shown first, card by card. */
  private act(optionId: "allow_once" | "deny"): void {
    if (!this.rested) return;
    const cards = [...this.ticked.values()];
    const members = cards.map((card) => this.group.member(card.approvalId));
    if (!answersAll(members, optionId, (member) => member.allows)) return;
    for (const member of members) member?.busy();
    this.untick();
    this.group.answer(cards, optionId);
  }
}
