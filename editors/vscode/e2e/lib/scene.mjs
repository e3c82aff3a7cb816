// @ts-check
// A whole scene for a test file: a stage, the editor on it, a window with the chat, and what the tests look at.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { startBrowser } from './browser.mjs';
import { chatOf } from './chat.mjs';
import { startEditor } from './editor.mjs';
import { end, those } from './processes.mjs';
import { setStage } from './stage.mjs';
import { openWindow, picture } from './workbench.mjs';

/**
 * @param {{ settings?: Record<string, unknown> | ((stage: import('./stage.mjs').Stage) => Promise<Record<string, unknown>>), machine?: Record<string, unknown>, config?: string, others?: string[], vsix?: string, installed?: (extensions: string) => void }} [options] with a `vsix`,
 *   no `mayi` but that one's is there
 */
export async function setScene({ settings = {}, machine = {}, config, others, vsix, installed } = {}) {
  const stage = setStage({ config, program: vsix === undefined });
  /** @type {any} */
  let browser;
  /** @type {Awaited<ReturnType<typeof startEditor>> | undefined} */
  let editor;
  /** Ends everything, whatever has begun. */
  const strike = async () => {
    await browser?.close();
    await editor?.stop();
    await stage.strike();
  };
  try {
    const own = typeof settings === 'function' ? await settings(stage) : settings;
    // The browser is known before the editor is waited for: it has to be closed also where there is no editor.
    const starting = startBrowser().then((one) => (browser = one));
    const [started] = await Promise.allSettled([startEditor(stage, { settings: { 'mayi.defaultAgent': 'demo', ...own }, machine, others, vsix, installed }), starting]);
    if (started.status === 'rejected') throw started.reason;
    editor = started.value;
    await starting;
    const opened = await openWindow(browser, editor);
    const chat = chatOf(opened.page);
    return {
      stage, editor, browser, chat, strike,
      page: opened.page,
      refused: opened.refused,
      /** What a file of the project says; null if there is none. @param {string} name */
      file: (name) => (existsSync(join(stage.project, name)) ? readFileSync(join(stage.project, name), 'utf8') : null),
      /** The processes of `mayi serve`. */
      backends: () => those(stage.folder).filter(({ command }) => command[0]?.endsWith('mayi') && command[1] === 'serve'),
      /** Kills them, as a crash would. */
      killBackends() {
        for (const { pid } of this.backends()) end(pid, 'SIGKILL');
      },
    };
  } catch (error) {
    await strike();
    throw error;
  }
}

/** @typedef {Awaited<ReturnType<typeof setScene>>} Scene */

/**
 * Makes tests that keep a picture when they fail.
 * @param {() => Scene} scene
 * @param {() => Promise<void>} [first] before each
 */
export function givenIn(scene, first = async () => {}) {
  return (/** @type {string} */ name, /** @type {() => Promise<void>} */ body) =>
    test(name, () => first().then(body).catch(async (error) => {
      // All that is open: what goes wrong may be in another window.
      const pages = scene().browser.contexts().flatMap((/** @type {any} */ one) => one.pages());
      for (const [at, page] of pages.entries()) await picture(page, `failed ${name.slice(0, 60)}${at === 0 ? '' : ` ${at}`}`).catch(() => {});
      throw error;
    }));
}
