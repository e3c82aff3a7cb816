"""The backend, and how it comes back when it is gone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

from .chat_state import ChatState
from .effects import TELLING, Alone, Block, Pause, Post, Run, Steps, T
from .errors import NO_SESSION, UNREACHABLE, Lost, MayiError
from .model import Answered, Card, Choice, Json, Remember, read_session
from .process import Child, Found, Launch
from .wire import Backend

# How often something is tried that finds no backend, or none that knows the chat.
MOST_TRIES = 5
# Seconds before each start of a backend in place of one that is gone.
PAUSES = (0.0, 0.2, 0.5, 1.0)
# Who was killed may be seen to be gone a moment later.
DEATH = 2.0


class Again(Exception):
    """What was in the way is put right: the request may be made once more."""

    def __init__(self, error: MayiError) -> None:
        super().__init__(error)
        self.error = error


class Tries:
    """Ends what would be tried for ever."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self._left = MOST_TRIES
        self._reopened = False

    def spend(self, again: Again) -> None:
        self._left -= 1
        reopens = again.error.is_unknown_session
        # A key that is not known right after it was opened is refused for another reason.
        if self._left == 0 or (reopens and self._reopened):
            raise again.error
        self._reopened = self._reopened or reopens


class Core:
    """What all chats of one `Mayi` share."""

    def __init__(
        self, launch: Launch | None, backend: Backend | None, reconnect: Callable[[], object] | None = None
    ) -> None:
        # How another backend is found in place of one that is gone: it is started, or the app knows. Else it stays gone.
        self._launch = launch
        self._reconnect = reconnect
        # One attribute, so that no thread sees half of a change.
        self._served: tuple[int, Backend | None] = (0, backend)
        self._child: Child | Found | None = None
        self._closed = False
        # A dict keeps the order: parents come before what was opened in them.
        self._chats: dict[ChatState, None] = {}
        # Questions that were told to the app, and whether what shows them has answered.
        self.told: dict[str, bool] = {}

    @property
    def backend(self) -> Backend | None:
        return self._served[1]

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child else None

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def _can_revive(self) -> bool:
        return self._launch is not None or self._reconnect is not None

    def start(self) -> Steps[None]:
        """Starts the backend now, so that whatever is wrong with it is told now."""
        yield Alone(self._revive(0))

    def close(self) -> Steps[None]:
        self._closed = True
        yield Alone(self._stop_child())

    def _stop_child(self) -> Steps[None]:
        if self._child:
            yield Block(self._child.stop)

    def request(self, method: str, params: dict[str, Json], wait: int = 0) -> Steps[Json]:
        """One request. A connection that is lost brings a new backend, and `Again`."""
        generation, backend = self._served
        try:
            if backend is None:
                raise Lost("it was not started")
            return (yield Post(backend, method, params, wait))
        except Lost as lost:
            name = backend.name if backend else "nowhere"
            error = MayiError(UNREACHABLE, f"the backend at {name} can't be reached: {lost}")
        if not self._can_revive:
            raise error
        yield Alone(self._revive(generation))
        raise Again(error)

    def chat_request(self, chat: ChatState, method: str, params: dict[str, Json], wait: int = 0) -> Steps[Json]:
        """One request about a chat. A key that is not known is opened anew, and brings `Again`."""
        if chat.closed:
            raise MayiError(NO_SESSION, "this chat is closed: open it again with its key", {"reason": "closed"})
        opened = chat.opened
        try:
            return (yield from self.request(method, {"key": chat.session.key, **params}, wait))
        except MayiError as error:
            if not error.is_unknown_session:
                raise
            again = Again(error)
        try:
            yield Alone(self._reopen(chat, opened))
        except Lost:
            # The next try finds that out too, and what to do about it.
            pass
        raise again

    def repeat(self, request: Callable[[], Steps[T]]) -> Steps[T]:
        """Makes a request until a backend that knows the chat has answered."""
        tries = Tries()
        while True:
            try:
                return (yield from request())
            except Again as again:
                tries.spend(again)

    def open(self, params: dict[str, Json], parent: ChatState | None) -> Steps[ChatState]:
        answer = yield from self.repeat(lambda: self.request("host/open", params))
        chat = ChatState(params, parent, read_session(answer))
        self._chats[chat] = None
        return chat

    def forget(self, chat: ChatState) -> None:
        chat.closed = True
        self._chats.pop(chat, None)

    def _revive(self, generation: int) -> Steps[None]:
        """Starts another backend in place of the one of that generation, with all chats open."""
        if self._closed:
            raise MayiError(UNREACHABLE, "this connection is closed")
        if self._served[0] != generation or not self._can_revive:
            return
        if self._child:
            # One that still runs had no room, or was too busy: it is asked again, and not ended.
            if not (yield Block(partial(self._child.has_ended, DEATH))):
                return
            yield Block(self._child.stop)
        failure: Exception = MayiError(UNREACHABLE, "the backend ends as soon as it has started")
        for pause in PAUSES:
            yield Pause(pause)
            try:
                child = yield from self._find()
            except Exception as error:
                if self.backend is None:
                    raise
                failure = error
                continue
            self._child = child
            try:
                yield from self._open_all(child.backend)
            except Lost:
                yield Block(child.stop)
                continue
            self._served = (generation + 1, child.backend)
            return
        raise failure

    def _find(self) -> Steps[Child | Found]:
        if self._launch is not None:
            child: Child = yield Block(partial(Child, self._launch))
            return child
        url, token = yield Run(cast(Callable[[], object], self._reconnect))
        return Found(url, token)

    def _open_all(self, backend: Backend) -> Steps[None]:
        for chat in list(self._chats):
            try:
                yield from self._open_at(backend, chat)
            except MayiError:
                # Its folder may be gone. The chat's own next request says so, and the others go on.
                continue

    def _reopen(self, chat: ChatState, opened: int) -> Steps[None]:
        backend = self.backend
        if backend is None or chat.opened != opened:
            return
        if chat.parent and not chat.parent.closed:
            yield from self._open_at(backend, chat.parent)
        yield from self._open_at(backend, chat)

    def _open_at(self, backend: Backend, chat: ChatState) -> Steps[None]:
        answer = yield Post(backend, "host/open", chat.reopening())
        if chat.offered is not None:
            params = {"key": chat.session.key, "tools": chat.offered}
            yield Post(backend, "host/tools", params)
        chat.session = read_session(answer)
        chat.opened += 1

    def answer(
        self,
        card: Card,
        choice: Choice,
        remember: Remember | None,
        reason: str | None,
        bypass_all: bool,
        bypass_session: bool,
    ) -> Steps[Answered]:
        if card["approvalId"] in self.told and TELLING.get() == card["approvalId"]:
            self.told[card["approvalId"]] = True
        params: dict[str, Json] = {
            "approvalId": card["approvalId"],
            "digest": card["digest"],
            "response": {"outcome": {"outcome": "selected", "optionId": choice} if isinstance(choice, str) else choice},
            "bypassAll": bypass_all,
            "bypassSession": bypass_session,
            "remember": remember,
            "reason": reason,
        }
        answered: Answered = yield from self.repeat(lambda: self.request("approval/respond", params))
        return answered

    def pending(self) -> Steps[list[Card]]:
        entries = yield from self.repeat(lambda: self.request("approval/list", {"pending": True}))
        return [entry["card"] for entry in entries]
