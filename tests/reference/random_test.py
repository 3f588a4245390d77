# label: test
# timeout: 600
# cost: 5
"""Random order: the same from the same seed, in range, aligned, and as its named distribution says (chi-square).

The order itself need not be fio's. fio's zipf is Gray's quick approximation (rank 3 comes 20 % too often) and its normal is no normal, so
when the suite holds fio against itself those two are left out.
"""
import collections

import compare
import laws
import recorded
import trace

# A law that is broken shows in few samples, one that is bent in many: those are for scripts/check.
BLOCKS, SAMPLES, BS = 1024, 20000 if recorded.LIVE else 3000, 4096
ZONES = ((60, 10), (30, 20), (8, 30), (2, 40))


def sample(distribution, ios=SAMPLES, extra="norandommap\n"):
    """The block numbers of one traced random-read job, in order."""
    text = (f"[j]\nfilename=f\nrw=randread\nbs={BS}\nsize={BLOCKS * BS}\nioengine=psync\nnumber_ios={ios}\nio_size=1t\n"
            f"random_distribution={distribution}\n{extra}")
    with compare.workspace() as cwd:
        compare.fill(cwd, {"f": BLOCKS * BS})
        outcome, accesses, _ = trace.strace([compare.fio_link(), compare.write_job(cwd, text)], cwd)
    return outcome, [a.offset for a in accesses]


def blocks_of(checks, name, distribution, ios=SAMPLES, extra="norandommap\n"):
    outcome, offsets = sample(distribution, ios, extra)
    checks.check(f"{name}: runs", outcome.rc == 0, outcome.stderr)
    checks.equal(f"{name}: number of I/Os", len(offsets), ios)
    checks.check(f"{name}: aligned", all(o % BS == 0 for o in offsets))
    checks.check(f"{name}: in range", all(0 <= o < BLOCKS * BS for o in offsets), max(offsets, default=0))
    return [o // BS for o in offsets if 0 <= o < BLOCKS * BS]


def check_position(checks, name, distribution, edges, shares):
    blocks = blocks_of(checks, name, distribution)
    observed = laws.cells(blocks, edges)
    expected = [s * len(blocks) for s in shares]
    statistic, limit = laws.chi_square(observed, expected)
    checks.check(f"{name}: chi-square {statistic:.1f} <= {limit:.1f}", statistic <= limit, f"{observed} expected {expected}")


def check_rank(checks, name, distribution, law):
    blocks = blocks_of(checks, name, distribution)
    statistic, limit, observed, expected = laws.by_rank(blocks, law)
    checks.check(f"{name}: chi-square {statistic:.1f} <= {limit:.1f}", statistic <= limit, f"{observed} expected {expected}")


def check_named(checks):
    every = BLOCKS // 64
    check_position(checks, "uniform", "random", [*range(0, BLOCKS + 1, every)], [1 / 64] * 64)
    edges, at = [0], 0
    for _, size in ZONES:
        at += size
        edges.append(BLOCKS * at // 100)
    text = ":".join(f"{a}/{s}" for a, s in ZONES)
    check_position(checks, "zoned", f"zoned:{text}", edges, [a / 100 for a, _ in ZONES])
    check_position(checks, "zoned_abs", "zoned_abs:75/1m:25/3m", [0, 256, 1024], [0.75, 0.25])
    check_rank(checks, "pareto:0.2", "pareto:0.2", laws.pareto(0.2, BLOCKS))
    check_rank(checks, "pareto:0.4", "pareto:0.4", laws.pareto(0.4, BLOCKS))
    if compare.is_fathom():
        check_rank(checks, "zipf:1.2", "zipf:1.2", laws.zipf(1.2, BLOCKS))
        check_rank(checks, "zipf:0.8", "zipf:0.8", laws.zipf(0.8, BLOCKS))
        check_rank(checks, "normal:10", "normal:10", laws.normal(10, BLOCKS))
    blocks = blocks_of(checks, "zipf with a center", "zipf:1.2:0.25", 3000)
    checks.equal("zipf:1.2:0.25: hottest block", collections.Counter(blocks).most_common(1)[0][0], BLOCKS // 4)


def check_seed(checks):
    def order(extra):
        return blocks_of(checks, f"seed ({extra.strip()})", "random", 500, extra)
    seed = "randrepeat=0\nrandseed="  # fio heeds randseed only with randrepeat=0
    first = order(seed + "7\n")
    checks.check("same seed, same order", order(seed + "7\n") == first)
    checks.check("another seed, another order", order(seed + "8\n") != first)
    if compare.is_fathom():
        checks.check("randseed alone is heeded", order("randseed=7\n") != order("randseed=8\n"))
    checks.check("default is repeatable", order("norandommap\n") == order("norandommap\n"))
    checks.check("randrepeat=0 is not", order("randrepeat=0\nnorandommap\n") != order("randrepeat=0\nnorandommap\n"))
    checks.check("a map visits no block twice", len(set(first)) == len(first))
    runs = sum(b == a + 1 for a, b in zip(first, first[1:]))
    checks.check("a random order is not sequential", runs < 10, runs)


def main():
    compare.need("strace")
    checks = compare.Checks()
    check_seed(checks)
    check_named(checks)
    checks.done()


main()
