#!/usr/bin/env -S python3 -B
"""Prints the wishes of the projects that mayi was made after, each with what shows that it works, run against the built program.

    tests/seeds/table.py [--quick] PROGRAM [ID...]

With `--quick`, tests that other recipes run anyway are not run again: only their existence is checked. The table says of each
row whether it was run or looked up.

The rows are data, in rows/*.toml. A wish may have several, and gets the worst of their verdicts:

    [[row]]
    id = "4.8"                # of which project, and which of its wishes
    asked = "..."             # the wish
    verdict = "bent"          # not as it was asked: bent, partly, missing, not_applicable; without it, it works
    refused = "docs/rules.md" # then, the page that says why,
    because = "..."           # and its words; of what is no wish for a product, the reason alone

and one thing that shows it, which has to expect something:

    command = ["check", ...]  # the arguments that the program is run with,
    input = "..."             # its standard input,
    exit = 0                  # its exit code, 0 by default,
    says = ["..."]            # texts that it prints; or
    steps = [...]             # calls of the backend's API, one after the other
    door = ["--allow", ...]   # with steps: options of `mayi responses`, which stands before an endpoint of the tests
    config = '''...'''        # with both: the user's configuration,
    leaves = ["a.txt"]        # and files that are there afterwards,
    leaves_no = ["b.txt"]     # or are not
    test = "binary::path"     # a Rust test,
    page = "file :: name"     # one of the page's own parts,
    extension = "..."         # of the extension,
    client = "..."            # of the JavaScript client,
    example = "..."           # of the examples of apps, in a real browser,
    python = "..."            # of the Python client,
    editor = "..."            # of VS Code and the page in a real browser; `${...}` in the name is what the test puts there

A step: `call` and `params`; `as = "ask"` calls with the asking credential; `keep = { tab = "tabId" }` keeps parts of the result
for later steps, which name them as `${tab}`; `expect = { "path.to.it" = value }`; `fails = "text"` for a call that is refused;
`until = true` repeats the call until its result is as expected. ${work} is the working folder, ${bin} the folder of the tests'
programs: `server_agent` calls tools of its session's servers and never asks, `mini_mcp` is a server whose tool `plain` leaves a
file.

With a `door`, these are steps too: `app = {...}` sends a request for a response, in which the model calls the tools in `rounds`,
and does not wait for it; `got` is what is expected of that response, as in `expect`: the events of a stream are under `events`,
its last state under `response`; `endpoint = "requests"` or `"ran"` asks the endpoint, `"refuse 429"` makes it refuse the next
approval; `recording = true` reads what `record` has written so far, line by line; `replay = true` replaces the door by one that
plays the recording; `mayi = [...]` runs the program and reads the JSON lines that it prints; `request = {...}` writes a request
like that of `app` to request.json. ${upstream} is the endpoint.

In the paths of `expect` and `keep`, `#` is the length of a list, and `key=text` its first item with that text under that key. An
expected text that begins with `~` has to occur somewhere in the value, and one that begins with `^` is a pattern for all of it.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tomllib

import steps
import tests

HERE = pathlib.Path(__file__).resolve().parent
SHOWN_BY = ["command", "steps", *tests.KINDS]
# From the best to the worst, and how each is called in the table.
VERDICTS = {"works": "works", "not_applicable": "n/a", "bent": "bent", "partly": "partly", "missing": "missing", "wrong": "WRONG"}


def number(row):
    return [int(part) for part in row["id"].split(".")]


def expects_something(row):
    """Whether more is looked at than that nothing fails; a missing file alone does not count, as a row that does nothing leaves none."""
    if any(kind in row for kind in tests.KINDS) or row.get("leaves"):
        return True
    if "command" in row:
        return bool(row.get("says")) or row.get("exit", 0) != 0
    return any(step.get(key) for step in row["steps"] for key in ["expect", "got", "fails"])


def mistakes(rows, projects):
    """What is wrong with the data itself."""
    for row in rows:
        if any(kind in row for kind in SHOWN_BY) and not expects_something(row):
            yield f"{row['id']}: it expects nothing"
        if any(step.get(key) == {} for step in row.get("steps", []) for key in ["expect", "got"]):
            yield f"{row['id']}: a step has an empty expectation"
        if len([kind for kind in SHOWN_BY if kind in row]) > 1:
            yield f"{row['id']}: more than one thing that shows it"
        verdict = row.get("verdict", "works")
        works = verdict == "works"
        needed = set() if works else {"because"} if verdict == "not_applicable" else {"refused", "because"}
        if verdict not in VERDICTS or not needed <= row.keys() or works and {"refused", "because"} & row.keys():
            yield f"{row['id']}: what is not as it was asked has a verdict, a page and its words; what works has none"
        if works and not any(kind in row for kind in SHOWN_BY):
            yield f"{row['id']}: nothing shows it"
    wished = {f"{project['id']}.{wish}" for project in projects for wish in range(1, project["wishes"] + 1)}
    there = {row["id"] for row in rows}
    yield from (f"{wish} has no row" for wish in sorted(wished - there))
    yield from (f"{wish} is no wish" for wish in sorted(there - wished))


def wrong_with(row, program, found):
    """What is not as the row says, or None."""
    for kind in tests.KINDS:
        if kind in row and found[kind, row[kind]] is not None:
            return f"{row[kind]}: {found[kind, row[kind]]}"
    try:
        if "command" in row or "steps" in row:
            steps.run(row, program)
        if "refused" in row and row["because"] not in " ".join((tests.ROOT / row["refused"]).read_text().split()):
            return f"{row['refused']} does not say {row['because']!r}"
    except (steps.Wrong, subprocess.TimeoutExpired, OSError, ValueError, LookupError) as error:
        return str(error) or type(error).__name__
    return None


def shown_by(row, how):
    for kind in tests.KINDS:
        if kind in row:
            return f"{kind} `{row[kind]}`", how[kind]
    by = steps.summary(row)
    return (f"`{by}`", "run") if by else (row.get("refused", row["because"]), "said")


def cell(text):
    return text.replace("\n", " ").replace("|", "\\|")


def print_counts(projects, verdicts):
    print(f"\n| project | wishes | {' | '.join(VERDICTS.values())} |\n|---|---|{'---|' * len(VERDICTS)}")
    for project in [*projects, {"name": "all"}]:
        begins = f"{project['id']}." if "id" in project else ""
        these = [verdict for wish, verdict in verdicts.items() if wish.startswith(begins)]
        title = f"{project['id']}: {project['name']}" if begins else project["name"]
        print(f"| {title} | {len(these)} | {' | '.join(str(these.count(verdict)) for verdict in VERDICTS)} |")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true")
    options.add_argument("program")
    options.add_argument("ids", nargs="*")
    options = options.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    projects = tomllib.loads((HERE / "projects.toml").read_text())["project"]
    rows = sorted((row for file in (HERE / "rows").glob("*.toml") for row in tomllib.loads(file.read_text())["row"]), key=number)
    if wrong := list(mistakes(rows, projects)):
        sys.exit("\n".join(wrong))
    rows = [row for row in rows if not options.ids or row["id"] in options.ids]
    wanted = {kind: {row[kind] for row in rows if kind in row} for kind in tests.KINDS}
    found, how = tests.all_of({kind: names for kind, names in wanted.items() if names}, program, options.quick)

    print("| wish | what was asked for | so it is | shown by | |\n|---|---|---|---|---|")
    verdicts, seen = {}, {}
    # More threads than processors: a row mostly waits for the programs that it has started.
    with concurrent.futures.ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as several:
        problems = list(several.map(lambda row: wrong_with(row, program, found), rows))
    for row, problem in zip(rows, problems, strict=True):
        verdict = "wrong" if problem else row.get("verdict", "works")
        verdicts[row["id"]] = max(verdicts.get(row["id"], verdict), verdict, key=list(VERDICTS).index)
        by, known = shown_by(row, how)
        seen[known] = seen.get(known, 0) + 1
        said = f"WRONG: {problem}" if problem else f"{verdict}: {row['refused']}" if "refused" in row else VERDICTS[verdict]
        print(f"| {row['id']} | {cell(row['asked'])} | {cell(said)} | {cell(by)} | {known} |", flush=True)

    print_counts(projects, verdicts)
    print(f"\n{len(rows)} rows: {', '.join(f'{count} {known}' for known, count in seen.items())}")
    sys.exit("wrong" in verdicts.values())


if __name__ == "__main__":
    main()
