# label: slow
# timeout: 180
"""What starting costs: an empty job, and 1,000 null jobs that start, run one second and report.

The targets are 50 ms, and 3 s and 500 MiB; scripts/bench start records how they are met. A time is no test where other work may hold the
cores, so the test's limit for the thousand jobs is twice the target: it catches a lost order of magnitude. Best of several.
"""
import compare
import startup

EMPTY_MS, MANY_S, MANY_MIB = 50, 6.0, 500
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
