// JSON-RPC 2.0 over one WebSocket: calls with ids and time limits, and notifications.

import WebSocket from "ws";

import type { Call } from "../api";
import { because, type Fields, isFields } from "../check";

const TIMEOUT = 30_000;
const HANDSHAKE = 5_000;
const HEARTBEAT = 20_000;
const MOST = 64 * 1024 * 1024;

/** An error that the backend answered with. */
export class RpcError extends Error {
  constructor(
    message: string,
    readonly code: number,
    readonly data: unknown,
  ) {
    super(message);
  }
}

/** The connection ended before the answer came, or the answer took too long: what happened is not known. */
export class Unanswered extends Error {}

interface Waiting {
  resolve(value: never): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

/** One connection. */
export class Rpc {
  private readonly waiting = new Map<number, Waiting>();
  private id = 0;
  private alive = true;
  private readonly heartbeat: NodeJS.Timeout;
  /** Hears of notifications. */
  onNotification: (method: string, params: unknown) => void = () => undefined;
  /** Hears, once, that the connection is over. */
  onClose: (why: string) => void = () => undefined;

  private constructor(private readonly socket: WebSocket) {
    socket.on("message", (data, binary) => {
      if (!binary) this.receive(String(data));
    });
    socket.on("close", (code) => this.ended(`the connection was closed (${code})`));
    socket.on("error", (error) => this.ended(because(error)));
    socket.on("pong", () => (this.alive = true));
    this.heartbeat = setInterval(() => {
      if (!this.alive) return socket.terminate();
      this.alive = false;
      socket.ping();
    }, HEARTBEAT);
  }

  /** Connects to `address` with `token`. Rejects with the HTTP status where the backend refuses. */
  static open(address: string, token: string): Promise<Rpc> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(address, {
        headers: { Authorization: `Bearer ${token}` },
        handshakeTimeout: HANDSHAKE,
        maxPayload: MOST,
        perMessageDeflate: false,
      });
      socket.once("error", reject);
      socket.once("unexpected-response", (request, response) => {
        response.resume();
        request.destroy();
        reject(new Error(`the backend refused the connection (HTTP ${response.statusCode})`));
      });
      socket.once("open", () => {
        socket.removeListener("error", reject);
        resolve(new Rpc(socket));
      });
    });
  }

  /** Calls `method`. What it answers with has the type of the API: the backend's version was compared before. */
  readonly call: Call = (method, params, timeout = TIMEOUT) => {
    if (this.socket.readyState !== WebSocket.OPEN) return Promise.reject(new Unanswered("not connected"));
    const id = ++this.id;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        reject(new Unanswered(`${method}: no answer in ${Math.round(timeout / 1000)} s`));
      }, timeout);
      this.waiting.set(id, { resolve, reject, timer });
      this.socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  };

  /** Ends the connection. */
  close(): void {
    this.socket.close();
    this.ended("closed");
  }

  private receive(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    if (!isFields(message)) return;
    if (typeof message["method"] === "string") return this.onNotification(message["method"], message["params"]);
    const waiting = typeof message["id"] === "number" ? this.waiting.get(message["id"]) : undefined;
    if (waiting === undefined) return;
    this.waiting.delete(message["id"] as number);
    clearTimeout(waiting.timer);
    const error = message["error"];
    if (isFields(error)) waiting.reject(rpcError(error));
    else waiting.resolve(message["result"] as never);
  }

  private ended(why: string): void {
    clearInterval(this.heartbeat);
    const close = this.onClose;
    this.onClose = () => undefined;
    for (const { reject, timer } of this.waiting.values()) {
      clearTimeout(timer);
      reject(new Unanswered(why));
    }
    this.waiting.clear();
    close(why);
  }
}

function rpcError(error: Fields): RpcError {
  const message = typeof error["message"] === "string" ? error["message"] : "the backend refused";
  return new RpcError(message, typeof error["code"] === "number" ? error["code"] : 0, error["data"]);
}
