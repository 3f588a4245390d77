"""The named random distributions, from their definitions, and the chi-square that holds a sample against them.

Which block is the hottest is a program's own choice (fio hashes, fathom permutes), so skewed laws are compared by rank: the counts of all
blocks, sorted, summed in cells. Sorting bends the counts of rare blocks, so what a cell should hold is found by drawing from the law.
"""
import bisect
import itertools
import math
import random

RANK_EDGES = (0, 1, 2, 4, 8, 16, 64, 256)
Z = 3.9  # one false alarm in 20,000; the seeds are fixed, so there is none that comes and goes


def zipf(theta, n):
    return normalised(k ** -theta for k in range(1, n + 1))


def pareto(h, n):
    """A share 1 - h of the I/Os falls on the share h of the blocks, at every scale."""
    power = math.log(1 - h) / math.log(h)
    return normalised((k + 1) ** power - k ** power for k in range(n))


def normal(deviation_percent, n):
    """Around the middle, cut at both ends."""
    sigma = n * deviation_percent / 100

    def below(x):
        return math.erf((x - n / 2) / (sigma * math.sqrt(2)))
    return normalised(below(k + 1) - below(k) for k in range(n))


def normalised(weights):
    weights = list(weights)
    total = sum(weights)
    return [w / total for w in weights]


def critical(df):
    """The chi-square that is exceeded with the probability of Z in a normal (Wilson and Hilferty)."""
    return df * (1 - 2 / (9 * df) + Z * math.sqrt(2 / (9 * df))) ** 3


def chi_square(observed, expected):
    """(statistic, critical value) of counts in cells."""
    assert len(observed) == len(expected) and min(expected) >= 5
    return sum((o - e) ** 2 / e for o, e in zip(observed, expected)), critical(len(expected) - 1)


def cells(blocks, edges):
    """How many of the block numbers lie in each [edge, next edge)."""
    counts = [0] * (len(edges) - 1)
    for b in blocks:
        counts[bisect.bisect_right(edges, b) - 1] += 1
    return counts


def rank_cells(blocks, n):
    counts = [0] * n
    for b in blocks:
        counts[b] += 1
    counts.sort(reverse=True)
    edges = [*(e for e in RANK_EDGES if e < n), n]
    return [sum(counts[a:b]) for a, b in zip(edges, edges[1:])]


def by_rank(blocks, law, rounds=120):
    """(statistic, critical value, observed, expected): sorted counts against draws from the law."""
    draw, n = random.Random(1), len(law)
    cumulative = list(itertools.accumulate(law))
    drawn = [rank_cells(draw.choices(range(n), cum_weights=cumulative, k=len(blocks)), n) for _ in range(rounds)]
    observed, statistic, expected, used = rank_cells(blocks, n), 0.0, [], 0
    for i, count in enumerate(observed):
        column = [row[i] for row in drawn]
        mean = sum(column) / rounds
        variance = sum((c - mean) ** 2 for c in column) / (rounds - 1)
        expected.append(round(mean))
        if mean >= 5:
            statistic += (count - mean) ** 2 / variance
            used += 1
    return statistic, critical(used), observed, expected
