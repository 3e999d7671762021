"""Calls that can be cancelled."""

from __future__ import annotations

import asyncio
import threading
from urllib.parse import quote

from ._client import Techo, TechoError, _body, _output, _timed_out, _unreachable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


async def run(techo: Techo, command: list[str], tool: str, text: str, key: str | None) -> str:
    """Runs a process. A cancelled call kills it."""
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, stderr=pipe, env=techo._hinted()
        )
    except OSError as e:
        raise TechoError({"code": "unavailable", "message": f"techo cannot be started: {e}", "tool": tool}) from e
    try:
        out, errors = await asyncio.wait_for(process.communicate(text.encode()), techo._timeout)
    except (asyncio.TimeoutError, TimeoutError):
        raise _timed_out(tool, text, techo._timeout, key) from None
    finally:
        if process.returncode is None:
            try:
                process.kill()
            except ProcessLookupError:
                pass
            await asyncio.shield(process.wait())
    return _output(out, errors, process.returncode, tool, text, key)


async def request(techo: Techo, tool: str, text: str, key: str | None, compact: bool) -> str:
    """Sends a request from a thread of its own. A cancelled call closes its connection."""
    import http.client
    from urllib.parse import urlsplit

    to = urlsplit(techo._server)
    kind = http.client.HTTPSConnection if to.scheme == "https" else http.client.HTTPConnection
    connection = kind(to.hostname or "", to.port, timeout=techo._timeout)
    loop, answer = asyncio.get_running_loop(), asyncio.get_running_loop().create_future()

    def settle(set_: Any, value: Any) -> None:
        if not answer.done():
            set_(value)

    def send() -> None:
        try:
            body = text.encode()
            connection.request("POST", f"{to.path}/tools/{quote(tool, safe='')}", body, techo._sent(body, key, compact))
            got = connection.getresponse()
            found = _body(got.status, got.read(), tool, text, key)
            outcome = (answer.set_result, found)
        except TechoError as e:
            outcome = (answer.set_exception, e)
        except TimeoutError:
            outcome = (answer.set_exception, _timed_out(tool, text, techo._timeout, key))
        except (OSError, http.client.HTTPException, ValueError, AttributeError) as e:
            outcome = (answer.set_exception, _unreachable(e, tool, text, key))
        finally:
            connection.close()
        try:
            loop.call_soon_threadsafe(settle, *outcome)
        except RuntimeError:
            pass  # the loop has ended

    threading.Thread(target=send, daemon=True).start()
    try:
        return await asyncio.wait_for(asyncio.shield(answer), techo._timeout)
    except (asyncio.TimeoutError, TimeoutError):
        raise _timed_out(tool, text, techo._timeout, key) from None
    finally:
        if not answer.done():
            answer.cancel()
            sock = connection.sock
            if sock is not None:
                try:
                    sock.shutdown(2)
                except OSError:
                    pass
