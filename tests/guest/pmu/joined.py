"""Every I/O divided by its own loop (--breakdown=all) on Debian's kernel, QEMU's NVMe disk: a disk throttled by QEMU shows in the device, a limit of
version 2 of cgroups shows as held, and the slowest I/O is there."""
from pieces import pieces
from pmu.report import Run

JOB = "--breakdown=all --direct=1 --rw=randread --bs=4k --size=64m --time_based --filename=$NVME --ioengine=psync --iodepth=1"
TEXT = f"""job joined_base {JOB} --runtime=1.5
echo "@@host throttle disk 40"
job joined_throttled {JOB} --runtime=3
echo "@@host throttle disk 0"
job joined_large {JOB} --ioengine=io_uring --iodepth=4 --bs=1m --runtime=1.5
echo +io >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/limited
echo "$(cat /sys/class/block/${{NVME#/dev/}}/dev) riops=40" >/sys/fs/cgroup/limited/io.max
(sh -c 'echo $PPID' >/sys/fs/cgroup/limited/cgroup.procs; job joined_limited {JOB} --runtime=2)
rmdir /sys/fs/cgroup/limited
echo -io >/sys/fs/cgroup/cgroup.subtree_control
"""
STEPS = [("joined", TEXT)]
NAMES = ("joined_base", "joined_throttled", "joined_large", "joined_limited")
PARTS = ("program", "submit", "handed", "held", "tags", "queue", "device", "flush", "completion", "cpu")


def sums(run):
    found = run.breakdown.get("classes") or [{}]
    return {name: (found[0].get(name) or {}).get("sum_ns", 0) for name in (*PARTS, "whole")}


def p50(run, part):
    found = run.breakdown.get("classes") or [{}]
    return next((float(v) for k, v in (found[0].get(part) or {}).get("percentiles_ns", {}).items() if float(k) == 50), 0.0)


def check_all(check, steps):
    found = pieces(steps["joined"])
    runs = {name: Run(found.get(name, "")) for name in NAMES}
    for name, run in runs.items():
        first = (run.breakdown.get("classes") or [{}])[0]
        # 64 blocks of 1m, four in flight: at the end of a pass two of them meet.
        known = first.get("matched", 0) + first.get("contested", 0)
        check(first.get("matched", 0) > 20 and first["matched"] >= 0.98 * first["ios"] and known >= 0.999 * first["ios"],
              f"{name}: {first.get('matched')} of {first.get('ios')} I/Os are divided, {first.get('contested')} met another",
              str(run.breakdown)[:800] or run.text[-1500:])
        ns = sums(run)
        check(abs(sum(ns[part] for part in PARTS) - ns["whole"]) <= 0.001 * ns["whole"] + 1, f"{name}: the parts add up to the whole", str(ns))
    base, slow = runs["joined_base"], runs["joined_throttled"]
    added = p50(slow, "whole") - p50(base, "whole")
    check(added > 0 and p50(slow, "device") - p50(base, "device") >= 0.95 * added, f"a throttled disk: of {added / 1000:.0f} us that were added, "
          f"{(p50(slow, 'device') - p50(base, 'device')) / 1000:.0f} us lie in the device")
    ns, limits = sums(runs["joined_limited"]), runs["joined_limited"].breakdown.get("io_limits", [])
    check(ns["held"] > 0.8 * ns["whole"], f"a limit of 40 reads a second: {100 * ns['held'] / max(1, ns['whole']):.1f} % of the time is held", str(ns))
    check(any(text.startswith("io.max of /limited") and "riops=40" in text for text in limits), f"and the limit is named: {limits}")
