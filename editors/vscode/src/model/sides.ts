// The two sides of a change. Agents send a part of a file as often as all of it: the part is put where it stands, if that is
// one place alone.

export interface Sides {
  before: string;
  after: string;
  /** Whether these are whole files. */
  whole: boolean;
}

/** Both sides of a change to a file that holds `now`; null: that is not known. */
export function sides({ oldText, newText }: { oldText: string | null; newText: string }, now: string | null): Sides {
  if (oldText === null) return { before: "", after: newText, whole: true };
  if (now === null || now === oldText) return { before: oldText, after: newText, whole: now === oldText };
  const at = oldText === "" ? -1 : now.indexOf(oldText);
  if (at < 0 || now.indexOf(oldText, at + 1) >= 0) return { before: oldText, after: newText, whole: false };
  return { before: now, after: now.slice(0, at) + newText + now.slice(at + oldText.length), whole: true };
}
