"""The face that blocks."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import TypeVar

from . import calls
from .chat_state import ChatState, Folder, opening
from .core import Core
from .model import (
    Answered,
    Call,
    Card,
    Category,
    Choice,
    Diff,
    Grant,
    Json,
    Mode,
    Remember,
    Session,
    Status,
    Tool,
    ToolInfo,
    Verdict,
    Waiting,
)
from .plain_driver import PlainDriver
from .process import Launch, Stderr
from .wire import Backend

R = TypeVar("R")
OnCard = Callable[[Card], object]


class Mayi:
    """A backend, and the chats in it. May be used from several threads."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._driver = PlainDriver()

    @classmethod
    def start(
        cls,
        command: str | Sequence[str] | None = None,
        *,
        args: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        serve_cwd: Folder | None = None,
        idle: str = "1m",
        stderr: Stderr = subprocess.DEVNULL,
    ) -> Mayi:
        """Starts `mayi serve`, and starts it again whenever it is gone.

        `command`: else $MAYI_BIN, else `mayi`. `args`: further options of `mayi serve`. `serve_cwd`: the folder that it runs
        in. `idle`: it ends after so long without a request, and is started again when it is needed.
        """
        mayi = cls(Core(Launch.of(command, args, env, serve_cwd, idle, stderr), None))
        mayi._driver.drive(mayi._core.start())
        return mayi

    @classmethod
    def connect(cls, url: str, token: str, reconnect: Callable[[], tuple[str, str]] | None = None) -> Mayi:
        """Uses a backend that somebody else started; `token` is what is in the file of one of its two tokens.

        `reconnect`: finds the url and the token of the backend that takes the place of one that is gone. Without it, that
        is an error.
        """
        return cls(Core(None, Backend.at(url, token), reconnect))

    def __enter__(self) -> Mayi:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Ends the backend, if it was started here. The keys of chats bring them back later."""
        self._driver.drive(self._core.close())

    @property
    def pid(self) -> int | None:
        """The process of the backend that was started here."""
        return self._core.pid

    def open(
        self,
        app: str,
        chat: str,
        cwd: Folder | None = None,
        *,
        key: str | None = None,
        mode: Mode | None = None,
        folders: Iterable[Folder] = (),
        parent: Chat | None = None,
    ) -> Chat:
        """A session for a chat; with its key from an earlier time, with what was remembered for it."""
        above = parent.state if parent else None
        params = opening(app, chat, cwd, key, mode, folders, parent.key if parent else None)
        return Chat(self._core, self._driver, self._driver.drive(self._core.open(params, above)))

    def answer(
        self,
        card: Card,
        choice: Choice,
        *,
        remember: Remember | None = None,
        reason: str | None = None,
        bypass_all: bool = False,
        bypass_session: bool = False,
    ) -> Answered:
        """Hands in what a person chose: the `optionId` of one of the card's options.

        The bypasses: only where the person was asked twice.
        """
        steps = self._core.answer(card, choice, remember, reason, bypass_all, bypass_session)
        return self._driver.drive(steps)

    def pending(self) -> list[Card]:
        """The cards that wait for an answer, of all the user's programs, oldest first."""
        return self._driver.drive(self._core.pending())


class Chat:
    """One chat of the app."""

    def __init__(self, core: Core, driver: PlainDriver, state: ChatState) -> None:
        self._core = core
        self._driver = driver
        self.state = state

    @property
    def session(self) -> Session:
        return self.state.session

    @property
    def key(self) -> str:
        """A secret of the app's, to be kept with the chat: it brings the chat back."""
        return self.state.session.key

    @property
    def mode(self) -> Mode:
        return self.state.session.mode

    @property
    def closed(self) -> bool:
        return self._core.closed or self.state.is_closed

    @property
    def briefing(self) -> str:
        """What to tell the model about the mode."""
        return self.state.session.briefing

    def ask(
        self,
        call_id: str,
        call: Call,
        *,
        on_card: OnCard | None = None,
        tool: str | None = None,
        input: Json = None,
        diffs: Sequence[Diff] = (),
        title: str | None = None,
        category: Category | None = None,
        timeout_seconds: int | None = None,
    ) -> Verdict:
        """May this call run? Waits for a person if need be.

        `on_card` is told what is asked, and again when that changes. The wait goes on when it returns, so it may
        answer itself, or show the card and leave the answer to another thread.
        """
        asked = calls.question(call_id, call, tool, input, diffs, title, category, timeout_seconds)
        return self._driver.drive(calls.ask(self._core, self.state, asked, on_card))

    def run(
        self,
        call_id: str,
        call: Call,
        function: Callable[[], R],
        *,
        on_card: OnCard | None = None,
        tool: str | None = None,
        input: Json = None,
        diffs: Sequence[Diff] = (),
        title: str | None = None,
        category: Category | None = None,
        timeout_seconds: int | None = None,
    ) -> R:
        """Asks, calls the function if it may run, and reports both ends of it. Else: `NotAllowed`."""
        asked = calls.question(call_id, call, tool, input, diffs, title, category, timeout_seconds)
        result: R = self._driver.drive(calls.run(self._core, self.state, asked, on_card, function))
        return result

    def report(self, call_id: str, status: Status) -> bool:
        """Tells what was done. False where the backend is gone that allowed it, and the new one can't tell."""
        return self._driver.drive(calls.report(self._core, self.state, call_id, status))

    def set_mode(self, mode: Mode) -> Session:
        return self._driver.drive(calls.set_mode(self._core, self.state, mode))

    def tools(self, tools: Iterable[Tool]) -> list[ToolInfo]:
        """Names the tools that the model is offered, in place of those before; hears what holds for each."""
        return self._driver.drive(calls.offer_tools(self._core, self.state, tools))

    def waiting(self) -> list[Waiting]:
        """What waits in this chat, oldest first."""
        return self._driver.drive(calls.waiting(self._core, self.state))

    def grants(self) -> list[Grant]:
        """What is remembered for this chat."""
        return self._driver.drive(calls.grants(self._core, self.state))

    def revoke(self, ids: Iterable[str] | None = None) -> int:
        """Takes back answers of this chat, all without ids. Says how many there were."""
        return self._driver.drive(calls.revoke(self._core, self.state, ids))

    def withdraw(self, call_id: str | None = None) -> None:
        """Nobody wants to know any more: of one call, or of all that wait."""
        self._driver.drive(calls.withdraw(self._core, self.state, call_id))

    def close(self, forget: bool = False) -> None:
        """Puts the chat away. Its key brings it back, unless it is to be forgotten."""
        self._driver.drive(calls.close(self._core, self.state, forget))
