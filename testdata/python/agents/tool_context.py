"""A stand-in for agents.tool_context."""

from typing import Generic, TypeVar

T = TypeVar("T")


class ToolContext(Generic[T]):
    """The context of a tool call."""
