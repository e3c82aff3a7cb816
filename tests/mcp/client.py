"""A client on the Python SDK: reads a plan, and prints one line of JSON for each answer, the greeting first.

The plan is JSON on standard input:
    {"reach": {"stdio": {"command": ..., "args": [...], "env": {...}, "cwd": ...}} or {"http": URL},
     "mode": "legacy" (with a session), "2026-07-28" (without) or "auto" (without, where the server can do that),
     "requests": [{"method": ..., "params": {...}}, ...]}
An answer is {"result": ...} as the SDK hands it on, or {"error": {...}}.
"""

import asyncio
import json
import sys
from typing import Any

from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters
from mcp_types import Request
from pydantic import TypeAdapter


def say(answer: dict[str, Any]) -> None:
    print(json.dumps(answer, ensure_ascii=False), flush=True)


def dumped(model: Any) -> Any:
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


async def main() -> None:
    plan = json.load(sys.stdin)
    reach = plan["reach"]
    server = reach["http"] if "http" in reach else StdioServerParameters(**reach["stdio"])
    async with Client(server, mode=plan["mode"], cache=None) as client:
        session = client.session
        greeting = session.initialize_result or session.discover_result
        say({"result": {**dumped(greeting), "version": session.protocol_version}})
        for request in plan["requests"]:
            wanted = Request[Any, Any](method=request["method"], params=request["params"])
            try:
                say({"result": await session.send_request(wanted, TypeAdapter(dict[str, Any]))})
            except MCPError as error:
                say({"error": dumped(error.error)})


asyncio.run(main())
