"""Gives techo inputs that somebody else may have chosen, and shows what each costs.

    go build -o /tmp/techo . && python3 proof/testdata/hostile.py /tmp/techo

Each runs in a folder and a store of its own. A line has the processor time in seconds, the peak memory in MB
and the exit code; "!" marks more than 2 s or 100 MB. GNU time has to be in /usr/bin/time. Files are sparse.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

HUGE = 30 << 30
MANY = 60_000


def huge(path):
    with open(path, "wb"):
        os.truncate(path, HUGE)


def endless(path):
    os.symlink("/dev/zero", path)


KINDS = {"huge": huge, "endless": endless, "fifo": os.mkfifo}


def writes(content):
    def write(path):
        with open(path, "wb") as f:
            f.write(content.encode() if isinstance(content, str) else content)
    return write


def packed(name, content, count=MANY):
    def write(path):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
            for i in range(count):
                z.writestr(name % i if "%" in name else name, content % i if "%" in content else content)
    return write


def cases():
    """Yields names, the file to make, how to make it, and the command."""
    grep = ["grep", "x", "."]
    for where in [".gitignore", ".git/info/exclude", ".git/config", ".git/commondir"]:
        for kind, make in KINDS.items():
            yield f"{where}, {kind}", where, make, grep
    yield ".gitignore, 100,000 rules", ".gitignore", writes("".join(f"**/a{i}*b?[c-d]/**/*x\n" for i in range(100_000))), grep
    yield "core.excludesFile, endless", ".git/config", writes("[core]\n excludesFile = /dev/zero\n"), grep
    yield "include of itself", ".git/config", writes("[include]\n path = config\n"), grep
    for name, command in [("f.jsonl", ["import", "memories"]), ("f.jsonl", ["import", "memos"]), ("f.ics", ["cal", "import"])]:
        for kind, make in KINDS.items():
            yield f"{' '.join(command)}, {kind}", name, make, [*command, name, "--timeout", "1s"]
    yield "a line of 60 MB", "f.jsonl", writes('{"full_text":"' + "a" * (60 << 20) + '"}\n'), ["import", "memories", "f.jsonl"]
    yield "5 million brackets", "f.json", writes("[" * 5_000_000), ["import", "memories", "f.json"]
    yield "a folded line of 4 MB", "f.ics", writes("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:" + "a\r\n b" * 1_000_000 +
                                                    "\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"), ["cal", "import", "f.ics"]
    dry = ["import", "memories", "f.zip", "--dry-run"]
    yield "a zip bomb", "f.zip", packed("a.md", "a" * (300 << 20), 1), dry
    yield "a zip of empty notes", "f.zip", packed("d/%d.md", ""), dry
    yield "a zip of other files", "f.zip", packed("d/%d.bin", "\0"), dry
    yield "a zip of conversations", "f.zip", packed("conversations-%d.json", "[]"), dry
    yield "a zip of 10,000 notes", "f.zip", packed("d/%d.md", "Note %d has some text.\n", 10_000), dry
    yield "a zip of 60,000 notes", "f.zip", packed("d/%d.md", "Note %d has some text.\n"), dry
    for kind, make in KINDS.items():
        yield f"settings, {kind}", "home/.config/techo/config.toml", make, ["memo", "list"]
        yield f"fs read, {kind}", "f", make, ["fs", "read", "f", "--timeout", "1s"]
        yield f"grep, {kind}", "f", make, ["grep", "x", "f", "--timeout", "1s"]
        yield f"web fetch, {kind}", "f", make, ["web", "fetch", "f"]
        yield f"memory add --source, {kind}", "f", make, ["memory", "add", "x", "--source", "file:f"]
        yield f"store restore, {kind}", "f", make, ["store", "restore", "f"]


def run(techo, name, where, make, command):
    base = tempfile.mkdtemp()
    try:
        env = {"PATH": os.environ["PATH"], "HOME": base + "/home", "TECHO_STORE": base + "/store", "TECHO_OUTPUT": "json"}
        subprocess.run(["git", "init", "-q", base], env=env, check=True)
        path = os.path.join(base, where)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.lexists(path):
            os.remove(path)
        make(path)
        writes("x\n")(base + "/a.txt")
        done = subprocess.run(["/usr/bin/time", "-f", "\n%U %S %M", "timeout", "60", techo, *command], cwd=base, env=env,
                              stdin=subprocess.DEVNULL, capture_output=True)
    finally:
        shutil.rmtree(base)
    user, system, peak = map(float, done.stderr.decode(errors="replace").split()[-3:])
    seconds, memory = user + system, peak / 1024
    dear = seconds > 2 or memory > 100
    print(f"{'!' if dear else ' '} {name:36} {seconds:6.2f} s {memory:6.0f} MB, exit code {done.returncode}", flush=True)
    return dear


if __name__ == "__main__":
    all_cases = list(cases())
    print(sum(run(sys.argv[1], *case) for case in all_cases), "of", len(all_cases), "are dear")
