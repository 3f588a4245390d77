#!/usr/bin/env bash
# Packages: Debian 12 time 1.9-0.2, btrfs-progs 6.2-1+deb12u2, e2fsprogs
# 1.47.0-2+b2. Needs root for loop devices. Seen on Linux 6.18.
#
# Valid input: dd writes 2,048 blocks of 4 KiB with O_DIRECT and O_DSYNC to a
# new file, on btrfs and on ext4, each on a loop device of 1 GiB. GNU time
# prints what the kernel charged to dd (%O, in units of 512 bytes: write_bytes
# of /proc/PID/io).
#
# Expected: direct writes are charged as they are, 16,384 units, on any file
# system; what the journal or the tree needs is the file system's own work.
#
# Seen: on ext4 16,384 units. On btrfs 282,000, 17 times as much: each write
# commits the log tree, and its blocks, their parents and the superblock are
# charged to the process that asked for the sync. The disk received twice as
# much again (metadata are stored twice on one device): 140 KB for each 4 KiB,
# where ext4 wrote 28 KB.
#
# Why it matters: accounts by process (pidstat -d, iotop, GNU time, a cgroup's
# io.stat) show a database with a synchronous log as the heaviest writer by
# far, and an audit of a benchmark by them finds a multiple of its bytes.
set -euo pipefail

lacks() {
  echo "skipped: $1" >&2
  exit 77
}
for tool in apt-get dpkg awk losetup mount dd; do
  command -v "$tool" >/dev/null || lacks "$tool is missing"
done
[ "$(id -u)" = 0 ] || lacks 'only root sets up loop devices'

dir=$(mktemp -d -p /var/tmp)
loop=
clean() {
  umount "$dir/at" 2>/dev/null || true
  [ -z "$loop" ] || losetup -d "$loop" 2>/dev/null || true
  rm -rf "$dir"
}
trap clean EXIT
cd "$dir"
packages=(time=1.9-0.2 btrfs-progs=6.2-1+deb12u2 e2fsprogs=1.47.0-2+b2)
apt-get download -qq "${packages[@]}" liblzo2-2 libext2fs2 libcom-err2 libss2 >/dev/null 2>&1 || lacks "apt-get cannot download ${packages[*]}"
for package in ./*.deb; do dpkg -x "$package" root; done
LD_LIBRARY_PATH=$dir/root/usr/lib/$(uname -m)-linux-gnu:$dir/root/lib/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH

mkdir at
# outputs MKFS...: what 2,048 such writes are charged, in units of 512 bytes.
outputs() {
  rm -f image
  truncate -s 1g image
  "$@" image >/dev/null 2>&1 || lacks "$1 does not run"
  loop=$(losetup -f --show image) || lacks 'no loop device'
  mount "$loop" at 2>/dev/null || lacks "the kernel does not mount what $1 made"
  root/usr/bin/time -o units -f %O dd if=/dev/zero of=at/file bs=4k count=2048 oflag=direct,dsync status=none
  umount at
  losetup -d "$loop"
  loop=
}
outputs root/sbin/mkfs.ext4 -q
ext4=$(cat units)
outputs root/sbin/mkfs.btrfs -q
btrfs=$(cat units)
echo "charged for 8 MiB, in 512 bytes: ext4 $ext4, btrfs $btrfs"
[ "$ext4" -eq 16384 ] && [ "$btrfs" -gt $((10 * ext4)) ]
