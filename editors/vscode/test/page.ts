// A page for tests of what is drawn: jsdom's window in place of the webview's.

import { JSDOM } from "jsdom";

const dom = new JSDOM("<!DOCTYPE html><body></body>", { pretendToBeVisual: true });
/** What the page sent to the extension. */
export const sent: unknown[] = [];

Object.assign(globalThis, {
  window: dom.window,
  document: dom.window.document,
  HTMLElement: dom.window.HTMLElement,
  HTMLDetailsElement: dom.window.HTMLDetailsElement,
  Node: dom.window.Node,
  CSS: { escape: (text: string) => text },
  requestAnimationFrame: (act: () => void) => setTimeout(act, 0),
  acquireVsCodeApi: () => ({ postMessage: (message: unknown) => void sent.push(message) }),
});
