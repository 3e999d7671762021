"""A stand-in for strands.tools.mcp."""

from collections.abc import Callable
from typing import Any

from mcp import Transport


class MCPAgentTool:
    def __init__(self, transport: Transport, tool: dict[str, Any]) -> None:
        self.transport, self.tool, self.name = transport, tool, tool["name"]

    def call(self, arguments: dict[str, Any]) -> list[dict[str, Any]]:
        result = self.transport.ask("tools/call", {"name": self.name, "arguments": arguments})
        return [{"type": "text", "text": part["text"]} for part in result["content"]]


class MCPClient:
    def __init__(self, transport_callable: Callable[[], Transport]) -> None:
        self.transport_callable = transport_callable

    def __enter__(self) -> "MCPClient":
        self.transport = self.transport_callable()
        client = {"name": "stand-in", "version": "1"}
        self.transport.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.transport.send("notifications/initialized", {})
        return self

    def __exit__(self, *_: object) -> None:
        self.transport.close()

    def list_tools_sync(self) -> list[MCPAgentTool]:
        return [MCPAgentTool(self.transport, tool) for tool in self.transport.ask("tools/list", {})["tools"]]
