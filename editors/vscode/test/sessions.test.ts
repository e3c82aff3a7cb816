import assert from "node:assert/strict";
import { test } from "node:test";

import type { Call } from "../src/api";
import { RpcError } from "../src/backend/rpc";
import { Sessions } from "../src/host/sessions";
import { Store } from "../src/host/store";
import { tabOf } from "../src/model/state";
import { session } from "./values";

/** A window with one tab, and what went to the backend and back into the composer. */
function scene(answer: (method: string, params: unknown) => unknown = () => ({})): { store: Store; sessions: Sessions; prompts: string[]; composed: string[]; queue: () => string[] } {
  const store = new Store({ get: () => undefined, update: () => Promise.resolve() });
  const prompts: string[] = [];
  const composed: string[] = [];
  const call = (async (method: string, params: { text?: string }) => {
    if (method === "session/prompt") prompts.push(params.text ?? "");
    const given = answer(method, params);
    if (given instanceof Error) throw given;
    return given;
  }) as unknown as Call;
  const sessions = new Sessions(store, call, (_, text) => composed.push(text), () => ({ toolbelt: true, gateway: null }));
  store.hear(() => sessions.next());
  store.apply({ type: "tab-new", tabId: "t1", agentName: "demo", cwd: "/w" }, { type: "session-changed", session: session() });
  return { store, sessions, prompts, composed, queue: () => tabOf(store.state, "t1")?.queue ?? [] };
}

test("a new session says how its agent reaches its servers, as the person has set it", async () => {
  const opened: object[] = [];
  const { sessions } = scene((method, params) => {
    if (method === "session/new") opened.push(params as object);
    return session();
  });
  await sessions.open("t1");
  const reached = opened.map((params) => ["toolbelt" in params && params.toolbelt, "gateway" in params && params.gateway]);
  assert.deepEqual(reached, [[true, null]]);
});

const running = { type: "session-changed", session: session({ state: "running" }) } as const;
const over = { type: "turn-ended", tabId: "t1", turn: 1, stopReason: "end_turn", error: null } as const;

test("a prompt that is given while a turn runs is sent when the turn is over", async () => {
  const { store, sessions, prompts, queue } = scene();
  store.apply(running);
  await sessions.prompt("t1", "later");
  assert.deepEqual([prompts, queue()], [[], ["later"]]);
  store.apply(over);
  assert.deepEqual([prompts, queue()], [["later"], []]);
});

test("prompts that wait are sent in their order, however many, and without one that was taken back", async () => {
  for (const texts of [["alpha", "beta"], ["one", "two", "three", "four", "five"]]) {
    for (const back of [null, 1]) {
      const { store, sessions, prompts, composed, queue } = scene((method) => {
        // A turn begins with each, and is over by itself.
        if (method === "session/prompt") store.apply(running);
        return {};
      });
      store.apply(running);
      for (const text of texts) await sessions.prompt("t1", text);
      if (back !== null) sessions.unqueue("t1", back);
      const wanted = texts.filter((_, at) => at !== back);
      for (let at = 0; at < 20 && prompts.length < wanted.length; at += 1) {
        store.apply(over, { type: "session-changed", session: session() });
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.deepEqual([prompts, queue(), composed], [wanted, [], back === null ? [] : [texts[back]]]);
    }
  }
});

test("a prompt that is given while the first of those that wait is on its way is sent behind them", async () => {
  const { store, sessions, prompts } = scene();
  store.apply(running);
  for (const text of ["a", "b"]) await sessions.prompt("t1", text);
  store.apply(over);
  await sessions.prompt("t1", "c");
  for (let at = 0; at < 5; at += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(prompts, ["a", "b", "c"]);
});

test("a prompt that meets a turn that began by itself waits, and is shown once", async () => {
  const { store, sessions, queue } = scene((method) => {
    if (method !== "session/prompt") return {};
    store.apply(running);
    return new RpcError("a turn is under way", -32010, null);
  });
  await sessions.prompt("t1", "p");
  assert.deepEqual(queue(), ["p"]);
  assert.equal(tabOf(store.state, "t1")?.items.filter((item) => item.kind === "prompt").length, 1);
});

test("what waits goes back into the composer when everything is stopped or the prompt can't be sent", async () => {
  const stopped = scene();
  stopped.store.apply(running);
  await stopped.sessions.prompt("t1", "a");
  await stopped.sessions.cancel("t1");
  assert.deepEqual([stopped.composed, stopped.queue()], [["a"], []]);
  const failed = scene(() => new RpcError("the agent is gone", -32010, null));
  await failed.sessions.prompt("t1", "b");
  assert.deepEqual(failed.composed, ["b"]);
});

test("what waits for an agent that ends goes back into the composer, in its order, and to no other agent", async () => {
  const gone = scene();
  gone.store.apply(running);
  for (const text of ["a", "b", "c"]) await gone.sessions.prompt("t1", text);
  gone.store.apply({ type: "session-changed", session: session({ state: "ended", error: "the agent ended" }) });
  assert.deepEqual([gone.composed, gone.queue(), gone.prompts], [["a\nb\nc"], [], []]);
});

test("a chat whose agent ended goes on: the session that is left is closed before another one is opened", async () => {
  const called: string[] = [];
  const ended = scene((method) => {
    called.push(method);
    return method === "session/new" ? session() : {};
  });
  ended.store.apply({ type: "session-changed", session: session({ state: "ended", error: "the agent ended" }) });
  await ended.sessions.prompt("t1", "go on");
  assert.deepEqual([called, ended.prompts], [["session/close", "session/new", "session/prompt"], ["go on"]]);
});
