"""Joins fitted tables: join.py WORK OUT.npy NAME NAME …

NAME.npy and NAME-step.npy are in WORK. The tables are laid side by side, each scaled to the same mean
length of a sentence, and cut to the main axes of sentences. A random rotation then spreads the meaning
evenly over the dimensions, which makes rounding, and signs alone, more exact. At last each row's length l
becomes l ** WEIGHT: rare words count more than they do for the teachers, frequent ones less.
"""
import os
import random
import sys

import numpy as np

import tokens

WORK, OUT = sys.argv[1:3]
DIMENSIONS = 192
WEIGHT = 1.5
SENTENCES = 9000


def names(table):
    """Returns vectors for the names without a fitted one: what names have in common, and something of
    their own by chance, so that a name is as like another as the fitted ones are."""
    with open(os.path.join(WORK, "words.tsv"), encoding="utf-8") as f:
        words = [line.rstrip("\n").split("\t") for line in f]
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "names.tsv"), encoding="utf-8") as f:
        known = {line.split("\t")[0] for line in f}
    fitted = table[[int(row) for row, text, kind in words if kind == "ja" and len(text) > 1 and text in known]]
    length = np.linalg.norm(fitted, axis=1, keepdims=True)
    common = (fitted / length).mean(0)
    own = np.random.default_rng(2).standard_normal((len(words) - len(table), DIMENSIONS))
    own *= np.sqrt(1 - common @ common) / np.linalg.norm(own, axis=1, keepdims=True)
    print("names: %d fitted, %d made, likeness %.2f" % (len(fitted), len(own), common @ common))
    return (common + own) * np.median(length)


def main():
    tokenizer = tokens.load(os.path.join(WORK, "vocab.tsv"))
    with open(os.path.join(WORK, "texts.tsv"), encoding="utf-8") as f:
        lines = [line.rstrip("\n").split("\t") for line in f]
    random.Random(3).shuffle(lines)
    sentences = [tokenizer(text) for line in lines[:SENTENCES] for text in line[1:] if text]
    fitted = len(np.load(os.path.join(WORK, sys.argv[3] + "-step.npy")))
    sentences = [s for s in sentences if len(s) > 2 and max(s) < fitted]

    def summed(table):
        return np.stack([table[s].sum(0) for s in sentences])

    parts = []
    for name in sys.argv[3:]:
        path = os.path.join(WORK, name)
        table = np.load(path + ".npy").astype(np.float32) * np.load(path + "-step.npy").astype(np.float32)
        parts.append(table / np.sqrt((summed(table) ** 2).sum(1).mean()))
    table = np.hstack(parts)
    x = summed(table)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    values, axes = np.linalg.eigh(x.T @ x)
    print("kept %.3f" % (values[::-1][:DIMENSIONS].sum() / values.sum()))
    rotation, _ = np.linalg.qr(np.random.default_rng(1).standard_normal((DIMENSIONS, DIMENSIONS)))
    table = table @ axes[:, ::-1][:, :DIMENSIONS] @ rotation
    table = np.vstack([table, names(table)])
    length = np.linalg.norm(table, axis=1, keepdims=True)
    np.save(OUT, (table * np.maximum(length, 1e-9) ** (WEIGHT - 1)).astype(np.float32))


main()
