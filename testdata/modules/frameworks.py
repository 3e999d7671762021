"""Runs techo's adapters in the real frameworks: python frameworks.py PROGRAM FRAMEWORK."""

import os
import sys
import tempfile
from importlib.metadata import version

from techo import Techo

names = ["add_memo", "get_memo", "read_file", "ask_user"]
request = "Remember that Tanaka likes ramen"


def langchain(techo: Techo) -> str:
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI

    from techo.langchain import InvestigateMemoryTool, memory_prompt, tools

    techo.add_memory("The dog is called Max, a golden retriever from the shelter in Bergen.")
    prompt, found = memory_prompt(techo, "What is the dog called?")
    (investigate,) = InvestigateMemoryTool.when(True, "u", found, techo=techo)
    for condition in ((False, "u", True), (True, "", True), (True, None, True), (True, "u", False)):
        assert InvestigateMemoryTool.when(*condition) == [], condition
    text = investigate.invoke({"memory_ids": [prompt.split("[")[1].split("]")[0]]})
    assert "shelter in Bergen" in text, text
    assert not memory_prompt(techo, "Good morning!")[1]

    agent = create_agent(ChatOpenAI(model="scripted"), tools(techo, *names))
    return agent.invoke({"messages": [("user", request)]})["messages"][-1].text


def strands(techo: Techo) -> str:
    from strands import Agent
    from strands.models.openai import OpenAIModel

    from techo.strands import tools

    return str(Agent(model=OpenAIModel(model_id="scripted"), tools=tools(techo, *names), callback_handler=None)(request))


def openai_agents(techo: Techo) -> str:
    from agents import Agent, Runner, set_tracing_disabled

    from techo.openai_agents import tools

    set_tracing_disabled(True)
    return Runner.run_sync(Agent(name="Notebook", model="scripted", tools=tools(techo, *names)), request).final_output


def anthropic(techo: Techo) -> str:
    from anthropic import Anthropic

    from techo.anthropic import tools

    runner = Anthropic().beta.messages.tool_runner(
        model="scripted", max_tokens=100, thread=False, tools=tools(techo, *names), messages=[{"role": "user", "content": request}]
    )
    return runner.until_done().content[0].text


def pydantic_ai(techo: Techo) -> str:
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel

    from techo.pydantic_ai import tools

    return Agent(OpenAIChatModel("scripted"), tools=tools(techo, *names)).run_sync(request).output


packages = {
    langchain: ("langchain", "langchain-core"),
    strands: ("strands-agents",),
    openai_agents: ("openai-agents",),
    anthropic: ("anthropic",),
    pydantic_ai: ("pydantic-ai-slim",),
}
run = globals()[sys.argv[2]]
folder = tempfile.mkdtemp()
techo = Techo(sys.argv[1], store=os.path.join(folder, "store"), user="u", lang="en", roots=[folder], batch=sys.argv[2] != "strands")
said = run(techo)
assert said.strip() == "All done.", said
assert techo.list_memo()["total"] == 2
assert techo.list_questions()["count"] == 1
techo.close()
print(sys.argv[2], *(f"{p} {version(p)}" for p in packages[run]))
