// A model that is a script: it reads the conversation, and wants tools as its person says: `find Ada`, `note "buy milk"`,
// `delete Bob`, `tell Ada "the build is done"`. What it says of a call is what it was told of it.

import { heard } from "../shared/thread.mjs";

/** What it says next, and the calls that it wants. */
export function respond(messages) {
  const { said, made } = heard(messages);
  const calls = [];
  const want = (server, name, input) => calls.push({ server, name, arguments: input });
  const tell = /\btell (\w+) "(.*?)"/i.exec(said);
  if (made.length === 0) {
    for (const [, name] of said.matchAll(/\bfind (\w+)/gi)) want("crm", "find_contact", { name });
    for (const [, text] of said.matchAll(/\bnote "(.*?)"/gi)) want("notes", "add_note", { text });
    for (const [, name] of said.matchAll(/\bdelete (\w+)/gi)) want("crm", "delete_contact", { name });
    if (tell && !calls.some(({ arguments: { name } }) => name === tell[1])) want("crm", "find_contact", { name: tell[1] });
    return { text: calls.length > 0 ? "" : "Say what to find, to note, to delete or to tell.", calls };
  }
  // Where to send it, it knows only now.
  const address = made.find(({ name, arguments: input, state }) => name === "find_contact" && input.name === tell?.[1] && state === "done")?.result;
  if (address?.includes("@") && !made.some(({ name }) => name === "send_message")) want("crm", "send_message", { to: address, text: tell[2] });
  return { text: calls.length > 0 ? "" : made.map(({ name, result }) => `${name}: ${result}.`).join(" "), calls };
}
