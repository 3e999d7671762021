"""Writes the table that package meaning embeds: pack.py WORK ROWS.npy TABLE.bin TEXTS TOKENS.tsv

TOKENS.tsv gets each line of TEXTS with the rows of its tokens, for a test of the package.

Little-endian. Header, 16 bytes: "TMT1", then uint32 dimensions, rows, slots.
Index: slots of 8 bytes, a hash table with linear probing: uint32 fingerprint, uint24 row, uint8 cost × 8;
  an empty slot has row 0xFFFFFF. FNV-1a of 64 bits of the entry's text: the upper half modulo the number of
  slots is the first slot, the lower half the fingerprint.
Rows: bfloat16 step, then four bits a dimension, the even one low, minus 8. Frequent rows come first, so that
  most texts touch few pages.
"""
import struct
import sys

import numpy as np

import tokens

WORK, ROWS, OUT, TEXTS, TOKENS = sys.argv[1:6]
FULL = .6   # used share of the slots; a fuller table makes the search for absent words slow
NONE = 0xFFFFFF


def fnv(data):
    h = 0xcbf29ce484222325
    for b in data:
        h = (h ^ b) * 0x100000001b3 & 0xFFFFFFFFFFFFFFFF
    return h


def index(entries):
    slots = int(len(entries) / FULL)
    table, seen = [None] * slots, set()
    for text, (row, cost) in entries.items():
        h = fnv(text.encode())
        at, mark = (h >> 32) % slots, h & 0xFFFFFFFF
        while table[at]:
            if table[at][0] == mark:
                sys.exit("two entries share a fingerprint and a chain: " + text)
            at = (at + 1) % slots
        table[at] = (mark, row, round(cost * 8))
    empty = struct.pack("<II", 0, NONE)
    return slots, b"".join(struct.pack("<II", s[0], s[1] | s[2] << 24) if s else empty for s in table)


def four_bits(rows):
    """Returns for each row the step that leaves the least error, as bfloat16, and the numbers."""
    top = np.abs(rows).max(1)
    step, number, error = np.zeros(len(rows), np.uint16), np.zeros(rows.shape, np.int8), np.full(len(rows), np.inf)
    for share in np.arange(.5, 1.01, .05):
        bits = ((top * share / 7).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        s = (bits.astype(np.uint32) << 16).view(np.float32)[:, None]
        q = np.clip(np.round(rows / np.maximum(s, 1e-30)), -8, 7)
        e = ((q * s - rows) ** 2).sum(1)
        better = e < error
        step[better], number[better], error[better] = bits[better], q[better], e[better]
    return step, number


def main():
    tokenizer = tokens.load(WORK + "/vocab.tsv")
    entries = tokenizer.entries
    rows = np.load(ROWS).astype(np.float32)
    least = np.full(len(rows), 99.0)
    for row, cost in entries.values():
        least[row] = min(least[row], cost)
    order = np.argsort(least, kind="stable")
    place = np.empty(len(rows), int)
    place[order] = np.arange(len(rows))
    slots, table = index({t: (place[r], c) for t, (r, c) in entries.items()})
    step, number = four_bits(rows[order])
    q = (number + 8).astype(np.uint8)
    packed = np.hstack([step.view(np.uint8).reshape(-1, 2), q[:, 0::2] | q[:, 1::2] << 4])
    with open(OUT, "wb") as f:
        f.write(b"TMT1" + struct.pack("<3I", rows.shape[1], len(rows), slots))
        f.write(table)
        f.write(packed.tobytes())
        print(f.tell(), "bytes", len(rows), "rows", len(entries), "entries")
    with open(TEXTS, encoding="utf-8") as f, open(TOKENS, "w", encoding="utf-8") as out:
        for text in f.read().split("\n")[:-1]:
            out.write(text + "\t" + " ".join(str(place[r]) for r in tokenizer(text)) + "\n")


main()
