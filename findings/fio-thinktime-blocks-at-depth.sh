#!/usr/bin/env bash
# Packages: Debian 12 fio 3.33-3, with the libraries that its program is linked
# with.
#
# Valid input: 640 random reads of 4 KiB with `thinktime=10ms` and
# `thinktime_blocks=4` ("how many blocks to issue, before waiting thinktime"):
# 160 pauses, 1.6 s.
#
# Expected: the number of pauses follows from the number of I/Os. It is the same
# with every engine and at every depth, and the null engine shows it.
#
# Seen: with libaio, iodepth=1: 1.8 s. With iodepth=32: 0.4 s, a quarter of the
# pauses. When the fourth I/O is over fio waits for the other 28 that are in
# flight; however many these are, they bring one more pause. With
# `thinktime_blocks_type=issue` there are 160 again (1.7 s).
# The null engine has 160 at any depth, because a second request is never in
# flight in it: its queue takes one I/O and answers "busy" until that is reaped.
#
# Why it matters: a job that is to leave the disk alone for most of the time
# offers four times the load as soon as its depth is raised, and a trial run
# with ioengine=null does not show it.
set -euo pipefail

lacks() {
  echo "skipped: $1" >&2
  exit 77
}
for tool in apt-get dpkg awk; do
  command -v "$tool" >/dev/null || lacks "$tool is missing"
done

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq fio=3.33-3 libboost-thread1.74.0 libdaxctl1 libgfapi0 libgfrpc0 libgfxdr0 libglusterfs0 libibverbs1 libnbd0 libndctl6 \
  libnl-3-200 libnl-route-3-200 libpmem1 libpmemblk1 librados2 librbd1 librdmacm1 libaio1 libboost-iostreams1.74.0 libnuma1 >/dev/null 2>&1 ||
  lacks 'apt-get cannot download fio=3.33-3 and its libraries'
for package in ./*.deb; do dpkg -x "$package" root; done
machine=$(uname -m)
export LD_LIBRARY_PATH=$dir/root/usr/lib/$machine-linux-gnu:$dir/root/usr/lib/$machine-linux-gnu/ceph:$dir/root/lib/$machine-linux-gnu
root/usr/bin/fio --version >/dev/null 2>&1 || lacks 'the program does not start: a library is missing'

# took ENGINE DEPTH OPTION...: milliseconds of the job.
took() {
  root/usr/bin/fio --name=t --filename=data --ioengine="$1" --iodepth="$2" --rw=randread --bs=4k --size=2560k --thinktime=10ms --thinktime_blocks=4 \
    --output-format=json "${@:3}" 2>/dev/null | awk -F'[:,]' '/"job_runtime"/ { print $2 + 0; exit }'
}

one=$(took libaio 1) deep=$(took libaio 32) issued=$(took libaio 32 --thinktime_blocks_type=issue)
null_one=$(took null 1) null_deep=$(took null 32)
echo "libaio: $one ms at depth 1, $deep ms at depth 32, $issued ms counted as issued; null: $null_one and $null_deep ms"
[ -n "$one" ] && [ -n "$deep" ] || lacks 'libaio does not work here'
((one >= 1590 && deep < 900 && issued >= 1590 && null_one >= 1590 && null_deep >= 1590))
