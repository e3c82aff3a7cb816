// @ts-check
// A view of the extension by itself in a browser, at any width and in any theme: the bundle as it is built, with real cards.
// What the editor gives a webview (variables of the theme, its class) was taken from a real one.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { extension } from './places.mjs';

/** The variables of VS Code's themes: `just themes` takes them anew. @type {Record<string, Record<string, string>>} */
export const THEMES = JSON.parse(readFileSync(new URL('themes.json', import.meta.url), 'utf8'));

const KIND = { light: 'vscode-light', dark: 'vscode-dark', 'hc-light': 'vscode-high-contrast-light vscode-high-contrast', 'hc-dark': 'vscode-high-contrast' };
const bundle = (/** @type {string} */ name) => readFileSync(join(extension, 'dist/webview', name), 'utf8');

/** What every webview of the editor has. */
const GIVEN = `html { scrollbar-color: var(--vscode-scrollbarSlider-background) var(--vscode-editor-background); }
body { overscroll-behavior-x: none; background-color: transparent; color: var(--vscode-editor-foreground); font-family: var(--vscode-font-family); font-weight: var(--vscode-font-weight); font-size: var(--vscode-font-size); margin: 0; padding: 0 20px; }
img, video { max-width: 100%; max-height: 100%; }
a, a code { color: var(--vscode-textLink-foreground); }
code { font-family: var(--monaco-monospace-font); color: var(--vscode-textPreformat-foreground); background-color: var(--vscode-textPreformat-background); padding: 1px 3px; border-radius: 4px; }
pre code { padding: 0; }`;

/**
 * Opens a view with these cards, each in a chat of its own with its tool call.
 * @param {any} browser
 * @param {{ view?: 'chat' | 'approvals' | 'permissions', width: number, height?: number, theme?: string, cards: any[], tools?: any[], oneTab?: boolean, selected?: number }} options
 */
export async function openAlone(browser, { view = 'chat', width, height = 900, theme = 'dark', cards, tools = [], oneTab = false, selected = 0 }) {
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce', colorScheme: theme.includes('light') ? 'light' : 'dark' });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  /** @type {string[]} */
  const wrong = [];
  page.on('pageerror', (/** @type {Error} */ error) => wrong.push(String(error)));
  const style = Object.entries(THEMES[theme] ?? {}).map(([name, value]) => `${name}: ${value};`).join(' ').replaceAll('"', "'");
  const background = THEMES[theme]?.['--vscode-sideBar-background'] ?? '#fff';
  await page.setContent(`<!DOCTYPE html><html lang="en" style="${style}"><head><title>mayi</title><style>${GIVEN}</style><style>${bundle(`${view}.css`)}</style></head>
    <body class="${KIND[/** @type {keyof typeof KIND} */ (theme)]}" style="background-color: ${background}" data-vscode-theme-kind="${KIND[/** @type {keyof typeof KIND} */ (theme)]}">${view === 'chat' ? '<div id="mayi"></div>' : ''}
    <script>window.sent = []; window.acquireVsCodeApi = () => ({ postMessage: (message) => window.sent.push(message) });</script></body></html>`);
  await page.evaluate(bundle(`${view}.js`));
  const ready = (/** @type {string} */ type) => page.waitForFunction((/** @type {string} */ wanted) => (/** @type {any} */ (window)).sent.some((/** @type {any} */ one) => one.type === wanted), type);
  await ready('ready');
  const tab = (/** @type {string} */ tabId) => ({ tabId, agentName: 'kinds', title: '', cwd: cards[0]?.cwd ?? '', mode: 'default', modeLocked: null, bypassPermissions: false, bypassSession: false, inLine: 0, state: 'running', error: null, commands: [], queue: [] });
  const tabs = (oneTab ? ['t0'] : cards.map((_, at) => `t${at}`)).map((tabId, at) => ({
    tab: tab(tabId),
    items: [{ kind: 'prompt', id: `${tabId}-prompt`, text: 'Do what has to be done', turn: 1 }, ...(oneTab ? cards : [cards[at]]).flatMap((card, of) => {
      const tool = tools[oneTab ? of : at] ?? {};
      const { toolCallId, title, kind, rawInput } = card.toolCall;
      return [
        { kind: 'tool', id: `${tabId}-tool-${of}`, toolCallId, title: tool.title ?? title, toolKind: tool.kind ?? kind, status: 'pending', rawInput, rawOutput: null, content: [], locations: [], decided: null, unasked: null },
        { kind: 'approval', id: card.approvalId, toolCallId },
      ];
    })],
  }));
  const catalog = { agents: [{ name: 'kinds', title: 'kinds', found: true, bypassPermissions: false, bypassLocked: null, mode: null, hint: null }], modes: [{ id: 'default', name: 'Default', description: '' }], mode: 'default', defaultAgent: 'kinds', folder: cards[0]?.cwd ?? null, status: { state: 'connected', text: '' } };
  const entries = cards.map((card, at) => ({ card: { ...card, tabId: oneTab ? 't0' : `t${at}` }, state: 'pending', by: null, at: null, reason: null, block: { extra: {} } }));
  const post = (/** @type {any} */ message) => page.evaluate((/** @type {any} */ one) => window.postMessage(one, '*'), message);
  await post({ type: 'state', catalog, tabs, selected: oneTab ? 't0' : `t${selected}`, entries });
  if (cards.length > 0) await page.locator(`[data-approval-id="${cards[oneTab ? 0 : selected].approvalId}"]`).first().waitFor();
  return {
    page, context, wrong, post,
    /** Shows the chat of the card in that place. @param {number} at */
    async select(at) {
      await post({ type: 'tab-select', tabId: `t${at}` });
      await page.locator(`[data-approval-id="${cards[at].approvalId}"]`).waitFor({ state: 'visible' });
    },
    card: (/** @type {any} */ of) => page.locator(`[data-approval-id="${of.approvalId}"]`),
    /** The answers that were sent. @returns {Promise<any[]>} */
    answers: () => page.evaluate(() => (/** @type {any} */ (window)).sent.filter((/** @type {any} */ one) => one.type.startsWith('approval-response'))),
  };
}
