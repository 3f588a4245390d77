#!/usr/bin/env bash
# Packages: Debian 12 fio 3.33-3 and btrfs-progs 6.2-1+deb12u2, with fio's
# libraries. Needs root for a loop device, and Linux 6.14 or later with btrfs.
# Seen on Linux 6.18.
#
# Valid input: random writes of 4 KiB with `direct=1`, `ioengine=libaio`,
# `iodepth=32` to two files of 64 MiB on one btrfs. One file was created with
# `chattr +C`, which turns its data checksums off. While fio writes, fincore of
# util-linux counts the file's pages in the page cache twenty times.
#
# Expected: direct writes do not use the page cache (open(2): "I/O is done
# directly to/from user-space buffers"), and 32 of them are in flight.
#
# Seen: the file without checksums never has a page. The file with checksums has
# pages in most looks: the kernel copies each write into the page cache,
# writes it from there, waits, and drops the pages. io_submit blocks for that,
# so the device has one write of the job at a time. fio's report shows 32 in
# flight and has no hint; after the run no page is left.
#
# Why it matters: btrfs has checksums by default. Since 6.14 a queue depth
# measured there has no meaning, and an update of the kernel looks like a
# slower disk. (Reads are direct as before.)
set -euo pipefail

lacks() {
  echo "skipped: $1" >&2
  exit 77
}
for tool in apt-get dpkg losetup mount chattr fincore; do
  command -v "$tool" >/dev/null || lacks "$tool is missing"
done
[ "$(id -u)" = 0 ] || lacks 'a loop device needs root'
grep -qw btrfs /proc/filesystems || lacks 'the kernel has no btrfs'
case $(uname -r) in [0-5].* | 6.[0-9].* | 6.1[0-3].*) lacks 'the kernel is older than 6.14' ;; esac

dir=$(mktemp -d -p /var/tmp)
trap 'umount "$dir/m" 2>/dev/null || true; losetup -d "${loop:-}" 2>/dev/null || true; rm -rf --one-file-system "$dir"' EXIT
cd "$dir"
apt-get download -qq fio=3.33-3 btrfs-progs=6.2-1+deb12u2 libboost-thread1.74.0 libdaxctl1 libgfapi0 libgfrpc0 libgfxdr0 libglusterfs0 libibverbs1 libnbd0 \
  libndctl6 libnl-3-200 libnl-route-3-200 libpmem1 libpmemblk1 librados2 librbd1 librdmacm1 libaio1 libboost-iostreams1.74.0 libnuma1 libxml2 \
  >/dev/null 2>&1 || lacks 'apt-get cannot download fio=3.33-3, btrfs-progs=6.2-1+deb12u2 and their libraries'
for package in ./*.deb; do dpkg -x "$package" root; done
libraries=$dir/root/usr/lib/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH=$libraries:$libraries/ceph:$dir/root/lib/$(uname -m)-linux-gnu
root/usr/bin/fio --version >/dev/null 2>&1 || lacks 'fio does not start: a library is missing'

truncate -s 1G disk
root/sbin/mkfs.btrfs -q disk >/dev/null 2>&1 || root/usr/sbin/mkfs.btrfs -q disk >/dev/null 2>&1 || lacks 'mkfs.btrfs does not start: a library is missing'
loop=$(losetup -f --show disk)
mkdir m
mount "$loop" m
touch m/checksums m/bare
chattr +C m/bare
for file in checksums bare; do
  dd if=/dev/zero of="m/$file" bs=1M count=64 conv=fsync status=none
  dd of="m/$file" oflag=nocache conv=notrunc,fdatasync count=0 status=none # drops the pages
done

# job FILE: in how many of twenty looks the file has pages while fio writes.
job() {
  local with=0
  root/usr/bin/fio --name=t --filename="m/$1" --rw=randwrite --bs=4k --size=64m --direct=1 --ioengine=libaio --iodepth=32 --time_based --runtime=4 \
    >/dev/null &
  sleep 1
  for _ in $(seq 20); do
    [ "$(fincore --bytes --noheadings --output PAGES "m/$1")" -eq 0 ] || with=$((with + 1))
    sleep 0.1
  done
  wait
  echo "$with"
}

bare=$(job bare) checksums=$(job checksums)
left=$(fincore --bytes --noheadings --output PAGES m/checksums)
echo "looks that found pages: without checksums $bare of 20, with checksums $checksums of 20 (after the run: $((left)) pages left)"
[ "$bare" = 0 ] || { echo 'direct writes without checksums use the page cache, too'; exit 1; }
[ "$checksums" -ge 10 ] || { echo 'direct writes are no longer copied'; exit 1; }
