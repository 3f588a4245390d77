#!/usr/bin/env bash
# Package: Debian 12 fio 3.33-3, with the libraries that it is linked with.
#
# Valid input: a sequential write job with `zonemode=zbd` on four zones of 2 MiB
# whose capacity is 1344 KiB, `io_size=4m`. One job has blocks of 64 KiB, which
# divide the capacity, one has blocks of 128 KiB, which do not (10 blocks and 64
# KiB). Zones of real ZNS disks are like this: a capacity of 1077 MiB is no
# multiple of 2 MiB. The target is a plain file with fio's emulated zones.
#
# Expected: both jobs fill zone after zone. fio's HOWTO says that a sequential
# job continues in the next zone when a zone has been completely written.
#
# Seen: with 64 KiB, zones 0 to 3 are written. With 128 KiB, all 32 writes go to
# zone 0: it is reset and written again three times, and the job ends with err=
# 0 and its 4 MiB.
#
# Why it matters: a bandwidth test or a preconditioning of a whole ZNS disk
# writes one zone until io_size= or runtime= is over. Only the count of zone
# resets in the report gives a hint.
set -euo pipefail

lacks() {
  echo "skipped: $1" >&2
  exit 77
}
for tool in apt-get dpkg awk; do
  command -v "$tool" >/dev/null || lacks "$tool is missing"
done

dir=$(mktemp -d -p /var/tmp)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq fio=3.33-3 libboost-thread1.74.0 libdaxctl1 libgfapi0 libgfrpc0 libgfxdr0 libglusterfs0 libibverbs1 libnbd0 libndctl6 \
  libnl-3-200 libnl-route-3-200 libpmem1 libpmemblk1 librados2 librbd1 librdmacm1 libaio1 libboost-iostreams1.74.0 libnuma1 libxml2 >/dev/null 2>&1 ||
  lacks 'apt-get cannot download fio=3.33-3 and its libraries'
for package in ./*.deb; do dpkg -x "$package" root; done
libraries=$dir/root/usr/lib/$(uname -m)-linux-gnu
export LD_LIBRARY_PATH=$libraries:$libraries/ceph:$dir/root/lib/$(uname -m)-linux-gnu
root/usr/bin/fio --version >/dev/null 2>&1 || lacks 'fio does not start: a library is missing'

# zones BS: how many writes each zone received, in the order of the zones, by fio's own log of I/Os.
zones() {
  rm -f disk log
  truncate -s 8M disk
  root/usr/bin/fio --name=t --filename=disk --rw=write --bs="$1" --size=8m --io_size=4m --zonemode=zbd --zonesize=2m --zonecapacity=1344k \
    --write_iolog=log >out 2>&1 || { cat out; exit 1; }
  awk '$3 == "write" { ++count[int($4 / 2097152)] } END { for (zone = 0; zone < 4; ++zone) printf "%d ", count[zone] }' log
}

divides=$(zones 64k) does_not=$(zones 128k)
echo "writes to zones 0 to 3 with blocks of 64 KiB: $divides"
echo "writes to zones 0 to 3 with blocks of 128 KiB: $does_not"
[ "$divides" = "21 21 21 1 " ] || { echo 'blocks of 64 KiB no longer fill zone after zone'; exit 1; }
[ "$does_not" = "32 0 0 0 " ] || { echo 'blocks of 128 KiB no longer stay in zone 0'; exit 1; }
