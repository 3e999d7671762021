"""A stand-in for agents, the package of openai-agents."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from wire import post

from .tool_context import ToolContext


def set_tracing_disabled(disabled: bool) -> None:
    """Does nothing: there is no tracing."""


@dataclass
class FunctionTool:
    name: str
    description: str
    params_json_schema: dict[str, Any]
    on_invoke_tool: Callable[[ToolContext[Any], str], Awaitable[Any]]
    strict_json_schema: bool = True


@dataclass
class Agent:
    name: str
    instructions: str
    model: str
    tools: Sequence[FunctionTool]


@dataclass
class RunResult:
    final_output: Any


class Runner:
    @staticmethod
    def run_sync(starting_agent: Agent, input: str) -> RunResult:
        return asyncio.run(Runner.run(starting_agent, input))

    @staticmethod
    async def run(starting_agent: Agent, input: str) -> RunResult:
        tools = {tool.name: tool for tool in starting_agent.tools}
        offered = [
            {"type": "function", "name": t.name, "description": t.description, "parameters": t.params_json_schema,
             "strict": t.strict_json_schema}
            for t in tools.values()
        ]
        items: list[dict[str, Any]] = [{"role": "user", "content": input}]
        body = {"model": starting_agent.model, "instructions": starting_agent.instructions, "tools": offered}
        while True:
            output = post("OPENAI_BASE_URL", "/responses", {**body, "input": items})["output"]
            calls = [item for item in output if item["type"] == "function_call"]
            if not calls:
                return RunResult(output[0]["content"][0]["text"])
            items += output
            for call in calls:
                text = await tools[call["name"]].on_invoke_tool(ToolContext(), call["arguments"])
                items.append({"type": "function_call_output", "call_id": call["call_id"], "output": text})
