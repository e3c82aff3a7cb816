#!/usr/bin/env python3
"""Writes the pages of the book that are made: docs/commands.md, of what the built program says by `--help`, and
docs/configuration.md, of core/config/mayi.schema.json.

    tests/docs/reference.py PROGRAM            compares the pages with what they should be, and ends with 1 if one is not
    tests/docs/reference.py PROGRAM --write    writes them
"""

import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
SCHEMA = ROOT / "core/config/mayi.schema.json"
MADE = "<!-- `just reference` writes this page. -->"


def help_of(program, words):
    """What `mayi WORDS --help` prints, in a home of its own, so that it says nothing of this machine."""
    with tempfile.TemporaryDirectory() as home:
        env = {"HOME": home, "PATH": os.environ["PATH"], "COLUMNS": "100", "NO_COLOR": "1"}
        done = subprocess.run([program, *words, "--help"], env=env, cwd=home, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise SystemExit(f"mayi {' '.join(words)} --help: {done.stderr}")
    return "\n".join(line.rstrip() for line in done.stdout.rstrip().split("\n"))


def commands_of(text):
    """The commands that a help text lists, without `help`."""
    part = re.search(r"^Commands:\n((?:  .*\n|\n)+?)(?=\S|\Z)", text + "\n", re.M)
    names = re.findall(r"^  ([a-z][a-z-]*)(?:  |$)", part[1], re.M) if part else []
    return [name for name in names if name != "help"]


def split_global(text):
    """A help text without the options that every command has, and these."""
    found = re.search(r"^Global options:\n(?:  .*\n|\n)+?(?=\S|\Z)", text + "\n", re.M)
    if not found:
        return text, ""
    return (text[: found.start()] + text[found.end() :]).rstrip(), found[0].rstrip()


def commands(program):
    """docs/commands.md."""
    top = help_of(program, [])
    out = ["# Commands", "", MADE, "", "What `mayi --help` and the help of each command say.", ""]
    own, shared = split_global(top)
    out += ["```text", own, "```", "", "## For every command", "", "```text", shared, "```", ""]

    def add(words):
        text = help_of(program, words)
        own, _ = split_global(text)
        out.extend([f"{'#' * min(len(words) + 1, 4)} mayi {' '.join(words)}", "", "```text", own, "```", ""])
        for name in commands_of(text):
            add([*words, name])

    for name in commands_of(top):
        add([name])
    return "\n".join(out).rstrip() + "\n"


class Schema:
    """The schema, as tables."""

    def __init__(self):
        self.all = json.loads(SCHEMA.read_text())

    def of(self, value):
        """What stands behind a `$ref`; what is said beside it comes first."""
        if "$ref" not in value:
            return value
        return {**self.all["$defs"][value["$ref"].rsplit("/", 1)[1]], **{k: v for k, v in value.items() if k != "$ref"}}

    def kind(self, value):
        """What a value is, in a few words."""
        name = value.get("$ref", "").rsplit("/", 1)[-1]
        value = self.of(value)
        if name == "Pattern":
            return "[pattern](#patterns)"
        if "const" in value:
            return f"`{json.dumps(value['const'])}`"
        if "anyOf" in value or "oneOf" in value:
            kinds = [self.kind(one) for one in value.get("anyOf") or value["oneOf"]]
            return " or ".join(dict.fromkeys(kinds))
        if value.get("type") == "array":
            return f"list of {self.kind(value['items'])}"
        if value.get("type") == "object":
            below = value.get("additionalProperties")
            return f"table: a name, and {self.kind(below)}" if isinstance(below, dict) else "table"
        return {"boolean": "`true` or `false`", "string": "text", "integer": "number"}[value["type"]]

    def words(self, value):
        """The words that may be written, each with what it means."""
        value = self.of(value)
        return [(one["const"], one["description"]) for one in value.get("oneOf", []) if "const" in one]

    def tables(self, value):
        """The tables below a value, each with what stands before its keys."""
        value = self.of(value)
        if value.get("type") == "array":
            return [("[[]]", found) for _, found in self.tables(value["items"])]
        if "anyOf" in value:
            return [found for one in value["anyOf"] if "$ref" in one for found in self.tables({"$ref": one["$ref"]})]
        if "properties" in value:
            return [("", value)]
        below = value.get("additionalProperties")
        if isinstance(below, dict):
            return [(".NAME" + name, found) for name, found in self.tables(below)]
        return []

    def section(self, path, table, out, seen):
        """A table as a section, and those below it. One that was there before is not said again."""
        doubled = path.endswith("[[]]")
        name = path.removesuffix("[[]]")
        out += [f"## `[[{name}]]`" if doubled else f"## `[{name}]`" if name else "## At the top", "", flat(table["description"]), ""]
        keys = json.dumps(table["properties"])
        if keys in seen:
            out += [f"The keys of [`{seen[keys]}`](#{seen[keys].strip('[]').replace('.', '').lower()}).", ""]
            return
        seen[keys] = f"[[{name}]]" if doubled else f"[{name}]"
        out += ["| key | value | |", "|---|---|---|"]
        below = []
        for key, value in table["properties"].items():
            text = flat(value.get("description") or self.of(value).get("description", ""))
            words = "; ".join(f"`{word}`: {meaning[:1].lower()}{meaning[1:].rstrip('.')}" for word, meaning in self.words(value))
            says = " ".join(part for part in (text, f"{words}." if words else "") if part)
            out.append(f"| `{key}` | {cell(self.kind(value))} | {cell(says)} |")
            below += [(f"{name}.{key}{suffix}".lstrip("."), found) for suffix, found in self.tables(value)]
        out.append("")
        for path, found in below:
            self.section(path, found, out, seen)


def flat(text):
    return " ".join(text.split())


def cell(text):
    return text.replace("|", "\\|")


def configuration():
    """docs/configuration.md."""
    schema = Schema()
    out = ["# Configuration", "", MADE, "", "Every key of `config.toml` and of a folder's `.mayi.toml`. [Rules](rules.md) says how they are used; which file may say"]
    out += ["what is the law ([D5](law/decisions.md#D5)). `mayi config schema` prints the same for editors, as a JSON schema.", ""]
    out += ["## Patterns", "", flat(schema.all["$defs"]["Pattern"]["description"]), ""]
    schema.section("", schema.all, out, {})
    return "\n".join(out).rstrip() + "\n"


def main():
    program, write = str(pathlib.Path(sys.argv[1]).resolve()), "--write" in sys.argv[2:]
    wrong = 0
    for name, text in (("commands.md", commands(program)), ("configuration.md", configuration())):
        page = DOCS / name
        before = page.read_text() if page.exists() else ""
        if write:
            page.write_text(text)
        elif before != text:
            wrong += 1
            lines = difflib.unified_diff(before.splitlines(), text.splitlines(), f"docs/{name}", "as it should be", lineterm="", n=1)
            print("\n".join(list(lines)[:60]))
            print(f"docs/{name} is not what it is made of: run `just reference`", file=sys.stderr)
    sys.exit(1 if wrong else 0)


main()
