"""One process that answers many calls, in order, for any number of threads."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from collections import deque

from ._client import Reply, _lost, _timed_out


class Batch:
    def __init__(self, command: list[str], env: dict[str, str] | None) -> None:
        self._command, self._env = command, env
        self._lock = threading.Lock()
        self._worker: _Worker | None = None

    def call(self, tool: str, text: str, timeout: float, key: str | None = None, compact: bool = False) -> Reply:
        more = (f',"idempotency_key":{json.dumps(key)}' if key else "") + (',"compact":true' if compact else "")
        one_line = text.replace("\n", " ").replace("\r", " ")  # JSON has line ends only between values
        line = f'{{"tool":{json.dumps(tool)},"input":{one_line}{more}}}\n'
        with self._lock:
            if self._worker is None or self._worker.ended():
                self._worker = _Worker(self._command, self._env)
            worker = self._worker
            answer = worker.send(line)
        try:
            got = answer.get(timeout=timeout)
        except queue.Empty:
            with self._lock:  # others still get their answers from it; new calls get a new process
                if self._worker is worker:
                    self._worker = None
                worker.retire(answer)
            raise _timed_out(tool, text, timeout, key) from None
        if got is None:
            raise _lost(tool, text, key)
        return Reply.of(got, tool)

    def close(self) -> None:
        with self._lock:
            worker, self._worker = self._worker, None
        if worker:
            worker.close()


class _Worker:
    """A process with the calls that wait for its answers."""

    def __init__(self, command: list[str], env: dict[str, str] | None) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env
        )
        self._waiting: deque[queue.SimpleQueue[str | None]] = deque()
        self._given_up: list[queue.SimpleQueue[str | None]] = []
        threading.Thread(target=self._read, daemon=True).start()

    def ended(self) -> bool:
        return self._process.poll() is not None

    def send(self, line: str) -> queue.SimpleQueue[str | None]:
        answer: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._waiting.append(answer)
        try:
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()
        except OSError:
            answer.put(None)
        return answer

    def retire(self, answer: queue.SimpleQueue[str | None]) -> None:
        self._given_up.append(answer)
        try:
            self._process.stdin.close()
        except OSError:
            pass
        if all(a in self._given_up for a in list(self._waiting)):
            self._process.kill()

    def _read(self) -> None:
        for line in self._process.stdout:
            self._waiting.popleft().put(line.decode(errors="replace").rstrip("\n"))
        self._process.wait()
        while self._waiting:
            self._waiting.popleft().put(None)

    def close(self) -> None:
        try:
            self._process.stdin.close()
        except OSError:
            pass
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
