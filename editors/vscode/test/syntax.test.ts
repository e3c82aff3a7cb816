import assert from "node:assert/strict";
import { mock, test } from "node:test";

import "./page";

import { cutAt, LIMIT, modeOf, pieces, SHELL, Syntax } from "../src/text/syntax";
import { visibleBlock } from "../src/text/visible";
import { changeOf } from "../src/webview/shared/change";
import { CardView } from "../src/webview/card/card";
import { permissionBlock } from "../src/model/block";
import type { TabCard } from "../src/api";
import { card } from "./values";

const ENDINGS = ["sh", "rs", "py", "ts", "tsx", "js", "json", "go", "rb", "c", "cpp", "cs", "java", "kt", "scala", "swift", "dart", "css", "scss", "less", "html", "xml", "vue", "sql", "toml", "ini", "lua", "ps1", "proto", "m"];
/** Texts that are not what they seem, and texts that end in the midst of something. */
const ODD = [
  "", " ", "\t", "\n\n\n", "'", '"', "`", "'''", '"""', "/*", "*/", "<!--", "<script>", "<![CDATA[", "${", "$((", "<<EOF\n", "<<-'X'\na\n", "#{", "#!/bin/sh", "\\", "r#\"", "{{{", ")))", "@", "%w[", "=begin\n",
  "echo 'a\nb' # c\n", "for f in $(git ls-files); do sed -i 's/a/b/' \"$f\"; done | sort > x.txt", "\u{1f469}\u200d\u{1f4bb} ünïcödé \u202e", "a\u0000b\u001b[31m", "\ud800x", "x".repeat(LIMIT.line + 5), "((((".repeat(200), " ".repeat(LIMIT.line), "{a:".repeat(160), '"\\'.repeat(200),
];

function shown(of: TabCard): HTMLElement {
  const view = new CardView({ card: of, state: "pending", by: null, at: null, reason: null, block: permissionBlock(of, "pending", []) }, {
    bypass: () => true, alike: () => [], respond: () => undefined, respondMany: () => undefined, openFile: () => undefined, openChange: () => undefined, folder: () => null, origin: () => null, together: null,
  });
  document.body.append(view.element);
  return view.element;
}

const asks = (line: string, marked: string): TabCard => card(crypto.randomUUID(), {
  toolCall: { ...card("x").toolCall, rawInput: { command: line } },
  accesses: [{ access: "shell", display: marked, category: "execute" }],
  why: [{ effect: "ask", access: `shell(${marked})`, source: "matrix", reason: "execute in default mode", always: false }],
});

// Attack 480.
test("whatever is read for colours, the pieces joined are the text", () => {
  for (const ending of ENDINGS) {
    const mode = modeOf(`a.${ending}`);
    assert.ok(mode !== null, ending);
    for (const text of [...ODD, ODD.join("\n")]) {
      const all = pieces(text, mode);
      assert.equal(all.map((one) => one.text).join(""), text, `${ending}: ${JSON.stringify(text.slice(0, 40))}`);
      const lengths = [3, 1, 0, 5, text.length];
      assert.equal(cutAt(all, lengths).flat().map((one) => one.text).join(""), text);
    }
  }
});

test("a mode that fails, stays where it is, or shows something else gives plain text", () => {
  const failing = [() => { throw new Error("no"); }, () => null];
  for (const token of failing) assert.deepEqual(new Syntax({ name: "x", token } as never).line("abc"), [{ text: "abc", kind: null }]);
});

test("what is long has no colours", () => {
  const many = "if true; then echo 1; fi\n".repeat(LIMIT.all / 20);
  assert.deepEqual(pieces(many, SHELL), [{ text: many, kind: null }]);
  assert.ok(pieces("if true; then echo 1; fi", SHELL).some((one) => one.kind === "keyword"));
  assert.ok(pieces(`${"x".repeat(LIMIT.line + 1)}\nif true`, SHELL).every((one, at, all) => one.kind === null || at > 0 && all[0]?.kind === null));
});

test("what takes long has no colours from there on", () => {
  let now = 0;
  mock.method(performance, "now", () => now);
  const syntax = new Syntax(SHELL);
  assert.ok(syntax.line("if true; then echo 1; fi").some((one) => one.kind === "keyword"));
  now += LIMIT.time + 1;
  assert.deepEqual(syntax.line("if true; then echo 1; fi"), [{ text: "if true; then echo 1; fi", kind: null }]);
  mock.restoreAll();
});

test("a name decides how a file is read, and no name of an object's own parts does", () => {
  assert.equal(modeOf("/w/src/lib.RS"), modeOf("b.rs"));
  assert.equal(modeOf("/w/Dockerfile"), modeOf("dockerfile"));
  for (const name of ["a.txt", "", "a.", "constructor", "a.constructor", "a.__proto__", "toString"]) assert.equal(modeOf(name), null, name);
});

// Attack 480.
test("a command has colours, its text and its marks are as without them, and what is invisible is shown", () => {
  const line = `for f in *.rs; do sed -i 's/a/b/' "$f" && echo \u202eevil # 'x\u200b'; done`;
  const element = shown(asks(line, `sed -i 's/a/b/' "$f"`));
  const command = element.querySelector(".mayi-command");
  assert.equal(command?.textContent, visibleBlock(line));
  assert.deepEqual([...(command?.querySelectorAll("mark") ?? [])].map((one) => one.textContent), [`sed -i 's/a/b/' "$f"`]);
  assert.ok(command?.querySelector("mark .tok-string"), "colours inside of a mark");
  assert.ok(command?.querySelector(".tok-keyword"));
  assert.match(command?.textContent ?? "", /\\u\{202e\}evil # 'x\\u\{200b\}'/);
});

test("a long command is folded with its colours and marks, and opened it is all of the text", () => {
  const line = `cat <<'EOF' > a.txt\n${Array.from({ length: 60 }, (_, at) => `if true; then echo "${at}"; fi`).join("\n")}\nEOF\nrm -rf 'b c'`;
  const element = shown(asks(line, "rm -rf 'b c'"));
  const parts = [...element.querySelectorAll(".mayi-fold .mayi-command")];
  assert.equal(parts.length, 2);
  const lines = line.split("\n");
  assert.deepEqual(parts.map((one) => one.textContent), [lines.slice(0, 12).join("\n"), lines.slice(-4).join("\n")]);
  assert.equal(parts[1]?.querySelector("mark")?.textContent, "rm -rf 'b c'");
  assert.ok(parts.every((one) => one.querySelector("[class^=tok-]")), "colours in both");
  element.querySelector<HTMLButtonElement>("[data-folded]")?.click();
  assert.equal(element.querySelector(".mayi-command")?.textContent, line);
});

// Attack 480: a remark that begins in what goes does not go on in what comes.
test("a change has colours, and each line's text is as without them", () => {
  const before = "// old\nfn main() {\n    /* begins here\n    let a = 1;\n}\n";
  const after = "// old\nfn main() {\n    let a = \"\u202etwo\";\n}\n";
  const of = (path: string): HTMLElement => changeOf({ path, oldText: before, newText: after }, { from: 1, folder: "/w", open: null, heading: true });
  const texts = (box: HTMLElement): (string | null)[] => [...box.querySelectorAll(".line")].map((one) => one.textContent);
  const [code, text] = [of("/w/a.rs"), of("/w/a.txt")];
  assert.deepEqual(texts(code).map((one) => one?.slice(1)), texts(text).map((one) => one?.slice(1)));
  assert.equal(text.querySelector("[class^=tok-]"), null);
  assert.ok(code.querySelector(".added .tok-string")?.textContent?.includes("\\u{202e}two"));
  // The remark that begins in what goes does not go on in what comes.
  assert.ok(code.querySelector(".removed .tok-comment"));
  assert.equal(code.querySelector(".added .tok-comment"), null);
});

// Attack 480: code in the colours of a remark.
test("what a shell runs to have its words is no remark", () => {
  for (const line of ["echo $(curl evil)", "echo `curl evil`", "cat <(curl evil)"]) {
    assert.ok(pieces(line, SHELL).every((one) => one.kind !== "comment"), line);
  }
});
