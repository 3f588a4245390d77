"""scripts/bench clock: the cross-core clock test with every barrier, and fio's, in turns: how often each passes on this machine, how far time
ran backwards, and the smallest gaps (so the smallest offset that could have shown)."""
import json
import os
import subprocess

import compare


def fio_verdict():
    lines = subprocess.run([compare.FIO, "--cpuclock-test"], capture_output=True, text=True, timeout=120).stdout.rstrip().split("\n")
    return lines[-1].removeprefix("cs: ")


def one_table(fathom, entries):
    command = [fathom, "clock", "test", "--barrier=all", "--json", f"--entries={entries}"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, timeout=300).stdout)["results"]


def gaps(result):
    return [p[d]["smallest_gap_ns"] for p in result["pairs"] for d in ("a_to_b", "b_to_a") if p[d]["hand_overs"]]


def run(given):
    entries = 1000 if given.quick else 100000
    tables, fio = [], []
    for _ in range(given.rounds):
        tables.append(one_table(os.path.abspath(given.fathom), entries))
        fio.append(fio_verdict())
    barriers = []
    for results in zip(*tables):
        verdicts = [r["verdict"] for r in results]
        row = {"barrier": results[0]["barrier"], "instruction": results[0]["instruction"],
               **{v: verdicts.count(v) for v in ("passed", "failed", "not tested")},
               "mismatches": [r["mismatches"] for r in results], "largest_backward_ns": max(r["largest_backward_ns"] for r in results),
               "smallest_gap_ns": [min(gaps(r), default=None) for r in results], "detectable_ns": [r["detectable_ns"] for r in results]}
        barriers.append(row)
        print(f"{row['barrier']:8} {row['instruction']:20} passed {row['passed']:3}, failed {row['failed']:3}, not tested {row['not tested']:3}; "
              f"back {row['largest_backward_ns']:7.0f} ns at most; detectable {min(row['detectable_ns']):.0f} to {max(row['detectable_ns']):.0f} ns", flush=True)
    print(f"fio's own: {sum(v == 'Pass!' for v in fio)} of {len(fio)} passed")
    return {"entries_per_cpu": entries, "barriers": barriers, "fio": fio}
