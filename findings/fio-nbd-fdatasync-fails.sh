#!/usr/bin/env bash
# Packages: Debian 12 fio 3.33-3 and nbdkit 1.32.5-1, with the libraries that
# they are linked with.
#
# Valid input: sequential writes of 4 KiB by `ioengine=nbd` to an export of
# nbdkit's memory plug-in, which offers flush, with `fsync=16` and with
# `fdatasync=16`.
#
# Expected: both flush after every 16 writes. NBD has one flush command, and a
# flush is more than fdatasync asks for.
#
# Seen: with `fsync=16`, all 64 writes and the flushes succeed. With
# `fdatasync=16`, the job ends with error 22 (EINVAL) after 16 writes.
#
# Why it matters: a job file for a database (`fdatasync=1`) that runs on a disk
# fails on the same disk behind NBD, and the error names neither the option nor
# the engine.
set -euo pipefail

lacks() {
  echo "skipped: $1" >&2
  exit 77
}
for tool in apt-get dpkg python3; do
  command -v "$tool" >/dev/null || lacks "$tool is missing"
done

dir=$(mktemp -d -p /var/tmp)
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq fio=3.33-3 nbdkit=1.32.5-1 libboost-thread1.74.0 libdaxctl1 libgfapi0 libgfrpc0 libgfxdr0 libglusterfs0 libibverbs1 libnbd0 libndctl6 \
  libnl-3-200 libnl-route-3-200 libpmem1 libpmemblk1 librados2 librbd1 librdmacm1 libaio1 libboost-iostreams1.74.0 libnuma1 libxml2 >/dev/null 2>&1 ||
  lacks 'apt-get cannot download fio=3.33-3, nbdkit=1.32.5-1 and their libraries'
for package in ./*.deb; do dpkg -x "$package" root; done
machine=$(uname -m)
libraries=$dir/root/usr/lib/$machine-linux-gnu
export LD_LIBRARY_PATH=$libraries:$libraries/ceph:$dir/root/lib/$machine-linux-gnu
root/usr/bin/fio --version >/dev/null 2>&1 || lacks 'fio does not start: a library is missing'
nbdkit=root/usr/bin/nbdkit
[ -x "$nbdkit" ] || nbdkit=root/usr/sbin/nbdkit
"$nbdkit" --version >/dev/null 2>&1 || lacks 'nbdkit does not start: a library is missing'

"$nbdkit" --foreground --unix "$dir/socket" "$libraries/nbdkit/plugins/nbdkit-memory-plugin.so" 1M &
server=$!
for _ in $(seq 100); do
  [ -S socket ] && break
  sleep 0.1
done

# job OPTION: fio's error, and the writes that succeeded.
job() {
  root/usr/bin/fio --name=t --ioengine=nbd --uri="nbd+unix:///?socket=$dir/socket" --rw=write --bs=4k --size=256k "--$1=16" \
    --output-format=json --output=out.json 2>/dev/null || true
  python3 -c 'import json; text = open("out.json").read(); job = json.loads(text[text.index("{"):])["jobs"][0]
print(job["error"], job["write"]["total_ios"])'
}

with_fsync=$(job fsync) with_fdatasync=$(job fdatasync)
echo "fsync=16: error and writes $with_fsync"
echo "fdatasync=16: error and writes $with_fdatasync"
[ "$with_fsync" = "0 64" ] || { echo 'fsync=16 no longer succeeds'; exit 1; }
[[ $with_fdatasync == "22 "* ]] || { echo 'fdatasync=16 no longer fails with EINVAL'; exit 1; }
