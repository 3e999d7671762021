"""Strands Agents: techo's tools with the names of its specifications."""

import os
import sys

from strands import Agent
from strands.models.openai import OpenAIModel
from techo import Techo
from techo.strands import tools

request = sys.argv[1] if len(sys.argv) > 1 else "Remember that Tanaka likes ramen"
with Techo() as techo:  # one process for all calls
    model = OpenAIModel(model_id=os.environ["OPENAI_MODEL"])
    print(Agent(model=model, tools=tools(techo), callback_handler=None)(request))
