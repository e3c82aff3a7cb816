// Follows a growing file, for the log.

import { closeSync, openSync, readSync, unwatchFile, watchFile } from "node:fs";

const LOOK = 500;
const PIECE = 64 * 1024;

/** Gives `write` whatever is appended to `file`, from its beginning on, until it is disposed of. */
export class Tail {
  private at = 0;

  constructor(
    private readonly file: string,
    private readonly write: (text: string) => void,
  ) {
    watchFile(file, { interval: LOOK, persistent: false }, () => this.read());
    this.read();
  }

  dispose(): void {
    unwatchFile(this.file);
  }

  private read(): void {
    try {
      const handle = openSync(this.file, "r");
      try {
        const piece = Buffer.alloc(PIECE);
        for (let got = readSync(handle, piece, 0, PIECE, this.at); got > 0; got = readSync(handle, piece, 0, PIECE, this.at)) {
          this.at += got;
          this.write(piece.toString("utf8", 0, got));
        }
      } finally {
        closeSync(handle);
      }
    } catch {
      // Gone: there is nothing more to follow.
    }
  }
}
