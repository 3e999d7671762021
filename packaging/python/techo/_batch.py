"""One process that answers many calls, in order, for any number of threads."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections import deque

from ._client import Reply, TechoError, _timed_out


class Batch:
    def __init__(self, command: list[str], env: dict[str, str] | None) -> None:
        self._command, self._env = command, env
        self._lock = threading.Lock()
        self._waiting: deque[queue.SimpleQueue[str | None]] = deque()
        self._process: subprocess.Popen[bytes] | None = None

    def call(self, tool: str, text: str, timeout: float) -> Reply:
        answer: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        one_line = text.replace("\n", " ").replace("\r", " ")  # JSON has line ends only between values
        line = f'{{"tool":{json.dumps(tool)},"input":{one_line}}}\n'
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._start()
            process = self._process
            self._waiting.append(answer)
            try:
                process.stdin.write(line.encode())
                process.stdin.flush()
            except OSError:
                self._waiting.remove(answer)
                answer.put(None)
        try:
            got = answer.get(timeout=timeout)
        except queue.Empty:
            process.kill()  # the answers would be those of other calls from now on
            raise _timed_out(tool, timeout) from None
        if got is None:
            raise TechoError({"message": "techo ended before it answered", "tool": tool, "retryable": True})
        return Reply(got, not got.startswith('{"error":'))

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self._env
        )
        self._waiting = deque()
        threading.Thread(target=self._read, args=(self._process, self._waiting), daemon=True).start()

    @staticmethod
    def _read(process: subprocess.Popen[bytes], waiting: deque[queue.SimpleQueue[str | None]]) -> None:
        for line in process.stdout:
            waiting.popleft().put(line.decode().rstrip("\n"))
        process.wait()
        while waiting:
            waiting.popleft().put(None)

    def close(self) -> None:
        with self._lock:
            if self._process is not None:
                self._process.stdin.close()
                try:
                    self._process.wait(10)
                except subprocess.TimeoutExpired:
                    self._process.kill()
                    self._process.wait()
                self._process = None
