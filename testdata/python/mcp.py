"""A stand-in for mcp."""

import json
import subprocess
from dataclasses import dataclass, field
from typing import Any


@dataclass
class StdioServerParameters:
    command: str
    args: list[str] = field(default_factory=list)
    env: dict[str, str] | None = None


class Transport:
    def __init__(self, server: StdioServerParameters) -> None:
        self.process = subprocess.Popen(
            [server.command, *server.args], env=server.env or {}, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.last = 0

    def send(self, method: str, params: dict[str, Any], **more: Any) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}) + "\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        self.last += 1
        self.send(method, params, id=self.last)
        assert self.process.stdout
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.last:
                return answer["result"]

    def close(self) -> None:
        self.process.communicate()


def stdio_client(server: StdioServerParameters) -> Transport:
    return Transport(server)
