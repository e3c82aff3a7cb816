// @ts-check
// Puts the parts of mayi's own page that a card is made of into this package: `card/ui`. They are written once, in
// acp-server/ui, and are copied wherever this package is packed, or installed from its folder.

import { mkdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const FROM = new URL("../../../ui/", import.meta.url);
const TO = new URL("./ui/", import.meta.url);
/** What the card imports; what these import comes along. */
const FIRST = ["card.js", "state.js", "guard.js", "seen.js"];

/** Copies what has changed. */
export async function build() {
  await mkdir(TO, { recursive: true });
  const wanted = [...FIRST];
  // The list grows while it is read.
  for (const name of wanted) {
    const text = await readFile(new URL(name, FROM), "utf8");
    for (const [, other = ""] of text.matchAll(/^import .* from '\.\/([\w-]+\.js)';$/gm)) if (!wanted.includes(other)) wanted.push(other);
    await put(name, text);
  }
  await put("types.d.ts", await readFile(new URL("types.d.ts", FROM), "utf8"));
  // In a component the root is the component.
  const css = (await readFile(new URL("style.css", FROM), "utf8")).replaceAll(":root", ":host");
  await put("style.js", `// The style of mayi's page.\nexport default ${JSON.stringify(css)};\n`);
}

/** Whole or not at all: somebody else may be reading it. @param {string} name @param {string} text */
async function put(name, text) {
  const place = new URL(name, TO);
  if ((await readFile(place, "utf8").catch(() => null)) === text) return;
  const fresh = new URL(`${name}.${process.pid}`, TO);
  await writeFile(fresh, text);
  await rename(fresh, place).finally(() => rm(fresh, { force: true }));
}

if (process.argv[1] && (await realpath(process.argv[1])) === fileURLToPath(import.meta.url)) await build();
