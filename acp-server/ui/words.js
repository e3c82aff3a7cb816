// @ts-check
// A line of a shell as it is searched: without its quotes, since mayi's are others than those that were written, and with one blank
// where there are several. Places are given in the line as it was written. This file is also a part of the extension for VS Code.

/** @typedef {{ from: number, to: number }} Place */
/** @typedef {Place & { text: string }} Token */

/** In a longer line nothing is looked for: it is folded anyway. */
const FINDABLE = 10_000;
/** So much is looked for at the most, in characters of the line times characters of what is looked for; the rest is not found. */
const WORK = 6e8;
/** Halves of pairs are parts of words too: no place begins or ends between two. */
const WORD = /[\p{L}\p{N}\p{M}\ud800-\udfff_./-]/u;

export class Words {
  /** The text that is searched. */
  #bare = '';
  /** Where each of its characters stands in the line. @type {number[]} */
  #places = [];
  /** For each character of `#bare` the innermost command that has it, from 1; 0: none. @type {Int32Array} */
  #commands;
  /** Whether a name that is no command stands there. @type {Uint8Array} */
  #names;
  /** The first words of the commands that were found. @type {string[]} */
  #first = [];
  #left = WORK;

  /** @param {string} line @param {string[]} homes what `~` stands for */
  constructor(line, homes) {
    this.line = line;
    this.homes = homes;
    if (line.length <= FINDABLE) [this.#bare, this.#places] = bare(line);
    this.#commands = new Int32Array(this.#bare.length);
    this.#names = new Uint8Array(this.#bare.length);
  }

  /**
   * The first place of a command that is free; or that stands within the words of one of `around`, which runs them.
   * @param {string} words @param {string[]} around @returns {Place | null}
   */
  command(words, around) {
    const runs = (/** @type {number} */ owner) => owner === 0 || around.includes(this.#first[owner - 1] ?? '');
    const found = this.#find(this.#forms([words]), (from, to) => {
      const owner = this.#commands[from] ?? 0;
      if (!runs(owner)) return false;
      for (let at = from; at < to; at += 1) if (this.#commands[at] !== owner) return false;
      return true;
    });
    if (found === null) return null;
    this.#first.push(/^[^ ]*?([^ /]+)(?: |$)/.exec(this.#bare.slice(...found))?.[1] ?? '');
    this.#commands.fill(this.#first.length, ...found);
    return this.#written(...found);
  }

  /**
   * The first place of a name, in one of its spellings; `outside`: rather one that stands in no command; `again`: if need be one that
   * is taken, since more than one thing is said of it.
   * @param {string[]} spellings @param {{ outside?: boolean, again?: boolean }} [which] @returns {Place | null}
   */
  name(spellings, { outside = false, again = false } = {}) {
    const forms = this.#forms(spellings);
    const free = (/** @type {number} */ from, /** @type {number} */ to) => !this.#names.subarray(from, to).includes(1);
    const alone = (/** @type {number} */ from, /** @type {number} */ to) => free(from, to) && this.#commands[from] === 0;
    const found = (outside ? this.#find(forms, alone) : null) ?? this.#find(forms, free) ?? (again ? this.#find(forms, () => true) : null);
    if (found === null) return null;
    this.#names.fill(1, ...found);
    return this.#written(...found);
  }

  /** The first place of a word within a place of the line. @param {Place} place @param {string} word @returns {Place | null} */
  within(place, word) {
    const found = this.#find(this.#forms([word]), (from, to) => (this.#places[from] ?? 0) >= place.from && (this.#places[to - 1] ?? 0) < place.to);
    return found === null ? null : this.#written(...found);
  }

  /** @param {Place} place */
  text({ from, to }) {
    return this.line.slice(from, to).replace(/['"\\]/g, '');
  }

  /** The word that a place stands in, up to the end of the place. @param {Place} place @returns {Token | null} */
  around({ from, to }) {
    let begin = from;
    while (begin > 0 && !/[\s;|&()<>`]/.test(this.line[begin - 1] ?? '')) begin -= 1;
    return { from: begin, to, text: this.text({ from: begin, to }) };
  }

  /** The word before this place of the same command. @param {number} at @returns {Token | null} */
  before(at) {
    const found = /(?:^|[\s;|&()<>`])([^\s;|&()<>`]+)(?:[ \t]|\\\n)+$/.exec(this.line.slice(Math.max(0, at - 200), at));
    if (found?.[1] === undefined) return null;
    const from = at - found[0].length + found[0].indexOf(found[1]);
    const to = from + found[1].length;
    return { from, to, text: this.text({ from, to }) };
  }

  /** The word after this place, before another one. @param {number} at @param {number} end @returns {Token | null} */
  after(at, end) {
    const found = /^(?:[ \t]|\\\n)+("[^"]*"|'[^']*'|[^\s]+)/.exec(this.line.slice(at, end));
    if (found?.[1] === undefined) return null;
    const from = at + found[0].length - found[1].length;
    return { from, to: from + found[1].length, text: found[1] };
  }

  /** The same words as `~` has them too. @param {string[]} spellings @returns {string[]} */
  #forms(spellings) {
    if (this.#left < 0) return [];
    const all = spellings.map((one) => bare(one)[0]);
    for (const home of this.homes) {
      const full = new RegExp(`(^|[ \\n=:@,(])${home.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?=/)`, 'g');
      all.push(...all.map((one) => one.replace(full, '$1~')));
    }
    return [...new Set(all)].filter((one) => one.trim() !== '');
  }

  /** @param {string[]} forms @param {(from: number, to: number) => boolean} fits @returns {[number, number] | null} */
  #find(forms, fits) {
    for (const wanted of forms) {
      this.#left -= this.#bare.length * wanted.length;
      if (this.#left < 0) return null;
      for (let from = this.#bare.indexOf(wanted); from >= 0; from = this.#bare.indexOf(wanted, from + 1)) {
        const to = from + wanted.length;
        if (!this.#cuts(from) && !this.#cuts(to) && fits(from, to)) return [from, to];
      }
    }
    return null;
  }

  /** Whether a word goes on over this place. @param {number} at */
  #cuts(at) {
    return WORD.test(this.#bare[at - 1] ?? '') && WORD.test(this.#bare[at] ?? '');
  }

  /** As it stands in the line, with the quotes that end there, and those around it. @param {number} from @param {number} to @returns {Place} */
  #written(from, to) {
    let start = this.#places[from] ?? 0;
    let end = (this.#places[to - 1] ?? 0) + 1;
    while (isOpen(this.line.slice(start, end), this.line[end] ?? '')) end += 1;
    const quote = this.line[start - 1];
    if ((quote === '"' || quote === "'") && this.line[end] === quote && this.line[start - 2] !== '\\') [start, end] = [start - 1, end + 1];
    return { from: start, to: end };
  }
}

/** A text as it is compared, and where each of its characters stands. @param {string} text @returns {[string, number[]]} */
function bare(text) {
  let out = '';
  /** @type {number[]} */
  const places = [];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    // A line that goes on in the next one.
    if (sign === '\\' && text[at + 1] === '\n') at += 1;
    else if (sign === '"' || sign === "'" || sign === '\\') continue;
    else if (sign === ' ' || sign === '\t') {
      if (out.endsWith(' ')) continue;
      out += ' ';
      places.push(at);
    } else {
      out += sign;
      places.push(at);
    }
  }
  return [out, places];
}

/** Whether `sign` is a quote that closes one in `text`. @param {string} text @param {string} sign */
function isOpen(text, sign) {
  return (sign === '"' || sign === "'") && text.split(sign).length % 2 === 0;
}
