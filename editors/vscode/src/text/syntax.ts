// Which part of a text is a keyword, a string, a comment. It only says of pieces what they look like: joined, they are the text,
// character by character. Modes of others read it (CodeMirror's, line by line); what is long or odd has no colours.

import { c, cpp, csharp, dart, java, kotlin, objectiveC, scala } from "@codemirror/legacy-modes/mode/clike";
import { css, less, sCSS } from "@codemirror/legacy-modes/mode/css";
import { dockerFile } from "@codemirror/legacy-modes/mode/dockerfile";
import { go } from "@codemirror/legacy-modes/mode/go";
import { javascript, json, typescript } from "@codemirror/legacy-modes/mode/javascript";
import { lua } from "@codemirror/legacy-modes/mode/lua";
import { powerShell } from "@codemirror/legacy-modes/mode/powershell";
import { properties } from "@codemirror/legacy-modes/mode/properties";
import { protobuf } from "@codemirror/legacy-modes/mode/protobuf";
import { python } from "@codemirror/legacy-modes/mode/python";
import { ruby } from "@codemirror/legacy-modes/mode/ruby";
import { rust } from "@codemirror/legacy-modes/mode/rust";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import { standardSQL } from "@codemirror/legacy-modes/mode/sql";
import { swift } from "@codemirror/legacy-modes/mode/swift";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { html, xml } from "@codemirror/legacy-modes/mode/xml";
import { type StreamParser, StringStream } from "@codemirror/streamparser";

/** What a piece looks like. */
export type Kind = "keyword" | "string" | "number" | "name" | "comment";

export interface Piece {
  text: string;
  /** null: as the text around it. */
  kind: Kind | null;
}

/**
 * A text of more characters has no colours, and neither has a line of more: a mode may look at a line more than once. No mode is
 * used that takes long for a line of this length, whatever stands in it (that for YAML does). After so many milliseconds the lines
 * that are left have none either.
 */
export const LIMIT = { all: 20_000, line: 500, time: 100 };

/** A mode that stays where it is so often is given up. */
const STUCK = 10;
const TAB = 4;
const INDENT = 2;

/** The state of a mode is its own. */
type Mode = StreamParser<any>;

const BY_ENDING: Record<string, Mode> = {
  bash: shell, c, cc: cpp, cfg: properties, cjs: javascript, cpp, cs: csharp, css, cts: typescript, cxx: cpp, dart, env: properties, go, h: c,
  hpp: cpp, htm: html, html, ini: properties, java, js: javascript, json, jsonc: json, jsx: javascript, kt: kotlin, kts: kotlin, less, lua,
  m: objectiveC, mjs: javascript, mts: typescript, properties, proto: protobuf, ps1: powerShell, py: python, pyi: python, rb: ruby, rs: rust,
  sass: sCSS, scala, scss: sCSS, sh: shell, sql: standardSQL, svg: xml, swift, toml, ts: typescript, tsx: typescript, vue: html, xml,
  zsh: shell,
};
const BY_NAME: Record<string, Mode> = { dockerfile: dockerFile, containerfile: dockerFile, gemfile: ruby, rakefile: ruby, ".bashrc": shell, ".zshrc": shell, ".profile": shell };

/** The mode for a file by its name; null: none is known. */
export function modeOf(path: string): Mode | null {
  const name = (path.split(/[\\/]/).at(-1) ?? "").toLowerCase();
  const ending = name.includes(".") ? (name.split(".").at(-1) ?? "") : "";
  if (Object.hasOwn(BY_NAME, name)) return BY_NAME[name] ?? null;
  return Object.hasOwn(BY_ENDING, ending) ? (BY_ENDING[ending] ?? null) : null;
}

/** The mode for lines of a shell. */
export const SHELL: Mode = shell;

/** Reads lines that follow each other. */
export class Syntax {
  private state: unknown;
  private broken = false;
  private readonly end = performance.now() + LIMIT.time;

  constructor(private readonly mode: Mode) {
    this.state = this.begin();
  }

  /** The pieces of the next line, which has no line end. */
  line(text: string): Piece[] {
    if (this.broken || text.length > LIMIT.line || performance.now() > this.end) return plain(text);
    try {
      const pieces = this.read(text);
      // Whatever a mode does: what is shown is the text.
      if (pieces.map((one) => one.text).join("") === text) return pieces;
    } catch {
      // A mode that fails at a line knows nothing of the next ones.
    }
    this.broken = true;
    return plain(text);
  }

  private begin(): unknown {
    return this.mode.startState?.(INDENT) ?? {};
  }

  private read(text: string): Piece[] {
    if (text === "") {
      this.mode.blankLine?.(this.state, INDENT);
      return [];
    }
    const stream = new StringStream(text, TAB, INDENT);
    const pieces: Piece[] = [];
    let stuck = 0;
    while (!stream.eol()) {
      stream.start = stream.pos;
      const style = this.mode.token(stream, this.state);
      if (stream.pos <= stream.start) {
        if (++stuck > STUCK) throw new Error("the mode stays where it is");
        continue;
      }
      stuck = 0;
      const [kind, last] = [kindOf(style), pieces.at(-1)];
      const piece = text.slice(stream.start, stream.pos);
      if (last?.kind === kind) last.text += piece;
      else pieces.push({ text: piece, kind });
    }
    return pieces;
  }
}

function plain(text: string): Piece[] {
  return text === "" ? [] : [{ text, kind: null }];
}

/** All of a text; without colours where it is too long, or of no known mode. */
export function pieces(text: string, mode: Mode | null): Piece[] {
  if (mode === null || text.length > LIMIT.all) return plain(text);
  const syntax = new Syntax(mode);
  return text.split("\n").flatMap((line, at) => [...(at > 0 ? plain("\n") : []), ...syntax.line(line)]);
}

/** The same pieces, cut where parts of these lengths end. */
export function cutAt(all: readonly Piece[], lengths: readonly number[]): Piece[][] {
  const rest = [...all];
  return lengths.map((length) => {
    const part: Piece[] = [];
    for (let left = length; left > 0 && rest.length > 0; ) {
      const first = rest.shift() as Piece;
      part.push({ text: first.text.slice(0, left), kind: first.kind });
      if (first.text.length > left) rest.unshift({ text: first.text.slice(left), kind: first.kind });
      left -= first.text.length;
    }
    return part;
  });
}

const KINDS: readonly [RegExp, Kind][] = [
  // Not `quote`: in a shell that is what another command gives, and it runs.
  [/^comment/, "comment"],
  [/^(keyword|modifier|atom|bool|null|self|operatorKeyword)/, "keyword"],
  [/^(string|regexp|character|url|link)/, "string"],
  [/^(number|integer|float|unit|color)/, "number"],
  [/^(def|type|tag|class|attribute|builtin|macro|label|heading|property|meta|variableName\.(standard|definition|special))/, "name"],
];

/** What a mode's word for a piece comes to: `variableName.definition`, `string-2`, `keyword control`. */
function kindOf(style: string | null): Kind | null {
  if (style === null || style === undefined) return null;
  for (const word of style.split(" ")) for (const [pattern, kind] of KINDS) if (pattern.test(word)) return kind;
  return null;
}
