// A chat whose messages are made of blocks: a call that needs a permission leaves a block of its own in the message, the agent's
// loop pauses, and goes on in the same message once a person has decided.

import { serve } from "../shared/server.mjs";
import { Thread } from "../shared/thread.mjs";
// In an app of your own: "mayi-client", "mayi-client/adapters" and "mayi-client/bridge".
import { settlePermissionBlock, toPermissionBlock } from "../../typescript/adapters.js";
import { bridgeCards } from "../../typescript/bridge.js";
import { Mayi } from "../../typescript/index.js";
import { respond } from "./model.mjs";
import { ToolManager } from "./tool_manager.mjs";

/** The agent's loop: asks the model, calls its tools, and yields what becomes a block. */
class LLMProviderPresenter {
  constructor(toolManager, note) {
    Object.assign(this, { toolManager, note });
  }

  /** Until the model has said everything, or a permission is missing. */
  async *loop(messages, onCard) {
    let needContinueConversation = true;
    while (needContinueConversation) {
      const { text, calls } = respond(messages);
      if (text) yield { type: "text", text };
      needContinueConversation = calls.length > 0;
      for (const toolCall of calls) {
        const block = await this.call(toolCall, (card, settled) => onCard(toolCall, card, settled));
        if (block.response.requiresPermission) needContinueConversation = false;
        yield block;
      }
    }
  }

  /** One call, for the first time or again. */
  async call(toolCall, onCard) {
    this.note(`LLM->>TM: callTool(${toolCall.name})`);
    return { type: "call", toolCall, response: await this.toolManager.callTool(toolCall, onCard) };
  }
}

/** A thread: keeps the messages with their blocks, and resumes the loop. */
class ThreadPresenter {
  /** Parts of calls that wait, by the call's id. */
  #waiting = new Map();
  /** The loop, until it pauses or has ended. */
  #loop = Promise.resolve();

  constructor(thread, llm, note) {
    Object.assign(this, { thread, llm, note });
  }

  async send(text) {
    this.thread.say("user", { type: "text", text });
    await this.#goOn(this.thread.say("assistant"));
  }

  #goOn(message) {
    this.#loop = this.#run(message).catch((error) => this.#fail(message, "mayi", error));
    return this.#loop;
  }

  async #run(message) {
    const onCard = (toolCall, card, settled) => this.#render(message, toolCall, card, settled);
    for await (const part of this.llm.loop(this.thread.messages, onCard)) {
      if (part.type === "text") this.thread.put(message, part);
      else this.#take(message, part);
    }
  }

  /** What came of a call: its result, or that it waits for a permission. */
  #take(message, { toolCall, response }) {
    if (response.requiresPermission) {
      this.note("LLM->>TP: yield permission block");
      this.#render(message, toolCall, response.card, response.settled);
      response.decided.then((verdict) => this.continueWithPermission(message, toolCall, verdict)).catch((error) => this.#fail(message, toolCall.name, error));
      return;
    }
    const state = response.isError ? "refused" : "done";
    this.thread.put(message, { type: "tool", callId: `${toolCall.id}-result`, name: toolCall.name, server: "files", arguments: toolCall.params, state, result: response.content });
  }

  /** A card came, or another one in its place: one block shows it. */
  #render(message, toolCall, card, settled) {
    this.note("TP->>UI: render permission UI");
    const part = this.#waiting.get(toolCall.id) ?? { type: "tool_call_permission", callId: toolCall.id };
    this.#waiting.set(toolCall.id, part);
    this.thread.put(message, part, { state: "waiting", block: toPermissionBlock(card) });
    bridge.onCard(card, settled);
  }

  /** The page answers: whatever comes of it, mayi says. */
  permissionResponse({ approvalId }) {
    const isOurs = [...this.#waiting.values()].some(({ block }) => block.extra.permissionRequestId === approvalId);
    if (isOurs) this.note("UI->>TP: permissionResponse");
  }

  /** It is decided, wherever that was. */
  async continueWithPermission(message, toolCall, verdict) {
    this.note(`TP->>LLM: continueWithPermission(${verdict.allowed})`);
    const part = this.#waiting.get(toolCall.id);
    this.thread.put(message, part, { state: verdict.allowed ? "done" : "refused", block: settlePermissionBlock(part.block, verdict), by: verdict.by });
    const onCard = (card, settled) => this.#render(message, toolCall, card, settled);
    const refused = { toolCall, response: { content: `This call did not run: ${verdict.reason ?? verdict.outcome}`, isError: true } };
    const again = verdict.allowed ? await this.llm.call(toolCall, onCard) : refused;
    this.#take(message, again);
    // Where mayi was started anew just then, it is asked again.
    if (again.response.requiresPermission) return;
    // It may have been decided before the loop had paused.
    await this.#loop;
    this.#waiting.delete(toolCall.id);
    if (this.#waiting.size === 0) await this.#goOn(message);
  }

  #fail(message, what, error) {
    this.thread.put(message, { type: "text", text: `${what}: ${error.message}` });
  }
}

const mayi = await Mayi.start();
const presenters = new Map();
let opened = 0;
const shown = ({ id, messages, steps, chat }) => ({ type: "thread", id, messages, steps, mode: chat.mode });
const page = await serve(new URL("./", import.meta.url), { greet: () => [...presenters.values()].map(({ thread }) => shown(thread)), receive });
const bridge = bridgeCards(mayi, page.send);

async function open() {
  const id = `Chat ${(opened += 1)}`;
  const thread = new Thread(id, () => page.send(shown(thread)));
  // What happened stays with the chat, as its history of permissions.
  thread.steps = [];
  const note = (step) => void thread.steps.push(step);
  thread.chat = await mayi.open({ app: "permission-blocks", chat: id, cwd: process.cwd() });
  const toolManager = new ToolManager(thread.chat, process.cwd(), note);
  await toolManager.offer();
  presenters.set(id, new ThreadPresenter(thread, new LLMProviderPresenter(toolManager, note), note));
  thread.changed();
}

/** What the page says. */
async function receive(message) {
  if (message.type === "open") return open();
  if (message.type === "message") return void presenters.get(message.thread)?.send(message.text);
  if (message.type === "approval-response") presenters.forEach((one) => one.permissionResponse(message));
  return bridge.receive(message);
}

await open();
console.log(page.url);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => mayi.close().then(() => process.exit()));
