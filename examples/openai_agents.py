"""OpenAI Agents: each definition becomes a FunctionTool that calls techo."""

import asyncio
import os
import sys
from typing import Any

from agents import Agent, FunctionTool, Runner, set_tracing_disabled
from agents.tool_context import ToolContext

from plain import call, tools


def function(tool: dict[str, Any]) -> FunctionTool:
    async def invoke(_: ToolContext[Any], arguments: str) -> str:
        text, _ok = await asyncio.to_thread(call, tool["name"], arguments)
        return text

    return FunctionTool(
        name=tool["name"],
        description=tool["description"],
        params_json_schema=tool["parameters"],
        strict_json_schema=tool["strict"],
        on_invoke_tool=invoke,
    )


request = sys.argv[1] if len(sys.argv) > 1 else "Remember that Tanaka likes ramen"
set_tracing_disabled(True)
agent = Agent(
    name="Notebook",
    instructions="Keep what is worth remembering.",
    model=os.environ["OPENAI_MODEL"],
    tools=[function(tool) for tool in tools("openai")],
)
print(Runner.run_sync(agent, request).final_output)
