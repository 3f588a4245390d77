"""The split on Debian's kernel without its BTF (hidden from fathom), by classic tracepoints, whose records lie otherwise than in later kernels; and the time
that a swap device takes for its requests, added up by the kernel's programs."""
import json

from pieces import pieces
from pmu.report import Run

JOB = "--breakdown=all --direct=1 --rw=randread --bs=4k --size=64m --time_based --filename=$NVME --ioengine=psync --iodepth=1"
TEXT = f"""say classic_paging
fathom paging --map=48M --set=48M --swap=dev:$NVME --limit=24M --duration=2 --fill=random --no-settle --output-format=json --allow-destructive=$NVME 2>&1
mount -t tmpfs none /sys/kernel/btf
job classic_base {JOB} --runtime=1.5
echo "@@host throttle disk 40"
job classic_throttled {JOB} --runtime=3
echo "@@host throttle disk 0"
job classic_deep {JOB} --ioengine=io_uring --iodepth=16 --runtime=1.5
job classic_large {JOB} --ioengine=io_uring --iodepth=4 --bs=1m --runtime=1.5
job classic_flushed {JOB} --rw=randwrite --sync=dsync --runtime=1.5
umount /sys/kernel/btf
"""
STEPS = [("classic", TEXT)]
NAMES = ("classic_base", "classic_throttled", "classic_deep", "classic_large", "classic_flushed")


def mean(run, part):
    found = run.breakdown.get("classes") or [{}]
    return (found[0].get(part) or {}).get("mean_ns", 0)


def check_paging(check, text):
    try:
        devices = json.loads(text[text.index("{"):text.rindex("}") + 1])["fathom"]["paging"]["devices"]
    except (ValueError, KeyError) as error:
        return check(False, "a paging run has the swap device's time", f"{error!r} {text[-1500:]}")
    for device in devices:
        check(device["by"] == "block requests" and device["read"]["n"] > 0 and device["lost"] <= 0.01 * device["read"]["n"],
              f"{device['device']}: {device['read']['n']} reads timed by {device['by']}, mean {device['read']['mean_ns'] / 1000:.0f} us, {device['lost']} lost", device["cause"])


def check_all(check, steps):
    found = pieces(steps["classic"])
    runs = {name: Run(found.get(name, "")) for name in NAMES}
    for name, run in runs.items():
        first = (run.breakdown.get("classes") or [{}])[0]
        by = run.breakdown.get("events_by")
        ios, matched = first.get("ios", 1), first.get("matched", 0)
        # An interrupt that comes while one of them is being run finds all classic programs busy, and that completion is missed: here, on one emulated CPU
        # with several I/Os in flight, often. 64 blocks of 1m, four in flight: at the end of a pass two of them meet.
        least = 0.5 if name in ("classic_deep", "classic_large") else 0.999
        told = matched + first.get("contested", 0) + first.get("lost", 0)
        check(by == "BPF programs" and matched > 20 and matched >= least * ios and told >= 0.999 * ios,
              f"{name}: {matched} of {ios} I/Os joined by {by}, {first.get('contested')} met another, {first.get('lost')} lack an event",
              str(run.breakdown)[:800] or run.text[-1500:])
    added = {part: mean(runs["classic_throttled"], part) - mean(runs["classic_base"], part) for part in ("whole", "device")}
    check(added["whole"] > 0 and added["device"] >= 0.95 * added["whole"], f"what a throttled disk adds lies in the device: {added}")
    check_paging(check, found.get("classic_paging", ""))
