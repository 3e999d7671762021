"""Fits one vector a row so that the sum of a text's rows points where the teachers' vectors point.

    fit.py WORK OUT EXAMPLES NAME[:option=value,…] …

Reads texts.tsv, words.tsv, vocab.tsv, synonyms.tsv, strings.txt, use.npy and e5.npy of WORK; writes
NAME.npy (float16, rows × dimensions) and NAME-head.npz to OUT and prints each one's figures.
"""
import multiprocessing
import os
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

import tokens

WORK, OUT, EXAMPLES = sys.argv[1:4]
DEFAULTS = dict(dim=192, steps=2500, use=.4, e5=.3, mini=.3, rate=2e-3, tau=.05, cos=1.0, kl=.1, pair=.2, syn=.1,
                word=.5, mix=.5, drop=.1, head=0, sif=1e-3, seed=1, link=0.0, part=0.0)
LONGEST = 48
PAIRS, SINGLE, WORDS, SYNONYMS, LINKS = 1536, 2048, 2048, 512, 2048   # a batch
HELD = 2000
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def lines(name):
    with open(os.path.join(WORK, name), encoding="utf-8") as f:
        return [line.rstrip("\n").split("\t") for line in f]


def examples(name):
    with open(os.path.join(EXAMPLES, name), encoding="utf-8") as f:
        return [line.rstrip("\n").split("\t") for line in f if line.strip()]


def padded(texts):
    """Returns the texts' rows, padded with the row behind the last."""
    out = np.full((len(texts), LONGEST), LAST, np.int32)
    for i, text in enumerate(texts):
        rows = [r for r in TOKENIZER(text) if r < LAST][:LONGEST]
        out[i, :len(rows)] = rows
    return out


def unit(x):
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-6)


class Data:
    """The texts as rows, the pairs, and the teachers' centred vectors."""

    def __init__(self):
        self.strings = lines("strings.txt")
        self.strings = [s[0] for s in self.strings]
        index = {s: i for i, s in enumerate(self.strings)}
        pieces = [self.strings[i:i + 4096] for i in range(0, len(self.strings), 4096)]
        with multiprocessing.Pool(os.cpu_count()) as pool:
            self.rows = np.concatenate(pool.map(padded, pieces))
        texts = lines("texts.tsv")
        pairs = np.array([(index[en], index[ja]) for _, en, ja in texts if en and ja])
        rng = np.random.default_rng(7)
        rng.shuffle(pairs)
        self.held, pairs = pairs[:HELD], pairs[HELD:]
        out = np.zeros(len(self.strings), bool)
        out[self.held] = True
        self.pairs = pairs[~out[pairs].any(1)]
        self.words = np.array([(int(r), index[t]) for r, t, g in lines("words.tsv") if g in ("en", "ja")])
        is_word = np.zeros(len(self.strings), bool)
        is_word[self.words[:, 1]] = True
        self.single = np.array(sorted({index[t] for _, en, ja in texts for t in (en, ja) if t and not (en and ja)}))
        ja = np.array([any(map(tokens.is_japanese, s)) for s in self.strings])
        self.groups = ja * 2 + is_word
        vocabulary = TOKENIZER.entries
        groups = [[vocabulary[w][0] for w in g if w in vocabulary] for g in lines("synonyms.tsv")]
        self.synonyms = [sorted(set(g)) for g in groups if len(set(g)) > 1]
        self.counts = np.bincount(self.rows[~is_word].ravel(), minlength=LAST + 1)[:LAST]
        self.teachers = [self.centred("use.npy"), self.centred("e5.npy")]
        if os.path.exists(os.path.join(WORK, "mini.npy")):
            self.teachers.append(self.guessed(self.centred("mini.npy"), ja))
        links = [r for r in lines("links.tsv") if len(r) == 3]
        pieces = [[r[k] for r in links] for k in (1, 2)]
        with multiprocessing.Pool(2) as pool:
            self.links = np.stack(pool.map(padded, pieces), 1)
        full = (self.links != LAST).sum(2).min(1)
        self.links = self.links[full > 0]

    def centred(self, name):
        x = torch.from_numpy(np.load(os.path.join(WORK, name))).to(DEVICE).float()
        groups = torch.from_numpy(self.groups).to(DEVICE)
        for g in range(4):
            if name != "mini.npy" or g < 2:
                x[groups == g] -= x[groups == g].mean(0)
        return F.normalize(x, dim=1, eps=1e-6)

    def guessed(self, x, ja):
        """Fills the Japanese rows of an English teacher by what the others say, through a linear map."""
        other = torch.cat(self.teachers, 1)
        ja = torch.from_numpy(ja).to(DEVICE)
        a, b = other[~ja], x[~ja]
        ridge = torch.eye(a.shape[1], device=DEVICE) * len(a) * 1e-4
        x[ja] = F.normalize(other[ja] @ torch.linalg.solve(a.T @ a + ridge, a.T @ b), dim=1)
        return x

    def targets(self, dim, shares, mix):
        """The teachers side by side; a text's translations share in its target; then the main axes."""
        shares = [s / sum(shares[:len(self.teachers)]) for s in shares]
        x = torch.cat([t * s ** .5 for t, s in zip(self.teachers, shares) if s], 1)
        other, n = torch.zeros_like(x), torch.zeros(len(x), 1, device=DEVICE)
        for a, b in ((0, 1), (1, 0)):
            i, j = (torch.from_numpy(self.pairs[:, k]).to(DEVICE) for k in (a, b))
            other.index_add_(0, i, x[j])
            n.index_add_(0, i, torch.ones(len(i), 1, device=DEVICE))
        x = F.normalize(x * (1 - mix) + mix * other / n.clamp(min=1), dim=1)
        sample = x[torch.from_numpy(np.concatenate([self.pairs.ravel(), self.single])).to(DEVICE)]
        values, axes = torch.linalg.eigh(sample.T @ sample / len(sample))
        kept = values.flip(0)[:dim].sum() / values.sum()
        return F.normalize(x @ axes.flip(1)[:, :dim].contiguous(), dim=1), float(kept)


class Student(torch.nn.Module):
    def __init__(self, rows, head):
        super().__init__()
        self.table = torch.nn.Parameter(rows)
        dim = rows.shape[1]
        self.head = None
        if head:
            self.head = torch.nn.Sequential(torch.nn.Linear(dim, head), torch.nn.ReLU(), torch.nn.Linear(head, dim))
            torch.nn.init.zeros_(self.head[2].weight)
            torch.nn.init.zeros_(self.head[2].bias)

    def forward(self, rows):
        table = torch.cat([self.table, torch.zeros_like(self.table[:1])])
        x = F.normalize(F.embedding_bag(rows, table, mode="sum", padding_idx=LAST), dim=1, eps=1e-6)
        return F.normalize(x + self.head(x), dim=1) if self.head else x


def start(data, target, o):
    """The rows' own words as the teachers see them, rare ones long and frequent ones short."""
    rows = torch.randn(LAST, o["dim"], device=DEVICE) * .002
    r, i = (torch.from_numpy(data.words[:, k]).to(DEVICE) for k in (0, 1))
    rows[r] = target[i]
    p = torch.from_numpy(data.counts / data.counts.sum()).to(DEVICE).float()
    return rows * (o["sif"] / (o["sif"] + p))[:, None]


def likeness_loss(s, t, tau):
    """How far the student's ranking of the batch is from the teachers'."""
    hide = torch.eye(len(s), device=s.device, dtype=torch.bool)
    a = (s @ s.T / tau).masked_fill(hide, -30).log_softmax(1)
    b = (t @ t.T / tau).masked_fill(hide, -30).log_softmax(1)
    return F.kl_div(a, b, reduction="batchmean", log_target=True)


def contrast(a, b, tau):
    """How far each row of a is from finding its partner in b, and the reverse."""
    between, same = a @ b.T / tau, torch.arange(len(a), device=a.device)
    return (F.cross_entropy(between, same) + F.cross_entropy(between.T, same)) / 2


def fit(data, o):
    torch.manual_seed(o["seed"])
    target, kept = data.targets(o["dim"], [o["use"], o["e5"], o["mini"]], o["mix"])
    student = Student(start(data, target, o), o["head"]).to(DEVICE)
    optimizer = torch.optim.Adam(student.parameters(), lr=o["rate"], fused=DEVICE == "cuda")
    rows = torch.from_numpy(data.rows).to(DEVICE)
    pairs, words, single = (torch.from_numpy(x).to(DEVICE) for x in (data.pairs, data.words, data.single))
    links = torch.from_numpy(data.links).to(DEVICE)
    syn = torch.from_numpy(np.array([(g[i], g[j]) for g in data.synonyms for i in range(len(g))
                                     for j in range(len(g)) if i < j])).to(DEVICE)
    began, shown = time.time(), []
    pick = lambda x, n: x[torch.randint(len(x), (n,), device=DEVICE)]
    for step in range(o["steps"]):
        for g in optimizer.param_groups:
            g["lr"] = o["rate"] * min(1, (step + 1) / 200) * (.5 + .5 * np.cos(np.pi * step / o["steps"]))
        two, alone, word = pick(pairs, PAIRS), pick(single, SINGLE), pick(words, WORDS)
        ids = torch.cat([two[:, 0], two[:, 1], alone, word[:, 1]])
        batch = rows[ids]
        hide = (torch.rand(batch.shape, device=DEVICE) < o["drop"]) & (torch.arange(len(ids), device=DEVICE)
                                                                     < len(ids) - WORDS)[:, None]
        s, t = student(batch.masked_fill(hide, LAST)), target[ids]
        far = 1 - (s * t).sum(1)
        n = 2 * PAIRS + SINGLE
        loss = o["cos"] * (far[:n].mean() + o["word"] * far[n:].mean())
        if o["kl"]:
            k = torch.randperm(len(ids), device=DEVICE)[:4096]
            loss = loss + o["kl"] * likeness_loss(s[k], t[k], o["tau"])
        if o["pair"]:
            loss = loss + o["pair"] * contrast(s[:PAIRS], s[PAIRS:2 * PAIRS], o["tau"])
        if o["syn"]:
            a, b = (F.normalize(student.table[x], dim=1, eps=1e-6) for x in pick(syn, SYNONYMS).T)
            loss = loss + o["syn"] * (1 - (a * b).sum(1)).mean()
        if o["link"]:
            both = links[torch.randint(len(links), (LINKS,), device=DEVICE)]
            loss = loss + o["link"] * contrast(student(both[:, 0]), student(both[:, 1]), o["tau"])
        if o["part"]:
            whole = batch[:n][(batch[:n] != LAST).sum(1) > 5][:LINKS]
            parts = [student(whole.masked_fill(torch.rand(whole.shape, device=DEVICE) < p, LAST)) for p in (.6, .2)]
            loss = loss + o["part"] * contrast(*parts, o["tau"])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 2000 == 0 or step == o["steps"] - 1:
            shown.append("%.3f" % loss.item())
    print("  kept %.3f of the variance; loss %s; %.0f s" % (kept, " ".join(shown), time.time() - began), flush=True)
    return student, target


@torch.no_grad()
def measure(data, encode, target=None):
    """Prints held-back translations, agreement with the teachers, and the written examples."""
    held = torch.from_numpy(data.held).to(DEVICE)
    rows = torch.from_numpy(data.rows).to(DEVICE)
    a, b = encode(rows[held[:, 0]]), encode(rows[held[:, 1]])
    right = (a @ b.T).argmax(1) == torch.arange(len(a), device=DEVICE)
    out = {"translation": right.float().mean().item()}
    if target is not None:
        x, y = (a @ a.T).ravel(), (target[held[:, 0]] @ target[held[:, 0]].T).ravel()
        out["agree"] = torch.corrcoef(torch.stack([x, y]))[0, 1].item()
    text = lambda texts: encode(torch.from_numpy(padded(texts)).to(DEVICE))
    other = [data.strings[i] for i in data.held[:250].ravel()]
    for name in ("paraphrase", "cross"):
        found = {}
        memories = examples(name + ".tsv")
        m = text([r[0] for r in memories] + other)
        for i, row in enumerate(memories):
            for q in row[1:]:
                score = m @ text([q])[0]
                kind = name + ("_ja" if any(map(tokens.is_japanese, q)) else "_en")
                found.setdefault(kind, []).append(int((score > score[i]).sum()))
        for kind, ranks in found.items():
            out[kind] = np.mean([r < 5 for r in ranks])
            out[kind + "1"] = np.mean([r < 1 for r in ranks])
    score = {}
    for kind, x, y in examples("pairs.tsv"):
        score.setdefault(kind, []).append(float((text([x]) * text([y])).sum()))
    r, i = np.array(score["restate"]), np.array(score["independent"])
    out["pairs_auc"] = (r[:, None] > i[None]).mean()
    print("  " + " ".join("%s %.3f" % kv for kv in out.items()), flush=True)


@torch.no_grad()
def retrieval(encode):
    """Prints recall among ten and mean reciprocal rank on the collections of WORK/retrieval.npz, if it is there:
    the table alone, and its standard scores added to those of word search."""
    path = os.path.join(WORK, "retrieval.npz")
    if not os.path.exists(path):
        return
    z = np.load(path, allow_pickle=True)
    found = {}
    for name in z["names"]:
        m, q = (encode(torch.from_numpy(padded(z[name + "-" + k])).to(DEVICE)).cpu().numpy()
                for k in ("texts", "questions"))
        likeness, words = q @ m.T, z[name + "-words"]
        standard = lambda x: (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-9)
        for share in ("alone", .3, 1):
            score = likeness if share == "alone" else standard(words) + share * standard(likeness)
            for s, want in zip(score, z[name + "-want"]):
                rank = np.argsort(np.argsort(-s))[want]
                found.setdefault((name.split("-")[0], share), []).append(((rank < 10).mean(), 1 / (1 + rank.min())))
    print("  " + " ".join("%s %s %.3f/%.3f" % (*k, *np.mean(v, 0)) for k, v in found.items()), flush=True)


def main():
    torch.set_float32_matmul_precision("high")
    began = time.time()
    data = Data()
    print("texts %d pairs %d single %d words %d synonyms %d; %.0f s" % (
        len(data.strings), len(data.pairs), len(data.single), len(data.words), len(data.synonyms),
        time.time() - began), flush=True)
    for config in sys.argv[4:]:
        name, _, options = config.partition(":")
        o = dict(DEFAULTS)
        for option in filter(None, options.split(",")):
            key, value = option.split("=")
            o[key] = type(DEFAULTS[key])(float(value))
        print(config, flush=True)
        student, target = fit(data, o)
        measure(data, student, target)
        retrieval(student)
        if name.startswith("keep"):
            x = student.table.detach()
            step = x.abs().amax(1, keepdim=True).clamp(min=1e-9) / 127
            np.save(os.path.join(OUT, name + ".npy"), (x / step).round().to(torch.int8).cpu().numpy())
            np.save(os.path.join(OUT, name + "-step.npy"), step.half().cpu().numpy())
            if student.head:
                np.savez(os.path.join(OUT, name + "-head.npz"),
                         **{k: v.float().cpu().numpy() for k, v in student.head.state_dict().items()})


TOKENIZER = tokens.load(os.path.join(WORK, "vocab.tsv"))
LAST = max(row for row, _ in TOKENIZER.entries.values()) + 1 - sum(w[2] == "name" for w in lines("words.tsv"))
if __name__ == "__main__":
    main()
