// @ts-check
// What a page or a webview of an app imports: the card of mayi's own page as an element, `<mayi-card>`.

import { MayiCard, setOnline } from "./mayi-card.js";

export { connectCards, fromParent } from "./view.js";
export { MayiCard, setOnline };

if (!customElements.get("mayi-card")) customElements.define("mayi-card", MayiCard);
// Most views are always connected to their app. One whose connection may break says when it does.
setOnline(true);
