// A team's chat whose model has the tools of MCP servers. Each call is asked about before it goes to its server.

import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";

import { startServer } from "../shared/mcp.mjs";
import { serve } from "../shared/server.mjs";
import { Thread } from "../shared/thread.mjs";
// In an app of your own: "mayi-client" and "mayi-client/bridge".
import { bridgeCards } from "../../typescript/bridge.js";
import { Mayi } from "../../typescript/index.js";
import { respond } from "./model.mjs";

const TOOLS = fileURLToPath(new URL("tools.mjs", import.meta.url));
const servers = new Map();
for (const name of ["crm", "notes"]) servers.set(name, await startServer(name, [process.execPath, TOOLS, name]));

/** The threads, each with a chat of mayi's. */
const threads = new Map();
let opened = 0;
const shown = ({ id, messages, chat, tools }) => ({ type: "thread", id, messages, mode: chat.mode, tools });

const mayi = await Mayi.start();
const page = await serve(new URL("./", import.meta.url), { greet: () => [...threads.values()].map(shown), receive });
const bridge = bridgeCards(mayi, page.send);

async function open() {
  const id = `Chat ${(opened += 1)}`;
  const thread = new Thread(id, () => page.send(shown(thread)));
  // Without a mode: the one that the user has configured for this folder, which a choice in the chat overrides.
  thread.chat = await mayi.open({ app: "team-chat", chat: id, cwd: process.cwd() });
  thread.tools = [];
  threads.set(id, thread);
  await offer(thread);
}

/** Offers the tools: what would become of each, by what the user has set for server and tool, and by the chat's mode. */
async function offer(thread) {
  const offered = [...servers.values()].flatMap(({ name: server, tools }) => tools.map(({ name, annotations }) => ({ server, name, annotations })));
  thread.tools = await thread.chat.tools(offered);
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
      await thread.chat.setMode(message.mode);
      return offer(thread);
    case "message":
      return void turn(thread, message.text);
    default:
      return bridge.receive(message);
  }
}

/** One turn of the model: everything that it does is one message. */
async function turn(thread, text) {
  thread.say("user", { type: "text", text });
  const message = thread.say("assistant");
  for (;;) {
    const { text, calls } = respond(thread.messages);
    if (text) thread.put(message, { type: "text", text });
    if (calls.length === 0) return;
    // All at once: some are done while others wait.
    await Promise.all(calls.map((call) => run(thread, message, call)));
  }
}

/** One call, in its place in the message. */
async function run(thread, message, { server, name, arguments: input }) {
  const callId = randomUUID();
  const part = thread.put(message, { type: "tool", callId, server, name, arguments: input, state: "running" });
  const onCard = (card, settled) => {
    thread.put(message, part, { state: "waiting" });
    bridge.onCard(card, settled);
  };
  const work = () => {
    thread.put(message, part, { state: "running" });
    return servers.get(server).call(name, input);
  };
  try {
    const call = { kind: "mcp", server, tool: name, arguments: input };
    const { verdict, result } = await thread.chat.run(callId, call, work, { tool: name, onCard });
    thread.put(message, part, verdict.allowed ? { state: "done", result } : { state: "refused", result: verdict.reason ?? verdict.outcome });
  } catch (error) {
    thread.put(message, part, { state: "failed", result: error.message });
  }
}

await open();
console.log(page.url);
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, async () => {
    await mayi.close();
    for (const server of servers.values()) server.stop();
    process.exit();
  });
}
