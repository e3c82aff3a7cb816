// The footer of the composer: the mode, and, before there is a session, the agent.

import type { Mode } from "../../api";
import type { Catalog, TabView } from "../../messages";
import { visible } from "../../text/visible";
import { button, el } from "../shared/dom";
import { send } from "../shared/host";

/** The footer of one tab. */
export class Footer {
  readonly element = el("div", { class: "mayi-footer" });
  private readonly agent = el("select", { class: "mayi-field", "data-testid": "agent", "aria-label": "Agent" });
  private readonly name = el("span", { class: "mayi-agent" });
  private readonly mode = el("button", { type: "button", class: "mayi-mode", "data-testid": "mode", "aria-haspopup": "menu", "aria-expanded": "false" });
  private readonly menu = el("div", { class: "mayi-menu", role: "menu", "aria-label": "Permission mode", popover: "manual", hidden: true });
  private readonly queue = el("ul", { class: "mayi-queue", "aria-label": "Sent when the agent is done" });
  private readonly hint = el("span", { class: "mayi-hint" });
  private drawn = "";

  constructor(private readonly tabId: string) {
    this.agent.addEventListener("change", () => send({ type: "agent", tabId: this.tabId, agentName: this.agent.value }));
    this.mode.addEventListener("click", () => this.show(this.menu.hidden === true));
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("focusout", (event) => {
      if (!(event.relatedTarget instanceof Node) || !this.element.contains(event.relatedTarget)) this.show(false);
    });
    this.element.append(this.queue, this.agent, this.name, el("div", { class: "mayi-mode-box" }, this.mode, this.menu), this.hint);
  }

  /** Draws it for `tab`. */
  update(tab: TabView, catalog: Catalog): void {
    const drawn = JSON.stringify([tab.agentName, tab.mode, tab.modeLocked, tab.state, tab.bypassPermissions, tab.queue, catalog.agents, catalog.modes, catalog.mode]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.agents(tab, catalog);
    this.modes(tab, catalog);
    this.waiting(tab.queue);
    const agent = catalog.agents.find((one) => one.name === tab.agentName);
    const hints = [
      tab.bypassPermissions ? "Bypass is on: nothing is asked." : "",
      agent !== undefined && !agent.found ? (agent.hint ?? "Its program was not found.") : "",
    ];
    this.hint.textContent = visible(hints.filter((one) => one !== "").join(" "));
  }

  /** What is sent when the turn is over. */
  private waiting(queue: string[]): void {
    this.queue.hidden = queue.length === 0;
    this.queue.replaceChildren(
      ...queue.map((text, at) =>
        el(
          "li",
          {},
          el("span", { class: "mayi-next" }, "Next: "),
          el("span", { class: "mayi-said" }, visible(text)),
          " ",
          button("unqueue", "Take back", "plain", () => send({ type: "unqueue", tabId: this.tabId, at })),
        ),
      ),
    );
  }

  private agents(tab: TabView, catalog: Catalog): void {
    const open = tab.state === "new";
    this.agent.hidden = !open || catalog.agents.length === 0;
    this.name.hidden = open;
    this.name.textContent = visible(tab.agentName);
    const names = catalog.agents.map((agent) => agent.name);
    const missing = tab.agentName === "" || names.includes(tab.agentName) ? [] : [{ name: tab.agentName, title: tab.agentName, found: false }];
    this.agent.replaceChildren(
      ...(tab.agentName === "" ? [el("option", { value: "" }, "Choose an agent")] : []),
      ...[...catalog.agents, ...missing].sort((a, b) => Number(b.found) - Number(a.found)).map((agent) => el("option", { value: agent.name }, `${visible(agent.title)}${agent.found ? "" : " (not found)"}`)),
    );
    this.agent.value = tab.agentName;
  }

  private modes(tab: TabView, catalog: Catalog): void {
    const agent = catalog.agents.find((one) => one.name === tab.agentName);
    const now: Mode = tab.mode ?? agent?.mode ?? catalog.mode;
    const name = catalog.modes.find((mode) => mode.id === now)?.name ?? now;
    this.mode.setAttribute("data-mode", now);
    this.mode.replaceChildren(el("span", { class: "dot", "aria-hidden": "true" }), ` ${name} `, el("span", { "aria-hidden": "true" }, "▾"));
    this.mode.title = tab.modeLocked === null ? "Permission mode" : `Locked by ${visible(tab.modeLocked)}`;
    this.mode.setAttribute("aria-label", `Permission mode: ${name}${tab.modeLocked === null ? "" : ", locked"}`);
    this.mode.disabled = tab.modeLocked !== null || tab.state === "ended" || tab.state === "lost" || tab.state === "starting";
    this.menu.replaceChildren(
      ...catalog.modes.map((mode) => {
        const checked = mode.id === now;
        const item = el(
          "button",
          { type: "button", role: "menuitemradio", "aria-checked": String(checked), "data-mode": mode.id, tabindex: "-1" },
          el("span", { class: "check", "aria-hidden": "true" }, checked ? "✓" : ""),
          el("span", { class: "name" }, mode.name),
          el("span", { class: "description" }, mode.description),
        );
        item.addEventListener("click", () => {
          this.show(false);
          this.mode.focus();
          if (!checked) send({ type: "mode", tabId: this.tabId, mode: mode.id });
        });
        return item;
      }),
    );
  }

  private show(open: boolean): void {
    if ((this.menu.hidden === true) === !open) return;
    this.menu.hidden = !open;
    this.mode.setAttribute("aria-expanded", String(open));
    if (open) this.place();
    else this.menu.hidePopover();
    if (open) this.menu.querySelector<HTMLElement>('[aria-checked="true"]')?.focus();
  }

  /** Shows the menu over everything, above its button. */
  private place(): void {
    const at = this.mode.getBoundingClientRect();
    this.menu.style.left = `${at.left}px`;
    this.menu.style.bottom = `${window.innerHeight - at.top + 4}px`;
    this.menu.showPopover();
  }

  private key(event: KeyboardEvent): void {
    if (this.menu.hidden) return;
    const items = [...this.menu.querySelectorAll<HTMLElement>("button")];
    const at = items.findIndex((item) => item === document.activeElement);
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.key === "Home") items[0]?.focus();
    else if (event.key === "End") items.at(-1)?.focus();
    else if (step !== 0) items[(at + step + items.length) % items.length]?.focus();
    else if (event.key === "Escape") {
      this.show(false);
      this.mode.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
