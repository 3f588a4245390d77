#!/usr/bin/env python3
"""Markdown of a result of scripts/bench nvme, for docs/performance.md, so that nobody copies numbers by hand.

  bench/nvme_table.py bench/results/nvme.json                        the tables
  bench/nvme_table.py bench/results/nvme.json docs/performance.md    puts them between the two marks in that file
"""
import json
import re
import sys

from nvme_cases import ELSEWHERE

MARKS = "<!-- bench/nvme_table.py: begin -->\n", "<!-- bench/nvme_table.py: end -->\n"


def millions(one, key="iops"):
    found = one[key]
    return f"{found['median'] / 1e6:.2f} M ({found['lowest'] / 1e6:.2f}–{found['highest'] / 1e6:.2f})"


def middle(one, key, form="{:.1f}"):
    return form.format(one[key]["median"]) if key in one else "–"


def apart(one):
    found = one["hand_over_ns"]
    low, high = f"{found['lowest']:.0f}", f"{found['highest']:.0f}"
    return low if low == high else f"{low}–{high}"


def ratio(one):
    if "over_first" not in one:
        return "1"
    found = one["over_first"]
    text = f"{found['median']:.3f} ({found['lowest']:.3f}–{found['highest']:.3f})"
    return text if one["compared_rounds"] else f"{text} undecided"


def verdict(one, percent=False):
    if "goal" not in one:
        return ""
    goal = f"{one['goal'] * 100:.0f} %" if percent else f"{one['goal'] / 1e6:g} M"
    return f"≥ {goal}: **{one['verdict']}**"


def distances(one):
    return "; ".join(f"{c['iops'] / 1e6:.2f} M at {c['hand_over_ns']:.0f} ns ({c['rounds']})" for c in one["by_distance"]) or "–"


def costs(one):
    return [middle(one, "idle_percent"), middle(one, "busy_ns_per_io"), middle(one, "busy_ticks_per_io", "{:.0f}"), middle(one, "ios_per_sq_doorbell")]


COST_HEADS = ["idle %", "busy ns", "ticks", "I/O a doorbell"]


def table(heads, rows):
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for cells in rows:
        yield f"| {' | '.join(cells)} |"
    yield ""


def goals(groups):
    def rows():
        for group in groups:
            peer, ring = ELSEWHERE[group["depth"]]
            for n, one in enumerate(group["rows"]):
                if "absent" not in one:
                    goal = verdict(one) + f"; elsewhere: SPDK {peer}, bare ring {ring}" if n == 0 else ""
                    yield [str(group["depth"]), one["name"], millions(one), distances(one), *costs(one), goal]
    return table(["depth", "driver", "IOPS, median (min–max)", "by distance of the CPUs (rounds)", *COST_HEADS, "goal"], rows())


def many(groups):
    rows = ([group["name"] if n else f"one of them ({group['name'].split(', ', 1)[1]})", millions(one), apart(one), ratio(one), *costs(one), verdict(one, True)]
            for group in groups for n, one in enumerate(group["rows"]))
    return table(["devices", "IOPS, median (min–max)", "ns apart", "× one device", *COST_HEADS, "goal"], rows)


def tricks(groups):
    def rows():
        for group in groups:
            for n, one in enumerate(group["rows"]):
                if "absent" in one:
                    yield [f"`nvme_{one['name']}`", one["absent"], *["–"] * (len(COST_HEADS) + 3)]
                    continue
                name = f"default ({group['name'].split(',')[0]})" if n == 0 else f"`nvme_{one['name']}`"
                yield [name, millions(one), apart(one), ratio(one), middle(one, "busy_over_first", "{:.2f}"), *costs(one)]
    return table(["", "IOPS, median (min–max)", "ns apart", "× default", "× busy ns", *COST_HEADS], rows())


def copies(groups):
    rows = ([str(group["depth"]), f"`{one['name']}`", millions(one), distances(one), ratio(one), *costs(one)[:3]] for group in groups for one in group["rows"]
            if "absent" not in one)
    return table(["depth", "", "IOPS, median (min–max)", "by distance of the CPUs (rounds)", "× words", *COST_HEADS[:3]], rows)


def model(groups):
    rows = ([group["name"], one["name"], millions(one), apart(one), ratio(one), *costs(one)] for group in groups for one in group["rows"])
    return table(["a model", "the submission doorbell", "IOPS, median (min–max)", "ns apart", "× batched", *COST_HEADS], rows)


# group's key, heading, its table
PARTS = [
    ("one", "**One thread, one device, 4 KiB random reads, latency histogram on.** Peer and bare ring were measured elsewhere, on another machine.", goals),
    ("many", "**The source's working set, one thread.** The ratio is of the same round.", many),
    ("tricks-1", "**Tricks taken away, one device at depth 128.**", tricks),
    ("tricks-21", "**The same with 21 devices at depth 128** (2,688 in flight).", tricks),
    ("tricks-20", "**Cache tricks, 20 devices at depth 32, 512 B.**", tricks),
    ("copy", "**Copying a command into the ring, by depth.**", copies),
    ("model", "**A doorbell that costs something: a model.** No PCIe device took part: the rates must not be held beside the source's, which rose from "
     "2.89 M to 10.39 M when its submission doorbell was written once a poll; only the two ways of each row pair compare.", model),
]


def text(result):
    def groups_of(key):
        return [g for g in result["groups"] if g["key"].rsplit("-", 1)[0] == key or g["key"] == key]
    machine = result["machine"]
    yield (f"{machine['cpu']}, {machine['cpus']} CPUs, kernel {machine['kernel']}; {result['rounds']} rounds of {result['seconds']:g} s{' (--quick)' * result['quick']}; "
           f"{result['programs']['fathom']}; "
           f"huge pages: {result['huge_pages'] or 'unknown'}; load {machine['load_before']:.1f} before, {result['load_after']:.1f} after; "
           f"{result['summary']['met']} met, {result['summary']['missed']} missed, {result['summary']['undecided']} undecided.")
    yield ""
    for key, heading, form in PARTS:
        found = groups_of(key)
        if found:
            yield from (heading, "", *form(found))


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    with open(sys.argv[1]) as f:
        written = "\n".join(text(json.load(f))).rstrip() + "\n"
    if len(sys.argv) == 2:
        print(written, end="")
        return
    with open(sys.argv[2]) as f:
        document = f.read()
    begin, end = map(re.escape, MARKS)
    document, places = re.subn(f"({begin}).*?({end})", lambda m: m[1] + written + m[2], document, flags=re.S)
    if places != 1:
        sys.exit(f"{sys.argv[2]}: the marks {MARKS[0].strip()} and {MARKS[1].strip()} are not there once")
    with open(sys.argv[2], "w") as f:
        f.write(document)


main()
