#!/usr/bin/env bash
# Packages: Debian 12 fio 3.33-3, with the libraries that its program is linked
# with, strace 6.1-0.1 with libunwind8; the C library of this machine (glibc
# 2.36 in Debian 12).
#
# Valid input: 64 random reads of 4 KiB with `ioengine=posixaio` and
# `iodepth=16`, of one file and of 16 files (`nrfiles=16`). strace delays the
# return of each pread64 by 20 ms, as a slow device would.
#
# Expected: 16 reads are in flight in both jobs, and 64 reads take about
# 64 / 16 * 20 ms = 80 ms. fio reports a depth of 16.
#
# Seen: 16 files take about 0.1 s. One file takes 64 * 20 ms = 1.3 s: the C
# library does the requests of one file descriptor one after the other, in one
# thread. fio reports a depth of 8 or more for most I/Os all the same, because it
# counts the requests that it has handed to the library.
#
# Why it matters: "depth 16" of a job on one file, or on one block device, is
# queue depth 1 at the device. Its rate is that of depth 1, and most of each
# latency is the wait in the library.
set -euo pipefail

lacks() {
  echo "skipped: $1" >&2
  exit 77
}
for tool in apt-get dpkg python3; do
  command -v "$tool" >/dev/null || lacks "$tool is missing"
done

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq fio=3.33-3 strace=6.1-0.1 libunwind8 libboost-thread1.74.0 libdaxctl1 libgfapi0 libgfrpc0 libgfxdr0 libglusterfs0 libibverbs1 libnbd0 \
  libndctl6 libnl-3-200 libnl-route-3-200 libpmem1 libpmemblk1 librados2 librbd1 librdmacm1 libaio1 libboost-iostreams1.74.0 libnuma1 >/dev/null 2>&1 ||
  lacks 'apt-get cannot download fio=3.33-3, strace=6.1-0.1 and their libraries'
for package in ./*.deb; do dpkg -x "$package" root; done
machine=$(uname -m)
export LD_LIBRARY_PATH=$dir/root/usr/lib/$machine-linux-gnu:$dir/root/usr/lib/$machine-linux-gnu/ceph:$dir/root/lib/$machine-linux-gnu
root/usr/bin/fio --version >/dev/null 2>&1 || lacks 'the program does not start: a library is missing'
root/usr/bin/strace -f -qq -o /dev/null true 2>/dev/null || lacks 'strace cannot trace here'

# job FILES: milliseconds that the 64 reads took, and the per cent of I/Os with a depth of 8 or more by fio.
job() {
  root/usr/bin/fio --name=t --directory=. --rw=write --bs=64k --size=1m --nrfiles="$1" --output=/dev/null
  root/usr/bin/strace -f -qq -o /dev/null -e trace=pread64 -e inject=pread64:delay_exit=20000 \
    root/usr/bin/fio --name=t --directory=. --ioengine=posixaio --iodepth=16 --rw=randread --bs=4k --size=1m --nrfiles="$1" --number_ios=64 \
    --output-format=json --output=out.json
  python3 -c 'import json; job = json.load(open("out.json"))["jobs"][0]; print(job["read"]["runtime"], job["iodepth_level"]["8"] + job["iodepth_level"]["16"])'
}

read -r one_ms one_percent < <(job 1)
read -r many_ms _ < <(job 16)
echo "one file: $one_ms ms, depth of 8 or more in $one_percent % of the I/Os; 16 files: $many_ms ms"
[ "$one_ms" -ge 1200 ] && [ "$many_ms" -le $((one_ms / 3)) ] && python3 -c "import sys; sys.exit(not $one_percent > 50)"
