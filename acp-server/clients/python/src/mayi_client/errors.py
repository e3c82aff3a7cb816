"""What can go wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .model import Verdict

UNREACHABLE = 0
BAD_PARAMS = -32602
NO_SESSION = -32010
ANSWER_NOT_TAKEN = -32020


class MayiError(Exception):
    """The gate could not be asked, or refused the request: nothing was allowed.

    `code` is that of JSON-RPC, the status where HTTP refused, or 0 where the backend can't be reached.
    """

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(code, message, data)
        self.code = code
        self.message = message
        self.data = data

    def __str__(self) -> str:
        return f"{self.message} ({self.code})" if self.code else self.message

    @property
    def _reason(self) -> object:
        return self.data.get("reason") if isinstance(self.data, dict) else None

    @property
    def is_unknown_session(self) -> bool:
        """Whether the backend has no session of this key, or none any more: it can be opened again."""
        return self.code == NO_SESSION and self._reason in ("unknown_key", "closed")

    @property
    def was_overtaken(self) -> bool:
        """Whether an answer came too late: the question is settled, has changed, or is of a backend that is gone.

        Whoever waits for it hears how it went on.
        """
        return self.code == ANSWER_NOT_TAKEN and self._reason in ("settled", "changed", "unknown")


class NotAllowed(Exception):
    """`run` did not call the function, since the call was denied or withdrawn."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict)
        self.verdict = verdict

    def __str__(self) -> str:
        return self.verdict.reason or f"the call was {self.verdict.outcome}"


class Lost(Exception):
    """The connection broke, or was never there. Private: it ends in a new backend or in a `MayiError`."""
