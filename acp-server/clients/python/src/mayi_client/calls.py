"""What a chat asks and tells. Every function here is steps, for both faces."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .chat_state import ChatState
from .core import Again, Core, Tries
from .effects import Post, Run, Settle, Steps, Tell
from .errors import BAD_PARAMS, Lost, MayiError, NotAllowed
from .model import (
    Call,
    Card,
    Category,
    Diff,
    Grant,
    Json,
    Mode,
    Session,
    Status,
    Tool,
    ToolInfo,
    Verdict,
    Waiting,
    cancelled,
    read_session,
    read_verdict,
)

LOG = logging.getLogger("mayi_client")

# Seconds that one request waits for a person. A card that changes is told after so long at the latest.
WAIT = 20
# The same where the question stands in line, and has no card yet.
WAIT_IN_LINE = 1
# Calls of which the app has never told how they ended.
MOST_ALLOWED = 1000


def question(
    call_id: str,
    call: Call,
    tool: str | None,
    input: Json,
    diffs: Sequence[Diff],
    title: str | None,
    category: Category | None,
    timeout_seconds: int | None,
) -> dict[str, Json]:
    said = {
        "callId": call_id,
        "call": call,
        "wait": False,
        "tool": tool,
        "input": input,
        "diffs": list(diffs),
        "title": title,
        "category": category,
        "timeoutSeconds": timeout_seconds,
    }
    return {name: value for name, value in said.items() if value is not None}


def ask(
    core: Core, chat: ChatState, asked: dict[str, Json], on_card: Callable[[Card], object] | None
) -> Steps[Verdict]:
    """Waits for the verdict, over as many backends as it takes. Whoever stops waiting withdraws the question."""
    call_id, known, told = asked["callId"], False, set[str]()
    shown: tuple[str, str] | None = None
    tries = Tries()
    try:
        while True:
            opened = chat.opened
            try:
                answer = yield from core.chat_request(chat, "host/ask", asked)
                known = True
                while answer["outcome"] == "asked" and chat.opened == opened:
                    card: Card | None = answer.get("card")
                    if on_card and card and (form := (card["approvalId"], card["digest"])) != shown:
                        shown = form
                        told.add(card["approvalId"])
                        core.told[card["approvalId"]] = False
                        yield Tell(on_card, card)
                    wait = WAIT if card else WAIT_IN_LINE
                    # Another card, or the first one where it waited in line, comes at once.
                    params = {"callId": call_id, "waitSeconds": wait, "seen": card["digest"] if card else ""}
                    answer = yield from core.chat_request(chat, "host/outcome", params, wait)
                    tries.begin()
                if answer["outcome"] == "asked":
                    continue
                verdict = read_verdict(answer)
                yield Settle(finish=core.told.get(verdict.approval_id or "", False))
                if verdict.allowed:
                    _note_allowed(chat, call_id, opened)
                return verdict
            except Again as again:
                tries.spend(again)
            except MayiError as error:
                if known and (core.closed or chat.is_closed):
                    return cancelled(call_id)
                # The app's answer came too late, or another thread has opened the chat at a new backend meanwhile.
                if not error.was_overtaken and (error.code != BAD_PARAMS or chat.opened == opened):
                    raise
                tries.spend(Again(error))
    except GeneratorExit:
        raise
    except BaseException as error:
        # A question that was refused may have another's id: that one goes on waiting.
        if known or not isinstance(error, MayiError):
            yield from _give_up(core, chat, call_id)
        raise
    finally:
        for approval in told:
            core.told.pop(approval, None)


def _give_up(core: Core, chat: ChatState, call_id: str) -> Steps[None]:
    """Without a backend nothing waits, so none is started for this."""
    if (backend := core.backend) is None:
        return
    try:
        yield Post(backend, "host/withdraw", {"key": chat.session.key, "callId": call_id})
    except (Lost, MayiError):
        pass


def _note_allowed(chat: ChatState, call_id: str, opened: int) -> None:
    chat.allowed[call_id] = opened
    if len(chat.allowed) > MOST_ALLOWED:
        chat.allowed.pop(next(iter(chat.allowed)), None)


def report(core: Core, chat: ChatState, call_id: str, status: Status) -> Steps[bool]:
    """False where the backend is gone that allowed the call: the new one knows nothing of it."""
    taken = True
    try:
        params = {"callId": call_id, "status": status}
        yield from core.repeat(lambda: core.chat_request(chat, "host/report", params))
    except MayiError as error:
        if error.code != BAD_PARAMS or chat.allowed.get(call_id, chat.opened) == chat.opened:
            raise
        taken = False
    if status != "started":
        chat.allowed.pop(call_id, None)
    return taken


def run(
    core: Core,
    chat: ChatState,
    asked: dict[str, Json],
    on_card: Callable[[Card], object] | None,
    function: Callable[[], object],
) -> Steps[Any]:
    """Asks, and calls the function only if it may run."""
    verdict = yield from ask(core, chat, asked, on_card)
    if not verdict.allowed:
        raise NotAllowed(verdict)
    yield from report(core, chat, verdict.call_id, "started")
    try:
        result = yield Run(function)
    except GeneratorExit:
        raise
    except BaseException:
        yield from _report_end(core, chat, verdict.call_id, "failed")
        raise
    yield from _report_end(core, chat, verdict.call_id, "completed")
    return result


def _report_end(core: Core, chat: ChatState, call_id: str, status: Status) -> Steps[None]:
    """What the function has done can't be undone, so its result is not given up for a report."""
    try:
        yield from report(core, chat, call_id, status)
    except MayiError as error:
        LOG.warning("the end of a call could not be reported: %s", error)


def set_mode(core: Core, chat: ChatState, mode: Mode) -> Steps[Session]:
    answer = yield from core.repeat(lambda: core.chat_request(chat, "host/setMode", {"mode": mode}))
    chat.set_mode(mode, read_session(answer))
    return chat.session


def waiting(core: Core, chat: ChatState) -> Steps[list[Waiting]]:
    answer = yield from core.repeat(lambda: core.chat_request(chat, "host/get", {}))
    chat.session = read_session(answer)
    return list(chat.session.waiting)


def offer_tools(core: Core, chat: ChatState, tools: Iterable[Tool]) -> Steps[list[ToolInfo]]:
    offered = list(tools)
    answer = yield from core.repeat(lambda: core.chat_request(chat, "host/tools", {"tools": offered}))
    chat.offered = offered
    told: list[ToolInfo] = answer["tools"]
    return told


def grants(core: Core, chat: ChatState) -> Steps[list[Grant]]:
    answer: list[Grant] = yield from core.repeat(lambda: core.chat_request(chat, "host/grants", {}))
    return answer


def revoke(core: Core, chat: ChatState, ids: Iterable[str] | None) -> Steps[int]:
    params = {} if ids is None else {"ids": list(ids)}
    answer = yield from core.repeat(lambda: core.chat_request(chat, "host/revoke", params))
    return int(answer["revoked"])


def withdraw(core: Core, chat: ChatState, call_id: str | None) -> Steps[None]:
    params = {} if call_id is None else {"callId": call_id}
    yield from core.repeat(lambda: core.chat_request(chat, "host/withdraw", params))


def close(core: Core, chat: ChatState, forget: bool) -> Steps[None]:
    if chat.closed:
        return
    if forget:
        yield from core.repeat(lambda: core.chat_request(chat, "host/close", {"forget": True}))
        core.forget(chat)
        return
    # What no backend has open is closed already.
    core.forget(chat)
    if (backend := core.backend) is not None:
        try:
            yield Post(backend, "host/close", {"key": chat.session.key})
        except Lost:
            pass
        except MayiError as error:
            if not error.is_unknown_session:
                raise
