// Each example, whatever happens while a call waits: it is answered in the app, at a terminal or on mayi's page, the page is loaded
// anew, the backend is killed. Nothing is lost, and nothing runs twice.

import assert from "node:assert/strict";
import { test } from "node:test";

import { example, until } from "./scene.mjs";

/** What is said, the tool that waits then, and what the model says in the end where it was run once. */
const EXAMPLES = {
  "team-chat": { say: 'tell Ada "it is done"', config: allowing("mcp(crm/find_contact)"), waits: "send_message", once: "message 1 sent to ada@example.org" },
  "permission-blocks": { say: 'write a.txt "milk" list', config: allowing("mcp(files/list_directory)"), waits: "write_file", once: "a.txt is written" },
  "node-chat": { say: 'nodes node text.upper "milk"', config: "[apps.node-chat]\ntrust_categories = true\n", waits: "run_node", once: "MILK (run 1)" },
};

function allowing(pattern) {
  return `[[rule]]\neffect = "allow"\npattern = "${pattern}"\n`;
}

for (const [name, { say, config, waits, once }] of Object.entries(EXAMPLES)) {
  /** Asks, lets `happen` happen, and looks at the end. */
  const given = (title, happen) =>
    test(`${name}: ${title}`, async (t) => {
      const on = await example(t, name, config);
      await on.say(say);
      await happen(on, await on.asked(waits), t);
      await on.inState(waits, "done");
      await on.shows(once);
      assert.equal((await on.text()).split(once).length - 1, 2, "the tool says it, and the model after it");
      assert.equal(await on.page.locator("article.assistant").count(), 1, "all of it is one message");
    });

  given("answered in the app, it goes on", (on, id) => on.answer(id, "allow_once"));

  given("answered at a terminal, it goes on", (on, id) => on.atTerminal("approve", id));

  given("answered on mayi's own page, it goes on", async (on, id) => {
    const other = await on.mayiPage();
    await other.answer(id, "allow_once");
    assert.deepEqual(other.wrong, []);
  });

  given("loaded anew in the middle, the page shows what waits and what is done", async (on, id) => {
    await on.page.reload();
    assert.equal(await on.asked(waits), id);
    await on.answer(id, "allow_once");
  });

  given("with a backend that is killed in the middle, it is asked anew", async (on, id) => {
    await on.killBackend();
    const again = await until("it is asked by another backend", async () => {
      const next = await on.asked(waits);
      return next !== id && next;
    });
    await on.answer(again, "allow_once");
  });

  given("an answer that does not reach the server can be given again", async (on, id) => {
    const messages = "**/message";
    await on.page.route(messages, (route) => route.abort());
    await on.answer(id, "allow_once");
    await on.shows("This answer did not reach the app. Give it again.");
    await on.page.unroute(messages);
    await on.answer(id, "allow_once");
  });

  test(`${name}: denied at a terminal, nothing runs, and the model hears of it`, async (t) => {
    const on = await example(t, name, config);
    await on.say(say);
    await on.atTerminal("deny", await on.asked(waits));
    await on.inState(waits, "refused");
    await on.shows("the user said no");
    assert.equal((await on.text()).includes(once), false);
  });
}
