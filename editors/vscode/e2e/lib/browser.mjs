// @ts-check
// One Chromium for a test file.

import { chromium as place, fromEditor } from './places.mjs';

const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];

/** Starts it, with a profile of its own that ends with it. */
export async function startBrowser() {
  const { chromium } = fromEditor('playwright-core');
  return chromium.launch({ executablePath: place(), args: QUIET, headless: true });
}
