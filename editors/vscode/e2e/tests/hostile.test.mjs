// @ts-check
// What an agent says is text, in every view of the extension: the tests look at the DOM.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { givenIn, setScene } from '../lib/scene.mjs';
import { command, webview } from '../lib/workbench.mjs';

/** @type {import('../lib/scene.mjs').Scene} */
let scene;
/** @type {import('../lib/scene.mjs').Scene['chat']} */
let chat;

before(async () => {
  scene = await setScene();
  chat = scene.chat;
  await chat.open();
});
after(() => scene?.strike());

const given = givenIn(() => scene, () => chat.newTab());
const EVIL = '<img/src=x/onerror=alert(1)><script>alert(2)</script>[click](command:evil)\u202egnp.exe\u200b\u001b[2K**bold**';
const SEEN = '<img/src=x/onerror=alert(1)><script>alert(2)</script>[click](command:evil)\\u{202e}gnp.exe\\u{200b}\\x1b[2K**bold**';
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/;

/**
 * What is in an element: its text, and whatever in it is more than text.
 * @param {any} locator
 */
const inside = (locator) => locator.evaluate((/** @type {HTMLElement} */ element) => ({
  text: element.textContent ?? '',
  more: [...element.querySelectorAll('script, img, iframe, object, embed, form, a[href], [onerror], [onclick], strong > em')]
    .map((one) => one.outerHTML),
  escaped: [...element.querySelectorAll('*')].some((one) => /onerror|command:/.test(one.getAttribute('href') ?? one.getAttribute('src') ?? '')),
}));

/** @param {any} locator */
async function isText(locator) {
  const { text, more, escaped } = await inside(locator);
  assert.deepEqual([more, escaped], [[], false]);
  assert.doesNotMatch(text, HIDDEN);
  return text;
}

/** Opens everything that opens. @param {any} locator */
const openAll = (locator) => locator.evaluate((/** @type {HTMLElement} */ element) => {
  /** @type {HTMLElement | null} */ (element.querySelector('button[action-id="more"]'))?.click();
  for (const details of element.querySelectorAll('details')) details.open = true;
});

given('given a command with hostile text then the card and the tool call show it as text, in full', async () => {
  await chat.prompt(`demo: run echo '${EVIL}'`);
  const [id = ''] = await chat.waiting();
  const frame = await chat.frame();
  const card = frame.locator(`[data-approval-id="${id}"]`);
  await openAll(card);
  assert.ok((await isText(card)).includes(SEEN));
  const tool = frame.locator('.mynah-chat-wrapper:visible .mayi-item.tool').first();
  await openAll(tool);
  assert.ok((await isText(tool)).includes(SEEN));
  await chat.picture('hostile-command');
  await command(scene.page, 'mayi: Show Approvals');
  const approvals = await webview(scene.page, `.mayi-approvals [data-approval-id="${id}"], body:not(:has(.mynah-chat-wrapper)) [data-approval-id="${id}"]`);
  const listed = approvals.locator(`[data-approval-id="${id}"]`).first();
  await openAll(listed);
  assert.ok((await isText(listed)).includes(SEEN));
  await command(scene.page, 'mayi: New Chat');
  assert.ok((await chat.tabs()).length > 1);
});

given('given a tool of a server with hostile arguments then they are text', async () => {
  await chat.prompt(`demo: mcp github create_issue ${JSON.stringify({ title: EVIL, [EVIL]: { body: EVIL } })}`);
  const [id = ''] = await chat.waiting();
  const card = (await chat.frame()).locator(`[data-approval-id="${id}"]`);
  await openAll(card);
  const text = await isText(card);
  assert.ok(text.includes('<script>alert(2)</script>[click](command:evil)\\u{202e}gnp.exe'), text);
  await chat.press(id, 'deny_reason');
  await (await chat.frame()).locator(`[data-approval-id="${id}"] textarea`).fill(`demo: say ${EVIL}`);
  await chat.press(id, 'deny_reason_confirm');
  assert.ok((await chat.inState(id, 'denied')).includes(SEEN));
  await isText(card);
  await chat.picture('hostile-reason');
});

given('given a file with a hostile name and text then the diff shows them as text', async () => {
  await chat.prompt(`demo: write ${EVIL.replaceAll('/', '_').replaceAll(' ', '_')} ${EVIL}`);
  const [id = ''] = await chat.waiting();
  const card = (await chat.frame()).locator(`[data-approval-id="${id}"]`);
  await openAll(card);
  const text = await isText(card);
  assert.ok(text.includes(SEEN), text);
  assert.ok(text.includes('\\u{202e}gnp.exe\\u{200b}'), text);
  await chat.answer(id, 'deny');
});

given('given an agent that talks in HTML and links then nothing is loaded, run or opened', async () => {
  await chat.prompt(`demo: say ${EVIL} [a link](javascript:alert(3)) ![a picture](https://example.org/x.png) <b onclick=alert(4)>b</b>`);
  await chat.says('a link');
  await chat.idle();
  const said = (await chat.frame()).locator('.mynah-chat-wrapper:visible .mayi-item.agent').last();
  const { text, more } = await inside(said);
  assert.deepEqual(more.filter((/** @type {string} */ one) => !/^<a\b/.test(one)), []);
  assert.ok(more.every((/** @type {string} */ one) => !/javascript:|command:/.test(one)), more.join('\n'));
  assert.doesNotMatch(text, HIDDEN);
  assert.deepEqual(scene.refused, []);
});
