"""recover_zbd_write_error=1 on scsi_debug's zoned disk, which fails a chosen number of writes (kernels from 6.7). The write pointer stays where a failed
write began: without recovery every later write to that zone fails."""
from pieces import pieces
from run.zones import PRELUDE, job_of, read_zones  # noqa: F401 (PRELUDE is read by guests)

MODULES = ["sd_mod"]
LATER = ["scsi_debug"]
TOOLS = ["blkzone"]
# fail COUNT: the next COUNT commands 0x8a, WRITE(16), end with DID_NO_CONNECT, which is EIO. (A medium error is ENODATA, which ends a job.)
DISK = """insmod /lib/scsi_debug.ko dev_size_mb=64 sector_size=4096 zbc=managed zone_size_mb=4 zone_nr_conv=2 zone_max_open=4
for i in $(seq 100); do [ -b /dev/sda ] && break; sleep 0.1; done
mount -t debugfs none /sys/kernel/debug 2>/dev/null
fail() { for rule in /sys/kernel/debug/scsi_debug/*/error; do echo "2 -$1 0x8a 0x1 0x0 0x0 0x0 0x0 0x0" >$rule; done; }
"""
JOBS = """fail 1
job recovered --filename=/dev/sda --rw=write --bs=64k --offset=2z --size=2z --continue_on_error=write --recover_zbd_write_error=1
zones recovered sda
echo "--- hole"
dd if=/dev/sda bs=4k skip=2048 count=16 2>/dev/null | tr -d '\\000' | wc -c
dd if=/dev/sda bs=4k skip=2064 count=16 2>/dev/null | tr -d '\\000' | wc -c
blkzone reset /dev/sda
fail 3
job queue --filename=/dev/sda --rw=write --bs=64k --offset=2z --size=2z --continue_on_error=write --recover_zbd_write_error=1 --ioengine=libaio --iodepth=8
zones queue sda
blkzone reset /dev/sda
fail 1
job left --filename=/dev/sda --rw=write --bs=64k --offset=2z --size=2z --continue_on_error=write
zones left sda
"""
STEPS = [("scsi_debug", DISK + JOBS)]


def check_all(check, texts):
    parts = pieces(texts["scsi_debug"])
    jobs = {name: job_of(text) for name, text in parts.items() if name and not name.startswith("zones:")}
    zones = {name.removeprefix("zones:"): read_zones(text) for name, text in parts.items() if name.startswith("zones:")}
    for name, failures in (("recovered", 1), ("queue", 3)):
        job = jobs[name]
        check(job and job["total_err"] >= failures, f"{name}: the writes failed", parts[name][:600])
        # effect: recover_zbd_write_error
        check(all(zone.condition == "fu" for zone in zones[name][2:4]), f"{name}: with recover_zbd_write_error both zones are full", str([(z.condition, z.bytes) for z in zones[name][2:4]]))
    check(jobs["recovered"]["total_err"] == 1, "recovered: one write failed", str(jobs["recovered"]["total_err"]))
    hole, data = map(int, parts["hole"].split())
    check(hole == 0 and data > 32 << 10, "recovered: the place of the failed write has zeroes, the next one data", parts["hole"])
    check(jobs["left"]["total_err"] > 1, "left: without recovery the zone fails from there on", str(jobs["left"] and jobs["left"]["total_err"]))
