// A web server for one page of one person: it gives the page, tells it what happens, and takes its messages.

import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

import { build } from "../../typescript/card/build.mjs";

/** The parts of the card. An app that has installed `mayi-client` finds them in its node_modules, put together already. */
await build();
const CARD = new URL("../../typescript/card/", import.meta.url);

const TYPES = { html: "text/html", js: "text/javascript", css: "text/css" };
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const MOST = 1 << 20;

/**
 * @param {URL} folder of the page
 * @param {{ greet: () => unknown[], receive: (message: any) => unknown }} app what a page that was just loaded is told, and what
 *   becomes of what it says
 */
export async function serve(folder, { greet, receive }) {
  // Whoever has the address is the person: no other page and no other user of this machine can guess it.
  const secret = randomBytes(16).toString("hex");
  const folders = { "": folder, "shared/": new URL("./", import.meta.url), "card/": CARD, "card/ui/": new URL("ui/", CARD) };
  const pages = new Set();
  const send = (message) => pages.forEach((page) => page.write(`data: ${JSON.stringify(message)}\n\n`));

  const answer = async (request, response) => {
    const [, first, rest] = /^\/(\w*)\/(.*)$/.exec(request.url) ?? [];
    // Another name for this address is a page of somebody else's.
    if (first !== secret || request.headers.host !== new URL(url).host) return response.writeHead(404).end();
    if (rest === "events") return listen(response);
    if (rest === "message" && request.method === "POST") {
      await receive(JSON.parse(await bodyOf(request)));
      return response.writeHead(204).end();
    }
    const [, folder, name, kind] = /^((?:[\w-]+\/)*)([\w-]+)\.(html|js|css)$/.exec(rest === "" ? "index.html" : rest) ?? [];
    if (!Object.hasOwn(folders, folder ?? "none")) return response.writeHead(404).end();
    const file = await readFile(new URL(`${name}.${kind}`, folders[folder]));
    response.writeHead(200, { "content-type": `${TYPES[kind]}; charset=utf-8`, "content-security-policy": POLICY, "referrer-policy": "no-referrer", "cache-control": "no-store" });
    response.end(file);
  };
  const listen = (response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    pages.add(response);
    response.on("close", () => pages.delete(response));
    for (const message of greet()) response.write(`data: ${JSON.stringify(message)}\n\n`);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      if (!response.headersSent) response.writeHead(error.code === "ENOENT" ? 404 : 400);
      response.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}/${secret}/`;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url, send, stop };
}

async function bodyOf(request) {
  let text = "";
  for await (const part of request.setEncoding("utf8")) if ((text += part).length > MOST) throw new Error("this is too long");
  return text;
}
