// @ts-check
// A browser and real cards of each kind, for the tests of a file or of a `describe`.

import { after, before } from 'node:test';

import { startBrowser } from './browser.mjs';
import { askAll } from './kinds.mjs';
import { setStage } from './stage.mjs';

/** What there is once the tests run. @returns {{ browser: any, asked: Awaited<ReturnType<typeof askAll>> }} */
export function withKinds() {
  /** @type {any} */
  const given = {};
  /** @type {ReturnType<typeof setStage>} */
  let stage;
  before(async () => {
    stage = setStage();
    [given.browser, given.asked] = await Promise.all([startBrowser(), askAll(stage)]);
  });
  after(async () => {
    await given.browser?.close();
    await given.asked?.stop();
    await stage?.strike();
  });
  return given;
}
