// `<mayi-card>` in a real browser (S3.17).

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, afterEach, before, beforeEach, test } from "node:test";

import { startBrowser } from "../../../../editors/vscode/e2e/lib/browser.mjs";
import { card as someCard } from "../../../../editors/vscode/e2e/lib/fake_backend.mjs";
import { until } from "../../../../editors/vscode/e2e/lib/until.mjs";
import { serve } from "../../examples/shared/server.mjs";

const axe = readFileSync(createRequire(new URL("../../../../editors/vscode/package.json", import.meta.url)).resolve("axe-core/axe.min.js"), "utf8");

let browser, server, page;
/** What is refused by the policy, and what throws. */
const wrong = [];

before(async () => {
  browser = await startBrowser();
  server = await serve(new URL("card_page/", import.meta.url), { greet: () => [], receive() {} });
});
after(async () => {
  await browser?.close();
  server?.stop();
});
beforeEach(() => open());
afterEach(async () => {
  await page.context().close();
  assert.deepEqual(wrong.splice(0), []);
});

async function open(options = {}) {
  await page?.context().close();
  const context = await browser.newContext({ viewport: { width: 600, height: 700 }, reducedMotion: "reduce", ...options });
  page = await context.newPage();
  page.on("pageerror", (error) => wrong.push(String(error)));
  page.on("console", (message) => /content security policy/i.test(message.text()) && wrong.push(message.text()));
  await page.goto(server.url);
}

/** Puts a card into the page, or another one in its place. */
async function show(card, into = "main") {
  await page.evaluate(([card, into]) => {
    const id = `shown-${card.approvalId}`;
    const element = document.getElementById(id) ?? Object.assign(document.createElement("mayi-card"), { id });
    element.card = card;
    if (!element.isConnected) document.querySelector(into).append(element);
  }, [card, into]);
  return card;
}
const shown = (card) => page.locator(`[data-approval-id="${card.approvalId}"]`);
const choice = (card, id) => shown(card).locator(`[action-id="${id}"]`);
const live = (card) => page.locator(`[data-approval-id="${card.approvalId}"][data-live="true"]`).waitFor();
const seen = (card, is) => page.locator(`[data-approval-id="${card.approvalId}"][data-seen="${is}"]`).waitFor();
const answers = () => page.evaluate(() => window.answers);
/** Presses where a choice is, as it is. */
async function press(card, id) {
  const { x, y, width, height } = await choice(card, id).boundingBox();
  await page.mouse.click(x + width / 2, y + height / 2);
}
/** Calls a method of the element. */
const tell = (card, method, ...args) => page.evaluate(([id, method, args]) => document.getElementById(`shown-${id}`)[method](...args), [card.approvalId, method, args]);

test("The first line says what is asked for, and the answer names what was shown", async () => {
  const card = await show(someCard({ permissionType: "write" }));
  assert.match(await shown(card).innerText(), /^Write claude wants to run a command/);
  await live(card);
  await press(card, "allow_once");
  assert.deepEqual(await answers(), [{ type: "approval-response", approvalId: card.approvalId, digest: card.digest, response: { outcome: { outcome: "selected", optionId: "allow_once" } } }]);
  await press(card, "deny");
  assert.equal((await answers()).length, 1, "one answer is on its way");
});

test("A press is no answer before the card has rested, nor where it has just moved", async () => {
  const card = await show(someCard());
  await press(card, "deny");
  assert.deepEqual(await answers(), []);
  await live(card);
  await page.evaluate(() => document.querySelector("h1").after("A new message of the chat ", document.createElement("hr")));
  await press(card, "deny");
  assert.deepEqual(await answers(), []);
  await live(card);
  await press(card, "deny");
  assert.equal((await answers()).length, 1);
});

const LONG = { command: Array.from({ length: 20 }, (_, at) => `echo line ${at}`).join("\n") };
const longCard = () => someCard({ toolCall: { ...someCard().toolCall, rawInput: LONG } });

test("What a box of the app's own component cuts off was not in sight", async () => {
  await page.evaluate(() => {
    const component = document.createElement("app-box");
    const box = document.createElement("div");
    Object.assign(box.style, { height: "160px", overflow: "auto" });
    box.append(document.createElement("slot"));
    component.attachShadow({ mode: "open" }).append(box);
    document.querySelector("main").append(component);
  });
  const card = await show(longCard(), "app-box");
  await live(card);
  await choice(card, "allow_once").evaluate((one) => one.click());
  assert.deepEqual(await answers(), []);
  await until("it was read to its end", async () => {
    if ((await shown(card).getAttribute("data-seen")) === "true") return true;
    await choice(card, "further").evaluate((one) => one.click());
    return false;
  });
  await live(card);
  await choice(card, "allow_once").evaluate((one) => one.click());
  assert.equal((await answers()).length, 1);
});

test("What stands in front of a card hides it", async () => {
  await page.evaluate(() => document.body.append(Object.assign(document.createElement("footer"), { className: "front" })));
  await page.locator("footer").evaluate((one) => one.setAttribute("data-in-front", ""));
  const card = await show(longCard());
  await live(card);
  await seen(card, false);
  await choice(card, "allow_once").evaluate((one) => one.click());
  assert.deepEqual(await answers(), []);
});

test("With the keys: arrows go from choice to choice, Escape closes what is open, a key that is held answers nothing", async () => {
  const card = await show(someCard());
  await live(card);
  const focused = () => page.evaluate(() => document.activeElement.shadowRoot?.activeElement?.getAttribute("action-id"));
  await choice(card, "allow_once").focus();
  await page.keyboard.press("End");
  assert.equal(await focused(), "more");
  await page.keyboard.press("ArrowRight");
  assert.equal(await focused(), "allow_once");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Enter");
  assert.equal(await choice(card, "more").getAttribute("aria-expanded"), "true");
  await page.keyboard.press("Escape");
  assert.equal(await choice(card, "more").getAttribute("aria-expanded"), "false");
  assert.equal(await focused(), "more");
  await live(card);
  // Held since before it came here.
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.down("Enter");
  await choice(card, "deny").focus();
  await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  assert.deepEqual(await answers(), []);
  await page.keyboard.press("Enter");
  assert.equal((await answers())[0].response.outcome.optionId, "deny");
  await tell(card, "settle", { state: "denied", by: "app" });
  assert.equal(await page.evaluate(() => document.activeElement.localName), "mayi-card", "the focus stays");
});

test("An answer that was not taken can be given again; one that was leaves a line", async () => {
  const card = await show(someCard());
  await live(card);
  await press(card, "allow_once");
  await tell(card, "refuse", "the app is busy");
  await shown(card).getByRole("alert").getByText("the app is busy").waitFor();
  await live(card);
  await press(card, "allow_once");
  assert.equal((await answers()).length, 2);
  await tell(card, "settle", { state: "approved", by: "app" });
  await page.locator('mayi-card[state="approved"]').waitFor();
  assert.match(await shown(card).innerText(), /cargo test.*Tool call approved by app/s);
  assert.equal(await choice(card, "allow_once").count(), 0);
});

test("A card that has changed says so, and has to be seen anew", async () => {
  const card = await show(someCard());
  await live(card);
  await show({ ...card, digest: "other", accesses: [{ access: "shell", display: "cargo publish", category: "execute" }], toolCall: { ...card.toolCall, rawInput: { command: "cargo publish" } } });
  await shown(card).getByText("This call has changed since it was shown").waitFor();
  await press(card, "allow_once");
  assert.deepEqual(await answers(), []);
  await seen(card, true);
  await live(card);
  await press(card, "allow_once");
  assert.equal((await answers())[0].digest, "other");
});

test("Moved to another place of the page, it has to be seen anew", async () => {
  const card = await show(someCard());
  await seen(card, true);
  await page.evaluate(() => document.body.append(document.querySelector("mayi-card")));
  assert.equal(await shown(card).getAttribute("data-seen"), "false");
  await seen(card, true);
});

test("Texts of others are texts", async () => {
  const text = '<img src=x onerror="wrong()">\u202e';
  const card = await show(someCard({ agentName: text, toolCall: { ...someCard().toolCall, rawInput: { command: text } } }));
  const said = await shown(card).innerText();
  assert.ok(said.includes('<img src=x onerror="wrong()">\\u{202e}'), said);
  assert.equal(await shown(card).locator("img").count(), 0);
});

test("The app's style does not reach into it, and its variables do", async () => {
  const card = await show(someCard());
  assert.ok(await choice(card, "allow_once").isVisible());
  const back = () => shown(card).evaluate((one) => getComputedStyle(one).backgroundColor);
  assert.equal(await back(), "rgb(255, 255, 255)");
  await page.evaluate(() => document.documentElement.classList.add("dark"));
  assert.equal(await back(), "rgb(1, 2, 3)");
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing in the ${colorScheme}: while it waits, with each part open, and settled`, async () => {
    await open({ colorScheme });
    const card = await show(someCard());
    await seen(card, true);
    await live(card);
    await page.evaluate(axe);
    const violations = () => page.evaluate(async () => (await window.axe.run("main", { resultTypes: ["violations"] })).violations.flatMap(({ id, nodes }) => nodes.map(({ html, any }) => `${id}: ${html.slice(0, 120)} ${any[0]?.message}`)));
    assert.deepEqual(await violations(), [], "waiting");
    for (const part of ["always", "deny_reason", "more"]) {
      await choice(card, part).click();
      await live(card);
      assert.deepEqual(await violations(), [], part);
    }
    await tell(card, "settle", { state: "denied", by: "app", reason: "no" });
    assert.deepEqual(await violations(), [], "settled");
  });
}

test("Without a connection no choice counts", async () => {
  const card = await show(someCard());
  await live(card);
  await page.evaluate(() => window.setOnline(false));
  await press(card, "deny");
  assert.deepEqual(await answers(), []);
  await page.evaluate(() => window.setOnline(true));
  await live(card);
  await press(card, "deny");
  assert.equal((await answers()).length, 1);
});

test("An answer on its way when the connection breaks can be given again", async () => {
  const card = await show(someCard());
  await live(card);
  await press(card, "deny");
  await page.evaluate(() => window.setOnline(false));
  await press(card, "deny");
  assert.equal((await answers()).length, 1);
  await page.evaluate(() => window.setOnline(true));
  // The app says again what waits.
  await show(card);
  await live(card);
  await press(card, "deny");
  assert.equal((await answers()).length, 2);
});

test("So can one whose card was not on the page when the connection broke", async () => {
  const card = await show(someCard());
  await live(card);
  await press(card, "deny");
  await page.evaluate(() => {
    const element = document.querySelector("mayi-card");
    element.remove();
    window.setOnline(false);
    window.setOnline(true);
    document.querySelector("main").append(element);
  });
  await live(card);
  await press(card, "deny");
  assert.equal((await answers()).length, 2);
});

for (const how of ["rejects", "throws", "gives ok: false"]) {
  test(`Where the app's post ${how}, the card says that the answer did not arrive, and takes it again`, async () => {
    const card = someCard();
    await page.evaluate(([card, how]) => {
      const gone = new Error("gone");
      const posts = { "rejects": () => Promise.reject(gone), "throws": () => { throw gone; }, "gives ok: false": () => Promise.resolve({ ok: false }) };
      const post = (message) => (message.type === "approval-response" ? posts[how]() : undefined);
      window.connectCards({ post, listen: (hear) => hear(card) }, (element) => document.querySelector("main").append(element));
    }, [card, how]);
    await live(card);
    await press(card, "allow_once");
    await shown(card).getByRole("alert").getByText("This answer did not reach the app. Give it again.").waitFor();
    await live(card);
    await press(card, "allow_once");
    assert.equal((await answers()).length, 2);
  });
}

test("In a view within a page, cards come from that page and no other, and answers go back to it", async () => {
  // The example's server lets no page embed its own.
  await page.route("**", async (route) => {
    const response = await route.fetch();
    const { "content-security-policy": _, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });
  await page.reload();
  await page.evaluate(() => {
    window.heard = [];
    window.addEventListener("message", ({ data }) => window.heard.push(data));
    document.body.append(Object.assign(document.createElement("iframe"), { src: location.href, width: "560", height: "500", name: "view" }));
  });
  const heard = (type) => until(type, () => page.evaluate((type) => window.heard.find((message) => message.type === type), type));
  await heard("approval-list");
  const view = page.frame("view");
  // What is embedded in the view is not its app.
  await view.evaluate((card) => {
    const srcdoc = `<script>parent.postMessage(${JSON.stringify(card)}, "*")</script>`;
    const embedded = Object.assign(document.createElement("iframe"), { srcdoc, sandbox: "allow-scripts" });
    const heard = new Promise((resolve) => window.addEventListener("message", resolve, { once: true }));
    document.body.append(embedded);
    return heard.then(() => {});
  }, someCard());
  const card = someCard();
  await page.evaluate((card) => window.frames.view.postMessage(card, window.origin), card);
  await view.locator(`[data-approval-id="${card.approvalId}"][data-live="true"]`).waitFor();
  assert.equal(await view.locator("mayi-card").count(), 1);
  await view.locator('[action-id="deny"]').click();
  assert.equal((await heard("approval-response")).approvalId, card.approvalId);
  await page.evaluate((approvalId) => window.frames.view.postMessage({ type: "approval-resolved", approvalId, state: "denied", by: "app", reason: null }, window.origin), card.approvalId);
  await view.locator('mayi-card[state="denied"]').waitFor();
});
