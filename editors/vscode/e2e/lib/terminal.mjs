// @ts-check
// A program in a terminal: util-linux's `script` gives it one, and what it shows goes to a file.

import { readFileSync } from 'node:fs';

import { start } from './processes.mjs';

const quoted = (/** @type {string} */ word) => `'${word.replaceAll("'", `'\\''`)}'`;

/**
 * Starts it. Nobody types anything there.
 * @param {import('./stage.mjs').Stage} stage
 * @param {string} program
 * @param {string[]} args
 * @param {string} name of the file beside the stage's others
 */
export function inTerminal(stage, program, args, name) {
  const log = stage.at(name);
  const started = start('script', ['-qefc', [program, ...args].map(quoted).join(' '), '/dev/null'], { env: { ...stage.env, TERM: 'xterm-256color' }, cwd: stage.project, log });
  return {
    ...started,
    /** All that it has shown, without what moves and colours it. */
    shown: () => readFileSync(log, 'utf8').replace(/\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>78]/g, ''),
  };
}
