"""Tests of the repository that rows name: which of them there are, and how they end."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
REPORTER = pathlib.Path(__file__).resolve().parent / "reporter.mjs"

# Where the files of each kind lie that Node.js runs, and what their names end with there.
NODE = {
    "page": ("acp-server/ui", "tests", ".js"),
    "extension": ("editors/vscode", "dist-test", ".mjs"),
    "client": ("acp-server/clients/typescript", "tests", ".mjs"),
    "example": ("acp-server/clients/examples", "tests", ".mjs"),
    "editor": ("editors/vscode/e2e", "tests", ".mjs"),
}
KINDS = ["test", *NODE, "python"]

# What `quick` only looks up, and the recipe that runs it.
ELSEWHERE = {"test": "just test or test-long", "example": "just test-clients", "editor": "just test-editor"}


class Problem(str):
    """Why a test shows nothing."""


def cargo(words, **more):
    return subprocess.run(["cargo", "nextest", *words], cwd=ROOT, text=True, check=False, **more)


def look_up_rust(names):
    """The suite and the test that each name stands for, or what is wrong with it."""
    listed = cargo(["list", "--workspace", "--message-format", "json"], stdout=subprocess.PIPE)
    if listed.returncode:
        return dict.fromkeys(names, Problem("the tests of the workspace can't be listed"))
    there = {}
    for suite in json.loads(listed.stdout)["rust-suites"].values():
        for test, about in suite["testcases"].items():
            if not about["ignored"]:
                there.setdefault(f"{suite['binary-name']}::{test}", []).append((suite["binary-id"], test))
    found = {}
    for name in names:
        places = there.get(name, [])
        found[name] = places[0] if len(places) == 1 else Problem(f"there are {len(places)} such tests")
    return found


def run_rust(names):
    found = look_up_rust(names)
    places = {name: place for name, place in found.items() if not isinstance(place, Problem)}
    report = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "nextest/ci/junit.xml"
    report.unlink(missing_ok=True)
    with tempfile.NamedTemporaryFile("r") as skipped:
        wanted = " | ".join(f"(binary_id(={suite}) & test(={test}))" for suite, test in places.values())
        if places:
            # What it prints is for whoever waits: the table alone is on standard output.
            cargo(["run", "--workspace", "--profile", "ci", "-E", wanted], stdout=sys.stderr, env={**os.environ, "MAYI_SKIPPED": skipped.name})
        left = {line.partition(": ")[0]: line for line in skipped.read().splitlines()}
    ended = {}
    if report.exists():
        for suite in xml.etree.ElementTree.parse(report).getroot():
            for case in suite.iter("testcase"):
                wrong = case.find("failure") is not None or case.find("error") is not None
                ended[suite.get("name"), case.get("name")] = Problem("it has failed") if wrong else None
    for name, place in places.items():
        found[name] = Problem(f"it was left out: {left[place[1]]}") if place[1] in left else ended.get(place, Problem("it did not run"))
    return found


def pattern(name):
    """What finds a test by its name; `${...}` stands for any text, as where the test is written."""
    return "^" + ".*".join(re.escape(piece) for piece in re.split(r"\$\{[^}]*\}", name)) + "$"


def file_and_name(wanted):
    file, _, name = wanted.partition(" :: ")
    return file, name


def run_node(kind, names, environment):
    folder, below, ending = NODE[kind]
    found, files = {}, {}
    for wanted in names:
        file, _ = file_and_name(wanted)
        files.setdefault(pathlib.Path(file).with_suffix(ending).name, []).append(wanted)
    # One by one: an event does not tell whose it is where a helper has defined the test.
    for file, these in files.items():
        patterns = {wanted: pattern(file_and_name(wanted)[1]) for wanted in these}
        command = ["node", "--test", f"--test-reporter={REPORTER}", "--test-reporter-destination=stdout",
                   *(f"--test-name-pattern={of}" for of in patterns.values()), f"{below}/{file}"]
        done = subprocess.run(command, cwd=ROOT / folder, env={**os.environ, **environment}, text=True, stdout=subprocess.PIPE, check=False)
        ended = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        found.update({wanted: end_of([one for one in ended if re.search(of, one["name"])]) for wanted, of in patterns.items()})
    return found


def end_of(ended):
    """What is wrong with the tests of one name, or None."""
    if not ended:
        return Problem("it did not run")
    bad = [one for one in ended if one["left"] or not one["ok"]]
    return Problem(bad[0]["error"] or "it was left out") if bad else None


def look_up_node(kind, names):
    folder, below, _ = NODE[kind]
    found = {}
    for wanted in names:
        file, name = file_and_name(wanted)
        path = ROOT / folder / below / file
        text = path.read_text() if path.exists() else ""
        found[wanted] = None if any(f"{mark}{name}{mark}" in text for mark in "'\"`") else Problem("there is no such test")
    return found


def run_python(names, environment):
    found = {}
    for wanted in names:
        file, name = file_and_name(wanted)
        command = [sys.executable, "-B", "-m", "unittest", "discover", "-s", "tests", "-k", f"{pathlib.Path(file).stem}.*.{name}"]
        done = subprocess.run(command, cwd=ROOT / "acp-server/clients/python", env={**os.environ, **environment, "PYTHONPATH": "src"},
                              text=True, capture_output=True, check=False)
        # "Ran 1 test in 0.3s", then "OK", or "OK (skipped=1)".
        ran = re.search(r"^Ran [1-9]\d* tests?", done.stderr, re.MULTILINE) and re.search(r"^OK$", done.stderr, re.MULTILINE)
        found[wanted] = None if ran and done.returncode == 0 else Problem(done.stderr.strip()[-400:])
    return found


def all_of(wanted, program, quick):
    """How the tests of each kind end. By kind and name: what is wrong, or None. And how that is known."""
    found, how = {}, {}
    for kind, names in ((kind, sorted(names)) for kind, names in wanted.items()):
        if quick and kind in ELSEWHERE:
            if kind == "test":
                places = look_up_rust(names)
                these = {name: place if isinstance(place, Problem) else None for name, place in places.items()}
            else:
                these = look_up_node(kind, names)
            how[kind] = f"looked up: {ELSEWHERE[kind]} runs it"
        else:
            environment = {"MAYI_BIN": program}
            these = run_rust(names) if kind == "test" else run_python(names, environment) if kind == "python" else run_node(kind, names, environment)
            how[kind] = "run"
        found.update({(kind, name): problem for name, problem in these.items()})
    return found, how
