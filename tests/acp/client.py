"""A client of the Agent Client Protocol that is the Python SDK and nothing else.

usage: client.py ANSWER CWD PROMPT COMMAND...

The SDK's package has no example client in it, so this is a thin one on its public API. It opens a session in CWD, sends PROMPT, and
answers each request for permission with the first option of the kind that ANSWER names (allow_once, reject_once), else with
`cancelled`. It writes one JSON line for all that it sees: `update`, `asked` with what it picked, `stop`, or `raised`.
"""

import asyncio
import json
import sys
from typing import Any

import acp
from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse


def say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


def plain(model: Any) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


class Person(acp.Client):
    def __init__(self, answer: str) -> None:
        self.answer = answer

    async def request_permission(self, session_id: str, tool_call: Any, options: Any, **kwargs: Any) -> Any:
        picked = next((option.option_id for option in options if option.kind == self.answer), None)
        say(asked=plain(tool_call), options=[plain(option) for option in options], picked=picked)
        if picked is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=picked))

    async def session_update(self, session_id: str, update: Any, **kwargs: Any) -> None:
        say(update=plain(update))

    def on_connect(self, conn: Any) -> None:
        pass


async def main(answer: str, cwd: str, prompt: str, command: list[str]) -> None:
    # Standard error is inherited: what nobody reads fills up. The SDK's own limit of a line is 64 KiB.
    started = acp.spawn_agent_process(
        Person(answer), *command, cwd=cwd, transport_kwargs={"stderr": None, "limit": 64 * 1024 * 1024, "shutdown_timeout": 15.0}
    )
    async with started as (agent, _process):
        await agent.initialize(protocol_version=acp.PROTOCOL_VERSION)
        session = await agent.new_session(cwd=cwd, mcp_servers=[])
        answered = await agent.prompt(session_id=session.session_id, prompt=[acp.text_block(prompt)])
        say(stop=answered.stop_reason)


try:
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]))
except Exception as error:  # noqa: BLE001
    say(raised=type(error).__name__, said=str(error))
