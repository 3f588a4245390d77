"""zonemode=zbd on zoned devices: null_blk, scsi_debug and QEMU's zoned NVMe disk, by its block and its character device. After each job blkzone(8) of
util-linux says where the write pointers are, and in which condition the zones: this is compared with the bytes and zone resets that the job reports."""
import json
import re

from machine import ZONED
from pieces import pieces

MODULES = ["sd_mod", "configfs"]
LATER = ["null_blk", "scsi_debug"]
TOOLS = ["blkzone"]
MIB = 1 << 20
CHARACTER = ZONED.replace("nvme", "ng")
PRELUDE = f"""job() {{
  echo "--- $1"
  name=$1
  shift
  fathom run --name=$name --zonemode=zbd --direct=1 --eta=never --clock-check=skip --audit=off --output-format=json --output=o "$@" \\
    --allow-destructive=/dev/nullb0 --allow-destructive=/dev/sda --allow-destructive=/dev/{ZONED} --allow-destructive=/dev/{CHARACTER} 2>&1
  echo "status $?"
  [ ! -e o ] || tr -d ' \\n' <o
  rm -f o
  echo
}}
zones() {{ echo "--- zones:$1"; blkzone report /dev/$2; }}
"""
# Two conventional zones, then zones of 4 MiB; of the sequential ones 3 MiB can be written.
NULL = """mount -t configfs none /sys/kernel/config
insmod /lib/null_blk.ko nr_devices=0
cd /sys/kernel/config/nullb && mkdir nullb0 && cd nullb0 || exit 1
echo 64 >size; echo 4096 >blocksize; echo 1 >memory_backed; echo 1 >zoned; echo 4 >zone_size; echo 3 >zone_capacity; echo 2 >zone_nr_conv
echo 4 >zone_max_open; echo 4 >zone_max_active; echo 1 >power
cd /
"""
JOBS = """job DISK.write --filename=FILE --rw=write --bs=256k --offset=2z --size=4z
zones DISK.write DEVICE
job DISK.again --filename=FILE --rw=write --bs=256k --offset=2z --size=4z
zones DISK.again DEVICE
job DISK.trim --filename=FILE --rw=trim --bs=4m --offset=2z --size=4z
zones DISK.trim DEVICE
job DISK.random --filename=FILE --rw=randwrite --bs=64k --offset=2z --size=8z --io_size=5m --norandommap --max_open_zones=2
zones DISK.random DEVICE
job DISK.verify --filename=FILE --rw=randwrite --bs=64k --offset=2z --size=4z --io_size=6m --verify=crc32c --max_open_zones=3
zones DISK.verify DEVICE
job DISK.mixed --filename=FILE --rw=randrw --bs=64k --offset=2z --size=4z --io_size=4m --norandommap --max_open_zones=3
blkzone reset /dev/DEVICE
job DISK.odd --filename=FILE --rw=write --bs=320k --offset=6z --size=4z
zones DISK.odd DEVICE
job DISK.jobs --filename=FILE --rw=randwrite --bs=64k --offset=2z --size=8z --io_size=3m --norandommap --numjobs=3 --group_reporting --max_open_zones=4
zones DISK.jobs DEVICE
blkzone reset /dev/DEVICE
"""
QUEUE = """job DISK.queue --filename=FILE --rw=randwrite --bs=64k --offset=2z --size=4z --verify=crc32c --ioengine=libaio --iodepth=8 --max_open_zones=2
zones DISK.queue DEVICE
job DISK.limit --filename=FILE --rw=write --bs=64k --offset=2z --size=4z --max_open_zones=99
job DISK.ignored --filename=FILE --rw=write --bs=64k --offset=2z --size=4z --max_open_zones=99 --ignore_zone_limits=1
job DISK.cached --filename=FILE --rw=write --bs=64k --offset=2z --size=4z --direct=0
job DISK.plain --filename=FILE --rw=randwrite --bs=64k --offset=36m --size=4m --zonemode=none --zonesize=0
blkzone reset /dev/DEVICE
"""
APPEND = """job DISK.append --filename=FILE --rw=randwrite --bs=64k --offset=2z --size=4z --io_size=2m --write_mode=zone_append --verify=crc32c
zones DISK.append DEVICE
"""


def on(text, disk, device, path=None, more=""):
    text = text.replace("DISK", disk).replace("DEVICE", device).replace("FILE", path or f"/dev/{device}")
    return re.sub(r"^(job .*)$", rf"\1 {more}", text, flags=re.M)


STEPS = [
    ("null_blk", NULL + on(JOBS + QUEUE, "null", "nullb0")),
    ("scsi_debug", "insmod /lib/scsi_debug.ko dev_size_mb=64 sector_size=4096 zbc=managed zone_size_mb=4 zone_nr_conv=2 zone_max_open=4\n"
     "for i in $(seq 100); do [ -b /dev/sda ] && break; sleep 0.1; done\n" + on(JOBS + QUEUE, "scsi", "sda")),
    ("nvme", on(JOBS + QUEUE, "nvme", ZONED)),
    ("passthrough", on(JOBS + APPEND, "ng", ZONED, f"/dev/{CHARACTER}", "--ioengine=io_uring_cmd")),
]


class Zone:
    def __init__(self, line):
        found = re.search(r"start: 0x(\w+), len 0x(\w+), cap 0x(\w+), wptr 0x(\w+) .*zcond:\s*\d+\((\w\w)\)", line)
        start, _, cap, wptr = (int(number, 16) << 9 for number in found.groups()[:4])
        self.start, self.condition = start, found[5]
        self.bytes = 0 if self.condition == "nw" else cap if self.condition == "fu" else wptr

    @property
    def open(self):
        return self.condition in ("oi", "oe", "cl")


def read_zones(text):
    return [Zone(line) for line in text.splitlines() if "start:" in line]


def job_of(text):
    found = re.search(r"^\{.*\}$", text, re.M)
    report = json.loads(found[0]) if found else None
    return report and {**report["jobs"][0], "zone_resets": report["fathom"]["jobs"][0].get("zone_resets")}


def check_disk(check, disk, texts, capacity):
    parts = pieces(texts)
    jobs = {name.partition(".")[2]: job_of(text) for name, text in parts.items() if name and not name.startswith("zones:")}
    zones = {name.partition(".")[2]: read_zones(text) for name, text in parts.items() if name.startswith("zones:")}
    written = lambda name, last=None: sum(zone.bytes for zone in zones[name][:last])
    moved = lambda name: jobs[name]["write"]["io_bytes"]
    resets = lambda name: jobs[name]["zone_resets"]
    for name, job in jobs.items():
        if name not in ("limit", "cached", "plain"):
            check(job and job["error"] == 0, f"{disk}: {name} runs", parts[f"{disk}.{name}"][:600])
    check(written("write") == moved("write") == 4 * capacity, f"{disk}: the pointers are where a sequential job ended", f"{written('write')}, {moved('write')}")
    check([zone.condition for zone in zones["write"]].count("fu") == 4, f"{disk}: four zones are full", str([z.condition for z in zones["write"]]))
    check(resets("again") == 4 and written("again") == 4 * capacity, f"{disk}: full zones are reset and written again", str(resets("again")))
    check(written("trim") == 0 and resets("trim") == 4, f"{disk}: a trim resets a zone", str(resets("trim")))
    check(written("random") == moved("random") == 5 * MIB, f"{disk}: random writes go to the pointers", f"{written('random')}, {moved('random')}")
    check(sum(zone.open for zone in zones["random"]) <= 2, f"{disk}: at most max_open_zones zones are open")
    check(written("verify", 6) == moved("verify") == 6 * MIB and jobs["verify"]["read"]["io_bytes"] == 6 * MIB, f"{disk}: written data is verified",
          f"{written('verify', 6)}, {jobs['verify']['read']['io_bytes']}")
    check(jobs["mixed"]["read"]["io_bytes"] > 0, f"{disk}: a mixed job reads what it wrote")
    odd = capacity // (320 << 10) * (320 << 10)
    check(moved("odd") == 4 * odd, f"{disk}: the rest of a zone below a block is not written", str(moved("odd")))
    check([zone.condition for zone in zones["odd"]][6:10].count("fu") == 4, f"{disk}: such a zone is finished", str([z.condition for z in zones["odd"]]))
    return parts, jobs, zones


def check_all(check, texts):
    for step, disk, capacity in (("null_blk", "null", 3 * MIB), ("scsi_debug", "scsi", 4 * MIB), ("nvme", "nvme", 3 * MIB), ("passthrough", "ng", 3 * MIB)):
        parts, jobs, zones = check_disk(check, disk, texts[step], capacity)
        if disk == "ng":
            moved = [sum(zone.bytes for zone in zones["append"][:6]), jobs["append"]["write"]["io_bytes"], jobs["append"]["read"]["io_bytes"]]
            check(moved == [2 * MIB] * 3, "ng: appended data is verified", str(moved))
            continue
        queue = jobs["queue"]
        check(queue and queue["error"] == 0 and queue["read"]["io_bytes"] == queue["write"]["io_bytes"] > 0, f"{disk}: a queue of writes is verified",
              parts[f"{disk}.queue"][:600])
        check("larger than max" in parts[f"{disk}.limit"], f"{disk}: a limit above the device's is refused", parts[f"{disk}.limit"][:300])
        # effect: ignore_zone_limits
        check(jobs["ignored"] and jobs["ignored"]["error"] == 0, f"{disk}: ignore_zone_limits=1 allows it", parts[f"{disk}.ignored"][:300])
        check("Using direct I/O is mandatory" in parts[f"{disk}.cached"], f"{disk}: the page cache is refused", parts[f"{disk}.cached"][:300])
        check("consider --zonemode=zbd" in parts[f"{disk}.plain"], f"{disk}: a job without zones is told of them", parts[f"{disk}.plain"][:600])
