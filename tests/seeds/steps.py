"""Runs the command or the steps of a row: in a home of its own, with the program, its backend, and a door before an endpoint."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

LIMIT = 60


class Wrong(Exception):
    pass


def part(value, path):
    """What stands at `a.0.b` of `value`; `key=text` is the first item of a list in which that stands."""
    for name in path.split("."):
        try:
            if name == "#":
                value = len(value)
            elif "=" in name:
                key, _, text = name.partition("=")
                value = next(item for item in value if item[key] == text)
            else:
                value = value[int(name)] if isinstance(value, list) else value[name]
        except (KeyError, IndexError, TypeError, ValueError, StopIteration):
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
        self.names = {"work": str(self.work), "bin": str(pathlib.Path(program).parent), "none": None}
        for name in ["home", "config/mayi", "state", "data", "work"]:
            (top / name).mkdir(parents=True)
        (top / "config/mayi/config.toml").write_text(filled(config, self.names))
        (top / "config/mayi/config.toml").chmod(0o600)
        kinds = {"HOME": "home", "XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "state", "XDG_DATA_HOME": "data"}
        self.environment = {"PATH": os.environ["PATH"], **{name: str(top / of) for name, of in kinds.items()}}

    def run(self, words, environment=None, text=""):
        done = subprocess.run([self.program, *words], cwd=self.work, env={**self.environment, **(environment or {})}, input=text,
                              capture_output=True, text=True, timeout=LIMIT)
        return done.returncode, done.stdout + done.stderr


class Backend:
    """`mayi serve`, with one connection for each call."""

    def __init__(self, machine):
        self.process = subprocess.Popen([machine.program, "serve"], cwd=machine.work, env=machine.environment,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        ready = json.loads(self.process.stdout.readline())
        self.url = ready["url"]
        self.tokens = {who: pathlib.Path(ready[f"{who}TokenFile"]).read_text().strip() for who in ["answer", "ask"]}

    def call(self, method, params, who):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.tokens[who]}"}
        with urllib.request.urlopen(urllib.request.Request(self.url, body, headers), timeout=LIMIT) as answer:
            return json.load(answer)

    def end(self):
        self.process.terminate()
        self.process.wait(LIMIT)


class Service:
    """A program that says in its first line that it is ready, and answers each line of its input with a line."""

    def __init__(self, command, machine, environment):
        self.process = subprocess.Popen(command, cwd=machine.work, env={**machine.environment, **environment}, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.ready = json.loads(self.process.stdout.readline())

    def request(self, line):
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
        self.endpoint = Service([pathlib.Path(machine.program).parent / "responses_endpoint"], machine, {})
        record, self.file = options[:1] == ["record"], machine.work.parent / "recording.jsonl"
        words = ["responses", *(["record", self.file] if record else []), "--upstream", self.endpoint.ready["url"]]
        options = options[1:] if record else options
        self.environment = {"UPSTREAM_KEY": self.endpoint.ready["key"]}
        self.door = self.start([*words, "--key-env", "UPSTREAM_KEY", *options])

    def start(self, words):
        return Service([self.machine.program, *words], self.machine, self.environment)

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
        """The result of a step."""
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
        return self.endpoint.request(wanted["endpoint"])

    def end(self):
        self.door.end()
        self.endpoint.end()


def fits(value, expected):
    """Whether a value is as expected; a text that begins with `~` is somewhere in it, one with `^` is a pattern for it."""
    if isinstance(expected, str) and expected.startswith("~"):
        return expected[1:] in json.dumps(value, ensure_ascii=False)
    if isinstance(expected, str) and expected.startswith("^"):
        return isinstance(value, str) and re.fullmatch(expected, value) is not None
    return value == expected


def run_door_step(door, wanted, kept):
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


def run_backend_step(backend, wanted, kept):
    params, end = filled(wanted.get("params", {}), kept), time.monotonic() + LIMIT
    while True:
        answer = backend.call(wanted["call"], params, wanted.get("as", "answer"))
        if "fails" in wanted:
            if wanted["fails"] not in json.dumps(answer.get("error")):
                raise Wrong(f"{wanted['call']}: {answer}, not refused with {wanted['fails']!r}")
            return
        result = answer.get("result")
        expected = filled(wanted.get("expect", {}), kept)
        parts = [part(result, path) is not None for path in wanted.get("keep", {}).values()]
        if "error" not in answer and all(parts) and all(fits(part(result, path), of) for path, of in expected.items()):
            kept.update({name: part(result, path) for name, path in wanted.get("keep", {}).items()})
            return
        if not wanted.get("until") or time.monotonic() > end:
            raise Wrong(f"{wanted['call']}: {json.dumps(answer)[:2000]}, not {expected or wanted.get('keep')}")
        time.sleep(0.02)


def run_command(row, machine):
    code, text = machine.run(filled(row["command"], machine.names), text=row.get("input", ""))
    if code != row.get("exit", 0):
        raise Wrong(f"ends with {code}, not {row.get('exit', 0)}: {text[:400]}")
    for words in row.get("says", []):
        if words not in text:
            raise Wrong(f"does not say {words!r}: {text[:400]}")


def run_steps(row, machine):
    backend = Backend(machine)
    door = Door(machine, row["door"]) if "door" in row else None
    try:
        kept = dict(machine.names)
        if door:
            kept["upstream"] = door.endpoint.ready["url"]
        for wanted in row["steps"]:
            if "call" in wanted:
                run_backend_step(backend, wanted, kept)
            else:
                run_door_step(door, wanted, kept)
    finally:
        if door:
            door.end()
        backend.end()


def run(row, program):
    """Runs what a row says, and looks at what it has left.

    Raises:
        Wrong: If something is not as the row says.
    """
    machine = Machine(program, row.get("config", "version = 1\n"))
    if "command" in row:
        run_command(row, machine)
    if "steps" in row:
        run_steps(row, machine)
    for name in row.get("leaves", []):
        if not (machine.work / name).exists():
            raise Wrong(f"there is no {name}")
    for name in row.get("leaves_no", []):
        if (machine.work / name).exists():
            raise Wrong(f"there is a {name}")


def summary(row):
    """The command or the steps of a row, in a few words."""
    if "command" in row:
        return "mayi " + " ".join(row["command"])
    steps = [f"mayi responses {' '.join(row['door'])}".strip()] if "door" in row else []
    for one in row.get("steps", []):
        steps.append(one.get("call") or {"app": "POST /v1/responses", "got": "its answer", "endpoint": "what the endpoint had",
                                         "recording": "the recording", "replay": "mayi responses replay", "request": "request.json",
                                         "mayi": "mayi " + " ".join(one.get("mayi", []))}[next(iter(one))])
    return ", ".join(dict.fromkeys(steps))
