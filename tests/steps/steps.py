#!/usr/bin/env -S python3 -B
"""Prints the steps that a message goes through in mayi. What counts as one: docs/architecture/steps.md.

usage: tests/steps/steps.py FOLDER      where `mayi` and `mini_mcp` were built (`just steps` does both)
"""

import contextlib
import json
import os
import pathlib
import platform
import pty
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import count

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# In seconds. Nothing takes longer, even on a busy machine.
LIMIT = 300

RULES = '[rules]\nallow = ["shell(make test)", "mcp(mini/echo)"]\n'

# Part of the message and of its answer, and of nothing else.
ID = "the-request"

# A card is drawn anew with the cursor on its last choice once keys do something.
LIVE = "› n".encode()


class Machine:
    """A person's folders, and mayi in them, with gdb as its parent."""

    def __init__(self, built, folder):
        self.built, self.folder = built, folder
        for name in ("home", "work", "config/mayi"):
            (folder / name).mkdir(parents=True)
        rules = folder / "config/mayi/config.toml"
        rules.write_text("version = 1\n" + RULES, encoding="utf-8")
        rules.chmod(0o600)
        self.log = folder / "entered.json"

    @contextlib.contextmanager
    def mayi(self, words, before=(), redirected=""):
        environment = {
            "HOME": str(self.folder / "home"),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "PATH": os.environ["PATH"],
            "TERM": "xterm-256color",
            # What happens at the same time is told apart by threads; the fewer there are, the steadier the order.
            "TOKIO_WORKER_THREADS": "1",
            "STEPS_ROOT": str(ROOT),
            "STEPS_OUT": str(self.log),
            "STEPS_TEXT": f'"{ID}"',
        }
        commands = [*before, f"set args {shlex.join(words)} {redirected}", f"source {HERE / 'trace.py'}"]
        arguments = ["gdb", "-batch", "-nx", *(part for each in commands for part in ("-ex", each))]
        with open(self.folder / "gdb.log", "wb") as said:
            child = subprocess.Popen(
                [*arguments, str(self.built / "mayi")],
                cwd=self.folder / "work",
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
            )
        try:
            yield
            child.wait()
        finally:
            # What gdb runs ends with it.
            child.kill()
            child.wait()
            if not self.log.exists():
                said = (self.folder / "gdb.log").read_text(encoding="utf-8", errors="replace")
                sys.exit(said[-2000:] + "\nnothing was traced")


def permission(machine, line):
    """An agent asks `mayi run` whether it may run this line. A person at the terminal allows what they are asked about."""
    terminal, other = pty.openpty()
    agent = shlex.join([sys.executable, str(HERE / "agent.py"), ID, line])
    shown = bytearray()

    def person():
        answered = False
        with contextlib.suppress(OSError):
            while some := os.read(terminal, 65536):
                shown.extend(some)
                if not answered and LIVE in shown:
                    answered = True
                    os.write(terminal, b"y")

    threading.Thread(target=person, daemon=True).start()
    with machine.mayi(["run", "--command", agent, "hello"], before=[f"tty {os.ttyname(other)}"]):
        pass
    os.close(other)


def tool(machine):
    """A client calls a tool through `mayi mcp`, which a rule allows."""
    pipes = [machine.folder / name for name in ("in", "out")]
    for pipe in pipes:
        os.mkfifo(pipe)
    words = ["mcp", "--name", "mini", "--", str(machine.built / "mini_mcp")]
    with machine.mayi(words, redirected=f"< {shlex.quote(str(pipes[0]))} > {shlex.quote(str(pipes[1]))}"):
        with open(pipes[0], "w", encoding="utf-8") as to, open(pipes[1], encoding="utf-8") as back:

            def say(method, params, number=None):
                message = {"jsonrpc": "2.0", "method": method, "params": params}
                to.write(json.dumps(message if number is None else {**message, "id": number}) + "\n")
                to.flush()
                while number is not None and json.loads(back.readline()).get("id") != number:
                    pass

            client = {"name": "steps", "version": "1"}
            say("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}, 1)
            say("notifications/initialized", {})
            say("tools/list", {}, 2)
            # What is left to do after an answer is no part of the next message.
            time.sleep(1)
            say("tools/call", {"name": "echo", "arguments": {"message": "hello"}}, ID)


WAYS = [
    ("ACP session/request_permission, allowed by a rule", lambda machine: permission(machine, "make test")),
    ("ACP session/request_permission, asked and answered", lambda machine: permission(machine, "make other")),
    ("MCP tools/call through the gateway, allowed by a rule", tool),
]


def too_long(*_):
    raise TimeoutError(f"it took longer than {LIMIT} seconds")


def main():
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        sys.exit("steps are counted on Linux on x86-64 only")
    if not shutil.which("gdb"):
        sys.exit("there is no gdb: install it (apt-get install gdb), and try again")
    built = pathlib.Path(sys.argv[1]).resolve()
    signal.signal(signal.SIGALRM, too_long)
    sources = count.Sources(ROOT)
    figures = []
    for title, way in WAYS:
        with tempfile.TemporaryDirectory() as folder:
            machine = Machine(built, pathlib.Path(folder).resolve())
            signal.alarm(LIMIT)
            way(machine)
            signal.alarm(0)
            text, figure = count.table(title, machine.log, sources)
        print(text, flush=True)
        figures.append(figure)
    print("\n".join(figures))


main()
