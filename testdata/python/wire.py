"""Requests of the stand-ins."""

import json
import os
import urllib.request
from typing import Any


def post(base: str, path: str, body: dict[str, Any]) -> Any:
    """Sends a JSON request to the address in the environment variable base."""
    request = urllib.request.Request(
        os.environ[base] + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)


