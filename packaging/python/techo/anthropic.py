"""Anthropic's tool runner: techo's tools and memory for `client.beta.messages.tool_runner`."""

from __future__ import annotations

from typing import Any

from anthropic.lib.tools import (
    BetaAbstractMemoryTool,
    BetaAsyncAbstractMemoryTool,
    BetaAsyncBuiltinFunctionTool,
    BetaBuiltinFunctionTool,
    ToolError,
)

from ._client import Reply, Techo


class TechoTool(BetaBuiltinFunctionTool):
    """One tool of techo. An error of a call is its result, marked as an error."""

    def __init__(self, techo: Techo, of: dict[str, Any]) -> None:
        self._techo, self._of = techo, of

    @property
    def name(self) -> str:
        return self._of["name"]

    def to_dict(self) -> Any:
        return self._of

    def call(self, input: object) -> Any:
        return _text(self._techo.answer(self.name, input))


class AsyncTechoTool(BetaAsyncBuiltinFunctionTool):
    """TechoTool for AsyncAnthropic. A cancelled call ends with its process."""

    def __init__(self, techo: Techo, of: dict[str, Any]) -> None:
        self._techo, self._of = techo, of

    @property
    def name(self) -> str:
        return self._of["name"]

    def to_dict(self) -> Any:
        return self._of

    async def call(self, input: object) -> Any:
        return _text(await self._techo.aanswer(self.name, input))


def _text(reply: Reply) -> str:
    if not reply.ok:
        raise ToolError(reply.text)
    return reply.text


def async_tools(techo: Techo, *names: str, profile: str = "core") -> list[AsyncTechoTool]:
    """tools for AsyncAnthropic."""
    return [AsyncTechoTool(techo, t) for t in techo.tools("anthropic", *names, profile=None if names else profile)]


def tools(techo: Techo, *names: str, profile: str = "core") -> list[TechoTool]:
    """The tools with these names, or else those of a profile."""
    return [TechoTool(techo, t) for t in techo.tools("anthropic", *names, profile=None if names else profile)]


class MemoryTool(BetaAbstractMemoryTool):
    """The memory tool (`memory_20250818`) over the memory files of techo's user.

    A command that cannot be done is a ToolError with the documented text, which the model reads.
    A server, if the calls go to one, needs `--memory-tool`."""

    def __init__(self, techo: Techo, **options: Any) -> None:
        super().__init__(**options)
        self._techo = techo.with_env({"TECHO_MEMORY_TOOL": "1"})

    def _run(self, command: Any) -> str:
        return _done(self._techo.answer("memory", command.to_dict()))

    view = create = str_replace = insert = delete = rename = _run


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """MemoryTool for AsyncAnthropic."""

    def __init__(self, techo: Techo, **options: Any) -> None:
        super().__init__(**options)
        self._techo = techo.with_env({"TECHO_MEMORY_TOOL": "1"})

    async def _run(self, command: Any) -> str:
        return _done(await self._techo.aanswer("memory", command.to_dict()))

    view = create = str_replace = insert = delete = rename = _run


def _done(reply: Reply) -> str:
    text = reply.result()["text"] if reply.ok else reply.text
    if not reply.ok or not text.startswith(_DONE):
        raise ToolError(text)
    return text


_DONE = ("Here're ", "Here's ", "File created ", "The memory file ", "The file ", "Successfully ")
