// A page with cards, and what it hears of them.

import { connectCards, fromParent, setOnline } from "./card/index.js";

const answers = [];
Object.assign(window, { answers, connectCards, setOnline });
document.addEventListener("answer", ({ detail }) => answers.push(detail));

// Within another page, that one is the app.
if (window.parent !== window) {
  connectCards({ post: (message) => window.parent.postMessage(message, window.origin), listen: fromParent() }, (element) => document.querySelector("main").append(element));
}
