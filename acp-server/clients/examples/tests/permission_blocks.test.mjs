// The chat of blocks, by the steps of the sequence that it was designed by: what each part does, in its order.

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { ToolManager } from "../permission-blocks/tool_manager.mjs";
import { example, until } from "./scene.mjs";

/** Everything is asked about, and what the app says of its tools counts. */
const CONFIG = `[apps.permission-blocks]
trust_categories = true
[matrix.default]
read = "ask"
`;

/** What happened so far, one step after the other. */
function stepsOf(on) {
  const steps = on.page.locator('[aria-label="Steps"] li');
  let done = 0;
  return async (wanted) => {
    await until(wanted, async () => (await steps.count()) > done);
    assert.equal(await steps.nth(done).textContent(), wanted);
    done += 1;
  };
}

test("Permission required", async (t) => {
  const on = await example(t, "permission-blocks", CONFIG);
  const next = stepsOf(on);
  const step = (name, more = async () => {}) => t.test(name, () => next(name).then(more));
  await on.say('write a.txt "milk"');
  await step("LLM->>TM: callTool(write_file)");
  await step("TM->>TM: checkPermission()");
  await step("TM-->>LLM: PermissionRequiredResponse");
  await step("LLM->>TP: yield permission block");
  let id;
  await step("TP->>UI: render permission UI", async () => {
    id = await on.asked("write_file");
    const block = on.part("write_file");
    assert.match(await block.innerText(), /^WRITE write_file from files: your permission is needed/, "the kind of permission is said first");
    assert.match(await on.card(id).innerText(), /^Write\b/, "also on the card");
    assert.equal(on.file("a.txt"), null, "nothing is done yet");
  });
  await t.test("UI->>UI: user clicks Allow/Deny", () => on.answer(id, "allow_once"));
  await step("UI->>TP: permissionResponse");
  await step("TP->>LLM: continueWithPermission(true)");
  await step("LLM->>TM: callTool(write_file)");
  await step("TM->>TM: checkPermission()");
  await step("TM-->>LLM: success response", async () => {
    await on.inState("write_file from files · done", "done");
    assert.equal(on.file("a.txt"), "milk");
    await on.shows("WRITE write_file from files: granted by app");
    await on.shows("write_file: a.txt is written");
  });
});

test("Permission granted", async (t) => {
  const on = await example(t, "permission-blocks", CONFIG);
  await on.say("list");
  await on.answer(await on.asked("list_directory"), "allow_session");
  await on.shows("list_directory: notes.txt");
  await on.page.reload();
  const steps = on.page.locator('[aria-label="Steps"] li');
  const before = await until("the steps are there", () => steps.count());
  await on.say("list");
  await until("it is done", async () => (await steps.count()) === before + 3);
  const names = (await steps.allTextContents()).slice(before);
  const normal = ["LLM->>TM: callTool(list_directory)", "TM->>TM: checkPermission()", "TM-->>LLM: success response"];
  for (const [at, name] of normal.entries()) await t.test(name, () => assert.equal(names[at], name));
});

test("Permission denied: the block says so, the model hears why, and the rest of the turn is done", async (t) => {
  const on = await example(t, "permission-blocks", CONFIG);
  await on.say('read notes.txt write notes.txt "gone"');
  const id = await on.asked("write_file");
  await on.answer(await on.asked("read_file"), "allow_once");
  await on.inState("read_file from files · done", "done");
  await on.answer(id, "deny");
  await on.shows("WRITE write_file from files: denied by app");
  await on.shows("write_file: This call did not run: the user said no");
  assert.match(on.file("notes.txt"), /^line one/);
  assert.equal(await on.page.locator("article.assistant").count(), 1);
});

test("A permission for one server and tool is none for another, and a write is none by a read", async (t) => {
  const on = await example(t, "permission-blocks", CONFIG);
  await on.say("read notes.txt");
  const id = await on.asked("read_file");
  assert.match(await on.part("read_file").innerText(), /^READ /);
  await on.answer(id, "allow_session");
  await on.shows("read_file: line one");
  await on.say('read notes.txt write a.txt "x"');
  await on.asked("write_file");
  assert.equal(on.file("a.txt"), null);
});

test("A path is the same on the card and for the tool, and none leads out of the folder", async (t) => {
  const on = await example(t, "permission-blocks", CONFIG);
  await on.say('write x/../a.txt "milk"');
  const id = await on.asked("write_file");
  const path = `"path": "${join(on.stage.project, "a.txt")}"`;
  assert.ok((await on.card(id).innerText()).includes(path), path);
  await on.answer(id, "allow_once");
  await on.shows("write_file: a.txt is written");
  assert.equal(on.file("a.txt"), "milk");
  await on.say('write ../b.txt "milk"');
  await on.answer(await on.asked("write_file"), "allow_once");
  await on.shows(`is outside of ${on.stage.project}`);
  assert.equal(on.file("../b.txt"), null);
});

test("A call that is done is done, also where that can't be reported", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "mayi-blocks-"));
  t.after(() => rm(folder, { recursive: true }));
  const reported = [];
  const chat = {
    ask: async () => ({ allowed: true, outcome: "allowed" }),
    report: async (_, status) => {
      reported.push(status);
      throw new Error("mayi is gone");
    },
  };
  const manager = new ToolManager(chat, folder, () => {});
  const response = await manager.callTool({ id: "1", name: "write_file", params: { path: "a.txt", text: "milk" } }, () => {});
  assert.deepEqual(response, { toolCallId: "1", content: "a.txt is written", isError: false });
  assert.equal(await readFile(join(folder, "a.txt"), "utf8"), "milk");
  assert.deepEqual(reported, ["started", "completed"]);
});
