// @ts-check
// Programs that a test starts: each leads a process group, and is ended with it, whatever becomes of the test.

import { spawn } from 'node:child_process';
import { openSync, closeSync, readdirSync, readFileSync } from 'node:fs';

/** @typedef {{ pid: number, ended: Promise<number | null>, stop: () => Promise<void> }} Started */

/** The groups that run now, by the pid of the first process. */
const groups = new Set();
/** Folders whose processes are looked for at the end. */
const stages = new Set();

process.on('exit', () => {
  for (const pid of groups) end(pid, 'SIGKILL', true);
  for (const stage of stages) endThoseOf(stage);
});
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => process.exit(130));
}

/**
 * Starts a program; its output goes to a file.
 * @param {string} command
 * @param {string[]} args
 * @param {{ env: Record<string, string>, cwd: string, log: string }} options
 * @returns {Started}
 */
export function start(command, args, { env, cwd, log }) {
  const out = openSync(log, 'a');
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', out, out] });
  closeSync(out);
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${command} could not be started`);
  groups.add(pid);
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve) => {
    child.once('exit', (code) => resolve(code));
    child.once('error', () => resolve(null));
  });
  return { pid, ended, stop: () => stop(pid, ended) };
}

/**
 * Ends a group: asks first, and insists after five seconds.
 * @param {number} pid
 * @param {Promise<unknown>} ended
 */
async function stop(pid, ended) {
  end(pid, 'SIGTERM', true);
  let insist;
  const late = new Promise((resolve) => {
    insist = setTimeout(resolve, 5_000);
  });
  await Promise.race([ended, late]);
  clearTimeout(insist);
  end(pid, 'SIGKILL', true);
  groups.delete(pid);
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 * @param {boolean} group
 */
export function end(pid, signal, group = false) {
  try {
    process.kill(group ? -pid : pid, signal);
  } catch {
    // It is gone already.
  }
}

/**
 * Processes that have their home in this folder also end with the tests: what an editor and its agents leave behind is
 * in groups of its own.
 * @param {string} stage
 */
export function belongsHere(stage) {
  stages.add(stage);
}

/**
 * The processes with a home in this folder, and their command lines.
 * @param {string} stage
 * @returns {{ pid: number, command: string[] }[]}
 */
export function those(stage) {
  const found = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      if (!environment.some((variable) => variable.startsWith(`HOME=${stage}/`))) continue;
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
      if (command.length) found.push({ pid, command });
    } catch {
      // It ended meanwhile, or is somebody else's.
    }
  }
  return found;
}

/** @param {string} stage */
export function endThoseOf(stage) {
  for (const { pid } of those(stage)) end(pid, 'SIGKILL');
}
