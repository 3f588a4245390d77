#!/usr/bin/env bash
# Packages: Debian 12 fio 3.33-3, with the libraries that its program is linked
# with.
#
# Valid input: random reads of 4 KiB with `hipri=1` (polled completions) of one
# file with direct=1, on a disk without poll queues (`queue/io_poll` is 0: every
# disk without a driver that made some), by two engines: `pvsync2` (RWF_HIPRI)
# and `io_uring` (IORING_SETUP_IOPOLL).
#
# Expected: both engines say that the disk cannot poll.
#
# Seen: `io_uring` fails with error 95 (EOPNOTSUPP). `pvsync2` reads, exit
# status 0 and error 0, with or without direct=1, although nothing was polled:
# each read sleeps until the interrupt, so the job has about one context switch
# per read, as without `hipri`. preadv2(2) calls the flag a hint; the kernel
# drops it where it cannot poll.
#
# Why it matters: a comparison "interrupts against polling" with pvsync2 on such
# a disk compares interrupts with interrupts, and nothing in the result says so.
set -euo pipefail

lacks() {
  echo "skipped: $1" >&2
  exit 77
}
for tool in apt-get dpkg python3 findmnt lsblk; do
  command -v "$tool" >/dev/null || lacks "$tool is missing"
done

dir=$(mktemp -d -p /var/tmp)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
source=$(findmnt -no SOURCE --target .)
[ -b "$source" ] || lacks 'the directory is on no disk'
disk=$(lsblk -nro PKNAME "$source" | head -n 1)
polls=/sys/class/block/${disk:-$(basename "$(readlink -f "$source")")}/queue/io_poll
[ "$(cat "$polls" 2>/dev/null)" = 0 ] || lacks 'the disk has poll queues, or it is not known'
apt-get download -qq fio=3.33-3 libboost-thread1.74.0 libdaxctl1 libgfapi0 libgfrpc0 libgfxdr0 libglusterfs0 libibverbs1 libnbd0 libndctl6 libnl-3-200 \
  libnl-route-3-200 libpmem1 libpmemblk1 librados2 librbd1 librdmacm1 libaio1 libboost-iostreams1.74.0 libnuma1 >/dev/null 2>&1 ||
  lacks 'apt-get cannot download fio=3.33-3 and its libraries'
for package in ./*.deb; do dpkg -x "$package" root; done
machine=$(uname -m)
export LD_LIBRARY_PATH=$dir/root/usr/lib/$machine-linux-gnu:$dir/root/usr/lib/$machine-linux-gnu/ceph:$dir/root/lib/$machine-linux-gnu
root/usr/bin/fio --version >/dev/null 2>&1 || lacks 'the program does not start: a library is missing'

# job ENGINE HIPRI DIRECT: fio's error, the reads, and the context switches per read.
job() {
  root/usr/bin/fio --name=t --filename=file --size=16m --rw=randread --bs=4k --number_ios=2000 --ioengine="$1" --hipri="$2" --direct="$3" \
    --output-format=json --output=out.json 2>/dev/null || true
  python3 -c 'import json; text = open("out.json").read(); job = json.loads(text[text.index("{"):])["jobs"][0]
reads = job["read"]["total_ios"]; print(job["error"], reads, round(job["ctx"] / max(reads, 1), 2))'
}

root/usr/bin/fio --name=t --filename=file --size=16m --rw=write --bs=1m --end_fsync=1 --output=/dev/null
read -r plain_error plain_reads plain_switches < <(job pvsync2 0 1)
read -r error reads switches < <(job pvsync2 1 1)
read -r cached_error cached_reads _ < <(job pvsync2 1 0)
read -r ring_error ring_reads _ < <(job io_uring 1 1)
echo "pvsync2: $reads reads, error $error, $switches context switches per read with hipri ($plain_reads, $plain_error, $plain_switches without)"
echo "pvsync2 through the page cache with hipri: $cached_reads reads, error $cached_error; io_uring with hipri: $ring_reads reads, error $ring_error"
[ "$error$cached_error$plain_error" = 000 ] && [ "$reads" = 2000 ] && [ "$ring_error" = 95 ] &&
  python3 -c "import sys; sys.exit(not ($switches > 0.8 and $plain_switches > 0.8))"
