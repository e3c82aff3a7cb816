// @ts-check
// The view's end of the bridge (`mayi-client/bridge`): shows the cards that come over it, and sends the answers back.

/** @import { MayiCard } from "./mayi-card.js" */
/** @import { Channel } from "./index.d.ts" */

/**
 * @param {Channel} channel
 * @param {(element: MayiCard, card: import("./ui/types.d.ts").Card) => void} place puts an element into the message that its call
 *   belongs to
 */
export function connectCards({ post, listen }, place) {
  /** @type {Map<string, MayiCard>} */
  const elements = new Map();
  /** @param {any} message */
  const hear = (message) => {
    switch (message?.type) {
      case "approval-request":
      case "approval-updated":
        return show(message);
      case "approval-resolved":
        return settle(message);
      case "approval-refused":
        return elements.get(message.approvalId)?.refuse(String(message.reason));
      case "snapshot":
        message.waiting.forEach(show);
        // How they ended was not heard.
        for (const approvalId of elements.keys()) if (!message.waiting.some((/** @type {any} */ card) => card.approvalId === approvalId)) settle({ approvalId, state: "cancelled" });
    }
  };
  /** @param {any} end */
  const settle = (end) => {
    elements.get(end.approvalId)?.settle(end);
    elements.delete(end.approvalId);
  };
  /** Whether a message got as far as `post` knows. @param {import("../bridge.d.ts").FromView} message */
  const arrives = async (message) => {
    try {
      return Object(await post(message)).ok !== false;
    } catch {
      return false;
    }
  };
  /** @param {import("./ui/types.d.ts").Card} card */
  const make = (card) => {
    const element = /** @type {MayiCard} */ (document.createElement("mayi-card"));
    element.addEventListener("answer", async (event) => {
      if (!(await arrives(/** @type {CustomEvent} */ (event).detail))) element.refuse();
    });
    elements.set(card.approvalId, element);
    return element;
  };
  /** @param {import("./ui/types.d.ts").Card} card */
  const show = (card) => {
    const element = elements.get(card.approvalId) ?? make(card);
    element.card = card;
    if (!element.isConnected) place(element, card);
  };
  listen(hear);
  // What was asked before this view was there. An app whose connection comes back says it again.
  post({ type: "approval-list" });
}

/**
 * Messages that come to this window from another of that origin: from the app around a webview or an iframe. None: this window's
 * own origin, as in VS Code, where a webview can't tell by the window whom it hears. What is embedded in the view itself has
 * another origin, or could do anything here.
 * @param {string} [origin]
 * @returns {Channel["listen"]}
 */
export function fromParent(origin = window.origin) {
  // Every window whose origin is kept from others says that it is this one.
  if (origin === "null") throw new TypeError("this view has no origin of its own: name the one of the app around it");
  return (hear) => window.addEventListener("message", (event) => event.origin === origin && hear(event.data));
}
