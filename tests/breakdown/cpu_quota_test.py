"""A container's limit of CPU time: its tasks are stopped for most of each tenth of a second, in the middle of I/Os too. The report says so whoever asks
for a split or not, with how often and how long; and in the split those waits are `cpu`, not the device."""
# label: kernel
# timeout: 120
# cost: 4
import contextlib
import os
import sys

import split
from all_parts import check, failures, max_ns, need_programs, only, run, share, text_of, tried

CPU = "/sys/fs/cgroup/cpu"
PERIOD_US, QUOTA_US = 100_000, 20_000
SECONDS = 2


@contextlib.contextmanager
def cpu_group():
    """A command that moves into a group of a fifth of a CPU, and becomes what follows; None without cgroup v1's controller."""
    if not os.path.exists(f"{CPU}/cgroup.procs"):
        yield None
        return
    with split.group_of(CPU) as group:
        for name, value in (("cfs_period_us", PERIOD_US), ("cfs_quota_us", QUOTA_US)):
            with open(f"{group}/cpu.{name}", "w", encoding="ascii") as f:
                f.write(str(value))
        yield split.inside(group)


def found(result):
    return [f for f in result["fathom"]["findings"] if f["id"] == "cpu.max"]


def stopped(path, before):
    options = [f"--filename={path}", "--size=64m", f"--runtime={SECONDS}", "--time_based"]
    check(not found(run(options)), "without a limit nobody was stopped")
    result = run(options, before)
    c = only(result)
    findings = found(result)
    check(len(findings) == 1 and findings[0]["severity"] == "warning" and "(0.2 CPUs)" in findings[0]["evidence"], f"the limit is named: {findings}")
    check(c["matched"] >= 0.99 * c["ios"], text_of(c))
    check(c["whole"]["max_ns"] >= 40e6, f"the longest I/O took {c['whole']['max_ns'] / 1e6:.1f} ms: it was stopped in the middle")
    check(max_ns(c, "cpu") >= 0.9 * c["whole"]["max_ns"], f"{max_ns(c, 'cpu') / 1e6:.1f} ms of it is waiting for a CPU")
    check(share(c, "cpu") >= 0.3, f"{100 * share(c, 'cpu'):.1f} % of the time is waiting for a CPU")


def stopped_memory(before):
    """Accesses to memory are stopped as well."""
    result = split.json_of([*before, split.FATHOM, "paging", "--map=8M", "--set=8M", f"--duration={SECONDS}", "--audit=off", "--output-format=json"])
    check(len(found(result)) == 1, f"fathom paging names it: {found(result)}")


def main():
    need_programs()
    with cpu_group() as before, split.scratch_file() as path:
        if before is None:
            split.skip("no controller of CPU time of cgroup v1")
        tried(stopped, path, before)
        tried(stopped_memory, before)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
