// @ts-check
// The Permissions view: what a tool does, whether a server is trusted in what it says of that, and that a change of one thing
// sends nothing of another.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { startBrowser } from '../lib/browser.mjs';
import { faults } from '../lib/layout.mjs';
import { picture } from '../lib/phone.mjs';
import { openAlone } from '../lib/webview_alone.mjs';

const tool = (/** @type {string} */ name, /** @type {any} */ more = {}) => ({ name, description: 'Changes many records at once', approval: 'default', effective: 'required', byDefault: 'required', category: null, ownCategory: null, blocked: false, ...more });
const SERVERS = [{
  name: 'crm', address: 'npx -y crm-mcp', origin: { layer: 'editor', file: null, line: null }, approval: 'default', byDefault: 'required', level: 'read', grant: 'read', trustAnnotations: false, changed: false,
  tools: [tool('bulk_update'), tool('list_contacts', { category: 'read', ownCategory: 'read', effective: 'not_required' }), tool('find', { category: 'read' })],
}];

/** @type {any} */
let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());

for (const width of [240, 400, 1000]) {
  test(`given a server in a view of ${width} pixels then what its tools do and whether it is trusted are seen and set`, async () => {
    const alone = await openAlone(browser, { view: 'permissions', width, cards: [] });
    const { page } = alone;
    await alone.post({ type: 'permissions', servers: SERVERS, grants: [], agents: [], problem: null });
    const does = (/** @type {string} */ name) => page.getByLabel(`What ${name} does`);
    await does('bulk_update').waitFor();
    assert.deepEqual(await Promise.all(['bulk_update', 'list_contacts', 'find'].map((name) => does(name).inputValue())), ['', 'read', '']);
    assert.match(await does('find').innerText(), /Not said \(the server says: read\)/);
    await does('bulk_update').selectOption('write');
    await does('list_contacts').selectOption('');
    await page.getByLabel('Trust what crm says of its tools').check();
    await page.getByLabel('Approval for list_contacts').selectOption('required');
    const sent = await page.evaluate(() => (/** @type {any} */ (window)).sent.filter((/** @type {any} */ one) => one.type.startsWith('server-')));
    assert.deepEqual(sent, [
      { type: 'server-category', server: 'crm', tool: 'bulk_update', category: 'write' },
      { type: 'server-category', server: 'crm', tool: 'list_contacts', category: null },
      { type: 'server-trust', server: 'crm', on: true },
      { type: 'server-approval', server: 'crm', tool: 'list_contacts', approval: 'required' },
    ]);
    assert.deepEqual(await page.locator('.server').evaluate(faults), []);
    await picture(page, `permissions-${width}`);
    assert.deepEqual(alone.wrong, []);
    await alone.context.close();
  });
}
