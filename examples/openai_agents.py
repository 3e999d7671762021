"""OpenAI Agents: techo's tools as FunctionTool."""

import os
import sys

from agents import Agent, Runner, set_tracing_disabled
from techo import Techo
from techo.openai_agents import tools

request = sys.argv[1] if len(sys.argv) > 1 else "Remember that Tanaka likes ramen"
set_tracing_disabled(True)
with Techo() as techo:  # one process for all calls
    agent = Agent(
        name="Notebook",
        instructions="Keep what is worth remembering.",
        model=os.environ["OPENAI_MODEL"],
        tools=tools(techo),
    )
    print(Runner.run_sync(agent, request).final_output)
