// What docs/hosts.md says of webviews, as it stands there: the one part in a process, the other in a view within a page, as VS Code
// has it.

import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import { startBrowser } from "../../../../editors/vscode/e2e/lib/browser.mjs";
import { until } from "../../../../editors/vscode/e2e/lib/until.mjs";
import { serve } from "../../examples/shared/server.mjs";
import { machine, PROGRAM } from "./scene.mjs";

const BESIDE = `globalThis.panel = {
  webview: { postMessage: (message) => process.send(message), onDidReceiveMessage: (hear) => process.on("message", hear) },
};
globalThis.folder = process.cwd();
globalThis.work = () => console.log("it runs");
await import("./app.mjs");
`;
const PAGE = `<!doctype html><html lang="en"><title>View</title><script src="vscode.js"></script><script type="module" src="page.js"></script>
<body><div id="call-1"></div></body></html>`;
const VSCODE = `window.acquireVsCodeApi = () => ({ postMessage: (message) => window.parent.postMessage(message, window.origin) });`;

test("The lines for an extension and its webview bring a card to the view, and the answer back", async (t) => {
  const docs = await readFile(new URL("../../../../docs/hosts.md", import.meta.url), "utf8");
  const [app, view] = [...docs.split("## In a webview")[1].split("\n## ")[0].matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
  const on = await machine(t);
  await mkdir(join(on.work, "node_modules"));
  await symlink(fileURLToPath(new URL("..", import.meta.url)), join(on.work, "node_modules", "mayi-client"), "junction");
  const closed = `${app}\nconsole.log(verdict.outcome);\nawait mayi.close();\nprocess.disconnect();\n`;
  const files = { "app.mjs": closed, "beside.mjs": BESIDE, "index.html": PAGE, "vscode.js": VSCODE, "page.js": view.replace("mayi-client/card", "./card/index.js") };
  for (const [name, text] of Object.entries(files)) await writeFile(join(on.work, name), text);

  const server = await serve(pathToFileURL(`${on.work}/`), { greet: () => [], receive() {} });
  const browser = await startBrowser();
  t.after(async () => {
    await browser.close();
    server.stop();
  });
  const page = await (await browser.newContext({ viewport: { width: 600, height: 700 } })).newPage();
  // The example's server lets no page embed its own.
  await page.route("**", async (route) => {
    const response = await route.fetch();
    const { "content-security-policy": _, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });
  await page.goto(`${server.url}vscode.js`);

  const host = fork(join(on.work, "beside.mjs"), { cwd: on.work, env: { ...on.env, MAYI_BIN: PROGRAM }, stdio: ["ignore", "pipe", "inherit", "ipc"] });
  let said = "";
  host.stdout.on("data", (part) => (said += part));
  await page.exposeFunction("toHost", (message) => host.send(message));
  host.on("message", (message) => page.evaluate((message) => window.frames.view?.postMessage(message, window.origin), message));
  await page.evaluate((src) => {
    window.addEventListener("message", ({ data }) => window.toHost(data));
    document.body.replaceChildren(Object.assign(document.createElement("iframe"), { src, name: "view", width: "560", height: "600" }));
  }, server.url);

  const card = page.frameLocator("iframe").locator("#call-1 > mayi-card");
  const ended = once(host, "exit");
  // A press on what has just moved is none.
  await until("it is answered", async () => {
    if ((await card.getAttribute("state", { timeout: 2_000 })) === "approved") return true;
    await card.locator('[action-id="allow_once"][aria-disabled="false"]').click({ timeout: 2_000 });
    return false;
  });
  const [code] = await ended;
  assert.equal(code, 0);
  assert.equal(said, "it runs\nallowed\n");
});
