"""LangChain: techo's tools as BaseTool. techo checks the arguments, so that a model
reads all that is wrong with them at once, with the way out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from langchain_core.tools import BaseTool, ToolException
from pydantic import BaseModel, Field

from ._client import Reply, Techo


class TechoTool(BaseTool):
    """One tool of techo."""

    techo: Any
    handle_tool_error: Any = True  # an error is an answer for the model

    def invoke(self, input: Any, config: Any = None, **more: Any) -> Any:
        with _call(input):
            return super().invoke(input, config, **more)

    async def ainvoke(self, input: Any, config: Any = None, **more: Any) -> Any:
        with _call(input):
            return await super().ainvoke(input, config, **more)

    def _run(self, **arguments: Any) -> str:
        return _text(self.techo.answer(self.name, arguments, _id.get()))

    async def _arun(self, **arguments: Any) -> str:
        return _text(await self.techo.aanswer(self.name, arguments, _id.get()))


_id: ContextVar[str | None] = ContextVar("techo_call", default=None)


@contextmanager
def _call(input: Any) -> Iterator[None]:
    """Keeps the id of a model's call for its idempotency key."""
    before = _id.set(input.get("id") if isinstance(input, dict) and input.get("type") == "tool_call" else None)
    try:
        yield
    finally:
        _id.reset(before)


def _text(reply: Reply) -> str:
    if not reply.ok:
        raise ToolException(reply.text)
    return reply.text


def tools(techo: Techo, *names: str, profile: str = "core") -> list[BaseTool]:
    """The tools with these names, or else those of a profile."""
    return [
        TechoTool(name=t["name"], description=t["description"], args_schema=t["inputSchema"], techo=techo)
        for t in techo.tools("mcp", *names, profile=None if names else profile)
    ]


class InvestigateMemoryInput(BaseModel):
    memory_ids: list[str] = Field(description="List of memory IDs to retrieve")
    query: str | None = Field(default=None, description="What to look for")


class InvestigateMemoryTool(BaseTool):
    """Reads the memories that a notice refers to, in full, as Markdown."""

    name: str = "investigate_memory"
    description: str = (
        "Retrieve full content of specific memories for deeper investigation. "
        "Use when memory captions don't provide enough context. "
        "Pass memory IDs from the [mem_xxx] references in the notice section."
    )
    args_schema: type[BaseModel] = InvestigateMemoryInput

    user_id: str
    memory_service_url: str | None = None  # where memories are on another machine
    techo: Any = None

    @classmethod
    def when(cls, enable_memory: bool, user_id: str | None, has_memory_context: bool, **more: Any) -> list[BaseTool]:
        """The tool in a list, or an empty list: it is available only if the memory feature
        is enabled, the user is known, and the prompt has references to memories."""
        return [cls(user_id=user_id, **more)] if enable_memory and user_id and has_memory_context else []

    def _run(self, memory_ids: list[str], query: str | None = None) -> str:
        techo = self.techo or Techo(user=self.user_id)
        env = {"TECHO_MEMORY": "1", "TECHO_MEMORY_CONTEXT": "1", "TECHO_USER": self.user_id}
        if self.memory_service_url:
            env["TECHO_MEMORY_SERVICE_URL"] = self.memory_service_url
        more = {"query": query} if query else {}
        return techo.with_env(env).text("investigate_memory", memory_ids=memory_ids, **more)


def memory_prompt(techo: Techo, message: str) -> tuple[str, bool]:
    """A message with the references to its memories before it, and whether there are any."""
    found = techo.memory_context(message)
    return found["prompt"], found["has_memory_context"]
