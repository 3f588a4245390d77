#!/usr/bin/env python3
"""Markdown of a result of scripts/bench hotpath, for docs/performance.md, so that nobody copies numbers by hand.

  bench/hotpath_table.py bench/results/hotpath.json                                  the table
  bench/hotpath_table.py bench/results/hotpath.json bench/results/hotpath-pgo.json   what the second program adds to the first
"""
import json
import sys


def load(path):
    with open(path) as f:
        return json.load(f)


def rate(row, who):
    return f"{row['median'][who] / 1e6:.2f} M ± {row['spread'][who] * 50:.0f} %" if who in row["median"] else "–"


def ratio(row, key):
    if key not in row:
        return "–"
    found = row[key]
    return f"{found['ratio']:.2f}" + (f" (≥ {found['target']:g}: **{found['verdict']}**)" if found["target"] is not None else "")


def table(result):
    yield "| work, one thread | fio | fathom | bare loop | fathom / fio | fathom / bare | bare / fio |"
    yield "|---|---|---|---|---|---|---|"
    for row in result["rows"]:
        cells = [row["name"], *(rate(row, who) for who in ("fio", "fathom", "bare")), *(ratio(row, key) for key in ("over_fio", "of_bare", "bare_over_fio"))]
        yield f"| {' | '.join(cells)} |"
    yield ""
    yield "| other | fio | fathom | target | |"
    yield "|---|---|---|---|---|"
    for row in result["rest"]:
        sides = (f"{row['median'][who]:.3g} {row['unit']}" for who in ("fio", "fathom"))
        sign = "≥" if row["unit"] == "x" else "≤"
        note = f"; start jitter p99.99 {row['start_jitter_p9999_ns']['median'] / 1000:.3g} µs" if "start_jitter_p9999_ns" in row else ""
        yield f"| {row['name']} | {' | '.join(sides)} | {sign} {row['target']:g} {row['unit']} | **{row['verdict']}**{note} |"


def added(before, after):
    """Both were measured against the bare loop or fio of their own run, so their ratios compare and their rates do not."""
    yield "| work | ratio without | ratio with | added |"
    yield "|---|---|---|---|"
    ratios = {row["name"]: row for row in after["rows"]}
    for row in before["rows"]:
        key, unit = ("of_bare", "of bare") if "of_bare" in row else ("over_fio", "× fio")
        if row["name"] in ratios:
            old, new = row[key]["ratio"], ratios[row["name"]][key]["ratio"]
            yield f"| {row['name']} | {old:.2f} {unit} | {new:.2f} {unit} | {(new / old - 1) * 100:+.0f} % |"


if len(sys.argv) not in (2, 3):
    sys.exit(__doc__)
results = [load(path) for path in sys.argv[1:]]
print("\n".join(table(*results) if len(results) == 1 else added(*results)))
