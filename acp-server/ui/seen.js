// @ts-check
// Whether what is asked was in sight: an answer that allows counts only once all of it was, and once what is folded was
// opened. The places are looked at as they are on the screen, after each scroll, each change of size and each change of what is
// shown; what only passes by, as while a view scrolls by itself, was not in sight, and neither was what a box within it cuts off.
// This file is also a part of the extension for VS Code.

/** @typedef {{ top: number, bottom: number, left: number, right: number }} Box */

/** A rounding of the browser's, in pixels. */
const ROUNDING = 2;

/** So long a place has to be in sight without a gap, in milliseconds: less than a choice rests, which begins at the same moment. */
export const DWELL = 300;

/** What is watched, and the part of the window that is on the screen: a view may be cut off by the window around it. */
const watched = /** @type {Set<Seen>} */ (new Set());
/** @type {Box | null} */
let cut = null;
let planned = false;
let begun = false;

/** Looks at all of them with the next frame: something moved. */
export function plan() {
  if (planned) return;
  planned = true;
  requestAnimationFrame(() => {
    planned = false;
    for (const one of watched) one.look();
  });
}

function begin() {
  if (begun) return;
  begun = true;
  for (const name of ['scroll', 'resize', 'toggle', 'load', 'transitionend']) window.addEventListener(name, plan, { capture: true, passive: true });
  document.addEventListener('visibilitychange', plan);
  // A head that grows or shrinks covers more or less.
  const sizes = typeof ResizeObserver === 'undefined' ? null : new ResizeObserver(plan);
  for (const front of document.querySelectorAll('[data-in-front]')) sizes?.observe(front);
  if (typeof IntersectionObserver === 'undefined') return;
  // As large as the window: what is seen of it is what is seen of the window, wherever it is embedded.
  const all = document.createElement('div');
  Object.assign(all.style, { position: 'fixed', inset: '0', visibility: 'hidden', pointerEvents: 'none', zIndex: '-1' });
  all.setAttribute('aria-hidden', 'true');
  document.body.append(all);
  const steps = Array.from({ length: 101 }, (_, at) => at / 100);
  new IntersectionObserver((entries) => {
    const { intersectionRect, boundingClientRect } = /** @type {IntersectionObserverEntry} */ (entries.at(-1));
    const whole = intersectionRect.height >= boundingClientRect.height - 1 && intersectionRect.width >= boundingClientRect.width - 1;
    cut = whole ? null : intersectionRect;
    plan();
  }, { threshold: steps }).observe(all);
}

/** What can be seen of an element, where it is; none: nothing of it. @param {Element} element @returns {Box | null} */
export function sight(element) {
  const { top, bottom, left, right, width, height } = element.getBoundingClientRect();
  if (width === 0 || height === 0 || getComputedStyle(element).visibility !== 'visible') return null;
  return within(room(element), { top, bottom, left, right });
}

/** The element that another one is shown in: also out of a shadow tree, and into a slot. @param {Element} element @returns {Element | null} */
function outer(element) {
  const { host } = /** @type {Partial<ShadowRoot>} */ (element.getRootNode());
  return element.assignedSlot ?? element.parentElement ?? host ?? null;
}

/** The part of the window in which an element can be seen: what lies around it cuts it off, or stands in front. @param {Element} element @returns {Box | null} */
function room(element) {
  if (document.visibilityState === 'hidden') return null;
  /** @type {Box | null} */
  let box = { top: 0, left: 0, bottom: window.innerHeight, right: window.innerWidth };
  if (cut !== null) box = within(box, cut);
  for (let at = outer(element); at !== null && box !== null; at = outer(at)) {
    if (at === document.body || at === document.documentElement) continue;
    const { overflowX, overflowY } = getComputedStyle(at);
    if (overflowX !== 'visible' || overflowY !== 'visible') box = within(box, at.getBoundingClientRect());
  }
  // What stands in front, as a head that stays.
  for (const front of document.querySelectorAll('[data-in-front]')) {
    const over = front.getBoundingClientRect();
    if (box !== null && over.height > 0 && over.top <= box.top && over.bottom > box.top) box = { ...box, top: over.bottom };
    if (box !== null && over.height > 0 && over.bottom >= box.bottom && over.top < box.bottom) box = { ...box, bottom: over.top };
    if (box !== null && box.bottom <= box.top) box = null;
  }
  return box;
}

/** What a box within `part` cuts off or scrolls: nobody sees it by looking at the part. @param {HTMLElement} part @returns {HTMLElement | null} */
function cutOff(part) {
  for (const one of /** @type {NodeListOf<HTMLElement>} */ (part.querySelectorAll('*'))) {
    // What is there for a screen reader alone has no place.
    if (one.clientWidth <= ROUNDING || one.clientHeight <= ROUNDING) continue;
    if (one.scrollHeight <= one.clientHeight + ROUNDING && one.scrollWidth <= one.clientWidth + ROUNDING) continue;
    const { overflowX, overflowY } = getComputedStyle(one);
    if (overflowX !== 'visible' || overflowY !== 'visible') return one;
  }
  return null;
}

/** @param {Box | null} box @param {Box} other @returns {Box | null} */
function within(box, other) {
  if (box === null) return null;
  const [top, bottom] = [Math.max(box.top, other.top), Math.min(box.bottom, other.bottom)];
  const [left, right] = [Math.max(box.left, other.left), Math.min(box.right, other.right)];
  return bottom > top && right > left ? { top, bottom, left, right } : null;
}

/** What one card asks, and how much of it was in sight. */
export class Seen {
  /** From where to where it was seen, in pixels from its top. @type {[number, number][]} */
  #seen = [];
  #height = -1;
  #width = -1;
  /** How many places were folded at the last look, and where the first of them began. */
  #folds = 0;
  #foldTop = Infinity;
  #done = false;
  /** What was in sight at the last looks, in pixels from its top: from `DWELL` ago until now. @type {{ at: number, from: number, to: number }[]} */
  #looks = [];
  /** When it is looked at next, where nothing moves. @type {ReturnType<typeof setTimeout> | undefined} */
  #next;
  /** What was said last of whether all of it was seen. */
  #told = false;
  /** @type {ResizeObserver | null} */
  #sizes = null;
  /** Tells that it came into sight by something else than scrolling: another chat was chosen. @type {IntersectionObserver | null} */
  #places = null;
  /** Since when all of it is in sight at once, or the end of what was read and has no room; null: it is not. @type {number | null} */
  #since = null;

  /**
   * @param {HTMLElement} part what has to be seen
   * @param {(since: number) => void} changed all of it was seen, or is no more; the last of it since that moment (as `performance.now()`)
   */
  constructor(part, changed) {
    this.part = part;
    this.changed = changed;
    begin();
    watched.add(this);
    if (typeof ResizeObserver !== 'undefined') {
      this.#sizes = new ResizeObserver(plan);
      this.#sizes.observe(part);
    }
    if (typeof IntersectionObserver !== 'undefined') {
      this.#places = new IntersectionObserver(plan, { threshold: [0, 0.25, 0.5, 0.75, 1] });
      this.#places.observe(part);
    }
    plan();
  }

  /** Whether all of it was in sight, and what is folded was opened. */
  get all() {
    return this.#done && this.folded === null;
  }

  /** Since when all of it is in sight, or, where there is no room for that, its end is after all of it was: as `performance.now()`; null: it is not. */
  get since() {
    return this.folded === null ? this.#since : null;
  }

  /** What is folded still. @returns {HTMLElement | null} */
  get folded() {
    return this.part.querySelector('[data-folded]');
  }

  /** Looks where it is. */
  look() {
    const now = performance.now();
    const { top, bottom, left, right } = this.part.getBoundingClientRect();
    const height = bottom - top;
    const box = sight(this.part);
    this.#follow(height, right - left, top);
    const wide = box !== null && box.left <= left + ROUNDING && box.right >= right - ROUNDING;
    const end = box !== null && wide && box.bottom >= bottom - ROUNDING;
    let since = now;
    if (!this.#done) {
      since = this.#rest(box !== null && wide ? { at: now, from: box.top - top, to: box.bottom - top } : null) ?? now;
      const [first] = this.#seen;
      const read = this.#seen.length === 1 && first && first[0] <= ROUNDING && first[1] >= height - ROUNDING && height > 0;
      // What is folded still was not there, wherever the card ends without it.
      if (read && this.folded === null && cutOff(this.part) === null) this.#done = true;
    }
    const whole = end && (box.top <= top + ROUNDING || (this.#done && !this.#fits(height)));
    this.#since = whole ? (this.#since ?? now) : null;
    if (this.all === this.#told) return;
    this.#told = this.all;
    this.changed(since);
  }

  /** Whether all of it can be in sight at once. @param {number} height */
  #fits(height) {
    const around = room(this.part);
    return around !== null && around.bottom - around.top >= height - ROUNDING;
  }

  /** Another width or text moves everything in it: but for what stands above a place that was unfolded. @param {number} height @param {number} width @param {number} top */
  #follow(height, width, top) {
    const folds = [...this.part.querySelectorAll('[data-folded]')];
    const moved = Math.abs(height - this.#height) > ROUNDING || Math.abs(width - this.#width) > ROUNDING;
    if (!this.#done && (moved || folds.length !== this.#folds)) {
      const opened = folds.length < this.#folds && Math.abs(width - this.#width) <= ROUNDING;
      const kept = opened ? this.#foldTop : 0;
      this.#seen = this.#seen.filter(([from]) => from < kept).map(([from, to]) => /** @type {[number, number]} */ ([from, Math.min(to, kept)]));
      this.#looks = [];
    }
    [this.#height, this.#width, this.#folds] = [height, width, folds.length];
    this.#foldTop = folds[0] === undefined ? Infinity : folds[0].getBoundingClientRect().top - top;
  }

  /**
   * Takes in what is in sight now: seen is what was in sight at each look of the last `DWELL`, and no less.
   * @param {{ at: number, from: number, to: number } | null} now
   * @returns {number | null} since when it is in sight; null: nothing was added
   */
  #rest(now) {
    clearTimeout(this.#next);
    if (now === null) {
      this.#looks = [];
      return null;
    }
    const looks = [...this.#looks, now];
    // The last one that is old enough, and all after it.
    const first = looks.filter(({ at }) => now.at - at >= DWELL).length - 1;
    this.#looks = looks.slice(Math.max(0, first));
    const from = Math.max(...this.#looks.map((one) => one.from));
    const to = Math.min(...this.#looks.map((one) => one.to));
    const rested = first >= 0 && to > from;
    if (rested) this.#add(from, to);
    // Where nothing moves any more, nothing tells that it is time to look.
    if (!this.#seen.some(([start, end]) => start <= now.from && end >= now.to)) this.#next = setTimeout(plan, DWELL + 5);
    return rested ? this.#looks[0]?.at ?? null : null;
  }

  /** Shows what was not seen yet, a screen further; what is folded there is opened. */
  further() {
    const from = this.#seen.find(([start]) => start <= ROUNDING)?.[1] ?? 0;
    const { folded } = this;
    if (folded !== null && from >= this.#foldTop) {
      folded.click();
      plan();
      return;
    }
    const within = cutOff(this.part);
    if (within !== null && from >= this.#height - ROUNDING) Object.assign(within.style, { overflow: 'visible', height: 'auto', maxHeight: 'none' });
    const mark = document.createElement('span');
    // Below what stands in front, with a line of what was seen before.
    const front = [...document.querySelectorAll('[data-in-front]')].reduce((sum, one) => sum + one.getBoundingClientRect().height, 0);
    Object.assign(mark.style, { position: 'absolute', top: `${from}px`, height: '1px', width: '1px', scrollMarginTop: `${front + 20}px` });
    // The place is in the part's own measure.
    if (getComputedStyle(this.part).position === 'static') this.part.style.position = 'relative';
    this.part.append(mark);
    mark.scrollIntoView({ block: 'start', behavior: 'instant' });
    mark.remove();
    plan();
  }

  dispose() {
    watched.delete(this);
    this.#sizes?.disconnect();
    this.#places?.disconnect();
    clearTimeout(this.#next);
  }

  /** @param {number} from @param {number} to */
  #add(from, to) {
    const all = /** @type {[number, number][]} */ ([...this.#seen, [from, to]]).sort((a, b) => a[0] - b[0]);
    /** @type {[number, number][]} */
    const joined = [];
    for (const [start, end] of all) {
      const last = joined.at(-1);
      if (last && start <= last[1] + ROUNDING) last[1] = Math.max(last[1], end);
      else joined.push([start, end]);
    }
    this.#seen = joined;
  }
}

/** So much of a long text stands on a card before it is opened, in lines and in characters. */
export const FOLD = { lines: 24, characters: 1_200, head: 12, tail: 4 };

/**
 * What stays in sight of a long text, and what is folded: its beginning and its end.
 * @template T
 * @param {readonly T[]} lines
 * @param {number} [most]
 * @returns {{ head: T[], hidden: number, tail: T[] } | null} null: all of it
 */
export function foldOf(lines, most = FOLD.lines) {
  if (lines.length <= most) return null;
  return { head: lines.slice(0, FOLD.head), hidden: lines.length - FOLD.head - FOLD.tail, tail: lines.slice(lines.length - FOLD.tail) };
}
