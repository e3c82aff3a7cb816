"""What gdb runs: writes down which functions of the project are entered while one message is on its way.

It begins when a read has returned the message, and ends when its answer is about to be written. No function of the project is
known here by its name: both are seen in what the process asks the kernel for.

Expects in the environment: STEPS_ROOT (the checkout), STEPS_OUT (where to write) and STEPS_TEXT (what the message and its answer
have in them, and nothing else has).
"""

import bisect
import collections
import json
import os

import gdb

ROOT = os.environ["STEPS_ROOT"] + "/"
TEXT = os.environ["STEPS_TEXT"].encode()

# System calls by their numbers on x86-64: those that read, and those that write. The second of each pair has a list of parts.
READS = {0: "read", 19: "readv", 45: "recvfrom"}
WRITES = {1: "write", 20: "writev", 44: "sendto"}

# What the kernel leaves in the register of the result until a call returns.
UNDER_WAY = 2**64 - 38


def place_of(address):
    """File and line, of what was compiled from the checkout."""
    place = gdb.find_pc_line(address)
    if place.symtab and place.symtab.fullname().startswith(ROOT):
        return place.symtab.fullname()[len(ROOT) :], place.line
    return None


def functions():
    """The address of each function that was compiled from the checkout, with its place and whether it is a closure."""
    for line in gdb.execute("maint print msymbols", to_string=True).splitlines():
        # "[ 17] T 0x555555554000 NAME section .text  READABLE NAME  FILE"
        kind, _, rest = line.partition("]")[2].strip().partition(" ")
        if kind in ("t", "T") and "mayi" in rest:
            address = int(rest.split()[0], 16)
            place = place_of(address)
            if place:
                yield address, (*place, "closure" in rest)


class Traps:
    """A trap at the beginning of each function, in place of its first byte.

    Not breakpoints of gdb's own: what one of these costs grows with their number, and there are thousands.
    """

    BYTE = b"\xcc"

    # What was entered so often is some loop's detail, and each time costs a millisecond or more.
    ENOUGH = 100

    def __init__(self):
        self.memory = gdb.selected_inferior()
        self.places = dict(functions())
        # [number of the caller in this list or none, file, line, whether it is a closure]
        self.entered = []
        self.times = collections.Counter()
        # For each thread, from the outside in: where a function's return address is, what that is, its number above.
        self.stacks = {}
        self.enter_under_way()
        self.under_way = len(self.entered)
        self.first = {address: self.memory.read_memory(address, 1).tobytes() for address in self.places}
        for address in self.places:
            self.memory.write_memory(address, self.BYTE)

    def enter(self, address, slot):
        """Notes that a function was entered whose return address is in this slot."""
        stack = self.stacks.setdefault(gdb.selected_thread().num, [])
        # Those have returned that began deeper, and those over whose return address something else was written since.
        while stack and (stack[-1][0] <= slot or self.word(stack[-1][0]) != stack[-1][1]):
            stack.pop()
        caller = stack[-1][2] if stack else None
        stack.append((slot, self.word(slot), len(self.entered)))
        self.entered.append((caller, *self.places[address]))

    def word(self, address):
        return self.memory.read_memory(address, 8).tobytes()

    def enter_under_way(self):
        """Enters what the thread is in already: who has read the message is on its way too."""
        beginnings = sorted(self.places)
        found = []
        frame = gdb.newest_frame()
        while frame and frame.older():
            if place_of(frame.pc() - 1):
                address = beginnings[bisect.bisect(beginnings, frame.pc()) - 1]
                found.append((address, int(frame.older().read_register("sp")) - 8))
            frame = frame.older()
        for address, slot in reversed(found):
            self.enter(address, slot)

    def sprung(self):
        """Whether it was a trap that has stopped the process. If so, notes the function, and goes on behind its first instruction."""
        address = register("pc") - 1
        if address not in self.places:
            return False
        self.enter(address, register("sp"))
        gdb.execute(f"set $pc = {address}")
        self.memory.write_memory(address, self.first[address])
        self.times[address] += 1
        if self.times[address] < self.ENOUGH:
            gdb.execute("stepi", to_string=True)
            self.memory.write_memory(address, self.BYTE)
        return True

    def away(self):
        for address, byte in self.first.items():
            self.memory.write_memory(address, byte)


def register(name):
    return int(gdb.selected_frame().read_register(name)) % 2**64


def transferred(call, length):
    """The bytes that a system call has read, or is about to write."""
    memory = gdb.selected_inferior()
    buffer = register("rsi")
    if not call.endswith("v"):
        return memory.read_memory(buffer, length).tobytes()
    parts = []
    for number in range(register("rdx")):
        part = memory.read_memory(buffer + 16 * number, 16).tobytes()
        start, size = (int.from_bytes(half, "little") for half in (part[:8], part[8:]))
        parts.append(memory.read_memory(start, size).tobytes() if size else b"")
    return b"".join(parts)


def until(calls, returned, text, traps=None):
    """Goes on until one of these system calls has read this text, or is about to write it."""
    while True:
        gdb.execute("continue", to_string=True)
        if not gdb.selected_inferior().pid:
            raise gdb.GdbError(f"mayi has ended, and {text} was never seen")
        if traps and traps.sprung():
            continue
        call, result = calls.get(register("orig_rax")), register("rax")
        if call is None or returned != (result != UNDER_WAY) or returned and not 0 < result < 2**63:
            continue
        if text in transferred(call, result if returned else register("rdx")):
            return


for command in (
    "set pagination off",
    "set confirm off",
    "set breakpoint pending off",
    "set print inferior-events off",
    "set print thread-events off",
    "set follow-fork-mode parent",
    "handle all nostop noprint pass",
    "handle SIGTRAP stop print nopass",
    "starti",
    "set scheduler-locking step",
):
    gdb.execute(command, to_string=True)
for call in (READS | WRITES).values():
    gdb.execute(f"catch syscall {call}", to_string=True)
until(READS, True, TEXT)
traps = Traps()
until(WRITES, False, TEXT, traps)
traps.away()
with open(os.environ["STEPS_OUT"], "w", encoding="utf-8") as out:
    json.dump({"under_way": traps.under_way, "entered": traps.entered}, out)
gdb.execute("delete")
gdb.execute("detach", to_string=True)
