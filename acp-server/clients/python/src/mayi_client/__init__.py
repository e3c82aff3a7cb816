"""Asks mayi whether a tool call may run.

`mayi_client.Mayi` blocks, and may be used from several threads; `mayi_client.aio.Mayi` is the same for asyncio.
"""

from .errors import MayiError, NotAllowed
from .model import (
    Call,
    Card,
    Category,
    Diff,
    Finding,
    Grant,
    Mode,
    Option,
    Remember,
    Session,
    Status,
    Tool,
    ToolInfo,
    Verdict,
    Waiting,
)
from .plain import Chat, Mayi

__all__ = [
    "Call",
    "Card",
    "Category",
    "Chat",
    "Diff",
    "Finding",
    "Grant",
    "Mayi",
    "MayiError",
    "Mode",
    "NotAllowed",
    "Option",
    "Remember",
    "Session",
    "Status",
    "Tool",
    "ToolInfo",
    "Verdict",
    "Waiting",
]
