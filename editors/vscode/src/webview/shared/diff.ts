// Two texts, line by line.

export interface Line {
  mark: " " | "+" | "-";
  text: string;
}

/** Beyond so many pairs of lines the middle is shown as removed and added, without looking for what is common. */
const MOST = 4_000_000;

/** The lines of `oldText` and `newText`: all of them, in order. */
export function diff(oldText: string, newText: string): Line[] {
  const a = lines(oldText);
  const b = lines(newText);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const same = (part: string[]): Line[] => part.map((text) => ({ mark: " ", text }));
  return [
    ...same(a.slice(0, start)),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(a.slice(a.length - end)),
  ];
}

function lines(text: string): string[] {
  if (text === "") return [];
  const all = text.split("\n");
  if (all.at(-1) === "") all.pop();
  return all;
}

function middle(a: string[], b: string[]): Line[] {
  const gone = a.map((text): Line => ({ mark: "-", text }));
  const come = b.map((text): Line => ({ mark: "+", text }));
  if (a.length === 0 || b.length === 0 || a.length * b.length > MOST) return [...gone, ...come];
  // Lengths of the longest common part of what is left, from the end.
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j;
      common[at] = a[i] === b[j] ? (common[at + width + 1] ?? 0) + 1 : Math.max(common[at + width] ?? 0, common[at + 1] ?? 0);
    }
  }
  const out: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const at = i * width + j;
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push({ mark: " ", text: a[i] ?? "" });
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && (common[at + width] ?? 0) >= (common[at + 1] ?? 0))) {
      out.push({ mark: "-", text: a[i++] ?? "" });
    } else {
      out.push({ mark: "+", text: b[j++] ?? "" });
    }
  }
  return out;
}
