"""Runs techo's adapters in the real frameworks: python frameworks.py PROGRAM FRAMEWORK."""

import os
import sys
import tempfile
from glob import glob
from importlib.metadata import version
from typing import Any

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

    memory_tool(techo)
    runner = Anthropic().beta.messages.tool_runner(
        model="scripted", max_tokens=100, thread=False, tools=tools(techo, *names), messages=[{"role": "user", "content": request}]
    )
    return runner.until_done().content[0].text


def memory_tool(techo: Techo) -> None:
    """The subclass answers as the page of the vendor says, and random commands leave the files that
    the vendor's own folder has."""
    import random
    import subprocess

    from anthropic.lib.tools import ToolError
    from anthropic.tools import BetaLocalFilesystemMemoryTool

    from techo.anthropic import MemoryTool

    def told(tool: Any, **command: Any) -> tuple[bool, str]:
        try:
            return True, tool.call(command)
        except ToolError as e:
            return False, str(e)

    ours, path = MemoryTool(techo, cache_control={"type": "ephemeral"}), "/memories/tanaka.md"
    assert ours.to_dict() == {"type": "memory_20250818", "name": "memory", "cache_control": {"type": "ephemeral"}}
    for command, done, says in (
        ({"command": "create", "path": path, "file_text": "Likes ramen\n"}, True, f"File created successfully at: {path}"),
        ({"command": "create", "path": path, "file_text": "x"}, False, f"Error: File {path} already exists"),
        ({"command": "view", "path": path}, True, f"Here's the content of {path} with line numbers:\n     1\tLikes ramen"),
        ({"command": "view", "path": "/memories"}, True, "Here're the files and directories up to 2 levels deep in /memories"),
        ({"command": "str_replace", "path": path, "old_str": "ramen", "new_str": "soba"}, True, "The memory file has been edited."),
        ({"command": "str_replace", "path": path, "old_str": "ramen", "new_str": "x"}, False, "No replacement was performed"),
        ({"command": "insert", "path": path, "insert_line": 1, "insert_text": "And tea"}, True, f"The file {path} has been edited."),
        ({"command": "insert", "path": path, "insert_line": 9, "insert_text": "x"}, False, "Error: Invalid `insert_line` parameter: 9."),
        ({"command": "rename", "old_path": path, "new_path": "/memories/a/b"}, True, f"Successfully renamed {path} to /memories/a/b"),
        ({"command": "delete", "path": path}, False, f"Error: The path {path} does not exist"),
        ({"command": "delete", "path": "/memories/a"}, True, "Successfully deleted /memories/a"),
        ({"command": "view", "path": "/memories/../x"}, False, '{"error":{"code":"forbidden"'),
    ):
        was = told(ours, **command)
        assert was[0] == done and was[1].startswith(says), (command, was)

    top, random = tempfile.mkdtemp(dir=folder), random.Random(1)
    theirs, names = BetaLocalFilesystemMemoryTool(top), [f"/memories/{n}" for n in ("a", "b.md", "d/お茶", "d/e/f")]
    for _ in range(80):
        at, text = random.choice(names), random.choice(["x\n", "x\ny\n", "茶\n"])
        command = random.choice([
            {"command": "create", "path": at, "file_text": text},
            {"command": "str_replace", "path": at, "old_str": "x", "new_str": "z"},
            {"command": "insert", "path": at, "insert_line": random.randrange(4), "insert_text": "w"},
            {"command": "delete", "path": at},
            {"command": "rename", "old_path": at, "new_path": random.choice(names)},
        ])
        one, two = told(ours, **command), told(theirs, **command)
        assert one[0] == two[0], (command, one, two)
    subprocess.run(techo._command("export", "memory-files", "--to-dir", f"{top}/ours"), check=True, capture_output=True)
    texts = [{os.path.relpath(f, at): open(f, "rb").read() for f in glob(f"{at}/**", recursive=True) if os.path.isfile(f)}
             for at in (f"{top}/ours", f"{top}/memories")]
    assert texts[0] == texts[1] and len(texts[0]) > 1, texts


def pydantic_ai(techo: Techo) -> str:
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel

    from techo.pydantic_ai import tools

    return Agent(OpenAIChatModel("scripted"), tools=tools(techo, *names)).run_sync(request).output


def native(framework: str, techo: Techo) -> None:
    """What is found can be called, a cancelled call ends with its process, a failure is an answer, the same call
    adds once."""
    import asyncio
    import json
    import subprocess
    import time
    from importlib import import_module
    from types import SimpleNamespace

    module = import_module(f"techo.{framework}")
    make = getattr(module, "async_tools", module.tools)

    async def call(name: str, arguments: dict[str, Any], id: str, of: Techo = techo) -> str:
        (tool,) = make(of, name)
        context = SimpleNamespace(tool_call_id=id)
        if framework == "langchain":
            return (await tool.ainvoke({"type": "tool_call", "id": id, "name": name, "args": arguments})).content
        if framework == "openai_agents":
            return await tool.on_invoke_tool(context, json.dumps(arguments))
        if framework == "pydantic_ai":
            return await tool.function(context, **arguments)
        if framework == "strands":
            async for event in tool.stream({"toolUseId": id, "name": name, "input": arguments}, {}):
                return str(event)
        from anthropic.lib.tools import ToolError

        try:
            return await tool.call(arguments)
        except ToolError as e:
            return str(e)

    async def all() -> None:
        waits = [asyncio.create_task(call("ask_user", {"question": f"q{n}", "wait": "20s"}, f"q{n}")) for n in range(8)]
        await asyncio.sleep(1)
        began = time.monotonic()
        await call("list_memo", {}, "beside")
        for task in waits:
            task.cancel()
        ends = await asyncio.gather(*waits, return_exceptions=True)
        took = time.monotonic() - began
        assert all_are(ends, asyncio.CancelledError) and took < 2, (ends, took)
        left = subprocess.run(["ps", "ax", "-o", "args"], capture_output=True, text=True).stdout
        assert f"call ask_user" not in "".join(line for line in left.splitlines() if folder in line), left
        if framework != "anthropic":  # its runner gives no id of a call
            first = await call("add_todo", {"title": "once"}, "c1")
            assert first == await call("add_todo", {"title": "once"}, "c1") and '"todo_id' in first.replace("\\", ""), first
            await call("add_todo", {"title": "other"}, "c1")
            assert techo.list_todos()["total"] == 2
        assert "add_todo" in await call("find_tools", {"query": "a to-do with a due date"}, "find")
        done = await call("call_tool", {"name": "add_todo", "input": {"title": "牛乳 🥛"}}, "found")
        assert "牛乳 🥛" in done and '"todo_id' in done.replace("\\", ""), done
        slow = Techo(sys.argv[1], store=os.path.join(folder, "store"), timeout=0.001)
        slow.tools = techo.tools
        assert "timeout" in await call("list_memo", {}, "slow", slow)
        nowhere = Techo(server="http://127.0.0.1:9", user="u")
        nowhere.tools = techo.tools
        assert "upstream" in await call("list_memo", {}, "dead", nowhere)
        assert "See list_memo" in await call("get_memo", {"memo_name": "none"}, "hint")

    asyncio.run(all())


def all_are(values: list[Any], kind: type) -> bool:
    return all(isinstance(v, kind) for v in values)


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
native(sys.argv[2], techo)
techo.close()
print(sys.argv[2], *(f"{p} {version(p)}" for p in packages[run]))
