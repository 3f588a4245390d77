"""scripts/check foreign: every situation of foreign.py twenty times, weak and strong neighbours in turns, and sixty ordinary runs
(clean_runs_test.py) while others read, write and sync on the same disk. Each situation's neighbour must be found and named in nineteen, and no
run may disagree. Writes bench/results/foreign.json.  foreign_repeat.py [TIMES [ORDINARY]]"""
import collections
import contextlib
import json
import os
import platform
import subprocess
import sys
import time

import clean_runs_test
import foreign
from audited import folder, has_disk, loop_disk, make_file, run, zram_disk

MISSES = 1 / 20
NOISE = ["while :; do dd if=$F of=$F.copy bs=64k 2>/dev/null; sync $F.copy; done",
         "while :; do dd if=$F of=/dev/null bs=4k iflag=direct 2>/dev/null; done",
         "while :; do dd if=/dev/zero of=$F.more bs=4k count=64 conv=fsync 2>/dev/null; rm $F.more; sleep 0.05; done"]


def matrix(found, times):
    rows = {}
    for turn in range(times):
        for number, situation in enumerate(foreign.situations(found)):
            strength = list(foreign.STRENGTHS)[(turn + number) % 2]
            wrong, fathom = foreign.once(found, *situation, strength)
            disk, kind, job = situation
            row = rows.setdefault(f"{disk}: {job} beside {kind}", {"runs": 0, "named": 0, "disagreed": 0, "missed": []})
            row["runs"] += 1
            row["named"] += not wrong
            row["disagreed"] += fathom["audit"]["verdict"] == "disagrees"
            if wrong:
                row["missed"].append(f"{strength}: {wrong[:300]}")
        print(f"turn {turn + 1} of {times}: {sum(r['named'] for r in rows.values())} of {sum(r['runs'] for r in rows.values())}", flush=True)
    return rows


@contextlib.contextmanager
def noise(where):
    path = os.path.join(where, "noise")
    make_file(path)
    others = [subprocess.Popen(["sh", "-c", text], env={**os.environ, "F": path}, start_new_session=True) for text in NOISE]
    try:
        yield
    finally:
        for other in others:
            os.killpg(other.pid, 9)
            other.wait()


def ordinary(where, runs):
    """Verdicts of runs under noise, and the lines of those that disagreed, or that say that somebody else worked on a disk of their own."""
    verdicts, lines = collections.Counter(), []
    with loop_disk(where) as loop, zram_disk() as zram, noise(where):
        own = {os.path.basename(disk) for disk in (loop, zram) if disk}
        kinds = [*clean_runs_test.KINDS, *clean_runs_test.on(loop), *clean_runs_test.on(zram)]
        for i in range(runs):
            kind = kinds[i % len(kinds)]
            audit = run(where, *kind)["audit"]
            lines += [f"{' '.join(kind)}: {io['cause']}" for io in audit.get("foreign", []) if io["disk"] in own]
            verdicts[audit["verdict"]] += 1
            if audit["verdict"] not in ("agrees", "explained"):
                lines.append(f"{' '.join(kind)}: {audit['line']}")
    return {"runs": runs, "verdicts": dict(verdicts), "disagreed": lines}


def main():
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    if os.geteuid() != 0:
        sys.exit("only root may see what others' processes did")
    begun = time.monotonic()
    with folder() as where:
        make_file(os.path.join(where, "f"))
        if not has_disk(where):
            sys.exit("/var/tmp lies on no disk that the block layer counts")
        plain = ordinary(where, runs)
        with foreign.disks(where) as found:
            rows = matrix(found, times)
    result = {"times": times, "kernel": platform.release(), "cpus": os.cpu_count(), "load": round(os.getloadavg()[1], 1),
              "took_s": round(time.monotonic() - begun), "matrix": rows, "ordinary": plain}
    if times >= 20:
        path = os.path.join(os.environ["FATHOM_SOURCE"], "bench", "results", "foreign.json")
        with open(path, "w") as file:
            json.dump(result, file, indent=1)
            file.write("\n")
    for name, row in rows.items():
        print(f"{name:32} {row['named']} of {row['runs']}" + "".join("\n     " + missed for missed in row["missed"]))
    print(f"ordinary runs under noise: {plain['verdicts']}", *plain["disagreed"], sep="\n")
    bad = [name for name, row in rows.items() if row["named"] < row["runs"] - max(1, MISSES * row["runs"]) or row["disagreed"]]
    return 1 if bad or plain["disagreed"] else 0


if __name__ == "__main__":
    sys.exit(main())
