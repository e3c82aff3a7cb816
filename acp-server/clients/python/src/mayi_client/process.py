"""The backend as a child of this process. All of it blocks; asyncio runs it in threads."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from .errors import UNREACHABLE, MayiError
from .wire import Backend

Stderr = int | IO[bytes] | IO[str] | None

# A backend listens after a fraction of this; a machine may be busy.
START_LIMIT = 30.0
STOP_LIMIT = 10.0


@dataclass(frozen=True)
class Launch:
    """How a backend is started, each time alike."""

    command: Sequence[str]
    env: Mapping[str, str] | None
    cwd: str | None
    stderr: Stderr

    @classmethod
    def of(
        cls,
        command: str | Sequence[str] | None,
        args: Sequence[str],
        env: Mapping[str, str] | None,
        cwd: str | os.PathLike[str] | None,
        idle: str,
        stderr: Stderr,
    ) -> Launch:
        program = command or os.environ.get("MAYI_BIN") or "mayi"
        words = [program] if isinstance(program, str) else list(program)
        # It ends by itself if this process is killed.
        words += ["serve", "--exit-with-stdin", "--exit-when-idle", idle, *args]
        return cls(words, env, None if cwd is None else os.path.abspath(cwd), stderr)


class Found:
    """A backend of somebody else's, which takes the place of one that is gone."""

    pid = None

    def __init__(self, url: str, token: str) -> None:
        self.backend = Backend.at(url, token)

    def has_ended(self, _within: float) -> bool:
        """Who is asked for this has lost it."""
        return True

    def stop(self) -> None:
        """It is not ours to end."""


class Child:
    """A backend that was started here."""

    def __init__(self, launch: Launch) -> None:
        try:
            self._process = subprocess.Popen(
                launch.command,
                # Nothing is written to it: it ends with this process, and the backend with it.
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=launch.stderr,
                env=launch.env,
                cwd=launch.cwd,
                # Ctrl-C is for the app, which may still have something to withdraw.
                start_new_session=True,
            )
        except OSError as error:
            raise MayiError(UNREACHABLE, f"{launch.command[0]} can't be started: {error}") from None
        try:
            self.backend = self._read_backend(launch.command[0])
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    def _read_backend(self, program: str) -> Backend:
        assert self._process.stdout is not None
        limit = threading.Timer(START_LIMIT, self._process.kill)
        limit.daemon = True
        limit.start()
        try:
            line = self._process.stdout.readline()
        finally:
            limit.cancel()
        try:
            ready = json.loads(line)
            with open(ready["answerTokenFile"], encoding="ascii") as file:
                token = file.read().strip()
            return Backend.at(ready["url"], token)
        except (OSError, ValueError, KeyError, TypeError):
            # The line itself is not repeated: it may be anything.
            text = f"{program} did not say where it listens; pass stderr=None to see what it says"
            raise MayiError(UNREACHABLE, text) from None

    def has_ended(self, within: float) -> bool:
        """Whether it ends within so many seconds: who was killed may be seen to be gone a moment later."""
        try:
            self._process.wait(within)
        except subprocess.TimeoutExpired:
            return False
        return True

    def stop(self) -> None:
        """Ends it, and waits until it is gone."""
        self._process.terminate()
        if not self.has_ended(STOP_LIMIT):
            self._process.kill()
            self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
