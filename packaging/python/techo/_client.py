"""Calls of techo: a process for each, one process for many, or a server."""

from __future__ import annotations

import json
import os
import sys

from ._tools import ADDS, READS, WAITS, Tools

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
        self.maybe: bool = False  # the change may have been made
        self.details: list[dict[str, Any]] = error.get("details", [])

    def __str__(self) -> str:
        return f"{self.code}: {self.message}" + (f" ({self.hint})" if self.hint else "")


class Reply:
    """An answer for a model: the document as text, and whether it is a result."""

    __slots__ = ("ok", "text")

    def __init__(self, text: str, ok: bool) -> None:
        self.text = text
        self.ok = ok

    @classmethod
    def of(cls, text: str, tool: str = "") -> Reply:
        """The answer in a text. What is no JSON object is no answer: TechoError."""
        try:
            document = json.loads(text)
        except ValueError:
            document = None
        if not isinstance(document, dict):
            error = {"code": "upstream", "message": f"no answer of techo: {text[:80]!r}", "hint": "Check the path of the program"}
            raise TechoError({**error, "tool": tool})
        return cls(text, not isinstance(document.get("error"), dict))

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
        other.__dict__.pop("_lock", None)
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

    def invoke(self, tool: str, arguments: object = "{}", *, key: str | None = None, compact: bool = False) -> Reply:
        """Calls a tool with what a model gave: an object, or its JSON as it came.

        Errors of the call are answers too: the text tells the model what to do next. With a key, a
        call that adds something is done once, however often it is repeated."""
        text = _text(arguments)
        key = key if _called(tool, text) in ADDS else None
        if self._server:
            return Reply.of(self._post(tool, text, key, compact), tool)
        if self._wants_batch and _is_object(text) and _called(tool, text) not in WAITS:
            return self._processes().call(tool, text, self._timeout, key, compact)
        # An ask_user exits otherwise than with 0 while it is pending, and is a result.
        return Reply.of(self._run("call", tool, *_options(key, compact), stdin=text, key=key), tool)

    def answer(self, tool: str, arguments: object = "{}", call: str | None = None) -> Reply:
        """invoke for a framework: compact, and every failure is an answer for the model. call is the
        framework's id of the call: the same call adds once."""
        key = _key(call, tool, arguments)
        try:
            return self.invoke(tool, arguments, key=key, compact=True)
        except Exception as e:
            return _failure(e, tool)

    async def ainvoke(self, tool: str, arguments: object = "{}", *, key: str | None = None, compact: bool = False) -> Reply:
        """invoke that can be cancelled: the call then ends, and its process with it. It has a
        process of its own, also with batch."""
        from . import _async

        text = _text(arguments)
        key = key if _called(tool, text) in ADDS else None
        if self._server:
            return Reply.of(await _async.request(self, tool, text, key, compact), tool)
        command = self._command("call", tool, *_options(key, compact))
        return Reply.of(await _async.run(self, command, tool, text, key), tool)

    async def aanswer(self, tool: str, arguments: object = "{}", call: str | None = None) -> Reply:
        """answer that can be cancelled."""
        key = _key(call, tool, arguments)
        try:
            return await self.ainvoke(tool, arguments, key=key, compact=True)
        except Exception as e:
            return _failure(e, tool)

    def _processes(self) -> Any:
        from threading import Lock

        from ._batch import Batch

        # setdefault of a dictionary is one step, so that threads which begin together get one lock
        with self.__dict__.setdefault("_lock", Lock()):
            if self._batch is None:
                self._batch = Batch(self._command("call", "--batch"), self._hinted())
            return self._batch

    def _hinted(self) -> dict[str, str]:
        """The environment of a call, whose hints name tools and fields."""
        return {**(self._env or os.environ), "TECHO_HINTS": "tools"}

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

    def _run(self, *args: str, stdin: str = "", output: str = "json", key: str | None = None) -> str:
        import subprocess

        tool = args[1] if args[0] == "call" else ""
        try:
            run = subprocess.run(
                self._command(*args, output=output),
                input=stdin.encode(),
                capture_output=True,
                env=self._hinted(),
                timeout=self._timeout,
            )
        except subprocess.TimeoutExpired:
            raise _timed_out(tool, stdin, self._timeout, key) from None
        except OSError as e:
            raise TechoError({"code": "unavailable", "message": f"techo cannot be started: {e}", "tool": tool}) from e
        return _output(run.stdout, run.stderr, run.returncode, tool, stdin, key)

    def _post(self, tool: str, text: str, key: str | None, compact: bool) -> str:
        from urllib.parse import quote

        return self._request("/tools/" + quote(tool, safe=""), text.encode(), tool, text, key, compact)

    def _sent(self, body: bytes | None, key: str | None, compact: bool) -> dict[str, str]:
        headers = {name: value for name, value in self._headers.items() if value}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self._token:
            headers["Authorization"] = "Bearer " + self._token
        if key:
            headers["Idempotency-Key"] = key
        if compact:
            headers["Techo-Compact"] = "true"
        return headers

    def _request(
        self,
        path: str,
        body: bytes | None = None,
        tool: str = "",
        text: str = "{}",
        key: str | None = None,
        compact: bool = False,
    ) -> str:
        import http.client
        import urllib.error
        import urllib.request

        request = urllib.request.Request(self._server + path, data=body, headers=self._sent(body, key, compact))
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as answer:
                return _body(answer.status, answer.read(), tool, text, key)
        except urllib.error.HTTPError as e:
            try:
                found = e.read()
            except (OSError, http.client.HTTPException):
                found = b""
            return _body(e.code, found, tool, text, key)
        except TimeoutError:
            raise _timed_out(tool, text, self._timeout, key) from None
        except urllib.error.URLError as e:
            if isinstance(e.reason, TimeoutError):
                raise _timed_out(tool, text, self._timeout, key) from None
            raise _unreachable(e.reason, tool, text, key) from e
        except (OSError, http.client.HTTPException, ValueError) as e:
            raise _unreachable(e, tool, text, key) from e


def _options(key: str | None, compact: bool) -> list[str]:
    return (["--idempotency-key", key] if key else []) + (["--compact"] if compact else [])


def _text(arguments: object) -> str:
    """The JSON of what a model gave, without a byte order mark, which json does not read."""
    return arguments.lstrip("\ufeff \t\r\n") if isinstance(arguments, str) else json.dumps(arguments)


def _called(tool: str, text: str) -> str:
    """The tool that a call is of: call_tool stands for another one."""
    if tool != "call_tool":
        return tool
    try:
        return str(json.loads(text)["name"])
    except (ValueError, KeyError, TypeError):
        return tool


def _key(call: str | None, tool: str, arguments: object) -> str:
    """The idempotency key of a framework's call: the same for the same call, another for another input."""
    import hashlib
    import uuid

    if isinstance(arguments, str):
        try:
            arguments = json.loads(_text(arguments))
        except ValueError:
            pass
    of = json.dumps([call or uuid.uuid4().hex, tool, arguments], sort_keys=True, default=str)
    return hashlib.sha256(of.encode()).hexdigest()


def _output(out: bytes, errors: bytes, code: int | None, tool: str, text: str, key: str | None) -> str:
    found = out.decode(errors="replace").rstrip("\n")
    if found:
        return found
    said = errors.decode(errors="replace").strip()
    if code is not None and code < 0:
        raise _lost(tool, text, key)
    raise TechoError({"message": said or f"exit code {code}", "tool": tool})


def _body(status: int, body: bytes, tool: str, text: str, key: str | None) -> str:
    """The answer in the body of a response; a proxy's page is none."""
    found = body.decode(errors="replace").strip()
    try:
        if isinstance(json.loads(found), dict if tool else (dict, list)):  # only the list of tools may be a list
            return found
    except ValueError:
        pass
    again = status in (408, 425, 429) or status >= 500
    raise _maybe({"code": "upstream", "message": f"the server answered {status} without a document of techo"}, tool, text, key, again)


def _unreachable(reason: object, tool: str, text: str, key: str | None) -> TechoError:
    import socket

    error = {"code": "upstream", "message": f"the server cannot be reached: {reason}"}
    if isinstance(reason, (ConnectionRefusedError, socket.gaierror)):  # nothing was sent
        return TechoError({**error, "tool": tool, "retryable": True, "hint": "Try again later"})
    return _maybe(error, tool, text, key, True)


def _lost(tool: str, text: str, key: str | None) -> TechoError:
    return _maybe({"code": "internal", "message": "techo ended before it answered"}, tool, text, key, True)


def _timed_out(tool: str, text: str, seconds: float, key: str | None) -> TechoError:
    return _maybe({"code": "timeout", "message": f"no answer within {seconds:g} seconds"}, tool, text, key, True)


def _maybe(error: dict[str, Any], tool: str, text: str, key: str | None, again: bool) -> TechoError:
    """The error of a call that may have been done. It is retryable only if repeating it is safe."""
    reads = not tool or _called(tool, text) in READS
    if reads or key:
        hint = "Try again" if again else "Check the address of the server"
        e = TechoError({**error, "tool": tool, "retryable": again, "hint": hint})
        e.maybe = not reads
        return e
    message = error["message"] + "; it is not known whether the change was made"
    hint = "Check the current state before you call again"
    return TechoError({**error, "message": message, "tool": tool, "retryable": False, "hint": hint})


def _failure(e: Exception, tool: str) -> Reply:
    """A failure as an answer for a model."""
    if isinstance(e, TechoError):
        error = {"code": e.code, "message": e.message, "hint": e.hint, "tool": e.tool or tool, "retryable": e.retryable}
        if e.maybe:  # a model calls again under another id, and so with another key
            error["message"] += "; it is not known whether the change was made"
            error["hint"], error["retryable"] = "Check the current state before you call again", False
    else:
        error = {"code": "internal", "message": str(e) or type(e).__name__, "tool": tool, "retryable": False}
    return Reply(json.dumps({"error": {name: value for name, value in error.items() if value != ""}}, ensure_ascii=False), False)


def _is_object(text: str) -> bool:
    """Whether a text can be the input on a line of a batch; the program itself reports
    what is wrong with others."""
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
