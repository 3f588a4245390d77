#!/usr/bin/env bash
# Packages: Debian 12 xfsprogs 6.1.0-1, with libinih1 and liburcu8; the kernel
# is the machine's (seen: Linux 6.18; from 6.16 on xfs makes writes atomic by
# itself) and Python's os.pwritev passes RWF_ATOMIC (0x40).
#
# Valid input: a file of 64 MiB on an xfs of 400 MiB, default options. 40,000
# writes of 4 KiB with O_DIRECT and RWF_ATOMIC at random places of the file, one
# at a time. statx says that atomic writes of 4 KiB to 1 MiB are supported, on a
# disk that supports none.
#
# Expected: the file has its blocks, so that writing them again needs no space
# that stays taken; with 190 MiB free (df) none fails with ENOSPC.
#
# Seen: an atomic write goes to new blocks, which then take the old ones' place.
# From some 8,000 writes on more than half fail with ENOSPC, while df shows 190
# MiB free: pieces of the free space lie apart by then. The same write without
# RWF_ATOMIC succeeds. Where each place is written once, none fails.
#
# Why it matters: a data base or a benchmark with atomic writes stops with "No
# space left on device" on a disk that is half empty, and no monitor of free
# space sees it come. And a file does not stay where it was: FIEMAP taken before
# says nothing of where such a write goes.
set -euo pipefail

lacks() {
  echo "skipped: $1" >&2
  exit 77
}
for tool in apt-get dpkg losetup mount umount python3; do
  command -v "$tool" >/dev/null || lacks "$tool is missing"
done
[ "$(id -u)" = 0 ] || lacks 'it takes root to mount'

dir=$(mktemp -d)
device=
clean() {
  umount "$dir/m" 2>/dev/null || true
  [ -z "$device" ] || losetup -d "$device"
  rm -rf "$dir"
}
trap clean EXIT
cd "$dir"
apt-get download -qq xfsprogs=6.1.0-1 libinih1 liburcu8 >/dev/null 2>&1 || lacks 'apt-get cannot download xfsprogs=6.1.0-1'
for package in ./*.deb; do dpkg -x "$package" root; done
machine=$(uname -m)
export LD_LIBRARY_PATH=$dir/root/usr/lib/$machine-linux-gnu:$dir/root/lib/$machine-linux-gnu
truncate -s 400M image
root/sbin/mkfs.xfs -q image || lacks 'mkfs.xfs does not start'
device=$(losetup --find --show image) || { device= && lacks 'no loop device'; }
mkdir m
mount "$device" m || lacks 'this kernel has no xfs'

cat >writes.py <<'P'
import errno, mmap, os, random

ATOMIC, BLOCK, SIZE = 0x40, 4096, 64 << 20
fd = os.open("m/f", os.O_RDWR | os.O_CREAT)
os.write(fd, os.urandom(SIZE))
os.fsync(fd)
fd = os.open("m/f", os.O_RDWR | os.O_DIRECT)
block = mmap.mmap(-1, BLOCK)
block.write(b"y" * BLOCK)
number = random.Random(1)
offsets = [number.randrange(SIZE // BLOCK) * BLOCK for _ in range(40000)]
done, refused = 0, 0
try:
    os.pwritev(fd, [block], 0, ATOMIC)
except OSError as error:
    raise SystemExit(77 if error.errno in (errno.EOPNOTSUPP, errno.EINVAL) else 1)
for offset in offsets:
    try:
        os.pwritev(fd, [block], offset, ATOMIC)
        done += 1
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        refused += 1
        last = offset
free = os.fstatvfs(fd)
plain = os.pwritev(fd, [block], last, 0) if refused else 0
free_mib = free.f_bavail * free.f_frsize >> 20
print(f"{done} atomic writes of 4 KiB, {refused} refused for want of space, with {free_mib} MiB free; the same write, not atomic: {plain} bytes")
raise SystemExit(0 if done > 2000 and refused > 1000 and free_mib > 100 and plain == BLOCK else 1)
P
status=0
python3 writes.py || status=$?
[ "$status" != 77 ] || lacks "this kernel's xfs makes no atomic writes on such a disk"
exit "$status"
