"""fsync on Debian's kernel, where ext4 and its journal are modules: the programs that follow them are loaded there too, each fsync of a file that grows has a commit of
its own, and an fdatasync of what is only overwritten has none, but for the first, which the changes before it may need."""
from pieces import pieces
from pmu.report import Run

JOB = "--breakdown=all --bs=4k --size=1m --filename=/journaled/f --allow-destructive=/journaled/f --ioengine=psync --fallocate=none"
TEXT = f"""zram=$(cat /sys/class/zram-control/hot_add)
echo 128M >/sys/block/zram$zram/disksize
mkfs.ext4 -q /dev/zram$zram && mkdir /journaled && mount -t ext4 /dev/zram$zram /journaled
job journal_grows {JOB} --rw=write --fsync=1
job journal_overwritten {JOB} --rw=randwrite --fdatasync=1
umount /journaled
echo 1 >/sys/block/zram$zram/reset
echo $zram >/sys/class/zram-control/hot_remove
rmdir /journaled
"""
STEPS = [("journal", TEXT)]
SEEN = ("jbd2:jbd2_end_commit", "ext4:ext4_sync_file_exit")


def check_all(check, steps):
    found = pieces(steps["journal"])
    for name, commits in (("journal_grows", True), ("journal_overwritten", False)):
        run = Run(found.get(name, ""))
        c = next((c for c in run.breakdown.get("classes") or [] if c["direction"] == "sync"), {})
        shown = str(run.breakdown)[:1000] or run.text[-1500:]
        check(all(point in run.breakdown.get("tracepoints", []) for point in SEEN), f"{name}: the file system's tracepoints are followed", shown)
        check(c.get("ios", 0) == c.get("matched") and c.get("ios", 0) >= 255, f"{name}: {c.get('matched')} of {c.get('ios')} fsyncs divided", shown)
        n = {part: (c.get(part) or {}).get("n", 0) for part in ("commit", "others_commit", "data")}
        check(n["commit"] >= 0.99 * c.get("ios", 1) if commits else n["commit"] + n["others_commit"] <= 2, f"{name}: parts of so many: {n}", shown)
