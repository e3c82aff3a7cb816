"""A machine of its own for each test: a home, a project, and the real backend."""

from __future__ import annotations

import faulthandler
import os
import signal
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mayi_client import Card, Mayi
from mayi_client.aio import Mayi as AioMayi

# A test that hangs ends by this, and says where.
LIMIT = 20.0
faulthandler.dump_traceback_later(120, exit=True)
MAKE = {"kind": "shell", "command": "make"}


class Machine:
    def __init__(self, config: str = "") -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="mayi-client-")
        root = Path(self._folder.name).resolve()
        self.work = root / "work"
        self.env = {"PATH": os.environ["PATH"]}
        folders = {
            "HOME": "home",
            "XDG_CONFIG_HOME": "config",
            "XDG_STATE_HOME": "state",
            "XDG_DATA_HOME": "data",
            "XDG_CACHE_HOME": "cache",
        }
        for name, folder in folders.items():
            (root / folder).mkdir()
            self.env[name] = str(root / folder)
        self.work.mkdir()
        if config:
            (root / "config" / "mayi").mkdir()
            (root / "config" / "mayi" / "config.toml").write_text(config)

    def start(self) -> Mayi:
        return Mayi.start(os.environ["MAYI_BIN"], env=self.env, serve_cwd=self.work)

    def start_aio(self) -> AioMayi:
        return AioMayi.start(os.environ["MAYI_BIN"], env=self.env, serve_cwd=self.work)

    def token(self) -> str:
        [file] = (Path(self.env["XDG_STATE_HOME"]) / "mayi" / "serve").glob("*.answer")
        return file.read_text().strip()

    def forget(self) -> None:
        self._folder.cleanup()


def machine_of(test: unittest.TestCase, config: str = "") -> Machine:
    machine = Machine(config)
    test.addCleanup(machine.forget)
    return machine


def answering(mayi: Any, *options: str, **more: Any) -> Callable[[Card], Any]:
    """Answers the first card with the first option, and so on; a card too many fails."""
    left = list(options)
    return lambda card: mayi.answer(card, left.pop(0), **more)


def nobody(card: Card) -> None:
    raise AssertionError(f"nobody should be asked: {card}")


def address(mayi: Any) -> tuple[str, str]:
    """The url and the token of the backend that was started there."""
    backend = mayi._core.backend
    return f"http://{backend.name}{backend.path}", backend.token


def kill(mayi: Any) -> int:
    """Kills the backend, as nothing that it could notice. Returns which one it was."""
    pid: int = mayi.pid
    os.kill(pid, signal.SIGKILL)
    return pid
