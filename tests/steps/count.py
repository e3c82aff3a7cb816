"""From the functions that were entered, as trace.py wrote them down, to the steps.

Which functions are steps is said in docs/architecture/steps.md.
"""

import json
import re

# What counts for each floor; the first that fits. `EACH`: every function. `DOOR`: what it does inside is its own business, so
# only where it is entered counts. `FILE`: the same, and each file of it counts once. What stands nowhere counts for nothing:
# front ends and the demo agent.
EACH, DOOR, FILE = range(3)
FLOORS = [
    ("core/doors/", EACH),
    ("core/src/", EACH),
    ("core/kept/src/approval/", EACH),
    ("core/kept/src/pin/", EACH),
    ("core/policy/src/decide/", FILE),
    ("core/", DOOR),
]
# What was running before only carries the message on if it is a door's; a front end only if it enters the gate.
DOORS, GATE = "core/doors/", "core/src/"

FUNCTION = re.compile(r"^( *)(?:pub(?:\([^)]*\))? )?(?:const )?(?:async )?fn (\w+)")
IMPL = re.compile(r"^( *)impl\b")
OF_TRAIT = re.compile(r"([\w:]+)(?:<[^{]*>)? for ")
TRAIT = re.compile(r"^ *(?:pub(?:\([^)]*\))? )?trait (\w+)", re.MULTILINE)


class Function:
    """A function as it is written. It relies on the layout that rustfmt gives."""

    def __init__(self, file, lines, first, traits):
        indent, self.name = FUNCTION.match(lines[first]).groups()
        self.file, self.line = file, first + 1
        opened = first
        while not lines[opened].endswith(("{", "}", ";")):
            opened += 1
        last = opened
        if lines[opened].endswith("{"):
            last = next(at for at in range(opened + 1, len(lines)) if lines[at] == indent + "}")
        self.last = last + 1
        self.short = last - opened - 1 <= 3
        self.floor = next((kind for folder, kind in FLOORS if file.startswith(folder)), None)
        self.glue = self.is_glue(lines, first, indent, traits)

    @staticmethod
    def is_glue(lines, first, indent, traits):
        """Whether it belongs to a trait of the language's or a library's: nobody calls it by its name."""
        for at in range(first, -1, -1):
            found = IMPL.match(lines[at])
            if found and len(found[1]) < len(indent):
                head = " ".join(lines[at : at + 4]).split("{")[0]
                trait = OF_TRAIT.search(head)
                return bool(trait) and trait[1].split("::")[-1] not in traits
        return False


class Sources:
    """The functions of a checkout."""

    def __init__(self, root):
        self.root = root
        self.traits = set()
        for path in root.glob("core/**/*.rs"):
            self.traits.update(TRAIT.findall(path.read_text(encoding="utf-8")))
        self.files = {}

    def read(self, file):
        if file not in self.files:
            lines = (self.root / file).read_text(encoding="utf-8").split("\n")
            starts = [at for at, text in enumerate(lines) if FUNCTION.match(text)]
            self.files[file] = lines, [Function(file, lines, at, self.traits) for at in starts]
        return self.files[file]

    def text(self, file, line):
        return self.read(file)[0][line - 1]

    def at(self, file, line):
        """The function around a line, the innermost; none for code that a macro wrote."""
        around = [function for function in self.read(file)[1] if function.line <= line <= function.last]
        return around[-1] if around else None


class Entered:
    """A function that was entered, and from where."""

    def __init__(self, function, caller, closure, waits, under_way):
        self.function, self.caller, self.under_way = function, caller, under_way
        # Not the function itself, but something in it: the body of an async function too, which may wait and go on.
        self.closure, self.waits = closure, waits

    def callers(self):
        """From the nearest one outwards."""
        caller = self.caller
        while caller:
            yield caller
            caller = caller.caller


def entered(log, sources):
    """What trace.py wrote, by functions as they are written: a closure is a part of the function that it stands in."""
    by_number, found = [], []
    for caller, file, line, closure in log["entered"]:
        caller = by_number[caller] if caller is not None else None
        function = sources.at(file, line)
        if function is None or caller and caller.function is function:
            by_number.append(caller)
            continue
        waits = "async" in sources.text(file, line)
        by_number.append(Entered(function, caller, closure, waits, len(by_number) < log["under_way"]))
        found.append(by_number[-1])
    return found


def named(all_entered):
    """The functions that could be steps by what they are: not those of a few lines that lead nowhere."""
    def fits(function):
        return function.floor is not None and not function.glue

    found = {each.function for each in all_entered if fits(each.function) and not each.function.short}
    waiting = found
    while waiting:
        leading = (each for each in all_entered if each.function in waiting)
        nearest = (next((one.function for one in each.callers() if fits(one.function)), None) for each in leading)
        waiting = {function for function in nearest if function and function not in found}
        found |= waiting
    return found


def carries_on(each, known):
    """Whether what was entered without a caller belongs to the message, and not to what goes on beside it."""
    if each.under_way or each.function in known:
        return True
    if any(one.function.floor is None and not one.under_way for one in each.callers()):
        # A front end that calls the gate, and not one that goes on with what the gate began earlier. (The front end that runs
        # all tasks is in all that they do, and was so before.)
        return each.function.file.startswith(GATE) and not each.closure
    return each.function.file.startswith(DOORS)


def steps(log, sources):
    """The steps, in their order."""
    all_entered = entered(log, sources)
    candidates = named(all_entered)
    number_of = {each: number for number, each in enumerate(all_entered)}
    found, known, ways, beside, turns = [], {}, set(), set(), {}
    for each in all_entered:
        function = each.function
        if function not in candidates:
            continue
        callers = [one for one in each.callers() if one.function in candidates]
        if not callers and not carries_on(each, known) or any(one in beside for one in callers):
            beside.add(each)
            continue
        # What one thread does in one go is not torn apart by what another does meanwhile. What was handed to a thread of its own
        # stands behind what handed it over: when it begins is chance.
        if callers:
            turns[each] = turns[callers[0]]
        elif function in known and each.closure and not each.waits:
            turns[each] = (known[function][0], 1)
        else:
            turns[each] = (number_of[each], 0)
        if any(one.function.floor != EACH for one in callers):
            if function.floor != FILE or any(one.function.file == function.file for one in found):
                continue
        caller = callers[0].function if callers else None
        if (caller, function) in ways or function in known and (each.closure or not caller):
            continue
        ways.add((caller, function))
        known.setdefault(function, turns[each])
        found.append(each)
    found.sort(key=turns.get)
    return [each.function for each in found]


def table(title, path, sources):
    """One way as text, with its figures at the end."""
    found = steps(json.loads(path.read_text(encoding="utf-8")), sources)
    lines = [title]
    for number, function in enumerate(found, 1):
        lines.append(f"{number:4}  {function.name:24}  {function.file}:{function.line}")
    changes = sum(one.file != other.file for one, other in zip(found, found[1:]))
    files = len({function.file for function in found})
    figures = f"{len(found)} steps in {files} files, {changes} changes of file"
    return "\n".join([*lines, figures, ""]), f"{title}: {figures}"
