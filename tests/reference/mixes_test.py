# label: test
# timeout: 400
"""Shares that a job asks for, in the system calls it makes: reads among writes, block sizes of bssplit and bsrange, within 4 sigma."""
import collections
import math

import compare
import trace

SIZE = "4m"
# name, job, what is counted of each I/O, expected shares
JOBS = [
    ("rwmixread=70 random", "rw=randrw\nrwmixread=70\nbs=4k", lambda a: a.op, {"read": 0.7, "write": 0.3}),
    ("rwmixwrite=10 sequential", "rw=rw\nrwmixwrite=10\nbs=4k", lambda a: a.op, {"read": 0.9, "write": 0.1}),
    ("bssplit", "rw=randread\nnorandommap\nbssplit=4k/60:16k/30:64k/10", lambda a: a.length, {4096: 0.6, 16384: 0.3, 65536: 0.1}),
    ("bssplit, rest shared", "rw=randread\nnorandommap\nbssplit=4k/50:8k/:16k/", lambda a: a.length, {4096: 0.5, 8192: 0.25, 16384: 0.25}),
    ("bsrange", "rw=randread\nnorandommap\nbsrange=1k-8k", lambda a: a.length, {k * 1024: 1 / 8 for k in range(1, 9)}),
    ("bssplit of writes only", "rw=randrw\nnorandommap\nbssplit=4k,8k/50:16k/50", lambda a: (a.op, a.length),
     {("read", 4096): 0.5, ("write", 8192): 0.25, ("write", 16384): 0.25}),
]


def main():
    compare.need("strace")
    checks = compare.Checks()
    for name, text, key, shares in JOBS:
        with compare.workspace() as cwd:
            compare.fill(cwd, {"f": SIZE})
            job = compare.write_job(cwd, f"[j]\nfilename=f\nsize={SIZE}\nioengine=psync\nnumber_ios=4000\nio_size=1g\n{text}\n")
            outcome, accesses, _ = trace.strace([compare.fio_link(), job], cwd)
        checks.check(f"{name}: runs", outcome.rc == 0 and len(accesses) >= 500, f"{len(accesses)} I/Os, {outcome.stderr}")
        found = collections.Counter(map(key, accesses))
        checks.check(f"{name}: nothing else", set(found) <= set(shares), found)
        n = len(accesses)
        for value, share in shares.items():
            limit = 4 * math.sqrt(n * share * (1 - share))
            checks.check(f"{name}: {value} within 4 sigma", abs(found[value] - n * share) <= limit,
                         f"{found[value]} of {n}, expected {n * share:.0f} +- {limit:.0f}")
    checks.done()


main()
