"""The audit on dm and md devices, which this machine's kernel may not have. Each layer is compared with the next, a mirror's copies and a stack of two layers
add up, and a neighbor on the device, or on a disk below it, is named."""
import re

from machine import DISK, SLOW
from pieces import decoded, pieces

MODULES = ["dm_mod", "raid0", "raid1"]
TOOLS = ["dmsetup"]
ATTEMPTS = 2
# A linear dm device, a stripe and a mirror of both disks made by sysfs alone, and a dm device on the mirror.
PRELUDE = f"""export DM_DISABLE_UDEV=1
numbers() {{ for disk in {DISK} {SLOW}; do cat /sys/block/$disk/dev; done; }}
stop() {{ [ ! -e /sys/block/$1/md/array_state ] || echo clear >/sys/block/$1/md/array_state; }}
md() {{
  echo $1 >/sys/module/md_mod/parameters/new_array
  cd /sys/block/$1/md
  echo none >metadata_version
  echo $2 >level
  echo 2 >raid_disks
  [ $2 != raid0 ] || echo 65536 >chunk_size
  slot=0
  for number in $(numbers); do echo $number >new_dev; done
  for disk in {DISK} {SLOW}; do
    echo 32768 >dev-$disk/size
    echo $slot >dev-$disk/slot
    slot=1
  done
  [ $2 != raid1 ] || echo 32768 >component_size
  [ $2 != raid1 ] || echo none >resync_start
  echo active >array_state
  cd /
  for i in $(seq 50); do [ -b /dev/$1 ] && [ "$(blockdev --getsz /dev/$1)" -gt 0 ] && break; sleep 0.1; done
}}
quiet() {{
  kill $other
  killall dd
  wait
  sleep 0.3
}} 2>/dev/null
job() {{
  echo "--- $1"
  name=$1
  shift
  fathom run --name=$name --ioengine=libaio --iodepth=4 --bs=16k --direct=1 --eta=never --clock-check=skip --output-format=json \
    --allow-destructive=/dev/dm-0 --allow-destructive=/dev/md0 --allow-destructive=/dev/dm-1 "$@"
}}
"""
LINEAR = f"""echo "0 65536 linear /dev/{DISK} 0" | dmsetup --noudevsync create one || exit 1
job dm_read --filename=/dev/dm-0 --rw=read --size=8m
job dm_write --filename=/dev/dm-0 --rw=randwrite --size=8m
(while true; do dd if=/dev/zero of=/dev/{DISK} bs=64k oflag=direct seek=640 count=100 2>/dev/null; done) & other=$!
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
MIRROR = f"""md md0 raid1
job mirror_read --filename=/dev/md0 --rw=read --size=8m
job mirror_write --filename=/dev/md0 --rw=write --size=8m
echo "0 32768 linear /dev/md0 0" | dmsetup --noudevsync create two || exit 1
job both_write --filename=/dev/dm-0 --rw=write --size=8m
(while true; do dd if=/dev/{SLOW} of=/dev/null bs=64k iflag=direct count=400 2>/dev/null; done) & other=$!
job mirror_beside --filename=/dev/dm-0 --rw=randwrite --size=8m --runtime=4 --time_based
quiet
dmsetup --noudevsync remove two
stop md0
"""
STEPS = [("linear", LINEAR), ("stripe", STRIPE), ("mirror", MIRROR)]
BOTH = f"{DISK} + {SLOW}"
# Job: the layers that must be among its witnesses, by direction, with what they say.
LAYERS = {
    "dm_read": [(DISK, "read", "agrees")],
    "dm_write": [(DISK, "write", "agrees")],
    "stripe_read": [(BOTH, "read", "agrees")],
    "stripe_write": [(BOTH, "write", "agrees")],
    "mirror_read": [(BOTH, "read", "agrees")],
    "mirror_write": [(BOTH, "write", "mirror")],
    "both_write": [("md0", "write", "agrees"), (BOTH, "write", "mirror")],
}
# Job: the disk and direction in which a neighbour is found.
BESIDE = {"dm_beside": (DISK, "write"), "dm_same": ("dm-0", "read"), "mirror_beside": (BOTH, "read")}


def report(body):
    return decoded(body).get("fathom", {"audit": {"line": body[-1500:], "verdict": "none", "witnesses": [], "foreign": []}})


def check_layers(check, audits):
    for name, layers in LAYERS.items():
        audit = audits.get(name, report(""))["audit"]
        found = {(w["subject"], w["direction"]): (w["verdict"], w["diagnosis"]) for w in audit["witnesses"] if w["source"] == "members"}
        for subject, direction, wanted in layers:
            check(wanted in found.get((subject, direction), ()), f"{name}: {subject} {direction}: {wanted}", f"{found} {audit['line']}")
        check(audit["verdict"] in ("agrees", "explained") and not audit["foreign"], f"{name}: nobody else is seen: {audit['line']}",
              str(audit["foreign"]))


def check_neighbours(check, audits):
    for name, (disk, direction) in BESIDE.items():
        audit = audits.get(name, report(""))["audit"]
        found = [io for io in audit["foreign"] if (io["disk"], io["direction"]) == (disk, direction)]
        named = bool(found) and re.search(r"\d+ (dd|sh)", found[0]["who"])
        check(named and audit["verdict"] == "explained", f"{name}: {found[0]['cause'] if found else audit['line']}", str(audit["foreign"]))


def check_all(check, texts):
    audits = {name: report(body) for name, body in pieces(*texts.values()).items()}
    check_layers(check, audits)
    check_neighbours(check, audits)
