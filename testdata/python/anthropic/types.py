"""Types of anthropic."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, Required, TypedDict


@dataclass
class TextBlock:
    type: Literal["text"]
    text: str


@dataclass
class ToolUseBlock:
    type: Literal["tool_use"]
    id: str
    name: str
    input: dict[str, object]


ContentBlock = TextBlock | ToolUseBlock


@dataclass
class Message:
    content: list[ContentBlock]


class ToolResultBlockParam(TypedDict, total=False):
    type: Required[Literal["tool_result"]]
    tool_use_id: Required[str]
    content: str
    is_error: bool


class MessageParam(TypedDict):
    role: Literal["user", "assistant"]
    content: str | Iterable[ContentBlock | ToolResultBlockParam]


class ToolParam(TypedDict):
    name: str
    input_schema: dict[str, Any]
    description: NotRequired[str]
