"""Times calls by turns: as a plain process, through the module, and with one process for many.

    python modules.py PROGRAM STORE ROUNDS
"""

import json
import subprocess
import sys
from time import perf_counter_ns

from techo import Techo

program, store, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
fields = {"memo_name": "ramen"}
plain = [program, "call", "get_memo", json.dumps(fields), "--store", store]
one, many = Techo(program, store=store), Techo(program, store=store, batch=True)
ways = {
    "plain": lambda: subprocess.run(plain, capture_output=True, check=True),
    "module": lambda: one.call("get_memo", fields),
    "batch": lambda: many.call("get_memo", fields),
}
took = {name: [] for name in ways}
for i in range(rounds):
    for name in sorted(ways, reverse=i % 2 == 1):
        began = perf_counter_ns()
        ways[name]()
        took[name].append(perf_counter_ns() - began)
many.close()
print(json.dumps(took))
