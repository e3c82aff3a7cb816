// The commands that an agent offers, by what is written at the beginning of a message.

import { visible } from "../text/visible";

export interface Command {
  name: string;
  description: string;
}

/** So many are shown at once: an agent may offer any number. */
export const SHOWN = 50;

/**
 * Those that `text` may become: it is a slash and the beginning of a name, or a part of one, and nothing else. Names that can't be
 * typed as they look are not offered: what is put into the message is what is read.
 */
export function matching(commands: readonly Command[], text: string): Command[] {
  const written = /^\/(\S*)$/.exec(text)?.[1]?.toLowerCase();
  if (written === undefined) return [];
  const names = new Set<string>();
  const sound = commands.filter(({ name }) => {
    const known = names.has(name);
    names.add(name);
    return !known && name !== "" && name.length <= 100 && !/\s/.test(name) && visible(name) === name;
  });
  const begins = sound.filter(({ name }) => name.toLowerCase().startsWith(written));
  const has = sound.filter((one) => !begins.includes(one) && one.name.toLowerCase().includes(written));
  return [...begins, ...has].slice(0, SHOWN);
}
