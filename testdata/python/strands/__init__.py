"""A stand-in for strands."""

import json
from collections.abc import Sequence
from typing import Any

from strands.models.openai import OpenAIModel
from strands.tools.mcp import MCPAgentTool


class Agent:
    def __init__(self, *, model: OpenAIModel, tools: Sequence[MCPAgentTool], callback_handler: None) -> None:
        self.model, self.tools = model, {tool.name: tool for tool in tools}

    def __call__(self, prompt: str) -> str:
        messages: list[dict[str, Any]] = [{"role": "user", "content": prompt}]
        while True:
            message = self.model.answer(messages, list(self.tools.values()))
            messages.append(message)
            if not message.get("tool_calls"):
                return message["content"]
            for call in message["tool_calls"]:
                try:
                    arguments = json.loads(call["function"]["arguments"])
                except ValueError:
                    arguments = {}
                content = self.tools[call["function"]["name"]].call(arguments)
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
