"""What the audit says on different kinds of storage, with nothing wrong anywhere: no disagreement. The table is for docs/dev/validation.md."""
from pieces import pieces
from pmu.report import Run

# name: (engine and options, target). Each reads and writes; the loop device and the file lie on the SATA disk.
KINDS = {
    "nvme_direct": "--direct=1 --filename=$NVME",
    "nvme_uring_4k": "--direct=1 --ioengine=io_uring --bs=4k --filename=$NVME",
    "sata_direct": "--direct=1 --filename=$SATA",
    "loop_direct": "--direct=1 --filename=/dev/loop0",
    "zram_direct": "--direct=1 --ioengine=psync --iodepth=1 --filename=/dev/zram0",
    "file_direct": "--direct=1 --filename=/disk/file",
    "page_cache": "--direct=0 --ioengine=psync --iodepth=1 --filename=/disk/file",
    "page_cache_warm": "--direct=0 --invalidate=0 --ioengine=psync --iodepth=1 --filename=/disk/file",
}
NO_DISK_CAUSE = {"zram_direct"}

PREPARE = """pmu
echo 64M >/sys/block/zram0/disksize
dd if=$NVME of=/dev/zram0 bs=1M count=64 2>/dev/null
"""
MOUNT = """mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 $SATA
mkdir -p /disk
mount -t ext4 $SATA /disk
dd if=/dev/zero of=/disk/file bs=1M count=32 2>/dev/null
dd if=/dev/zero of=/disk/image bs=1M count=32 2>/dev/null
sync
losetup /dev/loop0 /disk/image
"""


def _jobs(kinds):
    return "".join(f"job {name}_{rw} --rw={rw} --size=16m {words} --allow-destructive=/dev/loop0 --allow-destructive=/dev/zram0\n"
                   for name, words in kinds.items() for rw in ("read", "write"))


ON_SATA = {"loop_direct", "file_direct", "page_cache", "page_cache_warm"}
STEPS = [
    ("mix_raw", PREPARE + _jobs({name: words for name, words in KINDS.items() if name not in ON_SATA}) + "echo 1 >/sys/block/zram0/reset\n"),
    ("mix_file", MOUNT + _jobs({name: words for name, words in KINDS.items() if name in ON_SATA}) + "losetup -d /dev/loop0\numount /disk\n"),
]


def check_all(check, steps):
    found = pieces(*steps.values())
    print("     what the audit said:")
    for name in KINDS:
        for rw in ("read", "write"):
            run = Run(found.get(f"{name}_{rw}", ""))
            check(run.errors() == [0] and run.verdict != "disagrees" and run.audit, f"{name} {rw}: no disagreement where nothing is wrong", run.shown())
            print(f"     | {name} | {rw} | {run.verdict} | {run.line} |")
