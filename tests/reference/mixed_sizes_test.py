# label: test
# timeout: 400
# cost: 5
"""Several block sizes over a random map, a whole pass: the sizes that were delivered, beside fio's, and every block once.

Ours are the system calls that strace saw, fio's its own log of each I/O. How far a delivered mix is from the declared one is the total
variation distance of the two, by count of I/Os: half the sum of the differences of shares. fio's distance is recorded. With recorded answers every
other option runs with one seed; with FATHOM_FIO=live all run with all seeds.
"""
import collections
import os

import compare
import recorded
import trace

SIZE = 16 << 20
KIB = 1024
SEEDS = (1, 2, 3, 4, 5)


def split(text):
    return f"bssplit={text}", {int(e.split("k/")[0]) * KIB: int(e.split("/")[1]) / 100 for e in text.split(":")}


def uniform(low, high):
    """fio's draw: any multiple of the smallest, all alike, where the largest is one."""
    sizes = range(low * KIB, high * KIB + 1, low * KIB)
    return f"bsrange={low}k-{high}k", {size: 1 / len(sizes) for size in sizes}


JOBS = [
    split("4k/60:16k/25:64k/15"), split("4k/10:64k/90"), split("4k/50:8k/50"), split("4k/60:8k/20:64k/20"), split("4k/90:128k/10"),
    split("8k/33:16k/33:32k/34"), split("16k/70:64k/30"), split("4k/25:8k/25:12k/25:16k/25"), split("512k/50:4k/50"),
    uniform(4, 64), uniform(4, 16), uniform(8, 32), uniform(4, 8), uniform(16, 128),
]


def far(found, shares):
    n = sum(found.values())
    return sum(abs(found.get(size, 0) / n - shares.get(size, 0)) for size in {*found, *shares}) / 2


def text_of(option, seed, engine):
    return f"[j]\nfilename=f\nsize={SIZE}\nioengine={engine}\nrw=randread\nrandrepeat=0\nrandseed={seed}\n{option}\n"


def of_fio(option, shares, seed):
    """How far fio is from the declared mix."""
    with compare.workspace() as cwd:
        outcome = compare.execute([compare.FIO, compare.write_job(cwd, text_of(option, seed, "null") + "write_bw_log=l\n")], cwd)
        assert outcome.rc == 0, outcome
        with open(os.path.join(cwd, "l_bw.1.log")) as log:
            return round(far(collections.Counter(int(line.split(",")[3]) for line in log), shares), 4)


def of_ours(option, seed):
    with compare.workspace() as cwd:
        compare.fill(cwd, {"f": SIZE})
        outcome, accesses, _ = trace.strace([compare.fio_link(), compare.write_job(cwd, text_of(option, seed, "psync"))], cwd)
        return outcome, accesses


def once(accesses):
    at = 0
    for access in sorted(accesses, key=lambda a: a.offset):
        if access.offset != at:
            return False
        at += access.length
    return at == SIZE


def main():
    compare.need_fio("strace")
    compare.need_fathom()
    checks = compare.Checks()
    worst = 0
    for number, (option, shares) in enumerate(JOBS):
        if not checks.wanted(option) or not (recorded.LIVE or checks.only or number % 2 == 0):
            continue
        for seed in SEEDS if recorded.LIVE else [SEEDS[number % len(SEEDS)]]:
            name = f"{option}, seed {seed}"
            outcome, accesses = of_ours(option, seed)
            checks.equal(f"{name}: exit status", (outcome.rc, outcome.stderr), (0, ""))
            checks.check(f"{name}: every block once", once(accesses), len(accesses))
            ours, fios = far(collections.Counter(a.length for a in accesses), shares), checks.of_fio(name, lambda: of_fio(option, shares, seed))
            worst = max(worst, ours)
            checks.check(f"{name}: at least as near to the declared mix as fio", ours <= fios, f"ours {ours:.3f}, fio {fios:.3f}")
    checks.note(f"farthest from its declared mix: {worst:.3f}")
    checks.done()


main()
