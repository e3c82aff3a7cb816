"""An app on an official client for Python. It knows no approvals, and gets nothing but a base URL and a key, by the client's
own variables.

usage: client.py openai|agents plain|stream TEXT...      says one JSON line for each TEXT, which go on from each other
"""

import asyncio
import json
import sys

TOOL = {
    "type": "mcp",
    "server_label": "docs",
    "server_url": "https://docs.example/mcp",
    "require_approval": "always",
}


def told(response):
    return {
        "id": response.id,
        "text": response.output_text,
        "types": [item.type for item in response.output],
        "tokens": response.usage.total_tokens,
    }


def openai(stream, texts):
    from openai import OpenAI

    client, previous = OpenAI(), None
    for text in texts:
        asked = {"model": "m", "input": text, "tools": [TOOL], "instructions": "be brief"}
        if previous:
            asked["previous_response_id"] = previous
        if stream:
            kinds = []
            # Puts the response together from its events.
            with client.responses.stream(**asked) as events:
                for event in events:
                    kinds.append(event.type)
                response = events.get_final_response()
            yield {**told(response), "ends": kinds.count("response.completed"), "begins": kinds.count("response.created")}
        else:
            response = client.responses.create(**asked)
            yield told(response)
        previous = response.id


async def agents(stream, texts):
    from agents import Agent, HostedMCPTool, Runner

    agent = Agent(name="app", model="m", instructions="be brief", tools=[HostedMCPTool(tool_config=TOOL)])
    lines, previous = [], None
    for text in texts:
        if stream:
            result = Runner.run_streamed(agent, text, previous_response_id=previous)
            async for _ in result.stream_events():
                pass
        else:
            result = await Runner.run(agent, text, previous_response_id=previous)
        previous = result.last_response_id
        lines.append(
            {
                "id": previous,
                "text": result.final_output,
                "types": [item.type for item in result.raw_responses[-1].output],
                "interruptions": len(result.interruptions),
                "tokens": result.raw_responses[-1].usage.total_tokens,
            }
        )
    return lines


def main():
    kind, shape, *texts = sys.argv[1:]
    stream = shape == "stream"
    try:
        for line in openai(stream, texts) if kind == "openai" else asyncio.run(agents(stream, texts)):
            print(json.dumps(line), flush=True)
    except Exception as error:
        print(json.dumps({"raised": type(error).__name__, "said": str(error)}), flush=True)


main()
