#!/usr/bin/env bash
# Packages: Debian 12 lsof 4.95.0-1 and xfsprogs 6.1.0-1, with libinih1 and
# liburcu8, which its xfs_io is linked with. Seen on Linux 6.18 with ext4 and
# tmpfs.
#
# Valid input: xfs_io makes a file without a name (-T: O_TMPFILE), writes it,
# gives it a name (flink: linkat) and maps it. This is how a file is replaced
# so that no reader finds half of it.
#
# Expected: from linkat on the file is as any other: it has one link, and lsof
# lists the mapping under the file's name.
#
# Seen: the kernel keeps the name under which the file was opened. The link in
# /proc/PID/fd and the line in /proc/PID/maps stay "/DIRECTORY/#INODE (deleted)"
# as long as the process lives, also for mappings made after linkat. Asked for
# the file by its name, lsof finds it twice: as an open file, and as DEL, a
# deleted file that is mapped. Asked for the process it shows the open file as
# "(deleted)" too.
#
# Why it matters: DEL is what scripts look for to find processes that use
# replaced libraries or hold the space of removed files, and advice to free such
# space is to truncate it through /proc/PID/fd. Here that empties a file which
# is in use under its name.
set -euo pipefail

lacks() {
  echo "skipped: $1" >&2
  exit 77
}
for tool in apt-get dpkg awk stat; do
  command -v "$tool" >/dev/null || lacks "$tool is missing"
done

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq lsof=4.95.0-1 xfsprogs=6.1.0-1 libinih1 liburcu8 >/dev/null 2>&1 || lacks 'apt-get cannot download lsof=4.95.0-1 and xfsprogs=6.1.0-1'
for package in ./*.deb; do dpkg -x "$package" root; done
libraries=root/usr/lib/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH=$dir/$libraries:$dir/root/lib/$(uname -m)-linux-gnu
root/usr/sbin/xfs_io -V >/dev/null 2>&1 || lacks 'xfs_io does not start: a library is missing'

mkdir data
mkfifo words
root/usr/sbin/xfs_io -T data <words >out 2>&1 &
program=$!
exec 3>words
printf '%s\n' 'pwrite -q 0 4096' 'flink data/report' 'mmap -rw 0 4096' >&3
for _ in $(seq 50); do
  [ -e data/report ] && grep -q '#' "/proc/$program/maps" && break
  sleep 0.1
done
[ -e data/report ] || lacks "the file system of $dir makes no file without a name"
links=$(stat -c %h data/report)
maps=$(awk '/#/ { print $NF }' "/proc/$program/maps")
by_name=$(root/usr/bin/lsof -n data/report 2>/dev/null | awk '/data\/report$/ { print $4 }' | sort | tr '\n' ' ')
by_process=$(root/usr/bin/lsof -n -p "$program" 2>/dev/null | awk '$4 == "3u" { print $NF }')
exec 3>&-
wait "$program" || true
echo "links: $links; /proc/PID/maps: $maps; lsof FILE: $by_name; lsof -p: $by_process"
[ "$links" = 1 ] && [ "$maps" = '(deleted)' ] && [ "$by_name" = '3u DEL ' ] && [ "$by_process" = '(deleted)' ]
