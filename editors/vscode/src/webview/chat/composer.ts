// The footer of the composer: the mode, and, before there is a session, the agent.

import type { Mode } from "../../api";
import type { Catalog, TabView } from "../../messages";
import { visible } from "../../text/visible";
import { button, el } from "../shared/dom";
import { send } from "../shared/host";

/** A bypass, and what it does not cover. */
const BYPASSED = "Bypass is on: only what is protected, or what your rules ask about, is asked.";

/** The footer of one tab. */
export class Footer {
  readonly element = el("div", { class: "mayi-footer" });
  private readonly agent = el("select", { class: "mayi-field", "data-testid": "agent", "aria-label": "Agent" });
  private readonly name = el("span", { class: "mayi-agent" });
  private readonly mode = el("button", { type: "button", class: "mayi-mode", "data-testid": "mode", "aria-haspopup": "menu", "aria-expanded": "false" });
  private readonly menu = el("div", { class: "mayi-menu", role: "menu", "aria-label": "Permission mode", popover: "manual", hidden: true });
  private readonly queue = el("ul", { class: "mayi-queue", "aria-label": "Sent when the agent is done" });
  private readonly hint = el("span", { class: "mayi-hint" });
  private readonly problem = el("span", { class: "mayi-hint mayi-problem", role: "alert", "data-testid": "left-out", hidden: true });
  private readonly doing = el("span", { class: "mayi-doing", role: "status" });
  private asked = 0;
  private state: TabView["state"] = "new";
  private since = 0;
  private clock: number | null = null;
  private readonly asking = button("bypass_off", "Ask again", "plain", () => send({ type: "ask-again", tabId: this.tabId }));
  /** What each part was drawn from: a part that stays the same is left alone, also while a person chooses in it. */
  private readonly drawn = new Map<string, string>();

  constructor(private readonly tabId: string) {
    this.agent.addEventListener("change", () => send({ type: "agent", tabId: this.tabId, agentName: this.agent.value }));
    this.mode.addEventListener("click", () => this.show(this.menu.hidden === true));
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.element.addEventListener("focusout", (event) => {
      if (!(event.relatedTarget instanceof Node) || !this.element.contains(event.relatedTarget)) this.show(false);
    });
    this.element.append(this.queue, this.agent, this.name, el("div", { class: "mayi-mode-box" }, this.mode, this.menu), this.doing, this.hint, this.problem, this.asking);
  }

  /** Draws it for `tab`. */
  update(tab: TabView, catalog: Catalog): void {
    const agent = catalog.agents.find((one) => one.name === tab.agentName);
    this.anew("agents", [tab.agentName, tab.state === "new", catalog.agents], () => this.agents(tab, catalog));
    this.anew("menu", [catalog.modes], () => this.choices(catalog));
    this.mark(tab, catalog, tab.mode ?? agent?.mode ?? catalog.mode);
    this.anew("queue", [tab.queue], () => this.waiting(tab.queue));
    const hints = [
      tab.inLine > 0 ? `${tab.inLine} more questions wait in line: they are shown as these are answered.` : "",
      tab.bypassPermissions ? BYPASSED : "",
      tab.bypassSession && !tab.bypassPermissions ? `${BYPASSED} This session only.` : "",
      agent !== undefined && !agent.found ? (agent.hint ?? "Its program was not found.") : "",
    ];
    if (tab.state !== this.state) {
      if (tab.state === "running") this.problem.hidden = true;
      this.state = tab.state;
      this.since = Date.now();
      this.tick();
    }
    this.asking.hidden = !tab.bypassSession;
    this.hint.textContent = visible(hints.filter((one) => one !== "").join(" "));
  }

  /** Says what of the message can't be sent; until the next one is. */
  say(text: string): void {
    this.problem.hidden = false;
    this.problem.textContent = text;
  }

  /** So many questions of this tab wait. */
  waits(count: number): void {
    this.asked = count;
    this.tick();
  }

  /** What the agent does now, and since when, as long as it does something. */
  private tick(): void {
    if (this.clock !== null) window.clearTimeout(this.clock);
    this.clock = null;
    const busy = this.state === "running" || this.state === "starting";
    this.doing.hidden = !busy;
    if (!busy) return void this.doing.replaceChildren();
    const seconds = Math.floor((Date.now() - this.since) / 1000);
    const what = this.state === "starting" ? "Starting" : this.asked > 0 ? `${this.asked} ${this.asked === 1 ? "waits" : "wait"} for you` : "Working";
    // Every second is too much for who hears it: only what it does is told.
    const told = this.doing.querySelector(".what") ?? this.doing.appendChild(el("span", { class: "what" }));
    if (told.textContent !== what) told.textContent = what;
    const time = this.doing.querySelector(".time") ?? this.doing.appendChild(el("span", { class: "time", "aria-hidden": "true" }));
    time.textContent = seconds < 2 ? "" : ` · ${seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`}`;
    this.doing.classList.toggle("waits", this.asked > 0);
    this.clock = window.setTimeout(() => this.tick(), 1000);
  }

  private anew(part: string, from: unknown[], draw: () => void): void {
    const now = JSON.stringify(from);
    if (this.drawn.get(part) === now) return;
    this.drawn.set(part, now);
    draw();
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

  /** The modes in the menu. */
  private choices(catalog: Catalog): void {
    this.menu.replaceChildren(
      ...catalog.modes.map((mode) => {
        const item = el(
          "button",
          { type: "button", role: "menuitemradio", "data-mode": mode.id, tabindex: "-1" },
          el("span", { class: "check", "aria-hidden": "true" }),
          el("span", { class: "name" }, mode.name),
          el("span", { class: "description" }, mode.description),
        );
        item.addEventListener("click", () => {
          this.show(false);
          this.mode.focus();
          if (item.getAttribute("aria-checked") !== "true") send({ type: "mode", tabId: this.tabId, mode: mode.id });
        });
        return item;
      }),
    );
  }

  /** Marks the mode that holds. */
  private mark(tab: TabView, catalog: Catalog, now: Mode): void {
    const name = catalog.modes.find((mode) => mode.id === now)?.name ?? now;
    const locked = tab.modeLocked;
    this.anew("mode", [now, name, locked], () => {
      this.mode.setAttribute("data-mode", now);
      this.mode.replaceChildren(el("span", { class: "dot", "aria-hidden": "true" }), ` ${name} `, el("span", { "aria-hidden": "true" }, "▾"));
      this.mode.title = locked === null ? "Permission mode" : `Locked by ${visible(locked)}`;
      this.mode.setAttribute("aria-label", `Permission mode: ${name}${locked === null ? "" : ", locked"}`);
    });
    this.mode.disabled = locked !== null || tab.state === "ended" || tab.state === "lost" || tab.state === "starting";
    for (const item of this.menu.querySelectorAll<HTMLElement>("[data-mode]")) {
      const checked = item.getAttribute("data-mode") === now;
      item.setAttribute("aria-checked", String(checked));
      for (const check of item.getElementsByClassName("check")) check.textContent = checked ? "✓" : "";
    }
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
