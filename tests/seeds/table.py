#!/usr/bin/env python3
"""Prints what the projects that mayi was made after asked for, each row with what shows it, run against the built program.

    tests/seeds/table.py PROGRAM [ID...]

The rows are data, in rows/*.toml:

    [[row]]
    id = "4.8"                # of which project, and which of its wishes
    asked = "..."             # the wish
    config = '''...'''        # the user's configuration
    command = ["check", ...]  # what is run, behind the program's name; or
    steps = [...]             # calls of the backend's API, one after the other
    door = ["--allow", ...]   # with steps: options of `mayi responses`, which stands before an endpoint of the tests
    exit = 0                  # how it ends
    says = ["..."]            # what it prints, each somewhere
    refused = "docs/rules.md" # not as it was asked: the page that says why,
    because = "..."           # and its words

A step: `call` and `params`; `keep = { tab = "tabId" }` keeps parts of the answer for later steps, which name them as
`${tab}`; `expect = { "path.to.it" = value }`; `fails = "text"` for a call that is refused; `until = true` repeats it until it
is as expected, as for what an agent does by and by. ${work} is the folder that is worked in.

Where there is a `door`, these are steps too: `app = {...}` sends a request to make a response, the model calling the tools that
`rounds` says, and does not wait for its answer; `got` is what is expected of the answer, as in `expect`: a stream's events are
under `events`, and what is at its end under `response`; `endpoint = "requests"` or `"ran"` asks the endpoint, `"refuse 429"` has
the next approval refused; `recording = true` reads what `record` has written so far, line by line; `replay = true` plays it in
place of what stood there; `mayi = [...]` runs the program and keeps its lines. `request = {...}` writes
a request as `app` has it to request.json; ${upstream} is the endpoint. In `expect`, `#` at the end of a path is how many there are, and
a text that begins with `~` is somewhere in what is there.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIMIT = 60


class Wrong(Exception):
    pass


def part(value, path):
    """What stands at `a.0.b` of `value`."""
    for name in path.split("."):
        try:
            if name == "#":
                return len(value)
            value = value[int(name)] if isinstance(value, list) else value[name]
        except (KeyError, IndexError, TypeError, ValueError):
            return None
    return value


def filled(value, kept):
    """`value` with what was kept in place of its names; a text that is one name alone becomes what it stands for."""
    if isinstance(value, dict):
        return {filled(name, kept): filled(of, kept) for name, of in value.items()}
    if isinstance(value, list):
        return [filled(of, kept) for of in value]
    if not isinstance(value, str):
        return value
    if alone := re.fullmatch(r"\$\{(\w+)\}", value):
        return kept[alone[1]]
    return re.sub(r"\$\{(\w+)\}", lambda name: str(kept[name[1]]), value)


class Machine:
    """A home of its own."""

    def __init__(self, program, config):
        self.folder = tempfile.TemporaryDirectory(prefix="mayi-seeds-")
        top = pathlib.Path(self.folder.name)
        self.program, self.work = program, top / "work"
        for name in ["home", "config/mayi", "state", "data", "work"]:
            (top / name).mkdir(parents=True)
        (top / "config/mayi/config.toml").write_text(filled(config, {"work": self.work}))
        (top / "config/mayi/config.toml").chmod(0o600)
        kinds = {"HOME": "home", "XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "state", "XDG_DATA_HOME": "data"}
        self.environment = {"PATH": os.environ["PATH"], **{name: str(top / of) for name, of in kinds.items()}}

    def run(self, words, environment=None):
        done = subprocess.run([self.program, *words], cwd=self.work, env={**self.environment, **(environment or {})}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=LIMIT)
        return done.returncode, done.stdout + done.stderr


class Backend:
    """`mayi serve`, spoken to by single calls."""

    def __init__(self, machine):
        self.process = subprocess.Popen([machine.program, "serve"], cwd=machine.work, env=machine.environment,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        ready = json.loads(self.process.stdout.readline())
        self.url, self.token = ready["url"], pathlib.Path(ready["answerTokenFile"]).read_text().strip()

    def call(self, method, params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        with urllib.request.urlopen(urllib.request.Request(self.url, body, headers), timeout=LIMIT) as answer:
            return json.load(answer)

    def end(self):
        self.process.terminate()
        self.process.wait(LIMIT)


class Told:
    """A program that tells of itself in its first line, and answers lines with lines."""

    def __init__(self, command, machine, environment):
        self.process = subprocess.Popen(command, cwd=machine.work, env={**machine.environment, **environment}, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.ready = json.loads(self.process.stdout.readline())

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.terminate()
        self.process.wait(LIMIT)


class Door:
    """`mayi responses` before an endpoint, and an app."""

    def __init__(self, machine, options):
        self.machine, self.answers = machine, []
        self.endpoint = Told([pathlib.Path(machine.program).parent / "responses_endpoint"], machine, {})
        record, self.file = options[:1] == ["record"], machine.work.parent / "recording.jsonl"
        words = ["responses", *(["record", self.file] if record else []), "--upstream", self.endpoint.ready["url"]]
        options = options[1:] if record else options
        self.environment = {"UPSTREAM_KEY": self.endpoint.ready["key"]}
        self.door = self.start([*words, "--key-env", "UPSTREAM_KEY", *options])

    def start(self, words):
        return Told([self.machine.program, *words], self.machine, self.environment)

    def replay(self):
        self.door.end()
        self.door = self.start(["responses", "replay", self.file])

    def body(self, wanted):
        rounds = wanted.pop("rounds", None)
        if rounds is not None:
            wanted["input"] = json.dumps(rounds) if isinstance(rounds, list) else rounds
        server = {"type": "mcp", "server_label": "mslearn", "server_url": "https://learn.example/api/mcp"}
        tool = {**server, "require_approval": wanted.pop("require_approval", "always")}
        return json.dumps({"model": "gpt-5", "tools": [tool], **wanted}).encode()

    def app(self, wanted):
        body = self.body(wanted)
        ready = self.door.ready
        headers = {"Content-Type": "application/json", "Authorization": "Bearer " + pathlib.Path(ready["tokenFile"]).read_text().strip()}
        answer = {}

        def run():
            try:
                with urllib.request.urlopen(urllib.request.Request(ready["url"] + "/responses", body, headers), timeout=LIMIT) as got:
                    text, answer["status"] = got.read().decode(), got.status
            except urllib.error.HTTPError as error:
                text, answer["status"] = error.read().decode(), error.code
            if "data: " in text:
                answer["events"] = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]
                answer["kinds"] = [event["type"] for event in answer["events"]]
                answer["response"] = answer["events"][-1].get("response") or answer["events"][-1]
            else:
                answer["response"] = json.loads(text)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        self.answers.append((thread, answer))

    def got(self):
        thread, answer = self.answers[-1]
        thread.join(LIMIT)
        return answer

    def result(self, wanted):
        """What a step of the door's finds."""
        if "app" in wanted:
            return self.app(wanted["app"])
        if "request" in wanted:
            return (self.machine.work / "request.json").write_bytes(self.body(wanted["request"]))
        if "got" in wanted:
            return self.got()
        if "recording" in wanted:
            # The last line may still be written.
            return [json.loads(line) for line in self.file.read_text().splitlines(True) if line.endswith("\n")]
        if "replay" in wanted:
            return self.replay()
        if "mayi" in wanted:
            _, text = self.machine.run(wanted["mayi"], self.environment)
            return [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        return self.endpoint.ask(wanted["endpoint"])

    def end(self):
        self.door.end()
        self.endpoint.end()


def fits(value, expected):
    """Whether a value is as expected; a text that begins with `~` is somewhere in it."""
    if isinstance(expected, str) and expected.startswith("~"):
        return expected[1:] in json.dumps(value)
    return value == expected


def of_door(door, wanted, kept):
    wanted = filled(wanted, kept)
    end = time.monotonic() + LIMIT
    expected = wanted["got"] if "got" in wanted else wanted.get("expect", {})
    while True:
        result = door.result(wanted)
        if all(fits(part(result, path), of) for path, of in expected.items()):
            kept.update({name: part(result, path) for name, path in wanted.get("keep", {}).items()})
            return
        if not wanted.get("until") or time.monotonic() > end:
            raise Wrong(f"{next(iter(wanted))}: {json.dumps(result)[:2000]}, not {expected}")
        time.sleep(0.02)


def step(backend, wanted, kept):
    params, end = filled(wanted.get("params", {}), kept), time.monotonic() + LIMIT
    while True:
        answer = backend.call(wanted["call"], params)
        if "fails" in wanted:
            if wanted["fails"] not in json.dumps(answer.get("error")):
                raise Wrong(f"{wanted['call']}: {answer}, not refused with {wanted['fails']!r}")
            return
        result = answer.get("result")
        expected = filled(wanted.get("expect", {}), kept)
        parts = [part(result, path) is not None for path in wanted.get("keep", {}).values()]
        if "error" not in answer and all(parts) and all(part(result, path) == of for path, of in expected.items()):
            kept.update({name: part(result, path) for name, path in wanted.get("keep", {}).items()})
            return
        if not wanted.get("until") or time.monotonic() > end:
            raise Wrong(f"{wanted['call']}: {json.dumps(answer)[:400]}, not {expected or wanted.get('keep')}")
        time.sleep(0.02)


def shown(row, program):
    """Runs what shows the row."""
    machine = Machine(program, row.get("config", "version = 1\n"))
    if "command" in row:
        code, text = machine.run(filled(row["command"], {"work": machine.work}))
        if code != row.get("exit", 0):
            raise Wrong(f"ends with {code}, not {row.get('exit', 0)}: {text[:400]}")
        for words in row.get("says", []):
            if words not in text:
                raise Wrong(f"does not say {words!r}: {text[:400]}")
    if "steps" in row:
        backend = Backend(machine)
        door = Door(machine, row["door"]) if "door" in row else None
        try:
            kept = {"work": str(machine.work), "none": None}
            if door:
                kept["upstream"] = door.endpoint.ready["url"]
            for one in row["steps"]:
                if "call" in one:
                    step(backend, one, kept)
                else:
                    of_door(door, one, kept)
        finally:
            if door:
                door.end()
            backend.end()
    if "refused" in row and row["because"] not in " ".join((ROOT / row["refused"]).read_text().split()):
        raise Wrong(f"{row['refused']} does not say {row['because']!r}")


def how(row):
    """What shows the row, in a few words."""
    if "command" in row:
        return "mayi " + " ".join(row["command"])
    steps = [f"mayi responses {' '.join(row['door'])}".strip()] if "door" in row else []
    for one in row.get("steps", []):
        steps.append(one.get("call") or {"app": "POST /v1/responses", "got": "its answer", "endpoint": "what the endpoint had",
                                         "recording": "the recording", "replay": "mayi responses replay", "request": "request.json",
                                         "mayi": "mayi " + " ".join(one.get("mayi", []))}[next(iter(one))])
    return ", ".join(dict.fromkeys(steps))


def main():
    program, only = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:]
    rows = [row for file in sorted((HERE / "rows").glob("*.toml")) for row in tomllib.loads(file.read_text())["row"]]
    rows.sort(key=lambda row: [int(number) for number in row["id"].split(".")])
    wrong = 0
    for row in rows:
        if only and row["id"] not in only:
            continue
        try:
            shown(row, program)
            verdict = f"refused: {row['refused']}" if "refused" in row else "works"
        except (Wrong, subprocess.TimeoutExpired, OSError, ValueError) as error:
            verdict, wrong = f"WRONG: {error}", wrong + 1
        print(f"| {row['id']} | {row['asked']} | {verdict} | `{how(row)}` |", flush=True)
    print(f"{len(rows)} rows, {wrong} wrong", file=sys.stderr)
    sys.exit(1 if wrong else 0)


main()
