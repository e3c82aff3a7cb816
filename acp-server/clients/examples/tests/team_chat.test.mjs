// The team's chat, as it was asked for: what needs a permission, what the question looks like, and what an answer covers.

import assert from "node:assert/strict";
import { test } from "node:test";

import { example } from "./scene.mjs";

/** One server asks for nothing, the other for all but one of its tools. */
const CONFIG = `[[rule]]
effect = "allow"
pattern = "mcp(notes/*)"
[[rule]]
effect = "allow"
pattern = "mcp(crm/find_contact)"
`;

test("Several calls of one turn: some are done, others wait, and all of it is one message in the end", async (t) => {
  const on = await example(t, "team-chat", CONFIG);
  await t.test("the model wants four calls in one turn", () => on.say('find Ada note "milk" delete Bob tell Ada "done"'));
  await t.test("those that need no permission are done while another one waits", async () => {
    await on.inState("find_contact", "done");
    await on.inState("add_note", "done");
    await on.inState("delete_contact", "waiting");
  });
  await t.test("the question stands where the call stands", async () => {
    const id = await on.asked("delete_contact");
    assert.equal(await on.part("delete_contact").locator(`[data-approval-id="${id}"]`).count(), 1);
    await on.answer(id, "allow_once");
    await on.inState("delete_contact", "done");
  });
  await t.test("the model goes on with what it was told: the next call has the address that the first one found", async () => {
    const id = await on.asked("send_message");
    assert.match(await on.card(id).innerText(), /ada@example\.org/);
    await on.answer(id, "deny");
    await on.inState("send_message", "refused");
  });
  await t.test("what was asked about looks like what was not, in the same message", async () => {
    await on.shows("delete_contact: Bob is deleted. send_message: the user said no.");
    assert.equal(await on.page.locator("article.assistant").count(), 1);
    const [asked, unasked] = [on.part("delete_contact"), on.part("add_note")];
    const shape = (part) => part.evaluate((one) => one.innerHTML.replace(/>[^<]+</g, "><"));
    assert.equal(await shape(asked), await shape(unasked));
  });
});

test("The question names server and tool, has the arguments, and warns", async (t) => {
  const on = await example(t, "team-chat");
  await on.say("find Ada");
  const card = on.card(await on.asked("find_contact"));
  const text = await card.innerText();
  for (const part of ["Allow tool call from crm?", "Run find_contact from crm", '"name": "Ada"', "could try to trick the agent"]) assert.ok(text.includes(part), `${part} in ${text}`);
  const strong = await card.locator("strong").allInnerTexts();
  assert.ok(strong.includes("Review each action carefully before approving."), String(strong));
  for (const choice of ["allow_session", "allow_once", "deny"]) await card.locator(`[action-id="${choice}"]:visible`).waitFor();
  await card.locator('[action-id="deny"]').scrollIntoViewIfNeeded();
});

test("Allow for this chat: the tool is not asked about again in this chat, with any arguments, and in no other", async (t) => {
  const on = await example(t, "team-chat", CONFIG);
  await on.say("delete Bob");
  await on.answer(await on.asked("delete_contact"), "allow_session");
  await on.shows("delete_contact: Bob is deleted.");
  await on.say("delete Eve");
  await on.shows("delete_contact: nobody is called Eve.");
  await t.test("also after the backend was killed", async () => {
    await on.killBackend();
    await on.say("delete Mallory");
    await on.shows("delete_contact: nobody is called Mallory.");
  });
  await t.test("another tool of the server is asked about", async () => {
    await on.say('tell Ada "hello"');
    await on.answer(await on.asked("send_message"), "deny");
  });
  await t.test("another chat asks", async () => {
    await on.page.getByRole("button", { name: "New chat" }).tap();
    await on.page.getByRole("region", { name: "Chat 2" }).waitFor({ state: "attached" });
    await on.say("delete Mallory");
    await on.answer(await on.asked("delete_contact"), "deny");
  });
});

test("Whether a permission is needed: the chat's setting, what was allowed for the chat, the tool, the server", async (t) => {
  const on = await example(t, "team-chat", CONFIG);
  await t.test("the page says of each tool what holds", async () => {
    await on.page.getByText("Tools", { exact: true }).tap();
    for (const line of ["find_contact from crm: approval not required", "delete_contact from crm: approval required", "add_note from notes: approval not required"]) await on.shows(line);
  });
  await t.test("the chat never asks", async () => {
    await on.page.getByLabel("Permission mode").selectOption({ label: "Never ask (dangerous)" });
    await on.shows("delete_contact from crm: approval not required");
    await on.say("delete Bob");
    await on.shows("delete_contact: Bob is deleted.");
  });
  await t.test("the setting is this chat's: another one asks", async () => {
    await on.page.getByRole("button", { name: "New chat" }).tap();
    await on.page.getByRole("button", { name: "Chat 2", pressed: true }).waitFor();
    assert.equal(await on.page.getByLabel("Permission mode").inputValue(), "default");
    await on.say("delete Ada");
    await on.asked("delete_contact");
  });
  await t.test("and asks no more as soon as its person says so", async () => {
    await on.page.getByLabel("Permission mode").selectOption("auto");
    await on.inState("delete_contact", "done");
  });
});
