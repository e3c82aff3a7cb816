// One approval card: what is asked, the choices, and, once it is settled, how.

import type { ApprovalResponse, TabCard } from "../../api";
import type { Entry } from "../../model/state";
import { visible, visibleBlock } from "../../text/visible";
import { announce, button, disclosure, el } from "../shared/dom";
import { alwaysForm, reasonForm } from "./always";
import { Arm } from "./arm";
import { about, details, heading, headingText, icon, inFull, warning, what } from "./parts";
import { BADGE, CLASS, outcome, PERMISSION } from "./words";

/** What a card needs of the view that it stands in. */
export interface Surroundings {
  /** Whether "Bypass permissions" may be offered for the agent. */
  bypass(agentName: string): boolean;
  /** The pending cards that may be answered together with this one, itself among them; empty: none. */
  alike(card: TabCard): TabCard[];
  respond(response: ApprovalResponse): void;
  respondMany(responses: ApprovalResponse[]): void;
  openFile(path: string, line: number | null): void;
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
  private problem: string | null = null;
  private arm: Arm | null = null;
  private choices: HTMLElement | null = null;
  private group = 0;

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
    this.problem = null;
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
    this.problem = problem;
    this.draw();
    this.focus();
  }

  /** The group of cards that are alike has changed. */
  regroup(): void {
    if (this.entry.state !== "pending" || this.sent) return;
    if (this.around.alike(this.entry.card).length === this.group) return;
    // An open form stays; the offer to answer all comes with the next drawing.
    if (this.choices?.querySelector(".mayi-form") == null) this.drawChoices();
  }

  /** Focus on its heading: never on a choice. */
  focus(): void {
    this.element.querySelector<HTMLElement>("h3")?.focus();
  }

  dispose(): void {
    this.arm?.dispose();
  }

  private draw(): void {
    const { card, state } = this.entry;
    const id = `mayi-card-${++count}`;
    this.arm?.dispose();
    this.arm = null;
    this.choices = null;
    const waits = state === "pending";
    // What was opened stays open, until the card is settled and folds.
    const opened = new Set(!waits ? [] : [...this.element.querySelectorAll<HTMLDetailsElement>("details[open]")].map((one) => one.className));
    this.element.className = `mayi-card ${CLASS[state]}`;
    this.element.setAttribute("data-approval-id", card.approvalId);
    this.element.setAttribute("data-state", state);
    this.element.setAttribute("data-permission", card.permissionType);
    this.element.setAttribute("aria-labelledby", id);
    const head = el("header", {}, icon(card), heading(card, id), el("span", { class: "mayi-badges" }, el("span", { class: `mayi-status ${CLASS[state]}` }, BADGE[state]), el("span", { class: `mayi-permission ${card.permissionType}`, title: PERMISSION[card.permissionType] }, card.permissionType)));
    const changed = this.changed && waits ? el("p", { class: "mayi-problem" }, "This call has changed since it was shown. Look at it again.") : null;
    const full = inFull(card, waits);
    for (const one of full) if (one instanceof HTMLDetailsElement && opened.has(one.className)) one.open = true;
    const reasons = about(card, (path, line) => this.around.openFile(path, line));
    const rest = disclosure("Details", opened.has("mayi-details about"), "about", details(card));
    if (!waits) {
      // It folds: what was asked and how it ended stay in sight, all else is on demand.
      rest.append(reasons, ...full);
      this.element.replaceChildren(head, what(card), this.settled(), rest);
      return;
    }
    this.element.replaceChildren(head, ...(changed === null ? [] : [changed]), what(card), ...full, ...warning(), reasons, rest);
    this.choices = el("div", { class: "mayi-choose" });
    this.element.append(this.choices);
    this.drawChoices();
  }

  private settled(): HTMLElement {
    const { state, by, at, reason, block } = this.entry;
    const line = el("div", { class: `mayi-outcome ${CLASS[state]}` }, el("p", {}, visible(outcome({ state, by: by ?? "", at: at ?? "" }))));
    if (reason !== null && reason !== "") line.append(el("p", { class: "mayi-reason" }, "Reason: ", visibleBlock(reason)));
    const granted = block.extra.grantedPermissions ?? [];
    if (granted.length > 0) line.append(el("p", {}, `Remembered: ${granted.map(visible).join(", ")}`));
    return line;
  }

  private drawChoices(): void {
    const { choices } = this;
    if (choices === null) return;
    const { card } = this.entry;
    const has = (id: string): boolean => card.options.some((option) => option.optionId === id);
    const actions = el("div", { class: "mayi-actions" });
    const add = (id: string, label: string, kind: string, act: () => void): void => void actions.append(button(id, label, kind, () => this.click(act)));
    if (has("allow_once")) add("allow_once", "Approve", "allow", () => this.pick("allow_once"));
    if (has("allow_session")) add("allow_session", "Allow for this session", "allow soft", () => this.pick("allow_session"));
    if (has("allow_always")) add("always", "Always …", "allow soft", () => this.always());
    if (has("deny")) add("deny", "Deny", "deny", () => this.pick("deny"));
    if (has("deny")) add("deny_reason", "Deny with reason, or for longer …", "deny soft", () => this.reason());
    if (has("allow_once") && this.around.bypass(card.agentName)) {
      add("bypass", `Bypass permissions for ${visible(card.agentName)} …`, "danger", () => this.pick("allow_once", { bypassAll: true }));
    }
    const parts: HTMLElement[] = [actions];
    const own = card.options.filter((option) => option.optionId.startsWith("agent:"));
    if (own.length > 0) parts.push(this.agentOptions(own));
    const group = this.around.alike(card);
    this.group = group.length;
    if (group.length > 1) parts.push(this.together(group));
    if (this.problem !== null) parts.unshift(el("p", { class: "mayi-problem", role: "alert" }, visible(this.problem)));
    choices.replaceChildren(...parts);
    this.rearm();
  }

  private agentOptions(own: TabCard["options"]): HTMLElement {
    const list = el("div", { class: "mayi-actions agent-options", role: "group", "aria-label": "The agent's own choices" });
    for (const option of own) {
      const made = button(option.optionId, visible(option.name), "plain", () => this.click(() => this.pick(option.optionId)));
      list.append(el("div", { class: "agent-option" }, made, option.danger === null ? null : el("span", { class: "mayi-danger" }, ` ⚠ ${visible(option.danger)}`)));
    }
    return disclosure(`The agent's own choices (${own.length})`, !this.entry.card.options.some((option) => option.optionId === "allow_once"), "agent-choices", list);
  }

  private together(group: TabCard[]): HTMLElement {
    const all = (optionId: string): void => {
      this.busy();
      this.around.respondMany(group.map((card) => ({ approvalId: card.approvalId, digest: card.digest, response: { outcome: { outcome: "selected", optionId } }, bypassAll: false, remember: null, reason: null })));
    };
    const list = el("div", { class: "mayi-actions alike", role: "group" }, el("p", {}, `Answer all ${group.length} alike:`));
    if (group.every((card) => card.options.some((option) => option.optionId === "allow_once"))) {
      list.append(button("alike_allow", `Approve all ${group.length}`, "allow soft", () => this.click(() => all("allow_once"))));
    }
    list.append(button("alike_deny", `Deny all ${group.length}`, "deny soft", () => this.click(() => all("deny"))));
    return list;
  }

  /** A choice was clicked: it counts if it has been there long enough, and nothing was answered yet. */
  private click(act: () => void): void {
    if (this.arm?.armed === true && !this.sent) act();
  }

  private rearm(): void {
    this.arm?.dispose();
    this.arm = this.choices && new Arm(this.choices);
  }

  /** An answer is on its way. It shows a moment later: a browser holds back what a click sends until the click is drawn,
   * so there should be little to draw. Nothing can be answered meanwhile. */
  private busy(): void {
    this.sent = true;
    const { choices } = this;
    setTimeout(() => {
      if (!this.sent || choices === null || choices !== this.choices) return;
      // A choice that is disabled would lose the focus to nowhere.
      if (choices.contains(document.activeElement)) this.focus();
      choices.setAttribute("aria-busy", "true");
      for (const one of choices.querySelectorAll("button")) one.disabled = true;
    }, SHOWN_AFTER);
  }

  private pick(optionId: string, more: Partial<ApprovalResponse> = {}): void {
    const { approvalId, digest } = this.entry.card;
    this.busy();
    this.around.respond({ approvalId, digest, response: { outcome: { outcome: "selected", optionId } }, bypassAll: false, remember: null, reason: null, ...more });
  }

  private always(): void {
    this.form(alwaysForm(this.entry.card, (remember) => (remember === null ? this.back() : this.click(() => this.pick("allow_always", { remember })))));
  }

  private reason(): void {
    this.form(reasonForm(this.entry.card, (denial) => (denial === null ? this.back() : this.click(() => this.pick("deny", { ...denial })))));
  }

  private form(form: HTMLElement): void {
    this.choices?.replaceChildren(form);
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.back();
    });
    this.rearm();
    form.querySelector<HTMLElement>("input:checked, textarea:not([disabled])")?.focus({ preventScroll: true });
    form.scrollIntoView?.({ block: "nearest" });
  }

  private back(): void {
    this.drawChoices();
    this.focus();
  }
}
