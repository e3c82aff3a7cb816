// MynahUI's tabs and ours: its ids are its own, so both are kept beside each other.

import { ChatItemType, type MynahUI, type MynahUIDataModel } from "@aws/mynah-ui";

import type { Catalog, TabView } from "../../messages";
import type { Item } from "../../model/state";
import { visible } from "../../text/visible";
import { el } from "../shared/dom";
import type { Deck } from "../card/deck";
import { Footer } from "./composer";
import { watchDropped } from "./dropped";
import { ItemView } from "./items";
import { Slash, typed } from "./slash";
import { welcome } from "./welcome";

/** So much of a title stands on its tab; all of it is its tooltip. */
const TITLE = 18;

/** MynahUI's buttons that are a picture only, and what they are called. */
const NAMES = [
  [".more-content-indicator button", "Scroll to the end"],
  [".mynah-chat-prompt-button", "Send"],
  [".mynah-nav-tabs-wrapper > button, .mynah-nav-tabs-bar-buttons-wrapper button, .mynah-tabs-container > button", "New chat"],
] as const;

/** One tab in the page. */
export class TabPage {
  private readonly views = new Map<string, ItemView>();
  /** The items of tool calls, by the calls' ids. */
  private readonly tools = new Map<string, ItemView>();
  private readonly shown = new Set<string>();
  private readonly footer: Footer;
  private readonly slash: Slash | null;
  private running = false;
  private greeting: HTMLElement | null = null;

  constructor(
    private readonly ui: MynahUI,
    readonly mynahId: string,
    public tab: TabView,
    private readonly deck: Deck,
  ) {
    this.footer = new Footer(tab.tabId);
    const wrapper = this.wrapper();
    wrapper?.setAttribute("data-tab-id", tab.tabId);
    wrapper?.querySelector(".mynah-prompt-input-options")?.replaceChildren(this.footer.element);
    const field = wrapper?.querySelector<HTMLElement>(".mynah-chat-prompt-input") ?? null;
    field?.setAttribute("aria-label", "Message to the agent");
    this.slash = field === null ? null : new Slash(field, (text) => typed(field, text));
    if (this.slash !== null) this.footer.element.append(this.slash.element);
    if (field !== null) watchDropped(field, (text) => this.footer.say(text));
    const label = document.querySelector(`span[key="mynah-main-tabs-${mynahId}"]`);
    label?.setAttribute("data-tab-id", tab.tabId);
    label?.querySelector("button")?.setAttribute("aria-label", "Close this chat");
  }

  /** What a new tab starts with. MynahUI takes titles as HTML later on: an agent's name is letters, digits, blanks, `.`, `_`, `-`. */
  static data(tab: Pick<TabView, "agentName">): MynahUIDataModel {
    return {
      tabTitle: tab.agentName.replace(/[^A-Za-z0-9._ -]/g, "") || "New chat",
      promptInputPlaceholder: "Ask the agent",
      cancelButtonWhenLoading: true,
      loadingChat: false,
    };
  }

  /** Puts words that were not sent back into the composer, after what stands there. */
  compose(text: string): void {
    const now = this.wrapper()?.querySelector<HTMLElement>(".mynah-chat-prompt-input")?.innerText.trim() ?? "";
    this.ui.updateStore(this.mynahId, { promptInputText: now === "" ? text : `${now}\n${text}` });
  }

  update(tab: TabView, catalog: Catalog): void {
    this.tab = tab;
    this.greet(catalog);
    for (const [selector, name] of NAMES) for (const one of document.querySelectorAll(selector)) one.setAttribute("aria-label", name);
    const running = tab.state === "running" || tab.state === "starting";
    if (running !== this.running) this.ui.updateStore(this.mynahId, { loadingChat: running });
    this.running = running;
    // Set as text, an agent's name needs no care.
    const named = catalog.agents.find((agent) => agent.name === tab.agentName)?.title ?? tab.agentName;
    const tabTitle = named === "" ? "New chat" : visible(named);
    const label = document.querySelector(`span[key="mynah-main-tabs-${this.mynahId}"]`);
    const shown = label?.querySelector(".mynah-tab-item-label-text");
    // What it is about, once that is known; set as text here, since MynahUI itself would set it as HTML.
    const about = visible(tab.title);
    if (shown) shown.textContent = about === "" ? tabTitle : about.length > TITLE ? `${about.slice(0, TITLE)}…` : about;
    if (this.ui.getSelectedTabId() === this.mynahId) label?.scrollIntoView({ block: "nearest", inline: "nearest" });
    label?.setAttribute("title", about === "" ? tabTitle : `${tabTitle}: ${about}`);
    this.wrapper()?.setAttribute("data-state", tab.state);
    this.footer.update(tab, catalog);
    this.slash?.offer(tab.commands);
    this.badge();
  }

  /** Shows `item`, or changes it. A new one goes after the one whose id is `after`; at the end if that is unknown. */
  put(item: Item, after: string | null): void {
    const view = this.views.get(item.id);
    if (view !== undefined && item.kind !== "approval") return view.update(item);
    if (this.shown.has(item.id)) return;
    // A card belongs to the item of its tool call.
    const tool = item.kind === "approval" && item.toolCallId !== null ? this.tools.get(item.toolCallId) : undefined;
    const inTool = tool === undefined ? undefined : this.deck.view(item.id)?.element;
    if (inTool !== undefined) {
      this.shown.add(item.id);
      tool?.mount(inTool);
      return this.bring(item.id);
    }
    const element = this.element(item);
    if (element === null) return;
    this.shown.add(item.id);
    this.greeting?.remove();
    this.ui.addChatItem(this.mynahId, {
      type: item.kind === "prompt" ? ChatItemType.PROMPT : ChatItemType.ANSWER,
      messageId: item.id,
      padding: false,
      // MynahUI would take text as markdown: it gets an empty place, and what stands there are elements of ours.
      customRenderer: [{ type: "div", classNames: ["mayi-mount"] }],
    });
    const card = this.card(item.id);
    card?.querySelector(".mayi-mount")?.replaceChildren(element);
    const before = after === null ? null : this.card(after);
    if (card && before && before.nextElementSibling !== card && item.kind === "approval") before.after(card);
    if (item.kind === "approval") this.bring(item.id);
  }

  /** Brings a card that waits into sight, from its heading on; not where another one is being looked at. */
  private bring(id: string): void {
    if (!this.waits(id) || [...this.shown].some((one) => one !== id && this.waits(one))) return;
    // Once everything that came with it stands where it belongs.
    requestAnimationFrame(() => this.scrollTo(id));
  }

  private waits(id: string): boolean {
    return this.deck.get(id)?.state === "pending";
  }

  private scrollTo(id: string): void {
    const card = this.deck.view(id)?.element;
    if (card === undefined) return;
    const room = card.closest(".mynah-chat-items-container")?.clientHeight ?? 0;
    card.scrollIntoView({ block: card.clientHeight > room - 70 ? "start" : "nearest", behavior: "instant" });
    // What is under the pointer now was not there before.
    this.deck.still();
  }

  /** A card of this tab was answered: the next one that waits comes into sight. */
  next(): void {
    const id = [...this.shown].find((one) => this.waits(one));
    if (id !== undefined) requestAnimationFrame(() => this.scrollTo(id));
  }

  /** How many wait here, on the tab. */
  badge(): void {
    const count = this.deck.all().filter((entry) => entry.state === "pending" && entry.card.tabId === this.tab.tabId).length;
    const label = document.querySelector(`span[key="mynah-main-tabs-${this.mynahId}"] .mynah-tab-item-label`);
    if (count === 0) label?.removeAttribute("data-waiting");
    else label?.setAttribute("data-waiting", String(count));
    this.footer.waits(count);
  }

  /** Whether something stands in the message field. */
  get composing(): boolean {
    return (this.wrapper()?.querySelector<HTMLElement>(".mynah-chat-prompt-input")?.innerText.trim() ?? "") !== "";
  }

  /** An empty chat says what it is for. */
  private greet(catalog: Catalog): void {
    this.greeting?.remove();
    if (this.shown.size > 0 || this.tab.state !== "new") return;
    this.greeting = welcome(this.tab, catalog);
    this.wrapper()?.querySelector(".mynah-chat-items-container")?.prepend(this.greeting);
  }

  append(itemId: string, text: string): void {
    this.views.get(itemId)?.append(text);
  }

  /** Shows the card and puts the focus on its heading. */
  focus(approvalId: string): void {
    this.scrollTo(approvalId);
    this.deck.view(approvalId)?.focus();
  }

  private element(item: Item): HTMLElement | null {
    if (item.kind === "approval") return this.deck.view(item.id)?.element ?? el("p", {}, "A question that is not kept.");
    const view = new ItemView(item);
    this.views.set(item.id, view);
    if (view.toolCallId !== null) this.tools.set(view.toolCallId, view);
    return view.element;
  }

  private wrapper(): Element | null {
    return document.querySelector(`.mynah-chat-wrapper[mynah-tab-id="${this.mynahId}"]`);
  }

  private card(itemId: string): Element | null {
    return this.wrapper()?.querySelector(`.mynah-chat-item-card[messageid="${CSS.escape(itemId)}"]`) ?? null;
  }
}
