"""scripts/bench hotpath --against=OLD: whether a change made a loop slower. The rows are hotpath's; old, new and old once more ("same") take turns
on one CPU, in an order that rotates, so that each round gives a ratio new / old and, as the measure of the machine, same / old.

A row is slower where the interval of its ratio lies wholly below 0.98. The interval is that of the median, from the order of the ratios alone,
so that it asks nothing of their distribution: 11 rounds are the fewest for which it is worth its name. Where same / old lies wholly outside of
0.98 to 1.02 the machine was not quiet, and nothing is said of the row.
"""
import hashlib
import math
import statistics
import sys

import facts
import hotpath

LEAST, CONFIDENCE, FEWEST_ROUNDS = 0.98, 0.95, 11
WHO = ["old", "fathom", "same"]


def interval(ratios):
    """(low, high) of the median, of at least CONFIDENCE: it lies between the k-th least and the k-th largest unless fewer than k lie to one side."""
    n, ratios = len(ratios), sorted(ratios)
    outside, k = 0.0, 0
    while k < n // 2:
        outside += 2 * math.comb(n, k) / 2**n
        if outside > 1 - CONFIDENCE:
            break
        k += 1
    if k == 0:
        raise ValueError(f"{n} rounds give no interval of {CONFIDENCE:.0%}")
    return ratios[k - 1], ratios[n - k]


def ratio(rounds, one, other):
    ratios = [mine / theirs for mine, theirs in zip(rounds[one], rounds[other])]
    low, high = interval(ratios)
    return {"ratio": statistics.median(ratios), "low": low, "high": high}


def verdict(new, same):
    if same["high"] < LEAST or same["low"] > 2 - LEAST:
        return "undecided"
    return "slower" if new["high"] < LEAST else "held"


def run_row(given, row, path, seconds):
    hotpath.check_same_job(row, given.fathom, path, given.against)
    rounds, shares = {who: [] for who in WHO}, {who: [] for who in WHO}
    for number in range(given.rounds):
        first = number % len(WHO)
        for who in WHO[first:] + WHO[:first]:
            iops, share = hotpath.undisturbed(who, row, given, path, seconds)
            rounds[who].append(iops)
            shares[who].append(share)
    new, same = ratio(rounds, "fathom", "old"), ratio(rounds, "same", "old")
    found = {"name": row.name, "options": row.options, "iops": rounds, "cpu_share": shares, "new_over_old": new, "old_over_old": same,
             "verdict": verdict(new, same)}
    print(f"{row.name:52} new / old {new['ratio']:.3f} ({new['low']:.3f} to {new['high']:.3f})   old / old {same['ratio']:.3f} ({same['low']:.3f} to "
          f"{same['high']:.3f})   {found['verdict']}", flush=True)
    return found


def sha256(path):
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else hashlib.sha256(f.read()).hexdigest()


def run(given):
    if given.rounds < FEWEST_ROUNDS:
        sys.exit(f"--rounds={given.rounds}: of fewer than {FEWEST_ROUNDS} rounds there is no interval worth a verdict")
    seconds = 0.3 if given.quick else 1.2
    found = []
    with hotpath.cached_file() as path:
        for row in hotpath.ROWS:
            if given.only in row.name:
                hotpath.read_through(path)
                found.append(run_row(given, row, path, seconds))
    if not found:
        sys.exit(f"--only={given.only}: no row of that name")
    named = {word: [row["name"] for row in found if row["verdict"] == word] for word in ("slower", "undecided", "held")}
    for word, text in (("slower", f"the 95 % interval of new / old lies wholly below {LEAST}"), ("undecided", "old differs from itself: not a quiet machine")):
        for name in named[word]:
            print(f"{word}: {name}: {text}")
    print(", ".join(f"{len(names)} {word}" for word, names in named.items()))
    return {"cpu": hotpath.CPU, "seconds": seconds, "least": LEAST, "confidence": CONFIDENCE, "old": facts.programs(given.against)["fathom"],
            "sha256": {"old": sha256(given.against), "new": sha256(given.fathom)}, "summary": {word: len(names) for word, names in named.items()},
            "exit_status": 1 if named["slower"] else 2 if named["undecided"] else 0, "rows": found}
