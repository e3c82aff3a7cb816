import assert from "node:assert/strict";
import { test } from "node:test";

import { MayiError } from "mayi-client";

import { cards, make, scene } from "./scene.mjs";

test("What the policy allows runs without a question", async (t) => {
  const { chat } = await scene(t);
  const verdict = await chat.ask("1", { kind: "shell", command: "ls" }, { onCard: () => assert.fail("nobody is asked") });
  assert.deepEqual([verdict.allowed, verdict.outcome, verdict.by], [true, "allowed", "policy"]);
});

test("A person allows one call, and the next one is asked about", async (t) => {
  const { mayi, chat } = await scene(t);
  for (const id of ["1", "2"]) {
    let settled;
    const verdict = await chat.ask(id, make, {
      tool: "run_command",
      title: "Build",
      onCard: (card, signal) => {
        settled = signal;
        assert.deepEqual([card.toolCall.toolCallId, card.toolCall.name, card.toolCall.title], [id, "run_command", "Build"]);
        return mayi.answer(card, "allow_once");
      },
    });
    assert.equal(verdict.allowed, true);
    assert.equal(settled.aborted, true);
  }
});

test("An answer for the session covers the next call, and can be taken back", async (t) => {
  const { mayi, chat } = await scene(t);
  const first = await chat.ask("1", make, { onCard: (card) => mayi.answer(card, "allow_session") });
  assert.deepEqual(first.granted, ["shell(make) (session)"]);
  assert.equal((await chat.ask("2", make, { onCard: () => assert.fail("it is remembered") })).allowed, true);
  const grants = await chat.grants();
  assert.equal(grants.some((grant) => grant.what === "shell(make)"), true);
  assert.equal((await chat.revoke()).revoked, grants.length);
  assert.deepEqual(await chat.grants(), []);
  assert.equal((await chat.ask("3", make, { onCard: (card) => mayi.answer(card, "deny") })).allowed, false);
});

test("A denial has the person's reason", async (t) => {
  const { mayi, chat } = await scene(t);
  const verdict = await chat.ask("1", make, { onCard: (card) => mayi.answer(card, "deny", { reason: "not on a Friday" }) });
  assert.deepEqual([verdict.allowed, verdict.outcome], [false, "denied"]);
  assert.match(verdict.reason, /not on a Friday/);
});

test("An AbortSignal withdraws the question", async (t) => {
  const { mayi, chat } = await scene(t);
  const [shown, stop] = [cards(), new AbortController()];
  const asked = chat.ask("1", make, { onCard: shown.onCard, signal: stop.signal });
  const { settled } = await shown.next();
  assert.equal((await mayi.pending()).length, 1);
  assert.equal((await chat.waiting()).length, 1);
  stop.abort();
  const verdict = await asked;
  assert.deepEqual([verdict.allowed, verdict.outcome], [false, "cancelled"]);
  assert.equal(settled.aborted, true);
  assert.deepEqual(await mayi.pending(), []);
});

test("An AbortSignal in the middle of asking leaves nothing behind", async (t) => {
  const { mayi, chat } = await scene(t);
  const stop = new AbortController();
  const asked = chat.ask("1", make, { signal: stop.signal });
  stop.abort();
  assert.equal((await asked).outcome, "cancelled");
  assert.equal((await chat.ask("2", make, { signal: stop.signal })).outcome, "cancelled");
  // It may have reached the backend before: then it has been withdrawn, or is about to be.
  await chat.withdraw();
  for (const { callId } of await chat.waiting()) assert.fail(`${callId} waits`);
  assert.deepEqual(await mayi.pending(), []);
});

test("Nothing runs in the mode plan", async (t) => {
  const { chat } = await scene(t, { mode: "plan" });
  assert.equal(chat.mode, "plan");
  const verdict = await chat.ask("1", make);
  assert.deepEqual([verdict.allowed, verdict.outcome, verdict.by], [false, "denied", "policy"]);
  assert.equal(typeof verdict.reason, "string");
  await chat.setMode("auto");
  assert.match(chat.briefing, /^Mode: auto/);
  assert.equal((await chat.ask("2", make)).allowed, true);
});

test("run() asks, runs and reports", async (t) => {
  const { mayi, chat } = await scene(t);
  const onCard = (card) => mayi.answer(card, card.toolCall.toolCallId === "no" ? "deny" : "allow_once");
  const good = await chat.run("good", make, async () => 42, { onCard });
  assert.deepEqual([good.verdict.allowed, good.result, "unreported" in good], [true, 42, false]);
  const wrong = new Error("no rule to make target");
  await assert.rejects(chat.run("bad", make, () => Promise.reject(wrong), { onCard }), wrong);
  const refused = await chat.run("no", make, () => assert.fail("it was denied"), { onCard });
  assert.deepEqual(Object.keys(refused), ["verdict"]);
  // A call that was reported has ended: its id is used up.
  for (const id of ["good", "bad"]) await assert.rejects(chat.ask(id, make), { code: -32602 });
});

test("Two chats do not share answers", async (t) => {
  const { on, mayi, chat } = await scene(t);
  const other = await mayi.open({ app: "app", chat: "c2", cwd: on.work });
  await chat.ask("1", make, { onCard: (card) => mayi.answer(card, "allow_session") });
  const verdict = await other.ask("1", make, { onCard: (card) => mayi.answer(card, "deny") });
  assert.equal(verdict.outcome, "denied");
  assert.deepEqual(await other.grants(), []);
});

test("A sub-task is as strict as its parent, and ends with it", async (t) => {
  const { mayi, chat } = await scene(t, { mode: "plan" });
  const part = await mayi.open({ app: "app", chat: "part", parent: chat, mode: "auto" });
  assert.equal(part.mode, "plan");
  await chat.setMode("default");
  const shown = cards();
  const asked = part.ask("1", make, { onCard: shown.onCard });
  await shown.next();
  await chat.close();
  assert.equal((await asked).outcome, "cancelled");
  assert.equal(part.closed, true);
  await assert.rejects(part.ask("2", make), { code: "closed" });
});

test("A question without an answer is denied when its time is over", async (t) => {
  const { chat } = await scene(t);
  assert.equal((await chat.ask("1", make, { timeoutSeconds: 1 })).outcome, "denied");
});

test("The first answer wins, and whoever is late hears that", async (t) => {
  const { mayi, chat } = await scene(t);
  let late;
  const verdict = await chat.ask("1", make, {
    onCard: async (card) => {
      late = card;
      await mayi.answer(card, "allow_once");
      // An answer that comes too late does not change what was decided.
      await mayi.answer(card, "deny");
    },
  });
  assert.equal(verdict.allowed, true);
  await assert.rejects(mayi.answer(late, "deny"), (error) => error instanceof MayiError && error.code === -32020 && error.data.reason === "settled");
});

test("An app that can't show a card hears of it, and nothing waits", async (t) => {
  const { mayi, chat } = await scene(t);
  const broken = new Error("no window");
  const throws = () => {
    throw broken;
  };
  for (const [id, onCard] of Object.entries({ throws, rejects: () => Promise.reject(broken) })) {
    await assert.rejects(chat.ask(id, make, { onCard }), broken);
    assert.deepEqual(await mayi.pending(), []);
  }
});

test("An app that answers with what is no answer hears of it, and nothing waits", async (t) => {
  const { mayi, chat } = await scene(t);
  const wrong = {
    option: (card) => mayi.answer(card, "alow_once"),
    // What is remembered needs a pattern that covers the call.
    remember: (card) => mayi.answer(card, "allow_always"),
  };
  for (const [reason, onCard] of Object.entries(wrong)) {
    const refused = (error) => error instanceof MayiError && error.code === -32020 && error.data.reason === reason;
    await assert.rejects(chat.ask(reason, make, { onCard }), refused);
    assert.deepEqual(await mayi.pending(), []);
  }
});

test("An answer for good is one of the patterns that the card suggests", async (t) => {
  const { mayi, chat } = await scene(t);
  const onCard = (card) => mayi.answer(card, "allow_always", { remember: { scope: "user", patterns: card.suggestions[0].patterns } });
  assert.deepEqual((await chat.ask("1", make, { onCard })).granted, ["shell(make) (user)"]);
  assert.equal((await chat.ask("2", make, { onCard: () => assert.fail("it is remembered") })).allowed, true);
});

test("What is too big for one request is said", async (t) => {
  const { chat } = await scene(t);
  await assert.rejects(chat.ask("1", make, { input: "x".repeat(9 * 1024 * 1024) }), /too big/);
});

test("What the backend does not understand is an error with its words", async (t) => {
  const { chat } = await scene(t);
  await assert.rejects(chat.ask("1", { kind: "dance" }), (error) => error instanceof MayiError && error.code === -32602 && /dance/.test(error.message));
});

test("What holds for each tool is told", async (t) => {
  const { chat } = await scene(t);
  const told = await chat.tools([{ name: "list_notes", category: "read" }, { server: "crm", name: "find" }]);
  assert.deepEqual(told.map((tool) => [tool.name, tool.effect]), [["list_notes", "ask"], ["find", "ask"]]);
});
