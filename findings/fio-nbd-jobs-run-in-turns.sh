#!/usr/bin/env bash
# Packages: Debian 12 fio 3.33-3 and nbdkit 1.32.5-1, with the libraries that
# they are linked with.
#
# Valid input: four jobs of one second each (`ioengine=nbd`, random reads, as
# in fio's examples/nbd.fio) on a server that answers one client at a time:
# nbdkit's filter noparallel with serialize=connections, which is what qemu-nbd
# does without --shared. The server accepts every connection at once, and
# answers the next client when the last one has left.
#
# Expected: an error or a timeout of three jobs, or a group whose run time is
# the four seconds or more that it took, because fio starts all jobs together.
#
# Seen: each job waits in its connection, and its second begins after that. The
# jobs run one after the other. The group line adds their rates and prints
# `run=1000-1001msec`: four times the rate of the server, or more. Nothing in the
# report has the time that it took.
#
# Why it matters: more jobs seem to scale without limit on such a server.
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

"$nbdkit" --foreground --unix "$dir/socket" --filter="$libraries/nbdkit/filters/nbdkit-noparallel-filter.so" \
  "$libraries/nbdkit/plugins/nbdkit-memory-plugin.so" 16M serialize=connections &
server=$!
for _ in $(seq 100); do
  [ -S socket ] && break
  sleep 0.1
done

begin=$(date +%s%N)
root/usr/bin/fio --name=t --numjobs=4 --group_reporting --ioengine=nbd --uri="nbd+unix:///?socket=$dir/socket" --rw=randread --bs=4k \
  --time_based --runtime=1 --output-format=json --output=out.json
end=$(date +%s%N)
python3 - $((end - begin)) <<'PYTHON'
import json
import sys

elapsed_s = int(sys.argv[1]) / 1e9
text = open("out.json").read()
job = json.loads(text[text.index("{"):])["jobs"][0]
read = job["read"]
real = read["total_ios"] / elapsed_s
print(f"the jobs took {elapsed_s:.1f} s; the group's run time {read['runtime'] / 1000:.1f} s, error {job['error']}")
print(f"reads over all of the time {real:.0f} IOPS; the group's rate {read['iops']:.0f} IOPS: {read['iops'] / real:.1f} times as many")
if elapsed_s < 3.5 or read["runtime"] > 1500:
    sys.exit("the jobs no longer run one after the other")
if read["iops"] < 2.5 * real:
    sys.exit("the group's rate is no longer the sum of rates of different times")
PYTHON
