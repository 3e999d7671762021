"""Splits text into the table's tokens, exactly as package meaning does (tokens.go)."""
import math
import unicodedata

LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
LONGEST_WORD = 32
LONGEST_JAPANESE = 8
LONGEST_RUN = 256
UNKNOWN = 30.0  # the cost of a Japanese character that no entry has


def is_japanese(c):
    return ("\u3041" <= c <= "\u3096" or "\u30a1" <= c <= "\u30fc" or "\u4e00" <= c <= "\u9fff"
            or "\u3400" <= c <= "\u4dbf" or c == "々" or c == "〆")


def fold(text):
    """Returns the text in compatibility form and Latin letters without their marks."""
    out = []
    for c in unicodedata.normalize("NFKC", text):
        if "\u00c0" <= c <= "\u024f" or "\u1e00" <= c <= "\u1eff":
            c = unicodedata.normalize("NFD", c)[0]
        out.append("'" if c == "’" else c)
    return "".join(out).replace("ß", "ss")


def runs(text):
    """Yields (kind, run) for Latin words "w", numbers "n" and Japanese runs "j"."""
    start, kind = 0, ""
    text = fold(text)
    for i, c in enumerate(text + " "):
        before = text[i - 1] if i else " "
        lower = c.lower() if c.isascii() else c
        after = text[i + 1].lower() if i + 1 < len(text) and text[i + 1].isascii() else " "
        if lower in LETTERS:
            new = "w"
        elif c == "'" and kind == "w" and after in LETTERS:
            new = "w"
        elif c.isascii() and c.isdigit():
            new = "n"
        elif is_japanese(c):
            new = "j"
        else:
            new = ""
        hump = new == kind == "w" and "A" <= c <= "Z" and "a" <= before <= "z"
        if new != kind or hump:
            if kind:
                yield kind, text[start:i].lower()
            start, kind = i, new


def stems(word):
    """Yields plain forms to look for when an English word has no entry."""
    if word.endswith("'s"):
        yield word[:-2]
    if word.endswith("ies") or word.endswith("ied"):
        yield word[:-3] + "y"
    if word.endswith("s"):
        yield word[:-1]
    if word.endswith("es") or word.endswith("ed") or word.endswith("ly"):
        yield word[:-2]
    if word.endswith("ed") or word.endswith("er"):
        yield word[:-1]
    if word.endswith("ing") or word.endswith("est"):
        yield word[:-3]
        yield word[:-3] + "e"
    if word.startswith("un") or word.startswith("re"):
        yield word[2:]


class Tokenizer:
    """Holds entries: text -> (row, cost)."""

    def __init__(self, entries):
        self.entries = entries

    def __call__(self, text):
        """Returns the rows of the text's tokens in order."""
        out = []
        for kind, run in runs(text):
            if kind == "w":
                self.word(run, out)
            elif kind == "n":
                self.number(run, out)
            else:
                self.japanese(run, out)
        return out

    def word(self, word, out):
        entry = self.entries.get(word)
        if entry:
            out.append(entry[0])
            return
        for stem in stems(word):
            if len(stem) > 2 and stem in self.entries:
                out.append(self.entries[stem][0])
                return
        self.pieces(word[:LONGEST_WORD].replace("'", ""), out)

    def pieces(self, word, out):
        i = 0
        while i < len(word):
            for j in range(len(word), i + 1, -1):
                entry = self.entries.get("#" + word[i:j])
                if entry:
                    out.append(entry[0])
                    i = j - 1
                    break
            i += 1

    def number(self, digits, out):
        entry = self.entries.get(digits) or self.entries.get("#%d" % min(len(digits), 9))
        if entry:
            out.append(entry[0])

    def japanese(self, run, out):
        for i in range(0, len(run), LONGEST_RUN):
            self.split(run[i:i + LONGEST_RUN], out)

    def split(self, run, out):
        """Takes the split of the least total cost."""
        n = len(run)
        best, back = [0.0] + [math.inf] * n, [None] * (n + 1)
        for i in range(n):
            if best[i] + UNKNOWN < best[i + 1]:
                best[i + 1], back[i + 1] = best[i] + UNKNOWN, (i, -1)
            for j in range(i + 1, min(n, i + LONGEST_JAPANESE) + 1):
                entry = self.entries.get(run[i:j])
                if entry and best[i] + entry[1] < best[j]:
                    best[j], back[j] = best[i] + entry[1], (i, entry[0])
        found = []
        while n:
            n, row = back[n]
            if row >= 0:
                found.append(row)
        out.extend(reversed(found))


def load(path):
    """Reads vocab.tsv: text, row, cost."""
    entries = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            text, row, cost = line.rstrip("\n").split("\t")[:3]
            entries[text] = (int(row), float(cost))
    return Tokenizer(entries)
