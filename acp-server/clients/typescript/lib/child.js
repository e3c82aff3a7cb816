// @ts-check
// A backend of our own: `mayi serve` as a child process.

import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { env } from "node:process";

import { MayiError, textOf } from "./errors.js";

/** A program that has not said where it listens by then is not mayi, or is stuck. */
const READY_MS = 30_000;
/** How long it may take to end by itself. */
const END_MS = 5_000;

/** A process that was started here. */
export class Child {
  /** @param {import("node:child_process").ChildProcess} process */
  constructor(process) {
    this.process = process;
    this.exited = false;
    /** @type {Promise<void>} */
    this.gone = new Promise((resolve) => {
      const ended = () => {
        this.exited = true;
        resolve();
      };
      process.once("exit", ended);
      // It could not be started at all: then no `exit` comes.
      process.once("error", () => process.pid === undefined && ended());
    });
  }

  /**
   * Ends it, and waits until it is gone.
   * @param {NodeJS.Signals} [signal]
   */
  async end(signal = "SIGTERM") {
    if (this.exited) return;
    this.process.ref();
    this.process.kill(signal);
    const timer = setTimeout(() => this.process.kill("SIGKILL"), END_MS);
    await this.gone;
    clearTimeout(timer);
  }
}

/**
 * Starts a backend, and waits until it listens.
 * @param {import("../index.d.ts").StartOptions} options
 * @returns {Promise<import("./post.js").End>}
 */
export async function startChild(options) {
  const command = options.command ?? env["MAYI_BIN"] ?? "mayi";
  const args = ["serve", "--exit-with-stdin", "--exit-when-idle", options.idle ?? "1m", ...(options.args ?? [])];
  const started = spawn(command, args, {
    // Nothing is written to it: it ends with this process, and the backend with it. Then a pipe for the first line only; whatever
    // else it says is the app's to want.
    stdio: ["pipe", "pipe", options.stderr === "inherit" ? "inherit" : "ignore"],
    cwd: options.serveCwd,
    env: options.env,
    windowsHide: true,
  });
  // A backend that is gone takes its end along.
  started.stdin?.on("error", () => {});
  const child = new Child(started);
  try {
    const ready = JSON.parse(await firstLine(started));
    if (typeof ready?.url !== "string" || typeof ready.answerTokenFile !== "string") throw new Error("its first line is not one of mayi's");
    const token = (await readFile(ready.answerTokenFile, "utf8")).trim();
    // An app that forgets `close` may end all the same; the backend ends with it.
    started.unref();
    /** @type {any} */ (started.stdin)?.unref?.();
    /** @type {any} */ (started.stdout)?.unref?.();
    return { url: ready.url, token, child, flights: new Set() };
  } catch (error) {
    await child.end("SIGKILL");
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const hint = missing ? "; install mayi, or say where it is with the option `command` or MAYI_BIN" : "; the option `stderr: \"inherit\"` shows what it says";
    throw new MayiError("start", `${command} serve could not be started: ${textOf(error)}${hint}`, { cause: error });
  }
}

/**
 * @param {import("node:child_process").ChildProcess} started
 * @returns {Promise<string>}
 */
function firstLine(started) {
  return new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(() => reject(new Error(`it did not say where it listens in ${READY_MS / 1000} seconds`)), READY_MS);
    /** @param {Error} error */
    const fail = (error) => {
      clearTimeout(timer);
      reject(error);
    };
    started.once("error", fail);
    started.once("close", (code, signal) => fail(new Error(`it ended (${signal ?? code})`)));
    started.stdout?.setEncoding("utf8").on("data", (part) => {
      // It stays a listener, so that the pipe never fills up.
      if (text.includes("\n")) return;
      text += part;
      const end = text.indexOf("\n");
      if (end < 0) return;
      clearTimeout(timer);
      resolve(text.slice(0, end));
    });
  });
}
