"""A stand-in for langchain_openai."""

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, InvalidToolCall, ToolCall
from wire import post


class ChatOpenAI:
    def __init__(self, *, model: str) -> None:
        self.model = model
        self.tools: list[dict[str, Any]] = []

    def bind_tools(self, tools: Sequence[dict[str, Any]]) -> "ChatOpenAI":
        bound = ChatOpenAI(model=self.model)
        bound.tools = list(tools)
        return bound

    def invoke(self, messages: Sequence[BaseMessage]) -> AIMessage:
        body = {"model": self.model, "messages": [m.sent() for m in messages], "tools": self.tools}
        message = post("OPENAI_BASE_URL", "/chat/completions", body)["choices"][0]["message"]
        calls: list[ToolCall] = []
        invalid: list[InvalidToolCall] = []
        for call in message.get("tool_calls", []):
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            try:
                calls.append({"name": name, "args": json.loads(arguments), "id": call["id"]})
            except ValueError:
                invalid.append({"name": name, "args": arguments, "id": call["id"]})
        return AIMessage(message, calls, invalid)
