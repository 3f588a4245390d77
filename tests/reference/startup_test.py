# label: timing
# timeout: 600
# alone: milliseconds of a start
"""What starting costs: an empty job, and 1,000 null jobs that start, run one second and report, beside Debian's fio on the same machine.

The targets are 50 ms, and 3 s and 500 MiB; scripts/bench start records how they are met. A time is no test on another machine: where a page fault takes
fifteen microseconds and a fork takes milliseconds, the thousand jobs take 8 s, and fio's 12 s. So the limits are shares of fio's time. Best of several.
"""
import compare
import startup

EMPTY_OF_FIO, MANY_OF_FIO, MANY_MIB = 0.5, 0.8, 500
JOBS = 1000
ATTEMPTS = 4


def measured(measure):
    """A thousand processes share the CPUs: where somebody else has them for most of the second, many jobs get no turn in it."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return measure()
        except AssertionError as error:
            print(f"attempt {attempt} of {ATTEMPTS}: {str(error)[-1500:]}", flush=True)
            if attempt == ATTEMPTS:
                raise


def best_within(limit, most, measure):
    """The least of several; of more than five only while it is over the limit, for as long as somebody else may have the CPUs."""
    found = []
    while len(found) < min(most, 5) or (len(found) < most and min(found) > limit):
        found.append(measured(measure))
        if min(found) <= limit / 2:
            break
    return min(found)


def main():
    compare.need_fathom()
    compare.need(compare.FIO)
    checks = compare.Checks()
    fio_ms, fio_s = (startup.empty_job_s(compare.FIO) * 1000, startup.many_jobs_s(compare.FIO, JOBS))
    empty = best_within(EMPTY_OF_FIO * fio_ms, 40, lambda: startup.empty_job_s(compare.fio_link()) * 1000)
    checks.check(f"an empty job: {empty:.1f} ms", empty <= EMPTY_OF_FIO * fio_ms, f"fio: {fio_ms:.1f} ms")
    seconds = best_within(MANY_OF_FIO * fio_s, 6, lambda: startup.many_jobs_s(compare.fio_link(), JOBS))
    checks.check(f"{JOBS} null jobs: {seconds:.2f} s", seconds <= MANY_OF_FIO * fio_s, f"fio: {fio_s:.2f} s")
    mib = min(measured(lambda: startup.many_jobs_mib(compare.fio_link(), JOBS)) for _ in range(2))
    checks.check(f"{JOBS} null jobs: {mib:.0f} MiB", mib <= MANY_MIB, f"over {MANY_MIB} MiB")
    checks.note(f"empty job {empty:.1f} ms; {JOBS} null jobs {seconds:.2f} s, {mib:.0f} MiB; fio {fio_ms:.1f} ms, {fio_s:.2f} s")
    checks.done()


main()
