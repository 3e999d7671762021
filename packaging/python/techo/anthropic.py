"""Anthropic's tool runner: techo's tools for `client.beta.messages.tool_runner`."""

from __future__ import annotations

from typing import Any

from anthropic.lib.tools import BetaBuiltinFunctionTool, ToolError

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
