"""Strands Agents, over MCP: the client starts techo and asks it for its tools."""

import os
import sys

from mcp import StdioServerParameters, stdio_client
from strands import Agent
from strands.models.openai import OpenAIModel
from strands.tools.mcp import MCPClient

request = sys.argv[1] if len(sys.argv) > 1 else "Remember that Tanaka likes ramen"
server = StdioServerParameters(command="techo", args=["mcp"], env=dict(os.environ))
with MCPClient(lambda: stdio_client(server)) as techo:
    model = OpenAIModel(model_id=os.environ["OPENAI_MODEL"])
    agent = Agent(model=model, tools=techo.list_tools_sync(), callback_handler=None)
    print(agent(request))
