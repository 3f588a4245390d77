"""ioengine=mtd on the kernel's simulated NAND flash memory: pages of 512 bytes, erase blocks of 16 KiB, two of which are marked as bad. What is on it is
read by dd."""
from pieces import pieces
from run.zones import job_of

MODULES = ["mtd"]
LATER = ["nandsim"]
PRELUDE = """job() {
  echo "--- $1"
  name=$1
  shift
  fathom run --name=$name --ioengine=mtd --filename=/dev/mtd0 --eta=never --clock-check=skip --output-format=json --output=o \\
    --allow-destructive=/dev/mtd0 "$@" 2>&1
  [ ! -e o ] || tr -d ' \\n' <o
  rm -f o
  echo
}
left() { echo "--- left:$1"; dd if=/dev/mtd0 bs=16k skip=16 count=4 2>/dev/null | tr -d "$2" | wc -c; }
"""
JOBS = """insmod /lib/nandsim.ko id_bytes=0x20,0x33 badblocks=3,4
for i in $(seq 100); do [ -c /dev/mtd0 ] && break; sleep 0.1; done
job trim --rw=trim --bs=16k --offset=256k --size=64k
left trim '\\377'
job write --rw=write --bs=512 --offset=256k --size=64k --buffer_pattern=0x5a
left write Z
job erase --rw=trim --bs=32k --offset=256k --size=64k
job verify --rw=write --bs=4k --offset=256k --size=64k --verify=crc32c
job small --rw=trim --bs=512 --offset=256k --size=64k
job page --rw=read --bs=256 --offset=256k --size=64k
job bad --rw=read --bs=16k --size=128k --skip_bad=1 --continue_on_error=all
job both --rw=read --bs=128k --size=128k --skip_bad=1 --continue_on_error=all
rmmod nandsim
"""
STEPS = [("nand", JOBS)]


def check_all(check, texts):
    parts = pieces(texts["nand"])
    jobs = {name: job_of(text) for name, text in parts.items() if name and not name.startswith("left:")}
    moved = lambda name, kind: (jobs[name][kind]["total_ios"], jobs[name][kind]["io_bytes"], jobs[name]["error"])
    check(moved("trim", "trim") == (4, 65536, 0) and parts["left:trim"].strip() == "0", "mtd: a trim erases", parts["trim"][:400])
    check(moved("write", "write") == (128, 65536, 0) and parts["left:write"].strip() == "0", "mtd: a write is on the flash memory", parts["left:write"])
    check(moved("erase", "trim") == (2, 65536, 0), "mtd: a trim of two erase blocks", parts["erase"][:400])
    check(moved("verify", "read") == (16, 65536, 0), "mtd: what was written is verified", parts["verify"][:400])
    check("whole erase blocks" in parts["small"], "mtd: a trim of a page is refused", parts["small"][:400])
    check("not a multiple of the block" in parts["page"], "mtd: half of a page is refused before the start", parts["page"][:400])
    # effect: skip_bad
    check(jobs["bad"]["total_err"] == 2 and jobs["bad"]["read"]["io_bytes"] == 6 * 16384, "mtd: skip_bad=1 fails the two bad blocks", parts["bad"][:400])
    check(jobs["both"]["total_err"] == 1, "mtd: a request that contains a bad block fails as a whole", parts["both"][:400])
