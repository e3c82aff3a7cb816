// One example and its person: a machine of their own, the example's server, a browser, terminals, and mayi's own page.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { startBrowser } from "../../../../editors/vscode/e2e/lib/browser.mjs";
import { openPhone, pair } from "../../../../editors/vscode/e2e/lib/phone.mjs";
import { mayi } from "../../../../editors/vscode/e2e/lib/places.mjs";
import { end, those } from "../../../../editors/vscode/e2e/lib/processes.mjs";
import { setStage } from "../../../../editors/vscode/e2e/lib/stage.mjs";
import { inTerminal } from "../../../../editors/vscode/e2e/lib/terminal.mjs";
import { until } from "../../../../editors/vscode/e2e/lib/until.mjs";

export { until };

const run = promisify(execFile);

/** One for each file of tests. */
let browser;
after(async () => (await browser)?.close());

/** Starts a program, and waits for its first line. */
async function firstLine(stage, program, args, stderr = "inherit") {
  const child = spawn(program, args, { env: stage.env, cwd: stage.project, stdio: ["ignore", "pipe", stderr] });
  const lines = createInterface({ input: child.stdout });
  return new Promise((resolve, reject) => {
    lines.once("line", resolve);
    child.once("exit", (code) => reject(new Error(`${program} ended (${code})`)));
  });
}

/**
 * An example that runs, before a person who looks at it.
 * @param {import("node:test").TestContext} t
 * @param {string} name
 * @param {string} [config] what its person has configured
 */
export async function example(t, name, config = "") {
  const stage = setStage({ config: `version = 1\n${config}` });
  const contexts = [];
  t.after(async () => {
    for (const context of contexts) await context.close();
    await stage.strike();
  });
  const server = fileURLToPath(new URL(`../${name}/server.mjs`, import.meta.url));
  const url = await firstLine(stage, process.execPath, [server]);
  const { page, context, wrong } = await openPhone(await (browser ??= startBrowser()), url);
  contexts.push(context);
  t.after(() => assert.deepEqual(wrong, [], "nothing is refused by the policy, nothing throws, and nobody else is asked"));
  /** The processes of `mayi serve` that the example has started. */
  const backends = () => those(stage.folder).filter(({ command }) => command[1] === "serve" && !command.includes("--ui"));
  /** What a file of the project holds; null if there is none. */
  const file = (name) => (existsSync(join(stage.project, name)) ? readFileSync(join(stage.project, name), "utf8") : null);
  return {
    stage, page, url, file,
    /** All that the page shows. */
    text: () => page.locator("body").innerText(),
    /** The card of a call that waits. */
    card: (id) => page.locator(`[data-approval-id="${id}"]`),
    /** Waits until the page shows a text. */
    shows: (text) => page.getByText(text).first().waitFor(),
    /** Says something to the model. */
    async say(text) {
      await page.getByLabel("Message", { exact: true }).fill(text);
      await page.getByRole("button", { name: "Send" }).tap();
    },
    /** The part of the message for a call of this tool: the last one. */
    part: (tool) => page.locator(".tool:visible", { hasText: tool }).last(),
    /** Waits until the call of a tool is so. */
    inState: (tool, state) => page.locator(`.tool[data-state="${state}"]:visible`, { hasText: tool }).last().waitFor(),
    /** Waits for the card of a tool, and gives its id. */
    async asked(tool) {
      const card = page.locator(".tool:visible", { hasText: tool }).last().locator('[data-approval-id][data-state="pending"]');
      await card.waitFor();
      return card.getAttribute("data-approval-id");
    },
    /** Presses a choice of a card until it is taken: what has just moved rests for half a second, and what was not read does not allow. */
    answer: (id, choice) => answerOn(page, id, choice),
    /** Answers at a terminal, as a person does who looks at what waits first. */
    async atTerminal(verb, approvalId) {
      const listed = await run(mayi(), ["inbox", "--json"], { env: stage.env, cwd: stage.project });
      const { id } = listed.stdout.trim().split("\n").map((line) => JSON.parse(line)).find((one) => one.approvalId === approvalId);
      const terminal = inTerminal(stage, mayi(), ["inbox", verb, id], `${verb}-${id}.log`);
      assert.equal(await terminal.ended, 0, terminal.shown());
    },
    /** mayi's own page, where everything waits that this person is asked. */
    async mayiPage() {
      const { url: at, answerTokenFile, ui } = JSON.parse(await firstLine(stage, mayi(), ["serve", "--ui"], "ignore"));
      const token = (await readFile(answerTokenFile, "utf8")).trim();
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const paired = await fetch(at, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ui/pair", params: {} }) });
      const { result } = await paired.json();
      const phone = await openPhone(await browser, ui ?? result.url);
      contexts.push(phone.context);
      await pair(phone.page, result.code);
      return { ...phone, answer: (id, choice) => answerOn(phone.page, id, choice) };
    },
    /** Kills mayi's backend, as a crash would, and waits until it is gone. */
    async killBackend() {
      const [one, ...others] = backends();
      assert.ok(one && others.length === 0, "one backend runs");
      end(one.pid, "SIGKILL");
      await until("it is gone", () => !backends().some(({ pid }) => pid === one.pid));
    },
  };
}

/** @param {any} page @param {string} id @param {string} choice */
async function answerOn(page, id, choice) {
  const card = page.locator(`[data-approval-id="${id}"]`);
  const button = card.locator(`[action-id="${choice}"]`).first();
  /** At once: it may be gone by now. */
  const isOpen = () => card.evaluateAll((found) => found.some(({ dataset }) => dataset.state === "pending" && dataset.busy === "false"));
  await until(`${choice} answers ${id}`, async () => {
    if (!(await isOpen())) return true;
    const further = card.locator(".body [data-folded]:visible, [action-id=further]:visible").first();
    if (!choice.startsWith("deny") && (await further.count()) > 0) await further.tap({ timeout: 1_000 });
    else {
      // To where nothing stands in front of it.
      await button.evaluate((one) => one.scrollIntoView({ block: "center", behavior: "instant" }), undefined, { timeout: 1_000 });
      await button.tap({ timeout: 2_000 });
    }
    return !(await isOpen());
  });
}
