"""techo's tools for Python: memos, memories, a calendar, files, the web, questions.

    from techo import Techo
    techo = Techo()
    techo.add_memo("ramen", "Tanaka likes ramen", 4)
    techo.call("list_memo", limit=5)["memos"]

The package carries the program `techo` and runs it, or calls a `techo serve`. Adapters
for frameworks are in `techo.langchain`, `techo.strands`, `techo.openai_agents`,
`techo.anthropic` and `techo.pydantic_ai`.
"""

from ._client import Reply, Techo, TechoError

__all__ = ["Reply", "Techo", "TechoError"]
