// The page of the node chat: a mode for each thread, and a card where a call waits, by this app's own messages.

// In an app of your own: "mayi-client/card".
import "./card/index.js";
import { channel, place, startChat } from "./shared/chat.js";

/** What `decision` can say, by mayi's words. */
const DECISIONS = { allow_once: "allow", allow_session: "allow_for_chat", deny: "deny" };

/** Cards by the id of their tool call. */
const cards = new Map();

function ask({ tool_call_id, card }) {
  const element = cards.get(tool_call_id) ?? make(tool_call_id);
  element.card = { ...card, options: card.options.filter(({ optionId }) => Object.hasOwn(DECISIONS, optionId)) };
  if (!element.isConnected) place(element, card);
}

function make(tool_call_id) {
  const element = document.createElement("mayi-card");
  cards.set(tool_call_id, element);
  element.addEventListener("answer", async ({ detail: { digest, response, reason, bypassSession } }) => {
    const answer = { type: "tool_approval_response", tool_call_id, decision: DECISIONS[response.outcome.optionId], digest, reason, bypassSession };
    const { ok } = await channel.post(answer);
    if (!ok) element.refuse();
  });
  return element;
}

channel.listen((message) => {
  if (message.type === "tool_approval_request") ask(message);
  if (message.type === "tool_approval_refused") cards.get(message.tool_call_id)?.refuse(message.reason);
});

startChat({
  title: "Node chat",
  modes: { plan: "Plan: only reads, and proposes", default: "Default: asks before it acts", auto: "Auto: acts without asking (dangerous)" },
});
