// The choices of a card. They keep their places: Allow, For this session, Always …, Deny, Deny …, Bypass …, More, and below them
// what one of them opens.

import type { ApprovalResponse, TabCard } from "../../api";
import { visible } from "../../text/visible";
import { button, el } from "../shared/dom";
import { Seen, sessionCovers } from "../shared/seen";
import { alwaysForm, reasonForm } from "./always";
import type { Arm } from "./arm";
import { alikeForm } from "./alike";

/** What choosing needs of the card around it. */
export interface Desk {
  card: TabCard;
  arm(): Arm | null;
  /** Whether a bypass may be offered. */
  bypass: boolean;
  /** The cards that may be answered together with this one; empty: none. */
  alike(): TabCard[];
  /** All that is not in sight. */
  details(): HTMLElement;
  pick(optionId: string, more?: Partial<ApprovalResponse>): void;
  pickAll(cards: readonly TabCard[], optionId: string): void;
  /** What is below the choices has changed. */
  moved(): void;
}

type Panel = "always" | "deny_reason" | "more" | "alike" | null;

/** The choices, and what is open of them. */
export class Choices {
  readonly element = el("div", { class: "mayi-choose", role: "group", "aria-label": "Answer" });
  private readonly actions = el("div", { class: "mayi-actions" });
  private readonly below = el("div", { class: "mayi-panel", hidden: true });
  private readonly problem = el("p", { class: "mayi-problem", role: "alert", hidden: true });
  private readonly together = button("alike", "", "mayi-link", () => this.show("alike"), { hidden: true, "aria-expanded": "false" });
  private open: Panel = null;
  /** Whether what a session would remember was in sight. */
  private covers: Seen | null = null;

  constructor(private readonly desk: Desk) {
    const { card } = desk;
    const has = (id: string): boolean => card.options.some((option) => option.optionId === id);
    const panel = (id: Exclude<Panel, null>, label: string, kind: string): void => void this.actions.append(button(id, label, kind, () => this.show(id), { "aria-expanded": "false" }));
    if (has("allow_once")) this.actions.append(this.choice("allow_once", "Allow", "allow", () => desk.pick("allow_once"), true));
    const covers = sessionCovers(card);
    if (covers !== "") this.actions.append(this.session(visible(covers)));
    if (has("allow_always")) panel("always", "Always …", "plain");
    if (has("deny")) this.actions.append(this.choice("deny", "Deny", "deny", () => desk.pick("deny"), false));
    if (has("deny")) panel("deny_reason", "Deny …", "plain");
    // The editor asks once more what it is to cover (D6.19).
    if (has("allow_once") && desk.bypass) this.actions.append(this.choice("bypass", "Bypass …", "danger", () => desk.pick("allow_once", { bypassAll: true }), true));
    panel("more", "More", "plain quiet");
    const rest = el("p", { class: "mayi-unseen", hidden: true }, "Allow counts once all of this was in sight. ");
    rest.append(button("further", "Show the rest", "mayi-link", () => void desk.arm()?.further()));
    this.element.append(this.problem, this.actions, rest, this.together, this.below);
    // Where nothing of mayi's allows, the agent's own choices are what there is.
    if (!has("allow_once") && card.options.some((option) => option.optionId.startsWith("agent:"))) this.show("more");
    this.regroup();
  }

  /** Says why an answer was not taken. */
  say(problem: string | null): void {
    this.problem.hidden = problem === null;
    this.problem.replaceChildren(visible(problem ?? ""));
  }

  /** How many are alike has changed. */
  regroup(): void {
    const count = this.desk.alike().length;
    this.together.hidden = count < 2;
    this.together.textContent = `Answer all ${count} that are alike …`;
    if (count < 2 && this.open === "alike") this.show(null);
  }

  /** Opens one of the panels, or closes what is open. */
  show(panel: Panel): void {
    this.open = panel === this.open ? null : panel;
    this.below.hidden = this.open === null;
    for (const one of this.element.querySelectorAll("[aria-expanded]")) one.setAttribute("aria-expanded", String(one.getAttribute("action-id") === this.open));
    this.below.replaceChildren(...(this.open === null ? [] : this.panel(this.open)));
    // What answers for others rests like what appears.
    if (this.open === "alike") this.desk.arm()?.again();
    else this.desk.arm()?.redrawn();
    this.desk.moved();
  }

  dispose(): void {
    this.covers?.dispose();
  }

  private panel(open: Exclude<Panel, null>): HTMLElement[] {
    const { desk } = this;
    if (open === "always") return [this.always()];
    if (open === "alike") return [this.form(alikeForm(desk.alike(), () => this.show(null), (cards, optionId) => this.act(() => desk.pickAll(cards, optionId), false), () => desk.moved()))];
    if (open === "deny_reason") {
      return [this.form(reasonForm(desk.card, (denial) => (denial === null ? this.show(null) : this.act(() => desk.pick("deny", { ...denial }), false))))];
    }
    return [...this.own(), desk.details()];
  }

  /** Allows the like in this session. What that is stands on it, and has to be in sight like the rest of the card. */
  private session(covers: string): HTMLButtonElement {
    const made = this.choice("allow_session", `For this session: ${covers}`, "plain", () => {
      seen.look();
      if (seen.all) this.desk.pick("allow_session");
      else made.scrollIntoView({ block: "nearest", behavior: "instant" });
    }, true);
    made.setAttribute("aria-label", `Allow for this session: ${covers}`);
    made.toggleAttribute("data-unseen", true);
    const seen = new Seen(made, (since) => {
      made.toggleAttribute("data-unseen", !seen.all);
      this.desk.arm()?.rest(since);
    });
    this.covers = seen;
    return made;
  }

  private always(): HTMLElement {
    const { desk } = this;
    const form = this.form(alwaysForm(desk.card, (remember) => (remember === null ? this.show(null) : this.act(() => desk.pick("allow_always", { remember }), true))));
    desk.arm()?.again();
    queueMicrotask(() => form.querySelector<HTMLElement>("input:checked, textarea:not([disabled])")?.focus({ preventScroll: true }));
    return form;
  }

  private own(): HTMLElement[] {
    const own = this.desk.card.options.filter((option) => option.optionId.startsWith("agent:"));
    if (own.length === 0) return [];
    const list = el("div", { class: "mayi-actions agent-options", role: "group", "aria-label": "The agent's own choices" }, el("p", {}, "The agent's own choices:"));
    for (const option of own) {
      const made = this.choice(option.optionId, visible(option.name), "plain", () => this.desk.pick(option.optionId), !option.kind.startsWith("reject"));
      list.append(el("div", { class: "agent-option" }, made, option.danger === null ? null : el("span", { class: "mayi-danger" }, ` ⚠ ${visible(option.danger)}`)));
    }
    return [list];
  }

  private form(form: HTMLElement): HTMLElement {
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      const from = this.element.querySelector<HTMLElement>(`[action-id="${this.open}"]`);
      this.show(null);
      from?.focus();
    });
    queueMicrotask(() => {
      this.desk.arm()?.redrawn();
      form.querySelector<HTMLElement>("textarea:not([disabled])")?.focus({ preventScroll: true });
      form.scrollIntoView?.({ block: "nearest" });
    });
    return form;
  }

  private choice(id: string, label: string, kind: string, act: () => void, allows: boolean): HTMLButtonElement {
    return button(id, label, kind, () => this.act(act, allows), allows ? { "data-allows": true } : {});
  }

  /** A choice was pressed: it counts if it has been there for long enough, and, where it allows, all of the card was in sight. */
  private act(act: () => void, allows: boolean): void {
    const arm = this.desk.arm();
    if (arm === null || !arm.rested) return;
    if (arm.counts(allows)) act();
    else arm.further();
  }
}
