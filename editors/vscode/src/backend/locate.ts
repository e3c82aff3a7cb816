// Finding the `mayi` program: the setting, the one in the extension, the search path, then where it is usually installed. Never the
// workspace.

import { accessSync, chmodSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

export interface Where {
  /** `mayi.path` of the user's settings on this machine, if set. */
  setting: string | null;
  /** The folder of the extension. */
  extension: string;
  /** The search path (`PATH`). */
  path: string;
  /** Folders that are looked at after those of the search path: see {@link usualFolders}. */
  usual: readonly string[];
  /** Whether this is Windows. */
  windows: boolean;
}

function runs(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The program in the extension, if it is there. Whoever unpacked it may have lost that it can be run. */
function bundledRuns(file: string): boolean {
  if (runs(file)) return true;
  try {
    if (!statSync(file).isFile()) return false;
    chmodSync(file, 0o755);
  } catch {
    // There is none, or it is somebody else's: then it stays as it is.
    return false;
  }
  return runs(file);
}

/** Where Cargo, pip and Homebrew put programs: an editor that was started from the desktop often lacks them on its search path. */
export function usualFolders(home: string, windows: boolean): string[] {
  const cargo = join(home, ".cargo", "bin");
  return windows ? [cargo] : [cargo, join(home, ".local", "bin"), "/usr/local/bin", "/opt/homebrew/bin"];
}

/** The program, or why there is none: one line for people. */
export function locate(where: Where): { path: string } | { problem: string } {
  const name = where.windows ? "mayi.exe" : "mayi";
  if (where.setting !== null && where.setting !== "") {
    if (!isAbsolute(where.setting)) return { problem: `"mayi.path" must be an absolute path; it is "${where.setting}".` };
    return runs(where.setting) ? { path: where.setting } : { problem: `"mayi.path" names no program: ${where.setting}` };
  }
  const bundled = join(where.extension, "bin", name);
  if (bundledRuns(bundled)) return { path: bundled };
  // A relative entry of the search path would be looked up in whatever folder is open.
  const found = [...where.path.split(delimiter), ...where.usual]
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .find(runs);
  if (found !== undefined) return { path: found };
  const says = where.windows ? "where mayi" : "command -v mayi";
  return {
    problem: `The program "mayi" is not on the editor's search path, nor where it is usually installed. Install it, or set "mayi.path" to what "${says}" prints in a terminal.`,
  };
}
