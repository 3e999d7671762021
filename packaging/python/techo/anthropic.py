"""Anthropic's tool runner: techo's tools and memory for `client.beta.messages.tool_runner`."""

from __future__ import annotations

from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaBuiltinFunctionTool, ToolError

from ._client import Techo


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
        reply = self._techo.invoke(self.name, input)
        if not reply.ok:
            raise ToolError(reply.text)
        return reply.text


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
        reply = self._techo.invoke("memory", command.to_dict())
        if not reply.ok:
            raise ToolError(reply.text)
        text = reply.result()["text"]
        if not text.startswith(_DONE):
            raise ToolError(text)
        return text

    view = create = str_replace = insert = delete = rename = _run


_DONE = ("Here're ", "Here's ", "File created ", "The memory file ", "The file ", "Successfully ")
