"""Anthropic's API: the tool runner calls techo until the model is done."""

import os
import sys

from anthropic import Anthropic
from techo import Techo
from techo.anthropic import tools

request = sys.argv[1] if len(sys.argv) > 1 else "Remember that Tanaka likes ramen"
with Techo() as techo:  # one process for all calls
    runner = Anthropic().beta.messages.tool_runner(
        model=os.environ["ANTHROPIC_MODEL"],
        max_tokens=1024,
        thread=False,  # each request has the whole conversation
        tools=tools(techo),
        messages=[{"role": "user", "content": request}],
    )
    said = runner.until_done()
print("".join(part.text for part in said.content if part.type == "text"))
