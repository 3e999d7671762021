"""Calls of techo: a process for each, one process for many, or a server."""

from __future__ import annotations

import json
import os
import sys

from ._tools import Tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any


class TechoError(Exception):
    """A call that failed. `code` is one of techo's codes, `hint` says what to do next."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(error.get("message", ""))
        self.code: str = error.get("code", "internal")
        self.message: str = error.get("message", "")
        self.hint: str = error.get("hint", "")
        self.tool: str = error.get("tool", "")
        self.retryable: bool = error.get("retryable", False)
        self.details: list[dict[str, Any]] = error.get("details", [])

    def __str__(self) -> str:
        return f"{self.code}: {self.message}" + (f" ({self.hint})" if self.hint else "")


class Reply:
    """An answer for a model: the document as text, and whether it is a result."""

    __slots__ = ("ok", "text")

    def __init__(self, text: str, ok: bool) -> None:
        self.text = text
        self.ok = ok

    def result(self) -> dict[str, Any]:
        """The result; an error is raised as TechoError."""
        document = json.loads(self.text)
        if not self.ok:
            raise TechoError(document.get("error", {}))
        return document


def program() -> str:
    """The path of the program: of this package, or else from PATH."""
    import shutil
    import sysconfig

    name = "techo.exe" if sys.platform == "win32" else "techo"
    for scheme in (None, f"{os.name}_user", "osx_framework_user"):
        if scheme and scheme not in sysconfig.get_scheme_names():
            continue
        path = os.path.join(sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts"), name)
        if os.path.isfile(path):
            return path
    found = shutil.which("techo")
    if not found:
        raise FileNotFoundError("techo: the program is neither in this environment nor on PATH")
    return found


class Techo(Tools):
    """techo for one user and one store.

    Each call is a process of the program, which keeps nothing between calls. With
    `batch=True`, or in a `with` statement, one process answers all calls, and several
    threads may call at once. With `server`, the calls go to a `techo serve` instead, and
    no program is needed.

    store, user, lang, tz: as the flags of the program; its environment counts as well.
    roots: the only folders that the tools for files reach; None is all.
    timeout: of one call, in seconds.
    """

    def __init__(
        self,
        program: str | None = None,
        *,
        store: str | None = None,
        user: str | None = None,
        lang: str | None = None,
        tz: str | None = None,
        roots: Iterable[str] | None = None,
        server: str | None = None,
        token: str | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float = 120,
        batch: bool = False,
    ) -> None:
        self._program = program
        self._flags: list[str] = []
        for flag, value in (("--store", store), ("--user", user), ("--lang", lang), ("--tz", tz)):
            if value is not None:
                self._flags += [flag, value]
        for root in roots or ():
            self._flags += ["--root", os.fspath(root)]
        self._headers = {"Techo-User": user, "Techo-Lang": lang, "Techo-Tz": tz}
        self._server = server.rstrip("/") if server else None
        self._token = token or os.environ.get("TECHO_TOKEN")
        self._env = {**os.environ, **env} if env else None
        self._timeout = timeout
        self._wants_batch = batch
        self._batch: Any = None

    def with_env(self, env: Mapping[str, str]) -> Techo:
        """The same, with variables of the environment. It shares no process."""
        import copy

        other = copy.copy(self)
        other._env = {**(self._env or os.environ), **env}
        other._batch, other._wants_batch = None, False
        return other

    def __enter__(self) -> Techo:
        self._wants_batch = True
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the process that answers many calls, if there is one."""
        batch, self._batch = self._batch, None
        if batch:
            batch.close()

    def call(self, tool: str, input: Mapping[str, Any] | None = None, /, **fields: Any) -> dict[str, Any]:
        """Calls a tool and returns its result. An error is raised as TechoError."""
        return self.invoke(tool, {**(input or {}), **fields}).result()

    def invoke(self, tool: str, arguments: object = "{}") -> Reply:
        """Calls a tool with what a model gave: an object, or its JSON as it came.

        Errors of the call are answers too: the text tells the model what to do next."""
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        if self._server:
            return self._post(tool, text)
        if self._wants_batch and _is_object(text):
            if self._batch is None:
                from ._batch import Batch

                self._batch = Batch(self._command("call", "--batch"), self._env)
            return self._batch.call(tool, text, self._timeout)
        # An ask_user exits otherwise than with 0 while it is pending, and is a result.
        run = self._run("call", tool, stdin=text)
        return Reply(run, not run.startswith('{"error":'))

    def text(self, tool: str, input: Mapping[str, Any] | None = None, /, **fields: Any) -> str:
        """Calls a tool and returns the result, or the error, as text for a person or a prompt.
        It always runs the program."""
        return self._run("call", tool, stdin=json.dumps({**(input or {}), **fields}), output="text")

    def tools(self, form: str = "mcp", *names: str, profile: str | None = None) -> list[dict[str, Any]]:
        """The definitions of tools in the form that an API takes: mcp, openai,
        openai-chat, anthropic or gemini. A profile, such as core, limits them."""
        if self._server:
            from urllib.parse import urlencode

            query = {"format": form, **({"profile": profile} if profile else {})}
            found = json.loads(self._request("/tools?" + urlencode(query)))
        else:
            found = json.loads(self._run("tools", *names, "--format", form, *(["--profile", profile] if profile else [])))
        if isinstance(found, dict):
            if "error" in found:
                raise TechoError(found["error"])
            found = found["tools"]
        if names and self._server:
            found = [t for t in found if (t.get("name") or t["function"]["name"]) in names]
        return found

    def _command(self, *args: str, output: str = "json") -> list[str]:
        if self._program is None:
            self._program = program()
        return [self._program, *args, *self._flags, "--output", output]

    def _run(self, *args: str, stdin: str = "", output: str = "json") -> str:
        import subprocess

        try:
            run = subprocess.run(
                self._command(*args, output=output),
                input=stdin.encode(),
                capture_output=True,
                env=self._env,
                timeout=self._timeout,
            )
        except subprocess.TimeoutExpired:
            raise _timed_out(args[1] if args[0] == "call" else "", self._timeout) from None
        text = run.stdout.decode().rstrip("\n")
        if not text:
            raise TechoError({"message": run.stderr.decode(errors="replace").strip() or f"exit code {run.returncode}"})
        return text

    def _post(self, tool: str, text: str) -> Reply:
        from urllib.parse import quote

        answer = self._request("/tools/" + quote(tool, safe=""), text.encode()).rstrip("\n")
        return Reply(answer, not answer.startswith('{"error":'))

    def _request(self, path: str, body: bytes | None = None) -> str:
        import urllib.error
        import urllib.request

        headers = {name: value for name, value in self._headers.items() if value}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self._token:
            headers["Authorization"] = "Bearer " + self._token
        request = urllib.request.Request(self._server + path, data=body, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as e:
            return e.read().decode()
        except TimeoutError:
            raise _timed_out("", self._timeout) from None
        except urllib.error.URLError as e:
            raise TechoError({"code": "upstream", "message": str(e.reason), "retryable": True}) from e


def _is_object(text: str) -> bool:
    """Whether a text can be the input on a line of a batch; the program itself reports
    what is wrong with others."""
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _timed_out(tool: str, seconds: float) -> TechoError:
    message = f"no answer within {seconds:g} seconds"
    return TechoError({"code": "timeout", "message": message, "tool": tool, "retryable": True})
