// Tabs and their sessions: opened when they are first needed, and opened again when their backend is gone.

import type { Call, Mode, NewSession } from "../api";
import { RpcError } from "../backend/rpc";
import { because } from "../check";
import { tabOf } from "../model/state";
import { visible } from "../text/visible";
import type { Store } from "./store";

/** An agent may have to be fetched before it starts. */
const START = 180_000;

/** How agents reach their MCP servers: two tools in place of all, and whether mayi stands between. */
export type Reached = Pick<NewSession, "toolbelt" | "gateway">;

/** The sessions of this window's tabs. */
export class Sessions {
  private readonly opening = new Map<string, Promise<boolean>>();

  private readonly sending = new Set<string>();

  constructor(
    private readonly store: Store,
    private readonly call: Call,
    /** Puts words that were not sent back into the composer. */
    private readonly compose: (tabId: string, text: string) => void,
    /** How the MCP servers of new sessions are reached. */
    private readonly reached: () => Reached,
  ) {}

  /** A person said `text` in the tab. */
  async prompt(tabId: string, text: string): Promise<void> {
    const tab = tabOf(this.store.state, tabId);
    if (tab === undefined) return;
    if (tab.state === "running" || this.sending.has(tabId)) return this.store.apply({ type: "queued", tabId, text, first: false });
    this.sending.add(tabId);
    await this.send(tabId, text);
  }

  /** Sends it: `sending` has the tab by now, so that whatever comes meanwhile waits behind it. */
  private async send(tabId: string, text: string): Promise<void> {
    try {
      const tab = tabOf(this.store.state, tabId);
      if (tab === undefined) return;
      this.store.apply({ type: "asked", tabId, text });
      if (tab.state !== "idle" && !(await this.open(tabId))) return this.compose(tabId, text);
      await this.call("session/prompt", { tabId, text });
    } catch (error) {
      // A turn may have begun by itself meanwhile: the agent is told why something was denied.
      if (error instanceof RpcError && tabOf(this.store.state, tabId)?.state === "running") this.store.apply({ type: "queued", tabId, text, first: true });
      else {
        this.store.apply({ type: "note", tabId, text: because(error) });
        this.compose(tabId, text);
      }
    } finally {
      this.sending.delete(tabId);
      this.next();
    }
  }

  /** Sends what waited for the end of a turn, wherever one has ended. */
  next(): void {
    for (const { tabId } of this.store.state.tabs) {
      // What is done for one tab may have changed others.
      const { state, queue = [] } = tabOf(this.store.state, tabId) ?? {};
      const [text] = queue;
      if (state === "ended") this.giveBack(tabId, queue);
      if (state !== "idle" || text === undefined || this.sending.has(tabId)) continue;
      // Before it leaves the queue: whoever hears of that looks for what is to be sent next.
      this.sending.add(tabId);
      this.store.apply({ type: "unqueued", tabId, at: 0 });
      void this.send(tabId, text);
    }
  }

  /** The agent is gone: what waited for it goes back into the composer, in its order, and is not sent to another one unasked. */
  private giveBack(tabId: string, queue: readonly string[]): void {
    if (queue.length === 0 || this.sending.has(tabId)) return;
    this.store.apply(...queue.map(() => ({ type: "unqueued" as const, tabId, at: 0 })));
    this.compose(tabId, queue.join("\n"));
  }

  /** A waiting prompt goes back into the composer. */
  unqueue(tabId: string, at: number): void {
    const text = tabOf(this.store.state, tabId)?.queue[at];
    if (text === undefined) return;
    this.store.apply({ type: "unqueued", tabId, at });
    this.compose(tabId, text);
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
    // The backend has a session whose agent ended still, and makes no other one of its name beside it.
    if (tab.state === "ended") await this.call("session/close", { tabId }).catch(() => undefined);
    this.store.apply({ type: "opening", tabId });
    try {
      const session = await this.call(
        "session/new",
        { agent: tab.agentName, cwd: tab.cwd, mode: tab.mode, tabId, resume: tab.sessionId, ...this.reached() },
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
      this.store.apply({ type: "open-failed", tabId, why: `${visible(tab.agentName)} could not be started: ${because(error)}` });
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

  /** Ends the bypass of the tab's session. */
  askAgain(tabId: string): Promise<void> {
    return this.tell(tabId, async () => {
      this.store.apply({ type: "session-changed", session: await this.call("session/setBypass", { tabId, on: false }) });
    });
  }

  /** Everything stops: what waited for the end of the turn goes back into the composer. */
  cancel(tabId: string): Promise<void> {
    for (const _ of tabOf(this.store.state, tabId)?.queue ?? []) this.unqueue(tabId, 0);
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
      this.store.apply({ type: "note", tabId, text: because(error) });
    }
  }
}
