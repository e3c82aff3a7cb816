// A small backend: enough of `mayi serve` to test the client against.

import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type WebSocket, WebSocketServer } from "ws";

import { proofOf } from "../src/backend/proof";
import type { Ready } from "../src/backend/ready";
import { isFields } from "../src/check";

export interface Call {
  method: string;
  params: unknown;
}

export class Fake {
  readonly calls: Call[] = [];
  /** The `Authorization` headers that came with upgrades. */
  readonly tokens: (string | undefined)[] = [];
  sockets: WebSocket[] = [];
  /** What a method answers; an Error is answered as one. */
  answers: Record<string, (params: unknown) => unknown> = {};
  silent = new Set<string>();
  private heard: (() => void)[] = [];

  private constructor(
    private readonly server: Server,
    readonly ready: Ready,
    readonly token: string,
  ) {}

  static async start(more: { instance?: string; version?: string; proves?: string; port?: number } = {}): Promise<Fake> {
    const token = "t".repeat(43);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(more.port ?? 0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const answerTokenFile = join(mkdtempSync(join(tmpdir(), "mayi-fake-")), "answer");
    writeFileSync(answerTokenFile, `${token}\n`);
    const instance = more.instance ?? "i1";
    const ready: Ready = { version: 1, url: `http://127.0.0.1:${port}/`, ws: `ws://127.0.0.1:${port}/`, answerTokenFile, askTokenFile: "", pid: 0, instance, serverVersion: more.version ?? "0.1.0", ui: null };
    const fake = new Fake(server, ready, token);
    server.on("request", (request, response) => {
      const nonce = new URL(request.url ?? "", ready.url).searchParams.get("nonce") ?? "";
      response.end(JSON.stringify({ proof: proofOf(more.proves ?? token, nonce) }));
    });
    const sockets = new WebSocketServer({ noServer: true });
    server.on("upgrade", (request: IncomingMessage, socket, head) => {
      fake.tokens.push(request.headers.authorization);
      if (request.headers.authorization !== `Bearer ${token}`) return void socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
      sockets.handleUpgrade(request, socket, head, (ws) => fake.serve(ws));
    });
    fake.answers["mayi/initialize"] = () => ({ protocolVersion: 1, server: { name: "mayi", version: ready.serverVersion }, instance, credential: "answer", agents: [], modes: [], mode: "default", notices: [], ui: null });
    fake.answers["events/subscribe"] = () => 7;
    return fake;
  }

  /** Sends events to everybody. */
  events(seq: number, ...events: unknown[]): void {
    const params = { subscription: 7, result: { cursor: { instance: this.ready.instance, seq }, events } };
    for (const socket of this.sockets) socket.send(JSON.stringify({ jsonrpc: "2.0", method: "events/event", params }));
  }

  /** The `n`th call of `method`, when it comes. */
  async call(method: string, n = 1): Promise<Call> {
    for (;;) {
      const found = this.calls.filter((call) => call.method === method)[n - 1];
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.heard.push(resolve));
    }
  }

  /** Cuts every connection. */
  cut(): void {
    for (const socket of this.sockets) socket.terminate();
    this.sockets = [];
  }

  async stop(): Promise<void> {
    this.cut();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(ws: WebSocket): void {
    this.sockets.push(ws);
    ws.on("message", (data) => {
      const message: unknown = JSON.parse(String(data));
      if (!isFields(message) || typeof message["method"] !== "string") return;
      const { id, method, params } = message;
      this.calls.push({ method, params });
      for (const heard of this.heard.splice(0)) heard();
      if (this.silent.has(method)) return;
      const answer = this.answers[method]?.(params) ?? null;
      const body = answer instanceof Error ? { error: { code: -32010, message: answer.message } } : { result: answer };
      ws.send(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
    });
  }
}
