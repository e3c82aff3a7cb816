"""One JSON-RPC call as an HTTP request, without sending it."""

from __future__ import annotations

import http.client
import io
import json
import socket
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import urlsplit

from .errors import Lost, MayiError
from .model import Json

# What is no wait for a person is answered from memory or small files.
PATIENCE = 30.0
# The backend takes less; what it gives may hold many cards.
MOST_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True)
class Backend:
    """Where a backend listens, and what it lets in. Its token is not for printing."""

    host: str
    port: int
    path: str
    token: str = field(repr=False)

    @classmethod
    def at(cls, url: str, token: str) -> Backend:
        parts = urlsplit(url)
        if parts.scheme != "http" or not parts.hostname:
            raise ValueError("the backend is at an address like http://127.0.0.1:4711/")
        return cls(parts.hostname, parts.port or 80, parts.path or "/", token)

    @property
    def name(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def headers(self) -> dict[str, str]:
        # Each call has a connection of its own: none is found dead later, and threads share nothing.
        return {
            "Host": self.name,
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Connection": "close",
            # What others hear as who answered.
            "mayi-client": "app",
        }


def request_body(method: str, params: Json) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


class _Heard:
    """What was heard, in place of the connection that it came by."""

    def __init__(self, heard: bytes) -> None:
        self._heard = heard

    def makefile(self, mode: str) -> io.BytesIO:
        return io.BytesIO(self._heard)


def read_response(heard: bytes) -> tuple[int, bytes]:
    """The status and the body of a response.

    Raises `http.client.HTTPException` where it is none, or not all of one.
    """
    response = http.client.HTTPResponse(cast(socket.socket, _Heard(heard)), method="POST")
    response.begin()
    return response.status, response.read()


def read_reply(status: int, body: bytes) -> Json:
    """The result of a call.

    A token that is not taken is another backend's: the one that gave it is gone, and its port is somebody else's now.
    """
    text = body.decode(errors="replace")
    if status == 401:
        raise Lost(text.strip())
    try:
        reply = json.loads(text)
    except ValueError:
        reply = None
    if isinstance(reply, dict) and isinstance(error := reply.get("error"), dict):
        raise MayiError(int(error.get("code", status)), str(error.get("message", "")), error.get("data"))
    if status == 200 and isinstance(reply, dict) and "result" in reply:
        return reply["result"]
    raise MayiError(status, text.strip()[:500] or "the backend gave no answer")


def no_answer(backend: Backend, seconds: float) -> MayiError:
    return MayiError(0, f"the backend at {backend.name} gave no answer within {seconds:.0f} s")
