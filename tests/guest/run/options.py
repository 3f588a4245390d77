"""Options that need a device or a hierarchy which this machine's kernel may not have: a SCSI disk (scsi_debug, which logs the commands that reach it) for
ioengine=sg, and cgroup version 2 alone for cgroup=. The disk is /dev/sda, so this is for kernels without a driver for the machine's SATA disk."""
import json
import re

from pieces import pieces

MODULES = ["sg", "sd_mod", "bfq"]
LATER = ["scsi_debug"]
MIB = 1 << 20
# What reached the disk: "commands 3500:4 2a08:64", by operation and flags.
PRELUDE = """job() {
  echo "--- $1"
  name=$1
  shift
  fathom run --name=$name --eta=never --clock-check=skip --audit=off --output-format=json --output=o "$@"
  echo "status $?"
  [ ! -e o ] || tr -d ' \\n' <o
  rm -f o
  echo
}
noise() { echo $1 >/sys/bus/pseudo/drivers/scsi_debug/opts; }
sg() {
  dmesg -c >/dev/null
  noise 1
  job "$@" --ioengine=sg --allow-destructive=/dev/sda --allow-destructive=/dev/sg0
  noise 0
  echo "commands $(dmesg -c | sed -n 's/.* cmd \\(..\\) \\(..\\) .*/\\1\\2/p' | sort | uniq -c | awk '{printf "%s:%s ", $2, $1}')"
}
same() { echo "other $(dd if=/dev/sda bs=64k count=$1 iflag=direct 2>/dev/null | tr -d "$2" | wc -c)"; }
"""
LOAD = """insmod /lib/scsi_debug.ko dev_size_mb=32 lbpu=1
for i in $(seq 100); do [ -b /dev/sda ] && [ -c /dev/sg0 ] && break; sleep 0.1; done
"""
MOVES = """for disk in sg0 sda; do
  sg ${disk}_write --filename=/dev/$disk --rw=write --bs=64k --size=4m --verify=crc32c --fsync=8
  job ${disk}_beside --ioengine=psync --direct=1 --filename=/dev/sda --rw=read --bs=64k --size=4m --verify=crc32c
  sg ${disk}_mixed --filename=/dev/$disk --rw=randrw --bs=4k --size=2m --verify=crc32c
  sg ${disk}_fua --filename=/dev/$disk --rw=rw --bs=16k --size=1m --readfua=1 --writefua=1 --hipri
  sg ${disk}_full --filename=/dev/$disk --rw=write --bs=64k --size=1m --buffer_pattern=0x5a
  same 16 '\\132'
  sg ${disk}_trim --filename=/dev/$disk --rw=trim --bs=64k --size=512k
  same 16 '\\132'
  same 8 '\\0'
done
sg refill --filename=/dev/sg0 --rw=write --bs=64k --size=2m --buffer_pattern=0x5a
sg ranges --filename=/dev/sg0 --rw=randtrim --bs=16k --size=1m --num_range=4
same 32 '\\132'
same 16 '\\0'
sg all --filename=/dev/sg0 --rw=read --bs=1m
sg threads --thread --numjobs=3 --filename=/dev/sg0 --rw=randread --bs=4k --size=512k --group_reporting
"""
MODES = """sg mode_full --filename=/dev/sg0 --rw=write --bs=16k --size=64k --buffer_pattern=0x76
same 1 '\\166'
for mode in write_same verify_bytchk_00 verify_bytchk_01 verify_bytchk_11 write_same_ndob; do
  sg mode_$mode --filename=/dev/sg0 --rw=write --bs=16k --size=64k --buffer_pattern=0x77 --sg_write_mode=$mode
  same 1 '\\167'
done
"""
REFUSALS = """sg odd --filename=/dev/sg0 --rw=write --bs=1000 --size=64k
sg huge --filename=/dev/sg0 --rw=read --bs=31m --size=31m
sg miscompare --filename=/dev/sg0 --rw=write --bs=16k --size=64k --buffer_pattern=0x78 --sg_write_mode=verify_bytchk_01
sg no_such_mode --filename=/dev/sg0 --rw=write --bs=16k --size=64k --sg_write_mode=write_and_verify
sg unknown --filename=/dev/sda --rw=write --bs=16k --size=64k --sg_write_mode=write_stream --stream_id=3
echo text >/tmp/x
job unreadable --ioengine=sg --filename=/dev/sg0 --rw=read --bs=64k --size=64k --name=no_disk --ioengine=sg --filename=/tmp/x --rw=read --size=64k
echo 1 >/sys/bus/pseudo/drivers/scsi_debug/virtual_gb
job after_a_change --ioengine=sg --filename=/dev/sg0 --rw=read --bs=64k --size=64k
noise 2
job medium --ioengine=sg --filename=/dev/sg0 --rw=read --bs=64k --size=20m --continue_on_error=read
noise 0
mkswap /dev/sda >/dev/null
swapon /dev/sda
job in_use --ioengine=sg --filename=/dev/sg0 --rw=write --bs=64k --size=64k --allow-destructive=/dev/sg0
swapoff /dev/sda
rmmod scsi_debug
"""
GROUPS = """top=/sys/fs/cgroup
left() { echo "left $(cd $top; ls -d */ 2>/dev/null)"; }
group() {
  job "$@" --filename=/tmp/f --rw=write --bs=4k --size=64k --cgroup=mine --exec_postrun="cat /proc/self/cgroup $top/mine/io.weight $top/mine/io.bfq.weight"
  cat $1.postrun.txt 2>/dev/null
  left
}
group member
group thread --thread
group without --cgroup_weight=300
echo +io >$top/cgroup.subtree_control
group weight --cgroup_weight=300
echo -io >$top/cgroup.subtree_control
group kept --cgroup_nodelete=1
group found
rmdir $top/mine
job deep --filename=/tmp/f --rw=write --size=64k --cgroup=no/such --name=other --filename=/tmp/g --rw=write --size=64k
left
job killed --filename=/tmp/f --rw=write --bs=4k --size=64k --time_based --runtime=60 --cgroup=mine --comm=victim --name=other --filename=/tmp/g --rw=write \\
  --bs=4k --size=64k --time_based --runtime=1500ms --cgroup=mine --comm=second &
for i in $(seq 100); do killall -0 victim second && break; sleep 0.1; done 2>/dev/null
sleep 0.5
killall -9 victim
wait
left
rm -f /tmp/f /tmp/g
"""
STEPS = [("moves", LOAD + MOVES), ("modes", MODES), ("refusals", REFUSALS), ("groups", GROUPS)]


class Ran:
    """What one job printed: its words, its status, its report, and what was looked at afterwards."""

    def __init__(self, text=""):
        self.text = text
        status = re.search(r"^status (\d+)$", text, re.M)
        self.status = int(status[1]) if status else None
        report = re.search(r"^\{.*\}$", text, re.M)
        self.jobs = json.loads(report[0])["jobs"] if report else []
        commands = re.search(r"^commands (.*)$", text, re.M)
        self.commands = {} if not commands else {op: int(n) for op, n in (w.split(":") for w in commands[1].split())}
        self.other = [int(n) for n in re.findall(r"^other (\d+)$", text, re.M)]
        self.left = (re.findall(r"^left ?(.*)$", text, re.M) or [None])[-1]

    def done(self, *directions):
        """(I/Os, bytes) of each direction of the first job."""
        return [(self.jobs[0][d]["total_ios"], self.jobs[0][d]["io_bytes"]) for d in directions] if self.jobs else None

    def errors(self):
        return [job["error"] for job in self.jobs]


# effect: num_range
def check_moves(check, ran):
    for disk in ("sg0", "sda"):
        def held(name, directions, wanted, commands, text=disk):
            one = ran.get(f"{text}_{name}", Ran())
            check(one.done(*directions) == wanted and one.status == 0, f"{disk} {name}: I/Os and bytes", f"{one.done(*directions)} {one.text[:600]}")
            check(all(one.commands.get(op) == n for op, n in commands.items()), f"{disk} {name}: commands {commands}", one.commands)
            return one

        write = held("write", ("read", "write"), [(64, 4 * MIB), (64, 4 * MIB)], {"2a00": 64, "2800": 64})
        syncs = write.jobs[0]["sync"]["total_ios"] if write.jobs else None
        check(syncs == 7 and write.commands.get("3500", 0) >= 7, f"{disk} write: syncs", f"{syncs} {write.commands}")
        held("beside", ("read",), [(64, 4 * MIB)], {})
        mixed = ran.get(f"{disk}_mixed", Ran())
        check(mixed.status == 0 and mixed.jobs[0]["write"]["total_ios"] == mixed.commands.get("2a00"), f"{disk} mixed: writes reach the disk, and verify", mixed.text[:400])
        fua = ran.get(f"{disk}_fua", Ran())
        moved = fua.done("read", "write")
        check(moved and {"2808": moved[0][0], "2a08": moved[1][0]}.items() <= fua.commands.items() and sum(n for n, _ in moved) == 64,
              f"{disk} fua: each command has the bit", f"{moved} {fua.commands}")
        full = held("full", ("write",), [(16, MIB)], {"2a00": 16})
        check(full.other == [0], f"{disk} full: every byte is on the disk", full.other)
        trim = held("trim", ("trim",), [(8, MIB // 2)], {"4200": 8})
        check(trim.other == [MIB // 2, 0], f"{disk} trim: half of it is gone, and reads as zeros", trim.other)
    ranges = ran.get("ranges", Ran())
    check((ranges.done("trim"), ranges.commands.get("4200"), ranges.other) == ([(16, MIB)], 16, [MIB, 0]), "num_range: every block once, and no other",
          f"{ranges.done('trim')} {ranges.commands} {ranges.other} {ranges.text[:300]}")
    check(ran.get("all", Ran()).done("read") == [(32, 32 * MIB)], "without size= it is the whole disk")
    check(ran.get("threads", Ran()).done("read") == [(384, 3 * MIB // 2)], "three threads on one disk")


# effect: sg_write_mode
def check_modes(check, ran):
    rows = {"full": ("2a00", 0), "write_same": ("4100", 0), "verify_bytchk_00": ("2f00", 0), "verify_bytchk_01": ("2f02", 0),
            "verify_bytchk_11": ("2f06", 0), "write_same_ndob": ("9301", 65536)}
    for mode, (command, other) in rows.items():
        one = ran.get(f"mode_{mode}", Ran())
        check((one.status, one.done("write"), one.commands.get(command), one.other) == (0, [(4, 65536)], 4, [other]), f"sg_write_mode={mode}",
              f"{one.done('write')} {one.commands} {one.other} {one.text[:300]}")


def check_refusals(check, ran):
    rows = {"odd": (2, "the device has blocks of 512 bytes"), "huge": (4, "the kernel did not pass on a command of 32505856 bytes"),
            "miscompare": (4, "command 2f: miscompare (0e/1d/00): the data on the device differ from the data sent"),
            "no_such_mode": (4, "command 2e: illegal request (05/20/00)"), "unknown": (4, "command 9a: illegal request (05/20/00): the device does not support this command"),
            "unreadable": (4, "name a SCSI disk (/dev/sdX) or its generic device (/dev/sgN)"), "after_a_change": (0, ""),
            "medium": (0, ""), "in_use": (2, "in use as swap")}
    for name, (status, words) in rows.items():
        one = ran.get(name, Ran())
        check(one.status == status and words in one.text, f"{name}: status {status}, {words}", f"{one.status} {one.text[:800]}")
    check(ran.get("unreadable", Ran()).done("read") == [(1, 65536)], "unreadable: the other job runs")
    check(ran.get("after_a_change", Ran()).done("read") == [(1, 65536)], "after_a_change: the news do not end the job")
    medium = ran.get("medium", Ran()).jobs
    check(medium and (medium[0]["total_err"], medium[0]["first_error"], medium[0]["read"]["io_bytes"]) == (1, 5, 20 * MIB - 65536),
          "medium: one I/O failed, and the job went on", str(medium)[:300])


# effect: cgroup cgroup_weight cgroup_nodelete
def check_groups(check, ran):
    for name in ("member", "thread", "weight", "found"):
        one = ran.get(name, Ran())
        check(one.status == 0 and "0::/mine\n" in one.text, f"{name}: the job is in the group", one.text[-300:])
    for name, left in {"member": "", "thread": "", "weight": "", "without": "", "kept": "mine/", "found": "mine/", "deep": "", "killed": ""}.items():
        check(ran.get(name, Ran()).left == left, f"{name}: groups left: {left or 'none'}", repr(ran.get(name, Ran()).left))
    weight = ran.get("weight", Ran()).text
    check(re.findall(r"^(?:default )?(\d+)$", weight, re.M) == ["300", "300"], "weight: io.weight and io.bfq.weight have it", weight[-300:])
    without = ran.get("without", Ran())
    check(without.status == 4 and "echo +io > /sys/fs/cgroup/cgroup.subtree_control" in without.text, "without: it says what is missing", without.text[:600])
    deep = ran.get("deep", Ran())
    check(deep.errors()[:1] == [2] and len(deep.jobs) == 2 and deep.jobs[1]["write"]["total_ios"] == 16 and "mkdir -p /sys/fs/cgroup/no" in deep.text,
          "deep: the group above is not made, and the other job runs", deep.text[:600])
    killed = ran.get("killed", Ran())
    check(killed.status not in (0, None) and "killed by signal 9" in killed.text and killed.jobs and all(j["write"]["total_ios"] > 0 for j in killed.jobs),
          "killed: what both jobs measured is there", killed.text[:600])


def check_all(check, texts):
    ran = {name: Ran(body) for name, body in pieces(*texts.values()).items()}
    check_moves(check, ran)
    check_modes(check, ran)
    check_refusals(check, ran)
    check_groups(check, ran)
