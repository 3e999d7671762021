"""Strands Agents: techo's tools with the names of the specifications."""

from __future__ import annotations

from typing import Any

from strands.tools.tools import PythonAgentTool

from ._client import Techo


def tools(techo: Techo, *names: str, profile: str = "core") -> list[PythonAgentTool]:
    """The tools with these names, or else those of a profile."""
    return [_tool(techo, t) for t in techo.tools("mcp", *names, profile=None if names else profile)]


def _tool(techo: Techo, of: dict[str, Any]) -> PythonAgentTool:
    async def run(use: dict[str, Any], **_: Any) -> dict[str, Any]:
        reply = await techo.aanswer(of["name"], use["input"], use["toolUseId"])
        return {
            "toolUseId": use["toolUseId"],
            "status": "success" if reply.ok else "error",
            "content": [{"text": reply.text}],
        }

    spec = {"name": of["name"], "description": of["description"], "inputSchema": {"json": of["inputSchema"]}}
    return PythonAgentTool(of["name"], spec, run)
