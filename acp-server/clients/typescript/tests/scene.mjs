// A person and a machine of their own for each test.

import { spawn } from "node:child_process";
import { mkdtemp, mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";

import { Mayi } from "mayi-client";

export const PROGRAM = env["MAYI_BIN"];
if (!PROGRAM) throw new Error("set MAYI_BIN to the program to test with");

/** A home and a project that go when the test is over. `config`: the user's settings. */
export async function machine(test, config) {
  const root = await realpath(await mkdtemp(join(tmpdir(), "mayi-client-")));
  /** What ends before the files go. */
  const ends = [];
  test.after(async () => {
    await Promise.all(ends.map((end) => end()));
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  });
  const [home, work] = [join(root, "home"), join(root, "work")];
  const own = { PATH: env["PATH"], HOME: home };
  for (const [name, folder] of Object.entries({ XDG_CONFIG_HOME: "config", XDG_STATE_HOME: "state", XDG_DATA_HOME: "data", XDG_CACHE_HOME: "cache", XDG_RUNTIME_DIR: "run" })) {
    own[name] = join(home, folder);
    await mkdir(own[name], { recursive: true, mode: 0o700 });
  }
  await mkdir(work);
  if (config !== undefined) {
    await mkdir(join(own.XDG_CONFIG_HOME, "mayi"));
    await writeFile(join(own.XDG_CONFIG_HOME, "mayi", "config.toml"), config);
  }
  return { env: own, work, ends };
}

/** A backend on that machine, which ends with the test. */
export async function start(on, options = {}) {
  const mayi = await Mayi.start({ command: PROGRAM, env: on.env, serveCwd: on.work, ...options });
  on.ends.push(() => mayi.close());
  return mayi;
}

/** A machine, a backend and a chat. */
export async function scene(test, more = {}) {
  const on = await machine(test);
  const mayi = await start(on);
  const chat = await mayi.open({ app: "app", chat: "c1", cwd: on.work, ...more });
  return { on, mayi, chat };
}

/** A backend that the client did not start. `stop`: ends it for good. */
export async function serve(on) {
  const child = spawn(PROGRAM, ["serve"], { env: on.env, cwd: on.work, stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const stop = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  on.ends.push(stop);
  const line = await new Promise((resolve) => child.stdout.once("data", (part) => resolve(String(part))));
  const { url, answerTokenFile, askTokenFile } = JSON.parse(line);
  const read = async (file) => (await readFile(file, "utf8")).trim();
  return { url, token: await read(answerTokenFile), askToken: await read(askTokenFile), stop };
}

/** Cards as they come: `await next()` is the next one. Give `onCard` to `ask`. */
export function cards() {
  const [come, wanted] = [[], []];
  const onCard = (card, settled) => {
    const shown = { card, settled };
    wanted.length > 0 ? wanted.shift()(shown) : come.push(shown);
  };
  const next = () => (come.length > 0 ? Promise.resolve(come.shift()) : new Promise((resolve) => wanted.push(resolve)));
  return { onCard, next };
}

export const make = { kind: "shell", command: "make" };
