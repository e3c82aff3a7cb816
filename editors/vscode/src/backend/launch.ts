// Starting `mayi serve` so that it outlives this window: its own process group, its output in files.

import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { because } from "../check";
import { type Ready, readyLine } from "./ready";

/** The backend ends when nobody who may answer was connected for this long. */
export const IDLE = "10m";
const PATIENCE = 20_000;
const LOOK = 20;
const KEPT = 8;

export interface Launched {
  ready: Ready;
  log: string;
}

/** The environment without what belongs to the editor itself. */
export function ownEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(ELECTRON_|VSCODE_|NODE_OPTIONS$)/.test(name)));
}

/** Starts it, with its page if `page`, and waits for its ready line. `heard` is told where the log is, before anything is in it. */
export async function launch(program: string, folder: string, page: boolean, heard: (log: string) => void): Promise<Launched> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  sweep(folder);
  const name = `${Date.now()}-${randomUUID().slice(0, 8)}`;
  const output = join(folder, `${name}.ready`);
  const log = join(folder, `${name}.log`);
  const out = openSync(output, "wx", 0o600);
  const err = openSync(log, "wx", 0o600);
  heard(log);
  let gone: string | null = null;
  let child: ChildProcess;
  try {
    child = spawn(program, ["serve", "--exit-when-idle", IDLE, ...(page ? ["--ui"] : [])], {
      detached: true,
      stdio: ["ignore", out, err],
      cwd: homedir(),
      env: ownEnvironment(process.env),
      windowsHide: true,
    });
    child.on("error", (error) => (gone = because(error)));
    child.on("exit", (code, signal) => (gone ??= `it ended (${signal ?? code})`));
    child.unref();
  } finally {
    closeSync(out);
    closeSync(err);
  }
  const until = Date.now() + PATIENCE;
  try {
    for (;;) {
      const ready = readyLine(readFileSync(output, "utf8"));
      if (ready) return { ready, log };
      if (ready === null) throw new Error(`${program} serve did not say where it listens: is it mayi?`);
      if (gone !== null) throw new Error(`${program} serve: ${gone}${lastWords(log)}`);
      if (Date.now() > until) throw new Error(`${program} serve was not ready after ${PATIENCE / 1000} s`);
      await new Promise((resolve) => setTimeout(resolve, LOOK));
    }
  } catch (error) {
    // Nobody could ever connect to it.
    if (gone === null) child.kill();
    throw error;
  }
}

function lastWords(log: string): string {
  const said = wrong(readFileSync(log, "utf8"));
  return said === "" ? "" : `: ${said}`;
}

/** Why a program ended, of all that it said: what is wrong in a file of settings, with the place; else its last line. */
export function wrong(text: string): string {
  const lines = text.trimEnd().split("\n");
  const at = lines.findIndex((line) => /^\s*[×x] \S/.test(line));
  if (at < 0) return lines.at(-1)?.trim() ?? "";
  const place = /\[(.+:\d+:\d+)\]\s*$/.exec(lines[at + 1] ?? "")?.[1];
  return `${lines[at]?.trim().slice(2) ?? ""}${place === undefined ? "" : ` (${place})`}`;
}

/** Removes the files of earlier starts, but the newest ones: a backend that is alive may still write there. */
function sweep(folder: string): void {
  const files = readdirSync(folder).filter((file) => /\.(ready|log)$/.test(file));
  const dated = files.map((file) => ({ file: join(folder, file), at: statSync(join(folder, file)).mtimeMs }));
  for (const { file } of dated.sort((a, b) => b.at - a.at).slice(2 * KEPT)) rmSync(file, { force: true });
}
