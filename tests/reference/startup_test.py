# label: slow
# timeout: 180
"""What starting costs: an empty job in 50 ms, and 1,000 null jobs that start, run one second and report in 3 s and 500 MiB.

Best of several, because the machine may be doing something else. The limits are the product's; scripts/bench start records the numbers.
"""
import compare
import startup

EMPTY_MS, MANY_S, MANY_MIB = 50, 3.0, 500
JOBS = 1000


def main():
    compare.need_fathom()
    checks = compare.Checks()
    empty = startup.best(startup.empty_job_s, 5, compare.fio_link()) * 1000
    checks.check(f"an empty job: {empty:.1f} ms", empty <= EMPTY_MS, f"over {EMPTY_MS} ms")
    seconds = startup.best(startup.many_jobs_s, 3, compare.fio_link(), JOBS)
    checks.check(f"{JOBS} null jobs: {seconds:.2f} s", seconds <= MANY_S, f"over {MANY_S} s")
    mib = startup.best(startup.many_jobs_mib, 2, compare.fio_link(), JOBS)
    checks.check(f"{JOBS} null jobs: {mib:.0f} MiB", mib <= MANY_MIB, f"over {MANY_MIB} MiB")
    checks.note(f"empty job {empty:.1f} ms; {JOBS} null jobs {seconds:.2f} s, {mib:.0f} MiB")
    checks.done()


main()
