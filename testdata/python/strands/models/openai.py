"""A stand-in for strands.models.openai."""

from collections.abc import Sequence
from typing import Any

from strands.tools.mcp import MCPAgentTool
from wire import post


class OpenAIModel:
    def __init__(self, client_args: dict[str, Any] | None = None, *, model_id: str) -> None:
        self.model_id = model_id

    def answer(self, messages: list[dict[str, Any]], tools: Sequence[MCPAgentTool]) -> dict[str, Any]:
        offered = [
            {"type": "function",
             "function": {"name": t.name, "description": t.tool["description"], "parameters": t.tool["inputSchema"]}}
            for t in tools
        ]
        body = {"model": self.model_id, "messages": messages, "tools": offered}
        return post("OPENAI_BASE_URL", "/chat/completions", body)["choices"][0]["message"]
