// The node chat, as it was designed: modes and categories, the gate's messages, what is remembered for a thread, sub-agents.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { example, until } from "./scene.mjs";

const CONFIG = `[apps.node-chat]
trust_categories = true
`;

/** A call of each category, and what becomes of it in each mode. */
const SAID = 'anyway nodes write a.txt "x" node text.upper "x" workflow shout_backwards "ab"';
const MATRIX = {
  plan: { list_nodes: "done", write_file: "refused", run_node: "refused", run_workflow: "refused" },
  default: { list_nodes: "done", write_file: "waiting", run_node: "waiting", run_workflow: "waiting" },
  auto: { list_nodes: "done", write_file: "done", run_node: "done", run_workflow: "done" },
};

const choose = (on, mode) => on.page.getByLabel("Permission mode").selectOption(mode);

for (const [mode, row] of Object.entries(MATRIX)) {
  test(`In the mode ${mode}: ${Object.entries(row).map(([tool, state]) => `${tool} ${state}`).join(", ")}`, async (t) => {
    const on = await example(t, "node-chat", CONFIG);
    await choose(on, mode);
    await on.say(SAID);
    for (const [tool, state] of Object.entries(row)) await on.inState(tool, state);
  });
}

test("From the message to the answer, step by step", async (t) => {
  const on = await example(t, "node-chat", CONFIG);
  const said = [];
  on.page.on("request", (request) => request.url().endsWith("/message") && said.push(request.postDataJSON()));
  await t.test("the message carries permission_mode", async () => {
    await on.say('node text.upper "milk"');
    const message = await until("it is said", () => said.find(({ type }) => type === "message"));
    assert.deepEqual(message, { type: "message", thread: "Thread 1", text: 'node text.upper "milk"', permission_mode: "default" });
  });
  let request;
  await t.test("tool_approval_request: the call's id, name, arguments and category", async () => {
    await on.asked("run_node");
    request = await waitingAt(on.url);
    const { tool_call_id, card, ...rest } = request;
    assert.deepEqual(rest, { type: "tool_approval_request", tool_name: "run_node", arguments: { node_type: "text.upper", inputs: { text: "milk" } }, category: "execute" });
    assert.equal(card.toolCall.toolCallId, tool_call_id);
  });
  await t.test("an answer to what was not shown allows nothing", async () => {
    const forged = { type: "tool_approval_response", tool_call_id: request.tool_call_id, decision: "allow", digest: "sha256:0" };
    await fetch(new URL("message", on.url), { method: "POST", body: JSON.stringify(forged) });
    await on.shows("this is not what waits for an answer");
    await on.inState("run_node", "waiting");
  });
  await t.test("tool_approval_response: the call's id and the decision", async () => {
    await on.answer(request.card.approvalId, "allow_session");
    const { tool_call_id, decision } = said.find(({ type }) => type === "tool_approval_response");
    assert.deepEqual({ tool_call_id, decision }, { tool_call_id: request.tool_call_id, decision: "allow_for_chat" });
  });
  await t.test("the run resumes, and the result is in its place", () => on.shows("run_node: MILK (run 1)"));
  await t.test("for this thread the tool is not asked about again", async () => {
    await on.say('node text.reverse "abc"');
    await on.shows("run_node: cba (run 2)");
  });
  await t.test("another thread starts in the mode default, and asks", async () => {
    await choose(on, "auto");
    await on.page.getByRole("button", { name: "New chat" }).tap();
    await on.page.getByRole("button", { name: "Thread 2", pressed: true }).waitFor();
    assert.equal(await on.page.getByLabel("Permission mode").inputValue(), "default");
    await on.say('node text.reverse "abc"');
    await on.asked("run_node");
  });
});

test("The model is told its mode: in plan it proposes, and calls nothing", async (t) => {
  const on = await example(t, "node-chat", CONFIG);
  await choose(on, "plan");
  await on.say('workflow shout_backwards "ab"');
  await on.shows('My plan: run_workflow {"workflow_id":"shout_backwards","params":{"text":"ab"}}');
  assert.equal(await on.page.locator(".tool").count(), 0);
  await t.test("in the mode default it acts", async () => {
    await choose(on, "default");
    await on.say('workflow shout_backwards "ab"');
    await on.answer(await on.asked("run_workflow"), "allow_once");
    await on.shows("run_workflow: BA (run 1)");
  });
});

test("A sub-agent has the mode and the gate of the thread that started it", async (t) => {
  const on = await example(t, "node-chat", CONFIG);
  await t.test("default: its call is asked about, in the thread's message", async () => {
    await on.say('subtask: node text.upper "sub"');
    const id = await on.asked("run_node");
    assert.match(await on.card(id).innerText(), /for a sub-agent|host:node-chat/);
    await on.answer(id, "allow_once");
    await on.shows("run_subtask: run_node: SUB (run 1)");
  });
  await t.test("plan: it only proposes, and what it tries is blocked", async () => {
    await choose(on, "plan");
    await on.say('anyway subtask: anyway node text.upper "sub"');
    await on.inState("run_node", "refused");
  });
  await t.test("auto: it acts", async () => {
    await choose(on, "auto");
    await on.say('subtask: node text.upper "again"');
    await on.shows("run_subtask: run_node: AGAIN (run 2)");
  });
});

test("Where the person does not trust what the app says of its tools, also what it calls a read is asked about", async (t) => {
  const on = await example(t, "node-chat");
  await on.say("nodes");
  await on.asked("list_nodes");
});

test("A path is the same file for the rules, on the card and for the tool, however the model writes it", async (t) => {
  const on = await example(t, "node-chat", `${CONFIG}[[rule]]\neffect = "deny"\npattern = "write(secrets/**)"\n`);
  const { project } = on.stage;
  for (const path of ["secrets/x", "./a/../secrets/x", join(project, "secrets/x")]) {
    await t.test(`${path.replace(project, "FOLDER")} is denied`, async () => {
      await on.say(`write ${path} "milk"`);
      await on.page.locator('.tool[data-state="refused"]', { hasText: `"path": "${path}"` }).waitFor({ state: "attached" });
      assert.equal(on.file("secrets/x"), null);
    });
  }
  const asked = async (path) => {
    await on.say(`write ${path} "milk"`);
    const id = await on.asked("write_file");
    const { card } = await waitingAt(on.url);
    assert.equal(card.approvalId, id);
    return card;
  };
  await t.test("one from the root is no file of the folder", async () => {
    const card = await asked("/secrets/x");
    assert.deepEqual(placesOf(card), ["/secrets/x"]);
    await on.answer(card.approvalId, "deny");
    await on.inState("write_file", "refused");
  });
  await t.test("~ is a folder like any other", async () => {
    const card = await asked("~/secrets/b.txt");
    assert.match(placesOf(card).join(" and "), /^\S+\/~\/secrets\/b\.txt$/);
    await on.answer(card.approvalId, "allow_once");
    await on.shows(`${project}/~/secrets/b.txt is written`);
    assert.equal(on.file("~/secrets/b.txt"), "milk");
    assert.equal(existsSync(join(on.stage.env.HOME, "secrets/b.txt")), false);
  });
});

/** What a card names, each once. */
const placesOf = ({ accesses }) => [...new Set(accesses.map(({ display }) => display))];

/** The request that a client hears of that comes now. */
async function waitingAt(url) {
  const { body } = await fetch(new URL("events", url));
  let text = "";
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    text += part;
    const found = text.split("\n\n").slice(0, -1).map((event) => JSON.parse(event.slice("data: ".length))).find(({ type }) => type === "tool_approval_request");
    if (found) return found;
  }
}
