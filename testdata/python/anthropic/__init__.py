"""A stand-in for anthropic."""

from collections.abc import Iterable

from wire import post

from .types import Message, MessageParam, TextBlock, ToolParam, ToolUseBlock


class Messages:
    def create(
        self, *, model: str, max_tokens: int, messages: Iterable[MessageParam], tools: Iterable[ToolParam]
    ) -> Message:
        sent = []
        for message in messages:
            content = message["content"]
            if not isinstance(content, str):
                content = [vars(part) if isinstance(part, (TextBlock, ToolUseBlock)) else part for part in content]
            sent.append({"role": message["role"], "content": content})
        body = {"model": model, "max_tokens": max_tokens, "messages": sent, "tools": list(tools)}
        answer = post("ANTHROPIC_BASE_URL", "/v1/messages", body)
        kinds = {"text": TextBlock, "tool_use": ToolUseBlock}
        return Message([kinds[part["type"]](**part) for part in answer["content"]])


class Anthropic:
    def __init__(self) -> None:
        self.messages = Messages()
