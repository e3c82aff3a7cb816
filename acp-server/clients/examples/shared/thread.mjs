// What is said in a chat: messages of parts. A call of a tool is a part of the message in which the model wanted it, and changes
// there: what was asked about looks in the end like what was not.

export class Thread {
  messages = [];

  /** @param {string} id @param {() => void} changed */
  constructor(id, changed) {
    this.id = id;
    this.changed = changed;
  }

  /** Adds a message of the person's or of the model's. */
  say(role, ...parts) {
    const message = { role, parts };
    this.messages.push(message);
    this.changed();
    return message;
  }

  /** Adds a part to a message, or changes it. */
  put(message, part, change) {
    if (!message.parts.includes(part)) message.parts.push(part);
    Object.assign(part, change);
    this.changed();
    return part;
  }
}

/** For a model that is a script: what the person said last, and the calls that it has made since. */
export function heard(messages) {
  const said = messages.findLast(({ role }) => role === "user")?.parts[0].text ?? "";
  const last = messages.at(-1);
  return { said, made: last?.role === "assistant" ? last.parts.filter(({ callId }) => callId !== undefined) : [] };
}
