"""Anthropic's API: the definitions as they are, and the loop over tool_use."""

import os
import sys

from anthropic import Anthropic
from anthropic.types import MessageParam, ToolResultBlockParam

from plain import call, tools

request = sys.argv[1] if len(sys.argv) > 1 else "Remember that Tanaka likes ramen"
client = Anthropic()
messages: list[MessageParam] = [{"role": "user", "content": request}]
while True:
    said = client.messages.create(
        model=os.environ["ANTHROPIC_MODEL"], max_tokens=1024, tools=tools("anthropic"), messages=messages
    )
    messages.append({"role": "assistant", "content": said.content})
    wanted = [part for part in said.content if part.type == "tool_use"]
    if not wanted:
        print("".join(part.text for part in said.content if part.type == "text"))
        break
    results: list[ToolResultBlockParam] = []
    for part in wanted:
        text, ok = call(part.name, part.input)
        results.append({"type": "tool_result", "tool_use_id": part.id, "content": text, "is_error": not ok})
    messages.append({"role": "user", "content": results})
