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

// All of it is in sight: jsdom lays nothing out.
let height = 100;
/** How high everything is that the page draws, in a window of 768 pixels. */
export function setHeight(pixels: number): void {
  height = pixels;
}
dom.window.Element.prototype.getBoundingClientRect = () => ({ x: 0, y: 0, top: 0, left: 0, width: 300, height, bottom: height, right: 300, toJSON: () => ({}) });
dom.window.Element.prototype.scrollIntoView = () => undefined;
Object.assign(globalThis, { Event: dom.window.Event, Element: dom.window.Element, getComputedStyle: dom.window.getComputedStyle.bind(dom.window) });
