"""LangChain: the definitions are bound to a model. techo itself checks the arguments, so
that the model reads what is wrong with them and calls again."""

import os
import sys

from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI

from plain import call, tools

request = sys.argv[1] if len(sys.argv) > 1 else "Remember that Tanaka likes ramen"
model = ChatOpenAI(model=os.environ["OPENAI_MODEL"]).bind_tools(tools("openai-chat"))
messages: list[BaseMessage] = [HumanMessage(request)]
while True:
    said = model.invoke(messages)
    messages.append(said)
    wanted = [*said.tool_calls, *said.invalid_tool_calls]
    if not wanted:
        print(said.text)
        break
    for one in wanted:
        text, ok = call(one["name"], one["args"])
        messages.append(ToolMessage(text, tool_call_id=one["id"], status="success" if ok else "error"))
