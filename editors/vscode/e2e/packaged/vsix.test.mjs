// @ts-check
// The package of the extension, installed as a person does from a file, where there is no other mayi: it starts the program that is in
// it, and asks before the demo agent acts.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';

import { givenIn, setScene } from '../lib/scene.mjs';

/** @type {import('../lib/scene.mjs').Scene} */
let scene;
/** The folder that the extension is in, once it is installed. */
let folder = '';
let installed = 0;

/** What `just dist` made. */
function vsix() {
  const packages = process.env.MAYI_PACKAGES ?? '';
  const found = readdirSync(packages).filter((name) => name.endsWith('.vsix'));
  assert.equal(found.length, 1, `packages of the extension in ${packages}: ${found}`);
  return join(packages, found[0] ?? '');
}

const file = vsix();

before(async () => {
  const begin = performance.now();
  scene = await setScene({
    vsix: file,
    installed(extensions) {
      installed = performance.now() - begin;
      const found = readdirSync(extensions).filter((name) => name.startsWith('mayi.mayi-vscode-'));
      assert.equal(found.length, 1, `${found}`);
      folder = join(extensions, found[0] ?? '');
      // Not every unpacker keeps it.
      chmodSync(join(folder, 'bin/mayi'), 0o644);
    },
  });
});
after(() => scene?.strike());

const given = givenIn(() => scene);

given('given the package of the extension and no other mayi then its own program asks before the agent acts', async () => {
  const { chat } = scene;
  assert.ok(!existsSync(scene.stage.at('bin/mayi')), 'there is no other');
  const begin = performance.now();
  await chat.open();
  await chat.prompt('demo: write a.txt some words');
  const [id = ''] = await chat.waiting();
  const asked = performance.now() - begin;
  assert.equal(scene.file('a.txt'), null);
  await chat.answer(id, 'allow_once');
  await chat.says('a.txt is written.');
  assert.equal(scene.file('a.txt'), 'some words\n');
  await chat.idle();
  const program = join(folder, 'bin/mayi');
  assert.deepEqual([...new Set(scene.backends().map(({ command }) => command[0]))], [program]);
  const told = JSON.parse(execFileSync(program, ['update', '--json'], { env: scene.stage.env, encoding: 'utf8' }));
  assert.equal(told.installed, 'extension');
  const mega = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(1);
  const row = ['extension, from a file', mega(statSync(file).size), mega(size(folder)), (installed / 1e3).toFixed(1), (asked / 1e3).toFixed(1)];
  if (process.env.MAYI_PACKAGES_TABLE) appendFileSync(process.env.MAYI_PACKAGES_TABLE, `${row.join('\t')}\n`);
});

/** The size of what is there, in bytes. @param {string} path @returns {number} */
function size(path) {
  const stat = statSync(path);
  return stat.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + size(join(path, name)), 0) : stat.size;
}
