// @ts-check
// `<mayi-card>`: one card in a message of a chat. What it shows, and when an answer counts, is what mayi's own page does.

import { headlineText } from "./ui/asked.js";
import { CardView } from "./ui/card.js";
import { setOnline as setGuardOnline, still } from "./ui/guard.js";
import { plan } from "./ui/seen.js";
import * as inboxOf from "./ui/state.js";
import css from "./ui/style.js";
import { ending, summary } from "./ui/wording.js";

import { Rest } from "./rest.js";
import { HOST_STYLE } from "./theme.js";

/** @import { Card, Event, Inbox, Resolved } from "./ui/types.d.ts" */
/** @import { Choice } from "./ui/answers.js" */

const NOT_SENT = "This answer did not reach the app. Give it again.";

const sheet = new CSSStyleSheet();
sheet.replaceSync(css + HOST_STYLE);

/** Those that are on the page. @type {Set<MayiCard>} */
const shown = new Set();

/** Tells all cards whether an answer can reach the app. @param {boolean} connected */
export function setOnline(connected) {
  setGuardOnline(connected);
  for (const card of shown) {
    if (!connected) card.lose();
    card.disturb();
  }
}

export class MayiCard extends HTMLElement {
  #inbox = inboxOf.EMPTY;
  /** @type {string | null} */
  #id = null;
  /** @type {CardView | null} */
  #view = null;
  #root = this.attachShadow({ mode: "open" });
  /** What a screen reader is told. */
  #news = document.createElement("div");
  #rest = new Rest(this, () => this.disturb());

  constructor() {
    super();
    this.#root.adoptedStyleSheets = [sheet];
    this.#news.className = "unseen";
    this.#news.role = "log";
    this.#root.append(this.#news);
    // These don't leave a shadow tree.
    for (const name of ["scroll", "toggle", "load", "transitionend"]) this.#root.addEventListener(name, plan, { capture: true, passive: true });
    this.#root.addEventListener("keydown", (event) => this.#key(/** @type {KeyboardEvent} */ (event)));
  }

  /** The question, as it came from mayi. Another one with the same id takes its place. @returns {Card | null} */
  get card() {
    return this.#entry?.card ?? null;
  }

  set card(card) {
    if (card?.approvalId !== this.#id) this.#forget();
    if (card === null) return;
    this.#id = card.approvalId;
    this.#hear({ .../** @type {any} */ (card), type: "approval-request" });
  }

  /** `pending`, or how it ended. */
  get state() {
    return this.#entry?.state ?? null;
  }

  /**
   * It was answered, here or elsewhere: one line stays.
   * @param {{ state: Resolved["state"], by?: string | null, reason?: string | null, at?: string }} end
   */
  settle({ state, by = null, reason = null, at = new Date().toISOString() }) {
    this.#hear({ type: "approval-resolved", approvalId: this.#id, state, by, reason, at });
  }

  /** The answer was not taken, and can be given again. @param {string} [why] none: it did not reach the app */
  refuse(why = NOT_SENT) {
    if (this.#id !== null) this.#show(inboxOf.refused(this.#inbox, this.#id, why));
  }

  connectedCallback() {
    // Set before this class was there.
    if (Object.hasOwn(this, "card")) {
      const { card } = this;
      Reflect.deleteProperty(this, "card");
      this.card = card;
    }
    shown.add(this);
    this.#draw();
  }

  /** Whatever was seen of it: elsewhere it is seen anew. And nobody tells it meanwhile that the connection broke. */
  disconnectedCallback() {
    shown.delete(this);
    this.lose();
    this.#rest.stop();
    this.#undraw();
  }

  /** An answer that is on its way may not arrive: it can be given again. The first one that arrives counts. */
  lose() {
    this.#show(inboxOf.disconnected(this.#inbox));
  }

  /** Something moved: choices rest for half a second. */
  disturb() {
    if (this.#view !== null) still(this.#view.element);
  }

  get #entry() {
    return this.#id === null ? undefined : this.#inbox.entries[this.#id];
  }

  /** @param {Event} event */
  #hear(event) {
    this.#show(inboxOf.heard(this.#inbox, [event], Date.now()));
  }

  /** @param {Inbox} inbox */
  #show(inbox) {
    const before = this.#entry?.state;
    this.#inbox = inbox;
    const entry = this.#entry;
    if (entry === undefined) return;
    this.setAttribute("state", entry.state);
    if (this.#view === null) return this.#draw();
    const focused = this.#root.activeElement !== null;
    const moved = this.#view.update(entry, []);
    if (focused && this.#root.activeElement === null) this.#view.element.focus({ preventScroll: true });
    if (moved) this.#moved();
    if (before !== entry.state) this.#changed();
  }

  #draw() {
    const entry = this.#entry;
    if (entry === undefined || this.#view !== null || !this.isConnected) return;
    this.#view = new CardView(entry, { answer: (_, choice) => this.#answer(choice), answerAlike: () => {} });
    this.#root.append(this.#view.element);
    this.#moved();
    this.#changed();
  }

  #undraw() {
    this.#view?.dispose();
    this.#view?.element.remove();
    this.#view = null;
  }

  #forget() {
    this.#undraw();
    this.removeAttribute("state");
    [this.#inbox, this.#id] = [inboxOf.EMPTY, null];
  }

  /** What stands below may have moved too. */
  #moved() {
    for (const card of shown) card.disturb();
    plan();
  }

  /** Another state than before. */
  #changed() {
    const entry = this.#entry;
    if (entry === undefined) return;
    const line = document.createElement("p");
    line.textContent = entry.state === "pending" ? `${headlineText(entry.card)}: ${summary(entry.card)}` : `${ending(entry)}: ${summary(entry.card)}`;
    this.#news.replaceChildren(line);
    if (entry.state === "pending") this.#rest.start();
    else this.#rest.stop();
  }

  /** @param {Choice} choice */
  #answer({ optionId, ...more }) {
    const entry = this.#entry;
    if (this.#id === null || entry?.state !== "pending" || entry.sending) return;
    this.#show(inboxOf.sending(this.#inbox, this.#id));
    const detail = { type: "approval-response", approvalId: this.#id, digest: entry.card.digest, response: { outcome: { outcome: "selected", optionId } }, ...more };
    this.dispatchEvent(new CustomEvent("answer", { detail, bubbles: true, composed: true }));
  }

  /** Arrows go from choice to choice, Escape closes what one has opened. @param {KeyboardEvent} event */
  #key(event) {
    const from = /** @type {HTMLElement | null} */ (this.#root.activeElement);
    if (event.key === "Escape") {
      const open = /** @type {HTMLElement | null} */ (this.#root.querySelector('[aria-expanded="true"]'));
      if (open === null) return;
      open.click();
      open.focus();
    } else {
      const choices = /** @type {HTMLElement[]} */ ([...this.#root.querySelectorAll(".answers > button")]);
      const at = from === null ? -1 : choices.indexOf(from);
      const to = /** @type {Record<string, number>} */ ({ ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: -1 })[event.key];
      if (at < 0 || to === undefined) return;
      choices.at(to % choices.length)?.focus();
    }
    event.preventDefault();
  }
}
