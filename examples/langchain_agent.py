"""LangChain: techo's tools are bound to a model. techo itself checks the arguments, so
that the model reads what is wrong with them and calls again."""

import os
import sys

from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI
from techo import Techo
from techo.langchain import tools

request = sys.argv[1] if len(sys.argv) > 1 else "Remember that Tanaka likes ramen"
with Techo() as techo:  # one process for all calls
    offered = {tool.name: tool for tool in tools(techo)}
    model = ChatOpenAI(model=os.environ["OPENAI_MODEL"]).bind_tools(list(offered.values()))
    messages: list[BaseMessage] = [HumanMessage(request)]
    while True:
        said = model.invoke(messages)
        messages.append(said)
        for call in said.tool_calls:
            messages.append(offered[call["name"]].invoke(call))
        for call in said.invalid_tool_calls:  # broken JSON: techo says where
            messages.append(ToolMessage(techo.invoke(call["name"], call["args"]).text, tool_call_id=call["id"]))
        if not said.tool_calls and not said.invalid_tool_calls:
            print(said.text)
            break
