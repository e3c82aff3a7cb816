// Bundles the extension, the pages of its views and, with --tests, the unit tests.

import { build } from "esbuild";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const common = { bundle: true, logLevel: "warning", legalComments: "linked", sourcemap: process.argv.includes("--dev") };

if (process.argv.includes("--tests")) {
  rmSync("dist-test", { recursive: true, force: true });
  const tests = readdirSync("test").filter((file) => file.endsWith(".test.ts")).map((file) => `test/${file}`);
  // Packages stay outside of the bundle: jsdom looks for files of its own beside it.
  await build({ ...common, entryPoints: tests, outdir: "dist-test", outExtension: { ".js": ".mjs" }, platform: "node", format: "esm", target: "node20", packages: "external", loader: { ".css": "empty" }, sourcemap: "inline" });
} else {
  rmSync("dist", { recursive: true, force: true });
  await Promise.all([
    build({ ...common, entryPoints: ["src/extension.ts"], outfile: "dist/extension.js", platform: "node", format: "cjs", target: "node20", external: ["vscode", "bufferutil", "utf-8-validate"], minifySyntax: true }),
    build({
      ...common,
      entryPoints: ["chat", "approvals", "permissions", "history"].map((name) => ({ in: `src/webview/${name}/main.ts`, out: name })),
      outdir: "dist/webview",
      platform: "browser",
      format: "iife",
      target: "chrome120",
      minify: true,
    }),
  ]);
  // What is in the bundles is under these licences.
  const texts = ["@aws/mynah-ui", "@codemirror/legacy-modes", "@codemirror/streamparser", "marked", "uqr", "ws"].flatMap((name) =>
    ["LICENSE", "LICENSE.md", "NOTICE", "THIRD-PARTY-LICENSES"]
      .map((file) => `node_modules/${name}/${file}`)
      .filter((file) => existsSync(file))
      .map((file) => `==== ${file.slice("node_modules/".length)}\n\n${readFileSync(file, "utf8")}`),
  );
  writeFileSync("dist/THIRD-PARTY.txt", texts.join("\n\n"));
}
