#!/usr/bin/env bash
# Packages: Debian 12 coreutils 9.1-1 and xfsprogs 6.1.0-1. Needs root for a
# loop device with XFS. Seen on Linux 6.18; on ext4 there as well.
#
# Valid input: `dd if=FILE of=/dev/null bs=4k iflag=nocache` of a file of 16 MiB
# that is not in the page cache. The readahead of the device is 128 KiB, and
# 512 KiB: disk arrays, loop and virtual disks often have more than 128.
#
# Expected: the file is not in the page cache afterwards. The option is for
# that, and dd drops what it has read as it goes (POSIX_FADV_DONTNEED for each
# 128 KiB).
#
# Seen: with 128 KiB of readahead no page is left. With 512 KiB nearly the whole
# file is: the kernel reads into folios of 256 KiB and more, and a request to
# drop a part of a folio is ignored. The size of the request counts, not the
# sum: each part is dropped by dd, and no folio.
#
# Why it matters: backups and benchmarks use nocache (or the same call in steps)
# to leave the cache alone, or to measure a second cold read. With larger
# folios neither is true, and fincore is the only witness.
set -euo pipefail

lacks() {
  echo "skipped: $1" >&2
  exit 77
}
for tool in apt-get dpkg losetup mount fincore; do
  command -v "$tool" >/dev/null || lacks "$tool is missing"
done
[ "$(id -u)" = 0 ] || lacks 'a loop device needs root'
grep -qw xfs /proc/filesystems || lacks 'the kernel has no XFS'

dir=$(mktemp -d -p /var/tmp)
trap 'umount "$dir/m" 2>/dev/null || true; losetup -d "${loop:-}" 2>/dev/null || true; rm -rf --one-file-system "$dir"' EXIT
cd "$dir"
apt-get download -qq coreutils=9.1-1 xfsprogs=6.1.0-1 libinih1 liburcu8 >/dev/null 2>&1 || lacks 'apt-get cannot download coreutils=9.1-1 and xfsprogs=6.1.0-1'
for package in ./*.deb; do dpkg -x "$package" root; done
libraries=$dir/root/usr/lib/$(uname -m)-linux-gnu:$dir/root/lib/$(uname -m)-linux-gnu
truncate -s 512M disk
LD_LIBRARY_PATH=$libraries root/sbin/mkfs.xfs -q disk >/dev/null 2>&1 || lacks 'mkfs.xfs does not start: a library is missing'
loop=$(losetup -f --show disk)
mkdir m
mount "$loop" m
dd if=/dev/urandom of=m/file bs=1M count=16 conv=fsync status=none

# left KIB: pages of the file in the cache after dd has read it with that readahead.
left() {
  echo "$1" >"/sys/block/${loop#/dev/}/queue/read_ahead_kb"
  dd of=m/file oflag=nocache conv=notrunc,fdatasync count=0 status=none # the whole file at once
  [ "$(fincore --bytes --noheadings --output PAGES m/file)" -eq 0 ] || lacks 'the file cannot be dropped'
  root/bin/dd if=m/file of=/dev/null bs=4k iflag=nocache status=none
  echo $(($(fincore --bytes --noheadings --output PAGES m/file)))
}

short=$(left 128) long=$(left 512)
echo "pages left after dd iflag=nocache: readahead 128 KiB: $short of 4096; 512 KiB: $long of 4096"
[ "$short" -lt 400 ] || { echo 'with 128 KiB, too, the file stays in the cache'; exit 1; }
[ "$long" -gt 3000 ] || { echo 'with 512 KiB the file no longer stays in the cache'; exit 1; }
