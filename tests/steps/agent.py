"""An agent that asks for one permission: under which id and to run which command line is said when it is started."""

import json
import sys


def say(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


ANSWERS = {
    "initialize": {"protocolVersion": 1, "agentCapabilities": {}, "authMethods": []},
    "session/new": {"sessionId": "steps-1"},
}
OPTIONS = [
    {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
    {"optionId": "allow-always", "name": "Always allow", "kind": "allow_always"},
    {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
]

prompt = None
for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method == "session/prompt":
        prompt = message["id"]
        call = {"toolCallId": "call-1", "title": sys.argv[2], "kind": "execute", "status": "pending"}
        call["rawInput"] = {"command": sys.argv[2]}
        params = {"sessionId": "steps-1", "toolCall": call, "options": OPTIONS}
        say({"id": sys.argv[1], "method": "session/request_permission", "params": params})
    elif message.get("id") == sys.argv[1]:
        say({"id": prompt, "result": {"stopReason": "end_turn"}})
    elif "id" in message:
        say({"id": message["id"], "result": ANSWERS[method]})
