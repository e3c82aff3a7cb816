// A chat with a fixed toolbelt, where a mode for each thread says what runs by itself, what is asked about and what is blocked.

import { randomUUID } from "node:crypto";

import { serve } from "../shared/server.mjs";
import { Thread } from "../shared/thread.mjs";
// In an app of your own: "mayi-client".
import { Mayi } from "../../typescript/index.js";
import { Approvals } from "./approvals.mjs";
import { respond } from "./model.mjs";
import { ABOUT, OFFERED, prepare } from "./toolbelt.mjs";

const APP = "node-chat";
const threads = new Map();
let opened = 0;
const shown = ({ id, messages, chat }) => ({ type: "thread", id, messages, mode: chat.mode });

const mayi = await Mayi.start();
const greet = () => [...[...threads.values()].map(shown), ...approvals.requests];
const page = await serve(new URL("./", import.meta.url), { greet, receive });
const approvals = new Approvals(mayi, page.send);

async function open() {
  const id = `Thread ${(opened += 1)}`;
  const thread = new Thread(id, () => page.send(shown(thread)));
  // A new one asks before it acts, whatever the others do.
  thread.chat = await mayi.open({ app: APP, chat: id, cwd: process.cwd(), mode: "default" });
  await thread.chat.tools(OFFERED);
  threads.set(id, thread);
  thread.changed();
}

/** What the page says. */
async function receive(message) {
  const thread = threads.get(message.thread);
  if ("thread" in message && thread === undefined) return;
  switch (message.type) {
    case "open":
      return open();
    case "mode":
      return setMode(thread, message.mode);
    case "message":
      await setMode(thread, message.permission_mode);
      return void turn(thread, message.text);
    case "tool_approval_response":
      return approvals.respond(message);
  }
}

async function setMode(thread, mode) {
  if (mode !== thread.chat.mode) await thread.chat.setMode(mode);
  thread.changed();
}

async function turn(thread, text) {
  thread.say("user", { type: "text", text });
  const message = thread.say("assistant");
  await work(thread, message, thread.chat, () => thread.messages);
}

/** Lets the model work until it wants nothing more: for the person, or as a sub-agent. Gives what it said last. */
async function work(thread, message, chat, conversation, of = null) {
  for (;;) {
    // The mode of this moment: a person may have chosen another one meanwhile.
    const { text, calls } = respond(`${ABOUT}\n${chat.briefing}`, conversation());
    if (text && of === null) thread.put(message, { type: "text", text });
    if (calls.length === 0) return text;
    await Promise.all(calls.map((call) => run(thread, message, chat, { ...call, id: randomUUID(), of })));
  }
}

/** One call, in its place in the message. */
async function run(thread, message, chat, call) {
  const { id: callId, name, arguments: input, of } = call;
  const part = thread.put(message, { type: "tool", callId, name, server: of ? "a sub-agent" : "", of, arguments: input, state: "running" });
  const set = (change) => thread.put(message, part, change);
  try {
    if (name === "run_subtask") return set({ state: "done", result: await subtask(thread, message, chat, call) });
    const { call: asked, options, execute } = await prepare(call);
    const onCard = (card, settled) => {
      set({ state: "waiting" });
      approvals.onCard(card, settled, options.category);
    };
    const work = () => {
      set({ state: "running" });
      return execute();
    };
    const { verdict, result } = await chat.run(callId, asked, work, { ...options, onCard });
    set(verdict.allowed ? { state: "done", result } : { state: "refused", result: verdict.reason ?? verdict.outcome });
  } catch (error) {
    set({ state: "failed", result: error.message });
  }
}

/** A sub-agent: a chat of its own, below the one that started it. It has that one's mode and gate, and is never freer. */
async function subtask(thread, message, parent, { id, arguments: { task } }) {
  const chat = await mayi.open({ app: APP, chat: id, parent, mode: parent.mode });
  const own = [{ role: "user", parts: [{ type: "text", text: task }] }];
  const made = () => message.parts.filter(({ of }) => of === id);
  const conversation = () => (made().length > 0 ? [...own, { role: "assistant", parts: made() }] : own);
  try {
    return await work(thread, message, chat, conversation, id);
  } finally {
    await chat.close({ forget: true });
  }
}

await open();
console.log(page.url);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => mayi.close().then(() => process.exit()));
