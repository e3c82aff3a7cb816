// @ts-check
// One test file's world: a home, a project, and an environment that has nothing of whoever runs the tests.

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { mayi } from './places.mjs';
import { belongsHere, endThoseOf, those } from './processes.mjs';
import { until } from './until.mjs';

/** @typedef {ReturnType<typeof setStage>} Stage */

/**
 * @param {{ notes?: string, config?: string, program?: boolean }} [options] what the project's notes.txt says; the user's own
 *   file; whether `mayi` is on the path
 */
export function setStage({ notes = 'line one\nline two\n', config, program = true } = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mayi-e2e-')));
  const at = (/** @type {string[]} */ ...names) => join(folder, ...names);
  const home = at('home');
  for (const name of ['home/.config/mayi', 'project', 'bin', 'run']) mkdirSync(at(name), { recursive: true });
  // The folder for sockets has to be the user's alone.
  chmodSync(at('run'), 0o700);
  writeFileSync(at('project/notes.txt'), notes);
  if (config !== undefined) writeFileSync(at('home/.config/mayi/config.toml'), config);
  // `mayi` is on the path, and no other program of the one who runs the tests but Node.js.
  if (program) symlinkSync(mayi(), at('bin/mayi'));
  const path = [at('bin'), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'];
  // The editor asks a login shell for the search path, as on a desktop.
  writeFileSync(join(home, '.profile'), `PATH='${at('bin')}':"$PATH"\n`);
  const env = {
    SHELL: '/bin/bash',
    HOME: home,
    PATH: path.join(':'),
    LANG: 'C.UTF-8',
    TMPDIR: at('tmp'),
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_STATE_HOME: join(home, '.local/state'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_RUNTIME_DIR: at('run'),
  };
  for (const name of Object.values(env).filter((value) => value.startsWith(folder) && !value.includes(':'))) {
    mkdirSync(name, { recursive: true });
  }
  belongsHere(folder);
  return {
    folder,
    home,
    env,
    at,
    project: at('project'),
    /** Ends what is left, and removes it all. */
    async strike() {
      await until('everything has ended', () => {
        endThoseOf(folder);
        return those(folder).length === 0;
      });
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}
