"""OpenAI Agents: techo's tools as FunctionTool."""

from __future__ import annotations

from typing import Any

from agents import FunctionTool

from ._client import Techo


def tools(techo: Techo, *names: str, profile: str = "core") -> list[FunctionTool]:
    """The tools with these names, or else those of a profile."""
    return [_tool(techo, t) for t in techo.tools("openai", *names, profile=None if names else profile)]


def _tool(techo: Techo, of: dict[str, Any]) -> FunctionTool:
    async def invoke(context: Any, arguments: str) -> str:
        return (await techo.aanswer(of["name"], arguments, getattr(context, "tool_call_id", None))).text

    return FunctionTool(
        name=of["name"],
        description=of["description"],
        params_json_schema=of["parameters"],
        strict_json_schema=of["strict"],
        on_invoke_tool=invoke,
    )
