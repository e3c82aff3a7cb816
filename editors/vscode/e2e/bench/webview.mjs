// @ts-check
// How long a question takes from the agent to its card in the webview of a real VS Code, and how long an answer takes
// from the click back to the agent.
//
// The agent is a program of its own (tests/src/bin/asking_agent.rs), which notes when it asks and when it is answered.
// A MutationObserver in the webview notes when a card is in the page, and a listener the timestamp of the click that is
// the browser's own. All read the clock of one machine. A choice does nothing for the first half second after its card
// appears: it is pressed after that, as by a person. The agent asks again 0.3 s after it was answered, when the card
// before is drawn as settled.
//
// Beside it stands what VS Code and the browser take by themselves, measured with the least extension there can be.
//
// usage: node bench/webview.mjs [--quick]
//
// MAYI_EDITOR is the folder that tests/editor/install prints, MAYI_BIN the program. The agent lies beside it, or is
// MAYI_ASKING_AGENT. With MAYI_BENCH_ROUNDS every round is printed too, as JSON.

import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';

import { mayi } from '../lib/places.mjs';
import { setScene } from '../lib/scene.mjs';
import { until } from '../lib/until.mjs';
import { webview } from '../lib/workbench.mjs';

const AIM = 20;
const [WARM, ROUNDS] = process.argv.includes('--quick') ? [3, 10] : [10, 100];

/** Thirty rules as in the other benches: none is about what the agent asks. */
const RULES = [
  ...Array.from({ length: 10 }, (_, at) => ['allow', `write(packages/p${at}/**)`]),
  ...Array.from({ length: 10 }, (_, at) => ['ask', `shell(tool${at} publish *)`]),
  ...Array.from({ length: 10 }, (_, at) => ['deny', `read(**/secret${at}/*.key)`]),
].map(([effect, pattern]) => `[[rule]]\neffect = "${effect}"\npattern = "${pattern}"\n`).join('\n');

/** @typedef {{ id: string, told: number, at: number, text: string, clicked?: number, handled?: number }} Seen what the webview has noted; milliseconds since 1970 */
/** @typedef {{ call: string, asked: number, answered: number, allowed: boolean }} Noted what the agent has; nanoseconds */

/** Runs in the webview: notes cards and clicks. */
function watch() {
  /** @type {Seen[]} */
  const seen = [];
  Object.assign(globalThis, { seen });
  const ids = new Set();
  const told = new Map();
  window.addEventListener('message', ({ data }) => {
    if (data?.type === 'approval-request') told.set(data.approvalId, performance.timeOrigin + performance.now());
  }, true);
  const look = () => {
    const at = performance.timeOrigin + performance.now();
    for (const card of document.querySelectorAll('[data-approval-id][data-state="pending"]')) {
      const id = card.getAttribute('data-approval-id') ?? '';
      if (!ids.has(id)) seen.push({ id, told: told.get(id), at, text: card.textContent ?? '' });
      ids.add(id);
    }
  };
  new MutationObserver(look).observe(document.documentElement, {
    childList: true, subtree: true, attributes: true, attributeFilter: ['data-approval-id', 'data-state'],
  });
  document.addEventListener('click', (event) => {
    const target = /** @type {Element} */ (event.target);
    const id = target.closest('[action-id="allow_once"]')?.closest('[data-approval-id]')?.getAttribute('data-approval-id');
    const card = seen.find((one) => one.id === id);
    if (card) card.clicked = performance.timeOrigin + event.timeStamp;
    if (card) card.handled = performance.timeOrigin + performance.now();
  }, true);
}

/** Runs in the webview: how far the clock of its timestamps is from the machine's, in milliseconds. */
function drift() {
  let most = -Infinity;
  const end = performance.now() + 20;
  // `Date.now` is cut to milliseconds: it is nearest right after it has changed.
  while (performance.now() < end) most = Math.max(most, Date.now() - (performance.timeOrigin + performance.now()));
  return most;
}

/** @param {number[]} values @param {number} percent */
function percentile(values, percent) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? NaN;
}

/** @param {string} name @param {number[]} values @param {number} [aim] */
function line(name, values, aim) {
  const [median, high] = [50, 99].map((percent) => `${percentile(values, percent).toFixed(2)} ms`.padStart(10));
  return `  ${name.padEnd(58)} p50 ${median}   p99 ${high}   n ${values.length}${aim ? `; aim: under ${aim} ms` : ''}`;
}

const program = mayi();
const agent = resolve(process.env.MAYI_ASKING_AGENT || join(dirname(program), 'asking_agent'));
if (!existsSync(agent)) throw new Error(`there is no ${agent}: build the workspace`);
const load = readFileSync('/proc/loadavg', 'utf8').split(' ')[0];
console.log(`${availableParallelism()} cores, load before: ${load}; ${program}`);

let out = '';
const scene = await setScene({
  others: [resolve(import.meta.dirname, 'echo')],
  config: RULES,
  settings: async (stage) => {
    out = stage.at('asked.json');
    const args = ['--out', out, '--calls', String(WARM + ROUNDS), '--pause-us', '300000'];
    return { 'mayi.defaultAgent': 'asking', 'mayi.agents': { asking: { command: agent, args } } };
  },
});

/** What VS Code and the browser take by themselves: see bench/echo. */
async function alone() {
  const file = scene.stage.at('extensions/echo/echoed.json');
  /** @returns {{ to: number[], back: number[], clicks: number[] }} */
  const times = () => JSON.parse(readFileSync(file, 'utf8'));
  await until('the minimal extension is done', () => existsSync(file));
  const frame = await webview(scene.page, '#echo');
  for (let clicks = 1; clicks <= WARM + ROUNDS; clicks += 1) {
    await frame.locator('#echo').click();
    await until('the minimal extension has the click', () => times().clicks.length === clicks);
  }
  await frame.locator('#close').click();
  await until('its page is closed', () => frame.isDetached());
  return { ...times(), clicks: times().clicks.slice(WARM) };
}

try {
  const { chat } = scene;
  const floor = await alone();
  await chat.open();
  const frame = await chat.frame();
  const off = [await frame.evaluate(drift)];
  await frame.evaluate(watch);
  await chat.prompt('Ask.');
  let again = 0;
  for (let round = 0; round < WARM + ROUNDS; round += 1) {
    const card = await frame.waitForFunction((/** @type {number} */ at) => /** @type {any} */ (globalThis).seen[at], round, { timeout: 60_000 })
      .catch((/** @type {Error} */ error) => { throw new Error(`card ${round} does not come: ${error.message}`); });
    const { id } = await card.jsonValue();
    const waits = frame.locator(`[data-approval-id="${id}"][data-state="pending"]`);
    await chat.press(id, 'allow_once');
    // A choice that has moved meanwhile does nothing for another half second: it is pressed again, as by a person.
    for (; !(await waits.waitFor({ state: 'detached', timeout: 3_000 }).then(() => true, () => false)); again += 1) await chat.press(id, 'allow_once');
  }
  await until('the turn is over', () => existsSync(out));
  off.push(await frame.evaluate(drift));
  const worst = Math.max(...off.map(Math.abs));
  if (worst > 2) throw new Error(`the webview's clock is ${worst} ms off`);
  /** @type {Seen[]} */
  const seen = await frame.evaluate(() => /** @type {any} */ (globalThis).seen);
  /** @type {Noted[]} */
  const noted = JSON.parse(readFileSync(out, 'utf8'));
  if (seen.length !== noted.length) throw new Error(`${seen.length} cards for ${noted.length} calls`);
  const pairs = noted.slice(WARM).map((call, at) => {
    const card = seen[WARM + at];
    const title = call.call.replace('call-', 'change ');
    if (!card?.clicked || !call.allowed || !new RegExp(`${title}(?!\\d)`).test(card.text)) throw new Error(`${call.call} and its card do not fit: ${JSON.stringify(card)}`);
    return { to: card.at - call.asked / 1e6, told: card.told - call.asked / 1e6, back: call.answered / 1e6 - card.clicked, handled: (card.handled ?? NaN) - card.clicked };
  });
  console.log(`\nwebview: VS Code in Chromium, one agent, 30 rules, record on; clocks ${worst.toFixed(2)} ms apart at most${again ? `; ${again} clicks did not count` : ''}`);
  console.log('VS Code alone, with a minimal extension:');
  console.log(line('from the extension to its webview', floor.to));
  console.log(line('from the webview to its extension', floor.back));
  console.log(line('from a click in the webview to its extension', floor.clicks));
  console.log('mayi, a question each 0.3 s after the answer before:');
  console.log(line("from the agent's request to the card in the webview", pairs.map(({ to }) => to), AIM));
  console.log(line('  of it until the webview is told', pairs.map(({ told }) => told)));
  console.log(line("from the click on Approve to the agent's answer", pairs.map(({ back }) => back), AIM));
  console.log(line('  of it until the webview has the click', pairs.map(({ handled }) => handled)));
  if (process.env.MAYI_BENCH_ROUNDS) console.log(JSON.stringify(pairs));
} finally {
  await scene.strike();
}
