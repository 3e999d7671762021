"""Pydantic AI: techo's tools as Tool."""

from __future__ import annotations

from typing import Any

from pydantic_ai import Tool

from ._client import Techo


def tools(techo: Techo, *names: str, profile: str = "core") -> list[Tool[Any]]:
    """The tools with these names, or else those of a profile."""
    return [_tool(techo, t) for t in techo.tools("mcp", *names, profile=None if names else profile)]


def _tool(techo: Techo, of: dict[str, Any]) -> Tool[Any]:
    async def run(context: Any, **arguments: Any) -> str:
        # An error tells the model what to do.
        return (await techo.aanswer(of["name"], arguments, getattr(context, "tool_call_id", None))).text

    return Tool.from_schema(
        run, name=of["name"], description=of["description"], json_schema=of["inputSchema"], takes_ctx=True
    )
