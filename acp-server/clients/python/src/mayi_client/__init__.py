"""Asks mayi whether a tool call may run.

`mayi_client.Mayi` blocks, and may be used from several threads; `mayi_client.aio.Mayi` is the same for asyncio.
"""

from .errors import MayiError, NotAllowed
from .model import (
    Answered,
    Call,
    Card,
    Category,
    Choice,
    Diff,
    Finding,
    Grant,
    Mode,
    Option,
    Remember,
    Session,
    Status,
    Suggestion,
    Tool,
    ToolInfo,
    Verdict,
    Waiting,
)
from .plain import Chat, Mayi

__all__ = [
    "Answered",
    "Call",
    "Card",
    "Category",
    "Chat",
    "Choice",
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
    "Suggestion",
    "Tool",
    "ToolInfo",
    "Verdict",
    "Waiting",
]
