// @ts-check
// From an app's own process, which can ask mayi, to its views (a webview, an iframe, a page), which can't, and back. What a view
// shows is asked by this app, and what comes back counts only for what was sent there (S3.17).

import { textOf } from "./lib/errors.js";

/** @import { Card } from "./index.d.ts" */
/** @import { FromView, ToView } from "./bridge.d.ts" */

/** How a card ends for a view, by how its call does. */
const STATES = /** @type {const} */ ({ allowed: "approved", denied: "denied", cancelled: "cancelled", asked: "cancelled" });

/**
 * @param {Pick<import("./index.d.ts").Mayi, "answer">} mayi
 * @param {(message: ToView) => void} post to the views
 */
export function bridgeCards(mayi, post) {
  /** What waits in the views. @type {Map<string, Card>} */
  const shown = new Map();

  /** For `ask` and `run`. @param {Card} card @param {AbortSignal} settled */
  const onCard = (card, settled) => {
    if (settled.aborted) return;
    shown.set(card.approvalId, card);
    post(card);
    settled.addEventListener("abort", () => end(card, Object(settled.reason)), { once: true });
  };

  /** @param {Card} card @param {Partial<import("./index.d.ts").Verdict & Card>} why the verdict, or the card that comes in its place */
  const end = ({ approvalId }, why) => {
    if (why.digest !== undefined && why.approvalId === approvalId) return;
    shown.delete(approvalId);
    const { outcome = "cancelled", by = null, reason = null } = why;
    post({ type: "approval-resolved", approvalId, state: STATES[outcome], by, reason, at: new Date().toISOString() });
  };

  /** A message of a view: what is not for mayi passes by. @param {FromView} message */
  const receive = async (message) => {
    if (message?.type === "approval-list") post({ type: "snapshot", waiting: [...shown.values()] });
    if (message?.type !== "approval-response") return;
    const { approvalId, digest, response, remember, reason, bypassAll, bypassSession } = message;
    try {
      if (!shown.has(approvalId)) throw new Error("this was not asked here, or is settled");
      if (typeof digest !== "string") throw new Error("an answer names the digest of what was shown");
      const { outcome } = response;
      await mayi.answer({ approvalId, digest }, outcome.outcome === "selected" ? outcome.optionId : outcome, { remember, reason, bypassAll, bypassSession });
    } catch (error) {
      post({ type: "approval-refused", approvalId, reason: textOf(error) });
    }
  };

  return { onCard, receive };
}
