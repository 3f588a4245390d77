"""Of a job at depth 1 on a quiet machine every I/O has its events, whatever the CPU did when it completed; and where programs are not permitted, the
run says that it reads samples instead."""
# label: slow
# timeout: 240
# alone: every I/O must be seen whatever its CPU does, on a quiet machine
import os
import shutil
import stat
import sys
import tempfile

import split

failures = []


def check(condition, what):
    print(("ok   " if condition else "FAIL ") + what)
    if not condition:
        failures.append(what)


def looked_at(path, rate):
    result = split.run([f"--filename={path}", "--size=64m", f"--rate_iops={rate}", "--runtime=1.5", "--time_based"])
    return result["fathom"], split.classes(result)["read"]


def whole(path):
    """Slow enough for the CPU to fall idle between two I/Os."""
    found, c = looked_at(path, 2000)
    share = c["matched"] / c["ios"]
    by = found["breakdown"]["events_by"]
    check(share >= 0.99, f"{c['matched']} of {c['ios']} I/Os have all their events, by {by}")
    check(not any(f["id"].startswith("breakdown.") for f in found["findings"]), "nothing to find about it")


def without_programs(path):
    """The same program, with the right to perf events and without the right to programs."""
    if shutil.which("setpriv") is None:
        return print("skipped: setpriv is not installed")
    with tempfile.NamedTemporaryFile("w", delete=False) as script:
        script.write(f'#!/bin/sh\nexec setpriv --bounding-set=-sys_admin,-bpf {split.FATHOM} "$@"\n')
    os.chmod(script.name, stat.S_IRWXU)
    kept, split.FATHOM = split.FATHOM, script.name
    try:
        found, c = looked_at(path, 2000)
    finally:
        split.FATHOM = kept
        os.unlink(script.name)
    b = found["breakdown"]
    if not b["classes"]:
        return print(f"skipped: {b['cause']}")
    check(b["events_by"] == "perf samples" and "BPF" in b["not_programs"], f"without the right to programs: {b['events_by']} ({b['not_programs']})")
    ids = {f["id"] for f in found["findings"]}
    check(("breakdown.perf_samples" in ids) == (c["lost"] > 0), f"{c['lost']} of {c['ios']} with events missing: {sorted(ids)}")
    check(("breakdown.biased" in ids) == (c["lost"] > 0.05 * c["ios"]), "a biased choice is said, where it is one")


def main():
    split.need_tracepoints()
    with split.scratch_file() as path:
        split.until_clean(failures, whole, path, most=8)  # somebody else's reads of the same disk are no part of it
        without_programs(path)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
