"""What the logic wants done: it is written once, as generators that yield these, and each face does them in its way."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from .model import Card, Json
from .wire import PATIENCE, Backend

T = TypeVar("T")

# The question that the app was told, within what shows it: an answer from there is its own.
TELLING: ContextVar[str | None] = ContextVar("mayi_client_telling", default=None)


@dataclass(frozen=True)
class Post:
    """One request. `wait`: how long the backend may hold it back until a person has answered."""

    backend: Backend
    method: str
    params: dict[str, Json]
    wait: int = 0

    @property
    def limit(self) -> float:
        return self.wait + PATIENCE


@dataclass(frozen=True)
class Tell:
    """The app is to show a card. Where it can (asyncio), the wait goes on meanwhile."""

    function: Callable[[Card], object]
    card: Card


@dataclass(frozen=True)
class Settle:
    """What `Tell` began is over. `finish`: the answer is its own, so it comes to its end; else it is cancelled."""

    finish: bool


@dataclass(frozen=True)
class Run:
    """The app's function is called."""

    function: Callable[[], object]


@dataclass(frozen=True)
class Block:
    """Something of the operating system that blocks for a while."""

    function: Callable[[], object]


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Alone:
    """Steps that no others of the kind may run beside. They are not stopped half-way."""

    steps: Steps[None]


Effect = Post | Tell | Settle | Run | Block | Pause | Alone
Steps = Generator[Effect, Any, T]
