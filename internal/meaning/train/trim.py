"""Drops the rarest rows of a table: trim.py TABLE.bin ROWS TOKENS.tsv

Frequent rows come first, so the last ROWS rows go. Their spellings stay known and lead to one row of zeros. TOKENS.tsv
is changed in the same way.
"""
import struct
import sys

TABLE, DROP, TOKENS = sys.argv[1], int(sys.argv[2]), sys.argv[3]
HEADER, SLOT, NONE = 16, 8, 0xFFFFFF

data = bytearray(open(TABLE, "rb").read())
dimensions, rows, slots = struct.unpack_from("<3I", data, 4)
size = 2 + dimensions // 2
zero = rows - DROP - 1
for at in range(HEADER, HEADER + slots * SLOT, SLOT):
    packed, = struct.unpack_from("<I", data, at + 4)
    if packed & NONE != NONE and packed & NONE > zero:
        struct.pack_into("<I", data, at + 4, packed & 0xFF000000 | zero)
struct.pack_into("<I", data, 8, zero + 1)
end = HEADER + slots * SLOT + zero * size
with open(TABLE, "wb") as f:
    f.write(data[:end] + struct.pack("<H", 0) + b"\x88" * (size - 2))
with open(TOKENS, encoding="utf-8") as f:
    lines = f.read().split("\n")[:-1]
with open(TOKENS, "w", encoding="utf-8") as f:
    for line in lines:
        text, _, numbers = line.rpartition("\t")
        f.write(text + "\t" + " ".join(str(min(int(n), zero)) for n in numbers.split()) + "\n")
print(zero + 1, "rows")
