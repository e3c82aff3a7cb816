#!/usr/bin/env node
// Starts the program `mayi` of this platform's own package, and is as if it were that program: the same terminal, the same
// signals, the same end. Nothing is fetched: npm has installed the package that fits, as an optional dependency.

"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { isAbsolute } = require("node:path");

const packages = require("./platforms.json");

/** Whether this system's C library is musl. Asked only where packages for both are there. */
function isMusl() {
  process.report.excludeNetwork = true;
  return !process.report.getReport().header.glibcVersionRuntime;
}

/** Where the program is, or why it can't be told. */
function program() {
  const own = process.env.MAYI_BINARY;
  if (own) {
    // A relative one would be looked up in whatever folder this is started in.
    if (isAbsolute(own)) return { path: own };
    return { problem: `MAYI_BINARY must be an absolute path; it is "${own}"` };
  }
  const fitting = packages.filter(({ os, cpu }) => os === process.platform && cpu === process.arch);
  const there = fitting.flatMap(({ name, libc }) => {
    try {
      return [{ libc, path: require.resolve(`${name}/bin/mayi${process.platform === "win32" ? ".exe" : ""}`) }];
    } catch {
      return [];
    }
  });
  const libc = there.length > 1 ? (isMusl() ? "musl" : "glibc") : undefined;
  const found = there.find((one) => libc === undefined || one.libc === libc);
  if (found) return found;
  const wanted = fitting.map(({ name }) => name).join(" or ");
  return {
    problem: wanted
      ? `the package ${wanted} is missing: install mayi without leaving out optional dependencies, or set MAYI_BINARY to where the program is`
      : `there is no package for ${process.platform} on ${process.arch}; set MAYI_BINARY to where the program is`,
  };
}

const found = program();
if (found.problem) {
  console.error(`mayi: ${found.problem}`);
  process.exit(1);
}
const env = { ...process.env };
// It is this launcher's alone.
delete env.MAYI_BINARY;
// What a terminal sends goes to the whole group; what is sent to this process alone is handed on. It stays until the program
// has ended, which may ask first. From before the program is there: a signal that comes meanwhile waits for this script.
for (const signal of ["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP"]) {
  if (constants.signals[signal] !== undefined) process.on(signal, () => signal === "SIGINT" || signal === "SIGQUIT" || child.kill(signal));
}
const child = spawn(found.path, process.argv.slice(2), { stdio: "inherit", env, windowsHide: true });
child.once("error", (error) => {
  console.error(`mayi: ${found.path} could not be started: ${error.message}`);
  process.exit(1);
});
child.once("exit", (code, signal) => {
  if (signal === null) return process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
