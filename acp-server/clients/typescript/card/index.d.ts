// Types of `mayi-client/card`: for a page or a webview.

import type { FromView, ToView } from "../bridge.d.ts";
import type { Card } from "../index.d.ts";

export type State = "pending" | "approved" | "denied" | "cancelled" | "expired";

/** `<mayi-card>`. It fires `answer`, whose `detail` is the `approval-response`. */
export class MayiCard extends HTMLElement {
  /** The question, as it came from mayi. Another card with the same id takes its place. */
  card: Card | null;
  readonly state: State | null;
  /** It was answered, here or elsewhere: one line stays. */
  settle(end: { state: State; by?: string | null; reason?: string | null; at?: string }): void;
  /** The answer was not taken, and can be given again. Without a reason: it did not reach the app. */
  refuse(why?: string): void;
}

/** How a view speaks with its app: `postMessage`, a WebSocket, an event stream. */
export interface Channel {
  /** What throws, rejects, or gives `ok: false` (as `fetch` does) did not arrive: the card can be answered again. */
  post(message: FromView): unknown;
  listen(hear: (message: ToView) => void): void;
}

/** Shows the cards that come over the bridge. `place` puts an element into the message that its call belongs to. */
export function connectCards(channel: Channel, place: (element: MayiCard, card: Card) => void): void;

/** Messages of the app around this view, by its `origin`. None: this window's, as in a webview of VS Code. */
export function fromParent(origin?: string): Channel["listen"];

/** Where the connection to the app breaks: no choice counts until it is there again. */
export function setOnline(connected: boolean): void;

declare global {
  interface HTMLElementTagNameMap {
    "mayi-card": MayiCard;
  }
}
