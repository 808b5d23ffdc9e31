"""Fits the weights of the estimator: fit.py <pieces> <weights.txt>, on what `pieces` wrote. Needs numpy; takes two minutes.

Every byte position is an observation: does a token start here (1) or not (0)? The model is a sum of terms, each looked up by the
class trigram around the position (at offsets -1, 0, 1) or by the byte pair around it (offsets 0, 1), and is fitted by backfitting:
least squares, one term at a time, with a little shrinkage. Summed over a text the offsets fall together, so that the text costs
one trigram and one pair lookup a byte. Fitted on half of the sessions and on synthetic texts, judged on the other half.
"""

import struct
import sys

import numpy as np

UNITS = 64, 128  # weights of trigrams and of pairs are integers of 1/64 and 1/128 tokens, in a byte each
CLASSES = [b"aeiou", b"tnsrl", b"dcmphgb", b"fywkvjxqz", b"AEIOU", b"BCDFGHJKLMNPQRSTVWXYZ", b"0123456789", b" ", b"\n\r", b"\t",
           b"_", b"-", b".,", b"\"'`", b"()[]{}", b"/\\", b"=:;", None, range(0x80, 0xC0), range(0xC0, 0xE0), [0xE2],
           range(0xE3, 0xEA), [0xE0, 0xE1, *range(0xEA, 0xF0)], range(0xF0, 0x100)]
OTHER, REPEAT, COUNT, COLUMNS = 17, 24, 25, 96
SYNTHETIC = 4.0  # weight of a synthetic byte: they are few
SHRINK = 3.0


def main(pieces, out):
    half, session, texts, starts = read(pieces)
    lengths = np.array([len(text) for text in texts])
    # A newline stands for what is before and behind a text, as in the estimator.
    text = np.concatenate([np.concatenate([[10] * 2, t, [10] * 2]) for t in texts]).astype(np.uint8)
    here = np.concatenate([np.arange(n) + o for n, o in zip(lengths, np.cumsum(lengths + 4) - lengths - 2)])
    owner = np.repeat(np.arange(len(texts)), lengths)
    y = np.concatenate(starts).astype(np.float32)
    weight = np.select([half == 0, half == 2], [1.0, SYNTHETIC], 0.0).astype(np.float32)[owner]
    true = np.bincount(owner, y, len(texts))

    classes = np.full(256, OTHER)
    for number, group in enumerate(CLASSES):
        for byte in group or []:
            classes[byte] = number
    c = classes[text]
    c[2:][(text[2:] == text[1:-1]) & (text[1:-1] == text[:-2])] = REPEAT
    trigram = np.concatenate([[0, 0], (c[:-2] * COUNT + c[1:-1]) * COUNT + c[2:]]).astype(np.int32)
    column = np.where((text >= 32) & (text < 127), text - 32, COLUMNS - 1).astype(np.int32)
    pair = np.concatenate([[0], column[:-1] * COLUMNS + column[1:]]).astype(np.int32)

    tables = [np.zeros(COUNT**3, np.float32), np.zeros(COLUMNS**2, np.float32)]
    terms = [(0, trigram[here + o]) for o in (-1, 0, 1)] + [(1, pair[here + o]) for o in (0, 1)]
    fitted = [np.zeros_like(tables[table]) for table, _ in terms]
    seen = [np.bincount(index, weight, len(w)) for (_, index), w in zip(terms, fitted)]
    predicted = np.zeros(len(y), np.float32)
    for _ in range(8):
        for (_, index), w, n in zip(terms, fitted, seen):
            old = w[index]
            new = (np.bincount(index, (y - predicted + old) * weight, len(w)) / (n + SHRINK)).astype(np.float32)
            predicted += new[index] - old
            w[:] = new
    for (table, _), w in zip(terms, fitted):
        tables[table] += w
    tables = [np.clip(np.rint(t * unit), -128, 127).astype(int) for t, unit in zip(tables, UNITS)]

    guess = np.bincount(owner, tables[0][trigram[here]] / UNITS[0] + tables[1][pair[here]] / UNITS[1], len(texts))
    for name, which in (("fit", 0), ("check", 1), ("synthetic, seed 1", 2), ("synthetic, seed 2", 3)):
        report(name, guess, true, half == which, session)
    with open(out, "w") as file:
        for table, width in ((tables[0], COUNT), (tables[1], COLUMNS)):
            for row in table.reshape(-1, width):
                file.write("".join(f"{v & 0xFF:02x}" for v in row) + "\n")


def read(path):
    data, at, half, session, texts, starts = open(path, "rb").read(), 0, [], [], [], []
    while at < len(data):
        h, s, n = struct.unpack_from("<BII", data, at)
        half.append(h), session.append(s)
        texts.append(np.frombuffer(data, np.uint8, n, at + 9)), starts.append(np.frombuffer(data, np.uint8, n, at + 9 + n))
        at += 9 + 2 * n
    return np.array(half), np.array(session), texts, starts


def report(name, guess, true, which, session):
    big = which & (true >= 500)
    error = np.abs(guess[big] / true[big] - 1)
    sums = np.array([abs(guess[which & (session == s)].sum() / true[which & (session == s)].sum() - 1) for s in np.unique(session[which])])
    quantiles = lambda e: f"median {np.median(e):.2%}, p95 {np.quantile(e, 0.95):.2%}, p99 {np.quantile(e, 0.99):.2%}, max {e.max():.2%}"
    print(f"{name}: {big.sum()} texts of 500 tokens and more: {quantiles(error)}; {len(sums)} sessions: {quantiles(sums)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
