#!/usr/bin/env python3
"""Holds that what README.md and the pages of docs show can be done as it stands there, with the built program.

    tests/docs/examples.py PROGRAM

- Blocks of TOML are configurations, or cases of `mayi test`: the program reads them, and the cases hold.
- Blocks of JSON can be read.
- Blocks of JavaScript and Python can be read. Those that say what they print (`// prints: TEXT`, `# prints: TEXT`) are run, with the
  client libraries of the repository, and print just that.
- Blocks for a shell can be read by it. Each `mayi ...` in them, and each between backticks in the text, is put to the program with
  `--help` behind its options: it knows every command, option and value. What only looks is run, in a home of its own.
- What is called by its path (`tests/run`) is there and can be run.
- The exit codes of docs/scripts.md are those of cli/src/exit.rs, and the versions in the table of docs/agents.md those of
  core/config/src/presets.rs.
"""

import ast
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Pages that are made of the program itself.
OTHERS = {"docs/commands.md", "docs/configuration.md"}

# What only looks, and how it may end. 5 and 6: what would be decided.
LOOKS = {
    ("agents",): {0},
    ("check", "shell"): {0, 5, 6},
    ("config", "check"): {0},
    ("config", "path"): {0},
    ("config", "schema"): {0},
    ("config", "show"): {0},
    ("grants",): {0},
    ("hook", "status"): {0},
    ("inbox",): {0},
    ("init", "--template"): {0},
    ("log", "stats"): {0},
    ("log", "suggest"): {0},
    ("log", "verify"): {0},
    ("mcp", "install"): {0},
}

# What of these changes something, or waits, when it is given more words.
NOT_RUN = {("grants", "revoke"), ("inbox", "approve"), ("inbox", "deny"), ("inbox", "watch"), ("mcp", "install", "cursor"), ("mcp", "install", "claude-desktop")}

# A comment of a program that says what it prints.
PRINTS = re.compile(r"(?://|#) prints: (.+)$", re.M)

# Words in the text that stand for a command's form and are none: `mayi mcp --`.
FORMS = re.compile(r"\.\.\.|…|[A-Z]{2,}|^mayi$|--$|=$")


class Wrong(Exception):
    pass


class Machine:
    """The program, in a home of its own."""

    def __init__(self, program):
        self.program = program
        self.folder = tempfile.TemporaryDirectory()
        self.work = pathlib.Path(self.folder.name) / "work"
        self.work.mkdir()
        (self.work / "new.toml").write_text("version = 1\n")
        (self.work / "node_modules").mkdir()
        (self.work / "node_modules" / "mayi-client").symlink_to(ROOT / "acp-server/clients/typescript")
        self.parsed = self.ran = self.read = self.printed = 0

    @property
    def env(self):
        return {
            "HOME": self.folder.name,
            "PATH": os.environ["PATH"],
            "NO_COLOR": "1",
            # For the client libraries.
            "MAYI_BIN": self.program,
            "PYTHONPATH": str(ROOT / "acp-server/clients/python/src"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def run(self, words):
        done = self.start([self.program, *words])
        return done.returncode, done.stdout + done.stderr

    def start(self, command):
        return subprocess.run(
            command, env=self.env, cwd=self.work, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
        )

    def command(self, words):
        """A command as it stands on a page."""
        at = words.index("--") if "--" in words else len(words)
        if words[:1] == ["hook"] and len(words) > 1 and words[1] not in ("install", "uninstall", "status"):
            # One event, which is no command of the command line.
            return
        code, text = self.run([*words[:at], "--help", *words[at:]])
        if code != 0:
            raise Wrong(f"mayi {shlex.join(words)}: {text.strip().splitlines()[0]}")
        self.parsed += 1
        plain = tuple(words)
        for looks, codes in LOOKS.items():
            if plain[: len(looks)] == looks and not any(plain[: len(no)] == no for no in NOT_RUN) and "--apply" not in plain:
                code, text = self.run(words)
                if code not in codes:
                    raise Wrong(f"mayi {shlex.join(words)} ends with {code}: {text.strip()[:300]}")
                self.ran += 1

    def script(self, name, interpreter, text):
        """Runs a program that says what it prints."""
        told = PRINTS.findall(text)
        if not told:
            return
        file = self.work / name
        file.write_text(text)
        done = self.start([interpreter, str(file)])
        if done.returncode != 0 or done.stdout.splitlines() != told:
            raise Wrong(f"{name} ends with {done.returncode}: {(done.stdout + done.stderr).strip()[:400]}")
        self.printed += 1

    def javascript(self, text):
        file = self.work / "part.mjs"
        file.write_text(text)
        done = self.start(["node", "--check", str(file)])
        if done.returncode != 0:
            raise Wrong(f"JavaScript that can't be read: {done.stderr.strip()[:400]}")
        self.script("example.mjs", "node", text)

    def python(self, text):
        try:
            compile(text, "example.py", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        except SyntaxError as error:
            raise Wrong(f"Python that can't be read: {error}") from None
        self.script("example.py", sys.executable, text)

    def toml(self, text):
        name = "mayi.test.toml" if "[[case]]" in text else "config.toml"
        file = self.work / name
        # A part of a file goes on where others have begun.
        whole = text if name != "config.toml" or re.search(r"^version *=", text, re.M) else "version = 1\n" + text
        tomllib.loads(whole)
        file.write_text(whole)
        words = ["test", str(file)] if name != "config.toml" else ["--config", str(file), "config", "check"]
        code, said = self.run(words)
        file.unlink()
        if code != 0:
            raise Wrong(f"TOML is refused: {said.strip()[:400]}")
        self.read += 1


def blocks(page):
    """The blocks of code of a page: language, text."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", page, re.M | re.S)


def commands(script):
    """The commands of a script that begin with `mayi`, as words; and what is called by its path."""
    found = []
    for line in script.replace("\\\n", " ").split("\n"):
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;()<>")
        lexer.whitespace_split = True
        words, command = [], []
        try:
            words = list(lexer)
        except ValueError:
            # A word that goes on over lines: not one of ours.
            continue
        for word in [*words, ";"]:
            if set(word) <= set("|&;()") or set(word) <= set("<>"):
                found.append(command)
                command = []
            else:
                command.append(word)
    for command in found:
        while command and re.fullmatch(r"[A-Z_]+=.*", command[0]):
            command = command[1:]
        if command[:3] == ["cargo", "run", "--"]:
            command = ["mayi", *command[3:]]
        if command:
            yield command


def shell(machine, script):
    done = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True)
    if done.returncode != 0:
        raise Wrong(f"bash can't read it: {done.stderr.strip()}")
    for command in commands(script):
        if command[0] == "mayi":
            machine.command(command[1:])
        elif "/" in command[0] and not os.access(ROOT / command[0], os.X_OK):
            raise Wrong(f"there is no {command[0]}")


def text(machine, page):
    """What stands between backticks in the text."""
    outside = re.sub(r"^```.*?^```$", "", page, flags=re.M | re.S)
    for span in re.findall(r"`([^`\n]+)`", outside):
        span = span.split(" | ")[0]
        if not span.startswith("mayi ") or FORMS.search(span):
            continue
        for command in commands(span):
            if command[0] == "mayi":
                machine.command(command[1:])


def exit_codes():
    there = {int(code) for code in re.findall(r"Self::\w+ => (\d+),", (ROOT / "cli/src/exit.rs").read_text())}
    told = {int(code) for code in re.findall(r"^\| (\d+) \|", (ROOT / "docs/scripts.md").read_text(), re.M)}
    if there != told:
        raise Wrong(f"docs/scripts.md has the exit codes {sorted(told)}, cli/src/exit.rs {sorted(there)}")


def agents():
    table = dict(re.findall(r"^\| `(\w+)` \| (.*)$", (ROOT / "docs/agents.md").read_text(), re.M))
    presets = (ROOT / "core/config/src/presets.rs").read_text()
    tried = re.findall(r'preset\(\s*"(\w+)"(?:(?!preset\().)*?Asks::Tried\("([^"]+)"\)', presets, re.S)
    if len(dict(tried)) < 4:
        raise Wrong("the presets of core/config/src/presets.rs are written in another way")
    for name, version in tried:
        if version not in table.get(name, ""):
            raise Wrong(f"docs/agents.md does not say that {name} was tried in {version}")


def main():
    machine = Machine(str(pathlib.Path(sys.argv[1]).resolve()))
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    wrong = 0

    def held(name, check, *about):
        nonlocal wrong
        try:
            check(*about)
        except (Wrong, ValueError, subprocess.TimeoutExpired) as error:
            wrong += 1
            print(f"{name}: {error}", file=sys.stderr)

    for page in pages:
        name = str(page.relative_to(ROOT))
        if name in OTHERS:
            continue
        whole = page.read_text()
        for language, code in blocks(whole):
            if language in ("sh", "bash"):
                held(name, shell, machine, code)
            elif language == "toml":
                held(name, machine.toml, code)
            elif language == "json":
                held(name, json.loads, code)
            elif language == "js":
                held(name, machine.javascript, code)
            elif language == "python":
                held(name, machine.python, code)
        held(name, text, machine, whole)
    held("docs/scripts.md", exit_codes)
    held("docs/agents.md", agents)
    print(
        f"{machine.parsed} commands known, {machine.ran} of them run, {machine.read} pieces of TOML read, {machine.printed} programs run; {wrong} wrong",
        file=sys.stderr,
    )
    # So that nothing passes for want of examples.
    sys.exit(1 if wrong or machine.parsed < 60 or machine.ran < 15 or machine.read < 4 or machine.printed < 2 else 0)


main()
