"""An MCP server on the Python SDK, over HTTP with SSE: says where it is as a line of JSON.

Its tools: `write` a file, `remove` one, and `stop` the server, so that its stream ends in the middle of that call.
"""

import json
import os
import pathlib
import socket

import uvicorn
from mcp.server.mcpserver import MCPServer

server = MCPServer("py")


@server.tool()
def write(path: str, text: str) -> str:
    pathlib.Path(path).write_text(text)
    return f"written: {text}"


@server.tool()
def remove(path: str) -> str:
    pathlib.Path(path).unlink()
    return "removed"


@server.tool()
def stop() -> str:
    os._exit(1)


listener = socket.create_server(("127.0.0.1", 0))
print(json.dumps({"url": f"http://127.0.0.1:{listener.getsockname()[1]}/sse"}), flush=True)
config = uvicorn.Config(server.sse_app(host="127.0.0.1"), log_level="warning")
uvicorn.Server(config).run(sockets=[listener])
