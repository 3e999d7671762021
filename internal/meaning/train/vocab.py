"""Chooses the table's entries from the texts and SudachiDict: WORK/vocab.tsv (text, row, cost) and
WORK/words.tsv (row, text, language). Several entries can share a row: readings, variants, romaji.
"""
import collections
import math
import os
import sys

from sudachipy import Dictionary, SplitMode

import tokens

WORK, DICTIONARY, WORDNET = sys.argv[1:4]
ALIAS_LEAST = 1.5   # weight of a word whose readings and variants become entries
INFLECTED_LEAST = 6 # … whose inflected forms do
PIECES = 4000       # parts of unknown English words
ENGLISH_LEAST = 4   # occurrences of an English word that WordNet does not know
LEMMA_LEAST = 2     # occurrences of one that it knows
NAME_MOST = 50      # occurrences of an English word that a Japanese name may take over
CONTENT = ("名詞", "動詞", "形容詞", "形状詞", "副詞")
HEPBURN = {}
for row in """a i u e o|あ い う え お;ka ki ku ke ko|か き く け こ;sa shi su se so|さ し す せ そ
ta chi tsu te to|た ち つ て と;na ni nu ne no|な に ぬ ね の;ha hi fu he ho|は ひ ふ へ ほ
ma mi mu me mo|ま み む め も;ya yu yo|や ゆ よ;ra ri ru re ro|ら り る れ ろ;wa o n|わ を ん
ga gi gu ge go|が ぎ ぐ げ ご;za ji zu ze zo|ざ じ ず ぜ ぞ;da ji zu de do|だ ぢ づ で ど
ba bi bu be bo|ば び ぶ べ ぼ;pa pi pu pe po|ぱ ぴ ぷ ぺ ぽ;vu|ゔ
kya kyu kyo|きゃ きゅ きょ;sha shu sho she|しゃ しゅ しょ しぇ;cha chu cho che|ちゃ ちゅ ちょ ちぇ
nya nyu nyo|にゃ にゅ にょ;hya hyu hyo|ひゃ ひゅ ひょ;mya myu myo|みゃ みゅ みょ;rya ryu ryo|りゃ りゅ りょ
gya gyu gyo|ぎゃ ぎゅ ぎょ;ja ju jo je|じゃ じゅ じょ じぇ;bya byu byo|びゃ びゅ びょ;pya pyu pyo|ぴゃ ぴゅ ぴょ
fa fi fe fo|ふぁ ふぃ ふぇ ふぉ;ti di|てぃ でぃ;wi we wo|うぃ うぇ うぉ;va vi ve vo|ゔぁ ゔぃ ゔぇ ゔぉ
tu du|とぅ どぅ""".replace("\n", ";").split(";"):
    roman, kana = row.split("|")
    HEPBURN.update(zip(kana.split(), roman.split()))


def hiragana(text):
    return "".join(chr(ord(c) - 96) if "ァ" <= c <= "ヶ" else c for c in text)


def katakana(text):
    return "".join(chr(ord(c) + 96) if "ぁ" <= c <= "ゖ" else c for c in text)


def romaji(reading):
    """Returns Hepburn without long vowels (ramen, sato), or "" for what it cannot write."""
    kana, out, double = hiragana(reading), "", False
    i = 0
    while i < len(kana):
        if kana[i] == "ー":
            i += 1
            continue
        if kana[i] == "っ":
            double = True
            i += 1
            continue
        part = kana[i:i + 2] if kana[i:i + 2] in HEPBURN else kana[i]
        if part not in HEPBURN:
            return ""
        sound = HEPBURN[part]
        if double:
            sound = ("t" if sound.startswith("ch") else sound[0]) + sound
            double = False
        if part in ("う", "お") and out.endswith("o") or part == "う" and out.endswith("u"):
            sound = ""
        out += sound
        i += len(part)
    return out


def english(counts):
    """Returns words with their counts, the parts most words have, and WordNet's words."""
    words = {w: n for w, n in counts.items() if n >= ENGLISH_LEAST}
    lemmas = set()
    for name in ("noun", "verb", "adj", "adv"):
        with open(os.path.join(WORDNET, "index." + name), encoding="utf-8", errors="replace") as f:
            for line in f:
                word, _, senses = line.split(" ", 3)[:3]
                lemmas.add(word)
                if counts.get(word, 0) >= LEMMA_LEAST:
                    words.setdefault(word, counts[word])
    parts = collections.Counter()
    for word in words:
        if word.isalpha():
            for size in range(2, 6):
                for i in range(len(word) - size + 1):
                    parts[word[i:i + size]] += size - 1
    pairs = [a + b for a in sorted(tokens.LETTERS) for b in sorted(tokens.LETTERS)]
    chosen = set(pairs) | {p for p, _ in parts.most_common(PIECES)}
    return words, sorted(chosen), lemmas


def count(texts, tokenizer):
    en, ja = collections.Counter(), collections.Counter()
    for _, english_text, japanese_text in texts:
        for kind, run in tokens.runs(english_text):
            if kind == "w":
                en[run] += 1
        for kind, run in tokens.runs(japanese_text):
            if kind == "w":
                en[run] += 1
        if japanese_text:
            for mode in (SplitMode.A, SplitMode.C):
                surfaces = [m.surface() for m in tokenizer.tokenize(tokens.fold(japanese_text), mode)]
                ja.update(s for s in surfaces if all(map(tokens.is_japanese, s)))
    return en, ja


def english_groups(dictionary, words):
    """Returns the row word of each of SudachiDict's synonym groups that has just one English word."""
    found = collections.defaultdict(set)
    for m in dictionary.entries():
        word = m.surface().lower()
        if len(word) >= 4 and word in words:
            for g in m.synonym_group_ids():
                found[g].add(word)
    return {g: w.pop() for g, w in found.items() if len(w) == 1}


def names(vocabulary, rows, lemmas):
    """Adds the names of names.tsv, with readings and romaji. A name that the texts lack gets a row of the
    kind "name", for which join.py makes a vector."""
    for name, reading in own_lines("names.tsv"):
        if name not in vocabulary:
            vocabulary[name] = (len(rows), 1)
            rows.append((name, "name"))
        row = vocabulary[name][0]
        roman = romaji(reading)
        if roman not in lemmas:
            known = vocabulary.get(roman)
            if not known or rows[known[0]][1] == "en":
                vocabulary[roman] = (row, 1)
        for kana in (reading, katakana(reading)):
            vocabulary.setdefault(kana, (row, .3))


def own_lines(name):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), encoding="utf-8") as f:
        return [line.rstrip("\n").split("\t") for line in f]


def entry_list(dictionary, ja):
    """Yields (surface, normal form, reading, part of speech, groups) of the dictionary's Japanese entries."""
    seen = set()
    for m in dictionary.entries():
        text = m.surface()
        if not text or len(text) > tokens.LONGEST_JAPANESE or not all(map(tokens.is_japanese, text)):
            continue
        pos = m.part_of_speech()
        key = (text, m.normalized_form(), m.reading_form(), pos[0])
        if key not in seen:
            seen.add(key)
            yield text, m.normalized_form(), m.reading_form(), pos, m.synonym_group_ids()


def main():
    with open(os.path.join(WORK, "texts.tsv"), encoding="utf-8") as f:
        texts = [line.rstrip("\n").split("\t") for line in f]
    dictionary = Dictionary(dict=DICTIONARY)
    en, ja = count(texts, dictionary.tokenizer())
    words, parts, lemmas = english(en)
    entries = list(entry_list(dictionary, ja))
    print("english", len(words), "parts", len(parts), "japanese seen", len(ja), "dictionary", len(entries))

    vocabulary, rows = {}, []       # text -> (row, count)

    def add(text, language, n):
        if text not in vocabulary:
            vocabulary[text] = (len(rows), n)
            rows.append((text, language))

    for w, n in sorted(words.items()):
        add(w, "en", n)
    for p in parts:
        add("#" + p, "part", 1)
    for n in list(range(0, 101)) + list(range(1950, 2051)):
        add(str(n), "number", 1)
    for n in range(1, 10):
        add("#%d" % n, "number", 1)
    for s, n in sorted(ja.items()):
        if n >= 2:
            add(s, "ja", n)
    synonyms = collections.defaultdict(set)
    for text, normal, _, pos, groups in entries:
        for g in groups:
            synonyms[g].add(text)
        if pos[0] in CONTENT and normal != text and ja.get(text) and ja.get(normal):
            synonyms[normal].update((text, normal))  # めがね, 眼鏡
    used = {g for g, members in synonyms.items() if any(ja.get(m) for m in members)}
    for text, normal, reading, pos, groups in entries:
        if used.intersection(groups) and pos[0] in CONTENT and len(text) > 1 and normal == text:
            add(text, "ja", .5)
        elif ja.get(text) and pos[0] in CONTENT:
            add(text, "ja", 1)
        elif len(text) == 1 and not "ぁ" <= text <= "ん":
            add(text, "ja", .05)
    for c in map(chr, range(0x3041, 0x3097)):
        add(c, "ja", .05)
    own = len(vocabulary)

    weight = lambda text: ja.get(text, 0) + .5
    aliases = collections.defaultdict(collections.Counter)  # text -> row -> weight
    loans = english_groups(dictionary, words)
    for text, normal, reading, pos, groups in entries:
        if pos[0] not in CONTENT:
            continue
        if text not in vocabulary and len(text) > 1:
            for g in groups:
                if g in loans:
                    aliases[text][vocabulary[loans[g]][0]] += 2
        base = vocabulary.get(text) or vocabulary.get(normal)
        if not base:
            continue
        row, w = base[0], max(weight(text), weight(normal))
        inflected = pos[5] not in ("*", "終止形-一般", "連用形-一般")
        if w < (INFLECTED_LEAST if inflected else ALIAS_LEAST):
            continue
        if text not in vocabulary and len(text) > 1:
            aliases[text][row] += w * 4
        if len(reading) < 2 or inflected:
            continue
        for kana in {hiragana(reading), katakana(reading)}:
            if vocabulary.get(kana, (0, 0))[1] < 5 and len(kana) > 2 or vocabulary.get(kana, (0, 0))[1] < 1:
                aliases[kana][row] += w
        if pos[0] == "名詞":
            roman = romaji(reading)
            name = pos[2] in ("人名", "地名")
            free = not words.get(roman) or name and roman not in lemmas and words[roman] < NAME_MOST
            if len(roman) > 3 and free:
                aliases[roman][row] += w * (3 if name else 1)
    dropped = 0
    for text, found in sorted(aliases.items()):
        row, w = found.most_common(1)[0]
        japanese = tokens.is_japanese(text[0])
        if w < .6 * sum(found.values()) or len(text) > 16 or not japanese and w < 3:
            dropped += 1
            continue
        if text in vocabulary and vocabulary[text][0] == row:
            continue
        vocabulary[text] = (row, vocabulary.get(text, (0, .3))[1])
    for text, word in own_lines("terms.tsv"):
        if text not in vocabulary:
            vocabulary[text] = (vocabulary[word][0], 1)
    names(vocabulary, rows, lemmas)
    print("rows", len(rows), "own", own, "aliases", len(vocabulary) - own, "ambiguous", dropped)

    total = sum(ja.values())
    with open(os.path.join(WORK, "vocab.tsv"), "w", encoding="utf-8") as out:
        for text, (row, n) in vocabulary.items():
            cost = min(max(-math.log((n + .2) / total), 0), 25)
            out.write("%s\t%d\t%.3f\n" % (text, row, round(cost * 8) / 8))
    with open(os.path.join(WORK, "words.tsv"), "w", encoding="utf-8") as out:
        for row, (text, language) in enumerate(rows):
            out.write("%d\t%s\t%s\n" % (row, text, language))
    with open(os.path.join(WORK, "synonyms.tsv"), "w", encoding="utf-8") as out:
        for _, members in sorted(synonyms.items(), key=lambda g: str(g[0])):
            members = sorted(m for m in members if m in vocabulary)
            if 1 < len(members) < 12:
                out.write("\t".join(members) + "\n")


main()
