// Where a tool's path leads. What the model writes is made into a path once, before anybody is asked: what the question is about,
// what its card shows and what the tool opens are then the same file, however it was written.

import { isAbsolute, relative, resolve, sep } from "node:path";

/**
 * The arguments of a tool with its path as the tool opens it. `~` is a name like any other here.
 * @template {{ path?: unknown }} Input
 * @param {string} folder that paths begin in
 * @param {Input} input
 * @returns {Input}
 */
export function inFolder(folder, input) {
  return typeof input.path === "string" ? { ...input, path: resolve(folder, input.path) } : input;
}

/** Whether a path is below the folder. @param {string} folder @param {string} path */
export function isBelow(folder, path) {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
