// Completion of the agent's own commands: a slash at the beginning of a message lists them. The focus stays in the message field;
// a screen reader is told which one is chosen.

import { type Command, matching } from "../../model/commands";
import { visible } from "../../text/visible";
import { announce, el } from "../shared/dom";

/** A description is shown up to so many characters. */
const LONG = 300;

let made = 0;

/** The list for one message field. */
export class Slash {
  readonly element: HTMLElement;
  private commands: readonly Command[] = [];
  private shown: Command[] = [];
  private at = 0;
  /** It was closed for what stands there now. */
  private closed = false;
  private readonly id = `mayi-slash-${++made}`;

  /** `write` puts a text into the field in place of what stands there, with the caret after it. */
  constructor(
    private readonly field: HTMLElement,
    private readonly write: (text: string) => void,
  ) {
    this.element = el("div", { class: "mayi-menu mayi-slash", role: "listbox", "aria-label": "Commands of the agent", id: this.id, popover: "manual", hidden: true });
    for (const [name, value] of [["role", "textbox"], ["aria-multiline", "true"], ["aria-autocomplete", "list"], ["aria-haspopup", "listbox"]] as const) field.setAttribute(name, value);
    field.addEventListener("input", () => this.look());
    field.addEventListener("blur", () => this.close());
    // Before the field itself gets the key.
    field.parentElement?.addEventListener("keydown", (event) => this.key(event), { capture: true });
    // A press must not take the focus from the field.
    this.element.addEventListener("mousedown", (event) => event.preventDefault());
    this.element.addEventListener("click", (event) => {
      const option = event.target instanceof Element ? event.target.closest("[role=option]") : null;
      if (option !== null) this.take([...this.element.children].indexOf(option));
    });
  }

  /** What the agent offers now. */
  offer(commands: readonly Command[]): void {
    if (JSON.stringify(commands) === JSON.stringify(this.commands)) return;
    this.commands = commands;
    if (document.activeElement === this.field) this.look();
  }

  private get text(): string {
    // The browser keeps a line end of its own after what is written.
    return (this.field.innerText ?? this.field.textContent ?? "").replace(/\n$/, "").replaceAll("\u00a0", " ");
  }

  private look(): void {
    const { text } = this;
    const found = matching(this.commands, text);
    if (!text.startsWith("/")) this.closed = false;
    const [only] = found;
    // Where all of a name stands there, nothing is to be completed.
    if (found.length === 0 || this.closed || (found.length === 1 && only !== undefined && text === `/${only.name}`)) return this.close();
    const chosen = this.shown[this.at];
    const news = found.length !== this.shown.length || this.element.hidden;
    this.shown = found;
    this.at = Math.max(0, found.findIndex((one) => one.name === chosen?.name));
    if (this.shown[0]?.name.toLowerCase() === text.slice(1).toLowerCase()) this.at = 0;
    this.draw();
    if (news) announce(`${found.length} ${found.length === 1 ? "command" : "commands"}`);
  }

  private draw(): void {
    this.element.replaceChildren(
      ...this.shown.map(({ name, description }, at) => {
        const said = visible(description.length > LONG ? `${description.slice(0, LONG)}…` : description);
        return el("div", { role: "option", id: `${this.id}-${at}`, "aria-selected": String(at === this.at) }, el("span", { class: "name" }, `/${name}`), el("span", { class: "description" }, said));
      }),
    );
    const chosen = `${this.id}-${this.at}`;
    this.field.setAttribute("aria-controls", this.id);
    this.field.setAttribute("aria-activedescendant", chosen);
    if (this.element.hidden) {
      this.element.hidden = false;
      this.place();
    }
    this.element.children[this.at]?.scrollIntoView?.({ block: "nearest" });
  }

  /** Above the field, over everything. */
  private place(): void {
    const at = this.field.getBoundingClientRect();
    Object.assign(this.element.style, { left: `${at.left}px`, width: `${at.width}px`, bottom: `${window.innerHeight - at.top + 6}px`, maxHeight: `${Math.max(80, Math.min(260, at.top - 12))}px` });
    this.element.showPopover?.();
  }

  private close(): void {
    if (this.element.hidden) return;
    this.element.hidePopover?.();
    this.element.hidden = true;
    this.shown = [];
    this.at = 0;
    for (const name of ["aria-controls", "aria-activedescendant"]) this.field.removeAttribute(name);
  }

  private take(at: number): void {
    const one = this.shown[at];
    if (one === undefined) return;
    this.close();
    this.write(`/${one.name} `);
  }

  private key(event: KeyboardEvent): void {
    if (this.element.hidden || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) {
      this.at = (this.at + step + this.shown.length) % this.shown.length;
      this.draw();
    } else if (event.key === "Enter" || event.key === "Tab") {
      // All of it stands there: it is sent as it is.
      if (event.key === "Enter" && this.text === `/${this.shown[this.at]?.name}`) return this.close();
      this.take(this.at);
    } else if (event.key === "Escape") {
      this.closed = true;
      this.close();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** Puts a text into a field as if it was typed, so that the field's own code hears of it. */
export function typed(field: HTMLElement, text: string): void {
  field.focus();
  getSelection()?.selectAllChildren(field);
  document.execCommand("insertText", false, text);
}
