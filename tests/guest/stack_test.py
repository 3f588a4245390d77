# label: guests
# timeout: 300
# lock: guest
# cost: 27
"""The audit on dm and md devices, which this machine's kernel may not have: Debian's kernel in QEMU with two NVMe disks. Each layer is held
against the next, a mirror's copies and a stack of two layers add up, and a neighbour on the device, or on a disk below it, is named."""
import json
import os
import re
import shutil
import sys
import time

sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], "tests", "house"))
import debian_packages
import machine
from attempts import until_clean

# A linear dm device, a stripe and a mirror of both disks made by sysfs alone, and a dm device on the mirror.
START = """for i in $(seq 100); do [ -b /dev/nvme0n1 ] && [ -b /dev/nvme1n1 ] && break; sleep 0.1; done
export DM_DISABLE_UDEV=1
numbers() { for disk in nvme0n1 nvme1n1; do cat /sys/block/$disk/dev; done; }
stop() { [ ! -e /sys/block/$1/md/array_state ] || echo clear >/sys/block/$1/md/array_state; }
md() {
  echo $1 >/sys/module/md_mod/parameters/new_array
  cd /sys/block/$1/md
  echo none >metadata_version
  echo $2 >level
  echo 2 >raid_disks
  [ $2 != raid0 ] || echo 65536 >chunk_size
  slot=0
  for number in $(numbers); do echo $number >new_dev; done
  for disk in nvme0n1 nvme1n1; do
    echo 32768 >dev-$disk/size
    echo $slot >dev-$disk/slot
    slot=1
  done
  [ $2 != raid1 ] || echo 32768 >component_size
  [ $2 != raid1 ] || echo none >resync_start
  echo active >array_state
  cd /
  for i in $(seq 50); do [ -b /dev/$1 ] && [ "$(blockdev --getsz /dev/$1)" -gt 0 ] && break; sleep 0.1; done
}
quiet() {
  kill $other
  killall dd
  wait
  sleep 0.3
} 2>/dev/null
job() {
  echo "--- $1"
  name=$1
  shift
  fathom run --name=$name --ioengine=libaio --iodepth=4 --bs=16k --direct=1 --eta=never --clock-check=skip --output-format=json \
    --allow-destructive=/dev/dm-0 --allow-destructive=/dev/md0 --allow-destructive=/dev/dm-1 "$@"
}
"""
LINEAR = """echo "0 65536 linear /dev/nvme0n1 0" | dmsetup --noudevsync create one || exit 1
job dm_read --filename=/dev/dm-0 --rw=read --size=8m
job dm_write --filename=/dev/dm-0 --rw=randwrite --size=8m
(while true; do dd if=/dev/zero of=/dev/nvme0n1 bs=64k oflag=direct seek=640 count=100 2>/dev/null; done) & other=$!
job dm_beside --filename=/dev/dm-0 --rw=randread --size=8m --runtime=4 --time_based
quiet
(while true; do dd if=/dev/dm-0 of=/dev/null bs=64k iflag=direct count=400 2>/dev/null; done) & other=$!
job dm_same --filename=/dev/dm-0 --rw=randwrite --size=8m --runtime=4 --time_based
quiet
dmsetup --noudevsync remove one
"""
STRIPE = """md md0 raid0
job stripe_read --filename=/dev/md0 --rw=read --size=8m
job stripe_write --filename=/dev/md0 --rw=write --size=8m
stop md0
"""
MIRROR = """md md0 raid1
job mirror_read --filename=/dev/md0 --rw=read --size=8m
job mirror_write --filename=/dev/md0 --rw=write --size=8m
echo "0 32768 linear /dev/md0 0" | dmsetup --noudevsync create two || exit 1
job both_write --filename=/dev/dm-0 --rw=write --size=8m
(while true; do dd if=/dev/nvme1n1 of=/dev/null bs=64k iflag=direct count=400 2>/dev/null; done) & other=$!
job mirror_beside --filename=/dev/dm-0 --rw=randwrite --size=8m --runtime=4 --time_based
quiet
dmsetup --noudevsync remove two
stop md0
"""
STEPS = [("linear", LINEAR), ("stripe", STRIPE), ("mirror", MIRROR)]
# Job: the layers that must be among its witnesses, by direction, with what they say.
LAYERS = {
    "dm_read": [("nvme0n1", "read", "agrees")],
    "dm_write": [("nvme0n1", "write", "agrees")],
    "stripe_read": [("nvme0n1 + nvme1n1", "read", "agrees")],
    "stripe_write": [("nvme0n1 + nvme1n1", "write", "agrees")],
    "mirror_read": [("nvme0n1 + nvme1n1", "read", "agrees")],
    "mirror_write": [("nvme0n1 + nvme1n1", "write", "mirror")],
    "both_write": [("md0", "write", "agrees"), ("nvme0n1 + nvme1n1", "write", "mirror")],
}
# Job: the disk and direction in which a neighbour is found.
BESIDE = {"dm_beside": ("nvme0n1", "write"), "dm_same": ("dm-0", "read"), "mirror_beside": ("nvme0n1 + nvme1n1", "read")}

failures = []


def check(condition, what, shown=""):
    print(("ok   " if condition else "FAIL ") + what + ("" if condition or not shown else f": {shown}"))
    if not condition:
        failures.append(what)


class StackMachine(machine.Machine):
    modules = ["dm_mod", "raid0", "raid1"]

    def command(self, guest, archive):
        d = self.folder
        disks = [word for n in range(2) for word in
                 ("-drive", f"id=d{n},file={self.images[n]},format=raw,if=none,cache=unsafe",
                  "-device", f"nvme,id=nv{n},serial=EMU000{n},drive=d{n},max_ioqpairs=2,mdts=7")]
        return ["qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "640",
                "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                "-serial", f"file:{self.console}", "-serial", "stdio", "-qmp", f"unix:{d}/qmp,server=on,wait=off", *disks,
                "-kernel", str(guest.image), "-initrd", str(archive),
                "-append", "console=ttyS0 quiet panic=-1 no_timer_check"]


def boot(parts, again=2):
    """{job: its report}. QEMU 7.2 sometimes dies of a fault of its own: then it is started again, and said so."""
    with machine.new_folder() as folder:
        guest = StackMachine(folder, 39, timeout_s=200)
        programs = {"fathom": os.environ["FATHOM"], "dmsetup": shutil.which("dmsetup", path="/usr/sbin:/sbin:/usr/bin")}
        guest.run(parts, programs, [(name, START + text) for name, text in STEPS])
        if guest.crashed and again > 0:
            print(f"     QEMU itself died (SIGSEGV) in or after the step {list(guest.steps)[-1:]}; once more")
            return boot(parts, again - 1)
        text = "\n".join(guest.steps[name].text for name, _ in STEPS if name in guest.steps)
        if os.environ.get("FATHOM_KEEP"):  # what the guest said, for a look by eye
            with open(os.path.join(os.environ["FATHOM_KEEP"], "stack"), "w") as kept:
                kept.write(text)
        print(f"     {guest.boot_s:.1f} s to /init, {guest.wall_s:.1f} s in all")
        check(guest.finished, "the guest ran all steps and powered itself off", guest.trouble())
    pieces = re.split(r"^--- (\w+)$", text, flags=re.M)
    return {name: report(body) for name, body in zip(pieces[1::2], pieces[2::2])}


def report(body):
    try:
        return json.JSONDecoder().raw_decode(body[body.index("{"):])[0]["fathom"]
    except ValueError:
        return {"audit": {"line": body[-1500:], "verdict": "none", "witnesses": [], "foreign": []}}


def check_layers(audits):
    for name, layers in LAYERS.items():
        audit = audits.get(name, report("{"))["audit"]
        found = {(w["subject"], w["direction"]): (w["verdict"], w["diagnosis"]) for w in audit["witnesses"] if w["source"] == "members"}
        for subject, direction, wanted in layers:
            check(wanted in found.get((subject, direction), ()), f"{name}: {subject} {direction}: {wanted}", f"{found} {audit['line']}")
        check(audit["verdict"] in ("agrees", "explained") and not audit["foreign"], f"{name}: nobody else is seen: {audit['line']}",
              str(audit["foreign"]))


def check_neighbours(audits):
    for name, (disk, direction) in BESIDE.items():
        audit = audits.get(name, report("{"))["audit"]
        found = [io for io in audit["foreign"] if (io["disk"], io["direction"]) == (disk, direction)]
        named = bool(found) and re.search(r"\d+ (dd|sh)", found[0]["who"])
        check(named and audit["verdict"] == "explained", f"{name}: {found[0]['cause'] if found else audit['line']}", str(audit["foreign"]))


def measure(parts):
    audits = boot(parts)
    check_layers(audits)
    check_neighbours(audits)


def main():
    if os.environ.get("FATHOM_SANITIZE"):
        print("skipped: a sanitized program wants more memory than the guest has; the release build's test runs there")
        return 77
    if not shutil.which("dmsetup", path="/usr/sbin:/sbin:/usr/bin"):
        print("skipped: dmsetup is not installed")
        return 77
    try:
        parts = machine.require()
    except debian_packages.Missing as reason:
        print(f"skipped: {reason}")
        return 77
    begun = time.monotonic()
    until_clean(failures, measure, parts, most=2)
    print(f"     {time.monotonic() - begun:.1f} s; {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
