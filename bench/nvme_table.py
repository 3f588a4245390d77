"""The tables of scripts/bench nvme, for bench/summary.py."""
from nvme_cases import ELSEWHERE


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
    words = {"met": "reached", "missed": "**MISSED**"}
    return f"≥ {goal}: {words.get(one['verdict'], one['verdict'])}"


def distances(one):
    return "; ".join(f"{c['iops'] / 1e6:.2f} M at {c['hand_over_ns']:.0f} ns ({c['rounds']})" for c in one["by_distance"]) or "–"


def costs(one):
    return [middle(one, "idle_percent"), middle(one, "busy_ns_per_io"), middle(one, "busy_ticks_per_io", "{:.0f}"), middle(one, "ios_per_sq_doorbell")]


COST_HEADS = ["idle %", "busy ns", "ticks", "I/Os per doorbell"]


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
    ("many", "**Many devices, one thread.** The ratio is of the same round.", many),
    ("tricks-1", "**One optimization disabled, one device at depth 128.**", tricks),
    ("tricks-21", "**The same with 21 devices at depth 128** (2,688 in flight).", tricks),
    ("tricks-20", "**Cache optimizations, 20 devices at depth 32, 512 B.**", tricks),
    ("copy", "**Copying a command into the ring, by depth.**", copies),
    ("model", "**A model of doorbell cost.** No PCIe device took part. Compare only the two rows of each pair. The rates of the source are not comparable: "
     "they rose from 2.89 M to 10.39 M when its driver wrote the submission doorbell once per poll.", model),
]


def text(groups):
    """The tables of a result's groups, each under its heading."""
    for key, heading, form in PARTS:
        found = [g for g in groups if key in (g["key"], g["key"].rsplit("-", 1)[0])]
        if found:
            yield from (heading, "", *form(found))
