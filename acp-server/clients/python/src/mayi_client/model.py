"""What is said and heard, with the names of the protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

Json = Any
Mode = Literal["plan", "default", "auto"]
Category = Literal["read", "write", "execute", "external"]
Effect = Literal["allow", "ask", "deny"]
Status = Literal["started", "completed", "failed"]
Outcome = Literal["asked", "allowed", "denied", "cancelled"]

# One thing that a call does, or all that it does: {"kind": "shell", "command": "make"}.
Call = Mapping[str, Json] | Sequence[Mapping[str, Json]]


# One of a card's options by its id, or that the person stopped the turn: {"outcome": "cancelled"}.
Choice = str | Mapping[str, str]


class Finding(TypedDict, total=False):
    """One reason for a decision."""

    effect: Effect
    access: str
    source: str
    reason: str
    always: bool


class Option(TypedDict, total=False):
    """One choice on a card."""

    optionId: str
    name: str
    kind: str
    scope: str
    danger: str | None
    grants: list[str]
    covers: str


class ToolCall(TypedDict, total=False):
    """The call as a card shows it."""

    toolCallId: str | None
    title: str
    name: str | None
    kind: str
    rawInput: Json
    content: list[Json]
    untold: bool


class Access(TypedDict, total=False):
    """One thing that would be touched."""

    access: str
    display: str
    category: Category | None


class Suggestion(TypedDict):
    """Patterns that an answer for good may have, and for how long: `session`, `workspace`, `user`."""

    patterns: list[str]
    scopes: list[str]


class HostCall(TypedDict):
    """Whose question a card of `pending` is."""

    app: str
    chat: str
    callId: str


class Card(TypedDict, total=False):
    """A question to a person. What is not named here is in the dict all the same."""

    approvalId: str
    digest: str
    sessionId: str
    agentName: str
    toolCall: ToolCall
    cwd: str
    accesses: list[Access]
    permissionType: Literal["read", "write", "all"]
    options: list[Option]
    why: list[Finding]
    notShown: list[str]
    createdAt: str
    expiresAt: str | None
    state: str
    suggestions: list[Suggestion]
    host: HostCall


class Diff(TypedDict):
    """A change to a file; `oldText` is None where it is new."""

    path: str
    oldText: str | None
    newText: str


class _Named(TypedDict):
    name: str


class Tool(_Named, total=False):
    """A tool that the app offers its model; without a server, one of its own."""

    server: str
    category: Category
    annotations: Mapping[str, Json]


class ToolInfo(TypedDict):
    """What would become of a call to a tool, as far as that is known without its arguments."""

    server: str | None
    name: str
    category: Category
    effect: Effect


class Grant(TypedDict, total=False):
    """An answer that is remembered for a chat."""

    id: str
    effect: Effect
    scope: str
    what: str
    createdAt: str | None
    expiresAt: str | None
    usesLeft: int | None
    used: int


class Remember(TypedDict, total=False):
    """What to remember of an answer. `scope` is needed."""

    scope: Literal["session", "workspace", "user"]
    patterns: list[str]
    expiresIn: str
    uses: int
    level: str


class Answered(TypedDict, total=False):
    """What came of an answer. What is not named here is in the dict all the same."""

    approvalId: str
    state: str
    by: str
    at: str
    reason: str | None
    grantedPermissions: list[str]


@dataclass(frozen=True)
class Verdict:
    """What became of a call. Only `allowed` means that it may run, and once."""

    call_id: str
    outcome: Outcome
    approval_id: str | None
    by: str | None
    reason: str | None
    granted: tuple[str, ...]
    why: tuple[Finding, ...]

    @property
    def allowed(self) -> bool:
        return self.outcome == "allowed"


@dataclass(frozen=True)
class Waiting:
    """A call that waits; without a card while others stand in line before it."""

    call_id: str
    card: Card | None


@dataclass(frozen=True)
class Session:
    """A chat as the backend has it. Its key is a secret, and left out where this is printed."""

    key: str = field(repr=False)
    session_id: str
    app: str
    agent: str
    chat: str
    mode: Mode
    mode_locked: str | None
    briefing: str
    trust_categories: bool
    waiting: tuple[Waiting, ...]


def read_verdict(answer: Json) -> Verdict:
    return Verdict(
        call_id=answer["callId"],
        outcome=answer["outcome"],
        approval_id=answer["approvalId"],
        by=answer["by"],
        reason=answer["reason"],
        granted=tuple(answer["granted"]),
        why=tuple(answer["why"]),
    )


def cancelled(call_id: str) -> Verdict:
    """What becomes of a call that waits when its chat is closed here."""
    return Verdict(call_id, "cancelled", None, None, "the question was withdrawn", (), ())


def read_session(answer: Json) -> Session:
    return Session(
        key=answer["key"],
        session_id=answer["sessionId"],
        app=answer["app"],
        agent=answer["agent"],
        chat=answer["chat"],
        mode=answer["mode"],
        mode_locked=answer["modeLocked"],
        briefing=answer["briefing"],
        trust_categories=answer["trustCategories"],
        waiting=tuple(Waiting(one["callId"], one.get("card")) for one in answer["waiting"]),
    )
