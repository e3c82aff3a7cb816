// One approval card: what is asked, the choices, and, once it is settled, one line that says how.

import type { ApprovalResponse, TabCard } from "../../api";
import type { Entry } from "../../model/state";
import { headlineText, writtenLine } from "../../asked";
import { visible } from "../../text/visible";
import { announce, el } from "../shared/dom";
import { Arm } from "./arm";
import { Choices } from "./choices";
import { because, details, heading, headingText, icon, warning } from "./parts";
import { thing } from "./thing";
import { answersTo, type Together } from "./together";
import { CLASS, outcome } from "./words";

/** What a card needs of the view that it stands in. */
export interface Surroundings {
  /** Whether "Bypass" may be offered for the agent. */
  bypass(agentName: string): boolean;
  /** The pending cards that may be answered together with this one, itself among them; empty: none. */
  alike(card: TabCard): TabCard[];
  respond(response: ApprovalResponse): void;
  respondMany(responses: ApprovalResponse[]): void;
  openFile(path: string, line: number | null): void;
  /** Opens a change in the editor's own view: the one at that place among what came with the call. */
  openChange(card: TabCard, at: number): void;
  /** The folder that goes without saying; null: none does. */
  folder(card: TabCard): string | null;
  /** Where it comes from, where the view does not say that. */
  origin(card: TabCard): HTMLElement | null;
  /** The ticks of the view, where several that differ can be answered together. */
  together: Together | null;
}

/** Milliseconds until it shows that an answer is on its way. */
const SHOWN_AFTER = 50;

let count = 0;

/** A card in the page. */
export class CardView {
  readonly element: HTMLElement;
  private entry: Entry;
  private changed = false;
  private sent = false;
  private arm: Arm | null = null;
  private choices: Choices | null = null;

  constructor(
    entry: Entry,
    private readonly around: Surroundings,
  ) {
    this.entry = entry;
    this.element = el("section", { class: "mayi-card", role: "group" });
    this.draw();
    if (entry.state === "pending") announce(`Approval required: ${headingText(entry.card)}`);
  }

  /** The card as it is now. */
  update(entry: Entry): void {
    const before = this.entry;
    if (before === entry) return;
    this.entry = entry;
    this.sent = false;
    if (before.card.digest !== entry.card.digest) {
      this.changed = true;
      announce(`Changed: ${headingText(entry.card)}`);
    }
    const focused = this.element.contains(document.activeElement);
    this.draw();
    if (entry.state !== "pending") announce(outcome({ state: entry.state, by: entry.by ?? "", at: "" }));
    if (focused) this.focus();
  }

  /** The answer was not taken: it waits again. */
  open(problem: string | null): void {
    if (this.entry.state !== "pending") return;
    this.sent = false;
    this.free(false);
    this.choices?.say(problem);
    this.arm?.again();
    this.focus();
  }

  /** The group of cards that are alike has changed. */
  regroup(): void {
    if (this.entry.state === "pending") this.choices?.regroup();
  }

  /** Focus on its first line: never on a choice. */
  focus(): void {
    this.element.querySelector<HTMLElement>("h3, summary")?.focus({ preventScroll: true });
  }

  /** It was moved to another place by the view: what is pressed now may have been meant for something else. */
  still(): void {
    this.arm?.again();
  }

  /** Whether all of it, or the end of what was read, has been in sight for half a second, so that a key may answer it. */
  get inSight(): boolean {
    return this.entry.state === "pending" && !this.sent && this.arm?.inSight === true;
  }

  /** Whether its own Allow would count, so that an answer to several may allow it. */
  get allows(): boolean {
    return this.entry.state === "pending" && !this.sent && this.arm?.counts(true) === true;
  }

  /** Whether nothing tells what it would change. */
  get untold(): boolean {
    return this.entry.card.toolCall.untold === true;
  }

  /** Whether any of it is in the window. */
  get visible(): boolean {
    const { top, bottom } = this.element.getBoundingClientRect();
    return bottom > 0 && top < window.innerHeight;
  }

  /** What a key answers: only once, or no. Whether it was an answer. */
  key(act: "approve" | "deny"): boolean {
    const option = act === "approve" ? "allow_once" : "deny";
    if (!this.inSight || !this.entry.card.options.some((one) => one.optionId === option)) return false;
    // A key says yes to what stands there, and there nothing does.
    if (act === "approve" && this.untold) {
      this.choices?.say("No key allows this, since not all of what would change is shown. The buttons do.");
      return false;
    }
    this.pick(option);
    return true;
  }

  /** Shows what was not seen of it; whether there is something. */
  further(): boolean {
    return this.arm?.further() === true;
  }

  dispose(): void {
    this.arm?.dispose();
    this.choices?.dispose();
  }

  private draw(): void {
    const { card, state } = this.entry;
    this.dispose();
    this.arm = null;
    this.choices = null;
    this.element.className = `mayi-card ${CLASS[state]}`;
    this.element.setAttribute("data-approval-id", card.approvalId);
    this.element.setAttribute("data-state", state);
    this.element.setAttribute("data-permission", card.permissionType);
    if (state === "pending") this.drawPending();
    else this.drawSettled();
  }

  private drawPending(): void {
    const { card } = this.entry;
    const id = `mayi-card-${++count}`;
    this.element.removeAttribute("aria-label");
    this.element.setAttribute("aria-labelledby", id);
    const openFile = (path: string, line: number | null): void => this.around.openFile(path, line);
    const body = el(
      "div",
      { class: "mayi-body" },
      el("header", {}, icon(card), heading(card, id), el("span", { class: "mayi-waits" }, el("span", { class: "mayi-live" }, "Approval required")), this.around.origin(card)),
      this.changed ? el("p", { class: "mayi-problem" }, "This call has changed since it was shown. Look at it again.") : null,
      thing(card, { openChange: (of, at) => this.around.openChange(of, at), lines: (of) => of.lines ?? [] }),
      ...because(card, this.around.folder(card), openFile),
      warning(card),
    );
    const choices = new Choices({
      card,
      arm: () => this.arm,
      bypass: this.around.bypass(card.agentName),
      alike: () => this.around.alike(card),
      details: () => details(card, openFile),
      pick: (optionId, more) => this.pick(optionId, more),
      pickAll: (cards, optionId) => this.pickAll(cards, optionId),
      moved: () => undefined,
    });
    this.choices = choices;
    const tick = this.around.together?.row(card, () => this.arm?.rested === true) ?? null;
    this.element.replaceChildren(body, choices.element, ...(tick === null ? [] : [tick]));
    this.arm = new Arm(choices.element, body);
  }

  /** One line; what was asked is on demand. */
  private drawSettled(): void {
    const { card, state, by, at, reason, block } = this.entry;
    const openFile = (path: string, line: number | null): void => this.around.openFile(path, line);
    this.around.together?.forget(card.approvalId);
    this.element.removeAttribute("aria-labelledby");
    this.element.setAttribute("aria-label", headingText(card));
    const granted = block.extra.grantedPermissions ?? [];
    const said = [
      el("span", { class: `mayi-outcome ${CLASS[state]}` }, visible(outcome({ state, by: by ?? "", at: at ?? "" }))),
      reason === null || reason === "" ? null : el("span", { class: "mayi-reason" }, ` Reason: ${visible(reason)}`),
      granted.length === 0 ? null : el("span", { class: "mayi-soft" }, ` Remembered: ${granted.map(visible).join(", ")}`),
    ];
    // Where no item of its tool call stands around it, its line says what was asked too.
    const asked = el("span", { class: "mayi-about-what" }, visible((writtenLine(card) ?? headlineText(card)).slice(0, 200)));
    const title = [asked, ...said].map((one) => one?.textContent ?? "").join(" ");
    const more = el("details", { class: "mayi-settled" }, el("summary", { title }, asked, ...said));
    // It is drawn when somebody looks at it: a chat has hundreds of them.
    more.addEventListener("toggle", () => {
      if (more.childElementCount > 1) return;
      more.append(el("div", { class: "mayi-body" }, el("p", {}, headingText(card)), thing(card, { openChange: (of, place) => this.around.openChange(of, place), lines: (of) => of.lines ?? [] }), details(card, openFile)));
    });
    this.element.replaceChildren(more);
  }

  /** An answer is on its way. */
  busy(): void {
    this.sent = true;
    const { choices } = this;
    // It shows a moment later: a browser holds back what a click sends until the click is drawn, so there should be little
    // to draw. Nothing can be answered meanwhile.
    setTimeout(() => {
      if (!this.sent || choices === null || choices !== this.choices) return;
      // A choice that is disabled would lose the focus to nowhere.
      if (choices.element.contains(document.activeElement)) this.focus();
      this.free(true);
    }, SHOWN_AFTER);
  }

  private free(busy: boolean): void {
    const element = this.choices?.element;
    if (element === undefined) return;
    if (busy) element.setAttribute("aria-busy", "true");
    else element.removeAttribute("aria-busy");
    for (const one of element.querySelectorAll("button")) one.disabled = busy;
  }

  private pick(optionId: string, more: Partial<ApprovalResponse> = {}): void {
    if (this.sent) return;
    const { approvalId, digest } = this.entry.card;
    this.busy();
    this.around.respond({ approvalId, digest, response: { outcome: { outcome: "selected", optionId } }, bypassAll: false, remember: null, reason: null, ...more });
  }

  private pickAll(cards: readonly TabCard[], optionId: string): void {
    if (this.sent) return;
    this.busy();
    this.around.respondMany(answersTo(cards, optionId));
  }
}
