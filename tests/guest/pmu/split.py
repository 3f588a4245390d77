"""Where the time of an I/O goes, on QEMU's NVMe disk and with delays planted in one part each: a disk throttled by QEMU shows in the device,
a queue of one that sixteen requests want shows in the queue, and neither in any other part."""
from pieces import pieces
from pmu.report import Run

JOB = "--breakdown --direct=1 --rw=randread --bs=4k --size=64m --time_based --filename"
PARTS = ("submit", "tags", "queue", "device", "completion")

NVME = f"""job split_base {JOB}=$NVME --iodepth=1 --runtime=1.5
echo "@@host throttle disk 40"
job split_throttled {JOB}=$NVME --iodepth=1 --runtime=3
echo "@@host throttle disk 0"
"""
# The SATA disk takes one request at a time, and 8 ms for each: many times what a slow emulated machine needs for the rest of it.
SATA = f"""echo 1 >/sys/block/sda/device/queue_depth
echo mq-deadline >/sys/block/sda/queue/scheduler
echo "@@host throttle sata 125"
job split_alone {JOB}=$SATA --iodepth=1 --runtime=2
job split_full {JOB}=$SATA --iodepth=16 --runtime=3
echo "@@host throttle sata 0"
echo 31 >/sys/block/sda/device/queue_depth
"""
STEPS = [("split_nvme", NVME), ("split_sata", SATA)]


def p50(part):
    return next((float(v) for k, v in part.get("percentiles_ns", {}).items() if float(k) == 50), 0.0)


def mean(part):
    return part.get("mean_ns", 0.0)


def of(run, what):
    """{part: p50 or mean in ns}, with the whole; {} where there is no split."""
    found = run.breakdown.get("classes", [])
    return {name: what(found[0].get(name, {})) for name in (*PARTS, "whole")} if found else {}


def check_planted(check, name, before, after, where):
    """At least 95 % of what was added in the whole lies in one part, and no other grew by more than 5 % of it."""
    added = {part: after.get(part, 0) - before.get(part, 0) for part in (*PARTS, "whole")}
    shown = ", ".join(f"{part} {ns / 1000:+.0f} us" for part, ns in added.items())
    good = added["whole"] > 0 and added[where] >= 0.95 * added["whole"]
    good = good and all(added[part] <= 0.05 * added["whole"] for part in PARTS if part != where)
    check(good, f"{name}: what was added lies in the {where} part: {shown}")


def check_all(check, steps):
    found = pieces(*steps.values())
    runs = {name: Run(found.get(name, "")) for name in ("split_base", "split_throttled", "split_alone", "split_full")}
    split = {name: of(run, p50) for name, run in runs.items()}
    for name, run in runs.items():
        first = (run.breakdown.get("classes") or [{}])[0]
        check(first.get("matched", 0) > 0.95 * first.get("ios", 1), f"{name}: requests were found for {first.get('matched')} of {first.get('ios')} I/Os",
              str(run.breakdown)[:800] or run.text[-1500:])
    check_planted(check, "a throttled disk", split["split_base"], split["split_throttled"], "device")
    # By means: medians of parts do not add up where waiting in the queue spreads over many milliseconds.
    check_planted(check, "a full device queue", of(runs["split_alone"], mean), of(runs["split_full"], mean), "queue")
