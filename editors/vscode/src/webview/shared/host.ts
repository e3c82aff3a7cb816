// The other side of a webview: the extension.

import { type FromWebview, type ToWebview, toWebview } from "../../messages";
import { Pace } from "./pace";

interface Api {
  postMessage(message: unknown): void;
}

declare function acquireVsCodeApi(): Api;

let api: Api | null = null;

/** Sends `message` to the extension. */
export function send(message: FromWebview): void {
  api ??= acquireVsCodeApi();
  api.postMessage(message);
}

/** All that the extension sends is taken in here, in its order. */
export const pace = new Pace();

/** Hears of what the extension sends; what is not understood is left out. */
export function hear(on: (message: ToWebview) => void): void {
  // The editor's keys go by where the focus is, and it does not say that of a view.
  const focused = (now: boolean): void => send({ type: "focused", on: now });
  window.addEventListener("focus", () => focused(true));
  window.addEventListener("blur", () => focused(false));
  if (document.hasFocus()) focused(true);
  window.addEventListener("message", (event: MessageEvent<unknown>) => {
    pace.add(() => {
      const message = toWebview(event.data);
      if (message !== null) on(message);
    });
  });
}
