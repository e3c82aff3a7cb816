// @ts-check
// What an app imports.

export { Chat } from "./lib/chat.js";
export { MayiError } from "./lib/errors.js";
export { Mayi } from "./lib/mayi.js";
