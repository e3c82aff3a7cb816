// Tabs and their sessions: opened when they are first needed, and opened again when their backend is gone.

import type { Call, Mode } from "../api";
import { because, isFields } from "../check";
import { tabOf } from "../model/state";
import type { Store } from "./store";

/** An agent may have to be fetched before it starts. */
const START = 180_000;

/** The sessions of this window's tabs. */
export class Sessions {
  private readonly opening = new Map<string, Promise<boolean>>();

  constructor(
    private readonly store: Store,
    private readonly call: Call,
  ) {}

  /** A person said `text` in the tab. */
  async prompt(tabId: string, text: string): Promise<void> {
    const tab = tabOf(this.store.state, tabId);
    if (tab === undefined) return;
    this.store.apply({ type: "asked", tabId, text });
    const live = tab.state === "idle" || tab.state === "running";
    if (!live && !(await this.open(tabId))) return;
    await this.tell(tabId, () => this.call("session/prompt", { tabId, text }));
  }

  /** Opens the tab's session unless it is open or being opened; whether it is open then. */
  open(tabId: string): Promise<boolean> {
    const known = this.opening.get(tabId);
    if (known !== undefined) return known;
    const begun = this.begin(tabId).finally(() => this.opening.delete(tabId));
    this.opening.set(tabId, begun);
    return begun;
  }

  private async begin(tabId: string): Promise<boolean> {
    const tab = tabOf(this.store.state, tabId);
    if (tab === undefined) return false;
    this.store.apply({ type: "opening", tabId });
    try {
      const session = await this.call(
        "session/new",
        { agent: tab.agentName, cwd: tab.cwd, mode: tab.mode, tabId, resume: tab.sessionId },
        START,
      );
      if (session.tabId !== tabId) throw new Error("mayi answered with another session than was asked for");
      this.store.apply({ type: "session-changed", session });
      const said = tabOf(this.store.state, tabId)?.items.some((item) => item.kind === "agent") ?? false;
      if (said && !session.resumed) {
        this.store.apply({ type: "notice", tabId, text: "The agent began a new session: it does not remember what was said above." });
      }
      return session.state !== "ended";
    } catch (error) {
      this.store.apply({ type: "open-failed", tabId, why: because(error) });
      return false;
    }
  }

  async setMode(tabId: string, mode: Mode): Promise<void> {
    const tab = tabOf(this.store.state, tabId);
    if (tab === undefined) return;
    if (tab.state !== "idle" && tab.state !== "running") return this.store.apply({ type: "mode-picked", tabId, mode });
    await this.tell(tabId, async () => {
      this.store.apply({ type: "session-changed", session: await this.call("session/setMode", { tabId, mode }) });
    });
  }

  cancel(tabId: string): Promise<void> {
    return this.tell(tabId, () => this.call("session/cancel", { tabId }));
  }

  /** The tab is closed; its session with it. */
  async close(tabId: string): Promise<void> {
    const tab = tabOf(this.store.state, tabId);
    this.store.apply({ type: "tab-closed", tabId });
    if (tab === undefined || tab.state === "new" || tab.state === "lost") return;
    // There is nobody left to be told if it is gone already.
    await this.call("session/close", { tabId }).catch(() => undefined);
  }

  /** The tab was chosen: one whose backend is gone is opened again. */
  chosen(tabId: string | null): void {
    if (tabId !== null && tabOf(this.store.state, tabId)?.state === "lost") void this.open(tabId);
  }

  private async tell(tabId: string, act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
    } catch (error) {
      const data = isFields(error) && isFields(error["data"]) ? error["data"] : {};
      const more = typeof data["hint"] === "string" ? ` (${data["hint"]})` : "";
      this.store.apply({ type: "note", tabId, text: `${because(error)}${more}` });
    }
  }
}
