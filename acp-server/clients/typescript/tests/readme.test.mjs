import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { machine, PROGRAM } from "./scene.mjs";

const HERE = fileURLToPath(new URL("..", import.meta.url));

for (const [key, last] of [["y", /built\n$/], ["n", /\S+\n$/]]) {
  test(`The example of the README runs, and hears "${key}"`, async (t) => {
    const on = await machine(t);
    const example = /```js\n(.*?)```/s.exec(await readFile(join(HERE, "README.md"), "utf8"))[1];
    await mkdir(join(on.work, "node_modules"));
    await symlink(HERE, join(on.work, "node_modules", "mayi-client"), "junction");
    await writeFile(join(on.work, "example.mjs"), example);
    const app = spawn(process.execPath, ["example.mjs"], { cwd: on.work, env: { ...on.env, MAYI_BIN: PROGRAM }, stdio: ["pipe", "pipe", "inherit"] });
    let said = "";
    app.stdout.on("data", (part) => {
      said += part;
      if (String(part).includes("Run make?")) app.stdin.write(`${key}\n`);
    });
    const code = await new Promise((resolve) => app.once("exit", resolve));
    assert.equal(code, 0, said);
    assert.match(said, last);
    assert.equal(said.includes("built"), key === "y");
  });
}
