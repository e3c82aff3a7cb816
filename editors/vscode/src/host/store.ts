// The state of this window: changed by events only, told to whoever listens, kept over a reload.

import type { Event } from "../api";
import type { ToWebview } from "../messages";
import { changes } from "../model/changes";
import { keep, restore } from "../model/persist";
import { type Local, reduce } from "../model/reduce";
import type { State } from "../model/state";

/** Milliseconds until it is kept: sooner where a tab or a card changed, later for what is merely said. The cursor is kept
 * with it, so what is lost with a crash is heard again. */
const SOON = 150;
const LATER = 1500;

/** Somewhere to keep a value: VS Code's workspace state. */
export interface Shelf {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const KEY = "mayi.state";

/** The state, and who hears of its changes. */
export class Store {
  state: State;
  private timer: NodeJS.Timeout | null = null;
  private readonly hearers: ((messages: ToWebview[], before: State) => void)[] = [];

  constructor(private readonly shelf: Shelf) {
    this.state = restore(shelf.get(KEY));
  }

  hear(hearer: (messages: ToWebview[], before: State) => void): void {
    this.hearers.push(hearer);
  }

  /** Takes in what happened; one change for all of them. */
  apply(...events: (Event | Local)[]): void {
    const before = this.state;
    this.state = events.reduce(reduce, before);
    if (this.state === before) return;
    const messages = changes(before, this.state);
    for (const hearer of this.hearers) hearer(messages, before);
    const urgent = messages.some((message) => message.type !== "append" && message.type !== "item");
    if (urgent && this.timer !== null) clearTimeout(this.timer);
    if (urgent || this.timer === null) this.timer = setTimeout(() => void this.flush(), urgent ? SOON : LATER);
  }

  /** Keeps it now. */
  flush(): PromiseLike<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    return this.shelf.update(KEY, keep(this.state));
  }
}
