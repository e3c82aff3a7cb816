// The gate's messages as this app's protocol has them: `tool_approval_request` to its clients, `tool_approval_response` back.

import { fromToolApprovalResponse, toToolApprovalRequest } from "../../typescript/adapters.js";

export class Approvals {
  /** Requests that wait, by the id of their tool call. */
  #waiting = new Map();

  constructor(mayi, send) {
    Object.assign(this, { mayi, send });
  }

  /** For `run`: the clients are told. `category`: what the app says that the tool does. */
  onCard(card, settled, category) {
    if (settled.aborted) return;
    // Beside the request, the card itself: `mayi-card` shows all of it.
    const request = { ...toToolApprovalRequest(card), category, card };
    const { tool_call_id } = request;
    this.#waiting.set(tool_call_id, request);
    this.send(request);
    settled.addEventListener("abort", () => {
      if (this.#waiting.get(tool_call_id) === request) this.#waiting.delete(tool_call_id);
    }, { once: true });
  }

  /** What a client that comes later is told. */
  get requests() {
    return [...this.#waiting.values()];
  }

  /** A client has answered. It names the digest of what it has shown: nothing else is allowed by that. */
  async respond(message) {
    const { tool_call_id, digest, reason, bypassSession } = message;
    try {
      const card = this.#waiting.get(tool_call_id)?.card;
      if (card?.digest !== digest) throw new Error("this is not what waits for an answer");
      const [choice, more] = fromToolApprovalResponse(card, message);
      await this.mayi.answer(card, choice, { ...more, reason, bypassSession });
    } catch (error) {
      this.send({ type: "tool_approval_refused", tool_call_id, reason: error.message });
    }
  }
}
