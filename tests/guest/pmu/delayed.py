"""Delays of known size below the block layer, on Debian's kernel: dm-delay, whose reads, writes and flushes take times of their own; null_blk, which answers by a
timer and has as many tags as it is told; an NVMe disk with QEMU's throttle, and limits of version 2 of cgroups. Each shows in its part, by its mean, p50 and p99, and
in no other: what lies under dm is its device's time, but for the flush."""
from pieces import pieces
from pmu.report import Run

READ_MS, WRITE_MS, FLUSH_MS = 120, 100, 160  # dm-delay counts ticks, of 4 ms, and then its disk has to be asked
NULL_MS, LIMIT_MS = 80, 100
JOB = "--breakdown=all --direct=1 --bs=4k --size=64m"
ONE = "--ioengine=psync --iodepth=1"
DEEP = {1: "psync", 8: "libaio", 32: "io_uring"}
TAGS, WANTED = 4, 8

DM = f"""D=/dev/dm-0  # nobody makes a link to it
dmsetup create slow --noudevsync --table "0 131072 delay $NVME 0 {READ_MS} $NVME 0 {WRITE_MS} $NVME 0 {FLUSH_MS}"
job dm_read {JOB} {ONE} --filename=$D --rw=randread --number_ios=12
job dm_write {JOB} {ONE} --filename=$D --allow-destructive=$D --rw=randwrite --number_ios=12
job dm_flush {JOB} {ONE} --filename=$D --allow-destructive=$D --rw=randwrite --sync=dsync --number_ios=10
job dm_sync {JOB} {ONE} --filename=$D --allow-destructive=$D --rw=randwrite --fdatasync=1 --number_ios=7
mount -t tmpfs none /sys/kernel/btf
job dm_classic {JOB} {ONE} --filename=$D --allow-destructive=$D --rw=randwrite --sync=dsync --number_ios=6
umount /sys/kernel/btf
dmsetup remove --noudevsync slow
"""
NULL = "".join([f"insmod /lib/null_blk.ko queue_mode=2 irqmode=2 completion_nsec={NULL_MS}000000 gb=1 hw_queue_depth=64 submit_queues=1\n",
                *(f"job null_{depth} {JOB} --ioengine={engine} --iodepth={depth} --filename=/dev/nullb0 --rw=randread --number_ios={10 * depth}\n" for depth, engine in DEEP.items()),
                f"echo {TAGS} >/sys/block/nullb0/queue/nr_requests\n",
                f"job null_tags {JOB} {ONE} --numjobs={WANTED} --thread --group_reporting --filename=/dev/nullb0 --rw=randread --time_based --runtime=2\n", "rmmod null_blk\n"])
# The first I/O of each is let go at once.
AGAIN = f"{JOB} {ONE} --filename=$NVME --time_based --ramp_time=0.25 --runtime=1.5"
LIMITS = f"""echo "@@host throttle disk {1000 // LIMIT_MS}"
job throttled {AGAIN} --rw=randread
echo "@@host throttle disk 0"
C=/sys/fs/cgroup
echo +io >$C/cgroup.subtree_control
mkdir $C/delayed
number=$(cat /sys/class/block/${{NVME#/dev/}}/dev)
echo "$number riops={1000 // LIMIT_MS} wiops={1000 // LIMIT_MS}" >$C/delayed/io.max
(sh -c 'echo $PPID' >$C/delayed/cgroup.procs; job held_reads {AGAIN} --rw=randread; job held_writes {AGAIN} --rw=randwrite)
rmdir $C/delayed
echo -io >$C/cgroup.subtree_control
"""
# A device that has a cache and can write through it.
FUA = f"job fua {JOB} {ONE} --filename=$NVME --allow-destructive=$NVME --rw=randwrite --sync=dsync --number_ios=20\n"
STEPS = [("dm", DM), ("fua", FUA), ("null_blk", NULL), ("limits", LIMITS)]
# name, direction: {part: ms}
PLANTED = {("dm_read", "read"): {"device": READ_MS}, ("dm_write", "write"): {"device": WRITE_MS}, ("dm_flush", "write"): {"device": WRITE_MS, "flush": FLUSH_MS},
           ("dm_sync", "sync"): {"flush": FLUSH_MS}, ("dm_classic", "write"): {"device": WRITE_MS, "flush": FLUSH_MS}, **{(f"null_{depth}", "read"): {"device": NULL_MS} for depth in DEEP},
           ("null_tags", "read"): {"device": NULL_MS, "tags": NULL_MS * (WANTED - TAGS) / TAGS}, ("throttled", "read"): {"device": LIMIT_MS},
           ("held_reads", "read"): {"held": LIMIT_MS}, ("held_writes", "write"): {"held": LIMIT_MS}}
PARTS = ("submit", "handed", "held", "tags", "queue", "device", "data", "commit", "file_system", "flush", "completion", "cpu")
WITHIN = {"mean": 0.05, "p50": 0.05, "p99": 0.1}
UNFAIR = ("tags",)  # whoever gives one back often gets it again: only the mean is known
MOST_ELSEWHERE = 0.05


def class_of(run, direction):
    return next((c for c in run.breakdown.get("classes") or [] if c["direction"] == direction), {})


def ms_of(part):
    """By mean, p50 and p99."""
    ranks = {f"p{float(rank):g}": float(ns) for rank, ns in part.get("percentiles_ns", {}).items()}
    return {what: ({"mean": part.get("mean_ns", 0.0)} | ranks).get(what, 0.0) / 1e6 for what in WITHIN}


def check_one(check, title, c, planted, shown):
    ios, matched = c.get("ios", 0), c.get("matched", 0)
    check(0 < matched == ios, f"{title}: {matched} of {ios} I/Os are divided", shown)
    for part, ms in planted.items():
        found = ms_of(c.get(part) or {})
        good = [abs(found[what] - ms) <= within * ms for what, within in WITHIN.items()]
        check(good[0] if part in UNFAIR else all(good),
              f"{title}: {part}, planted {ms:g} ms: {', '.join(f'{what} {value:.2f}' for what, value in found.items())}", shown)
    elsewhere = {part: c[part]["sum_ns"] / c["whole"]["sum_ns"] for part in PARTS if part not in planted and c.get(part)}
    check(sum(elsewhere.values()) <= MOST_ELSEWHERE, f"{title}: elsewhere {', '.join(f'{part} {100 * share:.1f} %' for part, share in elsewhere.items())}", shown)


def check_all(check, steps):
    found = pieces(*steps.values())
    for (name, direction), planted in PLANTED.items():
        run = Run(found.get(name, ""))
        check_one(check, name, class_of(run, direction), planted, str(run.breakdown)[:1000] or run.text[-1500:])
    c = class_of(Run(found.get("fua", "")), "write")
    check(c.get("fua") == c.get("ios") == 20, f"fua: {c.get('fua')} of {c.get('ios')} writes went through the cache")
    limits = [Run(found.get(name, "")).breakdown.get("io_limits", []) for name in ("held_reads", "held_writes")]
    check(all(any(text.startswith("io.max of /delayed") for text in one) for one in limits), f"and the limits are named: {limits}")
