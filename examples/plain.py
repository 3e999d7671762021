"""techo's tools for any model, with the standard library alone."""

import json
import subprocess


def tools(form="openai-chat", *names):
    """The definitions in the form that an API takes: openai, anthropic, gemini…"""
    run = subprocess.run(["techo", "tools", *names, "--format", form], capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    return json.loads(run.stdout)


def call(name, arguments, timeout=120):
    """Calls a tool with what the model gave, a dict or its JSON as it came.

    Returns the text for the model, and whether it is a result (else it is an
    error, which tells the model what to do next)."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    run = subprocess.run(["techo", "call", name], input=text, capture_output=True, text=True, timeout=timeout)
    return run.stdout.strip(), run.returncode == 0


def converse(model, messages):
    """The loop: the model is asked until it calls no more tools."""
    while True:
        said = model(messages, tools())
        messages.append(said)
        if not said.get("tool_calls"):
            return said["content"]
        for wanted in said["tool_calls"]:
            text, _ = call(wanted["function"]["name"], wanted["function"]["arguments"])
            messages.append({"role": "tool", "tool_call_id": wanted["id"], "content": text})


def scripted(messages, offered):
    """Stands in for a model: it keeps a memo, reads it, and says what it read."""
    names = [t["function"]["name"] for t in offered]
    assert "add_memo" in names, names
    steps = [
        ("add_memo", {"name": "ramen", "priority": "high"}),  # wrong: techo's answer says what
        ("add_memo", {"name": "ramen", "content": "Tanaka likes ramen", "priority": 4}),
        ("get_memo", {"memo_name": "ramen"}),
    ]
    done = sum(m["role"] == "tool" for m in messages)
    if done < len(steps):
        name, arguments = steps[done]
        wanted = {"id": f"call_{done}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        return {"role": "assistant", "content": None, "tool_calls": [wanted]}
    return {"role": "assistant", "content": json.loads(messages[-1]["content"])["memo"]["content"]}


if __name__ == "__main__":
    # With a model: model = lambda messages, offered: client.chat.completions.create(
    #     model=…, messages=messages, tools=offered).choices[0].message.to_dict()
    print(converse(scripted, [{"role": "user", "content": "Remember that Tanaka likes ramen"}]))
