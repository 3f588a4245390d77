"""--breakdown=all tells a busy CPU from a slow disk: a job that shares its CPU with somebody who never sleeps waits for that CPU when its data is back, and
that is the part `cpu`. Without him there is next to none of it."""
# label: kernel
# timeout: 200
# alone: another who wants the CPU is what it plants
# cost: 6
import os
import shutil
import sys

import split
from all_parts import PARTS, check, failures, mean_of, need_programs, only, run, text_of, tried
from planters import neighbour

ENGINES = (["--ioengine=psync"], ["--ioengine=io_uring", "--iodepth=8"])
LEAST_ADDED = 0.5  # of the latency without him: else nothing was planted


def one(path, engine, cpu, *before):
    before = [*before, "taskset", "--cpu-list", str(cpu)]
    c = only(run([f"--filename={path}", "--size=64m", "--runtime=1", "--time_based", *engine], before))
    check(c["matched"] >= 0.99 * c["ios"], f"{engine[0]}: {text_of(c)}")
    return c


def shared(path, engine, cpu):
    """Beside him as a batch job (sched(7)), which takes no CPU away from who has it, and waits for his slice to end."""
    alone = one(path, engine, cpu)
    with neighbour(cpu):
        beside = one(path, engine, cpu, "chrt", "--batch", "0")
    title = ", ".join(o.removeprefix("--") for o in engine)
    added = {part: mean_of(beside, part) - mean_of(alone, part) for part in PARTS}
    whole = beside["whole"]["mean_ns"] - alone["whole"]["mean_ns"]
    check(whole >= LEAST_ADDED * alone["whole"]["mean_ns"], f"{title}: {alone['whole']['mean_ns'] / 1000:.0f} us alone, {whole / 1000:.0f} us more beside him")
    check(added["cpu"] >= 0.9 * whole, f"{title}: {100 * added['cpu'] / whole:.1f} % of it is waiting for a CPU")
    check(abs(added["device"]) <= 0.05 * whole, f"{title}: {100 * added['device'] / whole:.1f} % of it is the device")
    check(mean_of(alone, "cpu") <= 0.1 * alone["whole"]["mean_ns"], f"{title}: alone {mean_of(alone, 'cpu') / 1000:.2f} us an I/O are")


def main():
    need_programs()
    if shutil.which("chrt") is None or shutil.which("taskset") is None:
        split.skip("chrt and taskset (util-linux) are not installed")
    with split.scratch_file() as path:
        for engine in ENGINES:
            tried(shared, path, engine, max(os.sched_getaffinity(0)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
