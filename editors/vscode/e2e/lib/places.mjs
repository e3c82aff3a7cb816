// @ts-check
// Where the things are that the tests start. Everything is given from outside or found; nothing is installed here.

import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/** The extension's folder, which is linked into the editor: MAYI_EXTENSION, or the one of this checkout. */
export const extension = resolve(process.env.MAYI_EXTENSION || join(repository, 'editors/vscode'));

/** Where pictures are kept. */
export const screenshots = join(repository, 'target/screenshots');

/** What `tests/editor/install` printed. */
export function editorFolder() {
  const folder = process.env.MAYI_EDITOR;
  if (!folder || !existsSync(join(folder, 'node_modules/playwright-core'))) {
    throw new Error(`MAYI_EDITOR is ${folder || 'not set'}: set it to the folder that tests/editor/install prints`);
  }
  return resolve(folder);
}

/** The program under test: MAYI_BIN, or the one of this checkout. */
export function mayi() {
  const program = resolve(process.env.MAYI_BIN || join(repository, 'target/debug/mayi'));
  if (!isProgram(program)) throw new Error(`there is no ${program}: build it, or set MAYI_BIN`);
  return program;
}

/** The real agents, if they are there: what `tests/agents/install` printed. */
export function agentsFolder() {
  const folder = process.env.MAYI_TEST_AGENTS;
  return folder && existsSync(join(folder, 'node_modules')) ? resolve(folder) : null;
}

/** The model that answers them by a script: MAYI_SCRIPTED_MODEL, or the one that was built beside the program. */
export function scriptedModel() {
  const program = resolve(process.env.MAYI_SCRIPTED_MODEL || join(mayi(), '../scripted_model'));
  return isProgram(program) ? program : null;
}

/** A Chromium: MAYI_CHROMIUM, or one at a usual place (the same as in tests/run). */
export function chromium() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
  const places = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  const wanted = [process.env.MAYI_CHROMIUM ?? '', ...places, '/opt/google/chrome/chrome'];
  const found = wanted.find((place) => place && isProgram(place));
  if (!found) throw new Error('there is no Chromium: install it, or set MAYI_CHROMIUM');
  return found;
}

/**
 * A package of the editor's folder.
 * @param {string} name
 * @returns {any}
 */
export function fromEditor(name) {
  return createRequire(join(editorFolder(), 'package.json'))(name);
}

/** @param {string} place */
function isProgram(place) {
  try {
    accessSync(place, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The folder for pictures, made if it is not there. */
export function screenshotFolder() {
  mkdirSync(screenshots, { recursive: true });
  return screenshots;
}
