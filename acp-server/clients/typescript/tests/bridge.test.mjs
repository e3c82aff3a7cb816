import assert from "node:assert/strict";
import { test } from "node:test";

import { bridgeCards } from "mayi-client/bridge";

import { make, scene } from "./scene.mjs";

/** What a view hears: `await heard(type)` is the next message of that type. */
function view() {
  const [come, wanted] = [[], new Map()];
  const post = (message) => {
    come.push(message);
    wanted.get(message.type)?.(message);
    wanted.delete(message.type);
  };
  const heard = (type) => new Promise((resolve) => wanted.set(type, resolve));
  return { come, post, heard };
}

const answerTo = ({ approvalId, digest }, optionId, more = {}) => ({ type: "approval-response", approvalId, digest, response: { outcome: { outcome: "selected", optionId } }, ...more });

test("A card goes to the view, its answer comes back, and the view hears how it ended", async (t) => {
  const { mayi, chat } = await scene(t);
  const { post, heard, come } = view();
  const bridge = bridgeCards(mayi, post);
  const asked = heard("approval-request");
  const verdict = chat.ask("call-1", make, { onCard: bridge.onCard });
  const card = await asked;
  assert.equal(card.toolCall.toolCallId, "call-1");
  const ended = heard("approval-resolved");
  await bridge.receive(answerTo(card, "deny", { reason: "not today" }));
  assert.equal((await verdict).outcome, "denied");
  const { at, ...end } = await ended;
  assert.deepEqual(end, { type: "approval-resolved", approvalId: card.approvalId, state: "denied", by: (await verdict).by, reason: (await verdict).reason });
  assert.match(end.reason, /not today/);
  assert.ok(!Number.isNaN(Date.parse(at)));
  assert.deepEqual(come.map(({ type }) => type), ["approval-request", "approval-resolved"]);
});

test("A view that comes later hears what waits, and nothing that is over", async (t) => {
  const { mayi, chat } = await scene(t);
  const { post, heard } = view();
  const bridge = bridgeCards(mayi, post);
  const waiting = async () => {
    const told = heard("snapshot");
    await bridge.receive({ type: "approval-list" });
    return (await told).waiting;
  };
  assert.deepEqual(await waiting(), []);
  const asked = heard("approval-request");
  const verdict = chat.ask("call-1", make, { onCard: bridge.onCard });
  const card = await asked;
  assert.deepEqual(await waiting(), [card]);
  await bridge.receive(answerTo(card, "allow_once"));
  assert.equal((await verdict).allowed, true);
  assert.deepEqual(await waiting(), []);
});

test("Only what was sent over this bridge can be answered over it, and only by its digest", async (t) => {
  const { on, mayi, chat } = await scene(t);
  const other = await mayi.open({ app: "app", chat: "c2", cwd: on.work });
  const [own, foreign] = [view(), view()];
  const bridge = bridgeCards(mayi, own.post);
  const elsewhere = bridgeCards(mayi, foreign.post);
  const asked = [own.heard("approval-request"), foreign.heard("approval-request")];
  const verdicts = [chat.ask("call-1", make, { onCard: bridge.onCard }), other.ask("call-1", make, { onCard: elsewhere.onCard })];
  const [card, theirs] = await Promise.all(asked);
  const { digest: _, ...undigested } = answerTo(card, "allow_once");
  for (const message of [answerTo(theirs, "allow_once"), answerTo({ approvalId: "none", digest: card.digest }, "allow_once"), answerTo({ ...card, digest: theirs.digest }, "allow_once"), undigested]) {
    const refused = own.heard("approval-refused");
    await bridge.receive(message);
    assert.equal((await refused).approvalId, message.approvalId);
  }
  // What is no message for mayi at all.
  for (const message of [null, 7, "allow", {}, { type: "approval-request" }]) await bridge.receive(message);
  assert.deepEqual((await mayi.pending()).map(({ approvalId }) => approvalId).sort(), [card.approvalId, theirs.approvalId].sort());
  await elsewhere.receive(answerTo(theirs, "deny"));
  await bridge.receive(answerTo(card, "allow_once"));
  assert.deepEqual((await Promise.all(verdicts)).map(({ outcome }) => outcome), ["allowed", "denied"]);
});

test("Answered elsewhere, the view hears it", async (t) => {
  const { mayi, chat } = await scene(t);
  const { post, heard } = view();
  const asked = heard("approval-request");
  const verdict = chat.ask("call-1", make, { onCard: bridgeCards(mayi, post).onCard });
  const card = await asked;
  const ended = heard("approval-resolved");
  await mayi.answer(card, "allow_once");
  assert.equal((await ended).state, "approved");
  await verdict;
});

test("A backend that dies takes its card along, and the next one's card comes in its place", async (t) => {
  const { mayi, chat } = await scene(t);
  const { post, heard } = view();
  const bridge = bridgeCards(mayi, post);
  const asked = heard("approval-request");
  const verdict = chat.ask("call-1", make, { onCard: bridge.onCard });
  const first = await asked;
  const [ended, next] = [heard("approval-resolved"), heard("approval-request")];
  process.kill(mayi.pid, "SIGKILL");
  assert.deepEqual([(await ended).approvalId, (await ended).state], [first.approvalId, "cancelled"]);
  const second = await next;
  assert.notEqual(second.approvalId, first.approvalId);
  const refused = heard("approval-refused");
  await bridge.receive(answerTo(first, "allow_once"));
  await refused;
  await bridge.receive(answerTo(second, "allow_once"));
  assert.equal((await verdict).allowed, true);
});
