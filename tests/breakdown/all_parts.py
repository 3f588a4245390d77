"""What the tests of --breakdown=all share: a run of it, and what must hold of every class whatever the job was."""
import contextlib
import os
import tempfile

import split

PARTS = ("program", "submit", "handed", "held", "tags", "queue", "device", "dirty", "data", "others_commit", "commit", "file_system", "flush", "ahead", "completion", "cpu")
UNDIVIDED = ("no_request", "contested", "unplaced", "cut", "lost", "unknown", "no_room")
# What a machine may lack. Any other cause is a failure, not a reason to skip.
LACKS = ("built without", "install libbpf1", "has no BTF", "CAP_BPF")
failures = []


def check(condition, what):
    print(("ok   " if condition else "FAIL ") + what, flush=True)
    if not condition:
        failures.append(what)


def tried(part, *arguments):
    """Whoever else uses the machine takes some milliseconds, or some events: a quiet attempt is asked for."""
    split.until_clean(failures, part, *arguments, most=8)


def run(options, before=(), meanwhile=contextlib.nullcontext):
    return split.run([*options, "--breakdown=all"], before, meanwhile)


def only(result, direction="read"):
    """The class of that direction of a run with one reported job."""
    return split.classes(result)[direction]


def need_programs():
    if os.environ.get("FATHOM_SANITIZE"):
        split.skip("times under a sanitizer are not fathom's")
    if os.geteuid() != 0:
        split.skip("programs in the kernel need root here")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        path = os.path.join(directory, "f")
        with open(path, "wb") as f:
            f.write(bytes(1 << 20))
        cause = run([f"--filename={path}", "--size=1m", "--number_ios=4"])["fathom"]["breakdown"]["cause"]
    if any(lack in cause for lack in LACKS):
        split.skip(cause)


def sum_ns(c, part):
    return c[part]["sum_ns"] if c.get(part) else 0


def max_ns(c, part):
    return c[part]["max_ns"] if c.get(part) else 0


def share(c, part):
    return sum_ns(c, part) / c["whole"]["sum_ns"]


def mean_of(c, part):
    """Over all matched I/Os, also those without the part."""
    return sum_ns(c, part) / c["matched"]


def tail_is(title, c, *parts, first="p99-99.9"):
    """Of each band from that one on that any I/O is in, nearly all of the time is these parts'."""
    names = [band["name"] for band in c["bands"]]
    tail = [band for band in c["bands"][names.index(first):] if band["told"]]
    shares = [sum(band["share"][part] for part in parts) for band in tail]
    check(tail and min(shares) > 0.9, f"{title}: {' and '.join(parts)} are {', '.join(f'{100 * share:.1f} %' for share in shares)} of the tail's time")


def text_of(c):
    undivided = ", ".join(f"{c[why]} {why}" for why in UNDIVIDED if c[why])
    parts = ", ".join(f"{part} {mean_of(c, part) / 1000:.1f}" for part in PARTS if c.get(part)) if c["matched"] else ""
    return f"{c['matched']} of {c['ios']} {c['direction']}s joined{' (' + undivided + ')' if undivided else ''}{'; mean us: ' + parts if parts else ''}"


def joined(title, result, direction="read", least=0.999):
    """Every I/O of the job is looked at, and nearly each is found again; what is not is not called lost or unknown but for one in a thousand."""
    c = only(result, direction)
    b, job = result["fathom"]["breakdown"], result["jobs"][0][direction]
    check(b["mode"] == "all" and c["ios"] == job["total_ios"] > 0, f"{title}: {c['ios']} of {job['total_ios']} looked at, mode {b['mode']}")
    check(c["matched"] >= least * c["ios"] and c["unknown"] + c["lost"] <= 0.001 * c["ios"], f"{title}: {text_of(c)}")
    adds_up(title, c)
    if c["matched"] == c["ios"]:
        same_latency(title, c, job["lat_ns"])
    return c


def adds_up(title, c):
    """The parts of all I/Os add up to their wholes, to the nanosecond, but for what lay outside."""
    more = sum(sum_ns(c, part) for part in PARTS) - c["whole"]["sum_ns"]
    check(0 <= more <= c["outside_ns"], f"{title}: the parts are {more} ns more than the whole, {c['outside_ns']} ns lay outside")
    check(c["outside"] <= 0.001 * c["matched"] and c["outside_max_ns"] <= 1000, f"{title}: {c['outside']} I/Os have moments outside, by {c['outside_max_ns']} ns at most")
    check(c["whole"]["n"] == c["matched"], f"{title}: the whole is of {c['whole']['n']}")
    before = sum(c[part]["n"] for part in ("submit", "handed", "held") if c.get(part))
    faults = split.band_faults(c)
    check(not faults, f"{title}: the bands add up{': ' if faults else ''}{'; '.join(faults)}")
    check(before == c["matched"] == c["device"]["n"] == c["completion"]["n"], f"{title}: each has one part before the block layer, a device and a completion")


def same_latency(title, c, lat):
    """The mean and the longest of the job's own latency."""
    whole = c["whole"]
    check(abs(whole["mean_ns"] - lat["mean"]) <= 0.01 * lat["mean"], f"{title}: lat {lat['mean'] / 1000:.2f} us, whole {whole['mean_ns'] / 1000:.2f} us")
    apart = abs(whole["max_ns"] - lat["max"])
    check(apart <= max(1000, 0.01 * lat["max"]), f"{title}: the longest, {lat['max'] / 1000:.1f} us, is {apart} ns apart")
