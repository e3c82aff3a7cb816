import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import type { Cursor, EditorSettings, Events } from "../src/api";
import { Backend, type Host, type Status } from "../src/backend/backend";
import { BackOff } from "../src/backend/backoff";
import { connect, Misfit } from "../src/backend/connect";
import { launch, ownEnvironment } from "../src/backend/launch";
import { locate, usualFolders } from "../src/backend/locate";
import { parseReady, readyLine } from "../src/backend/ready";
import { RpcError, Unanswered } from "../src/backend/rpc";
import { misfit } from "../src/backend/version";
import { Fake } from "./fake";

const options = { version: "0.1.0", settings: { agents: {}, servers: {}, tools: {}, workspaces: {} }, cursor: null, path: "/bin/mayi" };

function folder(): string {
  return mkdtempSync(join(tmpdir(), "mayi-test-"));
}

/** A host that remembers what it was told. */
class TestHost implements Host {
  version = "0.1.0";
  folder = folder();
  at: Cursor | null = null;
  kept: unknown;
  readonly statuses: Status[] = [];
  readonly batches: Events[] = [];
  private waiting: (() => void)[] = [];

  page = (): boolean => false;
  program = (): { path: string } | { problem: string } => ({ path: "/bin/mayi" });
  settings = (): EditorSettings => ({ agents: { demo: { mode: "plan" } }, servers: {}, tools: {}, workspaces: {} });
  cursor = (): Cursor | null => this.at;
  remembered = (): unknown => this.kept;
  remember = (ready: unknown): void => void (this.kept = ready);
  log = (): void => undefined;
  follow = (): void => undefined;
  connected = (): void => undefined;
  status = (status: Status): void => {
    this.statuses.push(status);
    this.wake();
  };
  batch = (batch: Events): void => {
    this.batches.push(batch);
    this.at = batch.cursor;
    this.wake();
  };

  async until(done: () => boolean): Promise<void> {
    while (!done()) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  private wake(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }
}

test("the waits double from 250 ms to 30 s, and begin anew after a minute of being up", () => {
  let now = 0;
  const backOff = new BackOff(() => now);
  assert.deepEqual(Array.from({ length: 9 }, () => backOff.down()), [250, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000]);
  backOff.up();
  now += 59_999;
  assert.equal(backOff.down(), 30000);
  backOff.up();
  now += 60_000;
  assert.equal(backOff.down(), 250);
});

test("a version fits if its major and minor are the extension's", () => {
  assert.equal(misfit("0.1.9", "0.1.0", "/m"), null);
  assert.match(misfit("0.2.0", "0.1.0", "/m") ?? "", /mayi 0\.2\.0 \(\/m\) does not fit .* needs mayi 0\.1\.x/);
  assert.notEqual(misfit("", "0.1.0", "/m"), null);
});

test("a ready line counts when it is whole, and only for this computer", () => {
  const line = { version: 1, url: "http://127.0.0.1:5/", ws: "ws://127.0.0.1:5/", answerTokenFile: "/t", askTokenFile: "/a", pid: 1, instance: "i", serverVersion: "0.1.0", ui: null };
  assert.equal(readyLine(JSON.stringify(line)), undefined);
  assert.equal(readyLine(`${JSON.stringify(line)}\n`)?.instance, "i");
  assert.equal(readyLine("listening\n"), null);
  assert.equal(parseReady({ ...line, ws: "ws://example.org:5/" }), null);
  assert.equal(parseReady({ ...line, version: 2 }), null);
});

test("the program is the setting's, else the bundled one, else one at an absolute place of the search path, else one where it is usually installed", () => {
  const at = (name: string): string => {
    const dir = join(folder(), name);
    mkdirSync(dir);
    writeFileSync(join(dir, "mayi"), "");
    chmodSync(join(dir, "mayi"), 0o755);
    return dir;
  };
  const path = at("path");
  const bundled = at("bin");
  const where = { setting: null, extension: folder(), path, usual: [], windows: false };
  assert.deepEqual(locate(where), { path: join(path, "mayi") });
  assert.deepEqual(locate({ ...where, extension: join(bundled, "..") }), { path: join(bundled, "mayi") });
  assert.deepEqual(locate({ ...where, setting: join(path, "mayi"), extension: join(bundled, "..") }), { path: join(path, "mayi") });
  // Whoever unpacked the extension may have lost that it can be run; what the setting names is the user's, and stays as it is.
  chmodSync(join(bundled, "mayi"), 0o644);
  assert.ok("problem" in locate({ ...where, setting: join(bundled, "mayi") }));
  assert.deepEqual(locate({ ...where, extension: join(bundled, "..") }), { path: join(bundled, "mayi") });
  assert.equal(statSync(join(bundled, "mayi")).mode & 0o777, 0o755);
  // Whoever reads it can find out what to write into the setting.
  const none = locate({ ...where, path: "" });
  assert.match("problem" in none ? none.problem : "", /not on the editor's search path.*"mayi\.path".*"command -v mayi"/);
  // An editor that was started from the desktop often lacks these on its search path.
  const home = folder();
  const own = usualFolders(home, false).filter((usual) => usual.startsWith(home));
  assert.deepEqual(own, [join(home, ".cargo", "bin"), join(home, ".local", "bin")]);
  for (const usual of own) {
    mkdirSync(usual, { recursive: true });
    writeFileSync(join(usual, "mayi"), "");
    assert.ok("problem" in locate({ ...where, path: "", usual: [usual] }));
    chmodSync(join(usual, "mayi"), 0o755);
    assert.deepEqual(locate({ ...where, path: "", usual: [usual] }), { path: join(usual, "mayi") });
    assert.deepEqual(locate({ ...where, usual: [usual] }), { path: join(path, "mayi") });
  }
  const before = process.cwd();
  process.chdir(path);
  try {
    for (const wrong of [{ ...where, path: "." }, { ...where, path: "" }, { ...where, path: "", usual: ["."] }, { ...where, setting: "mayi" }, { ...where, setting: "/nowhere/mayi" }]) {
      assert.ok("problem" in locate(wrong));
    }
  } finally {
    process.chdir(before);
  }
});

test("the backend does not get what belongs to the editor", () => {
  assert.deepEqual(ownEnvironment({ PATH: "/bin", VSCODE_IPC_HOOK: "x", ELECTRON_RUN_AS_NODE: "1", NODE_OPTIONS: "--x" }), { PATH: "/bin" });
});

test("a program that says where it listens is ready; one that ends tells why", async () => {
  const dir = folder();
  const program = (name: string, script: string): string => {
    const file = join(dir, name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    return file;
  };
  const line = '{"version":1,"url":"http://127.0.0.1:5/","ws":"ws://127.0.0.1:5/","answerTokenFile":"/t","pid":1,"askTokenFile":"/a","instance":"i","serverVersion":"0.1.0","ui":null}';
  const good = await launch(program("good", `printf '%s\\n' '${line}'`), join(dir, "out"), false, () => undefined);
  assert.equal(good.ready.instance, "i");
  await assert.rejects(launch(program("bad", "echo 'no room' >&2; exit 3"), join(dir, "out"), false, () => undefined), /it ended \(3\): no room/);
  await assert.rejects(launch(program("other", "echo hello; sleep 60"), join(dir, "out"), false, () => undefined), /is it mayi/);
  await assert.rejects(launch(join(dir, "none"), join(dir, "out"), false, () => undefined), /ENOENT/);
});

test("the client introduces itself with its settings, and calls and errors come back", async () => {
  const fake = await Fake.start();
  fake.answers["check"] = () => new Error("no such agent");
  const { rpc } = await connect(fake.ready, { ...options, settings: { agents: { a: {} }, servers: {}, tools: {}, workspaces: {} } });
  assert.deepEqual((await fake.call("mayi/initialize")).params, { protocolVersion: 1, client: { name: "vscode", version: "0.1.0" }, settings: { agents: { a: {} }, servers: {}, tools: {}, workspaces: {} } });
  await assert.rejects(rpc.call("check", { call: {} }), (error) => error instanceof RpcError && error.code === -32010 && error.message === "no such agent");
  fake.silent.add("grants/list");
  await assert.rejects(rpc.call("grants/list", {}, 30), Unanswered);
  const cut = assert.rejects(rpc.call("grants/list", {}), Unanswered);
  await fake.call("grants/list", 2);
  fake.cut();
  await cut;
  await fake.stop();
});

test("whoever can't prove to know the token is not told it", async () => {
  const fake = await Fake.start({ proves: "something else" });
  await assert.rejects(connect(fake.ready, options), /not the backend that was started/);
  assert.deepEqual(fake.tokens, []);
  await fake.stop();
});

test("an answer to the proof that is too long, or a redirect, is refused", async () => {
  for (const answer of ["x".repeat(10_000), null]) {
    const server = createServer((_, response) => (answer === null ? response.writeHead(302, { Location: "http://127.0.0.1:1/" }).end() : response.end(answer)));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const fake = await Fake.start();
    const ready = { ...fake.ready, url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/` };
    await assert.rejects(connect(ready, options));
    assert.deepEqual(fake.tokens, []);
    server.closeAllConnections();
    server.close();
    await fake.stop();
  }
});

test("a refused upgrade says with which status", async () => {
  const fake = await Fake.start();
  writeFileSync(fake.ready.answerTokenFile, "wrong\n");
  // The proof is made with the wrong token too, so that the refusal is the upgrade's.
  const wrong = await Fake.start({ proves: "wrong" });
  await assert.rejects(connect({ ...wrong.ready, answerTokenFile: fake.ready.answerTokenFile }, options), /HTTP 401/);
  await fake.stop();
  await wrong.stop();
});

test("another version is a misfit, before any token is sent", async () => {
  const fake = await Fake.start({ version: "0.9.0" });
  await assert.rejects(connect(fake.ready, options), Misfit);
  assert.deepEqual(fake.tokens, []);
  await fake.stop();
});

test("after a cut the client comes back by itself, and goes on where it was", async () => {
  const fake = await Fake.start();
  const host = new TestHost();
  const backend = new Backend(host, async () => ({ ready: fake.ready, log: "" }));
  await backend.run();
  assert.deepEqual((await fake.call("events/subscribe")).params, { cursor: null });
  fake.events(5, { type: "grants-changed" });
  await host.until(() => host.batches.length === 1);
  fake.cut();
  assert.deepEqual((await fake.call("events/subscribe", 2)).params, { cursor: { instance: "i1", seq: 5 } });
  fake.events(6, { type: "grants-changed" });
  await host.until(() => host.batches.length === 2);
  assert.deepEqual(host.statuses.map((status) => status.state), ["starting", "connected", "waiting", "connected"]);
  backend.dispose();
  await fake.stop();
});

test("a backend that is alive after a reload is used again, and not started anew", async () => {
  const fake = await Fake.start();
  const host = new TestHost();
  host.kept = fake.ready;
  const backend = new Backend(host, () => Promise.reject(new Error("started")));
  await backend.run();
  assert.equal(host.statuses.at(-1)?.state, "connected");
  backend.dispose();
  await fake.stop();
});

test("a remembered backend that is gone, or whose port is another's now, is replaced", async () => {
  const dead = await Fake.start();
  await dead.stop();
  const impostor = await Fake.start({ proves: "guess" });
  for (const before of [dead.ready, impostor.ready]) {
    const fake = await Fake.start({ instance: "i2" });
    const host = new TestHost();
    host.kept = before;
    const backend = new Backend(host, async () => ({ ready: fake.ready, log: "" }));
    await backend.run();
    assert.equal(host.statuses.at(-1)?.state, "connected");
    assert.equal(parseReady(host.kept)?.instance, "i2");
    backend.dispose();
    await fake.stop();
  }
  assert.deepEqual(impostor.tokens, []);
  await impostor.stop();
});

test("what only a person can mend is told, and not tried again", async () => {
  const host = new TestHost();
  host.program = () => ({ problem: "not found" });
  let starts = 0;
  const backend = new Backend(host, () => Promise.reject(new Error(`${++starts}`)));
  const call = assert.rejects(backend.callSoon("session/list", {}), Unanswered);
  await backend.run();
  await call;
  assert.deepEqual(host.statuses, [{ state: "failed", text: "not found" }]);
  assert.equal(starts, 0);
  backend.dispose();
});

test("a call that comes before the connection waits for it", async () => {
  const fake = await Fake.start();
  fake.answers["session/list"] = () => [];
  const backend = new Backend(new TestHost(), async () => ({ ready: fake.ready, log: "" }));
  const call = backend.callSoon("session/list", {});
  await backend.run();
  assert.deepEqual(await call, []);
  backend.dispose();
  await fake.stop();
});
