// @ts-check
// What docs/hosts.md says of webviews, as it stands there, in an extension of somebody else's: the card of the client library comes
// into its webview, and the answer back.

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';

import { build } from '../../../../acp-server/clients/typescript/card/build.mjs';
import { repository } from '../lib/places.mjs';
import { givenIn, setScene } from '../lib/scene.mjs';
import { until } from '../lib/until.mjs';
import { click, webview } from '../lib/workbench.mjs';

const ABOUT = { name: 'app', publisher: 'mayi-test', version: '0.0.1', engines: { vscode: '^1.90.0' }, main: './extension.js', activationEvents: ['onStartupFinished'], extensionKind: ['workspace'] };

const EXTENSION = `const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const vscode = require('vscode');

exports.activate = () => {
  const panel = vscode.window.createWebviewPanel('app', 'App', vscode.ViewColumn.One, { enableScripts: true, localResourceRoots: [vscode.Uri.file(__dirname)] });
  const folder = vscode.workspace.workspaceFolders[0].uri.fsPath;
  Object.assign(globalThis, { panel, folder, work: () => writeFileSync(join(folder, 'built.txt'), 'built') });
  const script = panel.webview.asWebviewUri(vscode.Uri.file(join(__dirname, 'view.js')));
  const policy = "default-src 'none'; script-src " + panel.webview.cspSource;
  panel.webview.html = '<!doctype html><html><meta http-equiv="Content-Security-Policy" content="' + policy + '">'
    + '<body><div id="call-1"></div><script type="module" src="' + script + '"></script></body></html>';
  return import('./app.mjs');
};
`;

const folder = mkdtempSync(join(tmpdir(), 'mayi-app-'));
/** @type {import('../lib/scene.mjs').Scene} */
let scene;

before(async () => {
  await build();
  const page = readFileSync(join(repository, 'docs/hosts.md'), 'utf8');
  const section = page.split('## In a webview')[1]?.split('\n## ')[0] ?? '';
  const [app = '', view = ''] = [...section.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code ?? '');
  const extension = join(folder, 'app');
  mkdirSync(join(extension, 'node_modules'), { recursive: true });
  cpSync(join(repository, 'acp-server/clients/typescript'), join(extension, 'node_modules/mayi-client'), { recursive: true });
  const files = { 'package.json': JSON.stringify(ABOUT), 'extension.js': EXTENSION, 'app.mjs': app, 'view.js': view.replace('"mayi-client/card"', '"./node_modules/mayi-client/card/index.js"') };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(extension, name), text);
  scene = await setScene({ others: [extension] });
});
after(async () => {
  await scene?.strike();
  rmSync(folder, { recursive: true });
});

const given = givenIn(() => scene);

given('given an extension with the lines of the docs then its webview shows the card, and the call runs once it is allowed', async () => {
  const frame = await webview(scene.page, '#call-1 > mayi-card');
  const card = frame.locator('#call-1 > mayi-card');
  await until('it is answered', async () => {
    if ((await card.getAttribute('state')) === 'approved') return true;
    await click(scene.page, card.locator('[action-id="allow_once"][aria-disabled="false"]'));
    return false;
  });
  await until('the call has run', () => scene.file('built.txt'));
  assert.equal(scene.file('built.txt'), 'built');
});
