import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";

import { Mayi, MayiError } from "mayi-client";

import { cards, machine, make, PROGRAM, scene, serve, start } from "./scene.mjs";

for (const signal of ["SIGKILL", "SIGTERM"]) {
  test(`A call that waits is asked again when its backend ends by ${signal}`, async (t) => {
    const { mayi, chat } = await scene(t);
    const shown = cards();
    const asked = chat.ask("call-1", make, { onCard: shown.onCard });
    const first = await shown.next();
    const before = mayi.pid;
    process.kill(before, signal);
    const second = await shown.next();
    assert.equal(first.settled.aborted, true);
    assert.notEqual(second.card.approvalId, first.card.approvalId);
    assert.equal(second.card.toolCall.toolCallId, "call-1");
    assert.notEqual(mayi.pid, before);
    // An answer to the card of before is to nobody.
    await assert.rejects(mayi.answer(first.card, "allow_once"), { code: -32020 });
    await mayi.answer(second.card, "allow_once");
    assert.equal((await asked).allowed, true);
  });
}

test("Many that wait share one new backend", async (t) => {
  const { on, mayi, chat } = await scene(t);
  const chats = [chat, ...(await Promise.all(["c2", "c3"].map((name) => mayi.open({ app: "app", chat: name, cwd: on.work }))))];
  const [shown, pids] = [cards(), new Set()];
  const asked = chats.flatMap((each) => ["a", "b", "c"].map((id) => each.ask(id, { kind: "shell", command: `make ${id}` }, { onCard: shown.onCard })));
  for (const _ of asked) await shown.next();
  process.kill(mayi.pid, "SIGKILL");
  for (const _ of asked) {
    const { card } = await shown.next();
    pids.add(mayi.pid);
    await mayi.answer(card, "allow_once");
  }
  assert.equal((await Promise.all(asked)).every((verdict) => verdict.allowed), true);
  assert.equal(pids.size, 1);
});

test("A killed backend is replaced again and again", async (t) => {
  const { mayi, chat } = await scene(t);
  const shown = cards();
  const asked = chat.ask("1", make, { onCard: shown.onCard });
  for (let times = 0; times < 3; times++) {
    await shown.next();
    process.kill(mayi.pid, "SIGKILL");
  }
  await mayi.answer((await shown.next()).card, "allow_once");
  assert.equal((await asked).allowed, true);
});

test("Mode and answers are as before at the new backend", async (t) => {
  const { on, mayi, chat } = await scene(t);
  const part = await mayi.open({ app: "app", chat: "part", parent: chat });
  await chat.ask("1", make, { onCard: (card) => mayi.answer(card, "allow_session") });
  const planned = await mayi.open({ app: "app", chat: "c2", cwd: on.work });
  await planned.setMode("plan");
  process.kill(mayi.pid, "SIGKILL");
  assert.equal((await part.ask("1", { kind: "shell", command: "ls" })).allowed, true);
  assert.equal((await chat.ask("2", make, { onCard: () => assert.fail("it is remembered") })).allowed, true);
  assert.equal((await planned.ask("1", make)).outcome, "denied");
});

test("The tool that runs while the backend dies keeps its result", async (t) => {
  const { mayi, chat } = await scene(t);
  const work = () => {
    process.kill(mayi.pid, "SIGKILL");
    return "built";
  };
  const done = await chat.run("1", make, work, { onCard: (card) => mayi.answer(card, "allow_once") });
  assert.equal(done.result, "built");
  assert.equal(done.unreported instanceof MayiError, true);
  assert.match(done.unreported.message, /restarted/);
  await assert.rejects(chat.report("2", "completed"), /no call of this/);
});

test("The key has the answers of the session after a restart of the app", async (t) => {
  const on = await machine(t);
  const before = await start(on);
  const chat = await before.open({ app: "app", chat: "c1", cwd: on.work });
  await chat.ask("1", make, { onCard: (card) => before.answer(card, "allow_session") });
  await before.close();
  const after = await start(on);
  const again = await after.open({ app: "app", chat: "c1", cwd: on.work, key: chat.key });
  assert.equal((await again.ask("2", make, { onCard: () => assert.fail("it is remembered") })).allowed, true);
  await again.close({ forget: true });
  const anew = await after.open({ app: "app", chat: "c1", cwd: on.work, key: chat.key });
  assert.deepEqual(await anew.grants(), []);
});

test("A chat that was put away comes back by itself", async (t) => {
  const { on, mayi, chat } = await scene(t);
  // Another object of the same key, as another window of the app has it.
  const other = await mayi.open({ app: "app", chat: "c1", cwd: on.work, key: chat.key });
  const shown = cards();
  const asked = chat.ask("1", make, { onCard: shown.onCard });
  await shown.next();
  await other.close();
  await mayi.answer((await shown.next()).card, "allow_once");
  assert.equal((await asked).allowed, true);
});

test("close() ends the backend, and what waits is cancelled", async (t) => {
  const { mayi, chat } = await scene(t);
  const shown = cards();
  const asked = chat.ask("1", make, { onCard: shown.onCard });
  await shown.next();
  const { pid } = mayi;
  await mayi.close();
  assert.equal((await asked).outcome, "cancelled");
  assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
  await assert.rejects(chat.ask("2", make), { code: "closed" });
  await assert.rejects(mayi.pending(), { code: "closed" });
  await mayi.close();
});

test("A lost backend that was not started here is an error", async (t) => {
  const on = await machine(t);
  const backend = await serve(on);
  const mayi = await Mayi.connect(backend);
  const chat = await mayi.open({ app: "app", chat: "c1", cwd: on.work });
  const shown = cards();
  const asked = chat.ask("1", make, { onCard: shown.onCard });
  await shown.next();
  const failed = assert.rejects(asked, (error) => error instanceof MayiError && error.code === "unreachable");
  await backend.stop();
  await failed;
  await assert.rejects(mayi.pending(), (error) => error.code === "unreachable" && !error.message.includes(backend.token));
  await mayi.close();
});

test("With reconnect it goes on at the next backend", async (t) => {
  const on = await machine(t);
  const backend = await serve(on);
  const mayi = await Mayi.connect({ ...backend, reconnect: () => serve(on) });
  on.ends.push(() => mayi.close());
  const chat = await mayi.open({ app: "app", chat: "c1", cwd: on.work });
  const shown = cards();
  const asked = chat.ask("1", make, { onCard: shown.onCard });
  await shown.next();
  await backend.stop();
  await mayi.answer((await shown.next()).card, "allow_once");
  assert.equal((await asked).allowed, true);
});

test("Who may only ask can ask, and not answer", async (t) => {
  const on = await machine(t);
  const { url, token, askToken } = await serve(on);
  const app = await Mayi.connect({ url, token: askToken });
  const person = await Mayi.connect({ url, token });
  on.ends.push(() => Promise.all([app.close(), person.close()]));
  const chat = await app.open({ app: "app", chat: "c1", cwd: on.work });
  const verdict = await chat.ask("1", make, {
    onCard: async (card) => {
      await assert.rejects(app.answer(card, "allow_once"), { code: -32030 });
      await person.answer(card, "allow_once");
    },
  });
  assert.equal(verdict.allowed, true);
  await assert.rejects(Mayi.connect({ url, token: "wrong" }), { code: -32030 });
});

test("A program that is not there, or is not mayi, is said at once", async () => {
  await assert.rejects(Mayi.start({ command: "/nowhere/mayi" }), (error) => error.code === "start" && /MAYI_BIN/.test(error.message));
  await assert.rejects(Mayi.start({ command: "true" }), { code: "start" });
  await assert.rejects(Mayi.start({ command: "echo" }), { code: "start" });
});

test("An app that forgets to close can end", async (t) => {
  const on = await machine(t);
  const text = `import { Mayi } from "mayi-client";
    const mayi = await Mayi.start({ idle: "1s" });
    const chat = await mayi.open({ app: "app", chat: "c1", cwd: process.cwd() });
    await chat.ask("1", { kind: "shell", command: "ls" });
    console.log(mayi.pid);`;
  const here = new URL("..", import.meta.url).pathname;
  const app = spawn(process.execPath, ["--input-type=module", "-e", text], { cwd: here, env: { ...on.env, MAYI_BIN: PROGRAM }, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  app.stdout.on("data", (part) => (said += part));
  const code = await new Promise((resolve) => app.once("exit", resolve));
  assert.equal(code, 0);
  assert.match(said, /^\d+\n$/);
  process.kill(Number(said), "SIGTERM");
});
