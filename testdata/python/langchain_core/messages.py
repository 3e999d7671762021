"""A stand-in for langchain_core.messages."""

from typing import Any, Literal, TypedDict


class ToolCall(TypedDict):
    name: str
    args: dict[str, Any]
    id: str | None


class InvalidToolCall(TypedDict):
    name: str | None
    args: str | None
    id: str | None


class BaseMessage:
    role = ""

    def __init__(self, content: str) -> None:
        self.text = content

    def sent(self) -> dict[str, Any]:
        return {"role": self.role, "content": self.text}


class HumanMessage(BaseMessage):
    role = "user"


class ToolMessage(BaseMessage):
    role = "tool"

    def __init__(self, content: str, *, tool_call_id: str | None, status: Literal["success", "error"]) -> None:
        super().__init__(content)
        self.tool_call_id, self.status = tool_call_id, status

    def sent(self) -> dict[str, Any]:
        return {**super().sent(), "tool_call_id": self.tool_call_id}


class AIMessage(BaseMessage):
    role = "assistant"

    def __init__(self, message: dict[str, Any], calls: list[ToolCall], invalid: list[InvalidToolCall]) -> None:
        super().__init__(message["content"] or "")
        self.message, self.tool_calls, self.invalid_tool_calls = message, calls, invalid

    def sent(self) -> dict[str, Any]:
        return self.message
