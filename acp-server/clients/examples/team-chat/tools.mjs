// Two small MCP servers over standard streams: `node tools.mjs crm` and `node tools.mjs notes`.

import { createInterface } from "node:readline";

const contacts = new Map([["Ada", "ada@example.org"], ["Bob", "bob@example.org"]]);
const notes = [];
const sent = [];

const object = (...names) => ({ type: "object", properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])), required: names });

const SERVERS = {
  crm: {
    find_contact: { inputSchema: object("name"), annotations: { readOnlyHint: true }, run: ({ name }) => contacts.get(name) ?? `nobody is called ${name}` },
    send_message: { inputSchema: object("to", "text"), annotations: { openWorldHint: true }, run: ({ to, text }) => `message ${sent.push(text)} sent to ${to}` },
    delete_contact: { inputSchema: object("name"), annotations: { destructiveHint: true }, run: ({ name }) => (contacts.delete(name) ? `${name} is deleted` : `nobody is called ${name}`) },
  },
  notes: {
    add_note: { inputSchema: object("text"), annotations: { destructiveHint: false }, run: ({ text }) => `note ${notes.push(text)} kept` },
  },
};

const name = process.argv[2];
const tools = SERVERS[name];

const METHODS = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version: "1" } }),
  "tools/list": () => ({ tools: Object.entries(tools).map(([name, { run, ...about }]) => ({ name, ...about })) }),
  "tools/call": ({ name, arguments: input }) => ({ content: [{ type: "text", text: tools[name].run(input) }] }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: METHODS[method](params) })}\n`);
});
