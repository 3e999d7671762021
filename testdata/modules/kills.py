"""Adds to-dos in three ways while processes are killed, and repeats what failed with the same key.

python kills.py PROGRAM CALLS SEED: each to-do must be there once.
"""

import atexit
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from techo import Techo, TechoError

program, calls, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
root = tempfile.mkdtemp()
atexit.register(shutil.rmtree, root, True)
os.environ.update(HOME=root, TECHO_LANG="en", TZ="UTC")
store, token = os.path.join(root, "store"), "kills-" + "x" * 40
counts = {"calls": 0, "repeated": 0, "killed": 0}
lock, done = threading.Lock(), threading.Event()


def count(name):
    with lock:
        counts[name] += 1


class Server:
    """techo serve, which is started again when it was killed."""

    def __init__(self):
        self.port = free_port()
        self.start()

    def start(self):
        address = f"127.0.0.1:{self.port}"
        env = {**os.environ, "TECHO_TOKEN": token}
        self.process = subprocess.Popen([program, "serve", "--listen", address, "--store", store], env=env,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.start()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def children():
    """The processes that the module has started."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as f:
                    if f.read().rsplit(") ", 1)[1].split()[1] == str(os.getpid()):
                        found.append(int(name))
            except OSError:
                pass
    return found


def killer(server):
    chance = random.Random(seed)
    while not done.wait(chance.uniform(0.02, 0.3)):
        if chance.random() < 0.1:
            server.kill()
            count("killed")
            continue
        others = [pid for pid in children() if pid != server.process.pid]
        if others:
            try:
                os.kill(chance.choice(others), signal.SIGKILL)
                count("killed")
            except OSError:
                pass


def work(techo, name, numbers, failed):
    for n in numbers:
        title = f"{name} {n}"
        for _ in range(200):
            try:
                reply = techo.invoke("add_todo", {"title": title}, key=f"key {title}")
                if reply.ok:
                    count("calls")
                    break
                e = TechoError(json.loads(reply.text)["error"])
            except TechoError as error:
                e = error
            if not e.retryable:
                failed.append(f"{title}: {e}")
                return
            count("repeated")
            time.sleep(0.05)
        else:
            failed.append(f"{title}: never done")


server = Server()
ways = {
    "process": Techo(program, store=store),
    "batch": Techo(program, store=store, batch=True),
    "server": Techo(server=f"http://127.0.0.1:{server.port}", token=token),
}
failed, threads, wanted = [], [], set()
share = {"process": calls // 4, "batch": calls // 2, "server": calls - calls // 4 - calls // 2}
for name, techo in ways.items():
    wanted |= {f"{name} {n}" for n in range(share[name])}
    for part in range(4):
        threads.append(threading.Thread(target=work, args=(techo, name, range(part, share[name], 4), failed)))
killing = threading.Thread(target=killer, args=(server,))
killing.start()
for t in threads:
    t.start()
for t in threads:
    t.join()
done.set()
killing.join()
ways["batch"].close()
server.process.kill()
server.process.wait()
titles = []
export = subprocess.run([program, "cal", "export", "--to", "-", "--store", store], capture_output=True, env=os.environ)
for line in export.stdout.decode().replace("\r\n ", "").splitlines():
    if line.startswith("SUMMARY:"):
        titles.append(line[len("SUMMARY:"):])
doubled = len(titles) - len(set(titles))
lost = wanted - set(titles)
verified = subprocess.run([program, "store", "verify", "--store", store], capture_output=True, env=os.environ)
print(counts, "doubled", doubled, "lost", len(lost), "failed", len(failed))
if doubled or lost or failed or set(titles) - wanted or verified.returncode:
    sys.exit("\n".join([*failed[:5], *sorted(lost)[:5], verified.stdout.decode()[:300]]))
