"""One chat, as much of it as brings it back."""

from __future__ import annotations

import os
from collections.abc import Iterable

from .model import Json, Mode, Session, Tool

Folder = str | os.PathLike[str]


class ChatState:
    """A chat that is open, here and at the backend."""

    def __init__(self, params: dict[str, Json], parent: ChatState | None, session: Session) -> None:
        self._params = params
        self.parent = parent
        self.session = session
        self.offered: list[Tool] | None = None
        # Goes up each time that a backend has it anew: what waited before is not known there.
        self.opened = 1
        self.closed = False
        # Calls that were allowed and have not ended, with `opened` as it was when they were asked.
        self.allowed: dict[str, int] = {}

    @property
    def is_closed(self) -> bool:
        """A sub-task ends with its parent."""
        return self.closed or (self.parent is not None and self.parent.is_closed)

    def reopening(self) -> dict[str, Json]:
        return {**self._params, "key": self.session.key}

    def set_mode(self, mode: Mode, session: Session) -> None:
        self._params = {**self._params, "mode": mode}
        self.session = session


def opening(
    app: str,
    chat: str,
    cwd: Folder | None,
    key: str | None,
    mode: Mode | None,
    folders: Iterable[Folder],
    parent: str | None,
) -> dict[str, Json]:
    """Folders are made absolute: the backend works in another one."""
    if cwd is None and parent is None:
        cwd = "."
    said = {
        "app": app,
        "chat": chat,
        "cwd": None if cwd is None else os.path.abspath(cwd),
        "folders": [os.path.abspath(folder) for folder in folders],
        "key": key,
        "mode": mode,
        "parent": parent,
    }
    return {name: value for name, value in said.items() if value is not None}
