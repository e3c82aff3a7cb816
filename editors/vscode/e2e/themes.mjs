// @ts-check
// Takes the variables of the editor's themes from a real webview: lib/themes.json.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { extension } from './lib/places.mjs';
import { setScene } from './lib/scene.mjs';

const NAMES = { light: 'Light 2026', dark: 'Dark 2026', 'hc-light': 'Default High Contrast Light', 'hc-dark': 'Default High Contrast' };
// Those that something in the views asks for.
const bundles = ['chat.js', 'chat.css', 'approvals.css', 'permissions.css', 'history.css'].map((name) => readFileSync(join(extension, 'dist/webview', name), 'utf8')).join('\n');
const wanted = new Set([...bundles.matchAll(/--vscode-[\w-]+/g)].map(([name]) => name).concat(['--vscode-font-family', '--vscode-font-size', '--vscode-font-weight', '--vscode-editor-foreground', '--vscode-editor-background', '--vscode-scrollbarSlider-background', '--vscode-sideBar-background', '--vscode-textPreformat-foreground', '--vscode-textPreformat-background', '--monaco-monospace-font']));
/** @type {Record<string, Record<string, string>>} */
const themes = {};
for (const [name, theme] of Object.entries(NAMES)) {
  const scene = await setScene({ settings: { 'workbench.colorTheme': theme } });
  await scene.chat.open();
  const all = await (await scene.chat.frame()).evaluate(() => Object.fromEntries([...document.documentElement.style].map((one) => [one, document.documentElement.style.getPropertyValue(one).trim()])));
  themes[name] = Object.fromEntries(Object.entries(all).filter(([one]) => wanted.has(one)).sort());
  console.log(name, theme, Object.keys(themes[name] ?? {}).length, (await (await scene.chat.frame()).evaluate(() => document.body.className)));
  await scene.strike();
}
writeFileSync(new URL('lib/themes.json', import.meta.url), `${JSON.stringify(themes, null, 1)}\n`);
