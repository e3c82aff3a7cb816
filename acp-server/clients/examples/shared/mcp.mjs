// The least of a client of MCP over standard streams. An app has the official SDK in its place.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Starts a server. @param {string} name @param {string[]} command */
export async function startServer(name, [program, ...args]) {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  let last = 0;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, result, error } = JSON.parse(line);
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    error ? reject?.(new Error(error.message)) : resolve?.(result);
  });
  child.once("exit", () => waiting.forEach(({ reject }) => reject(new Error(`${name} has ended`))));
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      send({ id: last, method, params });
    });
  await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "example", version: "1" } });
  send({ method: "notifications/initialized" });
  const { tools } = await request("tools/list", {});
  /** What a tool says; it throws where the tool failed. */
  const call = async (tool, input) => {
    const { content, isError } = await request("tools/call", { name: tool, arguments: input });
    const text = content.map((part) => part.text ?? "").join("\n");
    if (isError) throw new Error(text);
    return text;
  };
  return { name, tools, call, stop: () => child.kill() };
}
